//! Text for Amazons: squares like `d7`, turns like `d1-d7/g7`, positions in the manner of FEN.
//!
//! `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w`: rows from the top, digits for runs of empty squares
//! (two digits allowed), `Q` an amazon of the first player (white), `q` of the second, `*` an
//! arrow; then the side to move. Inside a turn the steps chosen so far follow: `… w d1-d7/`.

use std::fmt::Write as _;

use crate::cells::Cells;
use crate::error::{Error, Result, quote};
use crate::game::{Notation, Rules, Seat};

use super::LONGEST_SIDE;
use super::position::{Amazons, Cell, Position, Stage};

const EXAMPLE: &str = "a position reads like `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w`";

/// Columns and rows of the board a position's text describes.
pub(super) fn board_size(text: &str) -> Result<(u16, u16)> {
    let board = text.split_whitespace().next().unwrap_or("");
    if board.is_empty() {
        return Err(Error::position("the position is empty").hint(EXAMPLE));
    }
    let height = board.split('/').take(usize::from(LONGEST_SIDE) + 1).count();
    let first = board.split('/').next().unwrap_or("");
    let width = row_pieces(first, 1)?.len();
    for (name, side) in [("rows", height), ("columns", width)] {
        if !(2..=usize::from(LONGEST_SIDE)).contains(&side) {
            let found = if side > usize::from(LONGEST_SIDE) { "too many" } else { "too few" };
            return Err(Error::position(format!("the board has {found} {name}"))
                .hint(format!("2 to {LONGEST_SIDE} are possible; {EXAMPLE}")));
        }
    }
    Ok((width as u16, height as u16))
}

/// The squares of one row: `None` where empty.
fn row_pieces(row: &str, number: usize) -> Result<Vec<Option<char>>> {
    let mut pieces = Vec::new();
    let mut characters = row.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            'Q' | 'q' | '*' => pieces.push(Some(character)),
            '0'..='9' => {
                let mut run = character.to_digit(10).unwrap_or(0) as usize;
                if let Some(digit) = characters.peek().and_then(|next| next.to_digit(10)) {
                    run = 10 * run + digit as usize;
                    characters.next();
                }
                if run == 0 {
                    return Err(Error::position(format!(
                        "row {number} from the top, {}, has a run of 0 empty squares",
                        quote(row)
                    )));
                }
                pieces.extend(std::iter::repeat_n(None, run));
            }
            other => {
                return Err(Error::position(format!(
                    "row {number} from the top, {}, has the unknown sign {}",
                    quote(row),
                    quote(&other.to_string())
                ))
                .hint("rows are made of `Q`, `q`, `*` and numbers of empty squares"));
            }
        }
        if pieces.len() > usize::from(LONGEST_SIDE) {
            break; // Too wide already, however long the line goes on.
        }
    }
    Ok(pieces)
}

impl<C: Cells> Amazons<C> {
    /// The name of a cell: file letter and rank, counted from the bottom.
    pub fn cell_name(&self, cell: u16) -> String {
        let (row, column) = (cell / self.width, cell % self.width);
        format!("{}{}", char::from(b'a' + column as u8), self.height - row)
    }

    /// Reads the squares of a typed turn, whatever stands between them.
    fn read_cells(&self, text: &str) -> Result<Vec<u16>> {
        let shape = || "a turn reads like `d1-d7/g7`: amazon, square, arrow".to_owned();
        let mut cells = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let file = first.to_ascii_lowercase();
            if !file.is_ascii_lowercase() {
                return Err(Error::unreadable(format!("cannot read the turn {}", quote(text)))
                    .hint(shape()));
            }
            let after = &rest[1..];
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let name = &rest[..1 + digits];
            let column = u16::from(file as u8 - b'a');
            let rank = after[..digits].parse::<u16>().unwrap_or(0);
            if column >= self.width || rank == 0 || rank > self.height {
                let last = self.cell_name(self.width - 1);
                return Err(Error::unreadable(format!(
                    "{} in {} is not a square of this board",
                    quote(name),
                    quote(text)
                ))
                .hint(format!("squares go from `a1` to `{last}`; {}", shape())));
            }
            cells.push((self.height - rank) * self.width + column);
            if cells.len() > 4 {
                return Err(Error::unreadable(format!("{} has too many squares", quote(text)))
                    .hint(shape()));
            }
            rest = after[digits..].trim_start_matches(|c: char| " \t-/,()>".contains(c));
        }
        // `d1d7,d7g7` names the square the arrow flies from again.
        if let [_, to, again, _] = cells[..] {
            if to != again {
                return Err(Error::unreadable(format!("{} has too many squares", quote(text)))
                    .hint(shape()));
            }
            cells.remove(2);
        }
        if cells.is_empty() {
            return Err(Error::unreadable("the turn is empty").hint(shape()));
        }
        Ok(cells)
    }

    /// The rest of the turn as cells: a text that repeats what has been chosen is understood too.
    fn read_rest(&self, position: &Position<C>, text: &str) -> Result<Vec<u16>> {
        let mut cells = self.read_cells(text)?;
        let chosen = match position.stage {
            Stage::Choose => vec![],
            Stage::Move { from } => vec![from],
            Stage::Shoot { from, to } => vec![from, to],
        };
        if cells.len() == 3 && cells.starts_with(&chosen) {
            cells.drain(..chosen.len());
        }
        Ok(cells)
    }

    fn side_name(side: usize) -> &'static str {
        ["white", "black"][side]
    }
}

