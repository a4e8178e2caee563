//! Every way an agent can go wrong, as a result with a name and a sentence.

use serde::{Deserialize, Serialize};
use skirmish_rules::Seat;

use crate::record::Termination;
use crate::thought::is_disruptive;

/// What kind of fault it was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A turn that the rules forbid, or that cannot be read.
    IllegalMove,
    /// Too much time.
    Timeout,
    /// Too much memory.
    Memory,
    /// The agent's program ended, or said that it failed.
    Crash,
    /// Something that is not the protocol.
    Protocol,
    /// The agent could not be started, or ended before it was ready.
    StartFailure,
}

impl FaultKind {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::IllegalMove => "illegal-move",
            FaultKind::Timeout => "timeout",
            FaultKind::Memory => "memory",
            FaultKind::Crash => "crash",
            FaultKind::Protocol => "protocol",
            FaultKind::StartFailure => "start-failure",
        }
    }

    /// How a game ends that this fault ends. The list of endings is fixed and knows no failed
    /// start: it is a crash before the first turn.
    pub fn termination(self) -> Termination {
        match self {
            FaultKind::IllegalMove => Termination::IllegalMove,
            FaultKind::Timeout => Termination::Timeout,
            FaultKind::Memory => Termination::Memory,
            FaultKind::Crash | FaultKind::StartFailure => Termination::Crash,
            FaultKind::Protocol => Termination::Protocol,
        }
    }
}

/// What went wrong, before it is known in which seat and at which ply.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AgentError {
    /// What kind of fault.
    pub kind: FaultKind,
    /// The end of a sentence that begins with the agent: `used 1.2 s of CPU, 1 s is allowed`.
    pub what: String,
    /// Whether the agent can be asked again.
    pub alive: bool,
}

impl AgentError {
    /// A fault after which the agent can be asked again.
    pub fn mild(kind: FaultKind, what: impl Into<String>) -> AgentError {
        AgentError { kind, what: what.into(), alive: true }
    }

    /// A fault after which there is no agent left to ask.
    pub fn fatal(kind: FaultKind, what: impl Into<String>) -> AgentError {
        AgentError { kind, what: what.into(), alive: false }
    }
}

/// What an agent wrote, fit for any terminal: nothing that moves a cursor, rings a bell or turns the
/// text around it, and no more than so many characters.
pub fn harmless(text: &str, most: usize) -> String {
    let tame =
        |letter: char| if is_disruptive(letter) && letter != '\t' { '\u{fffd}' } else { letter };
    text.chars().take(most).map(tame).collect()
}

/// A fault as a record keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// How many events had happened.
    pub ply: u32,
    /// The number of the turn that was to be taken, from 1; 0 in records from before it was kept.
    #[serde(default)]
    pub turn: u32,
    /// Whose fault.
    pub seat: Seat,
    /// What kind.
    pub kind: FaultKind,
    /// The same in plain words.
    pub sentence: String,
    /// What it cost: `game`, `turn` or `nothing`.
    pub cost: String,
    /// The last lines the agent wrote to its log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log_tail: String,
}

impl std::fmt::Display for Fault {
    /// The sentence, its kind and its place: `white (a.py) gave no answer [timeout, turn 5]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [{}, {}]", self.sentence, self.kind.name(), place(self.turn, self.ply))
    }
}

/// Where something happened, as people count; of an old record, which does not say its turn, by the
/// number of events before.
pub fn place(turn: u32, ply: u32) -> String {
    if turn > 0 { format!("turn {turn}") } else { format!("ply {ply}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_its_turn_and_one_of_an_old_record_its_ply() {
        let text =
            r#"{"ply": 4, "seat": 0, "kind": "timeout", "sentence": "too slow", "cost": "game"}"#;
        let old: Fault = serde_json::from_str(text).unwrap();
        assert_eq!(old.to_string(), "too slow [timeout, ply 4]");
        assert_eq!(Fault { turn: 5, ..old }.to_string(), "too slow [timeout, turn 5]");
        assert_eq!(harmless("a\u{1b}b\u{202e}c\td", 9), "a\u{fffd}b\u{fffd}c\td");
    }
}
