//! The search against truth, and the pool against its promises, with made-up networks.

use std::collections::HashMap;

use skirmish_rules::games::amazons::Amazons;
use skirmish_rules::games::in_trap::{InTrap, Pieces};
use skirmish_rules::games::watch_your_back::{Position as WatchYourBackPosition, WatchYourBack};
use skirmish_rules::{Random, Rules, Seat, Turn};

use crate::answer::{Answer, to_half};
use crate::encoding::Encode;
use crate::pool::{Kind, Pool, Settings};
use crate::search::{self, LeafStatus, Simulation, Tree};
use crate::shard::{Played, unpack};
use crate::window::Window;

/// A network with a uniform policy that values every position at 0.
struct UniformNetwork;

impl Answer for UniformNetwork {
    fn logit(&self, _: usize) -> f32 {
        0.0
    }
    fn outcome(&self) -> [f32; 3] {
        [0.0; 3]
    }
}

/// Searches with a uniform network until the root is proven, at most so many simulations.
fn solve<G: Encode>(game: &G, position: &G::Position, shares: bool, simulations: usize) -> Tree<G> {
    let mut tree = Tree::new(search::Settings { shares, ..search::Settings::default() });
    let mut simulation = Simulation::new(position.clone());
    for _ in 0..simulations {
        if tree.select_leaf(game, position, None, &mut simulation) == LeafStatus::Unevaluated {
            tree.answer(game, &simulation, &UniformNetwork);
        }
        if tree.certain_value().is_some() {
            break;
        }
    }
    tree
}

fn value<G: Encode>(game: &G, position: &G::Position, known: &mut HashMap<G::Position, i8>) -> i8 {
    let Turn::Player(seat) = game.turn(position) else {
        return game.payoff(position, Seat(0)) as i8;
    };
    if let Some(known) = known.get(position) {
        return *known;
    }
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let values = actions.into_iter().map(|action| {
        let mut next = position.clone();
        game.play(&mut next, action);
        value(game, &next, known)
    });
    let best = if seat.0 == 0 { values.max() } else { values.min() };
    let best = best.expect("a player to move has an action");
    known.insert(position.clone(), best);
    best
}

/// Plays at random until `ready`.
fn position_where<G: Encode>(
    game: &G,
    start: &G::Position,
    random: &mut Random,
    ready: impl Fn(&G::Position) -> bool,
) -> Option<G::Position> {
    let mut position = start.clone();
    while game.turn(&position) != Turn::Over {
        if ready(&position) {
            return Some(position);
        }
        let mut actions = Vec::new();
        game.actions(&position, &mut actions);
        game.play(&mut position, actions[random.below(actions.len() as u32) as usize]);
    }
    None
}

#[test]
fn what_the_search_proves_is_true() {
    let game = Amazons::<u64>::new(5, 4);
    let start = game.start(2);
    let mut known = HashMap::new();
    let mut proven = [0, 0];
    for seed in 0..60 {
        let mut random = Random::seeded(seed);
        let late = |position: &_| {
            let position: &skirmish_rules::games::amazons::Position<u64> = position;
            20 - position.blocked().count_ones() <= 8
        };
        let Some(position) = position_where(&game, &start, &mut random, late) else { continue };
        let Turn::Player(seat) = game.turn(&position) else { continue };
        for shares in [false, true] {
            let tree = solve(&game, &position, shares, 20_000);
            let Some(found) = tree.certain_value() else { continue };
            let truth = f32::from(value(&game, &position, &mut known));
            let truth = if seat.0 == 0 { truth } else { -truth };
            assert_eq!(found, truth, "seed {seed}, shares {shares}: {position:?}");
            proven[usize::from(shares)] += 1;
        }
    }
    assert!(proven[0] >= 30 && proven[1] >= proven[0], "only {proven:?} proven");
}

