//! Turns and positions as text.
//!
//! A turn is its orders, `3,4:n2 3,4:e1 5,6:s4`, or `-`. A position is one line of four parts:
//! squares `owner:pieces` with `,` within a row and `/` between rows, the turn order, the round,
//! and the mover's place in the turn order or `over`. Inside a turn the orders so far follow, and
//! once the turn is ended ` .` and the tosses so far:
//!
//! ```text
//! 0:8,3:4/1:4,2:4 0,3,2,1 0 0
//! 0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 0,0:e4
//! 0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 0,0:e4 . 1
//! ```

use std::fmt::{self, Write};

use super::position::{Action, Direction, Game17, MOST_SIZE, Order, Position, RawOrder};
use crate::error::{Error, ErrorKind, Result, quote};
use crate::game::{Notation, Rules, Seat, Turn};

const POSITION_HINT: &str =
    "a position is `SQUARES TURN-ORDER ROUND PLACE`, as in `0:4,3:4/1:4,2:4 0,3,2,1 0 0`";
const ORDER_HINT: &str =
    "an order is `row,column:`, one of n s e w and a count, as in `3,4:n2`; `-` is no order at all";

impl Notation for Game17 {
    fn write_position(&self, position: &Position) -> String {
        position.to_string()
    }

    fn read_position(&self, text: &str) -> Result<Position> {
        read_position(self, text)
    }

    /// The end of a turn is `-` where no order was chosen, and nothing after orders.
    fn write_action(&self, position: &Position, action: Action, out: &mut String) {
        let follows = !position.orders().is_empty();
        match action {
            Action::End if follows => {}
            Action::End => out.push('-'),
            Action::Order(order) => {
                if follows {
                    out.push(' ');
                }
                write_order(self.size(), order, out).expect("a string takes all text");
            }
        }
    }

    /// The orders in their canonical form, and the end of the turn.
    ///
    /// Orders are checked as given, since what merging hides (a count of 0 on another owner's
    /// square) spoils a turn too. Inside a turn, no text, `-` and `.` all mean no further order.
    fn read_turn(&self, position: &Position, text: &str) -> Result<Vec<Action>> {
        let Turn::Player(seat) = self.turn(position) else {
            return Err(Error::new(ErrorKind::NotAPlayersTurn, "no player is to move"));
        };
        let trimmed = text.trim();
        let begun = !position.orders().is_empty();
        let nothing = match trimmed {
            "-" => true,
            "" | "." => begun,
            word => word.eq_ignore_ascii_case("none"),
        };
        if trimmed.is_empty() && !nothing {
            return Err(Error::unreadable("the turn is empty").hint(ORDER_HINT));
        }
        let raw = if nothing { Vec::new() } else { read_orders(trimmed)? };
        let orders = self.check_orders(position, &raw).map_err(|error| {
            error.within(format!("illegal turn {} for {}", quote(trimmed), self.seat_name(seat)))
        })?;
        let orders = orders.into_iter().map(Action::Order);
        Ok(orders.chain([Action::End]).collect())
    }

    fn objection(&self, position: &Position, action: Action) -> String {
        let (Turn::Player(Seat(mover)), Action::Order(order)) = (self.turn(position), action)
        else {
            return "no player is to move".to_owned();
        };
        let mut text = String::new();
        write_order(self.size(), order, &mut text).expect("a string takes all text");
        let Some(owner) = position.owners().get(usize::from(order.cell)) else {
            return format!("order `{text}` names no square of the board");
        };
        if *owner != mover {
            return format!("order `{text}` is for a square of owner {owner}");
        }
        if order.count == 0 {
            return format!("order `{text}` sends nothing");
        }
        let last = position.orders().last();
        if last.is_some_and(|last| (last.cell, last.direction) >= (order.cell, order.direction)) {
            return format!(
                "order `{text}` comes too late: orders ascend by row, column and n s e w"
            );
        }
        format!("order `{text}` sends more pieces than are left on its square")
    }

    fn seat_name(&self, seat: Seat) -> String {
        format!("owner {seat}")
    }
}

