//! Boards as pictures: any [`View`] becomes a [`Scene`] of a few plain shapes, and a scene becomes
//! SVG or a frame of a GIF.
//!
//! Nothing is told by colour alone: pieces of different seats differ in shape, lightness or letters.

mod gif;
mod letters;
mod scene;
mod svg;

pub use gif::{Animation, MOST_FRAMES};
pub use scene::{Anchor, Colour, Scene, Shape};
pub use svg::{sheet, svg};

use skirmish_rules::view::{Ground, Mark, Panel, Token};
use skirmish_rules::{Seat, View};

use letters::width_of;
use skirmish_rules::view::Frame;

const PAPER: Colour = Colour(0xfb, 0xf9, 0xf4);
const INK: Colour = Colour(0x2b, 0x2a, 0x30);
const FAINT: Colour = Colour(0x7c, 0x77, 0x6e);
const LIGHT: Colour = Colour(0xf1, 0xe7, 0xd2);
const SHADE: Colour = Colour(0xe4, 0xd5, 0xb7);
const EDGE: Colour = Colour(0xb9, 0xa6, 0x84);
const BLOCKED: Colour = Colour(0x5a, 0x53, 0x4b);
const FLAME: Colour = Colour(0xe8, 0x8b, 0x3a);
const ACCENT: Colour = Colour(0xd1, 0x3f, 0x5f);
const WHITE_PIECE: Colour = Colour(0xff, 0xfd, 0xf6);
const BLACK_PIECE: Colour = Colour(0x2f, 0x2d, 0x38);
const FIRST: Colour = Colour(0xf2, 0xb1, 0x34);
const SECOND: Colour = Colour(0x1d, 0x6f, 0x86);

/// The colours that every picture may have.
const PLAIN: [Colour; 13] = [
    PAPER,
    INK,
    FAINT,
    LIGHT,
    SHADE,
    EDGE,
    BLOCKED,
    FLAME,
    ACCENT,
    WHITE_PIECE,
    BLACK_PIECE,
    FIRST,
    SECOND,
];

/// Around everything.
const MARGIN: f64 = 18.0;
/// Where the labels of rows and columns stand.
const GUTTER: f64 = 22.0;
/// Facts beside the board.
const COLUMN: f64 = 216.0;
const TEXT: f64 = 14.0;
const SMALL: f64 = 11.0;

/// A picture of a frame: the title, the board with the squares of the last turn pointed out, the
/// facts beside it, the turn and what comes next.
pub fn picture(title: &str, frame: &Frame) -> Scene {
    let view = &frame.view;
    let cell = cell_size(view);
    let (width, height) = (f64::from(view.columns) * cell, f64::from(view.rows) * cell);
    let has_panels = !view.panels.is_empty();
    let column = if has_panels { COLUMN } else { 0.0 };

    let board = (MARGIN + GUTTER, MARGIN + 30.0 + GUTTER);
    let right = board.0 + width + GUTTER + 14.0;
    let below = board.1 + height + GUTTER;
    let total = (right + column + MARGIN).max(360.0);
    let lines = wrap(&view.status, TEXT, total - 2.0 * MARGIN);
    let mut scene =
        Scene::new(total, below + 30.0 + 20.0 * lines.len() as f64 + MARGIN - 8.0, PAPER);
    scene.title = format!("{title}, {}", count("turn", frame.turn));
    scene.description = format!("{}. {}", frame.caption, view.status);

    scene.text(title, MARGIN, MARGIN + 14.0, 17.0, true, INK);
    let turn = format!("turn {}", frame.turn);
    scene.shapes.push(Shape::Text {
        text: turn,
        x: total - MARGIN,
        y: MARGIN + 14.0,
        size: TEXT,
        bold: false,
        anchor: Anchor::End,
        fill: FAINT,
    });
    draw_board(&mut scene, view, &frame.changed, board, cell);
    if has_panels {
        draw_panels(&mut scene, &view.panels, right, board.1, below);
    }
    scene.text(&frame.caption, MARGIN, below + 16.0, TEXT, true, ACCENT);
    for (number, line) in lines.iter().enumerate() {
        scene.text(line, MARGIN, below + 38.0 + 20.0 * number as f64, TEXT, false, INK);
    }
    scene
}

