//! How self-play searches a move with few simulations: candidates drawn at random by what the
//! network expects, then halved again and again by what the search finds (Danihelka and others,
//! 2022). Every simulation counts, and the improved policy is better than the network's own even
//! where each candidate was tried a few times only.

use skirmish_rules::Random;

use crate::encoding::Encode;
use crate::search::{Edge, Tree};

/// How strongly values found change the policy: visits of the most visited choice are added to the
/// first, and the sum is multiplied by the second. Values are from -1 to 1.
const VISIT_WEIGHT: f32 = 50.0;
const VALUE_WEIGHT: f32 = 0.25;

/// One search at the root of a tree.
#[derive(Clone, Debug, Default)]
pub struct Gumbel {
    /// A Gumbel-distributed number for every choice, or 0 where nothing is left to chance.
    noise: Vec<f32>,
    /// For every simulation, how often the choice it takes has been visited before.
    schedule: Vec<u32>,
    done: usize,
    scores: Vec<f32>,
}

impl Gumbel {
    /// Begins a search of so many simulations. `random` is `None` where nothing is left to chance.
    pub fn begin(
        &mut self,
        choices: usize,
        considered: usize,
        simulations: usize,
        random: Option<&mut Random>,
    ) {
        self.done = 0;
        self.noise.clear();
        match random {
            Some(random) => self.noise.extend((0..choices).map(|_| gumbel(random))),
            None => self.noise.resize(choices, 0.0),
        }
        schedule(considered.min(choices).max(1), simulations, &mut self.schedule);
    }

    /// Forgets the last search.
    pub fn reset(&mut self) {
        self.schedule.clear();
        self.done = 0;
    }

    /// Whether a search has begun.
    pub fn is_begun(&self) -> bool {
        !self.schedule.is_empty()
    }

    /// Whether a search has begun and made all its simulations.
    pub fn is_done(&self) -> bool {
        self.is_begun() && self.done >= self.schedule.len()
    }

    /// The choice the next simulation takes. Needs the root to be evaluated.
    pub fn next<G: Encode>(&mut self, tree: &Tree<G>) -> usize {
        let visits = self.schedule[self.done];
        self.done += 1;
        self.best(tree, visits)
    }

    /// The choice to play: of the most visited, the best.
    pub fn choice<G: Encode>(&mut self, tree: &Tree<G>) -> usize {
        // What is won for certain needs no counting.
        let choices = 0..tree.choices().len();
        if let Some(won) = choices.clone().find(|choice| tree.certain(*choice) == Some(1.0)) {
            return won;
        }
        let most = tree.choices().iter().map(|edge| edge.visits).max().unwrap_or(0);
        self.best(tree, most)
    }

    /// Of the choices with exactly so many visits, the one that looks best; if there is none, of all.
    fn best<G: Encode>(&mut self, tree: &Tree<G>, visits: u32) -> usize {
        let edges = tree.choices();
        improved_logits(tree, &mut self.scores);
        let noisy = |choice: usize| self.scores[choice] + self.noise[choice];
        let order = |a: &usize, b: &usize| noisy(*a).total_cmp(&noisy(*b));
        let exact = (0..edges.len()).filter(|choice| edges[*choice].visits == visits);
        exact.max_by(order).or_else(|| (0..edges.len()).max_by(order)).unwrap_or(0)
    }

    /// The improved policy: what the network should have said.
    pub fn policy<G: Encode>(&mut self, tree: &Tree<G>, out: &mut Vec<f32>) {
        improved_logits(tree, &mut self.scores);
        let most = self.scores.iter().fold(f32::MIN, |most, score| most.max(*score));
        out.clear();
        out.extend(self.scores.iter().map(|score| (score - most).exp()));
        let sum: f32 = out.iter().sum();
        out.iter_mut().for_each(|part| *part /= sum);
    }
}

/// The network's logits plus what the search found. Choices it did not try are taken to be worth
/// what the rest suggests.
fn improved_logits<G: Encode>(tree: &Tree<G>, out: &mut Vec<f32>) {
    let edges = tree.choices();
    let (mut visits, mut most) = (0, 0);
    let (mut weighted, mut seen) = (0.0, 0.0);
    for edge in edges {
        visits += edge.visits;
        most = most.max(edge.visits);
        if let Some(mean) = edge.mean() {
            weighted += edge.prior * mean;
            seen += edge.prior;
        }
    }
    let mixed = if visits == 0 {
        tree.first_value()
    } else {
        (tree.first_value() + visits as f32 * weighted / seen.max(1e-9)) / (1.0 + visits as f32)
    };
    let scale = (VISIT_WEIGHT + most as f32) * VALUE_WEIGHT;
    let value = |choice: usize, edge: &Edge<G::Action>| {
        tree.certain(choice).or_else(|| edge.mean()).unwrap_or(mixed)
    };
    out.clear();
    out.extend(
        edges
            .iter()
            .enumerate()
            .map(|(choice, edge)| (edge.prior.max(1e-9)).ln() + scale * value(choice, edge)),
    );
}

/// For every simulation, how often the choice it takes has been visited before: all candidates
/// equally, then the better half, and so on.
fn schedule(considered: usize, simulations: usize, out: &mut Vec<u32>) {
    out.clear();
    if considered == 1 {
        out.extend(0..simulations as u32);
        return;
    }
    let rounds = considered.next_power_of_two().trailing_zeros() as usize;
    let mut left = considered;
    let mut visits = 0;
    while out.len() < simulations {
        for _ in 0..(simulations / (rounds * left)).max(1) {
            out.extend(std::iter::repeat_n(visits, left));
            visits += 1;
        }
        left = (left / 2).max(2);
    }
    out.truncate(simulations);
}

/// A number from the standard Gumbel distribution.
fn gumbel(random: &mut Random) -> f32 {
    let uniform = (random.word() >> 40) as f32 / 16_777_216.0 + 3e-8;
    -(-uniform.ln()).max(1e-9).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halved(considered: usize, simulations: usize) -> Vec<u32> {
        let mut out = Vec::new();
        schedule(considered, simulations, &mut out);
        out
    }

    #[test]
    fn candidates_are_halved() {
        assert_eq!(halved(1, 3), [0, 1, 2]);
        assert_eq!(halved(2, 4), [0, 0, 1, 1]);
        assert_eq!(halved(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(halved(4, 6), [0, 0, 0, 0, 1, 1]);
        assert_eq!(halved(16, 64).len(), 64);
        // Sixteen are tried once, eight twice more, four four times more, two the rest.
        let counts: Vec<usize> =
            (0..12).map(|visits| halved(16, 64).iter().filter(|v| **v == visits).count()).collect();
        assert_eq!(counts, [16, 8, 8, 4, 4, 4, 4, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn gumbel_numbers_have_the_mean_of_their_distribution() {
        let mut random = Random::seeded(5);
        let mean = (0..100_000).map(|_| f64::from(gumbel(&mut random))).sum::<f64>() / 1e5;
        assert!((mean - 0.577_215).abs() < 0.02, "{mean}");
    }
}
