//! The searches held against the truth: trees written down with known values, and plain minimax on
//! thousands of random positions of real games.

use std::sync::Arc;

use skirmish_rules::cells::Wide;
use skirmish_rules::games::amazons::Amazons;
use skirmish_rules::games::in_trap::{InTrap, Pieces};
use skirmish_rules::games::watch_your_back::{Position, WatchYourBack};
use skirmish_rules::{Choice, Game, Random, Rules, Turn};

use crate::agent::{Allowance, Stop};
use crate::alphabeta;
use crate::amazons::Turns;
use crate::mcts;
use crate::minimax::minimax;
use crate::transposition::Table;
use crate::tree::written::Written;
use crate::tree::{MoveMapping, Outcome, OwnHeuristics, Steps, Tree, WIN};
use crate::{in_trap, watch_your_back};

fn exact(table: bool) -> alphabeta::Settings {
    alphabeta::Settings {
        quiescence: false,
        reductions: false,
        endings: false,
        table,
        ..alphabeta::Settings::default()
    }
}

fn alphabeta_value<T: Tree>(tree: &T, state: &T::State, depth: u32, table: bool) -> i32 {
    let allowance = Allowance { depth: Some(depth), ..Allowance::default() };
    let memory = Arc::new(Table::with_bytes(1 << 20));
    let found = alphabeta::search(tree, state, &exact(table), &memory, &allowance, &Stop::new());
    // The line is real: playing it leads to a position worth the value.
    let line = &found.lines[0];
    let (mut at, mut sign) = (state.clone(), 1);
    for &mv in &line.moves {
        let mover = tree.mover(&at).expect("a line ends where the game ends");
        tree.play(&mut at, mv);
        if tree.mover(&at).is_some_and(|next| next != mover) {
            sign = -sign;
        }
    }
    if tree.mover(&at).is_some() {
        assert_eq!(sign * tree.evaluate(&at), line.value, "the line ends in its value");
    }
    line.value
}

#[test]
fn written_trees_have_their_known_values() {
    // (tree, depth, value for the first player)
    let trees = [
        ("(3 5 -2)", 1, 2),
        ("((3 5) (2 9) (-1 20))", 2, 3),
        ("((3 (1 2)) (4 D))", 3, 0),
        ("(=(1 7) (2 3))", 2, 2),
        ("((L W) (D (L D)))", 3, 0),
        ("(L D W)", 1, WIN - 1),
        ("((W W) (L W))", 2, WIN - 2),
        ("((L) (L (W L)))", 3, 2 - WIN),
    ];
    for (text, depth, expected) in trees {
        let (tree, root) = Written::read(text);
        // Guesses are for the player who moves there: one turn deep that is the second player.
        let expected = if text == "(3 5 -2)" { 2 } else { expected };
        assert_eq!(minimax(&tree, &root, depth, 0), expected, "{text}");
        for table in [false, true] {
            assert_eq!(alphabeta_value(&tree, &root, depth, table), expected, "{text}");
        }
    }
}

#[test]
fn solved_nodes_are_backed_up_exactly() {
    // (tree, value for the first player, best first move)
    let trees = [
        ("(L D W)", 1.0, 2),
        ("((W W) (L W))", 1.0, 0),
        ("((W D) (L W) (D D))", 0.0, 0),
        ("((L) (L (W L)))", -1.0, 0),
        ("(=((L L) (W L)) (W (W L)))", 1.0, 1),
        ("(((W L) (L L)) ((D W) (D D)))", 0.0, 1),
        ("((((W))) ((L)) (L))", 1.0, 0),
    ];
    for (text, value, best) in trees {
        for leaf in [mcts::Leaf::Evaluate, mcts::Leaf::Playout] {
            let (tree, root) = Written::read(text);
            let settings = mcts::Settings { leaf, ..mcts::Settings::default() };
            let allowance = Allowance { nodes: Some(500), ..Allowance::default() };
            let mut random = Random::seeded(1);
            let found = mcts::search(
                &tree,
                &root,
                &settings,
                &allowance,
                &Stop::new(),
                &mut random,
                &mut None,
            );
            let line = &found.lines[0];
            assert!(line.proven || value < 0.0, "{text}: {line:?}");
            assert_eq!(line.value, value, "{text}");
            if value >= 0.0 {
                assert_eq!(line.moves[0], best, "{text}");
            }
            assert!(found.nodes < 500, "{text}: a solved tree needs no more looking");
        }
    }
}

