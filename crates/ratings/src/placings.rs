//! Many players in one game: what they got, on average.

use serde::Serialize;

use super::royale::{Finish, Royale};
use super::{Estimate, Z, least_error, students};

/// What a player got out of its games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Placing {
    /// How many games it played.
    pub games: u64,
    /// How many of them it won.
    pub wins: u64,
    /// The part of the games it won.
    pub win_rate: Estimate,
    /// Its score, on average: squares in Game 17.
    pub score: Estimate,
    /// Its place among the players, on average, 1 for the best; players that tie share the mean of
    /// their places.
    pub rank: Estimate,
}

/// What every player got out of the games it took part in. No score is above `most`.
///
/// A mean has Student's interval, kept within what is possible; after no game or one, all that is
/// possible is left. Results that were all alike leave the uncertainty of one step.
pub fn placings(players: usize, games: &[Royale], most: f64) -> Vec<Placing> {
    let mut scores = vec![Vec::new(); players];
    let mut ranks = vec![Vec::new(); players];
    let mut wins = vec![0; players];
    for game in games {
        for finish in game.iter().filter(|finish| finish.player < players) {
            // Who has forfeited comes behind all who have not, and ties with all who have.
            let is_behind = |one: &Finish, other: &Finish| match (one.forfeited, other.forfeited) {
                (true, other_forfeited) => !other_forfeited,
                (false, true) => false,
                (false, false) => other.score > one.score,
            };
            let better = game.iter().filter(|other| is_behind(finish, other)).count();
            let worse = game.iter().filter(|other| is_behind(other, finish)).count();
            let equal = game.len() - better - worse;
            scores[finish.player].push(finish.score);
            ranks[finish.player].push(better as f64 + f64::midpoint(1.0, equal as f64));
            wins[finish.player] += u64::from(finish.won);
        }
    }
    (0..players)
        .map(|player| Placing {
            games: scores[player].len() as u64,
            wins: wins[player],
            win_rate: rate(wins[player] as f64, scores[player].len() as f64),
            score: mean(&scores[player], 0.0, most),
            rank: mean(&ranks[player], 1.0, players as f64),
        })
        .collect()
}

/// A rate with Wilson's interval.
fn rate(successes: f64, count: f64) -> Estimate {
    let value = if count > 0.0 { successes / count } else { 0.5 };
    let middle = (successes + Z * Z / 2.0) / (count + Z * Z);
    let error = Z / (count + Z * Z) * (count * value * (1.0 - value) + Z * Z / 4.0).sqrt();
    Estimate {
        value,
        low: (middle - error).clamp(0.0, value),
        high: (middle + error).clamp(value, 1.0),
    }
}

fn mean(numbers: &[f64], least: f64, most: f64) -> Estimate {
    let count = numbers.len() as f64;
    let value = match numbers {
        [] => f64::midpoint(least, most),
        _ => numbers.iter().sum::<f64>() / count,
    };
    let (least, most) = (least.min(value), most.max(value));
    if numbers.len() < 2 {
        return Estimate { value, low: least, high: most };
    }
    let variance =
        numbers.iter().map(|number| (number - value).powi(2)).sum::<f64>() / (count - 1.0);
    let error = (students(count) * (variance / count).sqrt()).max(least_error(count));
    Estimate { value, low: (value - error).max(least), high: (value + error).min(most) }
}
