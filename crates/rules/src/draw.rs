//! A [`View`] as text: for terminals, test failures and `print`.
//!
//! A board is drawn as wide as the window allows. Where it is too wide, squares first share the
//! column between them; then a board with counted pieces names its players by letters, or writes
//! owner and pieces below each other.

use std::fmt::Write as _;

use anstyle::Style;

use crate::game::Seat;
use crate::palette;
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

/// A line in parts, each with the style it is drawn in.
pub type Line = Vec<(String, Style)>;

/// The board with its labels, what its signs mean, the facts beside it, and the status line.
pub fn draw(view: &View, look: Look) -> String {
    let mut text = String::new();
    let mut lines = board(view, look);
    let legend = legend(view, look);
    if !legend.is_empty() {
        lines.push(Line::new());
        lines.extend(legend);
    }
    for line in lines {
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

/// The board with its labels, line by line.
pub fn board(view: &View, look: Look) -> Vec<Line> {
    let form = Form::of(view, look);
    let columns = usize::from(view.columns);
    let cells: Vec<Vec<String>> =
        view.squares.iter().map(|square| form.cells.face(square, view, look)).collect();
    let width = widest(cells.iter().flatten()).max(widest(&view.column_labels)).max(1);
    let margin = widest(&view.row_labels).max(1);
    let plain = Style::new();

    let mut labels = format!("{:margin$} ", "");
    for label in &view.column_labels {
        let after = if form.is_tight { "" } else { " " };
        let _ = write!(labels, " {label:>width$}{after}");
    }
    let labels = vec![(labels, plain)];
    let mut lines = vec![labels.clone()];
    let rows = view.squares.chunks(columns).zip(cells.chunks(columns));
    for ((squares, faces), label) in rows.zip(&view.row_labels) {
        let frames: Vec<Option<Frame>> =
            squares.iter().map(|square| form.cells.frame(square, view)).collect();
        for part in 0..form.cells.lines() {
            let label = if part == 0 { label.as_str() } else { "" };
            let mut line = vec![(format!("{label:>margin$} "), plain)];
            for (place, (square, face)) in squares.iter().zip(faces).enumerate() {
                let face = &face[part];
                let style = style_of(square, view);
                if form.is_tight {
                    let before = place.checked_sub(1).and_then(|place| frames[place]);
                    line.push((Frame::between(before, frames[place]).to_string(), plain));
                    line.push((format!("{face:>width$}"), style));
                } else {
                    let (open, close) = frames[place].map_or((' ', ' '), Frame::ends);
                    line.push((format!("{open}{face:>width$}{close}"), style));
                }
            }
            if form.is_tight {
                line.push((
                    Frame::between(*frames.last().unwrap_or(&None), None).to_string(),
                    plain,
                ));
            }
            line.push((format!(" {label}"), plain));
            lines.push(line);
        }
    }
    lines.push(labels);
    lines
}

/// What the signs on the board mean, in lines of the window's width.
pub fn legend(view: &View, look: Look) -> Vec<Line> {
    let mut entries = entries(view, look);
    let plain = Style::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut used = 0;
    for (sign, style, meaning) in entries.drain(..) {
        let length = sign.chars().count() + 1 + meaning.chars().count();
        let needed = if used > 0 { used + GAP.len() + length } else { length };
        if lines.is_empty() || needed > look.width {
            lines.push(Line::new());
            used = length;
        } else {
            lines.last_mut().expect("there is a line").push((GAP.to_owned(), plain));
            used = needed;
        }
        let line = lines.last_mut().expect("there is a line");
        line.push((sign, style));
        line.push((format!(" {meaning}"), plain));
    }
    lines
}

/// Between the entries of a legend.
const GAP: &str = "   ";

/// Signs, their styles and their meanings.
fn entries(view: &View, look: Look) -> Vec<(String, Style, String)> {
    let form = Form::of(view, look);
    let grey = Style::new().fg_color(Some(palette::GREY));
    let of_seat = |seat: Option<Seat>| {
        seat.map_or(grey, |seat| Style::new().bold().fg_color(Some(palette::seat(seat))))
    };
    let mut entries: Vec<(String, Style, String)> = view
        .legend
        .iter()
        .map(|entry| {
            let sign = match entry.symbol {
                Some(symbol) if !look.ascii => symbol.to_string(),
                _ => entry.text.clone(),
            };
            (sign, of_seat(entry.seat), entry.meaning.clone())
        })
        .collect();
    let dot = if look.ascii { "." } else { "·" };
    if is_counted(view) {
        let players = view.players.as_deref().unwrap_or(&[]);
        match form.cells {
            Cells::Whole => {
                entries.push(("5:12".to_owned(), grey, "12 pieces of owner 5".to_owned()));
            }
            Cells::Letters => {
                for seat in players {
                    let letter = letter(*seat, view).expect("every player has a letter");
                    let meaning = format!("owner {seat}");
                    entries.push((letter.to_string(), of_seat(Some(*seat)), meaning));
                }
                entries.push(("12".to_owned(), grey, "12 pieces of a zombie".to_owned()));
            }
            Cells::Stacked => {
                entries.push(("5".to_owned(), grey, "owner, and below it the pieces".to_owned()));
            }
        }
        entries.push((dot.to_owned(), grey, "no pieces".to_owned()));
        if form.cells != Cells::Letters && !players.is_empty() {
            entries.push(("| |".to_owned(), Style::new(), "a player's square".to_owned()));
        }
    } else if view.squares.iter().any(|square| {
        square.ground == Ground::Open && square.token.is_none() && square.owner.is_none()
    }) {
        entries.push((dot.to_owned(), grey, "empty".to_owned()));
    }
    for (mark, sign, meaning) in
        [(Mark::Chosen, "[ ]", "chosen"), (Mark::Doomed, "' '", "about to be removed")]
    {
        if view.squares.iter().any(|square| square.mark == Some(mark)) {
            entries.push((sign.to_owned(), Style::new(), meaning.to_owned()));
        }
    }
    entries
}

/// How a square is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cells {
    /// Everything in one line: `5:12`.
    Whole,
    /// A player's letter and the pieces, and of the others the pieces alone: `A12`, `12`.
    Letters,
    /// The owner above, the pieces below.
    Stacked,
}

/// How a board is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Form {
    cells: Cells,
    /// Neighbours share the column between them.
    is_tight: bool,
}

