//! Monte Carlo tree search: UCT over the moves of a tree, guided by its evaluation.
//!
//! A simulation selects a path from the root to a leaf, expands the leaf with a static evaluation of
//! each child, and backs its value up. Progressive widening: the more visits a node has, the more of
//! its moves are considered, in the order of their evaluations. The MCTS solver backs proven outcomes
//! up exactly, and proven nodes are not visited again.

use crate::agent::{Allowance, Budget, Stop};
use crate::tree::{Outcome, Tree};
use skirmish_rules::Random;

/// What a leaf is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// The evaluation of its best move.
    Evaluate,
    /// The evaluation after a few random moves.
    Playout,
}

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The exploration constant of UCT.
    pub exploration: f32,
    /// Progressive widening: a node with `n` visits considers `3 + widening · √n` of its moves.
    pub widening: f32,
    /// No position ever has more moves than this, the best-looking ones; 0 for all.
    pub most_moves: usize,
    /// The weight of the minimax of the evaluations below a node in its value (implicit minimax
    /// backups); the rest is the mean.
    pub minimax: f32,
    /// What a leaf is worth.
    pub leaf: Leaf,
    /// How many random moves a playout makes.
    pub plies: u32,
    /// How many threads search, each in a tree of its own (root parallelization); their visits are
    /// added at the end.
    pub threads: usize,
    /// How many best lines to find.
    pub lines: usize,
    /// Bytes for the tree, all threads together.
    pub bytes: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            exploration: 0.4,
            widening: 2.0,
            most_moves: 0,
            minimax: 0.0,
            leaf: Leaf::Evaluate,
            plies: 6,
            threads: 1,
            lines: 1,
            bytes: 256 << 20,
        }
    }
}

/// A line of play.
#[derive(Clone, PartialEq, Debug)]
pub struct RootLine<M> {
    /// The moves, the most visited ones.
    pub moves: Vec<M>,
    /// The value for the mover of the root, from -1 to 1.
    pub value: f32,
    /// How often the first move was tried.
    pub visits: u64,
    /// Whether the value is certain.
    pub proven: bool,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Searched<M> {
    /// The best lines, best first: at least one.
    pub lines: Vec<RootLine<M>>,
    /// Simulations made by all threads.
    pub nodes: u64,
}

/// A position of the tree, seen by the player who moved there.
#[derive(Clone, Debug)]
struct Node<M> {
    /// The move that led here.
    mv: M,
    /// Where its children stand; none yet while `children` is 0.
    first_child: u32,
    children: u32,
    visits: u32,
    /// The sum of the values of the visits.
    total: f32,
    /// What it looked worth when it was made; counts as a first visit.
    guess: f32,
    /// The minimax of the guesses below.
    minimax: f32,
    /// What it is for certain.
    proven: Option<Outcome>,
    /// Whether some of its moves were left out, so that no loss can be proven.
    is_partial: bool,
}

impl<M> Node<M> {
    fn new(mv: M, guess: f32, proven: Option<Outcome>) -> Node<M> {
        Node {
            mv,
            first_child: 0,
            children: 0,
            visits: 0,
            total: 0.0,
            guess,
            minimax: guess,
            proven,
            is_partial: false,
        }
    }

