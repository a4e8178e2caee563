//! What every encoding must obey, on positions of random games.

use std::collections::HashSet;

use skirmish_rules::games::{amazons, in_trap, watch_your_back};
use skirmish_rules::{Random, Rules, Seat, Turn};

use super::Encode;
use crate::window::turn_row;

/// Positions of random games, with the legal actions of each.
fn walk<G: Encode>(
    game: &G,
    start: &G::Position,
    seed: u64,
    games: u64,
    mut each: impl FnMut(&G::Position, &[G::Action]),
) {
    for number in 0..games {
        let mut random = Random::stream(seed, number);
        let mut position = start.clone();
        while game.turn(&position) != Turn::Over {
            let mut actions = Vec::new();
            game.actions(&position, &mut actions);
            each(&position, &actions);
            game.play(&mut position, actions[random.below(actions.len() as u32) as usize]);
        }
    }
}

fn row<G: Encode>(game: &G, position: &G::Position) -> Vec<u8> {
    let mut row = vec![0; game.shape().row_bytes()];
    game.encode(position, &mut row);
    row
}

/// Legal actions have places of their own within the policy, and images are permutations.
fn indices_are_distinct<G: Encode>(game: &G, start: &G::Position) {
    let shape = game.shape();
    for image in game.images() {
        for (table, length) in [
            (&image.cells, shape.cells()),
            (&image.planes, shape.planes),
            (&image.scalars, shape.scalars),
            (&image.policy, shape.policy()),
        ] {
            let places: HashSet<u16> = table.iter().copied().collect();
            assert_eq!(places.len(), length);
            assert!(table.iter().all(|place| usize::from(*place) < length));
        }
    }
    walk(game, start, 1, 20, |position, actions| {
        let places: HashSet<u16> =
            actions.iter().map(|action| game.index(position, *action)).collect();
        assert_eq!(places.len(), actions.len(), "{position:?}");
        assert!(places.iter().all(|place| usize::from(*place) < shape.policy()));
    });
}

/// A network can tell positions apart.
fn positions_differ_in_their_rows<G: Encode>(game: &G, start: &G::Position) {
    let mut rows = HashSet::new();
    let (mut positions, mut seen) = (0, HashSet::new());
    walk(game, start, 2, 4, |position, _| {
        if seen.insert(game.key(position)) {
            positions += 1;
            rows.insert(row(game, position));
        }
    });
    // Counters far from any limit look alike, so a few may share a row.
    assert!(rows.len() * 10 >= positions * 9, "{} rows for {positions} positions", rows.len());
}

/// Turning the board and then encoding is encoding and then turning, for the symmetries of the rules.
fn symmetries_commute<G: Encode>(game: &G, start: &G::Position) {
    let images = game.images();
    let shape = game.shape();
    let mut number = 0;
    walk(game, start, 3, 3, |position, actions| {
        number += 1;
        let which = number % game.images_of(position);
        let turned = game.image(which, position);
        let mut expected = vec![0; shape.row_bytes()];
        turn_row(&shape, &images[which], &row(game, position), &mut expected);
        assert_eq!(row(game, &turned), expected, "image {which} of {position:?}");
        if actions.len() == 1 {
            return;
        }
        for &action in actions {
            let place = images[which].policy[usize::from(game.index(position, action))];
            let image = game.image_of_action(which, action);
            assert_eq!(game.index(&turned, image), place, "image {which} of {position:?}");
        }
    });
}

#[test]
fn amazons_obeys_the_laws() {
    for (width, height) in [(6, 6), (5, 4), (8, 8)] {
        let game = amazons::Amazons::<u64>::new(width, height);
        let start = game.start(4);
        indices_are_distinct(&game, &start);
        symmetries_commute(&game, &start);
        positions_differ_in_their_rows(&game, &start);
    }
    let game = amazons::Amazons::<u128>::new(10, 10);
    indices_are_distinct(&game, &game.start(4));
    symmetries_commute(&game, &game.start(4));
}

