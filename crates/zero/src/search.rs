//! The tree search a network guides.
//!
//! One tree per game. A [`Simulation`] selects a path from the root to a leaf that has not been
//! evaluated; the caller has the network evaluate it; the answer is put into the tree and its value
//! backed up. Any number of simulations may be pending at once: each edge on the path of a pending
//! simulation carries a virtual loss, so that the next ones take other paths. Values belong to players, not to depths: in Amazons the same player decides three times
//! in a row.
//!
//! Wins and losses that are certain are backed up as such, so a search that sees the end plays it.

mod graph;

use skirmish_rules::{Seat, Turn};

use crate::answer::Answer;
use crate::encoding::Encode;
use graph::Known;

/// How the search weighs what it has seen against what it expects.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The exploration constant of PUCT: the weight of the priors against the values found.
    pub exploration: f32,
    /// First play urgency reduction: how much worse than its parent an unvisited position is assumed
    /// to be.
    pub pessimism: f32,
    /// Whether transpositions share one node, which is evaluated once. Self-play leaves it off: its
    /// searches are too small to meet a position twice.
    pub shares: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { exploration: 1.4, pessimism: 0.2, shares: false }
    }
}

const NO_NODE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    count: u16,
    mover: u8,
    /// What is certain, for seat 0: 1, 0 or -1.
    proven: Option<i8>,
    visits: u32,
    /// The sum of the values found from here, for the mover.
    total: f32,
    /// What the network said, for the mover.
    value: f32,
}

/// One choice at a node of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Edge<A> {
    /// The choice.
    pub action: A,
    /// The network's policy for it, as a probability.
    pub prior: f32,
    /// How often the search went here, pending simulations included.
    pub visits: u32,
    /// The sum of the values found, for the player who chooses.
    total: f32,
    child: u32,
    /// Virtual losses: pending simulations on this edge. Only a graph needs the number.
    virtual_losses: u16,
}

impl<A> Edge<A> {
    /// The mean of the values found; `None` before the first visit.
    pub fn mean(&self) -> Option<f32> {
        (self.visits > 0).then(|| self.total / self.visits as f32)
    }
}

/// A simulation: its path from the root, and the leaf position that is to be evaluated.
#[derive(Clone, Debug)]
pub struct Simulation<G: Encode> {
    path: Vec<u32>,
    nodes: Vec<u32>,
    /// The position at the end of the path.
    pub position: G::Position,
}

impl<G: Encode> Simulation<G> {
    /// Not begun yet.
    pub fn new(position: G::Position) -> Simulation<G> {
        Simulation { path: Vec::new(), nodes: Vec::new(), position }
    }
}

/// A turn that was tried.
#[derive(Clone, Debug)]
pub struct Tried<A> {
    /// The actions of the turn, and the most visited way on.
    pub actions: Vec<A>,
    /// How often the search went this way.
    pub visits: u32,
    /// What it is worth to the player at the root.
    pub value: f32,
    /// Whether that is certain.
    pub is_certain: bool,
}

/// What the leaf of a simulation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafStatus {
    /// A position to be evaluated: hand the answer to [`Tree::answer`].
    Unevaluated,
    /// A position whose value is proven; it has been backed up already.
    Proven,
    /// A position evaluated before on another path; it has been backed up already.
    Transposition,
    /// A leaf that an earlier simulation is pending on; this simulation has been reverted.
    Pending,
}

/// The tree of one game.
#[derive(Clone, Debug)]
pub struct Tree<G: Encode> {
    nodes: Vec<Node>,
    edges: Vec<Edge<G::Action>>,
    known: Known,
    settings: Settings,
    actions: Vec<G::Action>,
}

