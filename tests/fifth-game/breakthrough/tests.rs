//! The laws, and a drawn example for each ruling.

use crate::game::{Notation, Rules, Seat, Turn};
use crate::laws;
use crate::perft::Turns;
use crate::registry::Games;
use crate::setup::Options;

use super::position::Breakthrough;

#[test]
fn breakthrough_obeys_the_laws() {
    for size in ["2x4", "3x5", "5x6", "8x8"] {
        laws::check::<Games>("breakthrough", &Options::none().with("size", size), 0..10);
    }
}

#[test]
fn turns_are_those_counted_by_hand() {
    // Eight pieces in front with three moves each, less one at each edge; the sides are too far apart
    // to meet within two turns.
    let large = Breakthrough::new(8, 8);
    assert_eq!([1, 2].map(|depth| large.perft(&large.start(), depth)), [22, 22 * 22]);
    // bb/bb/ww/ww: `a2xb3` and `b2xa3`; then `a4xb3`, `a3-a2`, `a3xb2`, and the same mirrored.
    let small = Breakthrough::new(2, 4);
    assert_eq!([1, 2].map(|depth| small.perft(&small.start(), depth)), [2, 6]);
}

/// The moves from a position, as text.
fn moves(game: Breakthrough, position: &str) -> Vec<String> {
    let position = game.read_position(position).unwrap();
    let mut actions = Vec::new();
    game.actions(&position, &mut actions);
    let text = |action| {
        let mut text = String::new();
        game.write_action(&position, action, &mut text);
        text
    };
    actions.into_iter().map(text).collect()
}

#[test]
fn pieces_capture_diagonally_and_not_straight_ahead() {
    let game = Breakthrough::new(3, 4);
    assert_eq!(moves(game, "3/bbb/1w1/3 w"), ["b2xa3", "b2xc3"]);
    assert_eq!(moves(game, "3/1b1/1w1/3 w"), ["b2-a3", "b2-c3"]);
}

#[test]
fn a_piece_that_has_crossed_the_board_wins() {
    let game = Breakthrough::new(3, 4);
    let position = game.read_position("w2/3/1b1/3 b").unwrap();
    assert_eq!(game.turn(&position), Turn::Over);
    assert_eq!([0, 1].map(|seat| game.payoff(&position, Seat(seat))), [1.0, -1.0]);
}

#[test]
fn whoever_captures_the_last_piece_wins() {
    let game = Breakthrough::new(3, 4);
    let mut position = game.read_position("3/1b1/w2/3 w").unwrap();
    let turn = game.read_turn(&position, "A2 x B3").unwrap();
    game.play(&mut position, turn[0]);
    assert_eq!(game.payoff(&position, Seat(0)), 1.0);
}
