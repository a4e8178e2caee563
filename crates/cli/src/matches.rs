//! `skirmish match`: agents against each other.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skirmish_play::journal::Journal;
use skirmish_play::record::{Record, Termination};
use skirmish_play::session::{Session, Update};
use skirmish_ratings::{Finish, Placing, Royale, Tally, placings};
use skirmish_render::number::signed;
use skirmish_rules::{Games, Options, Registry};
use skirmish_sandbox::AgentSpec;
use skirmish_search::spec::read_time;
use skirmish_search::{Allowance, Stop};
use skirmish_tournament::matches::{Fixture, GameResult, MatchRunner, MatchSettings};

use crate::agents::require;
use crate::live::{self, Keep, Lines, Show};
use crate::output::{Fault, Output, counted, note};
use crate::progress::{Progress, Stopwatch, on_threads, threads};
use crate::referee::{RefereeArguments, ThinkingArguments, announce};
use crate::setup::GameArguments;
use crate::{Done, ROSTER};

/// Let agents play against each other and say who is stronger.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish match watch-your-back alphabeta greedy --games 100 --time 0.1s
  skirmish match amazons mcts alphabeta --size 8 --games 40 --time 0.2s --concurrency 2
  skirmish match in-trap alphabeta:nodes=20000 heuristic random --games 20
  skirmish match game17 marshal hunter --games 50

An agent is one line of text: a name, or a name and settings (`alphabeta:depth=4,threads=2`); see \
`skirmish agents`. Two-player games are played in pairs, both colours from the same random opening, \
each agent against each other. In Game 17 all agents play on one board, owners without an agent are \
zombies. An agent's own limit overrides --time, --nodes and --depth. Programs (`cmd:PROGRAM`), \
Python agents (`python:PATH`) and people (`human`) play too, before a referee: see `skirmish referee`.

With --json: `game`, `options`, `seed`, `agents` (a list with `agent`, `games`, `wins`, `draws`, \
`losses`, `score`, `elo` and its bounds `elo_low`, `elo_high` against all others, \
`milliseconds_per_turn`, `nodes_per_second`; in Game 17 `wins`, `squares`, `rank` with bounds), \
`pairs` for two-player games, and `bugs`.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The agents.
    #[arg(required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// How many games (rounded up to pairs); for each pair of agents where there are more than two.
    /// [default: 20; 1 with a person]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    #[command(flatten)]
    thinking: ThinkingArguments,
    /// Random turns before the agents take over (two-player games) [default: 4; 0 with Python
    /// agents, many of which know only the usual start].
    #[arg(long, value_name = "N")]
    opening: Option<u32>,
    /// Games played at the same time; 0 means one per core.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    concurrency: usize,
    /// Keep a record of every game in this folder: `000001.json` is game 1.
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Overwrite records of other games in the folder of --records.
    #[arg(long)]
    force: bool,
    /// With a person: go on with the games in the folder of --records.
    #[arg(long, requires = "records", conflicts_with = "force")]
    resume: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RefereeArguments,
}

pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    read_time(text).ok_or_else(|| "a time reads like `0.2s`, `50ms` or `1m`".to_owned())
}

#[derive(Serialize)]
struct Played {
    game: &'static str,
    options: Options,
    seed: u64,
    agents: Vec<Standing>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<Pairing>,
    bugs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<String>,
}