#[test]
fn in_trap_obeys_the_laws() {
    for size in [4, 6] {
        let game = in_trap::InTrap::<u64, 9>::new(size, in_trap::Pieces::standard(), Some(120));
        let start = game.start();
        indices_are_distinct(&game, &start);
        symmetries_commute(&game, &start);
        positions_differ_in_their_rows(&game, &start);
    }
}

#[test]
fn watch_your_back_obeys_the_laws() {
    let game = watch_your_back::WatchYourBack::new(Some(512));
    let start = watch_your_back::Position::start();
    indices_are_distinct(&game, &start);
    positions_differ_in_their_rows(&game, &start);
}

/// The mirror of Watch Your Back! is no symmetry of the rules, so it is tested by what it means: a
/// position and its mirror image, each written out.
#[test]
fn watch_your_back_mirrors_rows_and_moves() {
    use skirmish_rules::Notation;
    let game = watch_your_back::WatchYourBack::new(Some(512));
    let mut checked = 0;
    walk(&game, &watch_your_back::Position::start(), 4, 6, |position, actions| {
        let text = game.write_position(position);
        let (board, rest) = text.split_once(' ').unwrap();
        let mirrored: Vec<String> =
            board.split('/').map(|row| row.chars().rev().collect()).collect();
        let mirrored = format!("{} {rest}", mirrored.join("/"));
        let Ok(mirror) = game.read_position(&mirrored) else { return };
        let (shape, image) = (game.shape(), &game.images()[1]);
        let mut expected = vec![0; shape.row_bytes()];
        turn_row(&shape, image, &row(&game, position), &mut expected);
        assert_eq!(row(&game, &mirror), expected, "{text}");
        let mut mirrored_actions = Vec::new();
        game.actions(&mirror, &mut mirrored_actions);
        if actions.len() > 1 {
            let places: HashSet<u16> =
                mirrored_actions.iter().map(|action| game.index(&mirror, *action)).collect();
            let expected: HashSet<u16> = actions
                .iter()
                .map(|action| image.policy[usize::from(game.index(position, *action))])
                .collect();
            assert_eq!(places, expected, "{text}");
        }
        checked += 1;
    });
    assert!(checked > 300, "{checked}");
}

#[test]
fn ownership_is_opposite_for_the_two_players() {
    let game = amazons::Amazons::<u64>::new(6, 6);
    walk(&game, &game.start(4), 5, 2, |position, _| {
        let mut sides = [vec![0.0; 36], vec![0.0; 36]];
        game.ownership(position, Seat(0), &mut sides[0]);
        game.ownership(position, Seat(1), &mut sides[1]);
        assert!(sides[0].iter().zip(&sides[1]).all(|(a, b)| *a == -*b));
        assert_eq!(game.margin(position, Seat(0)), -game.margin(position, Seat(1)));
    });
}

/// Who wins by trying everything.
fn wins<G: Encode>(
    game: &G,
    position: &G::Position,
    known: &mut std::collections::HashMap<G::Position, bool>,
) -> bool {
    let Turn::Player(seat) = game.turn(position) else {
        return game.payoff(position, Seat(0)) > 0.0;
    };
    if let Some(known) = known.get(position) {
        return *known;
    }
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let goal = seat.0 == 0;
    let found = actions.into_iter().any(|action| {
        let mut next = position.clone();
        game.play(&mut next, action);
        wins(game, &next, known) == goal
    });
    known.insert(position.clone(), found == goal);
    found == goal
}

/// What is called settled comes out that way against every defence.
#[test]
fn settled_amazons_end_as_settled() {
    let game = amazons::Amazons::<u64>::new(5, 4);
    let mut checked = 0;
    let mut known = std::collections::HashMap::new();
    walk(&game, &game.start(2), 6, 60, |position, _| {
        let room = 20 - skirmish_rules::cells::Cells::count(&position.blocked());
        if room <= 9
            && let Some(value) = game.settled(position)
        {
            assert_eq!(value > 0.0, wins(&game, position, &mut known), "{position:?}");
            checked += 1;
        }
    });
    assert!(checked > 50, "{checked}");
}
