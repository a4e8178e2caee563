//! A Swiss system: in every round agents meet others with about as many points, none twice while
//! that can be avoided.
//!
//! The best agent without an opponent takes the best opponent that leaves every other agent one. Whether
//! it does is asked of a maximum matching, so a rematch happens only when there is no other way.

use std::cmp::Reverse;

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};

use super::schedule::{Key, Results, Writer};
use super::summary::{Pairing, Round};

/// Where an agent stands before a round.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Player {
    /// Points, byes included.
    pub score: f64,
    /// How often it had no opponent.
    pub byes: u32,
    /// How often it met each other agent.
    pub met: Vec<u32>,
    /// How much more often it began than not.
    pub begun: i64,
    /// Whether it began its last game.
    pub began_last: bool,
    /// Games it played, and how many of them it lost by faults.
    pub games: u64,
    /// See `games`.
    pub forfeits: u64,
    /// Whether it takes part no more.
    pub is_withdrawn: bool,
}

/// A round: who begins against whom, and who has to wait.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pairings {
    /// Pairs; the one named first begins.
    pub pairs: Vec<(usize, usize)>,
    /// Who has no opponent.
    pub bye: Option<usize>,
}

/// Players before the first round.
pub fn newcomers(count: usize) -> Vec<Player> {
    vec![Player { met: vec![0; count], ..Player::default() }; count]
}

/// Pairs every agent who still takes part. `games_are_even` says that every pairing changes colours evenly by itself.
pub fn pair(players: &[Player], games_are_even: bool) -> Pairings {
    let mut order: Vec<usize> =
        (0..players.len()).filter(|player| !players[*player].is_withdrawn).collect();
    order.sort_by(|a, b| players[*b].score.total_cmp(&players[*a].score).then(a.cmp(b)));
    let most = players.iter().flat_map(|player| &player.met).max().copied().unwrap_or(0);
    // No agent should begin three times more often than not, or less: two who are both at their limit
    // do not meet, unless there is no other way.
    let collide = |a: usize, b: usize| {
        let (a, b) = (players[a].begun, players[b].begun);
        !games_are_even && a.abs() >= 2 && b.abs() >= 2 && a.signum() == b.signum()
    };
    for (allowed, strict) in (0..=most).flat_map(|allowed| [(allowed, true), (allowed, false)]) {
        let may_meet =
            |a: usize, b: usize| players[a].met[b] <= allowed && !(strict && collide(a, b));
        let (mut left, mut bye) = (order.clone(), None);
        if left.len() % 2 == 1 {
            let Some(place) = place_of_the_bye(players, &order, &may_meet) else { continue };
            bye = Some(left.remove(place));
        } else if !all_can_meet(&left, &may_meet) {
            continue;
        }
        let mut pairs = Vec::new();
        while !left.is_empty() {
            let first = left.remove(0);
            let place = opponent(players, first, &left, &may_meet, games_are_even);
            let second = left.remove(place);
            let board = pairs.len();
            pairs.push(if begins(players, first, second, board) {
                (first, second)
            } else {
                (second, first)
            });
        }
        return Pairings { pairs, bye };
    }
    Pairings::default()
}

/// The last in the table among those who had the fewest byes, if the others can all meet then.
fn place_of_the_bye(
    players: &[Player],
    order: &[usize],
    may_meet: &dyn Fn(usize, usize) -> bool,
) -> Option<usize> {
    let mut places: Vec<usize> = (0..order.len()).collect();
    places.sort_by_key(|place| (players[order[*place]].byes, Reverse(*place)));
    places.into_iter().find(|place| {
        let mut others = order.to_vec();
        others.remove(*place);
        all_can_meet(&others, may_meet)
    })
}

/// The best opponent among those left (best first) that leaves every other agent one.
fn opponent(
    players: &[Player],
    first: usize,
    left: &[usize],
    may_meet: &dyn Fn(usize, usize) -> bool,
    games_are_even: bool,
) -> usize {
    let own = players[first].score;
    // Within a group of equal points the upper half meets the lower half.
    let group = left.iter().filter(|other| players[**other].score == own).count();
    let ideal = group.div_ceil(2).saturating_sub(usize::from(group % 2 == 0 && group > 0));
    let clash = |other: usize| {
        let (a, b) = (players[first].begun, players[other].begun);
        !games_are_even && a.signum() == b.signum() && a != 0
    };
    let mut places: Vec<usize> =
        (0..left.len()).filter(|place| may_meet(first, left[*place])).collect();
    places.sort_by(|a, b| {
        let wish = |place: usize| {
            let other = left[place];
            let gap = own - players[other].score;
            (players[first].met[other], gap, clash(other), place.abs_diff(ideal))
        };
        let ((met_a, gap_a, clash_a, far_a), (met_b, gap_b, clash_b, far_b)) = (wish(*a), wish(*b));
        met_a
            .cmp(&met_b)
            .then(gap_a.total_cmp(&gap_b))
            .then(clash_a.cmp(&clash_b))
            .then(far_a.cmp(&far_b))
            .then(a.cmp(b))
    });
    let leaves_a_way = |place: &usize| {
        let mut others = left.to_vec();
        others.remove(*place);
        all_can_meet(&others, may_meet)
    };
    places.into_iter().find(leaves_a_way).expect("there was a way for all before")
}

