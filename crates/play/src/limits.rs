//! What an agent may use, and what a fault costs.
//!
//! Every limit has a default, a flag of the command line and a name in the record. Time is judged
//! on the CPU the agent's process has used, read from outside, so that a busy machine costs no one
//! a game; time on the wall is only a backstop against agents that sleep.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use skirmish_rules::Entry;

/// What an agent may use in one game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// CPU seconds in the whole game, counted from the moment the agent is ready.
    pub cpu_s: f64,
    /// CPU seconds from one reply to the next, so that thinking in the opponent's time counts.
    pub cpu_move_s: f64,
    /// Seconds on the wall for one reply.
    pub wall_s: f64,
    /// Seconds on the wall until the agent is ready.
    pub start_s: f64,
    /// MiB of memory above what the empty interpreter of the agent takes.
    pub memory_mb: u64,
    /// MiB that an agent may write in a game before it is stopped: to its log, and as much to its
    /// scratch folder.
    pub output_mb: u64,
    /// Processes an agent may have; 1 forbids it to start any.
    pub processes: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            cpu_s: 120.0,
            cpu_move_s: 60.0,
            wall_s: 300.0,
            start_s: 60.0,
            memory_mb: 512,
            output_mb: 64,
            processes: 1,
        }
    }
}

/// Seconds as a duration; more than a year is a year, less than nothing is nothing.
pub fn seconds(number: f64) -> Duration {
    Duration::from_secs_f64(if number.is_finite() { number.clamp(0.0, 3.2e7) } else { 3.2e7 })
}

/// What a fault costs the agent that commits it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultPolicy {
    /// Forfeits the game.
    Lose,
    /// Forfeits the turn, where the rules know an empty one; elsewhere the game.
    Skip,
    /// Asked again, at most so often for one turn; then it forfeits the game.
    Retry(u32),
}

impl FaultPolicy {
    /// What a fault costs in a game unless something else is asked for.
    pub fn usual(entry: &Entry) -> FaultPolicy {
        if entry.faults_skip_a_turn { FaultPolicy::Skip } else { FaultPolicy::Lose }
    }
}

/// How closely an external agent is confined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// Not at all, but for limits and a clean end.
    Off,
    /// With every protection this machine has.
    #[default]
    On,
    /// With every protection there is, or not started.
    Strict,
}
