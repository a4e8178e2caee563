//! Game 17 as the users of the original tool know it.
//!
//! * [`Diffs`] — the JSON it keeps a game in
//! * [`Club`] — players by number, and single games between them
//! * [`rank`], [`vs_zombies`] — its competitions, with the files they leave behind
//! * [`table`] — its tables, which are those of pandas

mod club;
mod competitions;
mod diffs;
pub mod table;

pub use club::{Board, Club, Entrant, Played};
pub use competitions::{Competition, rank, vs_zombies};
pub(crate) use diffs::Boards;
pub use diffs::{Diff, Diffs};
