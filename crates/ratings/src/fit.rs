//! The climb to the likeliest strengths, and the bootstrap around it: the same for games of two and
//! for games of many.

use rayon::prelude::*;
use skirmish_rules::Random;

use super::Estimate;

/// How a fit is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The weight of the two games that were not played. 0 leaves them out; a sweep is then given
    /// as an enormous but finite difference.
    pub prior: f64,
    /// How many times all players are rated anew for the intervals (bootstrap samples).
    pub replicates: usize,
    /// What the weights of the bootstrap are drawn from.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { prior: 1.0, replicates: 1_000, seed: 0 }
    }
}

/// Elo in a difference of 1 in the logarithm of strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Logarithms of strengths stay within this of the average player: 6,949 Elo.
const MOST: f64 = 40.0;
/// No climb takes more steps than this.
const MOST_STEPS: usize = 2_000;

/// The games that were not played against a player of strength 1: their weights when won and lost.
#[derive(Clone, Copy)]
pub(super) struct Unplayed {
    pub(super) won: f64,
    pub(super) lost: f64,
}

/// Results that strengths can be fitted to. Strengths are logarithms, those of the players first.
pub(super) trait Likelihood: Sync {
    /// The results, each with its weight.
    type Weighted;
    fn players(&self) -> usize;
    /// The number of strengths, with those that belong to no player.
    fn strengths(&self) -> usize;
    /// How many results there are that do not depend on each other.
    fn samples(&self) -> usize;
    fn weigh(&self, weights: &[f64]) -> Self::Weighted;
    /// One step uphill from `at`.
    fn step(&self, results: &Self::Weighted, unplayed: &[Unplayed], at: &[f64]) -> Vec<f64>;
}

/// The strength that is likeliest when `wins` of its comparisons were won and the others sum up to
/// `pull` for each unit of strength. (Hunter, "MM algorithms for generalized Bradley–Terry models",
/// 2004; the games that were not played are solved for exactly: a quadratic equation.)
pub(super) fn likeliest(wins: f64, pull: f64, unplayed: Unplayed, before: f64) -> f64 {
    let Unplayed { won, lost } = unplayed;
    let slope = pull + lost - wins;
    let root = (slope * slope + 4.0 * pull * (wins + won)).sqrt();
    let strength = if slope > 0.0 {
        2.0 * (wins + won) / (slope + root)
    } else {
        (root - slope) / (2.0 * pull)
    };
    // Nothing known at all, not even a prior: nothing changes.
    if strength.is_nan() { before } else { strength.ln().clamp(-MOST, MOST) }
}

/// Strengths in Elo with their intervals. The players' are relative to their mean.
pub(super) fn estimate<L: Likelihood>(likelihood: &L, settings: &Settings) -> Vec<Estimate> {
    let Settings { prior, replicates, seed } = *settings;
    let prior = if prior.is_finite() { prior.max(0.0) } else { 1.0 };

    // 1. The likeliest strengths.
    let everything = likelihood.weigh(&vec![1.0; likelihood.samples()]);
    let unplayed = vec![Unplayed { won: prior, lost: prior }; likelihood.strengths()];
    let summit =
        climb(likelihood, &everything, &unplayed, vec![0.0; likelihood.strengths()], 1e-10);

    // 2. The same with random weights, over and over, from there.
    let again = |replicate: usize| {
        let mut random = Random::stream(seed ^ 0xb007, replicate as u64);
        let weights: Vec<f64> =
            (0..likelihood.samples()).map(|_| exponential(&mut random)).collect();
        let unplayed: Vec<Unplayed> = (0..likelihood.strengths())
            .map(|_| Unplayed {
                won: prior * exponential(&mut random),
                lost: prior * exponential(&mut random),
            })
            .collect();
        let results = likelihood.weigh(&weights);
        anchored(likelihood, climb(likelihood, &results, &unplayed, summit.clone(), 1e-5))
    };
    let replicates: Vec<Vec<f64>> = (0..replicates).into_par_iter().map(again).collect();

    // 3. The middle of them.
    let summit = anchored(likelihood, summit);
    let interval = |number: usize| {
        let mut values: Vec<f64> = replicates.iter().map(|strengths| strengths[number]).collect();
        values.sort_by(f64::total_cmp);
        let value = summit[number];
        // A prior pulls all replicates one way: the bounds never leave out the value itself.
        Estimate {
            value: ELO * value,
            low: ELO * quantile(&values, 0.025).unwrap_or(value).min(value),
            high: ELO * quantile(&values, 0.975).unwrap_or(value).max(value),
        }
    };
    (0..likelihood.strengths()).map(interval).collect()
}

fn anchored<L: Likelihood>(likelihood: &L, mut strengths: Vec<f64>) -> Vec<f64> {
    let players = likelihood.players();
    let mean = strengths[..players].iter().sum::<f64>() / players.max(1) as f64;
    strengths[..players].iter_mut().for_each(|strength| *strength -= mean);
    strengths
}

/// Steps uphill until they no longer lead anywhere, leaping ahead along the way they point
/// (Varadhan and Roland's SQUAREM): plain steps can be many thousands.
fn climb<L: Likelihood>(
    likelihood: &L,
    results: &L::Weighted,
    unplayed: &[Unplayed],
    start: Vec<f64>,
    tolerance: f64,
) -> Vec<f64> {
    let step = |at: &[f64]| likelihood.step(results, unplayed, at);
    let mut at = start;
    for _ in 0..MOST_STEPS / 3 {
        let once = step(&at);
        let first = difference(&once, &at);
        if largest(&first) < tolerance {
            return once;
        }
        let twice = step(&once);
        let second = difference(&twice, &once);
        let bend = difference(&second, &first);
        let stretch = (norm(&first) / norm(&bend)).clamp(1.0, 100.0);
        let leap: Vec<f64> = (0..at.len())
            .map(|i| at[i] + 2.0 * stretch * first[i] + stretch * stretch * bend[i])
            .map(|strength| strength.clamp(-MOST, MOST))
            .collect();
        let landed = step(&leap);
        let is_gain = largest(&difference(&landed, &leap)) <= largest(&first);
        at = if is_gain { landed } else { twice };
    }
    at
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn largest(steps: &[f64]) -> f64 {
    steps.iter().fold(0.0, |largest: f64, step| largest.max(step.abs()))
}

fn norm(steps: &[f64]) -> f64 {
    steps.iter().map(|step| step * step).sum::<f64>().sqrt().max(1e-300)
}

/// A weight of the Bayesian bootstrap.
fn exponential(random: &mut Random) -> f64 {
    // 53 random bits above 0 and at most 1.
    let uniform = ((random.word() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    -uniform.ln() + f64::MIN_POSITIVE
}

/// The value below which this part of the sorted values lies.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let at = part * (sorted.len().checked_sub(1)?) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(low + (high - low) * at.fract())
}
