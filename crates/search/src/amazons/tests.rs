//! Comparisons with plain definitions on random positions, and drawn examples.

use std::collections::{HashMap, VecDeque};

use skirmish_rules::cells::{Cells, Wide};
use skirmish_rules::games::amazons::{Amazons, Cell, Position};
use skirmish_rules::{Choice, Notation, Playout, Random, Rules, Symmetry, Turn, Turns};

use super::board::Board;
use super::evaluate::{LIMIT, analyse, evaluate, evaluate_all};
use super::rank::{rank, rank_likely};
use super::regions::{Bounds, Counter, count, filling_turn, separated};
use super::solve::{LineEnd, SolveLimits, Solved, solve};
use super::turns::Move;
use crate::tree::Tree;

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

/// Distances by plain breadth-first search: `u32::MAX` for unreachable cells.
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
        // The ways to ask give one answer.
        assert_eq!(evaluate(&game, &position), found.value_for_mover);
        let mut values = Vec::new();
        evaluate_all(&game, &[position; 70], &mut values);
        assert_eq!(values, [found.value_for_mover; 70]);
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
                let mut counter = Counter::new(&game, 20);
                for Bounds { lower, upper } in counter.count(&game, &position).sides {
                    assert!(lower <= upper);
                }
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

/// The most turns white can make if black never moves, by exhaustive search.
fn plain_filling<C: Cells>(
    game: &Amazons<C>,
    position: &Position<C>,
    known: &mut HashMap<Position<C>, u32>,
) -> u32 {
    if let Some(turns) = known.get(position) {
        return *turns;
    }
    let mut best = 0;
    for (_, next) in turns_on(game, position) {
        best = best.max(1 + plain_filling(game, &with_white_to_move(game, &next), known));
    }
    known.insert(*position, best);
    best
}

fn with_white_to_move<C: Cells>(game: &Amazons<C>, position: &Position<C>) -> Position<C> {
    game.read_position(&game.write_position(position).replace(" b", " w")).unwrap()
}

fn turns_on<C: Cells>(game: &Amazons<C>, position: &Position<C>) -> Vec<(Vec<Cell>, Position<C>)> {
    let mut turns = Vec::new();
    game.for_each_turn(position, &mut |actions, next| turns.push((actions.to_vec(), *next)));
    turns
}

/// A board with each cell drawn at random: amazons and empty cells at these rates in a hundred.
fn random_board(random: &mut Random, width: u16, height: u16, rates: [u32; 3]) -> String {
    let mut text = String::new();
    for row in 0..height {
        if row > 0 {
            text.push('/');
        }
        for _ in 0..width {
            let drawn = random.below(100);
            // Runs have at most two digits, so `01` is one empty cell whatever follows.
            text.push_str(match drawn {
                _ if drawn < rates[0] => "Q",
                _ if drawn < rates[0] + rates[1] => "q",
                _ if drawn < rates[0] + rates[1] + rates[2] => "01",
                _ => "*",
            });
        }
    }
    text
}

/// Who wins, by trying everything.
fn plain_winner<C: Cells>(
    game: &Amazons<C>,
    position: &Position<C>,
    known: &mut HashMap<Position<C>, usize>,
) -> usize {
    if let Some(winner) = known.get(position) {
        return *winner;
    }
    let mover = position.mover();
    let wins = turns_on(game, position).iter().any(|(_, n)| plain_winner(game, n, known) == mover);
    let winner = if wins { mover } else { 1 - mover };
    known.insert(*position, winner);
    winner
}

#[test]
fn a_region_of_one_side_is_counted_as_by_trying_everything() {
    let game = Amazons::<u64>::new(4, 3);
    let mut random = Random::seeded(11);
    let (mut wasted, mut known) = (0, HashMap::new());
    for _ in 0..3000 {
        let text = random_board(&mut random, 4, 3, [10, 0, 45]) + " w";
        let position = game.read_position(&text).unwrap();
        if game.bound(&position) > Some(6) {
            continue;
        }
        let turns = plain_filling(&game, &position, &mut known);
        let [white, black] = Counter::new(&game, u64::MAX).count(&game, &position).sides;
        assert_eq!(white, Bounds { lower: turns, upper: turns }, "{text}");
        assert_eq!(black, Bounds::default(), "{text}");
        wasted += u32::from(separated(&game, &position).unwrap().regions.iter().any(|region| {
            let bounds = Counter::new(&game, u64::MAX).count_region(&game, region);
            bounds.upper < region.empty.count()
        }));
    }
    assert!(wasted > 10, "the examples were too easy: {wasted}");
}

