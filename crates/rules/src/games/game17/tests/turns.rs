//! Drawn examples of turns, and how games begin and end.

use super::*;

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
    let steps = |position: &Position| crate::games::texts_of_actions(&game, position);
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
