//! The rules of Game 17 as examples and laws.
//!
//! Boards are drawn as in the rules: `a3` is a square of owner `a` (number 0) with three pieces.

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

#[test]
fn the_majority_takes_the_square_and_all_pieces_on_it() {
    leads(
        "a4 b2 c1
         c1 c1 c1
         c1 c1 c1",
        "0,0:e3",
        &[],
        "a1 a5 c1
         c1 c1 c1
         c1 c1 c1",
    );
}

#[test]
fn too_few_pieces_are_lost_to_the_owner() {
    leads(
        "a4 b2 c1
         c1 c1 c1
         c1 c1 c1",
        "0,0:e1",
        &[],
        "a3 b3 c1
         c1 c1 c1
         c1 c1 c1",
    );
}

#[test]
fn a_coin_decides_between_equals() {
    let before = "a4 b2 c1
                  c1 c1 c1
                  c1 c1 c1";
    leads(before, "0,0:e2", &[1], "a2 a4 c1 c1 c1 c1 c1 c1 c1");
    leads(before, "0,0:e2", &[0], "a2 b4 c1 c1 c1 c1 c1 c1 c1");
}

#[test]
fn tied_squares_are_settled_in_row_order() {
    let before = "b1 b1 c1
                  b1 a9 c1
                  c1 c1 c1";
    // Orders ascend by square, tosses by the square reached: north, west, east, south.
    let turn = "1,1:n1 1,1:s1 1,1:e1 1,1:w1";
    leads(before, turn, &[1, 0, 0, 0], "b1 a2 c1 b2 a5 c2 c1 c2 c1");
    leads(before, turn, &[0, 1, 0, 0], "b1 b2 c1 a2 a5 c2 c1 c2 c1");
    leads(before, turn, &[0, 0, 1, 0], "b1 b2 c1 b2 a5 a2 c1 c2 c1");
    leads(before, turn, &[0, 0, 0, 1], "b1 b2 c1 b2 a5 c2 c1 a2 c1");
}

#[test]
fn an_empty_square_is_taken_without_a_toss() {
    leads(
        "a4 b0 c1
         c1 c1 c1
         c1 c1 b1",
        "0,0:e1",
        &[],
        "a3 a1 c1
         c1 c1 c1
         c1 c1 b1",
    );
}

#[test]
fn a_vacated_square_keeps_its_owner() {
    leads(
        "a4 b2 c1
         c1 c1 c1
         c1 c1 c1",
        "0,0:e4",
        &[],
        "a0 a6 c1
         c1 c1 c1
         c1 c1 c1",
    );
}

#[test]
fn arrivals_from_several_squares_pool() {
    leads(
        "a2 b3 a2
         c1 c1 c1
         c1 c1 c1",
        "0,0:e2 0,2:w2",
        &[],
        "a0 a7 a0
         c1 c1 c1
         c1 c1 c1",
    );
    leads("a2 b3 a2 c1 c1 c1 c1 c1 c1", "0,0:e1 0,2:w2", &[1], "a1 a6 a0 c1 c1 c1 c1 c1 c1");
}

#[test]
fn pieces_cross_the_edges() {
    leads(
        "a4 c1 c1
         c1 c1 c1
         c1 c1 c1",
        "0,0:n2 0,0:w2",
        &[],
        "a0 c1 a3
         c1 c1 c1
         a3 c1 c1",
    );
}

#[test]
fn pieces_leave_before_any_arrive() {
    // Two stacks of one owner change places; nothing that arrives can be sent on.
    leads(
        "a4 a1 c1
         c1 c1 c1
         c1 c1 c1",
        "0,0:e4 0,1:w1",
        &[],
        "a1 a4 c1
         c1 c1 c1
         c1 c1 c1",
    );
    refused(
        "a4 a1 c1
         c1 c1 c1
         c1 c1 c1",
        "0,0:e4 0,1:w2",
        "order `0,1:w2` finds only 1 piece left on its square",
    );
}

#[test]
fn equal_numbers_on_ones_own_square_need_no_toss() {
    leads("a2 a2 c1 c1 c1 c1 c1 c1 c1", "0,0:e2", &[], "a0 a4 c1 c1 c1 c1 c1 c1 c1");
}

// Which orders are accepted

#[test]
fn a_square_of_somebody_else_cannot_be_ordered_even_to_send_nothing() {
    let before = "a4 b2 c1
                  c1 c1 c1
                  c1 c1 c1";
    refused(before, "0,0:e1 0,1:n0", "order `0,1:n0` is for a square of owner 1");
    refused(before, "0,1:n1", "order `0,1:n1` is for a square of owner 1");
}

#[test]
fn no_more_pieces_leave_than_stand_there() {
    let before = "a4 b2 c1
                  c1 c1 c1
                  c1 c1 c1";
    refused(before, "0,0:e5", "order `0,0:e5` finds only 4 pieces left on its square");
    // Each fits alone; together they do not.
    refused(before, "0,0:s2 0,0:e3", "order `0,0:e3` finds only 2 pieces left on its square");
    refused(before, "0,0:e4 0,0:e1", "order `0,0:e1` finds no piece left on its square");
    refused(
        before,
        "0,0:e99999999999999999999",
        "order `0,0:e9223372036854775807` finds only 4 pieces left on its square",
    );
}