    /// The value of this node for the player who moved there.
    fn value(&self, mix: f32) -> f32 {
        match self.proven {
            Some(outcome) => certain(outcome),
            None => {
                let mean = (self.total + self.guess) / (self.visits + 1) as f32;
                mean + mix * (self.minimax - mean)
            }
        }
    }
}

fn certain(outcome: Outcome) -> f32 {
    match outcome {
        Outcome::Win => 1.0,
        Outcome::Draw => 0.0,
        Outcome::Loss => -1.0,
    }
}

/// The tree of one thread, kept between turns.
#[derive(Clone, Debug)]
pub struct Memory<T: Tree> {
    nodes: Vec<Node<T::Move>>,
    root: T::State,
}

/// Searches `state` within the allowance. `memory` is the tree of the turn before, if it is to be
/// used again; the tree of this turn is left there.
///
/// # Panics
/// If the game is over.
pub fn search<T: Tree>(
    tree: &T,
    state: &T::State,
    settings: &Settings,
    allowance: &Allowance,
    stop: &Stop,
    random: &mut Random,
    memory: &mut Option<Memory<T>>,
) -> Searched<T::Move> {
    let threads = settings.threads.max(1);
    let share = Allowance {
        nodes: allowance.nodes.map(|nodes| nodes.div_ceil(threads as u64)),
        ..*allowance
    };
    let kept = memory.take().and_then(|memory| memory.find(tree, state));
    let mut seeds: Vec<Random> = (0..threads).map(|_| Random::seeded(random.word())).collect();
    let run = |random: &mut Random, kept: Option<Memory<T>>| {
        let most_nodes = settings.bytes / threads / size_of::<Node<T::Move>>();
        let budget = Budget::new(&share, stop);
        let mut search = Search { tree, settings, budget, most_nodes };
        let mut memory = kept.unwrap_or_else(|| Memory::new(tree, state, settings));
        search.run(&mut memory, random);
        (memory, search.budget.nodes)
    };
    let mut trees = if threads == 1 {
        vec![run(&mut seeds[0], kept)]
    } else {
        let mut kept = kept;
        std::thread::scope(|scope| {
            let run = &run;
            let running: Vec<_> = seeds
                .iter_mut()
                .map(|random| {
                    let kept = kept.take();
                    scope.spawn(move || run(random, kept))
                })
                .collect();
            running.into_iter().filter_map(|thread| thread.join().ok()).collect()
        })
    };
    let nodes = trees.iter().map(|(_, nodes)| nodes).sum();
    let lines = best_lines(&trees, settings);
    *memory = Some(trees.swap_remove(0).0);
    Searched { lines, nodes }
}

impl<T: Tree> Memory<T> {
    fn new(tree: &T, state: &T::State, settings: &Settings) -> Memory<T> {
        let mut moves = Vec::new();
        tree.moves(state, &mut moves);
        // No move led to the root, and the field is never read there: any move will do.
        let mut memory =
            Memory { nodes: vec![Node::new(moves[0], 0.0, None)], root: state.clone() };
        memory.expand(tree, 0, state, settings);
        memory
    }

    /// The part of the tree below `state`, if it is there within two turns.
    fn find(self, tree: &T, state: &T::State) -> Option<Memory<T>> {
        let key = tree.key(state);
        let mut rows = vec![(0_u32, self.root.clone(), 0)];
        while let Some((node, here, turns)) = rows.pop() {
            if tree.key(&here) == key && self.nodes[node as usize].children > 0 {
                return Some(self.below(node, state));
            }
            if turns == 2 {
                continue;
            }
            let parent = &self.nodes[node as usize];
            for child in parent.first_child..parent.first_child + parent.children {
                if self.nodes[child as usize].visits > 0 {
                    let mut next = here.clone();
                    tree.play(&mut next, self.nodes[child as usize].mv);
                    if tree.mover(&next).is_some() {
                        let turns = turns + u32::from(tree.is_between_turns(&next));
                        rows.push((child, next, turns));
                    }
                }
            }
        }
        None
    }

    /// A tree of its own with `node` as its root.
    fn below(self, node: u32, state: &T::State) -> Memory<T> {
        let mut nodes = vec![self.nodes[node as usize].clone()];
        nodes[0].proven = None;
        let mut place = 0;
        while place < nodes.len() {
            let (first, count) = (nodes[place].first_child, nodes[place].children);
            nodes[place].first_child = nodes.len() as u32;
            nodes.extend_from_slice(&self.nodes[first as usize..(first + count) as usize]);
            place += 1;
        }
        Memory { nodes, root: state.clone() }
    }

    /// Gives a node its children. Returns the best evaluation among them, for its mover.
    fn expand(&mut self, tree: &T, node: usize, state: &T::State, settings: &Settings) -> f32 {
        let mover = tree.mover(state).expect("expanded while the game goes on");
        let most = if settings.most_moves == 0 { usize::MAX } else { settings.most_moves };
        let (moves, is_partial) = tree.likely_moves(state, most);
        let first_child = self.nodes.len() as u32;
        self.nodes[node].first_child = first_child;
        self.nodes[node].children = moves.len() as u32;
        self.nodes[node].is_partial = is_partial;
        for (mv, value) in moves {
            let proven = match value {
                crate::tree::WIN => Some(Outcome::Win),
                value if value == -crate::tree::WIN => Some(Outcome::Loss),
                // A value of nothing is a draw only if the game is over there.
                0 => {
                    let mut next = state.clone();
                    tree.play(&mut next, mv);
                    tree.mover(&next).is_none().then(|| tree.outcome(&next, mover))
                }
                _ => None,
            };
            let guess = proven.map_or_else(|| tree.squash(value), certain);
            self.nodes.push(Node::new(mv, guess, proven));
        }
        self.nodes[first_child as usize].guess
    }

