//! Players that think.
//!
//! An agent is named and tuned by one line of text (`alphabeta:time=0.2s,threads=2`), plays the
//! same for the same seed and node budget on one thread, can be interrupted, and stays within the
//! memory it was given.
//!
//! * [`spec`] — that line of text
//! * [`mod@agent`] — what an agent is asked and what it answers
//! * [`tree`] — what a search walks: a game as it looks to a two-player search
//! * [`minimax`], [`alphabeta`], [`mcts`] — the searches, generic over the tree
//! * [`solve`] — who wins, for certain
//! * [`roster`] — every agent by name
//! * the games' own knowledge: [`watch_your_back`], [`in_trap`], [`amazons`], [`game17`]

pub mod agent;
pub mod alphabeta;
pub mod amazons;
pub mod game17;
pub mod in_trap;
pub mod mcts;
pub mod minimax;
pub mod roster;
pub mod solve;
pub mod spec;
pub mod transposition;
pub mod tree;
#[cfg(test)]
mod truth;
pub mod watch_your_back;

pub use agent::{Agent, Allowance, Line, Stop, Thought};
pub use roster::Roster;
pub use spec::Spec;