#[test]
fn counts_and_squares_below_zero_are_refused() {
    let before = "a4 b2 c1
                  c1 c1 c1
                  c1 c1 c1";
    refused(before, "0,0:e-1", "order `0,0:e-1` has a count below 0");
    // A negative count does not make room for more.
    refused(before, "0,0:e-3 0,0:s7", "order `0,0:e-3` has a count below 0");
    for turn in ["-1,0:e1", "0,-1:e1", "3,0:e1", "0,3:e1"] {
        refused(before, turn, &format!("order `{turn}` names no square of the 3×3 board"));
    }
}

#[test]
fn a_turn_has_one_canonical_form() {
    let (game, position) = draw('a', "a4 a4 c1 c1 c1 c1 c1 c1 c1");
    let actions = game.read_turn(&position, "0,1:e1 0,1:n1 0,1:n1 0,0:s0").unwrap();
    let order = |cell, direction, count| Action::Order(Order { cell, direction, count });
    let canonical = [order(1, Direction::North, 2), order(1, Direction::East, 1), Action::End];
    assert_eq!(actions, canonical);
    let mut text = String::new();
    let mut after = position.clone();
    for action in actions {
        game.write_action(&after, action, &mut text);
        game.play(&mut after, action);
    }
    assert_eq!(text, "0,1:n2 0,1:e1");
    let raw = RawOrder { row: 0, column: 0, direction: Direction::South, count: 0 };
    assert_eq!(game.check_orders(&position, &[raw, raw]), Ok(Vec::new()));
}

#[test]
fn steps_ascend_and_never_send_a_piece_twice() {
    let (game, mut position) = draw('a', "a2 b1 c1 c1 a1 c1 c1 c1 c1");
    let steps = |position: &Position| -> Vec<String> {
        let mut actions = Vec::new();
        game.actions(position, &mut actions);
        let text = |action| {
            let mut text = String::new();
            game.write_action(position, action, &mut text);
            text
        };
        actions.into_iter().map(text).collect()
    };
    assert_eq!(
        steps(&position).join(" "),
        "- 0,0:n1 0,0:n2 0,0:s1 0,0:s2 0,0:e1 0,0:e2 0,0:w1 0,0:w2 1,1:n1 1,1:s1 1,1:e1 1,1:w1"
    );
    game.play(
        &mut position,
        Action::Order(Order { cell: 0, direction: Direction::South, count: 1 }),
    );
    assert_eq!(
        steps(&position),
        ["", " 0,0:e1", " 0,0:w1", " 1,1:n1", " 1,1:s1", " 1,1:e1", " 1,1:w1"]
    );
    game.play(
        &mut position,
        Action::Order(Order { cell: 4, direction: Direction::West, count: 1 }),
    );
    assert_eq!(steps(&position), [""]);
}

#[test]
fn legal_is_what_is_listed() {
    let game = Game17::new(3, 50, &[]);
    let mut random = Random::seeded(3);
    let mut position = game.start(&mut random);
    while game.turn(&position) != Turn::Over {
        let mut listed = Vec::new();
        game.actions(&position, &mut listed);
        let mut legal = Vec::new();
        for cell in 0..10 {
            for direction in Direction::ALL {
                let orders = (0..40).map(|count| Order { cell, direction, count });
                legal.extend(orders.map(Action::Order));
            }
        }
        legal.retain(|action| game.is_legal(&position, *action));
        legal.insert(0, Action::End);
        assert_eq!(listed, legal);
        // A step or two into a turn, or a whole one.
        let step = listed[random.below(listed.len() as u32) as usize];
        game.play(&mut position, step);
        while let Turn::Chance { .. } = game.turn(&position) {
            game.settle(&mut position, 1);
        }
    }
}

// Whose turn it is, and the end

#[test]
fn owners_without_squares_are_passed_over() {
    let (game, position) = draw('a', "a4 d2 d1 a1 a1 a1 a1 a1 a1");
    let position = play(&game, &position, "-", &[]).unwrap();
    assert_eq!((position.mover(), position.place(), position.round()), (Some(3), Some(3), 0));
    let position = play(&game, &position, "-", &[]).unwrap();
    assert_eq!((position.mover(), position.place(), position.round()), (Some(0), Some(0), 1));
}

#[test]
fn an_owner_without_pieces_still_has_a_turn() {
    let (game, position) = draw('a', "a4 b0 c1 c1 c1 c1 c1 c1 c1");
    let position = play(&game, &position, "-", &[]).unwrap();
    assert_eq!(game.turn(&position), Turn::Player(Seat(1)));
    let mut actions = Vec::new();
    game.actions(&position, &mut actions);
    assert_eq!(actions, [Action::End]);
}

