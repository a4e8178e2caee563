//! What the results of games say about strength: scores and Elo, with error bars.

/// Results of one player against another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs of games from one opening with both colours, by the points won in them: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
}

/// A difference in Elo with the bounds of its 95 % interval. Never infinite: a clean sweep is a
/// bound, not a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elo {
    /// The likeliest difference.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Where a difference stops meaning anything: a score of 99.997 %.
pub const MOST_ELO: f64 = 1_800.0;
/// Standard deviations to either side of the mean that hold 95 %.
const Z: f64 = 1.959_964;

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

    /// The standard error of the score. Pairs are counted as pairs: the two games of one opening
    /// are not independent, and together they vary less.
    pub fn standard_error(&self) -> f64 {
        let pairs: u64 = self.pairs.iter().sum();
        let (points, weights): (Vec<f64>, Vec<u64>) = if 2 * pairs == self.games() && pairs > 0 {
            ([0.0, 0.25, 0.5, 0.75, 1.0].to_vec(), self.pairs.to_vec())
        } else {
            ([0.0, 0.5, 1.0].to_vec(), [self.losses, self.draws, self.wins].to_vec())
        };
        let count: u64 = weights.iter().sum();
        if count == 0 {
            return 0.5;
        }
        let mean = self.score();
        let spread: f64 = points
            .iter()
            .zip(&weights)
            .map(|(points, weight)| *weight as f64 * (points - mean).powi(2))
            .sum();
        // A sweep has no spread of its own. One result of the other kind could always have been
        // next: that much uncertainty is left.
        let floor = 0.25 / count as f64;
        ((spread / count as f64).max(floor) / count as f64).sqrt()
    }

    /// The difference in Elo that the results speak for.
    pub fn elo(&self) -> Elo {
        let (score, error) = (self.score(), self.standard_error());
        Elo {
            value: elo_of(score),
            low: elo_of(score - Z * error),
            high: elo_of(score + Z * error),
        }
    }

    /// How likely it is that the first player is the stronger one.
    pub fn likelihood_of_superiority(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        normal_below((self.score() - 0.5) / self.standard_error())
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

/// The part of a normal distribution below `z` (Abramowitz and Stegun 26.2.17, good to 1e-7).
fn normal_below(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let tail = t
        * (0.319_381_530
            + t * (-0.356_563_782
                + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z >= 0.0 { 1.0 - density * tail } else { density * tail }
}

/// The mean of some numbers with the bounds of its 95 % interval.
pub fn mean_of(numbers: &[f64]) -> (f64, f64, f64) {
    let count = numbers.len() as f64;
    if numbers.is_empty() {
        return (0.0, 0.0, 0.0);
    }
    let mean = numbers.iter().sum::<f64>() / count;
    let spread = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>();
    let error = Z * (spread / (count - 1.0).max(1.0) / count).sqrt();
    (mean, mean - error, mean + error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_quarters_of_the_points_are_191_elo() {
        let tally = Tally { wins: 60, draws: 30, losses: 10, ..Tally::default() };
        assert_eq!(tally.score(), 0.75);
        assert!((tally.elo().value - 190.85).abs() < 0.01);
        // By hand: variance (60·0.0625 + 30·0.0625 + 10·0.5625)/100 = 0.1125, error 0.03354.
        assert!((tally.standard_error() - 0.033_541).abs() < 1e-6);
        let elo = tally.elo();
        assert!(
            (elo.low - elo_of(0.684_26)).abs() < 0.1 && (elo.high - elo_of(0.815_74)).abs() < 0.1
        );
    }

    #[test]
    fn everything_is_finite_from_no_games_to_a_sweep() {
        for tally in [
            Tally::default(),
            Tally { wins: 1, ..Tally::default() },
            Tally { losses: 100, ..Tally::default() },
            Tally { draws: 3, ..Tally::default() },
        ] {
            let elo = tally.elo();
            assert!([elo.value, elo.low, elo.high].iter().all(|bound| bound.is_finite()));
            assert!(elo.low <= elo.value && elo.value <= elo.high);
            assert!((0.0..=1.0).contains(&tally.likelihood_of_superiority()));
            assert_eq!(tally.reversed().reversed(), tally);
        }
    }

    #[test]
    fn pairs_that_split_vary_less_than_single_games() {
        let mut paired = Tally::default();
        for _ in 0..50 {
            paired.add_pair(1.0, 0.0);
        }
        let single = Tally { wins: 50, losses: 50, ..Tally::default() };
        assert!(paired.standard_error() < single.standard_error());
        assert_eq!(paired.score(), 0.5);
    }

    #[test]
    fn superiority_is_even_for_an_even_score() {
        let even = Tally { wins: 10, losses: 10, ..Tally::default() };
        assert!((even.likelihood_of_superiority() - 0.5).abs() < 1e-6);
        assert!((normal_below(1.959_964) - 0.975).abs() < 1e-6);
    }
}
