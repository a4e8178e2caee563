//! Comparisons with plain definitions on random positions, and drawn examples.

use std::collections::VecDeque;

use skirmish_rules::cells::{Cells, Wide};
use skirmish_rules::games::amazons::{Amazons, Position};
use skirmish_rules::{Choice, Notation, Playout, Random, Rules, Symmetry, Turn};

use super::board::Board;
use super::evaluate::{LIMIT, analyse, evaluate, evaluate_all, evaluate_inline};

fn on<C: Cells>(width: u16, height: u16, text: &str) -> (Amazons<C>, Position<C>) {
    let game = Amazons::new(width, height);
    let position = game.read_position(text).unwrap();
    (game, position)
}

/// A position some random turns into a game.
fn random_position<C: Cells>(game: &Amazons<C>, amazons: usize, seed: u64) -> Position<C> {
    let mut random = Random::seeded(seed);
    let mut position = game.start(amazons);
    let plies = random.below(u32::from(game.width() * game.height()));
    game.playout(&mut position, Choice::Turns, u64::from(plies), &mut random);
    position
}

/// The same position with the colours exchanged, the mover's too.
fn exchanged<C: Cells>(game: &Amazons<C>, position: &Position<C>) -> Position<C> {
    let text = game.write_position(position);
    let (board, mover) = text.split_once(' ').unwrap();
    let swap = |sign: char| match sign {
        'q' => 'Q',
        'Q' => 'q',
        other => other,
    };
    let board: String = board.chars().map(swap).collect();
    game.read_position(&format!("{board} {}", if mover == "w" { "b" } else { "w" })).unwrap()
}

/// Distances by plain breadth-first search: `u32::MAX` where nobody comes.
fn plain_distances<C: Cells>(
    game: &Amazons<C>,
    position: &Position<C>,
    side: usize,
    king: bool,
) -> Vec<u32> {
    let (width, cells) = (game.width(), game.width() * game.height());
    let mut distances = vec![u32::MAX; usize::from(cells)];
    let mut queue = VecDeque::new();
    for amazon in position.amazons(side).iter() {
        distances[usize::from(amazon)] = 0;
        queue.push_back(amazon);
    }
    while let Some(from) = queue.pop_front() {
        let next = distances[usize::from(from)] + 1;
        game.for_each_reached(position.blocked(), from, |to| {
            let near = (from % width).abs_diff(to % width) <= 1
                && (from / width).abs_diff(to / width) <= 1;
            if (near || !king) && distances[usize::from(to)] == u32::MAX {
                distances[usize::from(to)] = next;
                queue.push_back(to);
            }
        });
    }
    distances
}

fn distances_agree<C: Board>(width: u16, height: u16, amazons: usize, seeds: u64) {
    let game = Amazons::<C>::new(width, height);
    for seed in 0..seeds {
        println!("{width}x{height} seed {seed}");
        let position = random_position(&game, amazons, seed);
        let found = analyse(&game, &position);
        let empty = (0..width * height).filter(|cell| !position.blocked().contains(*cell));
        let distances = [false, true]
            .map(|king| [0, 1].map(|side| plain_distances(&game, &position, side, king)));
        let (mut open, mut influence, mut king_influence) = (0, 0, 0);
        for cell in empty {
            let at = |king: usize, side: usize| distances[king][side][usize::from(cell)];
            let [white, black] = [at(0, 0), at(0, 1)];
            assert_eq!(found.nearer_by_queen[0].contains(cell), white < black);
            assert_eq!(found.nearer_by_queen[1].contains(cell), black < white);
            let met = white != u32::MAX && black != u32::MAX;
            assert_eq!(found.tied_by_queen.contains(cell), met && white == black);
            assert_eq!(found.own[0].contains(cell), white != u32::MAX && black == u32::MAX);
            assert_eq!(found.own[1].contains(cell), black != u32::MAX && white == u32::MAX);
            if met && white.abs_diff(black) <= 3 {
                open += 8 >> white.abs_diff(black);
            }
            let smooth = |distance: u32| 64_i32.checked_shr(distance - 1).unwrap_or(0);
            influence += smooth(white) - smooth(black);
            let [white, black] = [at(1, 0), at(1, 1)];
            assert_eq!(found.nearer_by_king[0].contains(cell), white < black);
            assert_eq!(found.nearer_by_king[1].contains(cell), black < white);
            king_influence += black.min(7) as i32 - white.min(7) as i32;
        }
        assert_eq!(found.terms.open, open);
        assert_eq!(found.terms.queen_influence, influence);
        assert_eq!(found.terms.king_influence, king_influence);
        // The three ways to ask give one answer.
        assert_eq!(evaluate(&game, &position), found.value_for_mover);
        assert_eq!(evaluate_inline(&game, &position), found.value_for_mover);
        let mut values = Vec::new();
        evaluate_all(&game, &[position, position], &mut values);
        assert_eq!(values, [found.value_for_mover; 2]);
        assert!(found.value_for_mover.abs() <= LIMIT);
    }
}

