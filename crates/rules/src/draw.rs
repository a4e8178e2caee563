//! A [`View`] as text: for terminals, test failures and anybody's `print`.

use std::fmt::Write as _;

use anstyle::{Ansi256Color, AnsiColor, Color, Style};

use crate::game::Seat;
use crate::view::{Ground, Mark, Square, View};

/// How to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Plain characters only.
    pub ascii: bool,
    /// With terminal colours. Nothing is told by colour alone.
    pub colour: bool,
    /// Columns to keep to, where the board lets us.
    pub width: usize,
}

impl Default for Look {
    fn default() -> Look {
        Look { ascii: false, colour: false, width: 80 }
    }
}

/// The board with its labels, the facts beside it, and the status line.
pub fn draw(view: &View, look: Look) -> String {
    let mut text = String::new();
    for line in board(view, look) {
        for (part, style) in line {
            if look.colour {
                let _ = write!(text, "{}{part}{}", style.render(), style.render_reset());
            } else {
                text.push_str(&part);
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    if !view.panels.is_empty() {
        text.push('\n');
    }
    for panel in &view.panels {
        let _ = writeln!(text, "{}: {}", panel.label, panel.value);
    }
    let _ = writeln!(text, "{}", view.status);
    text
}

/// The board with its labels: line by line, each in parts with the style they are drawn in.
pub fn board(view: &View, look: Look) -> Vec<Vec<(String, Style)>> {
    let columns = usize::from(view.columns);
    let cells: Vec<String> = view.squares.iter().map(|square| face(square, look)).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max();
    let width = widest(&cells).max(widest(&view.column_labels)).unwrap_or(1);
    let margin = widest(&view.row_labels).unwrap_or(1);
    let plain = Style::new();

    let mut labels = format!("{:margin$} ", "");
    for label in &view.column_labels {
        let _ = write!(labels, " {label:>width$} ");
    }
    let labels = vec![(labels, plain)];
    let mut lines = vec![labels.clone()];
    let rows = view.squares.chunks(columns).zip(cells.chunks(columns));
    for ((squares, faces), label) in rows.zip(&view.row_labels) {
        let mut line = vec![(format!("{label:>margin$} "), plain)];
        for (square, face) in squares.iter().zip(faces) {
            // A chosen square wears brackets, a doomed one dots: seen without colour too.
            let (open, close) = match square.mark {
                Some(Mark::Chosen) => ('[', ']'),
                Some(Mark::Doomed) => ('\'', '\''),
                None => (' ', ' '),
            };
            line.push((format!("{open}{face:>width$}{close}"), style_of(square)));
        }
        line.push((format!(" {label}"), plain));
        lines.push(line);
    }
    lines.push(labels);
    lines
}

/// What a square shows.
fn face(square: &Square, look: Look) -> String {
    match (&square.token, square.ground) {
        (Some(token), _) => match token.symbol {
            Some(symbol) if !look.ascii => symbol.to_string(),
            _ => token.text.clone(),
        },
        (None, Ground::Removed) => " ".to_owned(),
        (None, Ground::Blocked) => "#".to_owned(),
        (None, Ground::Open) => {
            let dot = if look.ascii { "." } else { "·" };
            square.owner.map_or(dot.to_owned(), |owner| format!("{owner}:{dot}"))
        }
    }
}

fn style_of(square: &Square) -> Style {
    let mut style = Style::new();
    match square.ground {
        Ground::Blocked => style = style.fg_color(Some(AnsiColor::BrightBlack.into())),
        Ground::Open | Ground::Removed => {}
    }
    let seat = square.token.as_ref().and_then(|token| token.seat).or(square.owner);
    match (&square.token, seat) {
        (Some(token), Some(seat)) => {
            style = style.fg_color(Some(seat_colour(seat)));
            if token.seat.is_some() {
                style = style.bold();
            }
        }
        (None, Some(seat)) => style = style.fg_color(Some(seat_colour(seat))).dimmed(),
        (None, None) if square.ground == Ground::Open => style = style.dimmed(),
        _ => {}
    }
    if square.mark == Some(Mark::Chosen) {
        style = style.invert();
    }
    style
}

/// A colour for a seat: the first two are strong opposites, later ones go round the colour cube.
fn seat_colour(seat: Seat) -> Color {
    match seat.0 {
        0 => AnsiColor::BrightYellow.into(),
        1 => AnsiColor::BrightCyan.into(),
        other => {
            // The middle of the 6×6×6 cube, where every colour is readable on black and on white.
            let [red, green, blue] = [other % 4, other / 4 % 4, other / 16 % 4];
            Ansi256Color((16 + 36 * (red + 1) + 6 * (green + 1) + blue + 1) as u8).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Token;

    fn small_board() -> View {
        let mut view = View::board(2, 3);
        view.square(0).token = Some(Token {
            seat: Some(Seat(0)),
            text: "W".to_owned(),
            symbol: Some('○'),
            name: "white piece".to_owned(),
            count: None,
        });
        view.square(1).mark = Some(Mark::Chosen);
        view.square(4).ground = Ground::Blocked;
        view.square(5).ground = Ground::Removed;
        view.panel(None, "turn", 3);
        view.status = "white to move".to_owned();
        view
    }

    #[test]
    fn a_board_is_drawn_with_labels_marks_and_facts() {
        let expected = "
   0  1  2
0  W [.] .  0
1  .  #     1
   0  1  2

turn: 3
white to move
";
        let drawn = draw(&small_board(), Look { ascii: true, ..Look::default() });
        assert_eq!(drawn.trim_start(), expected.trim_start(), "\n{drawn}");
    }

    #[test]
    fn colour_only_adds_to_the_picture() {
        let plain = draw(&small_board(), Look::default());
        let coloured = draw(&small_board(), Look { colour: true, ..Look::default() });
        assert!(plain.contains('○') && !plain.contains('\u{1b}'));
        assert!(coloured.contains("\u{1b}["));
    }
}