    fn children(&self, node: usize) -> std::ops::Range<usize> {
        let first = self.nodes[node].first_child as usize;
        first..first + self.nodes[node].children as usize
    }

    /// What a node is for its mover, if its children settle that.
    fn settled(&self, node: usize) -> Option<Outcome> {
        let children = &self.nodes[self.children(node)];
        if children.iter().any(|child| child.proven == Some(Outcome::Win)) {
            return Some(Outcome::Win);
        }
        if self.nodes[node].is_partial || children.iter().any(|child| child.proven.is_none()) {
            return None;
        }
        let draw = children.iter().any(|child| child.proven == Some(Outcome::Draw));
        Some(if draw { Outcome::Draw } else { Outcome::Loss })
    }
}

struct Search<'a, T: Tree> {
    tree: &'a T,
    settings: &'a Settings,
    budget: Budget,
    most_nodes: usize,
}

impl<T: Tree> Search<'_, T> {
    fn run(&mut self, memory: &mut Memory<T>, random: &mut Random) {
        let lone = memory.nodes[0].children == 1 && self.settings.lines == 1;
        while memory.settled(0).is_none() && self.budget.spend(8) && !lone {
            self.simulate(memory, random);
        }
    }

    fn simulate(&self, memory: &mut Memory<T>, random: &mut Random) {
        // Step 1. Selection, down to a leaf. `path` holds each node with whether its mover is another than
        // the mover of the node above: values change sign there and only there.
        let mut state = memory.root.clone();
        let mut path: Vec<(usize, bool)> = vec![(0, false)];
        let mut node = 0;
        let mut mover = self.tree.mover(&state).expect("searched while the game goes on");
        let value = loop {
            let child = self.select(memory, node);
            self.tree.play(&mut state, memory.nodes[child].mv);
            node = child;
            let next_mover = self.tree.mover(&state);
            let turned = next_mover.is_some_and(|next| next != mover);
            path.push((node, turned));
            if let Some(outcome) = memory.nodes[node].proven {
                break certain(outcome);
            }
            mover = next_mover.expect("a game that is over is proven");
            if memory.nodes[node].children == 0 {
                // Step 2. Expansion, and a value for the player who moved here.
                let value = self.leaf_value(memory, node, &state, random);
                break if turned { -value } else { value };
            }
        };

        // Step 3. Backpropagation of the value, and of proven outcomes.
        let mut value = value;
        for index in (1..path.len()).rev() {
            let (node, turned) = path[index];
            if memory.nodes[node].proven.is_none() && memory.nodes[node].children > 0 {
                let settled = memory.settled(node);
                let settled =
                    settled.map(|outcome| if turned { outcome.reversed() } else { outcome });
                if let Some(outcome) = settled {
                    memory.nodes[node].proven = Some(outcome);
                    value = certain(outcome);
                }
                if self.settings.minimax > 0.0 {
                    let children = &memory.nodes[memory.children(node)];
                    let best = children.iter().map(|child| child.minimax).fold(-1.0, f32::max);
                    memory.nodes[node].minimax = if turned { -best } else { best };
                }
            }
            memory.nodes[node].visits += 1;
            memory.nodes[node].total += value;
            // The mover of the node above is the player whose value this is; one further up it may
            // be the other's.
            if path[index - 1].1 {
                value = -value;
            }
        }
        memory.nodes[0].visits += 1;
    }

    /// The child to go to: the one with the highest upper confidence bound (UCT), among those that
    /// progressive widening lets it consider.
    fn select(&self, memory: &Memory<T>, node: usize) -> usize {
        let parent = &memory.nodes[node];
        let visits = (parent.visits + 1) as f32;
        let considered = (3.0 + self.settings.widening * visits.sqrt()) as usize;
        let explore = self.settings.exploration * (visits + 1.0).ln().sqrt();
        let mut best = (f32::NEG_INFINITY, memory.children(node).start);
        let mut seen = 0;
        for child in memory.children(node) {
            let candidate = &memory.nodes[child];
            if candidate.proven.is_some() && candidate.proven != Some(Outcome::Win) {
                // Proven, and not a win: visits teach nothing. Taken only when nothing else is left.
                let worth = candidate.value(0.0) - 10.0;
                if worth > best.0 {
                    best = (worth, child);
                }
                continue;
            }
            let bonus = explore / ((candidate.visits + 1) as f32).sqrt();
            let worth = candidate.value(self.settings.minimax) + bonus;
            if worth > best.0 {
                best = (worth, child);
            }
            seen += 1;
            if seen == considered {
                break;
            }
        }
        best.1
    }

    /// What a leaf is worth to its mover.
    fn leaf_value(
        &self,
        memory: &mut Memory<T>,
        node: usize,
        state: &T::State,
        random: &mut Random,
    ) -> f32 {
        if let Some(value) = self.tree.known(state) {
            // The game knows the rest: the node needs no children to be certain.
            return self.tree.squash(value);
        }
        let evaluation = if memory.nodes.len() < self.most_nodes {
            memory.expand(self.tree, node, state, self.settings)
        } else {
            self.tree.squash(self.tree.evaluate(state))
        };
        match self.settings.leaf {
            Leaf::Evaluate => evaluation,
            Leaf::Playout => self.playout(state, random),
        }
    }

    /// A few random moves, then the evaluation, for the mover of `state`.
    fn playout(&self, state: &T::State, random: &mut Random) -> f32 {
        let player = self.tree.mover(state).expect("a leaf is not over");
        let mut state = state.clone();
        let mut moves = Vec::new();
        for _ in 0..self.settings.plies {
            if self.tree.mover(&state).is_none() {
                break;
            }
            moves.clear();
            self.tree.moves(&state, &mut moves);
            self.tree.play(&mut state, moves[random.below(moves.len() as u32) as usize]);
        }
        self.tree.squash(self.tree.value_for(&state, player))
    }
}