#[test]
fn a_filling_makes_as_many_turns_as_were_counted() {
    let game = Amazons::<u64>::new(6, 5);
    let mut random = Random::seeded(5);
    for _ in 0..60 {
        let text = random_board(&mut random, 6, 5, [8, 0, 50]) + " w";
        let start = game.read_position(&text).unwrap();
        let promised = count(&game, &start).sides[0].lower;
        let mut position = start;
        let mut made = 0;
        while let Some(turn) = filling_turn(&game, &position) {
            turn.iter().for_each(|action| {
                assert!(game.is_legal(&position, *action));
                game.play(&mut position, *action);
            });
            made += 1;
            position = with_white_to_move(&game, &position);
        }
        assert!(made >= promised, "{text}: {made} of {promised}");
    }
}

#[test]
fn a_guard_burns_the_door_behind_it() {
    // White's amazon on c2 keeps black out of a1-b2. It can go inside and burn c2: four cells, four
    // turns. Black has d1 to d2 and nothing else, for it cannot come past.
    let (game, position) = on::<u64>(5, 2, "2Q1q/2*1* w");
    let separated = separated(&game, &position);
    assert!(separated.is_none(), "d2 is shared");
    let (game, position) = on::<u64>(5, 2, "2Qq1/2**1 w");
    let regions = super::separated(&game, &position).unwrap().regions;
    assert_eq!(regions.len(), 2);
    assert_eq!(regions[0].guards, position.amazons(0));
    let count = count(&game, &position);
    assert_eq!(count.sides[0], Bounds { lower: 4, upper: 4 });
    assert_eq!(count.sides[1], Bounds { lower: 2, upper: 2 });
    assert_eq!(count.winner(0), Some(0));
    let turn = filling_turn(&game, &position).unwrap();
    assert_eq!(turn[2], turn[0], "the arrow goes back to the square it left");
}

#[test]
fn counting_never_names_the_wrong_winner() {
    let game = Amazons::<u64>::new(4, 4);
    let mut random = Random::seeded(3);
    let (mut decided, mut known) = (0, HashMap::new());
    for _ in 0..3000 {
        let text = random_board(&mut random, 4, 4, [12, 12, 32]) + " b";
        let position = game.read_position(&text).unwrap();
        if game.bound(&position) > Some(6) {
            continue;
        }
        if let Some(winner) = count(&game, &position).winner(1) {
            decided += 1;
            assert_eq!(winner, plain_winner(&game, &position, &mut known), "{text}");
        }
    }
    assert!(decided > 500, "{decided}");
}

/// Checks the answer and walks its line: legal turns, and after each the winner still wins.
fn check_solved<C: Board>(
    game: &Amazons<C>,
    position: &Position<C>,
    solved: &Solved,
    mut winner_of: impl FnMut(&Position<C>) -> usize,
) {
    let text = game.write_position(position);
    let winner = winner_of(position);
    assert_eq!(solved.winner, Some(winner), "{text}");
    assert_eq!(solved.mover_wins, Some(winner == position.mover()), "{text}");
    let mut position = *position;
    for turn in &solved.line {
        for action in turn {
            assert!(game.is_legal(&position, *action), "{text}");
            game.play(&mut position, *action);
        }
        assert_eq!(winner_of(&position), winner, "{text}");
    }
    match solved.line_end {
        LineEnd::GameOver => assert_eq!(game.turn(&position), Turn::Over),
        end => panic!("{text}: the line ends early, {end:?}"),
    }
}

