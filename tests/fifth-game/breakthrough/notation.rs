//! Text for Breakthrough: a move is `a2-a3`, a capture `a2xb3`, a position its rows from the top and
//! who is to move, `bbbb/bbbb/4/wwww/wwww w`.

use crate::error::{Error, Result, quote};
use crate::game::{Notation, Seat};

use super::position::{Action, Breakthrough, Position};

const SIDES: [&str; 2] = ["white", "black"];
const SIGNS: [char; 2] = ['w', 'b'];
const TURN: &str = "a turn reads like `a2-a3`, a capture like `a2xb3`";

impl Breakthrough {
    fn square(&self, cell: u16) -> String {
        let (row, column) = (cell / self.columns, cell % self.columns);
        format!("{}{}", char::from(b'a' + column as u8), self.rows - row)
    }

    fn read_square(&self, text: &str) -> Option<u16> {
        let mut signs = text.chars();
        let column = (signs.next()?.to_ascii_lowercase() as u32).checked_sub('a' as u32)? as u16;
        let rank = signs.as_str().parse::<u16>().ok()?;
        let row = self.rows.checked_sub(rank).filter(|row| *row < self.rows)?;
        (column < self.columns).then_some(row * self.columns + column)
    }

    fn read_board(&self, text: &str) -> Option<Position> {
        let (board, mover) = text.trim().split_once(' ')?;
        let mover = SIGNS.iter().position(|sign| mover.trim() == sign.to_string())? as u16;
        let mut pieces = [0_u64; 2];
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != usize::from(self.rows) {
            return None;
        }
        for (row, signs) in (0..).zip(rows) {
            let mut column = 0;
            for sign in signs.chars() {
                match sign.to_digit(10) {
                    Some(empty) => column += empty as u16,
                    None => {
                        let side = SIGNS.iter().position(|known| *known == sign)?;
                        if column >= self.columns {
                            return None;
                        }
                        pieces[side] |= 1 << (row * self.columns + column);
                        column += 1;
                    }
                }
                if column > self.columns {
                    return None;
                }
            }
            if column != self.columns {
                return None;
            }
        }
        Some(Position { pieces, mover })
    }
}

impl Notation for Breakthrough {
    fn write_position(&self, position: &Position) -> String {
        let row = |row: u16| {
            let mut text = String::new();
            let mut empty = 0;
            for cell in row * self.columns..(row + 1) * self.columns {
                match position.pieces.iter().position(|set| set & 1 << cell != 0) {
                    None => empty += 1,
                    Some(side) => {
                        if empty > 0 {
                            text.push_str(&empty.to_string());
                        }
                        empty = 0;
                        text.push(SIGNS[side]);
                    }
                }
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
            }
            text
        };
        let rows: Vec<String> = (0..self.rows).map(row).collect();
        format!("{} {}", rows.join("/"), SIGNS[usize::from(position.mover)])
    }

    fn read_position(&self, text: &str) -> Result<Position> {
        let Breakthrough { columns, rows } = *self;
        let position = self.read_board(text).ok_or_else(|| {
            Error::position(format!("cannot read the position {}", quote(text))).hint(format!(
                "a position is {rows} rows of {columns} squares and who is to move: {}",
                quote(&self.write_position(&self.start()))
            ))
        })?;
        let counts = position.pieces.map(u64::count_ones);
        let most = 2 * u32::from(columns);
        if counts.iter().any(|count| *count > most) {
            return Err(Error::position("a side has too many pieces")
                .hint(format!("each begins with {most}")));
        }
        let has_won = |side: u16| position.pieces[usize::from(side)] & self.goal(side) != 0;
        let has_none = position.pieces[usize::from(1 - position.mover)] == 0;
        if has_won(position.mover) || has_none {
            return Err(Error::position("the game was over before the last turn")
                .hint("who has just moved may have won, not who is to move"));
        }
        Ok(position)
    }

    fn write_action(&self, position: &Position, Action { from, to }: Action, out: &mut String) {
        let theirs = position.pieces[usize::from(1 - position.mover)];
        out.push_str(&self.square(from));
        out.push(if theirs & 1 << to != 0 { 'x' } else { '-' });
        out.push_str(&self.square(to));
    }

    fn read_turn(&self, _: &Position, text: &str) -> Result<Vec<Action>> {
        let compact: String = text.split_whitespace().collect();
        let squares = compact.split_once(['-', 'x', 'X']);
        let action = squares.and_then(|(from, to)| {
            Some(Action { from: self.read_square(from)?, to: self.read_square(to)? })
        });
        let unreadable = || Error::unreadable(format!("cannot read the turn {}", quote(text)));
        action.map(|action| vec![action]).ok_or_else(|| unreadable().hint(TURN))
    }

    fn objection(&self, position: &Position, Action { from, to }: Action) -> String {
        let [mine, theirs] = [position.mover, 1 - position.mover]
            .map(|side| position.pieces[usize::from(side)]);
        let (from_name, to_name) = (self.square(from), self.square(to));
        if mine & 1 << from == 0 {
            let side = SIDES[usize::from(position.mover)];
            return format!("{side} has no piece on `{from_name}`");
        }
        match self.ahead(position.mover, from).find(|(cell, _)| *cell == to) {
            None => format!("`{to_name}` is not one step ahead of `{from_name}`"),
            Some(_) if mine & 1 << to != 0 => format!("`{to_name}` holds a piece of one's own"),
            Some((_, true)) if theirs & 1 << to != 0 => "pieces capture diagonally only".to_owned(),
            Some(_) => "the game is over".to_owned(),
        }
    }

    fn seat_name(&self, seat: Seat) -> String {
        SIDES[seat.index()].to_owned()
    }
}