#[test]
fn the_game_ends_at_once_when_one_owner_has_all_pieces() {
    let (game, position) = draw_in_round(7, 'a', "a4 b2 c0 b0 b0 b0 c0 c0 c0");
    let position = play(&game, &position, "0,0:e3", &[]).unwrap();
    assert_eq!(game.turn(&position), Turn::Over);
    assert_eq!(position.round(), 7);
    assert_eq!(game.bound(&position), Some(0));
    let scores: Vec<(u16, u32)> =
        game.scores(&position).into_iter().map(|(seat, squares)| (seat.0, squares)).collect();
    assert_eq!(scores, [(0, 2), (1, 3), (2, 4)]);
    // The most squares win, not the most pieces.
    assert_eq!(
        [0, 1, 2, 3].map(|seat| game.payoff(&position, Seat(seat))),
        [-1.0, -1.0, 1.0, -1.0]
    );
}

#[test]
fn the_mover_may_be_the_one_who_loses_all() {
    let (game, position) = draw('a', "a1 b2 b0 b0 b0 b0 b0 b0 b0");
    let position = play(&game, &position, "0,0:e1", &[]).unwrap();
    assert_eq!(game.turn(&position), Turn::Over);
    assert_eq!(game.payoff(&position, Seat(1)), 1.0);
}

#[test]
fn all_who_tie_for_the_most_squares_win() {
    let (game, position) = draw_in_round(49, 'd', "a1 a1 a1 b1 b1 b0 c1 c1 d1");
    let position = play(&game, &position, "-", &[]).unwrap();
    assert_eq!([0, 1].map(|seat| game.payoff(&position, Seat(seat))), [0.0, 0.0]);
    let position = play(&game, &position, "-", &[]).unwrap();
    let position = play(&game, &position, "-", &[]).unwrap();
    let position = play(&game, &position, "-", &[]).unwrap();
    assert_eq!(game.turn(&position), Turn::Over);
    assert_eq!(position.round(), 50);
    let payoffs = [0, 1, 2, 3, 4].map(|seat| game.payoff(&position, Seat(seat)));
    assert_eq!(payoffs, [1.0, 1.0, -1.0, -1.0, -1.0]);
}

#[test]
fn a_game_without_rounds_is_over_from_the_start() {
    let game = Game17::new(3, 0, &[]);
    let start = game.start(&mut Random::seeded(1));
    assert_eq!(game.turn(&start), Turn::Over);
    assert!((0..9).all(|seat| game.payoff(&start, Seat(seat)) == 1.0));
    assert_eq!(game.read_position(&game.write_position(&start)), Ok(start));
}

// Boards of unusual size

#[test]
fn on_one_square_there_is_one_turn() {
    let game = Game17::new(1, 50, &[]);
    let start = game.start(&mut Random::seeded(1));
    assert_eq!(game.turn(&start), Turn::Player(Seat(0)));
    // Pieces arrive where they left.
    let after = play(&game, &start, "0,0:n1 0,0:e3", &[]).unwrap();
    assert_eq!(after.numbers(), [4]);
    assert_eq!(game.turn(&after), Turn::Over);
    assert_eq!(game.payoff(&after, Seat(0)), 1.0);
    // Four pieces over four directions and staying: 8 choose 4 ways.
    assert_eq!(game.perft(&start, 1), 70);
    assert_eq!(game.perft(&start, 2), 0);
}

#[test]
fn on_two_by_two_opposite_neighbours_are_the_same_square() {
    leads(
        "a4 b3
         c4 d4",
        "0,0:e2 0,0:w2",
        &[],
        "a0 a7
         c4 d4",
    );
    leads(
        "a4 b4
         c4 d4",
        "0,0:n1 0,0:s3",
        &[1],
        "a0 b4
         a8 d4",
    );
    // Of the 70 ways to split, five send all to either neighbour and bring a toss.
    let game = Game17::new(2, 50, &[]);
    assert_eq!(game.perft(&game.start(&mut Random::seeded(1)), 1), 80);
}

#[test]
fn the_first_turn_of_the_usual_game_has_74_outcomes() {
    let game = Game17::new(14, 50, &[]);
    assert_eq!(game.perft(&game.start(&mut Random::seeded(1)), 1), 74);
}

#[test]
fn the_largest_board_seats_400() {
    let game = Game17::new(20, 50, &[0, 399]);
    let mut random = Random::seeded(1);
    let mut position = game.start(&mut random);
    assert_eq!(game.seats(), 400);
    assert!(!game.is_zombie(Seat(399)) && game.is_zombie(Seat(398)));
    let text = game.write_position(&position);
    assert_eq!(game.read_position(&text), Ok(position.clone()));
    assert_eq!(game.bound(&position), Some(20_000));
    let turns = game.playout(&mut position, Choice::Turns, u64::MAX, &mut random);
    assert!((400..20_000).contains(&turns));
    assert_eq!(pieces_on(&position), 1600);
    assert_eq!(game.scores(&position).iter().map(|(_, squares)| squares).sum::<u32>(), 400);
}

