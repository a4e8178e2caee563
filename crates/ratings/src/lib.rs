//! What the results of games say about strength, and how sure that is.
//!
//! Pure statistics: results in, numbers out; no files, no clock, and nothing random that is not
//! drawn from a given seed.
//!
//! * two players: [`Tally`] (Elo with error bars, likelihood of superiority) and [`Sprt`] (play
//!   until it is decided)
//! * many players, two a game: [`bradley_terry`]
//! * many players in one game: [`plackett_luce`] for strength, [`placings()`] for squares, places
//!   and wins
//!
//! Every number is finite for every input: no games, no players, a clean sweep, groups of players
//! that never met. Intervals hold 95 %.
//!
//! # How a fit stays finite
//!
//! [`bradley_terry`] and [`plackett_luce`] give every player two games that were not played: one won
//! and one lost against a player of average strength. That is a prior (a logistic one, half of it
//! within ±191 Elo), and after a dozen games hardly to be seen.
//!
//! # How a fit knows what it does not know
//!
//! By a Bayesian bootstrap (Rubin 1981): every game, and each of the games that were not played,
//! is given a random weight (exponential, mean 1), and all players are rated anew, many times; the
//! middle 95 % of the ratings are the interval. Drawing games with replacement, the usual
//! bootstrap, cannot be used here: after one game it draws that game every time and is sure of the
//! result. With weights, one player against another of known strength has exactly the Beta
//! distribution of the textbook, and no games at all give the prior.

mod duel;
mod fit;
mod pairs;
mod placings;
mod royale;
mod sprt;
#[cfg(test)]
mod tests;

pub use duel::{MOST_ELO, Tally, elo_of, score_of};
pub use fit::Settings;
pub use pairs::{Duel, Ratings, bradley_terry};
pub use placings::{Placing, placings};
pub use royale::{Finish, Royale, plackett_luce};
pub use sprt::{Decision, Scale, Sprt, Verdict};

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Standard deviations to either side of the mean that hold 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A number with the bounds of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Estimate {
    /// The likeliest value.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Estimate {
    /// Half the width of the interval: what is written after a ±.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The half-width that is left when `count` results all came out alike, as a part of the whole
/// range. Wilson's interval at its end: 10 of 10 speak for 72 % and more, not for 100 %.
fn least_error(count: f64) -> f64 {
    Z * Z / (count + Z * Z)
}

/// Standard errors to either side of a mean of `count` results that hold 95 %.
fn students(count: f64) -> f64 {
    if count < 2.0 {
        return Z;
    }
    StudentsT::new(0.0, 1.0, count - 1.0).map_or(Z, |students| students.inverse_cdf(0.975))
}