/// The board alone, with a line below it: one of many on a sheet.
fn thumbnail(frame: &Frame, cell: f64) -> Scene {
    let view = &frame.view;
    let (width, height) = (f64::from(view.columns) * cell, f64::from(view.rows) * cell);
    let mut scene = Scene::new(width + 2.0, height + 24.0, PAPER);
    draw_squares(&mut scene, view, &frame.changed, (1.0, 1.0), cell);
    let mut caption = format!("{}. {}", frame.turn, frame.caption);
    while width_of(&caption, SMALL) > width && caption.pop().is_some() {}
    scene.text(&caption, 1.0, height + 17.0, SMALL, false, INK);
    scene
}

fn cell_size(view: &View) -> f64 {
    match view.rows.max(view.columns) {
        0..=10 => 46.0,
        11..=14 => 38.0,
        _ => 30.0,
    }
}

fn count(noun: &str, number: usize) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn draw_board(scene: &mut Scene, view: &View, changed: &[u16], board: (f64, f64), cell: f64) {
    let (left, top) = board;
    let (width, height) = (f64::from(view.columns) * cell, f64::from(view.rows) * cell);
    let mut label = |text: &str, x: f64, y: f64| {
        scene.shapes.push(Shape::Text {
            text: text.to_owned(),
            x,
            y: y + 0.36 * SMALL,
            size: SMALL,
            bold: false,
            anchor: Anchor::Middle,
            fill: FAINT,
        });
    };
    for (number, text) in view.column_labels.iter().enumerate() {
        let x = left + (number as f64 + 0.5) * cell;
        label(text, x, top - GUTTER / 2.0);
        label(text, x, top + height + GUTTER / 2.0);
    }
    for (number, text) in view.row_labels.iter().enumerate() {
        let y = top + (number as f64 + 0.5) * cell;
        label(text, left - GUTTER / 2.0, y);
        label(text, left + width + GUTTER / 2.0, y);
    }
    draw_squares(scene, view, changed, board, cell);
}

fn draw_squares(scene: &mut Scene, view: &View, changed: &[u16], board: (f64, f64), cell: f64) {
    let (left, top) = board;
    let columns = usize::from(view.columns).max(1);
    let most = view.squares.iter().filter_map(|square| square.token.as_ref()?.count).max();
    // Where squares have owners, those with facts beside the board are players, the others zombies.
    let is_player = |seat: Seat| view.panels.iter().any(|panel| panel.seat == Some(seat));
    for (number, square) in view.squares.iter().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let (x, y) = (left + column as f64 * cell, top + row as f64 * cell);
        let is_dark = (row + column) % 2 == 1;
        match (square.ground, square.owner) {
            (Ground::Removed, _) => continue,
            (Ground::Blocked, _) => scene.rect(x, y, cell, cell, 0.0, BLOCKED),
            (Ground::Open, Some(owner)) => {
                let share =
                    square.token.as_ref().and_then(|token| token.count).map_or(0.0, |count| {
                        f64::from(count).sqrt() / f64::from(most.unwrap_or(1).max(1)).sqrt()
                    });
                scene.rect(x, y, cell, cell, 0.0, ground_of(owner, is_player(owner), share));
            }
            (Ground::Open, None) => {
                scene.rect(x, y, cell, cell, 0.0, if is_dark { SHADE } else { LIGHT });
            }
        }
        if square.mark == Some(Mark::Doomed) {
            hatch(scene, x, y, cell);
        }
        if let Some(token) = &square.token {
            draw_token(scene, token, x, y, cell);
        }
        if let Some(owner) = square.owner {
            let ink = if is_player(owner) { INK } else { FAINT };
            scene.text(
                &owner.to_string(),
                x + 5.0,
                y + 0.29 * cell,
                0.22 * cell,
                is_player(owner),
                ink,
            );
            if is_player(owner) {
                scene.frame(x + 1.0, y + 1.0, cell - 2.0, player_colour(owner), 2.0);
            }
        }
        if square.mark == Some(Mark::Chosen) {
            scene.frame(x + 1.5, y + 1.5, cell - 3.0, FIRST, 3.0);
        }
        if changed.contains(&(number as u16)) {
            corners(scene, x, y, cell);
        }
    }
    // A board that goes on beyond its edges has a broken one.
    let (width, height) = (f64::from(view.columns) * cell, f64::from(view.rows) * cell);
    scene.shapes.push(Shape::Rect {
        x: left,
        y: top,
        width,
        height,
        radius: 0.0,
        fill: None,
        stroke: Some((EDGE, 2.0)),
        dashed: view.wraps,
    });
}

