//! What a tournament came to, worked out from the settings and the games that are kept.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;
use skirmish_rules::{Games, Registry};

use super::schedule::{Key, Plan, Results, Schedule, ScheduledGame};
use super::settings::Format;
use super::store::{GameSummary, Store, StoredGame};
use super::summary::{
    self, Entrant, FaultNoted, GamePlayed, Moment, Score, SeatTaken, Standing, Summary, Usage,
};
use super::{ladder, settings::Settings};
use crate::matches::MatchRunner;
use skirmish_ratings::{Duel, Estimate, Finish, Royale, Tally, bradley_terry, plackett_luce};

/// Bytes of records that a page may carry.
const MOST_RECORDS: u64 = 24 << 20;
/// Moments at which ratings are told.
const MOMENTS: usize = 30;
/// Games that are named one by one in a note.
const NAMED: usize = 12;

/// A game of the schedule that is kept.
struct Played<'a> {
    due: &'a ScheduledGame,
    kept: &'a StoredGame,
}

impl Played<'_> {
    fn slip(&self) -> &GameSummary {
        &self.kept.slip
    }
}

/// What is worked out from.
struct Tables<'a> {
    settings: &'a Settings,
    plan: &'a Plan,
    /// Games that count, in the order of the schedule.
    played: Vec<Played<'a>>,
    names: Vec<String>,
    is_free_for_all: bool,
}

/// StoredGame games, as the schedule sees them.
pub fn results(kept: &HashMap<Key, StoredGame>) -> Results {
    kept.values().map(|kept| (kept.slip.key, kept.slip.verdict())).collect()
}