impl<G: Encode> Tree<G> {
    /// A tree with nothing in it.
    pub fn new(settings: Settings) -> Tree<G> {
        Tree {
            nodes: Vec::new(),
            edges: Vec::new(),
            known: Known::default(),
            settings,
            actions: Vec::new(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.known.clear();
    }

    /// Whether the root has been evaluated.
    pub fn is_begun(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Positions in the tree.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing in the tree.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes the tree takes.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge<G::Action>>()
            + self.known.bytes()
    }

    /// The choices at the root.
    pub fn choices(&self) -> &[Edge<G::Action>] {
        self.nodes.first().map_or(&[], |root| self.edges_of(root))
    }

    /// What the network said of the root, for its mover.
    pub fn first_value(&self) -> f32 {
        self.nodes.first().map_or(0.0, |root| root.value)
    }

    /// The mean of all values found, for the root's mover.
    pub fn value(&self) -> f32 {
        match self.nodes.first() {
            Some(Node { proven: Some(proven), mover, .. }) => for_mover(*proven, *mover),
            Some(root) => root.total / root.visits as f32,
            None => 0.0,
        }
    }

    /// What the root is worth for certain to its mover: 1, 0, -1 or not known.
    pub fn certain_value(&self) -> Option<f32> {
        let root = self.nodes.first()?;
        Some(for_mover(root.proven?, root.mover))
    }

    /// What a choice at the root is worth for certain to the one who chooses: 1, 0, -1 or not known.
    pub fn certain(&self, choice: usize) -> Option<f32> {
        let mover = self.nodes.first()?.mover;
        let proven = self.nodes.get(self.choices().get(choice)?.child as usize)?.proven?;
        Some(for_mover(proven, mover))
    }

    fn edges_of(&self, node: &Node) -> &[Edge<G::Action>] {
        let first = node.first as usize;
        &self.edges[first..first + usize::from(node.count)]
    }

    /// The choice at a node with the highest PUCT score: the mean of the values found, and a bonus by
    /// prior for choices that were seldom tried.
    fn best_by_puct(&self, number: u32) -> usize {
        let node = &self.nodes[number as usize];
        let edges = self.edges_of(node);
        let mut seen = 0.0;
        let mut visits = 0;
        for edge in edges {
            if edge.visits > 0 {
                seen += edge.prior;
                visits += edge.visits;
            }
        }
        let mean = node.total / node.visits.max(1) as f32;
        let unseen = mean - self.settings.pessimism * seen.sqrt();
        let scale = self.settings.exploration * ((visits + 1) as f32).sqrt();
        let (mut best, mut most) = (0, f32::MIN);
        for (choice, edge) in edges.iter().enumerate() {
            let value = if edge.visits > 0 { edge.total / edge.visits as f32 } else { unseen };
            let promise = value + scale * edge.prior / (1 + edge.visits) as f32;
            if promise > most {
                (best, most) = (choice, promise);
            }
        }
        // A proven loss is tried again only where every choice is one.
        if edges[best].child != NO_NODE
            && let Some(proven) = self.nodes[edges[best].child as usize].proven
            && for_mover(proven, node.mover) < 0.0
        {
            let open = edges.iter().enumerate().filter(|(_, edge)| {
                edge.child == NO_NODE || self.nodes[edge.child as usize].proven.is_none()
            });
            let other = open.max_by(|(_, a), (_, b)| {
                let promise = |edge: &Edge<G::Action>| {
                    scale * edge.prior / (1 + edge.visits) as f32 + edge.mean().unwrap_or(unseen)
                };
                promise(a).total_cmp(&promise(b))
            });
            best = other.map_or(best, |(choice, _)| choice);
        }
        best
    }

    /// Selects a path from the root to a leaf, with a virtual loss on every edge. At the root it takes
    /// `first` where that is given.
    pub fn select_leaf(
        &mut self,
        game: &G,
        root: &G::Position,
        first: Option<usize>,
        simulation: &mut Simulation<G>,
    ) -> LeafStatus {
        simulation.position.clone_from(root);
        simulation.path.clear();
        simulation.nodes.clear();
        if self.nodes.is_empty() {
            return LeafStatus::Unevaluated;
        }
        let mut node = 0;
        let mut choice = first;
        loop {
            let chosen = choice.take().unwrap_or_else(|| self.best_by_puct(node));
            let number = self.nodes[node as usize].first + chosen as u32;
            let edge = &mut self.edges[number as usize];
            // A virtual loss until the answer comes, so that other simulations take other paths.
            edge.visits += 1;
            edge.virtual_losses += 1;
            edge.total -= 1.0;
            let (action, child, before) = (edge.action, edge.child, edge.visits - 1);
            let is_pending = child == NO_NODE && before > 0;
            simulation.path.push(number);
            simulation.nodes.push(node);
            if is_pending {
                self.revert(simulation);
                return LeafStatus::Pending;
            }
            game.play(&mut simulation.position, action);
            if child == NO_NODE {
                break;
            }
            if let Some(proven) = self.nodes[child as usize].proven {
                self.back_up(simulation, f32::from(proven));
                return LeafStatus::Proven;
            }
            if self.is_ahead(child, before) {
                self.recount(simulation);
                return LeafStatus::Transposition;
            }
            node = child;
        }
        // 2. A new position: over, settled, a transposition, or one for the network.
        let Some(value) = certain(game, &simulation.position) else {
            return self.meet(game, simulation);
        };
        let child = self.nodes.len() as u32;
        self.nodes.push(Node {
            first: self.edges.len() as u32,
            count: 0,
            mover: 0,
            proven: Some(value as i8),
            visits: 1,
            total: value,
            value,
        });
        self.link(simulation, child);
        self.prove(simulation);
        self.back_up(simulation, value);
        LeafStatus::Proven
    }

    /// Looks one action ahead from the root for what is certain: a win at hand is found whatever the
    /// network expects.
    pub fn look_ahead(&mut self, game: &G, root: &G::Position) {
        let mut simulation = Simulation::new(root.clone());
        for choice in 0..self.choices().len() {
            let edge = &self.choices()[choice];
            if edge.child != NO_NODE {
                continue;
            }
            let mut next = root.clone();
            game.play(&mut next, edge.action);
            if certain(game, &next).is_some() {
                self.select_leaf(game, root, Some(choice), &mut simulation);
            }
        }
    }

    /// The way from the root to a position that `root`'s mover can reach before another player decides,
    /// as choices; `None` where the tree does not know it.
    pub fn find(&self, game: &G, root: &G::Position, target: &G::Position) -> Option<Vec<usize>> {
        fn walk<G: Encode>(
            tree: &Tree<G>,
            game: &G,
            (node, position): (u32, &G::Position),
            target: &G::Position,
            path: &mut Vec<usize>,
        ) -> bool {
            let node = &tree.nodes[node as usize];
            for (choice, edge) in tree.edges_of(node).iter().enumerate() {
                if edge.child == NO_NODE {
                    continue;
                }
                let mut next = position.clone();
                game.play(&mut next, edge.action);
                path.push(choice);
                let is_same_turn = game.mid_turn(&next);
                if next == *target
                    || is_same_turn && walk(tree, game, (edge.child, &next), target, path)
                {
                    return true;
                }
                path.pop();
            }
            false
        }
        let mut path = Vec::new();
        let found = !self.is_empty() && walk(self, game, (0, root), target, &mut path);
        found.then_some(path)
    }

    /// A new choice has led to a position that is not certain.
    fn meet(&mut self, game: &G, simulation: &Simulation<G>) -> LeafStatus {
        let Some(node) = self.shared(game, simulation) else { return LeafStatus::Unevaluated };
        self.link(simulation, node);
        self.recount(simulation);
        LeafStatus::Transposition
    }

    fn revert(&mut self, simulation: &Simulation<G>) {
        for &edge in &simulation.path {
            let edge = &mut self.edges[edge as usize];
            edge.visits -= 1;
            edge.virtual_losses -= 1;
            edge.total += 1.0;
        }
    }

    fn link(&mut self, simulation: &Simulation<G>, child: u32) {
        if let Some(&edge) = simulation.path.last() {
            self.edges[edge as usize].child = child;
        }
    }

    /// Expands the leaf of a simulation with the network's answer, and backs its value up. The position has at least one action.
    pub fn answer(&mut self, game: &G, simulation: &Simulation<G>, answer: &impl Answer) {
        // Two pending simulations may have come to one position.
        if self.meet(game, simulation) == LeafStatus::Transposition {
            return;
        }
        let position = &simulation.position;
        let Turn::Player(seat) = game.turn(position) else {
            unreachable!("finished games are not evaluated")
        };
        self.actions.clear();
        game.actions(position, &mut self.actions);
        let first = self.edges.len();
        let mut most = f32::MIN;
        for &action in &self.actions {
            let logit = answer.logit(usize::from(game.index(position, action)));
            most = most.max(logit);
            self.edges.push(Edge {
                action,
                prior: logit,
                visits: 0,
                total: 0.0,
                child: NO_NODE,
                virtual_losses: 0,
            });
        }
        let mut sum = 0.0;
        for edge in &mut self.edges[first..] {
            edge.prior = (edge.prior - most).exp();
            sum += edge.prior;
        }
        for edge in &mut self.edges[first..] {
            edge.prior /= sum;
        }
        let value = answer.value();
        let child = self.nodes.len() as u32;
        self.nodes.push(Node {
            first: first as u32,
            count: self.actions.len() as u16,
            mover: seat.0 as u8,
            proven: None,
            visits: 1,
            total: value,
            value,
        });
        self.link(simulation, child);
        self.remember(game, simulation, child);
        self.back_up(simulation, if seat.0 == 0 { value } else { -value });
    }

    /// Backs a value, for seat 0, up the path, and removes the virtual losses.
    fn back_up(&mut self, simulation: &Simulation<G>, value: f32) {
        if self.settings.shares {
            return self.recount(simulation);
        }
        for (&edge, &node) in simulation.path.iter().zip(&simulation.nodes) {
            let node = &mut self.nodes[node as usize];
            let value = if node.mover == 0 { value } else { -value };
            node.visits += 1;
            node.total += value;
            // The virtual loss is removed.
            let edge = &mut self.edges[edge as usize];
            edge.total += 1.0 + value;
            edge.virtual_losses -= 1;
        }
    }

    /// Carries what is certain up the path, as far as it stays certain. A graph finds that out where
    /// it counts its children again.
    fn prove(&mut self, simulation: &Simulation<G>) {
        if self.settings.shares {
            return;
        }
        for (&edge, &number) in simulation.path.iter().zip(&simulation.nodes).rev() {
            let child = self.edges[edge as usize].child;
            let Some(proven) = self.nodes[child as usize].proven else { return };
            let node = &self.nodes[number as usize];
            let proven = if for_mover(proven, node.mover) > 0.0 {
                proven
            } else {
                // Short of a win everything must be known, and the best of it counts.
                let known = |edge: &Edge<G::Action>| {
                    self.nodes.get(edge.child as usize).and_then(|child| child.proven)
                };
                let Some(all) = self.edges_of(node).iter().map(known).collect::<Option<Vec<i8>>>()
                else {
                    return;
                };
                let best =
                    all.into_iter().max_by_key(|proven| for_mover(*proven, node.mover) as i8);
                best.unwrap_or(proven)
            };
            self.nodes[number as usize].proven = Some(proven);
        }
    }

    /// Every whole turn that was tried from the root, each with the most visited way on from there,
    /// up to `most` actions in all. Turns that were begun and not finished come as far as they went.
    pub fn tried(&self, game: &G, root: &G::Position, most: usize) -> Vec<Tried<G::Action>> {
        struct Walk<'a, G: Encode> {
            tree: &'a Tree<G>,
            game: &'a G,
            most: usize,
            path: Vec<G::Action>,
            found: Vec<Tried<G::Action>>,
        }
        impl<G: Encode> Walk<'_, G> {
            fn go(&mut self, number: usize, position: &G::Position) {
                let tree = self.tree;
                let node = &tree.nodes[number];
                for (choice, edge) in tree.edges_of(node).iter().enumerate() {
                    let Some(mean) = edge.mean() else { continue };
                    let mut next = position.clone();
                    self.game.play(&mut next, edge.action);
                    let child = tree.nodes.get(edge.child as usize);
                    let goes_on = child.is_some_and(|child| child.visits > 1 && child.count > 0);
                    if self.game.mid_turn(&next) && goes_on {
                        self.path.push(edge.action);
                        self.go(edge.child as usize, &next);
                        self.path.pop();
                        continue;
                    }
                    let mut actions = self.path.clone();
                    actions.extend(tree.line_from(number, choice, self.most));
                    let certain = child.and_then(|child| child.proven);
                    let certain = certain.map(|proven| for_mover(proven, node.mover));
                    self.found.push(Tried {
                        actions,
                        visits: edge.visits,
                        value: certain.unwrap_or(mean),
                        is_certain: certain.is_some(),
                    });
                }
            }
        }
        let mut walk = Walk { tree: self, game, most, path: Vec::new(), found: Vec::new() };
        if !self.is_empty() {
            walk.go(0, root);
        }
        walk.found
    }