/// The squares of the last turn: a bracket in each corner.
fn corners(scene: &mut Scene, x: f64, y: f64, cell: f64) {
    let (inset, arm) = (2.5, 0.2 * cell);
    let (low, high) = (inset, cell - inset);
    for (corner_x, corner_y, across, down) in [
        (low, low, arm, arm),
        (high, low, -arm, arm),
        (low, high, arm, -arm),
        (high, high, -arm, -arm),
    ] {
        let (corner_x, corner_y) = (x + corner_x, y + corner_y);
        scene.line(
            &[(corner_x + across, corner_y), (corner_x, corner_y), (corner_x, corner_y + down)],
            ACCENT,
            2.2,
        );
    }
}

fn hatch(scene: &mut Scene, x: f64, y: f64, cell: f64) {
    for part in 1..6 {
        let at = f64::from(part) / 3.0 * cell;
        let (start, end) = (at.min(cell), (at - cell).max(0.0));
        scene.line(&[(x + end, y + start), (x + start, y + end)], EDGE, 1.2);
    }
}

fn draw_token(scene: &mut Scene, token: &Token, x: f64, y: f64, cell: f64) {
    let (middle_x, middle_y) = (x + cell / 2.0, y + cell / 2.0);
    let (fill, line) = match token.seat {
        Some(Seat(0)) => (WHITE_PIECE, INK),
        _ => (BLACK_PIECE, WHITE_PIECE),
    };
    match token.symbol {
        _ if token.count.is_some() => {
            let number = token.count.unwrap_or(0).to_string();
            let size = if number.len() > 2 { 0.36 } else { 0.44 } * cell;
            scene.centred(&number, middle_x, middle_y + 0.08 * cell, size, INK);
        }
        Some('○' | '●') => {
            scene.circle(middle_x, middle_y + 0.03 * cell, 0.36 * cell, EDGE, None);
            scene.circle(middle_x, middle_y, 0.36 * cell, fill, Some((INK, 1.6)));
            scene.ring(middle_x, middle_y, 0.24 * cell, line, 1.2);
        }
        Some('♕' | '♛') => crown(scene, middle_x, middle_y, cell, fill, line),
        Some('■') => star(scene, middle_x, middle_y, 0.34 * cell),
        Some('✕') => {
            let reach = 0.22 * cell;
            for side in [-1.0, 1.0] {
                let (a, b) = (
                    (middle_x - reach, middle_y - side * reach),
                    (middle_x + reach, middle_y + side * reach),
                );
                scene.line(&[a, b], SHADE, 3.0);
            }
        }
        _ => lettered(scene, token, middle_x, middle_y, cell),
    }
}

/// A piece that is told by its letters: round for the first seat, square for the second.
fn lettered(scene: &mut Scene, token: &Token, x: f64, y: f64, cell: f64) {
    let size = (0.30 * cell).min(1.5 * cell / token.text.chars().count().max(1) as f64 * 0.55);
    if token.seat == Some(Seat(0)) {
        scene.circle(x, y, 0.42 * cell, FIRST, Some((INK, 1.6)));
        scene.centred(&token.text, x, y, size, INK);
    } else {
        let side = 0.76 * cell;
        scene.rect(x - side / 2.0, y - side / 2.0, side, side, 5.0, SECOND);
        scene.frame(x - side / 2.0, y - side / 2.0, side, INK, 1.6);
        scene.centred(&token.text, x, y, size, WHITE_PIECE);
    }
}