// Laws

#[test]
fn pieces_are_never_lost_and_squares_are_always_counted() {
    for size in 1..=6 {
        for choice in [Choice::Turns, Choice::Steps] {
            let game = Game17::new(size, 20, &[]);
            let mut random = Random::stream(17, u64::from(size));
            let mut position = game.start(&mut random);
            let mut bound = game.bound(&position).unwrap();
            while game.turn(&position) != Turn::Over {
                assert_eq!(game.playout(&mut position, choice, 1, &mut random), 1);
                assert_eq!(pieces_on(&position), 4 * u32::from(size * size));
                let mut counted = BTreeMap::new();
                for owner in position.owners() {
                    *counted.entry(Seat(*owner)).or_insert(0) += 1;
                }
                assert_eq!(game.scores(&position), counted.into_iter().collect::<Vec<_>>());
                let left = game.bound(&position).unwrap();
                assert!(left < bound);
                bound = left;
            }
        }
    }
}

#[test]
fn the_fast_way_plays_the_same_game_as_the_slow_one() {
    let mut both_endings = [0; 2];
    for size in (1..=17).chain([20]) {
        for seed in 0..if size < 6 { 60 } else { 6 } {
            let game = Game17::new(size, 50, &[]);
            let mut random = Random::stream(seed, u64::from(size));
            let mut fast = game.start(&mut random);
            let mut slow = fast.clone();
            let mut slow_random = random.clone();
            // Stopped now and then, and for single turns, to start from everywhere.
            for most in [0, 1, 1, 17, 100, u64::MAX, 5] {
                let turns = game.playout(&mut fast, Choice::Turns, most, &mut random);
                let expected =
                    playout_by_turns(&game, &mut slow, Choice::Turns, most, &mut slow_random);
                assert_eq!((turns, &fast), (expected, &slow), "size {size}, seed {seed}");
                assert_eq!(random, slow_random);
            }
            assert_eq!(game.turn(&fast), Turn::Over);
            both_endings[usize::from(fast.round() == 50)] += 1;
        }
    }
    assert!(both_endings.iter().all(|games| *games > 50), "{both_endings:?}");
}

#[test]
fn a_playout_goes_on_from_inside_a_turn() {
    let game = Game17::new(4, 50, &[]);
    for seed in 0..20 {
        let mut random = Random::seeded(seed);
        let mut fast = game.start(&mut random);
        game.playout(&mut fast, Choice::Turns, 20, &mut random);
        let mut actions = Vec::new();
        game.actions(&fast, &mut actions);
        game.play(&mut fast, *actions.last().unwrap());
        let (mut slow, mut slow_random) = (fast.clone(), random.clone());
        let turns = game.playout(&mut fast, Choice::Turns, 30, &mut random);
        assert_eq!(turns, playout_by_turns(&game, &mut slow, Choice::Turns, 30, &mut slow_random));
        assert_eq!(fast, slow);
    }
}

#[test]
fn a_last_army_read_from_text_ends_the_game_after_one_turn_in_both_ways() {
    let (game, position) = draw('b', "a4 b0 c0 a1 a1 a1 a1 a1 a1");
    let (mut fast, mut slow) = (position.clone(), position);
    let mut random = Random::seeded(1);
    assert_eq!(game.playout(&mut fast, Choice::Turns, 9, &mut random), 1);
    assert_eq!(playout_by_turns(&game, &mut slow, Choice::Turns, 9, &mut random), 1);
    assert_eq!(fast, slow);
    assert_eq!(game.turn(&fast), Turn::Over);
}

#[test]
fn a_zombie_sends_each_piece_to_a_uniformly_random_side() {
    // Far from anybody else's squares, for stacks below, at and above the pieces one word serves.
    let mut random = Random::seeded(5);
    for stack in [1_u16, 3, 31, 32, 33, 64, 200] {
        let game = Game17::new(3, 50, &[]);
        let numbers = [0, 0, 0, 0, stack, 0, 0, 0, 1];
        let order: Vec<u16> = (0..9).collect();
        let position =
            game.arrange(&[0, 0, 0, 0, 0, 0, 0, 0, 1], &numbers, &order, 0, Some(0)).unwrap();
        let draws = 20_000 / u32::from(stack) + 2_000;
        let mut sent = [0; 4];
        for _ in 0..draws {
            let mut orders = Vec::new();
            game.zombie_orders(&position, &mut random, &mut orders);
            assert_eq!(orders.iter().map(|order| order.count).sum::<u16>(), stack);
            assert!(orders.iter().all(|order| order.cell == 4 && order.count > 0));
            for order in orders {
                sent[order.direction as usize] += u32::from(order.count);
            }
        }
        let expected = f64::from(draws) * f64::from(stack) / 4.0;
        let deviation = chi_squared(&sent.map(f64::from), &[expected; 4]);
        // Three degrees of freedom: 16.3 is passed once in a thousand times.
        assert!(deviation < 16.3, "{deviation} for stacks of {stack}: {sent:?}");
    }
}

