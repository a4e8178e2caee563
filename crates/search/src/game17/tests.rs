//! The players of Game 17 as examples, and as laws over random games.
//!
//! Boards are drawn as in the rules: `a3` is a square of owner `a` (number 0) with three pieces.
//! Owner `a` moves, the turn order is alphabetical.

use skirmish_rules::games::game17::{Action, Direction, Game17, Order, Position, RawOrder};
use skirmish_rules::{Notation, Random, Rules, Seat, Turn};

use super::hunter::shares;
use super::{Marshal, Settings, hunter};

/// A drawn position in a game of 50 rounds where `a` and the owners in `players` are no zombies.
fn draw(round: u32, players: &[u16], drawing: &str) -> (Game17, Position) {
    let squares: Vec<&str> = drawing.split_whitespace().collect();
    let cells = squares.len() as u16;
    let game = Game17::new(cells.isqrt(), 50, players);
    let owner = |square: &str| u16::from(square.as_bytes()[0] - b'a');
    let owners: Vec<u16> = squares.iter().map(|square| owner(square)).collect();
    let numbers: Vec<u16> = squares.iter().map(|square| square[1..].parse().unwrap()).collect();
    let turn_order: Vec<u16> = (0..cells).collect();
    let position = game.arrange(&owners, &numbers, &turn_order, round, Some(0)).unwrap();
    (game, position)
}

/// The marshal's turn in a drawn position, and the board after it; no square may be tied.
fn marshals_turn(round: u32, players: &[u16], drawing: &str) -> Position {
    let (game, mut position) = draw(round, players, drawing);
    let mut orders = Vec::new();
    Marshal::new(Settings::default()).orders(&game, &position, &mut Random::seeded(1), &mut orders);
    check(&game, &position, &orders);
    for order in orders {
        game.play(&mut position, Action::Order(order));
    }
    game.play(&mut position, Action::End);
    assert!(!position.is_tossing());
    position
}

/// Checks that orders are legal and in their canonical form.
#[track_caller]
fn check(game: &Game17, position: &Position, orders: &[Order]) {
    let size = game.size();
    let raw = orders.iter().map(|order| RawOrder {
        row: i64::from(order.cell / size),
        column: i64::from(order.cell % size),
        direction: order.direction,
        count: i64::from(order.count),
    });
    let canonical = game.check_orders(position, &raw.collect::<Vec<_>>()).unwrap();
    assert_eq!(canonical, orders, "{position}");
}

/// Who plays an owner.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Hunter,
    Marshal,
}

/// Plays a game from a random start, every turn checked, and returns its end.
fn play_out(size: u16, rounds: u32, players: &[(u16, Kind)], seed: u64) -> (Game17, Position) {
    let mut random = Random::seeded(seed);
    let owners: Vec<u16> = players.iter().map(|(owner, _)| *owner).collect();
    let game = Game17::new(size, rounds, &owners);
    let mut position = game.start(&mut random);
    let mut marshal = Marshal::new(Settings::default());
    loop {
        let Seat(mover) = match game.turn(&position) {
            Turn::Over => return (game, position),
            Turn::Chance { .. } => {
                game.settle(&mut position, random.below(2) as u16);
                continue;
            }
            Turn::Player(seat) => seat,
        };
        let mut orders = Vec::new();
        match players.iter().find(|(owner, _)| *owner == mover) {
            None => game.zombie_orders(&position, &mut random, &mut orders),
            Some((_, Kind::Hunter)) => hunter(&game, &position, &mut random, &mut orders),
            Some((_, Kind::Marshal)) => {
                marshal.orders(&game, &position, &mut random, &mut orders);
            }
        }
        check(&game, &position, &orders);
        for order in orders {
            game.play(&mut position, Action::Order(order));
        }
        game.play(&mut position, Action::End);
    }
}

// The hunter

#[track_caller]
fn shared(stack: u16, around: [u16; 4], expected: Option<[f64; 4]>) {
    let shares = shares(stack, around);
    let close = match (shares, expected) {
        (Some(shares), Some(expected)) => {
            shares.iter().zip(expected).all(|(share, other)| (share - other).abs() < 1e-9)
        }
        (shares, expected) => shares == expected,
    };
    assert!(close, "{stack} among {around:?}: {shares:?}");
}