#[test]
fn draws_are_proven_as_draws() {
    // The last moves before the limit: neither side can take a spawner any more, or one side does.
    let game = InTrap::<u64, 9>::new(4, Pieces::standard(), Some(12));
    let start = game.start();
    let mut known = HashMap::new();
    let (mut draws, mut wins) = (0, 0);
    for seed in 0..40 {
        let mut random = Random::seeded(seed);
        let position =
            position_where(&game, &start, &mut random, |position| position.moves() >= 10);
        let Some(position) = position else { continue };
        let truth = f32::from(value(&game, &position, &mut known));
        let Turn::Player(seat) = game.turn(&position) else { continue };
        let truth = if seat.0 == 0 { truth } else { -truth };
        for shares in [false, true] {
            let tree = solve(&game, &position, shares, 20_000);
            assert_eq!(tree.certain_value(), Some(truth), "seed {seed}, shares {shares}");
        }
        if truth == 0.0 { draws += 1 } else { wins += 1 }
    }
    assert!(draws > 5 && wins > 5, "{draws} draws, {wins} wins");
}

#[test]
fn pending_simulations_do_not_collide_and_all_virtual_losses_are_removed() {
    let game = Amazons::<u64>::new(6, 6);
    let root = game.start(4);
    let mut tree = Tree::new(search::Settings::default());
    let mut simulations: Vec<Simulation<_>> = (0..16).map(|_| Simulation::new(root)).collect();
    assert_eq!(tree.select_leaf(&game, &root, None, &mut simulations[0]), LeafStatus::Unevaluated);
    tree.answer(&game, &simulations[0], &UniformNetwork);
    let mut evaluations = 0;
    for _ in 0..50 {
        let mut waiting = Vec::new();
        for simulation in &mut simulations {
            if tree.select_leaf(&game, &root, None, simulation) == LeafStatus::Unevaluated {
                waiting.push(simulation);
            }
        }
        let positions: std::collections::HashSet<_> =
            waiting.iter().map(|simulation| simulation.position).collect();
        assert_eq!(positions.len(), waiting.len(), "one position twice in a batch");
        evaluations += waiting.len();
        for simulation in waiting {
            tree.answer(&game, simulation, &UniformNetwork);
        }
    }
    let visits: u32 = tree.choices().iter().map(|edge| edge.visits).sum();
    assert_eq!(visits as usize, evaluations);
    // A uniform network values every position at 0: a virtual loss left over would show in the sums.
    assert!(tree.choices().iter().all(|edge| edge.mean().unwrap_or(0.0).abs() < 1e-3));
}

#[test]
fn what_lies_behind_a_choice_can_be_kept() {
    let game = Amazons::<u64>::new(6, 6);
    let root = game.start(4);
    let mut tree = solve(&game, &root, false, 500);
    let (choice, edge) =
        tree.choices().iter().enumerate().max_by_key(|(_, edge)| edge.visits).unwrap();
    let (visits, action) = (edge.visits, edge.action);
    let line = tree.line(choice, 5);
    assert_eq!(line[0], action);
    assert!(tree.keep(choice));
    let below: u32 = tree.choices().iter().map(|edge| edge.visits).sum();
    assert_eq!(below + 1, visits, "the first visit evaluated the position itself");
    let best = tree.choices().iter().enumerate().max_by_key(|(_, edge)| edge.visits).unwrap().0;
    assert_eq!(tree.line(best, 4), line[1..]);
    let mut next = root;
    game.play(&mut next, action);
    let mut simulation = Simulation::new(next);
    let status = tree.select_leaf(&game, &next, None, &mut simulation);
    assert_eq!(status, LeafStatus::Unevaluated);
    assert!(game.is_legal(&next, tree.choices()[best].action));
}

/// Answers made of the rows alone, so that they depend on nothing but the position.
fn made_up(answer_length: usize, row_bytes: usize, rows: &[u8], answers: &mut [u16]) {
    for (row, answer) in rows.chunks(row_bytes).zip(answers.chunks_mut(answer_length)) {
        let seed = row.iter().fold(7u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
        });
        let mut random = Random::seeded(seed);
        for number in answer {
            *number = to_half(random.below(1_000) as f32 / 500.0 - 1.0);
        }
    }
}

