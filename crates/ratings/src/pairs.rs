//! Many players, two a game: the Bradley–Terry model with an advantage of moving first.

use std::collections::BTreeMap;

use super::Estimate;
use super::fit::{Likelihood, Settings, Unplayed, estimate, likeliest};

/// One game of two players, by number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Duel {
    /// Who moved first.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// Points of the first: 1 for a win, ½ for a draw, 0 for a loss.
    pub points: f64,
    /// Games with the same sample are not independent (the two games of one opening) and are taken
    /// together by the bootstrap. Give each game its own where that does not matter.
    pub sample: u64,
}

/// The rating of every player.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    /// By player: Elo relative to the mean of all players.
    pub players: Vec<Estimate>,
    /// What moving first is worth, in Elo.
    pub first_move: Estimate,
}

/// Rates `players` players by all their games at once. A draw is half a win. Players that never
/// met, not even by way of others, are compared by way of the prior.
///
/// A game with a player that does not exist, or of a player with itself, says nothing.
pub fn bradley_terry(players: usize, games: &[Duel], settings: &Settings) -> Ratings {
    let mut estimates = estimate(&Duels::new(players, games), settings);
    let first_move = estimates.pop().unwrap_or_default();
    Ratings { players: estimates, first_move }
}

struct Duels {
    players: usize,
    samples: usize,
    /// Who met, first mover first.
    meetings: Vec<(usize, usize)>,
    /// The games: which sample, which meeting, the points of the first.
    games: Vec<(usize, usize, f64)>,
}

/// What the first and the second of each meeting won.
type Won = Vec<(f64, f64)>;

impl Duels {
    fn new(players: usize, games: &[Duel]) -> Duels {
        let mut meetings = BTreeMap::new();
        let mut samples = BTreeMap::new();
        let mut listed = Vec::new();
        for Duel { first, second, points, sample } in games {
            if first == second || *first >= players || *second >= players || points.is_nan() {
                continue;
            }
            let next = meetings.len();
            let meeting = *meetings.entry((*first, *second)).or_insert(next);
            let next = samples.len();
            let pair = (*first.min(second), *first.max(second), *sample);
            let sample = *samples.entry(pair).or_insert(next);
            listed.push((sample, meeting, points.clamp(0.0, 1.0)));
        }
        let mut order = vec![(0, 0); meetings.len()];
        meetings.into_iter().for_each(|(who, number)| order[number] = who);
        Duels { players, samples: samples.len(), meetings: order, games: listed }
    }
}

impl Likelihood for Duels {
    type Weighted = Won;

    fn players(&self) -> usize {
        self.players
    }

    fn strengths(&self) -> usize {
        // The last one is the first mover's.
        self.players + 1
    }

    fn samples(&self) -> usize {
        self.samples
    }

    fn weigh(&self, weights: &[f64]) -> Won {
        let mut won = vec![(0.0, 0.0); self.meetings.len()];
        for &(sample, meeting, points) in &self.games {
            won[meeting].0 += weights[sample] * points;
            won[meeting].1 += weights[sample] * (1.0 - points);
        }
        won
    }

    fn step(&self, won: &Won, unplayed: &[Unplayed], at: &[f64]) -> Vec<f64> {
        let strength: Vec<f64> = at.iter().map(|log| log.exp()).collect();
        let advantage = strength[self.players];
        let mut wins = vec![0.0; self.players];
        let mut pull = vec![0.0; self.players];
        for (&(first, second), (by_first, by_second)) in self.meetings.iter().zip(won) {
            let games = by_first + by_second;
            let share = games / (advantage * strength[first] + strength[second]);
            wins[first] += by_first;
            wins[second] += by_second;
            pull[first] += advantage * share;
            pull[second] += share;
        }
        let mut next: Vec<f64> = (0..self.players)
            .map(|player| likeliest(wins[player], pull[player], unplayed[player], at[player]))
            .collect();

        // The advantage, with the players' new strengths.
        let strength: Vec<f64> = next.iter().map(|log| log.exp()).collect();
        let (mut wins, mut pull) = (0.0, 0.0);
        for (&(first, second), (by_first, by_second)) in self.meetings.iter().zip(won) {
            let own = strength[first];
            wins += by_first;
            pull += (by_first + by_second) * own / (advantage * own + strength[second]);
        }
        next.push(likeliest(wins, pull, unplayed[self.players], at[self.players]));
        next
    }
}