#[test]
fn a_hunter_divides_a_large_stack_by_what_stands_around_it() {
    // 12 pieces over 3.01, 1.01, 0.01 and 2.01 of 6.04: 5.98 against 3, 2.01 against 1 and so on.
    let total = 6.04;
    shared(12, [3, 1, 0, 2], Some([3.01 / total, 1.01 / total, 0.01 / total, 2.01 / total]));
}

#[test]
fn a_hunter_drops_sides_it_cannot_match() {
    // 4 · 4.01 / 4.04 = 3.97 is less than the 4 in the north; the empty sides share alike.
    shared(4, [4, 0, 0, 0], Some([0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]));
    // 5 · 4.01 / 5.03 = 3.99 is dropped, 5 · 1.01 / 5.03 = 1.004 stays with the empty sides.
    let total = 1.03;
    shared(5, [4, 1, 0, 0], Some([0.0, 1.01 / total, 0.01 / total, 0.01 / total]));
}

#[test]
fn a_hunters_stack_stays_where_every_side_is_too_strong() {
    shared(4, [4, 4, 4, 4], None);
    shared(1, [1, 1, 1, 1], None);
    let (game, position) = draw(0, &[0], "a4 b4 c4 d4 e4 f4 g4 h4 i4");
    let mut orders = Vec::new();
    hunter(&game, &position, &mut Random::seeded(1), &mut orders);
    assert!(orders.is_empty());
}

#[test]
fn a_hunter_without_neighbours_spreads_evenly() {
    shared(7, [0, 0, 0, 0], Some([0.25; 4]));
}

#[test]
fn a_hunter_sends_pieces_as_often_as_their_shares_say() {
    let (game, position) = draw(0, &[0], "a4000 b900 c100 d0 e0 f0 g0 h0 i0");
    // Wrapped around, b is in the east and c in the west: 0.9 and 0.1 of nearly everything.
    let mut orders = Vec::new();
    hunter(&game, &position, &mut Random::seeded(3), &mut orders);
    check(&game, &position, &orders);
    let sent = |direction: Direction| -> u16 {
        orders.iter().filter(|order| order.direction == direction).map(|order| order.count).sum()
    };
    assert!((3_500..3_700).contains(&sent(Direction::East)), "{orders:?}");
    assert!((300..500).contains(&sent(Direction::West)), "{orders:?}");
}

// The marshal

#[test]
fn a_marshal_takes_every_empty_square_in_reach_in_the_last_round() {
    let after = marshals_turn(
        49,
        &[0],
        "b0 b0 b0 b0 b0
         b0 b0 b0 b0 b0
         b0 b0 a5 b0 b0
         b0 b0 b0 b0 b0
         b1 b0 b0 b0 b0",
    );
    assert_eq!(after.squares()[0], 5);
}

#[test]
fn a_marshal_pools_stacks_to_win_a_square_for_certain() {
    let after = marshals_turn(
        10,
        &[0],
        "c0 c0 c0 c0 c0
         c0 c0 c0 c0 c0
         c0 a3 b4 a3 c0
         c0 c0 c0 c0 c0
         c0 c0 c0 c0 c1",
    );
    assert_eq!((after.owners()[12], after.numbers()[12] >= 9), (0, true), "{after}");
}

#[test]
fn a_marshal_keeps_a_guard_where_zombies_still_move_in_the_last_round() {
    // One piece is enough for the empty square in the east; of the nine zombies about two come.
    let after = marshals_turn(
        49,
        &[0],
        "c0 c0 c0 c0 c0
         c0 c0 b9 c0 c0
         c0 a0 a6 c0 c0
         c0 c0 a0 c0 c0
         c0 c0 c0 c0 c0",
    );
    assert_eq!(after.owners()[13], 0);
    assert!(after.numbers()[12] >= 4, "{after}");
}