/// So many players at most have a letter.
const LETTERS: usize = 52;

impl Form {
    /// The clearest form that fits.
    fn of(view: &View, look: Look) -> Form {
        let players = view.players.as_ref().map_or(0, Vec::len);
        let has_letters = (1..=LETTERS).contains(&players);
        let compact = if has_letters { Cells::Letters } else { Cells::Stacked };
        let kinds: &[Cells] =
            if is_counted(view) { &[Cells::Whole, compact] } else { &[Cells::Whole] };
        let forms = kinds
            .iter()
            .flat_map(|cells| [false, true].map(|is_tight| Form { cells: *cells, is_tight }));
        let fitting = forms.clone().find(|form| form.width(view, look) <= look.width);
        let narrowest = || forms.min_by_key(|form| form.width(view, look));
        fitting.or_else(narrowest).expect("there are forms")
    }

    /// The columns that a board takes in this form.
    fn width(self, view: &View, look: Look) -> usize {
        let faces = view.squares.iter().map(|square| self.cells.face(square, view, look));
        let faces: Vec<Vec<String>> = faces.collect();
        // Stacks grow and shrink during a game. The form should stay, so two digits are reserved.
        let owners = view.squares.iter().filter_map(|square| square.owner);
        let owner = owners.max().map_or(0, |owner| owner.to_string().len());
        let reserved = match self.cells {
            _ if !is_counted(view) => 1,
            Cells::Whole => owner + 3,
            Cells::Letters => 3,
            Cells::Stacked => owner.max(2),
        };
        let cell = widest(faces.iter().flatten()).max(widest(&view.column_labels)).max(reserved);
        let columns = usize::from(view.columns);
        let squares = if self.is_tight { columns * (cell + 1) + 1 } else { columns * (cell + 2) };
        2 * (widest(&view.row_labels).max(1) + 1) + squares
    }
}

impl Cells {
    /// The lines of text that a row of squares takes.
    fn lines(self) -> usize {
        if self == Cells::Stacked { 2 } else { 1 }
    }