#[test]
fn floods_find_the_distances_of_a_plain_search() {
    distances_agree::<u64>(4, 4, 2, 40);
    distances_agree::<u64>(8, 8, 4, 60);
    distances_agree::<u64>(8, 5, 3, 20);
    distances_agree::<u64>(5, 12, 2, 20);
    distances_agree::<u64>(26, 2, 2, 20);
    distances_agree::<u64>(2, 26, 1, 20);
    distances_agree::<u128>(8, 8, 4, 20);
    distances_agree::<u128>(8, 16, 4, 20);
    distances_agree::<u128>(10, 10, 4, 60);
    distances_agree::<u128>(10, 12, 4, 20);
    distances_agree::<u128>(5, 25, 3, 20);
    distances_agree::<Wide<11>>(10, 10, 4, 5);
    distances_agree::<Wide<11>>(20, 20, 4, 6);
    distances_agree::<Wide<11>>(26, 26, 4, 3);
}

#[test]
fn the_value_does_not_care_how_the_board_is_turned() {
    fn check<C: Board>(width: u16, height: u16, amazons: usize) {
        let game = Amazons::<C>::new(width, height);
        for seed in 0..60 {
            println!("{width}x{height} seed {seed}");
            let position = random_position(&game, amazons, seed);
            let value = evaluate(&game, &position);
            for which in 0..game.symmetries() {
                assert_eq!(evaluate(&game, &game.image(which, &position)), value);
            }
        }
    }
    check::<u64>(8, 8, 4);
    check::<u64>(5, 7, 2);
    check::<u128>(10, 10, 4);
}

#[test]
fn colours_are_only_names_and_the_turn_is_only_a_bonus() {
    let game = Amazons::<u64>::new(8, 8);
    for seed in 0..100 {
        println!("seed {seed}");
        let position = random_position(&game, 4, seed);
        let swapped = exchanged(&game, &position);
        assert_eq!(evaluate(&game, &swapped), evaluate(&game, &position));
        let [a, b] = [analyse(&game, &position).terms, analyse(&game, &swapped).terms];
        assert_eq!(a.queen_territory, -b.queen_territory);
        assert_eq!(a.freedom, -b.freedom);
        assert_eq!(a.open, b.open);
        // With the other side to move the value turns round, apart from the bonus, which depends
        // on the phase alone.
        let bonus = |terms: super::evaluate::Terms| {
            let none = super::evaluate::Terms { open: terms.open, cells: 64, ..Default::default() };
            none.value(0, super::evaluate::usual_weights(64))
        };
        let weights = super::evaluate::usual_weights(64);
        let both = a.value(0, weights) + a.value(1, weights);
        if a.value(0, weights).abs() < LIMIT && a.value(1, weights).abs() < LIMIT {
            assert!((both - 2 * bonus(a)).abs() <= 3, "{both} {}", bonus(a));
        }
    }
}

#[test]
fn nothing_panics_on_the_way_through_random_games() {
    fn check<C: Board>(width: u16, height: u16, amazons: usize, seeds: u64) {
        let game = Amazons::<C>::new(width, height);
        for seed in 0..seeds {
            let mut random = Random::seeded(seed);
            let mut position = game.start(amazons);
            while game.turn(&position) != Turn::Over {
                assert!(evaluate(&game, &position).abs() <= LIMIT);
                game.playout(&mut position, Choice::TwoStage, 1, &mut random);
            }
            evaluate(&game, &position);
        }
    }
    check::<u64>(2, 2, 1, 10);
    check::<u64>(8, 8, 4, 20);
    check::<u64>(6, 6, 0, 1);
    check::<u128>(10, 10, 4, 10);
    check::<Wide<11>>(26, 26, 338, 2);
    check::<Wide<11>>(20, 20, 4, 1);
}