#[derive(Serialize)]
struct Standing {
    agent: String,
    games: u64,
    wins: u64,
    #[serde(flatten)]
    result: Strength,
    milliseconds_per_turn: f64,
    nodes_per_second: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Strength {
    /// Two-player games.
    Points { draws: u64, losses: u64, score: f64, elo: f64, elo_low: f64, elo_high: f64 },
    /// Games for many.
    Places {
        squares: f64,
        squares_low: f64,
        squares_high: f64,
        rank: f64,
        rank_low: f64,
        rank_high: f64,
    },
}

#[derive(Serialize)]
struct Pairing {
    first: String,
    second: String,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Games that both have forfeited: neither won nor lost against the other.
    both_forfeited: u64,
    score: f64,
    elo: f64,
    elo_low: f64,
    elo_high: f64,
    superiority: f64,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let entry = Games::entry(&arguments.game.game)?;
    let agents: Vec<AgentSpec> =
        arguments.agents.iter().map(|line| line.parse()).collect::<Result<_, _>>()?;
    let seats = arguments.game.open()?.seats();
    let is_duel = seats == 2;
    if is_duel && agents.len() < 2 {
        return Err(Fault::unusable(format!("a match of {} needs two agents", entry.name))
            .or_hint("`skirmish agents` lists them"));
    }
    if !is_duel && agents.len() > usize::from(seats) {
        return Err(Fault::unusable(format!(
            "the board has {} for {}",
            counted(u64::from(seats), "seat"),
            counted(agents.len() as u64, "agent")
        )));
    }
    let is_built_in = |who: &AgentSpec| matches!(who, AgentSpec::BuiltIn(_));
    let allowance = arguments.thinking.allowance();
    let referee = if agents.iter().all(is_built_in) {
        None
    } else {
        Some(arguments.rules.settings(arguments.game.seed, allowance)?)
    };
    if let Some(settings) = &referee
        && agents.iter().any(|who| matches!(who, AgentSpec::Command(_) | AgentSpec::Python { .. }))
    {
        announce(settings, true)?;
        require(entry.name, &arguments.game.options()?, &agents, settings)?;
    }
    // Interrupted, a match tells what was played.
    let stop = referee.as_ref().map_or_else(Stop::new, |settings| settings.stop.clone());
    live::end_on_interrupt(&stop);
    let has_people = agents.contains(&AgentSpec::Human);
    let has_python = agents.iter().any(|who| matches!(who, AgentSpec::Python { .. }));
    let games = arguments.games.unwrap_or(if has_people { 1 } else { 20 });
    let contest = MatchSettings {
        game: entry.name.to_owned(),
        options: arguments.game.options()?,
        position: arguments.game.position.clone(),
        games: if is_duel && !has_people { games.next_multiple_of(2) } else { games },
        seed: arguments.game.seed,
        allowance,
        opening: arguments.opening.unwrap_or(if has_python { 0 } else { entry.opening_plies }),
        roster: ROSTER,
        names: vec![],
        kept: 64,
        stop,
        folder: None,
        agents,
        referee,
    };
    if let Some(folder) = &arguments.records {
        std::fs::create_dir_all(folder).map_err(|error| {
            Fault::unusable(format!("{}: cannot make the folder: {error}", folder.display()))
        })?;
    }
    if has_people {
        return with_people(arguments, &contest, output);
    }
    if arguments.resume {
        return Err(Fault::unusable("only matches with a person are gone on with")
            .or_hint("`skirmish tournament` keeps every game and goes on by itself"));
    }

    // 1. Play, with the score so far beside the bar.
    let pairs = if is_duel { contest.agents.len() * (contest.agents.len() - 1) / 2 } else { 1 };
    if let Some(folder) = arguments.records.as_ref().filter(|_| !arguments.force) {
        let mut paths = (0..contest.games * pairs as u64).map(|game| record_path(folder, game));
        if let Some(path) = paths.find(|path| path.exists()) {
            return Err(Fault::unusable(format!("{}: exists already", path.display()))
                .or_hint("`--force` overwrites it; or keep the games in another folder"));
        }
    }
    let progress = Progress::new(contest.games * pairs as u64, "games");
    let points = Mutex::new(vec![0.0; contest.agents.len()]);
    let trouble = Mutex::new(None);
    let done = |played: &GameResult| {
        if is_interrupted(played) && played.record.events.is_empty() {
            return;
        }
        if let Some(folder) = &arguments.records
            && let Err(error) = live::keep_record(&record_path(folder, played.number), played)
        {
            trouble.lock().expect("no thread panics here").get_or_insert(error);
        }
        if is_interrupted(played) {
            return;
        }
        let mut points = points.lock().expect("no thread panics here");
        for (agent, payoff) in played.agents.iter().zip(&played.payoffs) {
            points[*agent] += f64::from(payoff + 1.0) / 2.0;
        }
        let scores: Vec<String> = contest
            .agents
            .iter()
            .zip(points.iter())
            .map(|(agent, points)| format!("{} {points}", agent.short()))
            .collect();
        progress.tell(scores.join("  "));
        progress.add(1);
    };
    // Refereed games are on disk turn by turn; what only engines play is written at its end.
    let play = |runner: &MatchRunner, fixture: &Fixture| {
        let folder = arguments.records.as_ref().filter(|_| contest.referee.is_some());
        let path = folder.map(|folder| record_path(folder, fixture.number));
        // One that cannot be written is told when the record cannot be written either.
        let mut journal = path.and_then(|path| Journal::create(&path, arguments.force).ok());
        let mut watcher = |_: &Session, update: &Update| {
            if let Some(journal) = &mut journal {
                journal.write([update]);
            }
        };
        runner.play_live(fixture, None, &mut |_| unreachable!("no person plays"), &mut watcher)
    };
    let clock = Stopwatch::start();
    let mut results = on_threads(arguments.concurrency, || contest.play_each(&play, &done))??;
    let (cpu, wall) = (clock.cpu_seconds(), clock.wall_seconds());
    drop(progress);
    if let Some(fault) = trouble.into_inner().expect("no thread panics here") {
        return Err(fault);
    }
    // Who was interrupted has neither won nor lost, and no draw either.
    let games = results.len();
    results.retain(|played| !is_interrupted(played));
    let is_complete = results.len() == games;