/// The best first moves over all threads' trees, with the line each goes on with.
fn best_lines<T: Tree>(trees: &[(Memory<T>, u64)], settings: &Settings) -> Vec<RootLine<T::Move>> {
    struct Sum<M> {
        mv: M,
        visits: u64,
        total: f64,
        guess: f32,
        proven: Option<Outcome>,
        /// The tree that went there most, and its node.
        most: (u32, usize, usize),
    }
    let mut sums: Vec<Sum<T::Move>> = Vec::new();
    for (number, (memory, _)) in trees.iter().enumerate() {
        for child in memory.children(0) {
            let node = &memory.nodes[child];
            let place = sums.iter().position(|sum| sum.mv == node.mv);
            let place = place.unwrap_or_else(|| {
                sums.push(Sum {
                    mv: node.mv,
                    visits: 0,
                    total: 0.0,
                    guess: node.guess,
                    proven: None,
                    most: (0, number, child),
                });
                sums.len() - 1
            });
            let sum = &mut sums[place];
            sum.visits += u64::from(node.visits);
            sum.total += f64::from(node.total);
            sum.proven = sum.proven.or(node.proven);
            if node.visits > sum.most.0 {
                sum.most = (node.visits, number, child);
            }
        }
    }
    let value = |sum: &Sum<T::Move>| match sum.proven {
        Some(outcome) => certain(outcome),
        None => ((sum.total + f64::from(sum.guess)) / (sum.visits + 1) as f64) as f32,
    };
    // A certain win first, a certain loss last, in between the most visited.
    let rank = |sum: &Sum<T::Move>| match sum.proven {
        Some(Outcome::Win) => 2,
        Some(Outcome::Loss) => 0,
        _ => 1,
    };
    sums.sort_by(|a, b| {
        let worth = value(b).total_cmp(&value(a));
        rank(b).cmp(&rank(a)).then(b.visits.cmp(&a.visits)).then(worth)
    });
    // If all that was not visited is certain, visits say nothing: a draw is better than a bad guess.
    if let Some(draw) = sums.iter().position(|sum| sum.proven == Some(Outcome::Draw))
        && value(&sums[0]) < 0.0
    {
        let draw = sums.remove(draw);
        sums.insert(0, draw);
    }
    sums.iter()
        .take(settings.lines.max(1))
        .map(|sum| {
            let (memory, _) = &trees[sum.most.1];
            let mut moves = vec![sum.mv];
            let mut node = sum.most.2;
            loop {
                let children = memory.children(node);
                let best = children.max_by(|a, b| {
                    let (a, b) = (&memory.nodes[*a], &memory.nodes[*b]);
                    let won = |node: &Node<T::Move>| node.proven == Some(Outcome::Win);
                    won(a).cmp(&won(b)).then(a.visits.cmp(&b.visits))
                });
                match best {
                    Some(child) if memory.nodes[child].visits > 0 => {
                        moves.push(memory.nodes[child].mv);
                        node = child;
                    }
                    _ => break,
                }
            }
            RootLine { moves, value: value(sum), visits: sum.visits, proven: sum.proven.is_some() }
        })
        .collect()
}