#[test]
fn pieces_of_one_stack_choose_independently() {
    let (game, position) = draw('a', "a2 b1 b1 b1");
    let mut random = Random::seeded(8);
    let mut seen: BTreeMap<Vec<(Direction, u16)>, f64> = BTreeMap::new();
    let draws = 16_000;
    for _ in 0..draws {
        let mut orders = Vec::new();
        game.zombie_orders(&position, &mut random, &mut orders);
        let split = orders.iter().map(|order| (order.direction, order.count)).collect();
        *seen.entry(split).or_default() += 1.0;
    }
    // Both to one side, 1 in 16 for each; to two different sides, 1 in 8.
    assert_eq!(seen.len(), 10);
    let share =
        |split: &Vec<(Direction, u16)>| if split.len() == 1 { 1.0 / 16.0 } else { 1.0 / 8.0 };
    let expected: Vec<f64> = seen.keys().map(|split| share(split) * f64::from(draws)).collect();
    let found: Vec<f64> = seen.values().copied().collect();
    let deviation = chi_squared(&found, &expected);
    // Nine degrees of freedom: 27.9 is passed once in a thousand times.
    assert!(deviation < 27.9, "{deviation}: {seen:?}");
}

fn chi_squared(found: &[f64], expected: &[f64]) -> f64 {
    found.iter().zip(expected).map(|(found, expected)| (found - expected).powi(2) / expected).sum()
}

#[test]
fn a_random_turn_is_what_it_says_it_was() {
    let game = Game17::new(4, 30, &[]);
    for choice in Game17::CHOICES {
        let mut random = Random::seeded(4);
        let mut position = game.start(&mut random);
        while game.turn(&position) != Turn::Over {
            let mut replayed = position.clone();
            let (mut chosen, mut rolls) = (Vec::new(), Vec::new());
            game.random_turn(&mut position, *choice, &mut random, &mut chosen, &mut rolls);
            for action in chosen {
                assert!(game.is_legal(&replayed, action));
                game.play(&mut replayed, action);
            }
            for roll in rolls {
                game.settle(&mut replayed, roll);
            }
            assert_eq!(replayed, position);
        }
    }
}

/// Where a map of the board takes a square, as row and column, and a direction.
struct Map {
    square: fn(i64, i64) -> (i64, i64),
    direction: fn(Direction) -> Direction,
}

#[test]
fn whole_turns_commute_with_turning_mirroring_and_shifting_the_board() {
    use Direction::{East, North, South, West};
    // These three give all eight ways to lay a square on itself, and all shifts.
    let maps = [
        Map {
            square: |row, column| (column, -row),
            direction: |direction| match direction {
                North => East,
                East => South,
                South => West,
                West => North,
            },
        },
        Map {
            square: |row, column| (row, -column),
            direction: |direction| match direction {
                East => West,
                West => East,
                other => other,
            },
        },
        Map { square: |row, column| (row + 1, column + 2), direction: |direction| direction },
    ];
    for size in 1..=7_u16 {
        let game = Game17::new(size, 30, &[]);
        let wide = i64::from(size);
        for Map { square, direction } in &maps {
            let moved = |row: i64, column: i64| {
                let (row, column) = square(row, column);
                (row.rem_euclid(wide), column.rem_euclid(wide))
            };
            let image = |position: &Position| -> Position {
                let (mut owners, mut numbers) =
                    (position.owners().to_vec(), position.numbers().to_vec());
                for row in 0..wide {
                    for column in 0..wide {
                        let (from, (to_row, to_column)) = (row * wide + column, moved(row, column));
                        let to = (to_row * wide + to_column) as usize;
                        owners[to] = position.owners()[from as usize];
                        numbers[to] = position.numbers()[from as usize];
                    }
                }
                let order = position.turn_order();
                game.arrange(&owners, &numbers, order, position.round(), position.place()).unwrap()
            };
            let mut random = Random::stream(9, u64::from(size));
            let mut position = game.start(&mut random);
            while game.turn(&position) != Turn::Over {
                let mut orders = Vec::new();
                game.zombie_orders(&position, &mut random, &mut orders);
                let raw: Vec<RawOrder> = orders
                    .iter()
                    .map(|order| {
                        let (row, column) =
                            moved(i64::from(order.cell / size), i64::from(order.cell % size));
                        let count = i64::from(order.count);
                        RawOrder { row, column, direction: direction(order.direction), count }
                    })
                    .collect();
                let mut seen = image(&position);
                for order in game.check_orders(&seen, &raw).unwrap() {
                    game.play(&mut seen, Action::Order(order));
                }
                game.play(&mut seen, Action::End);
                for order in orders {
                    game.play(&mut position, Action::Order(order));
                }
                game.play(&mut position, Action::End);
                // Tosses come in row order, so only their number is the same in the image.
                while let Turn::Chance { .. } = game.turn(&position) {
                    assert_eq!(game.turn(&seen), Turn::Chance { sides: 2 });
                    game.settle(&mut position, 1);
                    game.settle(&mut seen, 1);
                }
                assert_eq!(seen, image(&position));
            }
        }
    }
}

