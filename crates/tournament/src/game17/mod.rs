//! Game 17 as the users of the original tool know it.
//!
//! * [`Club`] — players by number, and single games between them
//! * [`rank`], [`vs_zombies`] — its competitions, with the files they leave behind
//! * [`table`] — its tables, which are those of pandas

mod club;
mod competitions;
pub mod table;

pub use club::{Board, Club, Entrant, Played};
pub use competitions::{Competition, rank, vs_zombies};
