//! What a strong Amazons player knows.
//!
//! * [`board`] — sets of cells that can be shifted, and the flood fills made of them
//! * [`evaluate`](mod@evaluate) — who is nearer to what: a fast guess at the winner of any position
//! * `rank` — the turns of a position, sorted by what they look worth
//! * [`turns`] — the game as the searches see it, one whole turn a move
//! * [`regions`] — counting: the turns left where the sides no longer meet
//! * [`solve`](mod@solve) — who wins, for certain, on small boards and late in the game

pub mod board;
pub mod evaluate;
mod rank;
pub mod regions;
pub mod solve;
#[cfg(test)]
mod tests;
pub mod turns;

pub use board::Board;
pub use evaluate::{Evaluation, analyse, evaluate, evaluate_all, win_chance};
pub use regions::{
    Bounds, Count, Counter, Region, Separated, WholeTurn, count, filling_turn, separated,
};
pub use solve::{LineEnd, SolveLimits, Solved, solve};
pub(crate) use turns::EndgameAgent;
pub use turns::{Move, Turns};
