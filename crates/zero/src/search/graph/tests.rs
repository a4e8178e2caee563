//! The search as a graph: what must hold of it whatever was searched and kept.

use std::collections::{HashMap, HashSet};

use skirmish_rules::games::amazons::Amazons;
use skirmish_rules::games::in_trap::{InTrap, Pieces};
use skirmish_rules::games::watch_your_back::{Position as WatchYourBackPosition, WatchYourBack};
use skirmish_rules::{Random, Rules, Turn};

use crate::answer::Answer;
use crate::encoding::Encode;
use crate::search::{LeafStatus, NO_NODE, Settings, Simulation, Tree, certain, for_mover};

/// A network that likes the same actions in every position, so that they are played in any order,
/// and evaluates by the position alone.
struct MadeUp(u64);

impl Answer for MadeUp {
    fn logit(&self, index: usize) -> f32 {
        Random::seeded(index as u64).below(1_000) as f32 / 100.0
    }
    fn outcome(&self) -> [f32; 3] {
        [Random::seeded(self.0).below(1_000) as f32 / 500.0 - 1.0, 0.0, 0.0]
    }
}

fn graph<G: Encode>() -> Tree<G> {
    Tree::new(Settings { shares: true, ..Settings::default() })
}

/// Searches with `size` simulations pending at once. Returns the positions evaluated.
fn search<G: Encode>(
    tree: &mut Tree<G>,
    game: &G,
    root: &G::Position,
    (batches, size): (usize, usize),
) -> Vec<G::Position> {
    let mut simulations: Vec<Simulation<G>> =
        (0..size).map(|_| Simulation::new(root.clone())).collect();
    let mut evaluated = Vec::new();
    for _ in 0..batches {
        let size = if tree.is_begun() { size } else { 1 };
        let mut waiting = 0;
        for _ in 0..size {
            let status = tree.select_leaf(game, root, None, &mut simulations[waiting]);
            waiting += usize::from(status == LeafStatus::Unevaluated);
        }
        for simulation in &simulations[..waiting] {
            tree.answer(game, simulation, &MadeUp(game.key(&simulation.position)));
            evaluated.push(simulation.position.clone());
        }
    }
    evaluated
}

/// Walks every way from a node and checks what must hold of it. Returns how many nodes were seen.
fn check<G: Encode>(tree: &Tree<G>, game: &G, root: &G::Position) -> usize {
    let mut open = vec![(0, root.clone(), 0)];
    // A node has one position and one depth: were there a cycle, it would have two.
    let mut seen = HashMap::from([(0, (root.clone(), 0))]);
    while let Some((number, position, depth)) = open.pop() {
        let node = &tree.nodes[number as usize];
        let edges = tree.edges_of(node);
        if node.count == 0 {
            assert_eq!(node.proven.map(f32::from), certain(game, &position));
            continue;
        }
        let mut actions = Vec::new();
        game.actions(&position, &mut actions);
        assert!(edges.iter().map(|edge| edge.action).eq(actions));
        let Turn::Player(seat) = game.turn(&position) else { panic!("a game that is over") };
        assert_eq!(seat.0, u16::from(node.mover));
        let priors: f32 = edges.iter().map(|edge| edge.prior).sum();
        assert!((priors - 1.0).abs() < 1e-3, "{priors}");
        assert_eq!(node.visits, 1 + edges.iter().map(|edge| edge.visits).sum::<u32>());
        assert!(node.total.abs() <= node.visits as f32 + 1e-2);
        for edge in edges {
            assert_eq!(edge.virtual_losses, 0);
            assert_eq!(edge.child == NO_NODE, edge.visits == 0);
            if edge.child == NO_NODE {
                continue;
            }
            assert!(edge.total.abs() <= edge.visits as f32 + 1e-2);
            let child = &tree.nodes[edge.child as usize];
            assert!(child.proven.is_some() || child.visits >= edge.visits);
            let mut next = position.clone();
            game.play(&mut next, edge.action);
            let place = (next, depth + 1);
            match seen.get(&edge.child) {
                Some(known) => assert!(*known == place, "one node for two positions"),
                None => {
                    seen.insert(edge.child, place.clone());
                    open.push((edge.child, place.0, place.1));
                }
            }
        }
    }
    for ((key, depth), number) in &tree.known.nodes {
        let (position, at) = &seen[number];
        assert_eq!((*key, *depth), (game.key(position), tree.known.root + at));
    }
    let evaluated = seen.keys().filter(|number| tree.nodes[**number as usize].count > 0).count();
    assert_eq!(tree.known.nodes.len(), evaluated, "one position has two nodes, or none is known");
    seen.len()
}