/// Whether these can all be paired.
fn all_can_meet(left: &[usize], may_meet: &dyn Fn(usize, usize) -> bool) -> bool {
    // Where every agent may meet at least half of the others there is a circle through all (Dirac),
    // and every other step along it is a pair. Mostly that is so, and it is quick to see.
    let may_meet_many = |player: &usize| {
        let choices = left.iter().filter(|other| *other != player && may_meet(*player, **other));
        2 * choices.count() >= left.len()
    };
    if left.len().is_multiple_of(2) && left.iter().all(may_meet_many) {
        return true;
    }
    let mut graph: UnGraph<(), ()> = UnGraph::default();
    let nodes: Vec<NodeIndex> = left.iter().map(|_| graph.add_node(())).collect();
    for (a, player) in left.iter().enumerate() {
        for (b, other) in left.iter().enumerate().skip(a + 1) {
            if may_meet(*player, *other) {
                graph.add_edge(nodes[a], nodes[b], ());
            }
        }
    }
    maximum_matching(&graph).is_perfect()
}

/// Whether the first of two begins: who began less often does, then who did not begin last.
fn begins(players: &[Player], first: usize, second: usize, board: usize) -> bool {
    let (a, b) = (&players[first], &players[second]);
    let evenly = if board.is_multiple_of(2) { first < second } else { first > second };
    match a.begun.cmp(&b.begun) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal if a.began_last != b.began_last => b.began_last,
        std::cmp::Ordering::Equal => evenly,
    }
}

/// Rounds as far as results reach.
pub(crate) fn plan(writer: &mut Writer<'_>, results: &Results) {
    let settings = writer.settings();
    let (count, rounds, games) = (settings.agents.len(), settings.rounds(), settings.games());
    let patience = settings.withdraw_after();
    let mut players = newcomers(count);
    for round in 1..=rounds {
        let withdrawn = withdraw(&mut players, patience);
        let active = players.iter().filter(|player| !player.is_withdrawn).count();
        let ahead = u64::from(rounds - round + 1) * (active / 2) as u64 * games;
        writer.plan.total = Some(writer.plan.games.len() as u64 + ahead);
        let Pairings { pairs, bye } = pair(&players, games.is_multiple_of(2));
        let opening = u64::from(round - 1) * games.div_ceil(2);
        let mut all_done = true;
        let mut pairings = Vec::new();
        for pair in pairs {
            let keys = writer.meeting(round, pair, 0..games, opening);
            let (pairing, is_done) = meet(&mut players, results, pair, &keys);
            pairings.push(pairing);
            all_done &= is_done;
        }
        if let Some(agent) = bye {
            players[agent].byes += 1;
            players[agent].score += games as f64;
        }
        let (name, byes) = (format!("round {round}"), bye.into_iter().collect());
        writer.plan.rounds.push(Round { number: round, name, pairings, byes, withdrawn });
        if !all_done {
            return;
        }
    }
    writer.plan.is_final = true;
}

/// An agent that has lost so many games by faults, and most of its games, takes part no more: no one
/// learns anything from further games, and points won against it would not be worth much.
fn withdraw(players: &mut [Player], patience: u64) -> Vec<usize> {
    let mut withdrawn = Vec::new();
    for (agent, player) in players.iter_mut().enumerate() {
        let is_hopeless = player.forfeits >= patience && 2 * player.forfeits > player.games;
        if patience > 0 && is_hopeless && !player.is_withdrawn {
            player.is_withdrawn = true;
            withdrawn.push(agent);
        }
    }
    withdrawn
}

/// Two agents meet: what it changes for them, and whether all of it is finished.
fn meet(
    players: &mut [Player],
    results: &Results,
    (first, second): (usize, usize),
    keys: &[Key],
) -> (Pairing, bool) {
    let games = keys.len();
    let mut points = [0.0; 2];
    let mut forfeits = [0; 2];
    let mut finished = 0;
    for (game, verdict) in keys.iter().map(|key| results.get(key)).enumerate() {
        let Some(verdict) = verdict else { continue };
        finished += 1;
        for side in 0..2 {
            let seat = if game % 2 == 0 { side } else { 1 - side };
            points[side] += verdict.points[seat];
            forfeits[side] += u64::from(verdict.forfeited[seat]);
        }
    }
    let [first_score, second_score] = points;
    let sides = [(first, second, 1_i64), (second, first, -1)];
    for (side, (agent, other, sign)) in sides.into_iter().enumerate() {
        let player = &mut players[agent];
        player.score += points[side];
        player.games += games as u64;
        player.forfeits += forfeits[side];
        player.met[other] += 1;
        player.begun += sign * (games % 2) as i64;
        player.began_last = (sign == 1) == (games % 2 == 1);
    }
    let (winner, both_out, note) = (None, false, None);
    let pairing = Pairing { first, second, first_score, second_score, winner, both_out, note };
    (pairing, finished == games)
}