impl<C: Cells> Notation for Amazons<C> {
    fn write_position(&self, position: &Position<C>) -> String {
        let mut board = *position;
        let mut steps = String::new();
        // Inside a turn the text shows the board before the turn, then the steps.
        match position.stage {
            Stage::Choose => {}
            Stage::Move { from } => write!(steps, " {}-", self.cell_name(from)).unwrap_or(()),
            Stage::Shoot { from, to } => {
                let side = &mut board.sides[usize::from(position.mover)];
                side.remove(to);
                side.insert(from);
                steps = format!(" {}-{}/", self.cell_name(from), self.cell_name(to));
            }
        }
        let mut text = String::new();
        for row in 0..self.height {
            if row > 0 {
                text.push('/');
            }
            let mut run = 0;
            for cell in row * self.width..(row + 1) * self.width {
                let piece = if board.sides[0].contains(cell) {
                    'Q'
                } else if board.sides[1].contains(cell) {
                    'q'
                } else if board.arrows.contains(cell) {
                    '*'
                } else {
                    run += 1;
                    continue;
                };
                if run > 0 {
                    text.push_str(&run.to_string());
                    run = 0;
                }
                text.push(piece);
            }
            if run > 0 {
                text.push_str(&run.to_string());
            }
        }
        text.push_str([" w", " b"][position.mover()]);
        text + &steps
    }

    fn read_position(&self, text: &str) -> Result<Position<C>> {
        let mut words = text.split_whitespace();
        let board = words.next().unwrap_or("");
        let rows = board.split('/').count();
        if rows != usize::from(self.height) {
            let message = format!("the board has {rows} rows where {} belong", self.height);
            return Err(Error::position(message).hint(EXAMPLE));
        }
        let mut sides = [C::default(); 2];
        let mut arrows = C::default();
        for (number, row) in board.split('/').enumerate() {
            let pieces = row_pieces(row, number + 1)?;
            if pieces.len() != usize::from(self.width) {
                return Err(Error::position(format!(
                    "row {} from the top, {}, has {} squares where {} belong",
                    number + 1,
                    quote(row),
                    if pieces.len() > usize::from(LONGEST_SIDE) {
                        "too many".to_owned()
                    } else {
                        pieces.len().to_string()
                    },
                    self.width
                ))
                .hint(EXAMPLE));
            }
            for (column, piece) in pieces.into_iter().enumerate() {
                let cell = number as u16 * self.width + column as u16;
                match piece {
                    Some('Q') => sides[0].insert(cell),
                    Some('q') => sides[1].insert(cell),
                    Some(_) => arrows.insert(cell),
                    None => {}
                }
            }
        }
        let mover = match words.next() {
            Some("w" | "W") => 0,
            Some("b" | "B") => 1,
            other => {
                let found = other.map_or("nothing".to_owned(), quote);
                return Err(Error::position(format!(
                    "the side to move is {found} where `w` or `b` belongs"
                ))
                .hint(EXAMPLE));
            }
        };
        let mut position = Position { sides, arrows, mover, stage: Stage::Choose };
        let steps = words.collect::<Vec<_>>().join(" ");
        if !steps.is_empty() {
            let cells = self.read_cells(&steps).map_err(as_position)?;
            if cells.len() > 2 {
                return Err(Error::position(format!("the turn {} is complete", quote(&steps)))
                    .hint("a position inside a turn ends like `… w d1-` or `… w d1-d7/`"));
            }
            for cell in cells.into_iter().map(Cell) {
                if !self.is_legal(&position, cell) {
                    let reason = self.objection(&position, cell);
                    return Err(Error::position(format!(
                        "the steps {} are illegal: {reason}",
                        quote(&steps)
                    )));
                }
                self.play(&mut position, cell);
            }
        }
        Ok(position)
    }

    fn write_action(&self, position: &Position<C>, action: Cell, out: &mut String) {
        out.push_str(&self.cell_name(action.0));
        match position.stage {
            Stage::Choose => out.push('-'),
            Stage::Move { .. } => out.push('/'),
            Stage::Shoot { .. } => {}
        }
    }

    fn read_turn(&self, position: &Position<C>, text: &str) -> Result<Vec<Cell>> {
        Ok(self.read_rest(position, text)?.into_iter().map(Cell).collect())
    }

    fn objection(&self, position: &Position<C>, action: Cell) -> String {
        let name = |cell| self.cell_name(cell);
        let Cell(cell) = action;
        let (stand, traveller) = match position.stage {
            Stage::Choose => {
                let side = Self::side_name(position.mover());
                return if position.sides[position.mover()].contains(cell) {
                    format!("the amazon on `{}` cannot move", name(cell))
                } else {
                    format!("no amazon of {side} stands on `{}`", name(cell))
                };
            }
            Stage::Move { from } => (from, "amazon"),
            Stage::Shoot { to, .. } => (to, "arrow"),
        };
        let (width, blocked) = (self.width, position.blocked());
        let rows = (cell / width).cast_signed() - (stand / width).cast_signed();
        let columns = (cell % width).cast_signed() - (stand % width).cast_signed();
        if cell == stand || (rows != 0 && columns != 0 && rows.abs() != columns.abs()) {
            return format!("`{}` is not in line with `{}`", name(cell), name(stand));
        }
        let step = rows.signum() * width.cast_signed() + columns.signum();
        let mut passed = stand.wrapping_add_signed(step);
        while passed != cell && !blocked.contains(passed) {
            passed = passed.wrapping_add_signed(step);
        }
        if passed == cell {
            format!("the {traveller} cannot land on `{}`, which is occupied", name(cell))
        } else {
            format!("the {traveller} cannot pass `{}`", name(passed))
        }
    }

    fn seat_name(&self, seat: Seat) -> String {
        Self::side_name(seat.index()).to_owned()
    }
}

fn as_position(mut error: Error) -> Error {
    error.kind = crate::error::ErrorKind::Position;
    error
}