    /// What a square shows, line by line.
    fn face(self, square: &Square, view: &View, look: Look) -> Vec<String> {
        let dot = if look.ascii { "." } else { "·" };
        let count = || {
            let count = square.token.as_ref().and_then(|token| token.count);
            count.map_or(dot.to_owned(), |count| count.to_string())
        };
        match (self, square.owner) {
            (Cells::Letters, Some(owner)) => {
                let letter = letter(owner, view).map_or(String::new(), String::from);
                vec![letter + &count()]
            }
            (Cells::Stacked, Some(owner)) => vec![owner.to_string(), count()],
            (Cells::Stacked, None) => vec![whole(square, dot, look), String::new()],
            _ => vec![whole(square, dot, look)],
        }
    }

    /// What stands around a square.
    fn frame(self, square: &Square, view: &View) -> Option<Frame> {
        match square.mark {
            Some(Mark::Chosen) => Some(Frame::Chosen),
            Some(Mark::Doomed) => Some(Frame::Doomed),
            // A letter is mark enough.
            None if self == Cells::Letters => None,
            None => {
                let players = view.players.as_ref()?;
                players.contains(&square.owner?).then_some(Frame::Player)
            }
        }
    }
}

/// A square in one line.
fn whole(square: &Square, dot: &str, look: Look) -> String {
    match (&square.token, square.ground) {
        (Some(token), _) => match token.symbol {
            Some(symbol) if !look.ascii => symbol.to_string(),
            _ => token.text.clone(),
        },
        (None, Ground::Removed) => " ".to_owned(),
        (None, Ground::Blocked) => "#".to_owned(),
        (None, Ground::Open) => {
            square.owner.map_or(dot.to_owned(), |owner| format!("{owner}:{dot}"))
        }
    }
}

/// Why a square stands out, seen without colour too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Frame {
    Player,
    Doomed,
    Chosen,
}

impl Frame {
    /// What stands before and after the square.
    fn ends(self) -> (char, char) {
        match self {
            Frame::Chosen => ('[', ']'),
            Frame::Doomed => ('\'', '\''),
            Frame::Player => ('|', '|'),
        }
    }

    /// What stands in a column that two squares share: the end of the more important frame.
    fn between(left: Option<Frame>, right: Option<Frame>) -> char {
        match (left, right) {
            (None, None) => ' ',
            (Some(Frame::Chosen), Some(Frame::Chosen)) => '|',
            (left, right) if left >= right => left.map_or(' ', |frame| frame.ends().1),
            (_, right) => right.map_or(' ', |frame| frame.ends().0),
        }
    }
}

/// The letter of a player: `A` is the first of them.
fn letter(seat: Seat, view: &View) -> Option<char> {
    let place = view.players.as_ref()?.iter().position(|player| *player == seat)?;
    ('A'..='Z').chain('a'..='z').nth(place)
}

/// Whether squares have owners and their pieces are counted.
fn is_counted(view: &View) -> bool {
    view.squares.iter().any(|square| {
        square.owner.is_some() && square.token.as_ref().is_none_or(|token| token.count.is_some())
    })
}