fn crown(scene: &mut Scene, x: f64, y: f64, cell: f64, fill: Colour, line: Colour) {
    let at = |across: f64, down: f64| (x + across * cell, y + down * cell);
    let points = [
        at(-0.26, 0.28),
        at(-0.33, -0.16),
        at(-0.17, 0.06),
        at(-0.14, -0.28),
        at(0.0, 0.02),
        at(0.14, -0.28),
        at(0.17, 0.06),
        at(0.33, -0.16),
        at(0.26, 0.28),
    ];
    scene.polygon(&points, fill, Some((INK, 1.8)));
    for (across, down) in [(-0.33, -0.18), (-0.14, -0.30), (0.14, -0.30), (0.33, -0.18)] {
        let (x, y) = at(across, down);
        scene.circle(x, y, 0.055 * cell, fill, Some((INK, 1.4)));
    }
    scene.line(&[at(-0.22, 0.19), at(0.22, 0.19)], line, 1.6);
}

/// Where an arrow burns.
fn star(scene: &mut Scene, x: f64, y: f64, reach: f64) {
    let points: Vec<(f64, f64)> = (0..12)
        .map(|point| {
            let angle = f64::from(point) * std::f64::consts::PI / 6.0;
            let reach = if point % 2 == 0 { reach } else { 0.45 * reach };
            (x + reach * angle.sin(), y - reach * angle.cos())
        })
        .collect();
    scene.polygon(&points, FLAME, None);
    scene.circle(x, y, 0.24 * reach, PAPER, None);
}

/// The colour of an owner that is a player: neighbours in number are far apart in hue.
fn player_colour(owner: Seat) -> Colour {
    Colour::hue(f64::from(owner.0) * 137.508 + 20.0, 0.72, 0.46)
}

/// The ground of an owner, the stronger the more pieces stand there.
fn ground_of(owner: Seat, is_player: bool, share: f64) -> Colour {
    let hue = f64::from(owner.0) * 137.508 + 20.0;
    // In a few steps: a GIF has few colours.
    let share = (6.0 * share).ceil() / 6.0;
    if is_player {
        Colour::hue(hue, 0.75, 0.90 - 0.34 * share)
    } else {
        Colour::hue(hue, 0.16, 0.94 - 0.20 * share)
    }
}

fn draw_panels(scene: &mut Scene, panels: &[Panel], x: f64, top: f64, bottom: f64) {
    let mut y = top + 4.0;
    for (number, panel) in panels.iter().enumerate() {
        let lines = wrap(&panel.value, TEXT, COLUMN);
        let height = 20.0 + 18.0 * lines.len() as f64;
        if y + height > bottom && number > 0 {
            let more = format!("and {} more", panels.len() - number);
            scene.text(&more, x, y + 10.0, SMALL, false, FAINT);
            return;
        }
        let is_owner =
            panel.seat.is_some_and(|seat| seat.0 > 1) || panel.label.starts_with("owner");
        if let (Some(seat), true) = (panel.seat, is_owner) {
            scene.rect(x, y, 10.0, 10.0, 2.0, player_colour(seat));
            scene.text(&panel.label, x + 15.0, y + 9.0, SMALL, false, FAINT);
        } else {
            scene.text(&panel.label, x, y + 9.0, SMALL, false, FAINT);
        }
        for (line, text) in lines.iter().enumerate() {
            scene.text(text, x, y + 25.0 + 18.0 * line as f64, TEXT, true, INK);
        }
        y += height + 6.0;
    }
}

/// Breaks text into lines of at most this width.
fn wrap(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.is_empty() { vec![String::new()] } else { lines }
}
