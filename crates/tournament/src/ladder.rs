//! Two agents, until a sequential test has decided which of two differences in strength it is.
//!
//! The test is asked after every pair of games, in the order of the schedule. Games are handed out
//! in blocks of a fixed size, so that which games are played does not depend on how many are played
//! at the same time; those of a block after the deciding pair are kept but do not count. A pair with a
//! game that both agents have forfeited tells the test nothing.

use super::schedule::{Results, Writer};
use super::settings::SprtSettings;
use super::summary::Sprt;
use skirmish_ratings::{Decision, Scale, Sprt as Test, Tally};

/// Games handed out at once.
const BLOCK: u64 = 16;

/// Blocks as far as results reach.
pub(crate) fn plan(writer: &mut Writer<'_>, results: &Results) {
    let most = writer.settings().games().next_multiple_of(2);
    let settings = writer.settings().sprt();
    let mut pairs = [0_u64; 5];
    let mut begin = 0;
    while begin < most {
        let end = (begin + BLOCK).min(most);
        let keys = writer.meeting(1, (0, 1), begin..end, 0);
        let points: Vec<Option<f64>> = keys
            .iter()
            .enumerate()
            .filter_map(|(game, key)| results.get(key).map(|verdict| verdict.of_two(game % 2)))
            .collect();
        if points.len() < keys.len() {
            writer.plan.counted = begin as usize;
            return;
        }
        for (place, pair) in points.chunks(2).enumerate() {
            // A pair with a game that both have forfeited is none.
            let [Some(one), Some(other)] = *pair else { continue };
            pairs[(2.0 * (one + other)).round().clamp(0.0, 4.0) as usize] += 1;
            if sprt(&settings, pairs).decision != "undecided" {
                writer.plan.counted = begin as usize + 2 * (place + 1);
                writer.plan.total = Some(end);
                writer.plan.is_final = true;
                return;
            }
        }
        begin = end;
    }
    writer.plan.counted = most as usize;
    writer.plan.total = Some(most);
    writer.plan.is_final = true;
}

/// What the test says of so many pairs of games, by the points won in them.
pub fn sprt(settings: &SprtSettings, pairs: [u64; 5]) -> Sprt {
    let SprtSettings { elo0, elo1, alpha, beta } = *settings;
    let test = Test { elo0, elo1, alpha, beta, scale: Scale::Logistic };
    let mut tally = Tally::default();
    for (place, count) in pairs.into_iter().enumerate() {
        // Half a point more makes a draw of a loss, or a win of a draw.
        let (wins, draws) = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)][place];
        tally.wins += wins * count;
        tally.draws += draws * count;
        tally.losses += (2 - wins - draws) * count;
    }
    tally.pairs = pairs;
    let verdict = test.judge(&tally);
    let decision = match verdict.decision {
        Decision::Open => "undecided",
        Decision::Rejected => "rejected",
        Decision::Accepted => "accepted",
    };
    let (llr, lower, upper) = (verdict.log_likelihood_ratio, verdict.lower, verdict.upper);
    Sprt { elo0, elo1, llr, lower, upper, decision: decision.to_owned() }
}
