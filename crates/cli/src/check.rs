//! `skirmish check`: tells an author in a minute whether an agent can be let loose.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_arena::record::{Event, Record};
use skirmish_arena::referee::{
    Answer, Fault as AgentFault, Kind, Limits, Person, Referee, Settings, Who,
};
use skirmish_rules::table::Table;
use skirmish_rules::view::Ground;
use skirmish_rules::{Random, Seat, Setup, Turn, open};
use skirmish_search::Allowance;

use crate::Done;
use crate::output::{Fault, Output};
use crate::referee::{RefereeArguments, announce, open_for};
use crate::setup::GameArguments;

/// Try an agent out: does it start, answer, keep the rules and its time?
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish check watch-your-back python:agents/mine.py
  skirmish check amazons 'cmd:./my-agent --fast' --size 6 -t 60

The agent plays whole games in every seat against a random player, and games that begin where agents \
often fail: where it can only pass, where it has a single turn, right after the board has shrunk. \
Exit code 0 if it did well, 1 if not.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The agent.
    #[arg(value_name = "AGENT")]
    agent: String,
    /// Games in each seat.
    #[arg(long, value_name = "N", default_value_t = 3)]
    games: u64,
    /// CPU seconds the agent may use in a game.
    #[arg(short = 't', long = "time", value_name = "SECONDS", default_value_t = Limits::default().cpu_s, help_heading = "Limits")]
    cpu: f64,
    #[command(flatten)]
    rules: RefereeArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// One thing that was tried.
#[derive(Serialize)]
struct Trial {
    what: String,
    /// `ok`, `failed` or `skipped`.
    outcome: &'static str,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

struct NoPerson;
impl Person for NoPerson {
    fn ask(&mut self, _: &dyn Table, _: Seat) -> Answer {
        Answer::Resign
    }
}

/// What a Python `Player` says where it is to come in later.
const ONLY_FROM_THE_START: &str = "plays from the start only";

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let who: Who = arguments.agent.parse()?;
    if who == Who::Human {
        return Err(Fault::unusable("a person needs no check"));
    }
    let settings =
        arguments.rules.settings(arguments.game.seed, arguments.cpu, Allowance::default())?;
    if !matches!(who, Who::BuiltIn(_)) {
        announce(&settings, arguments.json)?;
    }
    let mut trials = Vec::new();
    let mut tell = |trial: Trial, output: &mut Output| -> Result<bool, Fault> {
        let failed = trial.outcome == "failed";
        if !arguments.json {
            writeln!(output, "{:7} {}: {}", trial.outcome, trial.what, trial.found)?;
            if let Some(advice) = &trial.advice {
                writeln!(output, "        advice: {advice}")?;
            }
            output.flush()?;
        }
        trials.push(trial);
        Ok(failed)
    };

    // 1. Whole games, in every seat of a duel; one seat of a game for many.
    let start = open_for(&arguments.game, 2)?;
    let seats = if start.seats() == 2 { 2 } else { 1 };
    let mut failed = false;
    let mut started = true;
    let mut slowest: f64 = 0.0;
    let mut longest: f64 = 0.0;
    'games: for seat in 0..seats {
        for game in 0..arguments.games.max(1) {
            let mut settings = settings.clone();
            settings.seed = settings.seed.wrapping_add(game);
            let mut fresh = arguments.game.clone();
            fresh.seed = settings.seed;
            let mut table = open_for(&fresh, 2)?;
            let record = play(&who, seat, &mut *table, settings)?;
            let held = Seat(seat as u16);
            let (worst, total) = times(&record, held);
            (slowest, longest) = (slowest.max(worst), longest.max(total));
            let what = format!("game {} as {}", game + 1, table.seat_name(held));
            let trial = judge(what, &record, held);
            started = record.faults.iter().all(|fault| fault.kind != Kind::StartFailure);
            failed |= tell(trial, output)?;
            if !started {
                break 'games;
            }
        }
    }

    // 2. Odd positions.
    if started && seats == 2 {
        for (what, position) in odd_positions(&arguments.game)? {
            let options = arguments.game.options()?;
            let mut unused = Random::seeded(0);
            let setup = Setup { options: &options, position: Some(&position), random: &mut unused };
            let mut table = open(&arguments.game.game, setup)?;
            let Turn::Player(seat) = table.turn() else { continue };
            let record = play(&who, seat.index(), &mut *table, settings.clone())?;
            let only_start =
                record.faults.iter().any(|fault| fault.sentence.contains(ONLY_FROM_THE_START));
            let mut trial = judge(format!("{what} ({position})"), &record, seat);
            if only_start {
                trial.outcome = "skipped";
                trial.found = "a `Player` can only begin at the beginning".to_owned();
                trial.advice = None;
            }
            failed |= tell(trial, output)?;
        }
    }

    // 3. Time.
    if started && !matches!(who, Who::BuiltIn(_)) {
        let most = settings.limits.cpu_s;
        let close = longest > most / 2.0 || slowest > settings.limits.cpu_move_s / 2.0;
        let trial = Trial {
            what: "time".to_owned(),
            outcome: "ok",
            found: format!(
                "at most {slowest:.3} s of CPU for a turn and {longest:.3} s for a game, of {most} s"
            ),
            advice: close.then(|| {
                "more than half of what is allowed: a longer game or a slower machine may cost it \
                 the game; watch `clock.cpu_left_s` (`state.cpu_left` in Python)"
                    .to_owned()
            }),
        };
        tell(trial, output)?;
    }
    if arguments.json {
        output.json(&trials)?;
    } else {
        let verdict = if failed { "not ready: see above" } else { "ready to play" };
        writeln!(output, "{who}: {verdict}")?;
    }
    if failed { Err(Fault::No) } else { Ok(()) }
}