/// Plays a game, searching and keeping what was found.
fn play_and_check<G: Encode>(game: &G, start: &G::Position, seed: u64, turns: usize) {
    let mut random = Random::seeded(seed);
    let (mut tree, mut position) = (graph(), start.clone());
    for _ in 0..turns {
        search(&mut tree, game, &position, (20, 1 + random.below(12) as usize));
        assert_eq!(check(&tree, game, &position), tree.len(), "seed {seed}: unreachable nodes");
        let tried: Vec<usize> =
            (0..tree.choices().len()).filter(|&choice| tree.choices()[choice].visits > 0).collect();
        let choice = tried[random.below(tried.len() as u32) as usize];
        game.play(&mut position, tree.choices()[choice].action);
        if certain(game, &position).is_some() {
            return;
        }
        assert!(tree.keep(choice));
        assert_eq!(check(&tree, game, &position), tree.len(), "seed {seed}: kept too much");
    }
}

#[test]
fn a_graph_stays_whole_whatever_is_searched_and_kept() {
    for seed in 0..6 {
        let game = Amazons::<u64>::new(4, 4);
        play_and_check(&game, &game.start(4), seed, 40);
        let game = InTrap::<u64, 9>::new(4, Pieces::standard(), Some(30));
        play_and_check(&game, &game.start(), seed, 40);
        play_and_check(&WatchYourBack::new(None), &WatchYourBackPosition::start(), seed, 40);
    }
}

#[test]
fn a_position_is_evaluated_once() {
    // Two placements in either order lead to the same position.
    let (game, root) = (WatchYourBack::new(None), WatchYourBackPosition::start());
    let twice = |shares| {
        let mut tree = Tree::new(Settings { shares, ..Settings::default() });
        let evaluated = search(&mut tree, &game, &root, (3_000, 1));
        let positions: HashSet<_> = evaluated.iter().map(|position| game.key(position)).collect();
        evaluated.len() - positions.len()
    };
    assert!(twice(false) > 100, "the example has no transpositions");
    assert_eq!(twice(true), 0);
}

#[test]
fn two_pending_simulations_may_come_to_one_position() {
    let (game, root) = (WatchYourBack::new(None), WatchYourBackPosition::start());
    let mut tree = graph();
    let mut met = 0;
    for _ in 0..200 {
        let evaluated = search(&mut tree, &game, &root, (1, 64));
        let positions: HashSet<_> = evaluated.iter().map(|position| game.key(position)).collect();
        met += evaluated.len() - positions.len();
    }
    assert!(met > 0, "no two simulations meet here");
    check(&tree, &game, &root);
}

#[test]
fn two_positions_with_one_key_are_not_one() {
    let (game, root) = (WatchYourBack::new(None), WatchYourBackPosition::start());
    let mut tree = graph();
    search(&mut tree, &game, &root, (100, 1));
    let mut simulation = Simulation::new(root);
    while tree.select_leaf(&game, &root, None, &mut simulation) != LeafStatus::Unevaluated {}
    let mark = tree.mark(&game, &simulation);
    tree.known.nodes.insert(mark, 0);
    assert_eq!(tree.shared(&game, &simulation), None);
    tree.answer(&game, &simulation, &MadeUp(0));
    check(&tree, &game, &root);
}

#[test]
fn what_one_parent_learns_the_other_sees_when_next_visited() {
    let (game, root) = (WatchYourBack::new(None), WatchYourBackPosition::start());
    let mut tree = graph();
    search(&mut tree, &game, &root, (1_000, 1));
    // After a recount a choice is worth what its child is, whichever parent's search found that.
    tree.recount_node(0);
    for edge in tree.choices().iter().filter(|edge| edge.visits > 0) {
        let child = &tree.nodes[edge.child as usize];
        let mean = child.proven.map_or(-child.total / child.visits as f32, |p| for_mover(p, 0));
        assert!((edge.mean().unwrap_or(0.0) - mean).abs() < 1e-4);
    }
}