    /// The most visited way down from the root.
    pub fn line(&self, first: usize, most: usize) -> Vec<G::Action> {
        self.line_from(0, first, most)
    }

    fn line_from(&self, node: usize, first: usize, most: usize) -> Vec<G::Action> {
        let mut line = Vec::new();
        let (mut node, mut choice) = (node, first);
        while line.len() < most {
            let Some(edge) = self.nodes.get(node).map(|node| &self.edges_of(node)[choice]) else {
                break;
            };
            line.push(edge.action);
            if edge.child == NO_NODE {
                break;
            }
            node = edge.child as usize;
            let edges = self.edges_of(&self.nodes[node]);
            let best = edges.iter().enumerate().filter(|(_, edge)| edge.visits > 0);
            match best.max_by_key(|(_, edge)| edge.visits) {
                Some((best, _)) => choice = best,
                None => break,
            }
        }
        line
    }
}

/// What a position is worth to seat 0, where that is certain.
fn certain<G: Encode>(game: &G, position: &G::Position) -> Option<f32> {
    match game.turn(position) {
        Turn::Over => Some(game.payoff(position, Seat(0))),
        _ => game.settled(position),
    }
}

/// What is certain for seat 0, for this player.
fn for_mover(proven: i8, mover: u8) -> f32 {
    f32::from(if mover == 0 { proven } else { -proven })
}
