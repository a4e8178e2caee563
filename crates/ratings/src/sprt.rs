//! The sequential probability ratio test: play until one of two claims is shown.
//!
//! The ratio is the generalised one for multinomials, without approximation: how much likelier the
//! results are under the likeliest distribution of results that obeys the one claim than under the
//! likeliest that obeys the other. (Van den Bergh, "Comparing the approximations for the generalized
//! log likelihood ratio of a multinomial distribution" and "Comments on normalized Elo".) Pairs of
//! games are counted as pairs.

use serde::{Deserialize, Serialize};
use skirmish_rules::{Error, ErrorKind, Result};

use super::duel::{Tally, score_of};

/// What the bounds of a test are measured in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Differences of Elo: what score is to be expected.
    #[default]
    Logistic,
    /// Elo divided by the spread of the results: how many games it takes to see the difference,
    /// whatever the number of draws.
    Normalised,
}

/// A test of the claim that the difference is `elo0` against the claim that it is `elo1`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sprt {
    /// The difference if the first player is no better.
    pub elo0: f64,
    /// The difference if it is better.
    pub elo1: f64,
    /// How often a difference of `elo0` may be taken for `elo1`.
    pub alpha: f64,
    /// How often a difference of `elo1` may be taken for `elo0`.
    pub beta: f64,
    /// What the differences are measured in.
    pub scale: Scale,
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Nothing yet: play on.
    Open,
    /// The difference is `elo0` rather than `elo1`.
    Rejected,
    /// The difference is `elo1` rather than `elo0`.
    Accepted,
}

/// Where the test stands.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// The logarithm of how much likelier the results are under `elo1` than under `elo0`.
    pub log_likelihood_ratio: f64,
    /// At or below this the claim is rejected.
    pub lower: f64,
    /// At or above this it is accepted.
    pub upper: f64,
    /// What follows.
    pub decision: Decision,
}

impl Default for Sprt {
    /// Better by 10 Elo, with one error in twenty either way.
    fn default() -> Sprt {
        Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, scale: Scale::Logistic }
    }
}

impl Sprt {
    /// Refuses what is no test: bounds that are not numbers or in the wrong order, error rates that
    /// leave nothing to decide.
    pub fn check(&self) -> Result<()> {
        let Sprt { elo0, elo1, alpha, beta, .. } = *self;
        let wrong = |message: String, hint: &str| {
            Err(Error::new(ErrorKind::Option, message).hint(hint.to_owned()))
        };
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return wrong(
                format!("a test of {elo0} against {elo1} Elo"),
                "`elo0` is the smaller difference, like 0, and `elo1` the larger one, like 10",
            );
        }
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !(is_rate(alpha) && is_rate(beta)) {
            return wrong(
                format!("a test with errors at rates of {alpha} and {beta}"),
                "`alpha` and `beta` lie between 0 and 0.5; 0.05 is usual",
            );
        }
        Ok(())
    }

    /// Where the test stands after these results. `Open` for no games.
    pub fn judge(&self, tally: &Tally) -> Verdict {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let ratio = self.log_likelihood_ratio(tally);
        let decision = match ratio {
            ratio if ratio >= upper => Decision::Accepted,
            ratio if ratio <= lower => Decision::Rejected,
            _ => Decision::Open,
        };
        Verdict { log_likelihood_ratio: ratio, lower, upper, decision }
    }

    fn log_likelihood_ratio(&self, tally: &Tally) -> f64 {
        let results = Results::of(tally);
        let likeliest = |elo: f64| match self.scale {
            Scale::Logistic => results.with_mean(score_of(elo)),
            Scale::Normalised => {
                results.with_strength(elo / NORMALISED * results.games_each.sqrt())
            }
        };
        let (low, high) = (likeliest(self.elo0), likeliest(self.elo1));
        let gain: f64 = (results.part.iter().zip(low.iter().zip(&high)))
            .map(|(part, (low, high))| part * (high / low).ln())
            .sum();
        if gain.is_finite() { results.count * gain } else { 0.0 }
    }
}

/// Normalised Elo in a difference of one standard deviation of a game.
pub(super) const NORMALISED: f64 = 800.0 / std::f64::consts::LN_10;

/// How the results are distributed over the scores they can have.
struct Results {
    score: Vec<f64>,
    part: Vec<f64>,
    count: f64,
    /// How many games one result is made of.
    games_each: f64,
}

impl Results {
    /// A result that did not occur counts as a thousandth: never is more than has been seen.
    fn of(tally: &Tally) -> Results {
        let (score, counts, games_each) = tally.results();
        let counts: Vec<f64> = counts.iter().map(|count| count.max(1e-3)).collect();
        let count: f64 = counts.iter().sum();
        Results {
            score: score.to_vec(),
            part: counts.iter().map(|one| one / count).collect(),
            // Nothing played, nothing said.
            count: if tally.games() == 0 { 0.0 } else { count },
            games_each,
        }
    }

    /// The likeliest distribution with this mean.
    fn with_mean(&self, mean: f64) -> Vec<f64> {
        let off: Vec<f64> = self.score.iter().map(|score| score - mean).collect();
        self.tilted(&off)
    }

    /// The likeliest distribution whose mean lies `deviations` of its own standard deviations above
    /// a half. The condition is linear around a guess, so guesses are improved until they stand.
    fn with_strength(&self, deviations: f64) -> Vec<f64> {
        let mut part = vec![1.0 / self.score.len() as f64; self.score.len()];
        for _ in 0..50 {
            let mean: f64 = part.iter().zip(&self.score).map(|(part, score)| part * score).sum();
            let variance: f64 = part
                .iter()
                .zip(&self.score)
                .map(|(part, score)| part * (score - mean).powi(2))
                .sum();
            let spread = variance.sqrt().max(1e-9);
            let off: Vec<f64> = (self.score.iter())
                .map(|score| {
                    let away = (score - mean) / spread;
                    score - 0.5 - 0.5 * deviations * spread * (1.0 + away * away)
                })
                .collect();
            let next = self.tilted(&off);
            let change = next.iter().zip(&part).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            part = next;
            if change < 1e-9 {
                break;
            }
        }
        part
    }

    /// The likeliest distribution under which `off` is 0 on average: each part divided by
    /// 1 + θ·off, with the θ that makes it so.
    fn tilted(&self, off: &[f64]) -> Vec<f64> {
        let (least, most) = off
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), off| (low.min(*off), high.max(*off)));
        if least >= 0.0 || most <= 0.0 {
            // No distribution over these scores obeys the claim.
            return self.part.clone();
        }
        let average = |theta: f64| -> f64 {
            self.part.iter().zip(off).map(|(part, off)| part * off / (1.0 + theta * off)).sum()
        };
        // It falls from +∞ to −∞ between the poles.
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if average(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let theta = f64::midpoint(low, high);
        self.part.iter().zip(off).map(|(part, off)| part / (1.0 + theta * off)).collect()
    }
}