// Text

#[test]
fn every_position_reads_back_even_inside_a_turn() {
    for size in 1..=5 {
        let game = Game17::new(size, 12, &[]);
        let mut pending = 0;
        for seed in 0..20 {
            let mut random = Random::stream(seed, u64::from(size));
            let mut position = game.start(&mut random);
            loop {
                let text = game.write_position(&position);
                let read = game.read_position(&text).unwrap();
                assert_eq!(read, position, "{text}");
                assert_eq!(game.key(&read), game.key(&position));
                match game.turn(&position) {
                    Turn::Over => break,
                    Turn::Chance { .. } => {
                        pending += 1;
                        game.settle(&mut position, random.below(2) as u16);
                    }
                    Turn::Player(_) => {
                        let mut actions = Vec::new();
                        game.actions(&position, &mut actions);
                        let action = actions[random.below(actions.len() as u32) as usize];
                        game.play(&mut position, action);
                    }
                }
            }
        }
        assert!(size == 1 || pending > 0, "no toss came up on size {size}");
    }
}

#[test]
fn the_text_of_a_position_is_as_documented() {
    let game = Game17::new(2, 50, &[]);
    let texts = [
        "0:4,3:4/1:4,2:4 0,3,2,1 0 0",
        "0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4",
        "0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 0,0:e4 .",
        "0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 0,0:e4 . 1",
        "0:0,0:8/1:0,0:8 0,3,2,1 12 over",
        "0:4,3:4/1:4,2:4 0,3,2,1 50 over",
    ];
    for text in texts {
        assert_eq!(game.read_position(text).unwrap().to_string(), text);
    }
    let mut position = game.read_position(texts[3]).unwrap();
    // The toss for 0,1 is won, the one for 1,0 still open.
    assert_eq!(position.tossed_for(), Some(2));
    game.settle(&mut position, 0);
    // Owner 3 has lost the only square, so owner 2 is next.
    assert_eq!(position.to_string(), "0:0,0:8/1:8,2:4 0,3,2,1 0 2");
}

#[test]
fn impossible_positions_are_refused_in_words() {
    let game = Game17::new(2, 50, &[]);
    let cases = [
        ("", "the position has no squares"),
        ("0:4,3:4/1:4,2:4", "the position has no turn order"),
        ("0:4,3:4/1:4,2:4 0,1,2,3 0", "the position has no place in the turn order"),
        ("0:4,3:4 0,3,2,1 0 0", "the position has 1 rows, but the board has 2"),
        ("0:4/1:4/2:4 0,3,2,1 0 0", "the position has more rows, but the board has 2"),
        (
            "0:4,3:4/1:4,2:4,3:4 0,3,2,1 0 0",
            "row 1 of the position has more squares, but the board has 2 columns",
        ),
        ("0:4,34/1:4,2:4 0,3,2,1 0 0", "cannot read the square `34` in row 0"),
        ("0:4,3:+4/1:4,2:4 0,3,2,1 0 0", "`+4` is no number of pieces"),
        ("0:4,:4/1:4,2:4 0,3,2,1 0 0", "`` is no owner"),
        ("0:4,3:70000/1:4,2:4 0,3,2,1 0 0", "`70000` is no number of pieces"),
        ("0:4,4:4/1:4,2:4 0,3,2,1 0 0", "the owner `4` of square `0,1` is not below 4"),
        (
            "0:30000,3:30000/1:4,2:4 0,3,2,1 0 0",
            "there are 60008 pieces, more than the 60000 a board may hold",
        ),
        ("0:0,3:0/1:0,2:0 0,3,2,1 0 0", "there is no piece on the board"),
        ("0:4,3:4/1:4,2:4 0,3,2 0 0", "a 2×2 board has 4 turns, not 3"),
        ("0:4,3:4/1:4,2:4 0,3,2,3 0 0", "owner `3` is twice in the turn order"),
        ("0:4,3:4/1:4,2:4 0,3,2,9 0 0", "the owner `9` in the turn order is not below 4"),
        ("0:4,3:4/1:4,2:4 0,3,2,x 0 0", "`x` is no owner in the turn order"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 51 over", "round `51` is beyond the 50 rounds of this game"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 50 0", "the game is over after 50 rounds"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 4", "the place `4` in the turn order is not below 4"),
        ("0:4,0:4/1:4,2:4 0,3,2,1 0 1", "owner 3 at place `1` of the turn order has no square"),
        (
            "0:4,3:4/1:4,2:4 0,3,2,1 7 over",
            "two owners have pieces in round `7` of 50: it is not over",
        ),
        (
            "0:4,3:4/1:4,2:4 0,3,2,1 50 over 0,0:n1",
            "a game that is over has no orders, but `0,0:n1` follows",
        ),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,1:n1", "order `0,1:n1` is for a square of owner 3"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0", "cannot read the order `0,0`"),
        (
            "0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:n1 .",
            "no square is tied, so the turn cannot wait for a toss",
        ),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:n4 . 1", "all tosses are settled, so the turn is over"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:n4 . x", "a toss is `0` or `1`, not `x`"),
    ];
    for (text, message) in cases {
        let error = game.read_position(text).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Position, message), "{text}");
    }
    let error = game.read_position("0:4,0:4/1:4,2:4 0,3,2,1 0 1").unwrap_err();
    assert_eq!(error.hint.unwrap(), "the next owner with a square is at place 2");
}