/// Works everything out. Records are read from the store, where one is given.
pub fn summarise(
    schedule: &Schedule,
    match_runner: &MatchRunner,
    kept: &HashMap<Key, StoredGame>,
    store: Option<&Store>,
) -> Summary {
    let settings = &schedule.settings;
    let results = results(kept);
    let plan = schedule.plan(&results);
    let played = plan.games[..plan.counted.max(plan_if_open(&plan))]
        .iter()
        .filter_map(|due| kept.get(&due.key).map(|kept| Played { due, kept }))
        .collect();
    let tables = Tables {
        settings,
        plan: &plan,
        played,
        names: settings.names(),
        is_free_for_all: settings.format == Format::FreeForAll,
    };
    let is_complete = plan.is_final && plan.missing(&results).next().is_none();
    let standings = tables.standings();
    let sprt = (settings.format == Format::Ladder).then(|| tables.sprt());
    let entry = Games::entry(&settings.game).ok();
    let (started, finished) = tables.span();
    Summary {
        title: settings.title(),
        game: settings.game.clone(),
        game_title: entry.map_or_else(|| settings.game.clone(), |entry| entry.title.to_owned()),
        options: match_runner.options(),
        format: settings.format.name().to_owned(),
        format_sentence: format_sentence(settings),
        is_free_for_all: tables.is_free_for_all,
        seed: settings.seed,
        settings: settings.binding(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: started.and_then(time_text),
        finished: finished.and_then(time_text),
        game_seconds: tables.played.iter().map(|game| game.slip().seconds).sum(),
        is_complete,
        planned: plan.total,
        verdict: tables.verdict(&standings, is_complete, sprt.as_ref()),
        sprt,
        agents: settings
            .agents
            .iter()
            .zip(&tables.names)
            .map(|(agent, name)| Entrant { name: name.clone(), spec: agent.spec.clone() })
            .collect(),
        cross_table: tables.cross_table(),
        history: tables.history(),
        rounds: plan.rounds.clone(),
        games: tables.games(match_runner, store),
        faults: tables.faults(),
        overload: tables.overload(),
        notes: tables.notes(),
        analysed: None,
        standings,
    }
}

/// While a ladder is open, games of its last block are told though they do not count yet.
fn plan_if_open(plan: &Plan) -> usize {
    if plan.is_final { plan.counted } else { plan.games.len() }
}

fn time_text(seconds: f64) -> Option<String> {
    let stamp = jiff::Timestamp::from_millisecond((seconds * 1e3) as i64).ok()?;
    Some(stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// How a tournament is played, in a sentence.
pub fn format_sentence(settings: &Settings) -> String {
    let plural =
        |count: u64, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    let games = plural(settings.games(), "game");
    match settings.format {
        Format::RoundRobin => format!("round robin, {games} a pairing"),
        Format::Gauntlet => {
            let first = settings.names().into_iter().next().unwrap_or_default();
            format!("gauntlet of {first} against all others, {games} a pairing")
        }
        Format::Swiss => {
            let rounds = plural(u64::from(settings.rounds()), "round");
            format!("Swiss system, {rounds}, {games} a pairing")
        }
        Format::Knockout => {
            let games = plural(settings.games().next_multiple_of(2), "game");
            let extra = plural(u64::from(settings.extra_pairs()), "more pair");
            format!(
                "knockout, {games} a pairing, up to {extra} where it is tied, then the higher seed"
            )
        }
        Format::FreeForAll => {
            let seats = plural(settings.seats() as u64, "agent");
            format!("free-for-all, {seats} at each board, {games}")
        }
        Format::Ladder => {
            let test = settings.sprt();
            format!(
                "ladder until a sequential test tells {} Elo from {} (errors {} and {}), at most \
                 {games}",
                test.elo0, test.elo1, test.alpha, test.beta
            )
        }
    }
}

/// What one agent has won against another.
#[derive(Clone, Copy, Default)]
struct Meeting {
    /// The games that say something about strength.
    tally: Tally,
    /// Those that both have forfeited: lost for either, and evidence of nothing.
    void: u64,
}

impl Meeting {
    fn merge(&mut self, other: &Meeting) {
        self.tally.merge(&other.tally);
        self.void += other.void;
    }

    fn games(&self) -> u64 {
        self.tally.games() + self.void
    }

    fn losses(&self) -> u64 {
        self.tally.losses + self.void
    }

    fn points(&self) -> f64 {
        self.tally.wins as f64 + self.tally.draws as f64 / 2.0
    }

    /// The part of the points that was won; nothing where nothing was played.
    fn score(&self) -> f64 {
        self.points() / self.games().max(1) as f64
    }
}

/// A row before it has its place.
struct Row {
    agent: usize,
    games: u64,
    wins: u64,
    result: summary::Result,
    /// What the table is sorted by, most important first; more is better.
    merits: Vec<f64>,
}

impl Tables<'_> {
    fn count(&self) -> usize {
        self.settings.agents.len()
    }

    fn span(&self) -> (Option<f64>, Option<f64>) {
        let started = self.played.iter().map(|game| game.slip().started).min_by(f64::total_cmp);
        let ended = self.played.iter().map(|game| game.slip().started + game.slip().seconds);
        (started, ended.max_by(f64::total_cmp))
    }

    /// The first games, those of them that count for ratings.
    fn evidence(&self, games: usize) -> impl Iterator<Item = &Played<'_>> {
        self.played.iter().take(games).filter(|game| !game.slip().is_void())
    }

    fn duels(&self, games: usize) -> Vec<Duel> {
        let duel = |game: &Played<'_>| Duel {
            first: game.due.agents[0],
            second: game.due.agents[1],
            points: game.slip().points[0],
            sample: game.due.unit,
        };
        self.evidence(games).filter(|game| game.due.agents.len() == 2).map(duel).collect()
    }

    fn royale(game: &Played<'_>) -> Royale {
        let slip = game.slip();
        let finish = |(place, agent): (usize, &usize)| {
            let forfeited = slip.has_forfeited(place);
            let squares = slip.scores.as_ref().map_or(0.0, |scores| f64::from(scores[place]));
            Finish {
                player: *agent,
                score: if forfeited { 0.0 } else { squares },
                won: slip.points[place] > 0.5,
                forfeited,
            }
        };
        game.due.agents.iter().enumerate().map(finish).collect()
    }

    /// Ratings of every agent after the first games, with intervals where they are asked for.
    fn ratings(&self, games: usize, replicates: usize) -> Vec<Option<Estimate>> {
        let fit = skirmish_ratings::Settings {
            replicates,
            seed: self.settings.seed,
            ..Default::default()
        };
        let mut has_played = vec![false; self.count()];
        for agent in self.evidence(games).flat_map(|game| &game.due.agents) {
            has_played[*agent] = true;
        }
        let rated = if self.is_free_for_all {
            let royales: Vec<Royale> = self.evidence(games).map(Self::royale).collect();
            plackett_luce(self.count(), &royales, &fit)
        } else {
            bradley_terry(self.count(), &self.duels(games), &fit).players
        };
        rated.into_iter().zip(has_played).map(|(rating, has)| has.then_some(rating)).collect()
    }

    /// Results of each agent against each other.
    fn meetings(&self) -> Vec<Vec<Meeting>> {
        let mut meetings = vec![vec![Meeting::default(); self.count()]; self.count()];
        if self.is_free_for_all {
            return meetings;
        }
        let points_of = |game: &Played<'_>, agent: usize| {
            let seat = usize::from(game.due.agents[0] != agent);
            (!game.slip().is_void()).then(|| game.slip().points[seat])
        };
        let mut add_single = |first: usize, second: usize, own: Option<f64>| match own {
            Some(own) => {
                meetings[first][second].tally.add(own);
                meetings[second][first].tally.add(1.0 - own);
            }
            None => {
                meetings[first][second].void += 1;
                meetings[second][first].void += 1;
            }
        };
        let mut pairs = Vec::new();
        let mut place = 0;
        while let Some(game) = self.played.get(place) {
            let (first, second) = (game.due.agents[0], game.due.agents[1]);
            let own = points_of(game, first);
            let partner = self.played.get(place + 1).filter(|next| next.due.unit == game.due.unit);
            let other = partner.map(|partner| points_of(partner, first));
            place += 1 + usize::from(partner.is_some());
            match (own, other) {
                (Some(own), Some(Some(other))) => pairs.push((first, second, own, other)),
                // A pair with a game that has no winner is none.
                (own, other) => {
                    add_single(first, second, own);
                    other.into_iter().for_each(|other| add_single(first, second, other));
                }
            }
        }
        for (first, second, own, other) in pairs {
            meetings[first][second].tally.add_pair(own, other);
            meetings[second][first].tally.add_pair(1.0 - own, 1.0 - other);
        }
        meetings
    }

    fn standings(&self) -> Vec<Standing> {
        let ratings = self.ratings(self.played.len(), 1_000);
        let mut rows = if self.is_free_for_all { self.placed_rows() } else { self.pointed_rows() };
        rows.sort_by(|a, b| {
            let pairs = a.merits.iter().zip(&b.merits);
            let order = pairs.map(|(a, b)| b.total_cmp(a)).find(|order| order.is_ne());
            order.unwrap_or(std::cmp::Ordering::Equal).then(a.agent.cmp(&b.agent))
        });
        let meetings = self.meetings();
        let usage = self.usage();
        let mut faults = vec![0; self.count()];
        self.faults().iter().for_each(|fault| faults[fault.agent] += 1);
        let mut standings: Vec<Standing> = Vec::new();
        let mut before: Option<(Vec<f64>, u32)> = None;
        for (place, row) in rows.iter().enumerate() {
            let rank = match &before {
                Some((merits, rank)) if *merits == row.merits => *rank,
                _ => place as u32 + 1,
            };
            before = Some((row.merits.clone(), rank));
            let next = rows.get(place + 1).map(|next| next.agent);
            standings.push(Standing {
                rank,
                agent: row.agent,
                games: row.games,
                wins: row.wins,
                result: row.result.clone(),
                rating: ratings[row.agent],
                superiority: next
                    .and_then(|next| self.superiority(&meetings, &ratings, row.agent, next)),
                faults: faults[row.agent],
                usage: usage[row.agent],
                mistakes: None,
            });
        }
        standings
    }

    /// How likely it is that one agent is stronger than another: from their own games where there
    /// are only two agents, else from the ratings.
    fn superiority(
        &self,
        meetings: &[Vec<Meeting>],
        ratings: &[Option<Estimate>],
        agent: usize,
        next: usize,
    ) -> Option<f64> {
        if self.count() == 2 && !self.is_free_for_all {
            let tally = &meetings[agent][next].tally;
            return (tally.games() > 0).then(|| tally.likelihood_of_superiority());
        }
        let (own, other) = (ratings[agent]?, ratings[next]?);
        // The error of a difference, if the two errors have nothing to do with each other.
        let error = own.error().hypot(other.error()) / 1.96;
        let deviations = (own.value - other.value) / error.max(1e-9);
        Some(0.5 * statrs::function::erf::erfc(-deviations / std::f64::consts::SQRT_2))
    }

    fn placed_rows(&self) -> Vec<Row> {
        let royales: Vec<Royale> = self.played.iter().map(Self::royale).collect();
        let most = royales.iter().flatten().map(|finish| finish.score).fold(1.0, f64::max);
        let most = self
            .settings
            .options
            .whole("size", 1..=100, 14)
            .map_or(most, |size| f64::from(size * size).max(most));
        let placings = skirmish_ratings::placings(self.count(), &royales, most);
        let row = |(agent, placing): (usize, skirmish_ratings::Placing)| Row {
            agent,
            games: placing.games,
            wins: placing.wins,
            merits: vec![
                f64::from(u8::from(placing.games > 0)),
                -placing.rank.value,
                placing.score.value,
            ],
            result: summary::Result::Places {
                squares: placing.score,
                place: placing.rank,
                win_rate: placing.win_rate,
            },
        };
        placings.into_iter().enumerate().map(row).collect()
    }

    fn pointed_rows(&self) -> Vec<Row> {
        let meetings = self.meetings();
        let count = self.count();
        let own_points = |agent: usize| meetings[agent].iter().map(Meeting::points).sum::<f64>();
        let byes: Vec<f64> = (0..count).map(|agent| self.byes(agent)).collect();
        let scores: Vec<f64> = (0..count).map(|agent| own_points(agent) + byes[agent]).collect();
        let row = |agent: usize| {
            let total = meetings[agent].iter().fold(Meeting::default(), |mut total, meeting| {
                total.merge(meeting);
                total
            });
            let is_swiss = self.settings.format == Format::Swiss;
            let buchholz = is_swiss.then(|| self.buchholz(agent, &scores));
            let sonneborn_berger =
                (0..count).map(|other| meetings[agent][other].score() * scores[other]).sum::<f64>();
            let has_tie_break = matches!(self.settings.format, Format::Swiss | Format::RoundRobin);
            let sonneborn_berger = has_tie_break.then_some(sonneborn_berger);
            let (depth, reached) = self.reached(agent);
            let merits = match self.settings.format {
                Format::Gauntlet => vec![if total.games() > 0 { total.score() } else { -1.0 }],
                Format::Knockout => vec![depth, scores[agent]],
                _ => vec![
                    scores[agent],
                    buchholz.unwrap_or(0.0),
                    sonneborn_berger.unwrap_or(0.0),
                    total.tally.wins as f64,
                ],
            };
            Row {
                agent,
                games: total.games(),
                wins: total.tally.wins,
                merits,
                result: summary::Result::Points {
                    draws: total.tally.draws,
                    losses: total.losses(),
                    score: scores[agent],
                    byes: byes[agent],
                    buchholz,
                    sonneborn_berger,
                    reached,
                },
            }
        };
        (0..count).map(row).collect()
    }

    /// Points of byes: a bye of a Swiss system is as good as winning every game of a pairing.
    fn byes(&self, agent: usize) -> f64 {
        if self.settings.format != Format::Swiss {
            return 0.0;
        }
        let byes = self.plan.rounds.iter().flat_map(|round| &round.byes);
        (byes.filter(|bye| **bye == agent).count() as u64 * self.settings.games()) as f64
    }

    /// The sum of the scores of every agent an agent has met; a bye counts as someone as good as
    /// the agent itself. A pairing that both have forfeited is worth nothing here either.
    fn buchholz(&self, agent: usize, scores: &[f64]) -> f64 {
        let mut sum = 0.0;
        for round in &self.plan.rounds {
            let is_somebodys =
                |pairing: &&summary::Pairing| pairing.first_score + pairing.second_score > 0.0;
            for pairing in round.pairings.iter().filter(is_somebodys) {
                if pairing.first == agent {
                    sum += scores[pairing.second];
                } else if pairing.second == agent {
                    sum += scores[pairing.first];
                }
            }
            if round.byes.contains(&agent) {
                sum += scores[agent];
            }
        }
        sum
    }

    /// How far an agent came, as a number and in words.
    fn reached(&self, agent: usize) -> (f64, Option<String>) {
        let left = self.plan.rounds.iter().find(|round| round.withdrawn.contains(&agent));
        if let Some(round) = left {
            return (0.0, Some(format!("withdrawn before {}", round.name)));
        }
        if self.settings.format != Format::Knockout {
            return (0.0, None);
        }
        for round in &self.plan.rounds {
            for pairing in &round.pairings {
                let is_in = pairing.first == agent || pairing.second == agent;
                let depth = f64::from(round.number);
                if is_in && pairing.winner.is_some_and(|winner| winner != agent) {
                    return (depth, Some(format!("lost in the {}", singular(&round.name))));
                }
                if is_in && pairing.both_out {
                    return (depth, Some(format!("forfeited in the {}", singular(&round.name))));
                }
            }
        }
        let rounds = self.plan.rounds.len() as f64;
        if self.plan.champion == Some(agent) {
            return (rounds + 1.0, Some("champion".to_owned()));
        }
        if self.plan.is_final {
            // Every agent it might have met was out, and it is no better than they are.
            let played = self.plan.rounds.iter().filter(|round| !round.pairings.is_empty());
            let depth = played.map(|round| f64::from(round.number)).fold(0.0, f64::max);
            return (depth, Some("met no opponent".to_owned()));
        }
        (rounds + 1.0, Some("still in".to_owned()))
    }

    fn sprt(&self) -> summary::Sprt {
        let meetings = self.meetings();
        let met = meetings.first().and_then(|row| row.get(1));
        let pairs = met.map_or([0; 5], |meeting| meeting.tally.pairs);
        ladder::sprt(&self.settings.sprt(), pairs)
    }

    fn cross_table(&self) -> Vec<Vec<Option<Score>>> {
        if self.is_free_for_all {
            return Vec::new();
        }
        let score = |meeting: &Meeting| {
            let Meeting { tally, void } = meeting;
            (meeting.games() > 0).then(|| Score {
                wins: tally.wins,
                draws: tally.draws,
                losses: meeting.losses(),
                both_forfeited: *void,
                elo: (tally.games() > 0).then(|| tally.elo()),
            })
        };
        self.meetings().iter().map(|row| row.iter().map(score).collect()).collect()
    }

    fn history(&self) -> Vec<Moment> {
        let total = self.played.len();
        let moments = MOMENTS.min(total);
        let moment = |number: usize| {
            let games = (number + 1) * total / moments;
            let ratings = self.ratings(games, 0);
            let ratings = ratings.into_iter().map(|rating| rating.map(|rating| rating.value));
            Moment { games: games as u64, ratings: ratings.collect() }
        };
        (0..moments).map(moment).collect()
    }

    fn usage(&self) -> Vec<Usage> {
        let mut all = vec![(Usage::default(), 0.0); self.count()];
        for game in &self.played {
            for (agent, used) in game.due.agents.iter().zip(&game.slip().used) {
                let (usage, total) = &mut all[*agent];
                usage.turns += used.turns;
                *total += used.total_ms;
                usage.worst_ms = usage.worst_ms.max(used.longest_ms);
                usage.is_cpu |= used.is_cpu;
                usage.memory_mb = match (usage.memory_mb, used.memory_mb) {
                    (Some(a), Some(b)) => Some(f64::max(a, b)),
                    (a, b) => a.or(b),
                };
            }
        }
        let mean = |(usage, total): (Usage, f64)| Usage {
            mean_ms: total / usage.turns.max(1) as f64,
            ..usage
        };
        all.into_iter().map(mean).collect()
    }

    fn games(&self, match_runner: &MatchRunner, store: Option<&Store>) -> Vec<GamePlayed> {
        // Games with faults first: they are the ones someone will want to see.
        let mut room = MOST_RECORDS;
        let mut carried = vec![false; self.played.len()];
        for faulty in [true, false] {
            for (place, game) in self.played.iter().enumerate() {
                if game.slip().faults.is_empty() != faulty && game.kept.length() <= room {
                    room -= game.kept.length();
                    carried[place] = true;
                }
            }
        }
        let seat = |game: &Played<'_>, place: usize| {
            let slip = game.slip();
            SeatTaken {
                agent: game.due.agents[place],
                seat: slip.seats[place],
                name: match_runner.seat_name(slip.seats[place]),
                points: slip.points[place],
                score: slip.scores.as_ref().map(|scores| scores[place]),
                stderr: slip.stderr.get(place).cloned().unwrap_or_default(),
            }
        };
        let game = |(game, carried): (&Played<'_>, bool)| {
            let slip = game.slip();
            let record = store.filter(|_| carried).and_then(|store| store.record(game.kept).ok());
            GamePlayed {
                number: game.due.number,
                round: game.due.round,
                seats: (0..game.due.agents.len()).map(|place| seat(game, place)).collect(),
                seconds: slip.seconds,
                plies: slip.plies,
                turns: if slip.turns > 0 { slip.turns } else { slip.plies },
                termination: slip.termination.clone(),
                sentence: slip.sentence.clone(),
                overloaded: slip.overload.is_some(),
                record,
                mistakes: Vec::new(),
            }
        };
        self.played.iter().zip(carried).map(game).collect()
    }

    fn faults(&self) -> Vec<FaultNoted> {
        let mut all = Vec::new();
        for game in &self.played {
            let slip = game.slip();
            for fault in &slip.faults {
                let place = slip.seats.iter().position(|seat| *seat == fault.seat);
                let Some(agent) = place.map(|place| game.due.agents[place]) else { continue };
                all.push(FaultNoted {
                    agent,
                    game: game.due.number,
                    ply: fault.ply,
                    turn: fault.turn,
                    kind: fault.kind.name().to_owned(),
                    sentence: fault.sentence.clone(),
                    cost: fault.cost.clone(),
                    stderr: fault.log_tail.clone(),
                    overloaded: slip.overload.is_some(),
                });
            }
        }
        all
    }

    fn overload(&self) -> Vec<String> {
        let bad: Vec<&Played<'_>> =
            self.played.iter().filter(|game| game.slip().overload.is_some()).collect();
        if bad.is_empty() {
            return Vec::new();
        }
        let mut numbers: Vec<String> =
            bad.iter().take(NAMED).map(|game| game.due.number.to_string()).collect();
        if bad.len() > NAMED {
            numbers.push("…".to_owned());
        }
        let mut notes = vec![format!(
            "the machine was overloaded during {} of {} games ({}): {}",
            bad.len(),
            self.played.len(),
            numbers.join(", "),
            bad[0].slip().overload.as_deref().unwrap_or_default()
        )];
        let late = bad.iter().flat_map(|game| &game.slip().faults);
        let late = late.filter(|fault| fault.kind.name() == "timeout").count();
        if late > 0 {
            notes.push(format!(
                "{late} of the timeouts fell into these games: perhaps not the agents' fault"
            ));
        }
        notes
    }

    /// Agents whose program changed on the way.
    fn notes(&self) -> Vec<String> {
        let mut versions: Vec<Vec<(&str, u64)>> = vec![Vec::new(); self.count()];
        for game in &self.played {
            for (agent, program) in game.due.agents.iter().zip(&game.slip().programs) {
                let Some(program) = program.as_deref() else { continue };
                let known = &mut versions[*agent];
                match known.iter_mut().find(|(version, _)| *version == program) {
                    Some((_, games)) => *games += 1,
                    None => known.push((program, 1)),
                }
            }
        }
        let changed = versions.iter().enumerate().filter(|(_, known)| known.len() > 1);
        let tell = |(agent, known): (usize, &Vec<(&str, u64)>)| {
            let parts: Vec<String> = known
                .iter()
                .map(|(version, games)| format!("{games} games by version {version}"))
                .collect();
            let name = &self.names[agent];
            format!("the program of {name} changed during the tournament: {}", parts.join(", "))
        };
        changed.map(tell).collect()
    }

    fn verdict(
        &self,
        standings: &[Standing],
        is_complete: bool,
        sprt: Option<&summary::Sprt>,
    ) -> Option<String> {
        if let Some(sprt) = sprt {
            let (first, second) = (self.names.first()?, self.names.get(1)?);
            return Some(match sprt.decision.as_str() {
                "accepted" => {
                    format!("{first} is better than {second} by {} Elo or more", sprt.elo1)
                }
                "rejected" => {
                    format!("{first} is not better than {second} by more than {} Elo", sprt.elo0)
                }
                _ if is_complete => "the test has not decided within the games allowed".to_owned(),
                _ => "the test has not decided yet".to_owned(),
            });
        }
        if !is_complete || self.played.is_empty() {
            return None;
        }
        if self.played.iter().all(|game| game.slip().is_void()) {
            return Some(
                "no agent has won: every game was forfeited by all who played it".to_owned(),
            );
        }
        if self.settings.format == Format::Knockout && self.plan.champion.is_none() {
            return Some(
                "there is no champion: no agent was left that had won a pairing".to_owned(),
            );
        }
        let winners: Vec<&str> = standings
            .iter()
            .take_while(|standing| standing.rank == 1)
            .map(|standing| self.names[standing.agent].as_str())
            .collect();
        let verb = if winners.len() == 1 { "has won" } else { "have tied for the win" };
        Some(format!("{} {verb}", winners.join(", ")))
    }
}

fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

/// The table as CSV. It holds nothing that depends on clocks: a tournament of deterministic agents
/// has one table, byte for byte.
pub fn csv(summary: &Summary) -> String {
    let quoted = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    let number = |value: f64| format!("{:.3}", if value == 0.0 { 0.0 } else { value });
    let maybe = |value: Option<f64>| value.map_or(String::new(), number);
    let estimate = |value: Option<Estimate>| match value {
        Some(Estimate { value, low, high }) => [number(value), number(low), number(high)],
        None => [const { String::new() }; 3],
    };
    let own = if summary.is_free_for_all {
        "squares,squares_low,squares_high,place,place_low,place_high,win_rate,win_rate_low,\
         win_rate_high"
    } else {
        "draws,losses,score,byes,buchholz,sonneborn_berger,reached"
    };
    let mut text = format!(
        "rank,agent,spec,games,wins,{own},rating,rating_low,rating_high,superiority,faults\n"
    );
    for standing in &summary.standings {
        let entrant = &summary.agents[standing.agent];
        let mut cells = vec![
            standing.rank.to_string(),
            quoted(&entrant.name),
            quoted(&entrant.spec),
            standing.games.to_string(),
            standing.wins.to_string(),
        ];
        match &standing.result {
            summary::Result::Points {
                draws,
                losses,
                score,
                byes,
                buchholz,
                sonneborn_berger,
                reached,
            } => cells.extend([
                draws.to_string(),
                losses.to_string(),
                score.to_string(),
                byes.to_string(),
                maybe(*buchholz),
                maybe(*sonneborn_berger),
                quoted(reached.as_deref().unwrap_or_default()),
            ]),
            summary::Result::Places { squares, place, win_rate } => {
                for value in [squares, place, win_rate] {
                    cells.extend(estimate(Some(*value)));
                }
            }
        }
        cells.extend(estimate(standing.rating));
        cells.push(maybe(standing.superiority));
        cells.push(standing.faults.to_string());
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// The summary without its games: what fits on a screen or into a pipe.
pub fn short_json(summary: &Summary) -> Value {
    let mut value = serde_json::to_value(summary).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("games".to_owned(), (summary.games.len() as u64).into());
    }
    value
}