    // 2. Add up and tell.
    let played = Played {
        game: entry.name,
        options: results.first().map_or_else(Options::none, |played| played.record.options.clone()),
        seed: contest.seed,
        agents: standings(&contest, &results, is_duel),
        pairs: if is_duel { pairings(&contest, &results) } else { vec![] },
        bugs: results
            .iter()
            .filter_map(|played| played.bug.as_ref())
            .map(ToString::to_string)
            .collect(),
        faults: results.iter().flat_map(faults).collect(),
    };
    if arguments.json {
        output.json(&played)?;
    } else {
        tell(&played, &contest, output)?;
        if contest.referee.is_some() && !results.is_empty() {
            let turns: u64 = results.iter().map(|played| played.turns).sum();
            writeln!(
                output,
                "refereed {:.1} games/s, {:.0} µs of our CPU a turn",
                results.len() as f64 / wall.max(1e-9),
                1e6 * cpu / turns.max(1) as f64
            )?;
        }
    }
    output.flush()?;
    for bug in &played.bugs {
        note(format_args!("bug: {bug}"));
    }
    if !arguments.json {
        const SHOWN: usize = 10;
        for fault in played.faults.iter().take(SHOWN) {
            note(format_args!("fault: {fault}"));
        }
        if played.faults.len() > SHOWN {
            let more = counted((played.faults.len() - SHOWN) as u64, "fault");
            note(format_args!("and {more} more; `--records DIR` keeps every game"));
        }
    }
    if !is_complete {
        note(format_args!(
            "interrupted after {} of {}",
            results.len(),
            counted(games as u64, "game")
        ));
    }
    if played.bugs.is_empty() && is_complete { Ok(()) } else { Err(Fault::No) }
}

fn is_interrupted(played: &GameResult) -> bool {
    let result = played.record.result.as_ref();
    result.is_some_and(|result| result.termination == Termination::Interrupted)
}

/// The faults of a game, each in a line.
fn faults(played: &GameResult) -> Vec<String> {
    let tell = |fault: &skirmish_sandbox::Fault| {
        let turn = played.record.turn_of(fault.ply as usize);
        format!("game {}, turn {turn}: {}", played.number + 1, fault.sentence)
    };
    played.record.faults.iter().map(tell).collect()
}

/// Games with a person in them: one after the other, each in front of the terminal.
fn with_people(arguments: &Arguments, contest: &MatchSettings, output: &mut Output) -> Done {
    let match_runner = contest.match_runner()?;
    let look = output.look(false);
    let show = Show { telling: !arguments.json, look, delay: 0.0 };
    // One reader for all games: a line typed early belongs to the next question.
    let lines = Lines::default();
    for fixture in match_runner.fixtures() {
        let keep = match &arguments.records {
            None => Keep::by_default(&contest.game),
            Some(folder) => {
                let path = record_path(folder, fixture.number);
                if arguments.resume && path.exists() {
                    if is_finished(&path) {
                        continue;
                    }
                    Keep::resume(&path)?
                } else {
                    Keep::File { path, force: arguments.force }
                }
            }
        };
        let (played, told) =
            live::play(&match_runner, &fixture, show, keep, &lines, &contest.stop, output)?;
        told?;
        if arguments.json {
            output.json(&played.record)?;
        } else {
            if let Some(result) = &played.record.result {
                writeln!(output, "result: {} ({})", result.sentence, result.termination.name())?;
            }
            writeln!(output, "winner: {}", live::winner(&match_runner, &played.record))?;
        }
        if is_interrupted(&played) {
            break;
        }
    }
    Ok(())
}

/// Whether the file holds a game that was played to its end.
fn is_finished(path: &std::path::Path) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    serde_json::from_str::<Record>(&text).is_ok_and(|record| {
        record.result.is_some_and(|result| result.termination != Termination::Interrupted)
    })
}