fn widest<'a>(texts: impl IntoIterator<Item = &'a String>) -> usize {
    texts.into_iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

fn style_of(square: &Square, view: &View) -> Style {
    let grey = Style::new().fg_color(Some(palette::GREY));
    let seat = square.token.as_ref().and_then(|token| token.seat).or(square.owner);
    let plays = |seat: &Seat| view.players.as_ref().is_none_or(|players| players.contains(seat));
    let style = match seat.filter(plays) {
        Some(seat) => {
            let style = Style::new().fg_color(Some(palette::seat(seat)));
            if square.token.is_some() { style.bold() } else { style }
        }
        None => grey,
    };
    if square.mark == Some(Mark::Chosen) { style.invert() } else { style }
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
        view.explain(Seat(0), "W", '○', "white piece");
        view.panel(None, "turn", 3);
        view.status = "white to move".to_owned();
        view
    }

    #[test]
    fn a_board_is_drawn_with_labels_marks_legend_and_facts() {
        let expected = "
   0  1  2
0  W [.] .  0
1  .  #     1
   0  1  2

W white piece   . empty   [ ] chosen

turn: 3
white to move
";
        let drawn = draw(&small_board(), Look { ascii: true, ..Look::default() });
        assert_eq!(drawn.trim_start(), expected.trim_start(), "\n{drawn}");
        assert!(draw(&small_board(), Look::default()).contains("○ white piece   · empty"));
    }

    #[test]
    fn a_legend_is_wrapped_to_the_window() {
        let look = Look { ascii: true, width: 25, ..Look::default() };
        let drawn = draw(&small_board(), look);
        assert!(drawn.contains("\n\nW white piece   . empty\n[ ] chosen\n\n"), "{drawn}");
    }

    #[test]
    fn colour_only_adds_to_the_picture() {
        let plain = draw(&small_board(), Look::default());
        let coloured = draw(&small_board(), Look { colour: true, ..Look::default() });
        assert!(plain.contains('○') && !plain.contains('\u{1b}'));
        assert!(coloured.contains("\u{1b}["));
    }

    /// A board on which owner `5 * cell` has `cell` pieces on square `cell`.
    fn counted(rows: u16, columns: u16, players: Option<Vec<Seat>>) -> View {
        let mut view = View::board(rows, columns);
        view.players = players;
        for cell in 0..rows * columns {
            let owner = Seat(5 * cell);
            let square = view.square(cell);
            square.owner = Some(owner);
            square.token = (cell > 0).then(|| Token {
                seat: Some(owner),
                text: format!("{owner}:{cell}"),
                symbol: None,
                name: format!("{cell} pieces of owner {owner}"),
                count: Some(u32::from(cell)),
            });
        }
        view
    }

    fn lines(view: &View, width: usize) -> Vec<String> {
        let look = Look { ascii: true, width, ..Look::default() };
        draw(view, look).lines().map(str::to_owned).collect()
    }

    #[test]
    fn players_are_framed_and_the_others_are_grey() {
        let view = counted(2, 2, Some(vec![Seat(0), Seat(10)]));
        assert_eq!(
            lines(&view, 80)[..7],
            [
                "      0     1",
                "0 | 0:.|  5:1  0",
                "1 |10:2| 15:3  1",
                "      0     1",
                "",
                "5:12 12 pieces of owner 5   . no pieces   | | a player's square",
                "",
            ]
        );
        let grey = Style::new().fg_color(Some(palette::GREY));
        let styles: Vec<Style> =
            view.squares.iter().map(|square| style_of(square, &view)).collect();
        assert_eq!([styles[1], styles[3]], [grey; 2]);
        assert!(styles[2].get_effects().contains(anstyle::Effects::BOLD) && styles[2] != grey);
    }

    #[test]
    fn a_board_that_is_too_wide_shares_columns_and_then_names_players_by_letters() {
        let mut view = counted(2, 2, Some(vec![Seat(0), Seat(10)]));
        assert_eq!(lines(&view, 17)[1..3], ["0 | 0:.| 5:1  0", "1 |10:2|15:3  1"]);
        let letters = lines(&view, 14);
        assert_eq!(letters[..4], ["    0   1", "0  A.   1  0", "1  B2   3  1", "    0   1"]);
        assert_eq!(letters[5..8], ["A owner 0", "B owner 10", "12 12 pieces of a zombie"]);
        view.square(0).mark = Some(Mark::Chosen);
        view.square(1).mark = Some(Mark::Chosen);
        view.square(3).mark = Some(Mark::Chosen);
        assert_eq!(lines(&view, 12)[1..3], ["0 [A.| 1] 0", "1  B2[ 3] 1"]);
    }

    #[test]
    fn without_players_owner_and_pieces_stand_below_each_other() {
        let view = counted(2, 2, None);
        let stacked = lines(&view, 12);
        assert_eq!(
            stacked[..6],
            ["    0   1", "0   0   5  0", "    .   1", "1  10  15  1", "    2   3", "    0   1"]
        );
        assert_eq!(stacked[7], "5 owner, and below it the pieces");
    }

    #[test]
    fn a_board_of_fourteen_by_fourteen_fits_into_eighty_columns() {
        for players in [None, Some(vec![]), Some((0..30).map(|seat| Seat(5 * seat)).collect())] {
            for (width, allowed) in [(80, 80), (100, 100), (120, 120), (20, 80)] {
                let view = counted(14, 14, players.clone());
                let widest = lines(&view, width).iter().map(String::len).max().unwrap();
                assert!(
                    widest <= allowed,
                    "{widest} of {width}\n{}",
                    lines(&view, width).join("\n")
                );
            }
        }
    }
}