#[test]
fn turns_are_read_as_people_type_them() {
    let (game, position) = draw('a', "a4 a4 c1 c1 c1 c1 c1 c1 c1");
    let canonical = game.read_turn(&position, "0,0:n2 0,1:e1").unwrap();
    for typed in [
        "  0,0:N2   0,1:E1 ",
        "0, 0 : n 2 0 ,1:e1",
        "0,0 north 2; 0,1 East 1",
        "0,1:e1, 0,0:n1, 0,0:n1",
        "00,00:n02 0,1:e1",
        "0,0:n2\t0,1:e1\n",
    ] {
        assert_eq!(game.read_turn(&position, typed), Ok(canonical.clone()), "{typed}");
    }
    for typed in ["-", " - ", "none"] {
        assert_eq!(game.read_turn(&position, typed), Ok(vec![Action::End]));
    }
    for typed in
        ["", ".", "0,0:n", "0,0:x1", "0,0", "0 0:n1", "- 0,0:n1", "0,0:n1 -", "0,0:ñ1", "é"]
    {
        let error = game.read_turn(&position, typed).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreadable, "{typed}");
        assert!(error.hint.is_some());
    }
    // Inside a turn, the rest may be nothing.
    let mut begun = position.clone();
    game.play(&mut begun, canonical[0]);
    for typed in ["", ".", "-"] {
        assert_eq!(game.read_turn(&begun, typed), Ok(vec![Action::End]));
    }
    assert_eq!(game.read_turn(&begun, "0,1:e1"), Ok(canonical[1..].to_vec()));
    let late = Action::Order(Order { cell: 0, direction: Direction::North, count: 1 });
    assert_eq!(
        game.objection(&begun, late),
        "order `0,0:n1` comes too late: orders ascend by row, column and n s e w"
    );
}

#[test]
fn any_text_is_read_or_refused() {
    let game = Game17::new(14, 50, &[]);
    let start = game.start(&mut Random::seeded(1));
    let text = game.write_position(&start);
    let large = 1 << 20;
    for piece in
        ["/", ",", ":", "0:4,", "0,0:n1 ", "9", "-", ".", " ", "\u{1f9df}", "\u{0}", "0:4/"]
    {
        let garbage = piece.repeat(large / piece.len());
        assert!(game.read_position(&garbage).is_err());
        assert!(game.read_turn(&start, &garbage).is_err());
        // The turn may happen to be legal there, one piece of it.
        let _ = game.read_position(&format!("{text} {garbage}"));
        let _ = super::notation::size_of(&garbage);
    }
    let mut random = Random::seeded(2);
    let characters: Vec<char> = "0123456789,:/. nsewover-ü".chars().collect();
    for _ in 0..20_000 {
        let mut changed: Vec<char> = "0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 .".chars().collect();
        for _ in 0..=random.below(3) {
            let place = random.below(changed.len() as u32) as usize;
            changed[place] = characters[random.below(characters.len() as u32) as usize];
        }
        let changed: String = changed.into_iter().collect();
        let small = Game17::new(2, 50, &[]);
        if let Ok(position) = small.read_position(&changed) {
            let again = small.read_position(&position.to_string());
            assert_eq!(again, Ok(position), "{changed}");
        }
    }
}

#[test]
fn an_action_is_small() {
    assert!(size_of::<Action>() <= 8);
}

// Opening a game

struct Opened;

impl Visitor for Opened {
    type Output = (Options, String);
    fn visit<G: crate::Game>(self, _: Entry, game: G, start: G::Position) -> Self::Output {
        (game.options(), game.write_position(&start))
    }
}

fn open(options: &Options, position: Option<&str>) -> Result<(Options, String)> {
    let mut random = Random::seeded(7);
    Family::open(Setup { options, position, random: &mut random }, Opened)
}

#[test]
fn a_start_deals_every_owner_one_square_with_four_pieces() {
    let (options, text) = open(&Options::none(), None).unwrap();
    assert_eq!(
        options,
        Options::none().with("size", 14).with("rounds", 50).with("players", json!([]))
    );
    let game = Game17::new(14, 50, &[]);
    let start = game.read_position(&text).unwrap();
    assert!(start.squares().iter().all(|squares| *squares == 1));
    assert!(start.numbers().iter().all(|number| *number == 4));
    assert_ne!(start.owners(), start.turn_order());
    // What a record keeps opens the same game again.
    assert_eq!(open(&options, Some(&text)), Ok((options, text)));
}