/// Games are counted from 1 wherever a person reads their number.
fn record_path(folder: &std::path::Path, number: u64) -> PathBuf {
    folder.join(format!("{:06}.json", number + 1))
}

/// Points of the agent on this seat of a two-player game; `None` where both have forfeited it, which
/// says nothing about who is stronger.
fn points(played: &GameResult, seat: usize) -> Option<f64> {
    let points = |payoff: f32| f64::from(payoff + 1.0) / 2.0;
    let all: f64 = played.payoffs.iter().map(|payoff| points(*payoff)).sum();
    (all > 0.0).then(|| points(played.payoffs[seat]))
}

/// The games of one agent against another that count, and how many both have forfeited.
fn tally_of(results: &[GameResult], first: usize, second: usize) -> (Tally, u64) {
    let (mut tally, mut void) = (Tally::default(), 0);
    let mut add = |tally: &mut Tally, points: Option<f64>| match points {
        Some(points) => tally.add(points),
        None => void += 1,
    };
    let mut waiting: Option<Option<f64>> = None;
    for played in results {
        let Some(seat) = played.agents.iter().position(|agent| *agent == first) else { continue };
        if played.agents[1 - seat] != second {
            continue;
        }
        let points = points(played, seat);
        // The two games of a pair follow each other.
        match waiting.take() {
            None => waiting = Some(points),
            Some(before) => match (before, points) {
                (Some(before), Some(points)) => tally.add_pair(before, points),
                // A pair with a game that has no winner is none.
                _ => [before, points].into_iter().for_each(|points| add(&mut tally, points)),
            },
        }
    }
    if let Some(left) = waiting {
        add(&mut tally, left);
    }
    (tally, void)
}

fn pairings(contest: &MatchSettings, results: &[GameResult]) -> Vec<Pairing> {
    let mut pairings = Vec::new();
    for first in 0..contest.agents.len() {
        for second in first + 1..contest.agents.len() {
            let (tally, both_forfeited) = tally_of(results, first, second);
            let elo = tally.elo();
            pairings.push(Pairing {
                first: contest.agents[first].to_string(),
                second: contest.agents[second].to_string(),
                wins: tally.wins,
                draws: tally.draws,
                losses: tally.losses,
                both_forfeited,
                score: tally.score(),
                elo: elo.value,
                elo_low: elo.low,
                elo_high: elo.high,
                superiority: tally.likelihood_of_superiority(),
            });
        }
    }
    pairings
}

fn standings(contest: &MatchSettings, results: &[GameResult], is_duel: bool) -> Vec<Standing> {
    let royales: Vec<Royale> = results.iter().map(royale).collect();
    let most = royales.iter().flatten().map(|finish| finish.score).fold(0.0, f64::max);
    let places = placings(contest.agents.len(), &royales, most);
    let standing = |number: usize| {
        let own: Vec<(&GameResult, usize)> = results
            .iter()
            .filter_map(|played| {
                let seat = played.agents.iter().position(|agent| *agent == number)?;
                Some((played, seat))
            })
            .collect();
        let (mut milliseconds, mut turns, mut nodes) = (0.0, 0, 0);
        for (played, seat) in &own {
            milliseconds += played.thought[*seat].0;
            turns += played.thought[*seat].1;
            nodes += played.nodes[*seat];
        }
        let (wins, result) = if is_duel {
            let (mut total, mut void) = (Tally::default(), 0);
            for other in (0..contest.agents.len()).filter(|other| *other != number) {
                let (tally, both_forfeited) = tally_of(results, number, other);
                total.merge(&tally);
                void += both_forfeited;
            }
            // What both have forfeited is lost for either, but is no evidence for the Elo.
            let points = total.wins as f64 + total.draws as f64 / 2.0;
            let games = total.games() + void;
            let elo = total.elo();
            let strength = Strength::Points {
                draws: total.draws,
                losses: total.losses + void,
                score: if games == 0 { total.score() } else { points / games as f64 },
                elo: elo.value,
                elo_low: elo.low,
                elo_high: elo.high,
            };
            (total.wins, strength)
        } else {
            let Placing { wins, score, rank, .. } = places[number];
            let strength = Strength::Places {
                squares: score.value,
                squares_low: score.low,
                squares_high: score.high,
                rank: rank.value,
                rank_low: rank.low,
                rank_high: rank.high,
            };
            (wins, strength)
        };
        Standing {
            agent: contest.agents[number].to_string(),
            games: own.len() as u64,
            wins,
            result,
            milliseconds_per_turn: milliseconds / f64::from(turns.max(1) as u32),
            nodes_per_second: nodes as f64 / (milliseconds / 1e3).max(1e-9),
        }
    };
    (0..contest.agents.len()).map(standing).collect()
}