#[test]
fn the_solver_agrees_with_trying_everything() {
    for (width, height, rates, seed) in [
        (3, 3, [15, 15, 60], 1),
        (4, 3, [12, 12, 45], 2),
        (4, 4, [10, 10, 35], 3),
        (5, 4, [8, 8, 28], 4),
    ] {
        let game = Amazons::<u64>::new(width, height);
        let mut random = Random::seeded(seed);
        let mut known = HashMap::new();
        let limits = SolveLimits { entries: 1 << 10, ..SolveLimits::default() };
        let mut solved = 0;
        while solved < 120 {
            let text = random_board(&mut random, width, height, rates) + " w";
            let position = game.read_position(&text).unwrap();
            // Up to six empty cells everything can be tried.
            if game.bound(&position) > Some(6) {
                continue;
            }
            solved += 1;
            check_solved(&game, &position, &solve(&game, &position, &limits), |position| {
                plain_winner(&game, position, &mut known)
            });
        }
    }
}

#[test]
fn small_boards_have_their_published_winners() {
    for (width, height, text, winner) in [
        (4, 4, "1qq1/q2q/Q2Q/1QQ1 w", 1),
        (4, 4, "1qq1/4/4/1QQ1 w", 0),
        // The whole 5×4 board takes a second when optimised; the 5×5 board half a minute.
        #[cfg(not(debug_assertions))]
        (5, 4, "1q1q1/q3q/Q3Q/1Q1Q1 w", 0),
    ] {
        let (game, position) = on::<u64>(width, height, text);
        let limits = SolveLimits { entries: 1 << 18, ..SolveLimits::default() };
        let solved = solve(&game, &position, &limits);
        assert_eq!(solved.winner, Some(winner), "{text}");
        assert_eq!(solved.line_end, LineEnd::GameOver);
        // A wide set finds the same.
        if width == 4 {
            let (game, position) = on::<u128>(width, height, text);
            assert_eq!(solve(&game, &position, &limits), solved);
        }
    }
}

#[test]
fn the_solver_gives_up_at_its_limits() {
    let game = Amazons::<Wide<11>>::new(20, 20);
    let limits = SolveLimits { nodes: 2, entries: 1 << 10, ..SolveLimits::default() };
    let solved = solve(&game, &game.start(1), &limits);
    assert_eq!((solved.winner, solved.line_end), (None, LineEnd::Cut));
    let game = Amazons::<u64>::new(6, 6);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let limits = SolveLimits { stop: Some(&stop), entries: 1 << 10, ..SolveLimits::default() };
    assert_eq!(solve(&game, &game.start(4), &limits).winner, None);
}

/// How the turns of a position rank by the plain definition.
fn plain_ranking<C: Board>(game: &Amazons<C>, position: &Position<C>) -> Vec<(Move, i32)> {
    let tree = super::Turns::new(game.clone());
    let mut moves = Vec::new();
    tree.moves(position, &mut moves);
    let mover = position.mover() as u8;
    let mut valued: Vec<(Move, i32)> = moves
        .into_iter()
        .map(|mv| {
            let mut next = *position;
            tree.play(&mut next, mv);
            (mv, tree.value_for(&next, mover))
        })
        .collect();
    valued.sort_by_key(|(_, value)| -value);
    valued
}

fn rankings_agree<C: Board>(width: u16, height: u16, amazons: usize, seeds: u64) {
    let game = Amazons::<C>::new(width, height);
    for seed in 0..seeds {
        println!("{width}x{height} seed {seed}");
        let position = random_position(&game, amazons, seed);
        let plain = plain_ranking(&game, &position);
        assert_eq!(rank(&game, &position), plain);
        // A choice has fewer, each worth the same.
        let (likely, is_partial) = rank_likely(&game, &position, 30);
        assert_eq!(likely.len(), if is_partial { 30 } else { plain.len() });
        assert!(likely.iter().all(|turn| plain.contains(turn)));
    }
}

#[test]
fn turns_rank_as_the_plain_definition_has_it() {
    rankings_agree::<u64>(8, 8, 4, 60);
    rankings_agree::<u64>(5, 4, 2, 200);
    rankings_agree::<u128>(10, 10, 4, 40);
    rankings_agree::<u128>(9, 12, 3, 20);
    rankings_agree::<Wide<11>>(10, 10, 4, 5);
    rankings_agree::<Wide<11>>(17, 5, 4, 5);
}
