//! Game 17 as the users of the original tool know it.
//!
//! * [`Diffs`] — the JSON it keeps a game in

mod diffs;

pub(crate) use diffs::Boards;
pub use diffs::{Diff, Diffs};
