//! The tree search a network guides.
//!
//! One tree per game. A *descent* walks from the root to a position nobody has judged; whoever owns
//! the network judges it; the answer is put into the tree and its value carried back. Any number of
//! descents may be under way at once: each counts as a loss for those who follow, until its answer
//! comes. Values belong to players, not to depths: in Amazons the same player decides three times
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
    /// How much the network's expectation counts against the values found.
    pub exploration: f32,
    /// How much worse than its parent an unvisited position is taken to be.
    pub pessimism: f32,
    /// Whether a position reached by several ways is judged once, and searched as one. Self-play
    /// leaves it off: its searches are too small to meet a position twice.
    pub shares: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { exploration: 1.4, pessimism: 0.2, shares: false }
    }
}

const NOBODY: u32 = u32::MAX;

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
    /// What the network expects of it, as a probability.
    pub prior: f32,
    /// How often the search went here, descents under way included.
    pub visits: u32,
    /// The sum of the values found, for the player who chooses.
    total: f32,
    child: u32,
    /// Descents under way here. Only a graph needs to know.
    loans: u16,
}

impl<A> Edge<A> {
    /// The mean of the values found; `None` before the first visit.
    pub fn mean(&self) -> Option<f32> {
        (self.visits > 0).then(|| self.total / self.visits as f32)
    }
}

/// A descent under way: where it went, and the position that is to be judged.
#[derive(Clone, Debug)]
pub struct Descent<G: Encode> {
    path: Vec<u32>,
    nodes: Vec<u32>,
    /// The position at the end of the path.
    pub position: G::Position,
}

impl<G: Encode> Descent<G> {
    /// Not begun yet.
    pub fn new(position: G::Position) -> Descent<G> {
        Descent { path: Vec::new(), nodes: Vec::new(), position }
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

/// What a descent came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// A position to be judged: hand the answer to [`Tree::answer`].
    Unjudged,
    /// A position whose worth is certain; it has been backed up already.
    Certain,
    /// A position judged before, reached another way; it has been backed up already.
    Known,
    /// A position that an earlier descent is waiting for; the descent has been taken back.
    Awaited,
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

    /// Whether the root has been judged.
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

    /// The choice at a node that promises most: what was found, and what the network expects of
    /// choices that were seldom tried.
    fn promising(&self, number: u32) -> usize {
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
        // What is lost for certain is tried again only where everything is.
        if edges[best].child != NOBODY
            && let Some(proven) = self.nodes[edges[best].child as usize].proven
            && for_mover(proven, node.mover) < 0.0
        {
            let open = edges.iter().enumerate().filter(|(_, edge)| {
                edge.child == NOBODY || self.nodes[edge.child as usize].proven.is_none()
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

    /// Walks from the root to a position nobody has judged. At the root it takes `first` where that
    /// is given.
    pub fn descend(
        &mut self,
        game: &G,
        root: &G::Position,
        first: Option<usize>,
        descent: &mut Descent<G>,
    ) -> Reached {
        descent.position.clone_from(root);
        descent.path.clear();
        descent.nodes.clear();
        if self.nodes.is_empty() {
            return Reached::Unjudged;
        }
        let mut node = 0;
        let mut choice = first;
        loop {
            let chosen = choice.take().unwrap_or_else(|| self.promising(node));
            let number = self.nodes[node as usize].first + chosen as u32;
            let edge = &mut self.edges[number as usize];
            // Until the answer comes this counts as a loss, so that others look elsewhere.
            edge.visits += 1;
            edge.loans += 1;
            edge.total -= 1.0;
            let (action, child, before) = (edge.action, edge.child, edge.visits - 1);
            let is_awaited = child == NOBODY && before > 0;
            descent.path.push(number);
            descent.nodes.push(node);
            if is_awaited {
                self.take_back(descent);
                return Reached::Awaited;
            }
            game.play(&mut descent.position, action);
            if child == NOBODY {
                break;
            }
            if let Some(proven) = self.nodes[child as usize].proven {
                self.back_up(descent, f32::from(proven));
                return Reached::Certain;
            }
            if self.is_ahead(child, before) {
                self.recount(descent);
                return Reached::Known;
            }
            node = child;
        }
        // 2. A new position: over, settled, known another way, or one for the network.
        let Some(value) = certain(game, &descent.position) else {
            return self.meet(game, descent);
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
        self.link(descent, child);
        self.prove(descent);
        self.back_up(descent, value);
        Reached::Certain
    }

    /// Looks one action ahead from the root for what is certain: a win at hand is found whatever the
    /// network expects.
    pub fn look_ahead(&mut self, game: &G, root: &G::Position) {
        let mut descent = Descent::new(root.clone());
        for choice in 0..self.choices().len() {
            let edge = &self.choices()[choice];
            if edge.child != NOBODY {
                continue;
            }
            let mut next = root.clone();
            game.play(&mut next, edge.action);
            if certain(game, &next).is_some() {
                self.descend(game, root, Some(choice), &mut descent);
            }
        }
    }

    /// The way from the root to a position that `root`'s mover can reach before anybody else decides,
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
                if edge.child == NOBODY {
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
    fn meet(&mut self, game: &G, descent: &Descent<G>) -> Reached {
        let Some(node) = self.shared(game, descent) else { return Reached::Unjudged };
        self.link(descent, node);
        self.recount(descent);
        Reached::Known
    }

    fn take_back(&mut self, descent: &Descent<G>) {
        for &edge in &descent.path {
            let edge = &mut self.edges[edge as usize];
            edge.visits -= 1;
            edge.loans -= 1;
            edge.total += 1.0;
        }
    }

    fn link(&mut self, descent: &Descent<G>, child: u32) {
        if let Some(&edge) = descent.path.last() {
            self.edges[edge as usize].child = child;
        }
    }

    /// Puts the answer to a descent into the tree. The position has at least one action.
    pub fn answer(&mut self, game: &G, descent: &Descent<G>, answer: &impl Answer) {
        // Two descents under way may have come to one position.
        if self.meet(game, descent) == Reached::Known {
            return;
        }
        let position = &descent.position;
        let Turn::Player(seat) = game.turn(position) else {
            unreachable!("finished games are not judged")
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
                child: NOBODY,
                loans: 0,
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
        self.link(descent, child);
        self.remember(game, descent, child);
        self.back_up(descent, if seat.0 == 0 { value } else { -value });
    }

    /// Carries a value, for seat 0, up the path.
    fn back_up(&mut self, descent: &Descent<G>, value: f32) {
        if self.settings.shares {
            return self.recount(descent);
        }
        for (&edge, &node) in descent.path.iter().zip(&descent.nodes) {
            let node = &mut self.nodes[node as usize];
            let value = if node.mover == 0 { value } else { -value };
            node.visits += 1;
            node.total += value;
            // The loss on loan goes back with the value.
            let edge = &mut self.edges[edge as usize];
            edge.total += 1.0 + value;
            edge.loans -= 1;
        }
    }

    /// Carries what is certain up the path, as far as it stays certain. A graph finds that out where
    /// it counts its children again.
    fn prove(&mut self, descent: &Descent<G>) {
        if self.settings.shares {
            return;
        }
        for (&edge, &number) in descent.path.iter().zip(&descent.nodes).rev() {
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
            if edge.child == NOBODY {
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
