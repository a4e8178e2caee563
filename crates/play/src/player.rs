//! Players: what sits in a seat and chooses turns, of whatever kind it is.
//!
//! A built-in engine ([`crate::engine`]), a process in the sandbox, a person at the keyboard, a bot
//! over HTTP or a Python callable are all a [`Player`]; a driver ([`crate::driver`]) asks them.

use serde_json::Value;
use skirmish_rules::table::Table;
use skirmish_rules::{Result, Seat};
use skirmish_search::{Allowance, Stop};

use crate::faults::AgentError;
use crate::record::{Event, Outcome, Record};
use crate::session::Request;

/// The game a player is seated at.
#[derive(Clone, Copy)]
pub struct Seating<'a> {
    /// The game, at the position it starts from for the players.
    pub table: &'a dyn Table,
    /// The player's seat.
    pub seat: Seat,
    /// What the player draws its random numbers from.
    pub seed: u64,
}

/// How a player introduces itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Introduction {
    /// What it calls itself.
    pub name: Option<String>,
    /// Which version of it plays.
    pub version: Option<String>,
}

/// What a player is asked.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The game as it stands.
    pub table: &'a dyn Table,
    /// What has happened so far.
    pub record: &'a Record,
    /// The player's seat.
    pub seat: Seat,
    /// How many events have happened.
    pub ply: u32,
    /// How much an engine may think that sets no limit of its own.
    pub allowance: &'a Allowance,
    /// Interrupts the thinking.
    pub stop: &'a Stop,
}

/// What a player answers.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// A turn.
    Play {
        /// Its text.
        text: String,
        /// What the player has to say about it: value, depth or visits, best line.
        info: Option<Value>,
    },
    /// The player gives up.
    Resign,
    /// The player asks to go back to where so many events had happened.
    TakeBack {
        /// How many events are to remain.
        to: u32,
    },
    /// The person wants the game to end here, undecided.
    Interrupt,
}

/// An answer and what it cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// CPU seconds it took, where they are measured from outside.
    pub cpu_s: Option<f64>,
    /// Positions looked at.
    pub nodes: u64,
    /// Whether a clock had any part in it. What had not is a function of the seed, and so is its
    /// record: no times are kept in it.
    pub is_timed: bool,
}

impl Reply {
    /// A turn that took wall-clock time and nothing else worth counting.
    pub fn play(text: impl Into<String>) -> Reply {
        Reply::of(Answer::Play { text: text.into(), info: None })
    }

    /// An answer without anything measured.
    pub fn of(answer: Answer) -> Reply {
        Reply { answer, cpu_s: None, nodes: 0, is_timed: true }
    }
}

/// What is known of a player's resources after a game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Usage {
    /// What it wrote to stderr.
    pub log: Option<String>,
    /// CPU seconds it used in the game.
    pub cpu_s: Option<f64>,
    /// Bytes of memory it had at most.
    pub memory: Option<u64>,
}

/// Something that chooses turns.
pub trait Player: Send {
    /// Takes a seat at a new game. An `Err` of the outer kind means that there is no such player; one
    /// of the inner kind is a fault: the player could not start.
    fn sit(
        &mut self,
        seating: Seating<'_>,
    ) -> Result<std::result::Result<Introduction, AgentError>>;

    /// Chooses a turn. Asked only when its seat is to move.
    fn choose(&mut self, question: Question<'_>) -> std::result::Result<Reply, AgentError>;

    /// Hears of an event: another player's turn, or a roll.
    fn hear(&mut self, event: &Event, table: &dyn Table) {
        let _ = (event, table);
    }

    /// Hears that its turn was refused; it will be asked again.
    fn refuse(&mut self, ply: u32, reason: &str) {
        let _ = (ply, reason);
    }

    /// Whether it agrees to what another player asks. Engines agree to every take-back without being
    /// asked.
    fn agrees(&mut self, request: Request) -> bool {
        let _ = request;
        false
    }

    /// Hears that the game went back to an earlier position.
    fn taken_back(&mut self, table: &dyn Table, ply: u32) {
        let _ = (table, ply);
    }

    /// The last lines it wrote to stderr.
    fn log_tail(&self) -> String {
        String::new()
    }

    /// CPU seconds used in this game so far, where they are counted.
    fn cpu_s(&self) -> Option<f64> {
        None
    }

    /// The game is over. Says what the player used.
    fn end(&mut self, outcome: Option<&Outcome>) -> Usage {
        let _ = outcome;
        Usage::default()
    }
}
