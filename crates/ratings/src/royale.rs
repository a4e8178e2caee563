//! Many players in one game: the Plackett–Luce model, fitted to all games at once.
//!
//! The winner is drawn from all players in proportion to their strengths, the second from those who
//! are left, and so on. Games of two make it the Bradley–Terry model.
//!
//! Players that tie could have come in any order. A tie counts as the geometric mean over all of
//! them: of two players, half a win for each. For more than two the players who would still be left
//! at each point are replaced by their average, and for more than [`PARTS`] several points at once
//! are, since a hundred players out of the game tie at nothing.

use super::Estimate;
use super::fit::{Likelihood, Settings, Unplayed, estimate, likeliest};

/// How one player came out of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Finish {
    /// The player, by number.
    pub player: usize,
    /// What places are given by: the more the better. Equal scores tie.
    pub score: f64,
    /// Whether the game was won. Those with the highest score need not have: a zombie may have more.
    pub won: bool,
    /// Whether the game was forfeited: behind all who did not, and not compared with others who did.
    pub forfeited: bool,
}

/// One game: all who took part, no player twice.
pub type Royale = Vec<Finish>;

/// Rates `players` players by all their games at once: Elo relative to the mean of all players. An
/// Elo difference between two says how often the one comes before the other.
///
/// A finish of a player that does not exist says nothing, nor does a game of one.
pub fn plackett_luce(players: usize, games: &[Royale], settings: &Settings) -> Vec<Estimate> {
    estimate(&Rankings::new(players, games), settings)
}

/// A tie of more players than this is summed up in this many parts.
const PARTS: usize = 8;

struct Rankings {
    players: usize,
    games: Vec<Ranking>,
}

/// One game.
struct Ranking {
    /// Best first: groups of players that tie.
    groups: Vec<Vec<usize>>,
    /// Whether the last group has forfeited, so that nothing is known of its order.
    has_forfeits: bool,
}

impl Rankings {
    fn new(players: usize, games: &[Royale]) -> Rankings {
        let ranked = |game: &Royale| {
            let mut finishes: Vec<&Finish> = (game.iter())
                .filter(|finish| finish.player < players && !finish.score.is_nan())
                .collect();
            // Those who tie in the order of their numbers, so that sums do not depend on the seats.
            finishes.sort_by(|a, b| {
                (a.forfeited.cmp(&b.forfeited))
                    .then(b.score.total_cmp(&a.score))
                    .then(a.player.cmp(&b.player))
            });
            let has_forfeits = finishes.last().is_some_and(|finish| finish.forfeited);
            let groups = finishes
                .chunk_by(|a, b| match (a.forfeited, b.forfeited) {
                    (false, false) => a.score == b.score,
                    (a, b) => a && b,
                })
                .map(|group| group.iter().map(|finish| finish.player).collect())
                .collect();
            Ranking { groups, has_forfeits }
        };
        Rankings { players, games: games.iter().map(ranked).collect() }
    }
}

impl Likelihood for Rankings {
    type Weighted = Vec<f64>;

    fn players(&self) -> usize {
        self.players
    }

    fn strengths(&self) -> usize {
        self.players
    }

    fn samples(&self) -> usize {
        self.games.len()
    }

    fn weigh(&self, weights: &[f64]) -> Vec<f64> {
        weights.to_vec()
    }

    fn step(&self, weights: &Vec<f64>, unplayed: &[Unplayed], at: &[f64]) -> Vec<f64> {
        let strength: Vec<f64> = at.iter().map(|log| log.exp()).collect();
        let mut sums = Sums { wins: vec![0.0; self.players], pull: vec![0.0; self.players] };
        for (game, weight) in self.games.iter().zip(weights) {
            sums.add_game(game, *weight, &strength);
        }
        (0..self.players)
            .map(|player| {
                likeliest(sums.wins[player], sums.pull[player], unplayed[player], at[player])
            })
            .collect()
    }
}

/// How often each player came first among those who were left, and what each unit of its strength
/// takes away from others coming first.
struct Sums {
    wins: Vec<f64>,
    pull: Vec<f64>,
}

impl Sums {
    fn add_game(&mut self, game: &Ranking, weight: f64, strength: &[f64]) {
        let Ranking { groups, has_forfeits } = game;
        // Of each group and of all below it. Added up from the last: strengths differ so much that
        // taking away would leave nothing.
        let mut totals = vec![(0.0, 0.0); groups.len()];
        let mut below = 0.0;
        for (place, group) in groups.iter().enumerate().rev() {
            let total = group.iter().map(|player| strength[*player]).sum::<f64>();
            totals[place] = (total, below);
            below += total;
        }
        // What all in a lower group take away from those before it.
        let mut shared = 0.0;
        for (place, (group, (total, below))) in groups.iter().zip(totals).enumerate() {
            for player in group {
                self.pull[*player] += weight * shared;
            }
            if *has_forfeits && place + 1 == groups.len() {
                break;
            }
            shared += self.add_group(group, total, below, weight, strength);
        }
    }

    /// Returns what each unit of strength below this group takes away from it.
    fn add_group(
        &mut self,
        group: &[usize],
        total: f64,
        below: f64,
        weight: f64,
        strength: &[f64],
    ) -> f64 {
        // Almost always a single player.
        if let [player] = *group {
            if below == 0.0 {
                return 0.0;
            }
            let pull = 1.0 / (below + strength[player]);
            self.wins[player] += weight;
            self.pull[player] += weight * pull;
            return pull;
        }
        let each = 1.0 / group.len() as f64;
        let mut shared = 0.0;
        // What the group takes away from its members, apart from themselves: summed up once, and
        // each member's own part taken out again.
        let mut among = 0.0;
        let mut own_part = vec![0.0; group.len()];
        // Each player is taken at each point of the group with the same chance.
        for (member, &player) in group.iter().enumerate() {
            let own = strength[player];
            let others = (total - own).max(0.0);
            let (mut wins, mut pull) = (0.0, 0.0);
            for (points, left) in points_of(group.len()) {
                let part = each * points / (below + own + left * others);
                wins += each * points;
                pull += part;
                own_part[member] += part * left;
            }
            // At the last point, it is the only one left of its group.
            if below > 0.0 {
                wins += each;
                pull += each / (below + own);
            }
            self.wins[player] += weight * wins;
            self.pull[player] += weight * pull;
            shared += pull;
            among += own_part[member];
        }
        for (own_part, &player) in own_part.iter().zip(group) {
            self.pull[player] += weight * (among - own_part).max(0.0);
        }
        shared
    }
}

/// All points of a tied group but the last: how many are taken together, and which part of the
/// others is still left there on average.
fn points_of(size: usize) -> impl Iterator<Item = (f64, f64)> {
    let points = size - 1;
    let parts = points.min(PARTS);
    (0..parts).map(move |part| {
        let (start, end) = (part * points / parts, (part + 1) * points / parts);
        let middle = (start + end - 1) as f64 / 2.0;
        ((end - start) as f64, (points as f64 - middle) / points as f64)
    })
}