impl fmt::Display for Position {
    /// The text of the position, which needs nothing that only the rules know.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = usize::from(self.size());
        for (cell, (owner, number)) in self.owners().iter().zip(self.numbers()).enumerate() {
            if cell > 0 {
                f.write_char(if cell % size == 0 { '/' } else { ',' })?;
            }
            write!(f, "{owner}:{number}")?;
        }
        for (index, owner) in self.turn_order().iter().enumerate() {
            f.write_char(if index == 0 { ' ' } else { ',' })?;
            write!(f, "{owner}")?;
        }
        write!(f, " {} ", self.round())?;
        match self.place() {
            Some(place) => write!(f, "{place}")?,
            None => f.write_str("over")?,
        }
        for order in self.orders() {
            f.write_char(' ')?;
            write_order(self.size(), *order, f)?;
        }
        if self.is_tossing() {
            f.write_str(" .")?;
        }
        for (index, toss) in self.tosses().iter().enumerate() {
            f.write_str(if index == 0 { " " } else { "" })?;
            f.write_char(if *toss { '1' } else { '0' })?;
        }
        Ok(())
    }
}

fn write_order(size: u16, order: Order, out: &mut impl Write) -> fmt::Result {
    let (row, column) = (order.cell / size, order.cell % size);
    write!(out, "{row},{column}:{}{}", order.direction.letter(), order.count)
}

/// The size of the board a position's text describes: its number of rows.
pub(super) fn size_of(text: &str) -> Result<u16> {
    let board = text.split_whitespace().next().unwrap_or_default();
    // Counted no further than it matters: the text may be anything.
    let rows = board.split('/').take(usize::from(MOST_SIZE) + 1).count() as u16;
    if rows > MOST_SIZE {
        let message = format!("the position has more than {MOST_SIZE} rows");
        return Err(Error::position(message).hint(POSITION_HINT));
    }
    Ok(rows)
}

fn read_position(game: &Game17, text: &str) -> Result<Position> {
    // 1. The four parts every position has.
    let mut rest = text;
    let mut part = |what: &str| -> Result<&str> {
        rest = rest.trim_start();
        let (part, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        rest = after;
        if part.is_empty() {
            let message = format!("the position has no {what}");
            return Err(Error::position(message).hint(POSITION_HINT));
        }
        Ok(part)
    };
    let board = part("squares")?;
    let turn_order = part("turn order")?;
    let round = part("round")?;
    let place = part("place in the turn order")?;

    let (owners, numbers) = read_board(game.size(), board)?;
    let turn_order = turn_order
        .split(',')
        .take(owners.len() + 1)
        .map(|owner| whole(owner, "owner in the turn order"))
        .collect::<Result<Vec<u16>>>()?;
    let round = whole(round, "round")?;
    let place = match place {
        "over" => None,
        place => Some(whole(place, "place in the turn order")?),
    };
    let mut position = game.arrange(&owners, &numbers, &turn_order, round, place)?;

    // 2. What was chosen and tossed inside a turn.
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(position);
    }
    if place.is_none() {
        let message = format!("a game that is over has no orders, but {} follows", quote(rest));
        return Err(Error::position(message));
    }
    let (orders, tosses) = match rest.split_once('.') {
        Some((orders, tosses)) => (orders, Some(tosses)),
        None => (rest, None),
    };
    let as_position = |error: Error| Error { kind: ErrorKind::Position, ..error };
    let raw = read_orders(orders).map_err(as_position)?;
    for order in game.check_orders(&position, &raw).map_err(as_position)? {
        game.play(&mut position, Action::Order(order));
    }
    let Some(tosses) = tosses else { return Ok(position) };
    let mut tossing = position.clone();
    game.play(&mut tossing, Action::End);
    if !tossing.is_tossing() {
        return Err(Error::position("no square is tied, so the turn cannot wait for a toss")
            .hint("between turns the text ends with the place in the turn order"));
    }
    for toss in tosses.chars().filter(|toss| !toss.is_whitespace()) {
        let roll = match toss {
            '0' => 0,
            '1' => 1,
            _ => {
                let message = format!("a toss is `0` or `1`, not {}", quote(&toss.to_string()));
                return Err(Error::position(message));
            }
        };
        game.settle(&mut tossing, roll);
        if !tossing.is_tossing() {
            return Err(Error::position("all tosses are settled, so the turn is over")
                .hint("write the board after the turn"));
        }
    }
    Ok(tossing)
}

