//! Players of Game 17.
//!
//! * `hunter.rs` — the original package's best player, which weighs each stack by itself
//! * `marshal.rs` — ours, which plans a whole turn
//! * `outlook.rs` — what the marshal expects of a square until the next turn
//! * `plan.rs` — the marshal's search for the best use of all stacks together

mod hunter;
mod marshal;
mod outlook;
mod plan;
#[cfg(test)]
mod tests;

pub use hunter::hunter;
pub use marshal::{Marshal, Settings};