fn play(
    who: &Who,
    seat: usize,
    table: &mut dyn Table,
    settings: Settings,
) -> Result<Record, Fault> {
    let other: Who = "random".parse()?;
    let mut agents = vec![who.clone(), other];
    if seat == 1 {
        agents.reverse();
    }
    let refereed = Referee::new(agents, settings).play(table, 0, &mut NoPerson, &mut |_, _| {})?;
    Ok(refereed.record)
}

/// The slowest turn and all turns, in seconds of CPU.
fn times(record: &Record, held: Seat) -> (f64, f64) {
    let mut times = (0.0_f64, 0.0);
    for event in &record.events {
        if let Event::Move { seat, cpu_ms: Some(cpu_ms), .. } = event
            && *seat == held
        {
            times = (times.0.max(cpu_ms / 1e3), times.1 + cpu_ms / 1e3);
        }
    }
    times
}

fn judge(what: String, record: &Record, held: Seat) -> Trial {
    let Some(fault) = record.faults.iter().find(|fault| fault.seat == held) else {
        let result = record.result.as_ref().map_or("not over", |result| result.sentence.as_str());
        let found = format!("{} turns, {result}", record.events.len());
        return Trial { what, outcome: "ok", found, advice: None };
    };
    let found = format!("{} at ply {}: {}", fault.kind.name(), fault.ply, fault.sentence);
    Trial { what, outcome: "failed", found, advice: Some(advice(fault)) }
}

fn advice(fault: &AgentFault) -> String {
    match fault.kind {
        Kind::IllegalMove => {
            "ask for `legal` in `ready` (`state.legal` in Python) and compare with what you chose; \
             `skirmish rules GAME` has every ruling"
        }
        Kind::Timeout => "think less, or give it more: `--time`, `--move-time`",
        Kind::Memory => "keep fewer positions, or give it more: `--space`",
        Kind::Crash if fault.sentence.contains("PermissionError") => {
            "the sandbox forbids files outside the agent's folder, the network and new processes; \
             write to the folder in $TMPDIR, or try `--sandbox off` to be sure that this is the cause"
        }
        Kind::Crash => "the last lines of its log are in the record: `skirmish referee --record FILE`",
        Kind::Protocol => {
            "one JSON object a line, each flushed, one answer to each `choose`; anything else goes \
             to stderr"
        }
        Kind::StartFailure => "run the same command by hand: it must wait for a line on stdin",
    }
    .to_owned()
}

/// Positions of random games where agents often fail, each kind once.
fn odd_positions(game: &GameArguments) -> Result<Vec<(&'static str, String)>, Fault> {
    /// Enough for single turns to turn up where a game has any, and a second's work where a
    /// position has thousands of turns to be listed.
    const GAMES: u64 = 400;
    const LISTED: usize = 2_000_000;
    let mut listed = 0;
    let mut found: Vec<(&'static str, String)> = Vec::new();
    let removed = |table: &dyn Table| {
        table.view().squares.iter().filter(|square| square.ground == Ground::Removed).count()
    };
    for number in 0..GAMES {
        let mut random = Random::stream(game.seed ^ 0x0dd, number);
        let mut table = game.open()?;
        let mut gone = removed(table.as_ref());
        let choice = table.choices()[0];
        while let Turn::Player(_) = table.turn() {
            let now = removed(table.as_ref());
            let turns = table.turns().unwrap_or_default();
            listed += turns.len();
            if listed > LISTED {
                return Ok(found);
            }
            let kind = match (&turns[..], now) {
                ([only], _) if only == "pass" => Some("can only pass"),
                ([_], _) => Some("has a single turn"),
                (_, now) if now > gone && gone == 0 => Some("the board has just shrunk"),
                (_, now) if now > gone => Some("the board has shrunk again"),
                _ => None,
            };
            gone = now;
            if let Some(kind) = kind
                && !found.iter().any(|(known, _)| *known == kind)
            {
                found.push((kind, table.position()));
            }
            table.play_randomly(choice, &mut random)?;
        }
    }
    Ok(found)
}