fn royale(played: &GameResult) -> Royale {
    let score = |seat: usize| played.scores.as_ref().map_or(0.0, |scores| f64::from(scores[seat]));
    let finish = |(seat, player): (usize, &usize)| {
        let forfeited = played.record.has_forfeited(played.seats[seat]);
        let score = if forfeited { 0.0 } else { score(seat) };
        Finish { player: *player, score, won: played.payoffs[seat] > 0.0 && !forfeited, forfeited }
    };
    played.agents.iter().enumerate().map(finish).collect()
}

fn tell(played: &Played, contest: &MatchSettings, output: &mut Output) -> Done {
    let width = played.agents.iter().map(|agent| agent.agent.len()).max().unwrap_or(5).max(5);
    let is_duel = !played.pairs.is_empty();
    if is_duel {
        writeln!(
            output,
            "{:width$}  games     +     =     -    score   Elo (95 %)               ms/turn   nodes/s",
            "agent"
        )?;
    } else {
        writeln!(
            output,
            "{:width$}  games  wins  squares (95 %)          rank (95 %)       ms/turn",
            "agent"
        )?;
    }
    for Standing { agent, games, wins, result, milliseconds_per_turn, nodes_per_second } in
        &played.agents
    {
        write!(output, "{agent:width$}  {games:5} {wins:5} ")?;
        match result {
            Strength::Points { draws, losses, score, elo, elo_low, elo_high } => {
                let elo = format!(
                    "{} ({} to {})",
                    signed(*elo, 0),
                    signed(*elo_low, 0),
                    signed(*elo_high, 0)
                );
                writeln!(
                    output,
                    "{draws:5} {losses:5}  {:5.1} %   {elo:22} {milliseconds_per_turn:9.2} {:>9}",
                    100.0 * score,
                    short(*nodes_per_second)
                )?;
            }
            Strength::Places { squares, squares_low, squares_high, rank, rank_low, rank_high } => {
                let squares = format!("{squares:.1} ({squares_low:.1} to {squares_high:.1})");
                let rank = format!("{rank:.2} ({rank_low:.2} to {rank_high:.2})");
                writeln!(output, " {squares:22} {rank:20} {milliseconds_per_turn:7.2}")?;
            }
        }
    }
    if played.pairs.len() > 1 {
        writeln!(output)?;
        for pair in &played.pairs {
            let void = match pair.both_forfeited {
                0 => String::new(),
                void => format!(", {} forfeited by both", counted(void, "game")),
            };
            writeln!(
                output,
                "{} – {}: +{} ={} -{}, {:.1} %, Elo {} ({} to {}){void}",
                pair.first,
                pair.second,
                pair.wins,
                pair.draws,
                pair.losses,
                100.0 * pair.score,
                signed(pair.elo, 0),
                signed(pair.elo_low, 0),
                signed(pair.elo_high, 0)
            )?;
        }
    }
    writeln!(output, "seed {}, {}", contest.seed, limits(contest))?;
    Ok(())
}

fn limits(contest: &MatchSettings) -> String {
    let Allowance { time, nodes, depth } = contest.allowance;
    let mut parts = Vec::new();
    parts.extend(time.map(|time| format!("{:.3} s a turn", time.as_secs_f64())));
    parts.extend(nodes.map(|nodes| format!("{nodes} nodes a turn")));
    parts.extend(depth.map(|depth| format!("depth {depth}")));
    parts.join(", ")
}

fn short(per_second: f64) -> String {
    match per_second {
        rate if rate >= 1e6 => format!("{:.1} M", rate / 1e6),
        rate if rate >= 1e3 => format!("{:.1} k", rate / 1e3),
        rate => format!("{rate:.0}"),
    }
}
