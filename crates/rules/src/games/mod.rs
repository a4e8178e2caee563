//! One folder per game. Each exports a `Family`, and [`crate::registry::Games`] lists them.

pub mod amazons;
pub mod game17;
pub mod in_trap;
pub mod watch_your_back;