/// Reads the squares, row by row.
fn read_board(size: u16, text: &str) -> Result<(Vec<u16>, Vec<u16>)> {
    let (mut owners, mut numbers) = (Vec::new(), Vec::new());
    let most = usize::from(size);
    let rows = text.split('/').take(most + 1).count();
    if rows != most {
        let some = if rows > most { "more".to_owned() } else { rows.to_string() };
        let message = format!("the position has {some} rows, but the board has {size}");
        return Err(Error::position(message).hint(POSITION_HINT));
    }
    for (row, line) in text.split('/').enumerate() {
        let columns = line.split(',').take(most + 1).count();
        if columns != most {
            let some = if columns > most { "more".to_owned() } else { columns.to_string() };
            return Err(Error::position(format!(
                "row {row} of the position has {some} squares, but the board has {size} columns"
            ))
            .hint(POSITION_HINT));
        }
        for square in line.split(',') {
            let Some((owner, number)) = square.split_once(':') else {
                let message = format!("cannot read the square {} in row {row}", quote(square));
                return Err(Error::position(message).hint("a square is `owner:pieces`"));
            };
            owners.push(whole(owner, "owner")?);
            numbers.push(whole(number, "number of pieces")?);
        }
    }
    Ok((owners, numbers))
}

/// A whole number of a position: digits and nothing else.
fn whole<N: std::str::FromStr>(text: &str, what: &str) -> Result<N> {
    // The library would accept a plus sign.
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| Error::position(format!("{} is no {what}", quote(text))).hint(POSITION_HINT))
}

/// Reads orders as people type them: any case, spaces anywhere between the parts, directions in
/// full, commas or semicolons between orders, the colon left out.
fn read_orders(text: &str) -> Result<Vec<RawOrder>> {
    let mut orders = Vec::new();
    let mut reader = Reader { rest: text };
    loop {
        reader.skip(&[]);
        let start = reader.rest;
        if start.is_empty() {
            return Ok(orders);
        }
        let Some(order) = reader.order() else {
            let word = start.split_whitespace().next().unwrap_or_default();
            return Err(Error::unreadable(format!("cannot read the order {}", quote(word)))
                .hint(ORDER_HINT));
        };
        orders.push(order);
        reader.skip(&[',', ';']);
    }
}

/// What is left to read of a list of orders.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Skips spaces, and one of `marks` among them. Says whether a mark was there.
    fn skip(&mut self, marks: &[char]) -> bool {
        self.rest = self.rest.trim_start();
        let Some(rest) = self.rest.strip_prefix(marks) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn order(&mut self) -> Option<RawOrder> {
        let row = self.number()?;
        if !self.skip(&[',']) {
            return None;
        }
        let column = self.number()?;
        self.skip(&[':']);
        let direction = self.direction()?;
        self.skip(&[]);
        let count = self.number()?;
        Some(RawOrder { row, column, direction, count })
    }

    /// A number with or without a sign: that it must not be negative is for the rules to say.
    fn number(&mut self) -> Option<i64> {
        let (sign, digits) = match self.rest.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, self.rest),
        };
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = digits.split_at(length);
        if digits.is_empty() {
            return None;
        }
        self.rest = rest;
        // Too large to hold is too large to be legal.
        Some(sign * digits.parse().unwrap_or(i64::MAX))
    }

    fn direction(&mut self) -> Option<Direction> {
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        let names = ["north", "south", "east", "west"];
        let found = names.iter().position(|name| {
            word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(&name[..1])
        })?;
        Some(Direction::ALL[found])
    }
}