/// Compares alpha-beta, with and without its table, to minimax on random positions of a game.
fn agrees_with_minimax<G: Game, T: MoveMapping<G>>(
    game: &G,
    start: &G::Position,
    tree: &T,
    positions: u64,
    depths: &[u32],
    most_leaves: u64,
) {
    let mut compared = 0;
    for seed in 0.. {
        let mut random = Random::seeded(seed);
        let longest = game.bound(start).unwrap_or(200).clamp(1, 200) as u32;
        let mut position = start.clone();
        let turns = u64::from(random.below(longest));
        game.playout(&mut position, Choice::Turns, turns, &mut random);
        if game.turn(&position) == Turn::Over {
            continue;
        }
        let state = tree.state(&position);
        for &depth in depths {
            // Shallow counts first: the deep one of an early position would take for ever.
            if (1..=depth).any(|depth| game.perft(&position, depth) > most_leaves) {
                continue;
            }
            let place = format!("seed {seed} depth {depth}: {}", game.write_position(&position));
            let truth = minimax(tree, &state, depth, 0);
            assert_eq!(alphabeta_value(tree, &state, depth, false), truth, "{place}");
            assert_eq!(alphabeta_value(tree, &state, depth, true), truth, "with table, {place}");
            compared += 1;
        }
        if compared >= positions {
            return;
        }
    }
}

#[test]
fn alphabeta_equals_minimax_in_watch_your_back() {
    let game = WatchYourBack::new(Some(512));
    let tree = Steps::new(game, watch_your_back::WatchYourBackEvaluator);
    agrees_with_minimax(&game, &Position::start(), &tree, 2_000, &[1, 2, 3, 4], 15_000);
    agrees_with_minimax(&game, &Position::start(), &tree, 20, &[3, 4], 900_000);
}

#[test]
fn alphabeta_equals_minimax_in_in_trap() {
    let game = InTrap::<u64, 9>::new(6, Pieces::standard(), Some(200));
    let tree = in_trap::tree(game.clone());
    agrees_with_minimax(&game, &game.start(), &tree, 2_000, &[1, 2, 3, 4], 15_000);
    agrees_with_minimax(&game, &game.start(), &tree, 20, &[3, 4], 900_000);
}

#[test]
fn alphabeta_equals_minimax_in_amazons() {
    for (width, height, amazons) in [(4, 4, 2), (4, 4, 4), (5, 5, 2), (5, 4, 4)] {
        let game = Amazons::<u64>::new(width, height);
        let start = game.start(amazons);
        let tree = Turns::new(game.clone());
        agrees_with_minimax(&game, &start, &tree, 500, &[1, 2, 3, 4], 5_000);
        agrees_with_minimax(&game, &start, &tree, 5, &[3, 4], 200_000);
    }
    // Late positions of the large boards, and the wide sets.
    let game = Amazons::<u128>::new(10, 10);
    agrees_with_minimax(&game, &game.start(4), &Turns::new(game.clone()), 60, &[2, 3], 20_000);
    let game = Amazons::<Wide<11>>::new(12, 12);
    agrees_with_minimax(&game, &game.start(4), &Turns::new(game.clone()), 20, &[1, 2], 20_000);
}

#[test]
fn alphabeta_by_single_steps_equals_alphabeta_by_whole_turns() {
    // The same game walked in three steps a turn, without an evaluation: only wins count.
    let game = Amazons::<u64>::new(4, 3);
    let start = game.start(2);
    let tree = Steps::new(game.clone(), OwnHeuristics::new(&game, &start));
    agrees_with_minimax(&game, &start, &tree, 200, &[1, 2, 3], 5_000);
}

#[test]
fn a_search_that_was_cut_off_proves_nothing() {
    let game = WatchYourBack::new(Some(512));
    let tree = Steps::new(game, watch_your_back::WatchYourBackEvaluator);
    let table = Arc::new(Table::with_bytes(1 << 16));
    for nodes in [1, 2, 5, 10, 50, 100, 200, 500] {
        let allowance = Allowance { nodes: Some(nodes), ..Allowance::default() };
        let settings = alphabeta::Settings::default();
        let start = Position::start();
        let found = alphabeta::search(&tree, &start, &settings, &table, &allowance, &Stop::new());
        assert!(found.lines[0].value.abs() < crate::tree::PROVEN, "{nodes} nodes: {found:?}");
    }
}

fn proved<T: Tree>(tree: &T, state: &T::State) -> Option<alphabeta::Proof<T::Move>> {
    let table = Arc::new(Table::with_bytes(1 << 20));
    alphabeta::prove(tree, state, &table, &Allowance::default(), &Stop::new()).proof
}