fn play<G: Encode>(pool: &mut Pool<G>, steps: usize) -> Vec<u8> {
    play_until(pool, steps, |_| false)
}

/// Plays so many steps at most, and no longer than until the games that ended are enough.
fn play_until<G: Encode>(
    pool: &mut Pool<G>,
    steps: usize,
    is_enough: impl Fn(&[u8]) -> bool,
) -> Vec<u8> {
    let (shape, count) = (pool.shape(), pool.rows());
    let mut rows = vec![0; count * shape.row_bytes()];
    let mut nets = vec![0; count];
    let mut answers = vec![0; count * shape.answer()];
    let mut games = Vec::new();
    pool.step(None, &mut rows, &mut nets).unwrap();
    for _ in 0..steps {
        made_up(shape.answer(), shape.row_bytes(), &rows, &mut answers);
        pool.step(Some(&answers), &mut rows, &mut nets).unwrap();
        games.extend(pool.take_games());
        if pool.results()["done"] == true || is_enough(&games) {
            break;
        }
    }
    games
}

fn small(kind: Kind, games: usize) -> Settings {
    Settings { kind, games, simulations: 8, fast_simulations: 4, seed: 3, ..Settings::default() }
}

#[test]
fn the_same_seed_plays_the_same_games_on_any_number_of_threads() {
    let game = Amazons::<u64>::new(4, 4);
    let games = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let settings = small(Kind::SelfPlay, 20);
            let mut pool = Pool::new("amazons", game.clone(), game.start(4), settings).unwrap();
            play(&mut pool, 200)
        })
    };
    let once = games(1);
    assert!(unpack(&once).unwrap().games.len() > 20);
    assert_eq!(once, games(3));
}

fn learn_from<G: Encode>(name: &'static str, game: &G, start: &G::Position, steps: usize) {
    let settings = Settings { full_chance: 0.5, ..small(Kind::SelfPlay, 12) };
    let mut pool = Pool::new(name, game.clone(), start.clone(), settings).unwrap();
    let bytes = play(&mut pool, steps);
    let games = unpack(&bytes).unwrap().games;
    assert!(!games.is_empty(), "{name}: no game was finished");
    let samples: usize = games.iter().map(|game| game.searches.len()).sum();
    let mut window = Window::new(game.clone(), 1_000_000);
    assert_eq!(window.add(&bytes).unwrap().samples, samples);
    let shape = game.shape();
    let mut rows = vec![0; 64 * shape.row_bytes()];
    let mut targets = vec![0; 64 * shape.target()];
    window.sample(5, &mut rows, &mut targets);
    for target in targets.chunks(shape.target()) {
        let numbers: Vec<f32> = target.iter().map(|bits| crate::answer::from_half(*bits)).collect();
        let policy: f32 = numbers[..shape.policy()].iter().sum();
        assert!((policy - 1.0).abs() < 0.02, "{name}: {policy}");
        let outcome: f32 = numbers[shape.policy()..shape.policy() + 3].iter().sum();
        assert!((outcome - 1.0).abs() < 0.01, "{name}: {outcome}");
    }
    window.set_capacity(3);
    assert_eq!(window.len(), 3);
    let statistics = pool.statistics();
    assert_eq!(statistics["games"], games.len(), "{statistics}");
    assert_eq!(statistics["rows"], 12 * steps, "{statistics}");
    // The games that go on are longer by now than all that ended, and do not count.
    let turns: usize = games.iter().map(|played| whole_turns(game, played)).sum();
    assert_eq!(statistics["turns"], turns, "{name}: {statistics}");
    assert_eq!(statistics["turns_per_game"], turns as f64 / games.len() as f64);
}

