//! Two players: the score, its Elo, and who is the stronger one.

use serde::Serialize;
use statrs::function::erf::erfc;

use super::sprt::NORMALISED;
use super::{Estimate, Z, least_error, students};

/// Results of one player against another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs of games from one opening with both colours, by the points won in them: 0, ½, 1, 1½, 2.
    /// Used in place of the single games when every game belongs to a pair.
    pub pairs: [u64; 5],
}

/// Where a difference stops meaning anything: a score of 99.997 %. Elo beyond it is given as this.
pub const MOST_ELO: f64 = 1_800.0;

impl Tally {
    /// Adds one game: 1 for a win, ½ for a draw, 0 for a loss.
    pub fn add(&mut self, points: f64) {
        match points {
            points if points > 0.5 => self.wins += 1,
            points if points < 0.5 => self.losses += 1,
            _ => self.draws += 1,
        }
    }

    /// Adds the two games of a pair.
    pub fn add_pair(&mut self, first: f64, second: f64) {
        self.add(first);
        self.add(second);
        self.pairs[((first + second) * 2.0).round().clamp(0.0, 4.0) as usize] += 1;
    }

    /// Adds the results of another player, or of another match.
    pub fn merge(&mut self, other: &Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.pairs.iter_mut().zip(other.pairs).for_each(|(sum, pairs)| *sum += pairs);
    }

    /// How many games there were.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The part of the points that was won; a half where nothing was played.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + 0.5 * self.draws as f64) / games as f64,
        }
    }

    /// The same from the other side.
    #[must_use]
    pub fn reversed(&self) -> Tally {
        let mut pairs = self.pairs;
        pairs.reverse();
        Tally { wins: self.losses, draws: self.draws, losses: self.wins, pairs }
    }

    /// The independent results: the scores they can have, how often each occurred, and how many
    /// games make one. Pairs are counted as pairs: the two games of one opening are not
    /// independent, and together they vary less.
    pub(super) fn results(&self) -> (&'static [f64], Vec<f64>, f64) {
        let pairs: u64 = self.pairs.iter().sum();
        if pairs > 0 && 2 * pairs == self.games() {
            (&[0.0, 0.25, 0.5, 0.75, 1.0], self.pairs.map(|count| count as f64).to_vec(), 2.0)
        } else {
            let counts = [self.losses, self.draws, self.wins];
            (&[0.0, 0.5, 1.0], counts.map(|count| count as f64).to_vec(), 1.0)
        }
    }

    /// The standard error of the score that the spread of the results shows.
    fn shown_error(&self) -> f64 {
        let (scores, counts, _) = self.results();
        let count: f64 = counts.iter().sum();
        let mean = self.score();
        let spread: f64 =
            scores.iter().zip(&counts).map(|(score, count)| count * (score - mean).powi(2)).sum();
        (spread / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
    }

    /// Half the width of the interval that is left at least. Results that are all alike show no
    /// spread; by Wilson's interval a sweep of ten games is sure of 72 %, not of everything, and
    /// ten draws in a row leave a difference possible.
    fn hidden_error(&self) -> f64 {
        let one_sided = (2.0 * self.score() - 1.0).abs().max(0.5);
        one_sided * least_error(self.count())
    }

    /// How many independent results there are.
    fn count(&self) -> f64 {
        self.results().1.iter().sum()
    }

    /// The standard error of the score.
    pub fn standard_error(&self) -> f64 {
        self.shown_error().max(self.hidden_error() / Z)
    }

    /// Half the width of the 95 % interval of the score.
    pub fn error(&self) -> f64 {
        (self.shown_error() * students(self.count())).max(self.hidden_error())
    }

    /// The difference in Elo that the results speak for, within ±[`MOST_ELO`].
    pub fn elo(&self) -> Estimate {
        let (score, error) = (self.score(), self.error());
        Estimate { value: elo_of(score), low: elo_of(score - error), high: elo_of(score + error) }
    }

    /// The difference in normalised Elo: in spreads of a game, so that it does not depend on how
    /// many games are drawn. Within ±[`MOST_ELO`].
    pub fn normalised_elo(&self) -> Estimate {
        let games = self.count().max(1.0) * self.results().2;
        let spread = self.standard_error() * games.sqrt();
        let of =
            |score: f64| ((score - 0.5) / spread * NORMALISED).clamp(-MOST_ELO, MOST_ELO) + 0.0;
        let (score, error) = (self.score(), self.error());
        Estimate { value: of(score), low: of(score - error), high: of(score + error) }
    }

    /// How likely it is that the first player is the stronger one.
    pub fn likelihood_of_superiority(&self) -> f64 {
        let deviations = (self.score() - 0.5) / self.standard_error();
        0.5 * erfc(-deviations / std::f64::consts::SQRT_2)
    }
}

/// The difference in Elo that a score stands for, within ±[`MOST_ELO`].
pub fn elo_of(score: f64) -> f64 {
    if score <= 0.0 {
        return -MOST_ELO;
    }
    if score >= 1.0 {
        return MOST_ELO;
    }
    // Adding nothing turns a minus zero into a plain one.
    (-400.0 * (1.0 / score - 1.0).log10()).clamp(-MOST_ELO, MOST_ELO) + 0.0
}

/// The score that a difference in Elo lets expect.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}
