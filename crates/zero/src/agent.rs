//! The `zero` agent: a tree search guided by a network.
//!
//! The search collects a batch of positions, the network evaluates them together on all its threads,
//! and the subtree of the position that is reached is kept for the next turn.

use std::time::{Duration, Instant};

use skirmish_rules::{Rules, Turn};
use skirmish_search::{Agent, Allowance, Line, Stop, Thought};

use crate::answer::Single;
use crate::encoding::Encode;
use crate::search::{self, LeafStatus, Simulation, Tree, Tried};

/// Evaluates positions: encoded rows in, answers out.
pub trait Network: Send {
    /// Evaluates all rows.
    fn evaluate(&mut self, rows: &[u8], answers: &mut [f32]);
}

/// How a network plays.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Its own limits, which override the match's.
    pub own: Allowance,
    /// Positions evaluated together.
    pub batch: usize,
    /// How the search weighs things.
    pub search: search::Settings,
    /// Bytes the tree may take.
    pub bytes: usize,
    /// Whether what was learned is kept from turn to turn.
    pub reuse: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            own: Allowance::default(),
            batch: 8,
            search: search::Settings { shares: true, ..search::Settings::default() },
            bytes: 256 << 20,
            reuse: true,
        }
    }
}

/// What a search may use when nothing was said.
const DEFAULT: Allowance =
    Allowance { time: Some(Duration::from_millis(200)), nodes: None, depth: None };

/// How a turn of several actions shares its allowance: the first takes this part, the next the same
/// part of what is left, the last all of it. What one action finds serves the next.
const FIRST_PART: f64 = 0.45;

/// Actions a line tells beyond the turn.
const LINE_LENGTH: usize = 12;

/// An agent that asks a network.
pub struct Zero<G: Encode> {
    settings: Settings,
    network: Box<dyn Network>,
    tree: Tree<G>,
    /// The position at the root of the tree.
    root: Option<G::Position>,
    simulations: Vec<Simulation<G>>,
    rows: Vec<u8>,
    answers: Vec<f32>,
    lines: usize,
}

/// What one turn may use.
struct Clock<'a> {
    deadline: Option<Instant>,
    visits: Option<u64>,
    stop: &'a Stop,
}

impl<G: Encode> Zero<G> {
    /// An agent that asks this network.
    pub fn new(settings: Settings, network: Box<dyn Network>) -> Zero<G> {
        Zero {
            settings,
            network,
            tree: Tree::new(settings.search),
            root: None,
            simulations: Vec::new(),
            rows: Vec::new(),
            answers: Vec::new(),
            lines: 1,
        }
    }

    /// Keeps what the last turn learned about the position, if it was foreseen.
    fn take_up(&mut self, game: &G, position: &G::Position) {
        let path = match &self.root {
            Some(root) if self.settings.reuse && root == position => Some(Vec::new()),
            Some(root) if self.settings.reuse => self.tree.find(game, root, position),
            _ => None,
        };
        let is_kept =
            path.is_some_and(|path| path.into_iter().all(|choice| self.tree.keep(choice)));
        if !is_kept || self.tree.bytes() > self.settings.bytes {
            self.tree = Tree::new(self.settings.search);
        }
        self.root = Some(position.clone());
    }

    /// Runs a batch of simulations. Returns how many.
    fn evaluate_batch(&mut self, game: &G, position: &G::Position, most: usize) -> usize {
        let shape = game.shape();
        let (row, answer) = (shape.row_bytes(), shape.answer());
        let mut waiting = 0;
        // Simulations that need no network: a bound on them, so that the clock is read.
        let mut free = 0;
        // The root is evaluated alone: before that there is no tree to search.
        let most = if self.tree.is_begun() { most } else { 1 };
        while waiting < most && free < 4 * most {
            if waiting == self.simulations.len() {
                self.simulations.push(Simulation::new(position.clone()));
            }
            match self.tree.select_leaf(game, position, None, &mut self.simulations[waiting]) {
                LeafStatus::Unevaluated => waiting += 1,
                LeafStatus::Proven | LeafStatus::Transposition => free += 1,
                LeafStatus::Pending => break,
            }
        }
        self.rows.clear();
        self.rows.resize(waiting * row, 0);
        self.answers.resize(waiting * answer, 0.0);
        for (simulation, row) in self.simulations.iter().zip(self.rows.chunks_mut(row)) {
            game.encode(&simulation.position, row);
        }
        self.network.evaluate(&self.rows, &mut self.answers);
        for (simulation, answer) in
            self.simulations[..waiting].iter().zip(self.answers.chunks(answer))
        {
            self.tree.answer(game, simulation, &Single(answer));
        }
        waiting + free
    }

