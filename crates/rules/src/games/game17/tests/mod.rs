//! The rules of Game 17 as examples and laws.
//!
//! Boards are drawn as in the rules: `a3` is a square of owner `a` (number 0) with three pieces.

mod laws;
mod openings;
mod texts;
mod turns;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Action, Direction, Family, Game17, Order, Position, RawOrder};
use crate::error::{ErrorKind, Result};
use crate::game::{Notation, Rules, Seat, Show, Turn};
use crate::perft::Turns;
use crate::playout::{Choice, Playout, playout_by_turns};
use crate::random::Random;
use crate::registry::{Entry, Family as _, Visitor};
use crate::setup::{Options, Setup};
use crate::view::Mark;

/// A drawn position in round 0 of a game of 50 rounds. The turn order is alphabetical and begins
/// with `mover`.
fn draw(mover: char, drawing: &str) -> (Game17, Position) {
    draw_in_round(0, mover, drawing)
}

fn draw_in_round(round: u32, mover: char, drawing: &str) -> (Game17, Position) {
    let squares: Vec<&str> = drawing.split_whitespace().collect();
    let cells = squares.len() as u16;
    let game = Game17::new(cells.isqrt(), 50, &[]);
    let owners: Vec<u16> =
        squares.iter().map(|square| owner(square.chars().next().unwrap())).collect();
    let numbers: Vec<u16> = squares.iter().map(|square| square[1..].parse().unwrap()).collect();
    let turn_order: Vec<u16> = (0..cells).map(|place| (owner(mover) + place) % cells).collect();
    let position = game.arrange(&owners, &numbers, &turn_order, round, Some(0)).unwrap();
    (game, position)
}

fn owner(letter: char) -> u16 {
    letter as u16 - 'a' as u16
}

/// Plays a whole turn with these rolls, which must be just enough.
fn play(game: &Game17, position: &Position, turn: &str, rolls: &[u16]) -> Result<Position> {
    let mut position = position.clone();
    for action in game.read_turn(&position, turn)? {
        assert!(game.is_legal(&position, action), "{}", game.objection(&position, action));
        game.play(&mut position, action);
    }
    for roll in rolls {
        assert_eq!(game.turn(&position), Turn::Chance { sides: 2 });
        game.settle(&mut position, *roll);
    }
    assert!(!game.mid_turn(&position), "more tosses are due");
    Ok(position)
}

/// The drawing of a board, with single spaces.
fn drawing(position: &Position) -> String {
    let squares = position.owners().iter().zip(position.numbers());
    let drawn = squares.map(|(owner, number)| format!("{}{number}", (b'a' + *owner as u8) as char));
    drawn.collect::<Vec<_>>().join(" ")
}

/// Checks that `turn` by `a` leads from one drawing to the other.
#[track_caller]
fn leads(before: &str, turn: &str, rolls: &[u16], after: &str) {
    let (game, position) = draw('a', before);
    let position = play(&game, &position, turn, rolls).unwrap();
    let expected = after.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(drawing(&position), expected, "{turn}");
}

/// Checks that `turn` by `a` is refused for this reason.
#[track_caller]
fn refused(before: &str, turn: &str, reason: &str) {
    let (game, position) = draw('a', before);
    let error = play(&game, &position, turn, &[]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Illegal);
    assert_eq!(error.message, format!("illegal turn `{turn}` for owner 0: {reason}"));
}

fn pieces_on(position: &Position) -> u32 {
    position.numbers().iter().map(|number| u32::from(*number)).sum()
}

// What an order does