#[test]
fn the_size_comes_from_the_position_unless_it_is_said() {
    let text = "0:4,3:4/1:4,2:4 0,3,2,1 0 0";
    let (options, _) = open(&Options::none(), Some(text)).unwrap();
    assert_eq!(options.get("size"), Some(&Value::from(2)));
    assert!(open(&Options::none().with("size", 2), Some(text)).is_ok());
    let error = open(&Options::none().with("size", 3), Some(text)).unwrap_err();
    assert_eq!(error.message, "the position has 2 rows, but the board has 3");
    let error = open(&Options::none(), Some(&"/".repeat(1 << 20))).unwrap_err();
    assert_eq!(error.message, "the position has more than 20 rows");
    assert!(open(&Options::none().with("size", 21), None).is_err());
    assert!(open(&Options::none().with("rounds", 10_001), None).is_err());
}

#[test]
fn players_are_a_list_or_a_word() {
    let players = |value: Value| -> Result<Value> {
        let options = Options::none().with("size", 3).with("players", value);
        open(&options, None).map(|(options, _)| options.get("players").unwrap().clone())
    };
    assert_eq!(players(json!([5, 0])), Ok(json!([0, 5])));
    assert_eq!(players(json!("5, 0")), Ok(json!([0, 5])));
    assert_eq!(players(json!("8")), Ok(json!([8])));
    assert_eq!(players(json!(8)), Ok(json!([8])));
    assert_eq!(players(json!(" None ")), Ok(json!([])));
    assert_eq!(players(Value::Null), Ok(json!([])));
    assert_eq!(players(json!("all")), Ok(json!([0, 1, 2, 3, 4, 5, 6, 7, 8])));
    for wrong in [
        json!("9"),
        json!([9]),
        json!("1,1"),
        json!([1, 1]),
        json!("x"),
        json!([-1]),
        json!([0.5]),
        json!(true),
        json!("1,,2"),
    ] {
        let error = players(wrong).unwrap_err();
        assert_eq!(
            error.hint.unwrap(),
            "`players` is `none`, `all`, or different owners from 0 to 8, as in `0,5,17`"
        );
    }
}

// Screens

#[test]
fn a_view_names_owners_pieces_and_leaders() {
    let (_, position) = draw('a', "a4 b2 c0 c1 c1 c1 a0 b1 b0");
    let game = Game17::new(3, 50, &[1]);
    let view = game.view(&position);
    assert!(view.wraps);
    let token = view.squares[0].token.as_ref().unwrap();
    assert_eq!((token.text.as_str(), token.name.as_str()), ("0:4", "4 pieces of owner 0"));
    assert_eq!((token.seat, token.count), (Some(Seat(0)), Some(4)));
    assert_eq!((view.squares[2].owner, view.squares[2].token.is_none()), (Some(Seat(2)), true));
    assert_eq!(view.status, "owner 0 (a zombie) to move, with 2 squares and 4 pieces");
    let panels: Vec<String> =
        view.panels.iter().map(|panel| format!("{}: {}", panel.label, panel.value)).collect();
    assert_eq!(
        panels,
        [
            "round: 1 of 50",
            "owners left: 3",
            "leading: owner 2 with 4 squares",
            "owner 1: 3 squares, 3 pieces"
        ]
    );
}

#[test]
fn a_view_points_at_orders_and_tosses() {
    let (game, mut position) = draw('a', "a4 b2 c1 c1 c1 c1 c1 c1 c1");
    let order = Action::Order(Order { cell: 0, direction: Direction::East, count: 2 });
    assert_eq!(game.path(&position, order), [0, 1]);
    assert!(game.path(&position, Action::End).is_empty());
    game.play(&mut position, order);
    let marked = |position: &Position| -> Vec<usize> {
        let view = game.view(position);
        (0..9).filter(|cell| view.squares[*cell].mark == Some(Mark::Chosen)).collect()
    };
    assert_eq!(marked(&position), [0]);
    game.play(&mut position, Action::End);
    assert_eq!(marked(&position), [1]);
    assert_eq!(
        game.view(&position).status,
        "a coin decides between owner 1 and owner 0 for square 0,1"
    );
    game.settle(&mut position, 1);
    assert!(marked(&position).is_empty());
}

#[test]
fn the_status_of_a_finished_game_says_who_won() {
    let (game, position) = draw('a', "a4 b0 c0 c0 c0 c0 b0 b0 b0");
    let position = play(&game, &position, "-", &[]).unwrap();
    assert_eq!(
        game.view(&position).status,
        "one owner has all the pieces: owner 1 and owner 2 won with 4 squares each"
    );
    let start = Game17::new(14, 0, &[]).start(&mut Random::seeded(1));
    assert_eq!(
        Game17::new(14, 0, &[]).view(&start).status,
        "all rounds are played: 196 owners won with 1 square each"
    );
}