    /// Searches from a position until the clock says stop. Returns the positions looked at.
    fn think(&mut self, game: &G, position: &G::Position, clock: &Clock<'_>) -> u64 {
        let mut looked = 0;
        if !self.tree.is_begun() {
            looked += self.evaluate_batch(game, position, 1) as u64;
        }
        self.tree.look_ahead(game, position);
        loop {
            let is_late = clock.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let left = clock.visits.map(|visits| visits.saturating_sub(looked));
            if is_late
                || left == Some(0)
                || clock.stop.is_stopped()
                || self.tree.certain_value().is_some()
                || self.tree.bytes() > self.settings.bytes
                || (clock.deadline.is_some() && self.is_forced())
            {
                return looked;
            }
            let most = left.map_or(self.settings.batch, |left| {
                self.settings.batch.min(usize::try_from(left).unwrap_or(usize::MAX))
            });
            looked += self.evaluate_batch(game, position, most) as u64;
        }
    }

    /// Whether there is nothing to decide. A choice that cannot be overtaken any more is thought about
    /// all the same: what is found serves the next turn.
    fn is_forced(&self) -> bool {
        self.lines == 1 && self.tree.choices().len() == 1
    }

    /// The choices at the root, best first.
    fn ranked(&self) -> Vec<usize> {
        let choices = self.tree.choices();
        let mut order: Vec<usize> = (0..choices.len()).collect();
        order.sort_by(|&a, &b| {
            // What is certain goes before what was counted: a win first, a loss last.
            let sure = |choice| match self.tree.certain(choice) {
                Some(value) if value != 0.0 => value,
                _ => 0.0,
            };
            let mean = |choice: usize| choices[choice].mean().unwrap_or(-1.0);
            sure(b)
                .total_cmp(&sure(a))
                .then(choices[b].visits.cmp(&choices[a].visits))
                .then(mean(b).total_cmp(&mean(a)))
                .then(choices[b].prior.total_cmp(&choices[a].prior))
        });
        order
    }

    /// The turns that were tried, best first.
    fn found_lines(&self, game: &G, position: &G::Position) -> Vec<Line<G::Action>> {
        let mut tried = self.tree.tried(game, position, LINE_LENGTH);
        let rank = |tried: &Tried<G::Action>| match (tried.is_certain, tried.value) {
            (true, value) if value > 0.0 => 1,
            (true, value) if value < 0.0 => -1,
            _ => 0,
        };
        tried.sort_by(|a, b| {
            rank(b).cmp(&rank(a)).then(b.visits.cmp(&a.visits)).then(b.value.total_cmp(&a.value))
        });
        tried.truncate(self.lines.max(1));
        let lines = tried.into_iter().map(|tried| Line {
            actions: tried.actions,
            value: tried.value,
            visits: Some(u64::from(tried.visits)),
            depth: None,
            proven: tried.is_certain,
        });
        lines.collect()
    }
}

impl<G: Encode> Agent<G> for Zero<G> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<G::Action> {
        let mut allowance = allowance.overridden_by(self.settings.own).or(DEFAULT);
        if allowance.time.is_none() && allowance.nodes.is_none() {
            // A depth alone means nothing to this search.
            allowance.time = DEFAULT.time;
        }
        if self.lines == 1
            && let Some(actions) = game.closing_turn(position)
        {
            self.root = None;
            return Thought { actions, lines: Vec::new(), nodes: 1 };
        }
        let deadline = allowance.time.map(|time| Instant::now() + time);
        self.take_up(game, position);
        let mut position = position.clone();
        let (mut actions, mut lines, mut nodes) = (Vec::new(), Vec::new(), 0);
        let mover = game.turn(&position);
        let mut visits = allowance.nodes;
        loop {
            // 1. Part of the allowance for this action, unless it ends the turn.
            let is_last = !begins_a_longer_turn(game, &position);
            // With many lines the question is about the position, not for a turn: all of the allowance
            // goes to the first action.
            let is_first = actions.is_empty();
            let part = match self.lines {
                1 if is_last => 1.0,
                1 => FIRST_PART,
                _ if is_first => 1.0,
                _ => 0.0,
            };
            let clock = Clock {
                deadline: deadline.map(|deadline| {
                    let left = deadline.saturating_duration_since(Instant::now());
                    Instant::now() + left.mul_f64(part)
                }),
                visits: visits.map(|visits| ((visits as f64 * part).ceil() as u64).max(1)),
                stop,
            };
            let looked = self.think(game, &position, &clock);
            nodes += looked;
            visits = visits.map(|visits| visits.saturating_sub(looked).max(1));
            if lines.is_empty() {
                lines = self.found_lines(game, &position);
            }
            // 2. Play it, and keep what was learned about what follows.
            let choice = self.ranked()[0];
            let action = self.tree.choices()[choice].action;
            game.play(&mut position, action);
            actions.push(action);
            if !self.tree.keep(choice) {
                self.tree.clear();
            }
            self.root = Some(position.clone());
            if game.turn(&position) != mover || !game.mid_turn(&position) {
                return Thought { actions, lines, nodes };
            }
        }
    }

    fn set_lines(&mut self, lines: usize) {
        self.lines = lines;
    }
}

/// Whether after any action here the same player goes on with its turn.
fn begins_a_longer_turn<G: Rules>(game: &G, position: &G::Position) -> bool {
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let Some(first) = actions.first() else { return false };
    let mut next = position.clone();
    game.play(&mut next, *first);
    matches!(game.turn(&next), Turn::Player(_)) && game.mid_turn(&next)
}
