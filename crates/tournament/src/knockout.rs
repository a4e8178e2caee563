//! A knockout: who loses is out. The strongest seeds are kept apart until the end, and skip the
//! first round where there are not enough opponents.
//!
//! Where neither of two has won a point, since both have forfeited all their games, both are out, and
//! the agent that would have met the winner goes on without a game. A champion has won a pairing on the way:
//! where no one is left who has, there is none.

use super::schedule::{Results, Writer};
use super::summary::{Pairing, Round};

/// Openings of a round start from here: more than any pairing plays.
const OPENINGS_A_ROUND: u64 = 1 << 20;

/// Seeds in the order of the bracket: 0 meets 7, 3 meets 4, 1 meets 6, 2 meets 5.
pub fn bracket(count: usize) -> Vec<Option<usize>> {
    let mut seeds = vec![0];
    while seeds.len() < count {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|seed| [*seed, last - seed]).collect();
    }
    seeds.into_iter().map(|seed| (seed < count).then_some(seed)).collect()
}

/// What a round is called.
fn name(players: usize, number: u32) -> String {
    match players {
        2 => "final".to_owned(),
        4 => "semi-finals".to_owned(),
        8 => "quarter-finals".to_owned(),
        _ => format!("round {number}"),
    }
}

/// Rounds as far as results reach.
pub(crate) fn plan(writer: &mut Writer<'_>, results: &Results) {
    let settings = writer.settings();
    // A pairing is decided over both colours.
    let games = settings.games().next_multiple_of(2);
    let extra = u64::from(settings.extra_pairs());
    let mut slots = bracket(settings.agents.len());
    let mut has_won = vec![false; settings.agents.len()];
    let mut number = 0;
    while slots.len() > 1 {
        number += 1;
        let mut round = Round {
            number,
            name: name(slots.len(), number),
            pairings: vec![],
            byes: vec![],
            withdrawn: vec![],
        };
        let mut next = Vec::new();
        for pair in slots.chunks(2) {
            let (Some(first), Some(second)) = (pair[0], pair[1]) else {
                round.byes.extend(pair[0].or(pair[1]));
                next.push(pair[0].or(pair[1]));
                continue;
            };
            let pairing = decide(
                writer,
                results,
                number,
                (first.min(second), first.max(second)),
                games,
                extra,
            );
            next.push(pairing.winner);
            pairing.winner.into_iter().for_each(|winner| has_won[winner] = true);
            round.pairings.push(pairing);
        }
        let is_decided =
            round.pairings.iter().all(|pairing| pairing.winner.is_some() || pairing.both_out);
        writer.plan.rounds.push(round);
        if !is_decided {
            return;
        }
        slots = next;
    }
    writer.plan.champion = slots.first().copied().flatten().filter(|agent| has_won[*agent]);
    writer.plan.is_final = true;
    writer.plan.total = Some(writer.plan.games.len() as u64);
}

/// One pairing: its games, then pair after pair while it is tied, then the higher seed, unless neither
/// has won anything.
fn decide(
    writer: &mut Writer<'_>,
    results: &Results,
    round: u32,
    (first, second): (usize, usize),
    games: u64,
    extra: u64,
) -> Pairing {
    let opening = u64::from(round - 1) * OPENINGS_A_ROUND;
    let (first_score, second_score) = (0.0, 0.0);
    let mut pairing = Pairing {
        first,
        second,
        first_score,
        second_score,
        winner: None,
        both_out: false,
        note: None,
    };
    let mut begin = 0;
    for attempt in 0..=extra {
        let end = games + 2 * attempt;
        for (game, key) in
            (begin..end).zip(writer.meeting(round, (first, second), begin..end, opening))
        {
            let Some(verdict) = results.get(&key) else {
                // What is not finished decides nothing, but all of it can be played now.
                pairing.note = None;
                begin = u64::MAX;
                continue;
            };
            let seat = (game % 2) as usize;
            pairing.first_score += verdict.points[seat];
            pairing.second_score += verdict.points[1 - seat];
        }
        if begin == u64::MAX {
            return pairing;
        }
        begin = end;
        if pairing.first_score != pairing.second_score {
            let is_first = pairing.first_score > pairing.second_score;
            pairing.winner = Some(if is_first { first } else { second });
            if attempt > 0 {
                pairing.note = Some(format!("after {} more games", 2 * attempt));
            }
            return pairing;
        }
    }
    if pairing.first_score == 0.0 {
        pairing.both_out = true;
        pairing.note = Some("neither: both forfeited every game".to_owned());
        return pairing;
    }
    pairing.winner = Some(first);
    pairing.note = Some("by the higher seed".to_owned());
    pairing
}