/// How many turns a game took, by playing it again.
fn whole_turns<G: Encode>(game: &G, played: &Played) -> usize {
    let mut position = game.read_position(&played.start).unwrap();
    let (mut turns, mut actions) = (0, Vec::new());
    for &index in &played.actions {
        actions.clear();
        game.actions(&position, &mut actions);
        let action = actions.iter().find(|action| game.index(&position, **action) == index);
        game.play(&mut position, *action.unwrap());
        turns += usize::from(!game.mid_turn(&position));
    }
    turns
}

#[test]
fn turns_of_games_that_go_on_are_no_part_of_the_length_of_a_game() {
    let game = Amazons::<u64>::new(4, 4);
    let settings = small(Kind::SelfPlay, 64);
    let mut pool = Pool::new("amazons", game.clone(), game.start(4), settings).unwrap();
    // Until the first game has ended.
    let games = play_until(&mut pool, 200, |games| !games.is_empty());
    let statistics = pool.statistics();
    assert_eq!(statistics["games"], unpack(&games).unwrap().games.len());
    // Sixteen squares less eight amazons: each turn burns one.
    let length = statistics["turns_per_game"].as_f64().unwrap();
    assert!((1.0..=8.0).contains(&length), "{statistics}");
}

#[test]
fn every_game_can_be_learned_from() {
    let game = Amazons::<u64>::new(4, 4);
    learn_from("amazons", &game, &game.start(4), 300);
    let game = Amazons::<u128>::new(10, 10);
    learn_from("amazons", &game, &game.start(4), 2_000);
    let game = InTrap::<u64, 9>::new(6, Pieces::standard(), Some(200));
    learn_from("in-trap", &game, &game.start(), 1_000);
    let game = WatchYourBack::new(Some(512));
    learn_from("watch-your-back", &game, &WatchYourBackPosition::start(), 2_000);
}

#[test]
fn a_match_is_played_in_pairs_and_ends() {
    let game = Amazons::<u64>::new(4, 4);
    let settings = small(Kind::Match, 10);
    let mut pool = Pool::new("amazons", game.clone(), game.start(4), settings).unwrap();
    let games = unpack(&play(&mut pool, 10_000)).unwrap().games;
    assert_eq!(games.len(), 10);
    let results = pool.results();
    assert_eq!(results["done"], true);
    assert_eq!(results["pairs"].as_array().unwrap().len(), 5);
    // The same network on both sides: what one wins with a colour, the other wins with it.
    assert_eq!(results["pairs"], serde_json::json!([1.0, 1.0, 1.0, 1.0, 1.0]));

    let settings = Settings { anchor: "greedy".to_owned(), ..small(Kind::Anchor, 10) };
    let mut pool = Pool::new("amazons", game.clone(), game.start(4), settings).unwrap();
    play(&mut pool, 10_000);
    assert_eq!(pool.results()["done"], true);
}

#[test]
fn wrong_settings_and_answers_are_refused() {
    let game = Amazons::<u64>::new(4, 4);
    let pool = |settings| Pool::new("amazons", game.clone(), game.start(4), settings);
    assert!(pool(Settings { games: 0, ..Settings::default() }).is_err());
    assert!(pool(Settings { games: 3, kind: Kind::Match, ..Settings::default() }).is_err());
    let anchor =
        Settings { kind: Kind::Anchor, anchor: "unknown".to_owned(), ..Settings::default() };
    assert!(pool(anchor).is_err());
    let mut pool = pool(small(Kind::SelfPlay, 2)).unwrap();
    let shape = pool.shape();
    let mut rows = vec![0; 2 * shape.row_bytes()];
    let mut nets = vec![0; 2];
    let none = vec![0x7e00; 2 * shape.answer()];
    assert!(pool.step(Some(&none), &mut rows, &mut nets).is_err(), "not asked yet");
    pool.step(None, &mut rows, &mut nets).unwrap();
    let error = pool.step(Some(&none), &mut rows, &mut nets).unwrap_err();
    assert!(error.message.contains("a NaN or an infinite number"), "{error}");
    assert!(pool.step(None, &mut rows, &mut nets).is_err());
}
