//! Drawn examples and comparisons with the plain mailbox.

use super::mailbox::Mailbox;
use super::*;
use crate::game::{Notation, Rules, Seat, Turn};
use crate::perft::{Turns, perft_by_steps};
use crate::playout::{Choice, Playout};
use crate::random::Random;

fn on<C: Cells>(width: u16, height: u16, text: &str) -> (Amazons<C>, Position<C>) {
    let game = Amazons::new(width, height);
    let position = game.read_position(text).unwrap();
    (game, position)
}

#[test]
fn the_classic_starts_come_out_of_one_layout() {
    let starts = [
        (10, 10, 4, "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w"),
        (8, 8, 4, "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w"),
        (6, 6, 4, "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w"),
        (6, 6, 2, "1q2q1/6/6/6/6/1Q2Q1 w"),
        (5, 5, 4, "1q1q1/q3q/5/Q3Q/1Q1Q1 w"),
        (5, 5, 2, "1q1q1/5/5/5/1Q1Q1 w"),
        (5, 4, 4, "1q1q1/q3q/Q3Q/1Q1Q1 w"),
        (4, 4, 4, "1qq1/q2q/Q2Q/1QQ1 w"),
        (4, 4, 2, "1qq1/4/4/1QQ1 w"),
        (9, 7, 3, "4q4/9/q7q/9/Q7Q/9/4Q4 w"),
        (3, 3, 2, "q1q/3/Q1Q w"),
        (2, 2, 1, "1q/Q1 w"),
    ];
    for (width, height, amazons, text) in starts {
        let game = Amazons::<u128>::new(width, height);
        assert_eq!(game.write_position(&game.start(amazons)), text);
    }
    let crowd = Amazons::<Wide<11>>::new(26, 26);
    assert_eq!(crowd.start(338).amazons(0).count(), 338);
}

#[test]
fn the_arrow_may_land_on_or_cross_the_square_just_left() {
    // Only one way to go, and only back along it to shoot.
    let (game, mut position) = on::<u64>(4, 2, "Q1*q/**** w");
    let mut turns = Vec::new();
    game.for_each_turn(&position, &mut |actions, _| turns.push(actions.to_vec()));
    let [a2, b2] = [Cell(0), Cell(1)];
    assert_eq!(turns, [[a2, b2, a2]]);

    // From b2 the arrow crosses c2, which the amazon has just left, and lands on d2.
    (_, position) = on::<u64>(4, 2, "q1Q1/**** w");
    game.play(&mut position, Cell(2));
    game.play(&mut position, Cell(1));
    let mut arrows = Vec::new();
    game.actions(&position, &mut arrows);
    assert_eq!(arrows, [Cell(2), Cell(3)]);
}

#[test]
fn a_side_that_cannot_move_has_lost() {
    let (game, position) = on::<u64>(3, 2, "Q*q/**1 w");
    assert_eq!(game.turn(&position), Turn::Over);
    assert_eq!([0, 1].map(|seat| game.payoff(&position, Seat(seat))), [-1.0, 1.0]);
    // A side without amazons cannot move either.
    let (game, position) = on::<u64>(3, 2, "3/2q w");
    assert_eq!(game.turn(&position), Turn::Over);
}

#[test]
fn perft_agrees_with_the_published_counts() {
    let (game, start) = on::<u64>(6, 6, "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w");
    assert_eq!([0, 1, 2].map(|depth| game.perft(&start, depth)), [1, 544, 238_532]);
    let (game, start) = on::<u128>(10, 10, "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w");
    assert_eq!([1, 2].map(|depth| game.perft(&start, depth)), [2_176, 4_307_152]);
}

#[test]
fn lines_mailbox_and_single_steps_count_alike() {
    fn check<C: Cells>(width: u16, height: u16, amazons: usize) {
        let game = Amazons::<C>::new(width, height);
        for seed in 0..8 {
            println!("{width}x{height} seed {seed}");
            let mut random = Random::seeded(seed);
            let mut position = game.start(amazons);
            let plies = u64::from(random.below(u32::from(width * height)));
            game.playout(&mut position, Choice::Turns, plies, &mut random);
            let depth = if width * height > 40 { 1 } else { 2 };
            let leaves = perft_by_steps(&game, &position, depth);
            assert_eq!(game.perft(&position, depth), leaves);
            assert_eq!(Mailbox::new(&game, &position).perft(depth), leaves);
        }
    }
    check::<u64>(4, 4, 2);
    check::<u64>(7, 3, 3);
    check::<u64>(5, 6, 4);
    check::<u64>(8, 8, 4);
    check::<u128>(10, 10, 4);
    check::<u128>(5, 21, 1);
    check::<Wide<11>>(20, 20, 4);
    check::<Wide<11>>(26, 26, 5);
}

#[test]
fn the_mailbox_plays_the_same_random_games() {
    let game = Amazons::<u128>::new(10, 10);
    for seed in 0..200 {
        let mut position = game.start(4);
        let mut mailbox = Mailbox::new(&game, &position);
        let turns =
            game.playout(&mut position, Choice::TwoStage, u64::MAX, &mut Random::seeded(seed));
        assert_eq!(mailbox.playout_in_two_stages(&mut Random::seeded(seed)), turns, "seed {seed}");
        assert_eq!(mailbox.mover(), position.mover());
    }
}

#[test]
fn people_may_type_a_turn_in_several_ways() {
    let (game, start) = on::<u128>(10, 10, "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w");
    let expected = game.read_turn(&start, "d1-d7/g7").unwrap();
    assert_eq!(expected.len(), 3);
    for text in ["d1d7,d7g7", "D1-D7(G7)", " d1 - d7 / g7 ", "d1 d7 g7", "d1d7g7"] {
        assert_eq!(game.read_turn(&start, text).unwrap(), expected, "{text}");
    }
    let mut moved = start;
    game.play(&mut moved, expected[0]);
    for text in ["d7/g7", "d1-d7/g7", "D7 G7"] {
        assert_eq!(game.read_turn(&moved, text).unwrap(), expected[1..], "{text}");
    }
}

#[test]
fn errors_say_what_was_wrong_and_where() {
    let game = Amazons::<u128>::new(10, 10);
    let position = |text: &str| game.read_position(text).unwrap_err().message;
    assert_eq!(
        position("3q2q3/10/10/q8q/10/10/Q8Q/10/3Q2Q3 w"),
        "the board has 9 rows where 10 belong"
    );
    assert_eq!(
        position("3q2q3/10/10/q8q/9/10/Q8Q/10/10/3Q2Q3 w"),
        "row 5 from the top, `9`, has 9 squares where 10 belong"
    );
    assert_eq!(
        position("3q2q3/10/10/q8q/4x5/10/Q8Q/10/10/3Q2Q3 w"),
        "row 5 from the top, `4x5`, has the unknown sign `x`"
    );
    assert_eq!(
        position("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3"),
        "the side to move is nothing where `w` or `b` belongs"
    );
    let start = game.start(4);
    let turn = |text: &str| game.read_turn(&start, text).unwrap_err().message;
    assert_eq!(turn("d1-d11/g7"), "`d11` in `d1-d11/g7` is not a square of this board");
    assert_eq!(turn("hello"), "`h` in `hello` is not a square of this board");
    assert_eq!(turn("?"), "cannot read the turn `?`");
}
