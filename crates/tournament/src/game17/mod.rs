//! Game 17 as the users of the original tool know it.
//!
//! * [`League`] — players by number, and single games between them
//! * [`rank`], [`vs_zombies`] — its competitions, with the files they leave behind
//! * [`table`] — its tables, which are those of pandas

mod competitions;
mod league;
pub mod table;

pub use competitions::{Competition, rank, vs_zombies};
pub use league::{Board, Entrant, League, Played};