#[test]
fn a_marshal_leaves_no_guard_where_nobody_moves_any_more() {
    // As before, but the zombies have had their turn: every piece may go.
    let (game, position) = draw(
        49,
        &[0],
        "c0 c0 b9 c0 c0
         c0 c0 a3 c0 c0
         c0 a0 c0 c0 c0
         c0 c0 c0 c0 c0
         c0 c0 c0 c0 c0",
    );
    let turn_order: Vec<u16> = (1..25).chain([0]).collect();
    let position =
        game.arrange(position.owners(), position.numbers(), &turn_order, 49, Some(24)).unwrap();
    let mut orders = Vec::new();
    let mut marshal = Marshal::new(Settings::default());
    marshal.orders(&game, &position, &mut Random::seeded(1), &mut orders);
    assert_eq!(orders.iter().map(|order| order.count).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn a_marshal_withdraws_from_a_stronger_player() {
    let after = marshals_turn(
        10,
        &[0, 1],
        "c0 c0 c0 c0 c0
         c0 c0 c0 c0 c0
         c0 a5 b9 c0 c0
         c0 c0 c0 c0 c0
         c0 c0 c0 c0 c0",
    );
    // No stack of 3 or more is left within one step of the nine.
    for cell in [7, 11, 13, 17] {
        assert!(after.owners()[cell] != 0 || after.numbers()[cell] < 3, "{after}");
    }
}

#[test]
fn a_marshal_beats_zombies() {
    let won = (0..10).filter(|seed| {
        let (game, end) = play_out(8, 30, &[(5, Kind::Marshal)], *seed);
        game.payoff(&end, Seat(5)) > 0.0
    });
    assert!(won.count() >= 9);
}

#[test]
fn a_marshal_beats_hunters() {
    let players = [(3, Kind::Hunter), (20, Kind::Marshal), (40, Kind::Hunter), (50, Kind::Hunter)];
    let won = (0..10).filter(|seed| {
        let (game, end) = play_out(8, 30, &players, *seed);
        game.payoff(&end, Seat(20)) > 0.0
    });
    assert!(won.count() >= 7);
}

#[test]
fn every_turn_is_legal_on_every_board() {
    for size in 1..=20 {
        let cells = size * size;
        let mut players: Vec<(u16, Kind)> = vec![
            (0, Kind::Marshal),
            (cells / 3, Kind::Hunter),
            (cells / 2, Kind::Marshal),
            (cells - 1, Kind::Marshal),
        ];
        players.dedup_by_key(|(owner, _)| *owner);
        for rounds in [1, 2, 6] {
            play_out(size, rounds, &players, u64::from(size));
        }
    }
}

#[test]
fn a_battle_of_marshals_goes_on_to_the_end() {
    let players: Vec<(u16, Kind)> = (0..8).map(|owner| (owner * 8, Kind::Marshal)).collect();
    let (game, end) = play_out(8, 30, &players, 1);
    assert!(end.round() == 30 || game.scores(&end).len() < 8, "{end}");
}

#[test]
fn a_marshal_plays_on_from_any_position() {
    // Random steps reach boards that no sensible player would, also inside a turn.
    for seed in 0..60 {
        let mut random = Random::seeded(seed);
        let size = 1 + random.below(5) as u16;
        let players: Vec<u16> = (0..size * size).filter(|_| random.below(2) == 0).collect();
        let game = Game17::new(size, 4, &players);
        let mut position = game.start(&mut random);
        let mut marshal = Marshal::new(Settings::default());
        loop {
            match game.turn(&position) {
                Turn::Over => break,
                Turn::Chance { .. } => game.settle(&mut position, random.below(2) as u16),
                Turn::Player(_) => {
                    let mut begun = position.clone();
                    let mut orders = Vec::new();
                    marshal.orders(&game, &begun, &mut random, &mut orders);
                    for order in orders {
                        let action = Action::Order(order);
                        assert!(
                            game.is_legal(&begun, action),
                            "{}",
                            game.objection(&begun, action)
                        );
                        game.play(&mut begun, action);
                    }
                    let mut actions = Vec::new();
                    game.actions(&position, &mut actions);
                    let action = actions[random.below(actions.len() as u32) as usize];
                    game.play(&mut position, action);
                }
            }
        }
    }
}

#[test]
fn a_marshal_plays_the_same_turn_from_the_same_seed() {
    let players = [(3, Kind::Marshal), (20, Kind::Marshal), (40, Kind::Hunter)];
    let once = play_out(7, 12, &players, 9).1;
    assert_eq!(play_out(7, 12, &players, 9).1, once);
}

#[test]
fn huge_stacks_are_planned_as_quickly_as_small_ones() {
    let after = marshals_turn(3, &[0, 1], "a20000 b9000 c1 a9000 b9000 c1 c0 c0 c0");
    assert!(after.squares()[0] >= 3, "{after}");
}
