//! What an agent is asked, and what it answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use skirmish_rules::Rules;

/// How much an agent may think about one turn. Whatever is set binds; with nothing set an agent
/// uses its own default.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Allowance {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Whole turns ahead.
    pub depth: Option<u32>,
}

impl Allowance {
    /// The allowance with anything `own` sets in its place.
    #[must_use]
    pub fn overridden_by(self, own: Allowance) -> Allowance {
        // A limit of the agent's own replaces the match's altogether: `alphabeta:depth=2` in a match
        // at 0.2 s is that agent, not a slower one.
        if own == Allowance::default() { self } else { own }
    }

    /// The allowance, or `default` where nothing is set.
    #[must_use]
    pub fn or(self, default: Allowance) -> Allowance {
        if self == Allowance::default() { default } else { self }
    }
}

/// A way to interrupt an agent from outside. It then answers with the best it has.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Not stopped yet.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Asks every search that holds a clone to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Stop::stop`] has been called.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// One way the game could go on, and what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<A> {
    /// The actions from here on, of both players.
    pub actions: Vec<A>,
    /// What it is worth to the player to move, from -1 (lost) to 1 (won).
    pub value: f32,
    /// How often the search went this way, for searches that count visits.
    pub visits: Option<u64>,
    /// How many whole turns deep it was looked at, for searches that count depth.
    pub depth: Option<u32>,
    /// Whether the value is proven to the end of the game.
    pub proven: bool,
}

/// What an agent answers.
#[derive(Clone, PartialEq, Debug)]
pub struct Thought<A> {
    /// The rest of the turn it chose: legal actions up to the end of the turn.
    pub actions: Vec<A>,
    /// The best lines it found, best first; may be empty for agents that do not look ahead.
    pub lines: Vec<Line<A>>,
    /// Positions looked at.
    pub nodes: u64,
}

impl<A> Thought<A> {
    /// A choice made without looking ahead.
    pub fn simple(actions: Vec<A>) -> Thought<A> {
        Thought { actions, lines: Vec::new(), nodes: 0 }
    }
}

/// A player program: it chooses turns.
pub trait Agent<G: Rules>: Send {
    /// Chooses the rest of the turn. Asked only when a player is to move, and never for a turn that
    /// another agent began.
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<G::Action>;

    /// Finds this many lines from now on, for analysis; agents that do not look ahead find none.
    fn set_lines(&mut self, lines: usize) {
        let _ = lines;
    }
}

/// Watches time, nodes and the stop switch for a search.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    deadline: Option<Instant>,
    started: Instant,
    time: Option<Duration>,
    pub(crate) nodes: u64,
    most_nodes: u64,
    stop: Stop,
    pub(crate) exhausted: bool,
}

impl Budget {
    pub(crate) fn new(allowance: &Allowance, stop: &Stop) -> Budget {
        let started = Instant::now();
        Budget {
            deadline: allowance.time.map(|time| started + time),
            started,
            time: allowance.time,
            nodes: 0,
            most_nodes: allowance.nodes.unwrap_or(u64::MAX),
            stop: stop.clone(),
            exhausted: false,
        }
    }

    /// Counts a node. False once the search has to end. The clock is read every `every` nodes only.
    #[inline]
    pub(crate) fn spend(&mut self, every: u64) -> bool {
        self.nodes += 1;
        if self.nodes >= self.most_nodes {
            self.exhausted = true;
        } else if self.nodes.is_multiple_of(every) {
            self.look();
        }
        !self.exhausted
    }

    /// Reads the clock and the stop switch.
    pub(crate) fn look(&mut self) {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.exhausted |= late || self.stop.is_stopped();
    }

    /// The part of the time that is used up, 0 where there is no limit.
    pub(crate) fn time_used(&self) -> f64 {
        self.time.map_or(0.0, |time| self.started.elapsed().as_secs_f64() / time.as_secs_f64())
    }
}