#[test]
fn wins_draws_and_losses_are_proven_and_nothing_else_is() {
    use crate::tree::Outcome::{Draw, Loss, Win};
    // A number is a game without end: nothing is certain about it.
    for (text, outcome) in [
        ("(L D W)", Some(Win)),
        ("((W W) (L W))", Some(Win)),
        ("((L) (L (W L)))", Some(Loss)),
        ("((L W) (D (L D)))", Some(Draw)),
        ("(D (W L))", Some(Draw)),
        ("(=((L L) (W L)) (D (W L)))", Some(Draw)),
        ("(D)", Some(Draw)),
        ("(1 W)", Some(Win)),
        ("(1 L)", None),
        ("(1 D)", None),
        ("((1 D) (D W))", Some(Draw)),
        ("((1 L) (D W))", Some(Draw)),
        ("((1 W) (D W))", None),
        ("((1 L) (1 L))", Some(Loss)),
    ] {
        let (tree, root) = Written::read(text);
        let proof = proved(&tree, &root);
        let found = proof.as_ref().map(|proof| (proof.outcome, proof.is_whole));
        assert_eq!(found, outcome.map(|outcome| (outcome, true)), "{text}: {proof:?}");
    }
}

/// Proves random positions near the end of a game, and holds proofs and lines against minimax to the
/// very end.
fn proofs_agree_with_minimax<G: Game, T: MoveMapping<G>>(
    game: &G,
    start: &G::Position,
    tree: &T,
    turns_left: u64,
    positions: u32,
) -> [u32; 3] {
    let outcome = |state: &T::State| match minimax(tree, state, 100, 0).signum() {
        1 => Outcome::Win,
        0 => Outcome::Draw,
        _ => Outcome::Loss,
    };
    let mut found = [0; 3];
    for seed in 0.. {
        let mut random = Random::seeded(seed);
        let mut position = start.clone();
        let turns = game.bound(start).expect("a game with a limit") - turns_left;
        game.playout(&mut position, Choice::Turns, turns, &mut random);
        let depth = turns_left as u32;
        if game.turn(&position) == Turn::Over
            || (1..=depth).any(|depth| game.perft(&position, depth) > 15_000)
        {
            continue;
        }
        let place = format!("seed {seed}: {}", game.write_position(&position));
        let mut state = tree.state(&position);
        let proof = proved(tree, &state).expect(&place);
        assert!(proof.is_whole, "{place}");
        let mut mover = tree.mover(&state).expect("the game goes on");
        let first = mover;
        for &mv in &proof.line {
            let expected = if mover == first { proof.outcome } else { proof.outcome.reversed() };
            assert_eq!(outcome(&state), expected, "{place}: {:?}", proof.line);
            tree.play(&mut state, mv);
            mover = tree.mover(&state).unwrap_or(mover);
        }
        assert_eq!(tree.mover(&state), None, "{place}: the line goes to the end");
        assert_eq!(tree.outcome(&state, first), proof.outcome, "{place}");
        found[proof.outcome as usize] += 1;
        if found.iter().sum::<u32>() == positions {
            return found;
        }
    }
    unreachable!("there are seeds without end")
}

#[test]
fn proofs_agree_with_minimax_to_the_end_of_the_game() {
    let game = InTrap::<u64, 9>::new(6, Pieces::standard(), Some(60));
    let tree = in_trap::tree(game.clone());
    let found = proofs_agree_with_minimax(&game, &game.start(), &tree, 3, 300);
    assert!(found.iter().all(|count| *count > 0), "wins, draws and losses: {found:?}");
    let game = WatchYourBack::new(Some(200));
    let tree = Steps::new(game, watch_your_back::WatchYourBackEvaluator);
    proofs_agree_with_minimax(&game, &Position::start(), &tree, 4, 300);
    // The same by what a game says of itself, which is nothing.
    let tree = Steps::new(game, OwnHeuristics::new(&game, &Position::start()));
    proofs_agree_with_minimax(&game, &Position::start(), &tree, 4, 300);
    // Several steps a turn.
    let game = Amazons::<u64>::new(3, 3);
    let start = game.start(1);
    let tree = Steps::new(game.clone(), OwnHeuristics::new(&game, &start));
    let bound = game.bound(&start).expect("squares run out");
    proofs_agree_with_minimax(&game, &start, &tree, bound - 3, 20);
}
