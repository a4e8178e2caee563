//! The statistics of `skirmish-ratings` as plain numbers, which `skirmish/ratings.py` gives their
//! names and types. Nothing is computed here.

use pyo3::prelude::*;
use skirmish_ratings::{Decision, Duel, Estimate, Scale, Settings, Sprt, Tally};

use crate::raise;

/// A value and the bounds of its 95 % interval.
type Bounds = (f64, f64, f64);
/// Games won, drawn and lost, and pairs by the points won in them.
type Results = (u64, u64, u64, [u64; 5]);

fn bounds(estimate: Estimate) -> Bounds {
    (estimate.value, estimate.low, estimate.high)
}

fn results((wins, draws, losses, pairs): Results) -> Tally {
    Tally { wins, draws, losses, pairs }
}

/// The score, its standard error, half the width of its 95 % interval, the difference in Elo and in
/// normalised Elo, and the likelihood of superiority.
#[pyfunction(name = "ratings_tally")]
pub(crate) fn tally(of: Results) -> (f64, f64, f64, Bounds, Bounds, f64) {
    let tally = results(of);
    (
        tally.score(),
        tally.standard_error(),
        tally.error(),
        bounds(tally.elo()),
        bounds(tally.normalised_elo()),
        tally.likelihood_of_superiority(),
    )
}

/// The difference in Elo that a score stands for.
#[pyfunction(name = "ratings_elo_of")]
pub(crate) fn elo_of(score: f64) -> f64 {
    skirmish_ratings::elo_of(score)
}

/// The score that is expected of a difference in Elo.
#[pyfunction(name = "ratings_score_of")]
pub(crate) fn score_of(elo: f64) -> f64 {
    skirmish_ratings::score_of(elo)
}

/// The log-likelihood ratio of a sequential test, its two bounds, and whether the claim is accepted
/// (None where the test goes on).
#[pyfunction(name = "ratings_sprt")]
pub(crate) fn sprt(
    of: Results,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    is_normalised: bool,
) -> PyResult<(f64, f64, f64, Option<bool>)> {
    let scale = if is_normalised { Scale::Normalised } else { Scale::Logistic };
    let test = Sprt { elo0, elo1, alpha, beta, scale };
    test.check().map_err(|error| raise(&error))?;
    let verdict = test.judge(&results(of));
    let is_accepted = match verdict.decision {
        Decision::Open => None,
        Decision::Rejected => Some(false),
        Decision::Accepted => Some(true),
    };
    Ok((verdict.log_likelihood_ratio, verdict.lower, verdict.upper, is_accepted))
}

/// The players' ratings, and what moving first is worth. A game is who moved first, the other
/// player, the points of the first, and its sample.
#[pyfunction(name = "ratings_bradley_terry")]
pub(crate) fn bradley_terry(
    py: Python<'_>,
    players: usize,
    games: Vec<(usize, usize, f64, u64)>,
    prior: f64,
    replicates: usize,
    seed: u64,
) -> (Vec<Bounds>, Bounds) {
    let games: Vec<Duel> = games
        .into_iter()
        .map(|(first, second, points, sample)| Duel { first, second, points, sample })
        .collect();
    let settings = Settings { prior, replicates, seed };
    let found = py.detach(|| skirmish_ratings::bradley_terry(players, &games, &settings));
    (found.players.into_iter().map(bounds).collect(), bounds(found.first_move))
}
