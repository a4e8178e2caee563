//! `skirmish check`: tells an author in a minute whether an agent can be let loose.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_play::record::{Event, Record};
use skirmish_play::seeding::Seeds;
use skirmish_rules::table::Table;
use skirmish_rules::view::Ground;
use skirmish_rules::{Random, Seat, Turn};
use skirmish_sandbox::{Fault as AgentFault, Kind, Settings, Who};
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

The agent plays whole games in every seat against a random and a greedy player, and games that begin where agents \
often fail: where it can only pass, where it has a single turn, right after each time the board has \
shrunk, where it has nothing left to order. A COMP30024 `Player` can only begin at the beginning: for \
it these are looked for in its whole games. Exit code 0 if it did well, 1 if not.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The agent.
    #[arg(value_name = "AGENT")]
    agent: String,
    /// Games in each seat.
    #[arg(long, value_name = "N", default_value_t = 3)]
    games: u64,
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

/// What a Python `Player` says where it is to come in later.
const ONLY_FROM_THE_START: &str = "plays from the start only";
const NOT_MET: &str = "a `Player` can only begin at the beginning, and none of its games came to this; more `--games` may";

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let who: Who = arguments.agent.parse()?;
    if who == Who::Human {
        return Err(Fault::unusable("a person needs no check"));
    }
    let settings = arguments.rules.settings(arguments.game.seed, Allowance::default())?;
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
    let mut met: Vec<(Oddity, String)> = Vec::new();
    'games: for seat in 0..seats {
        for game in 0..arguments.games.max(1) {
            let mut settings = settings.clone();
            settings.seed = settings.seed.wrapping_add(game);
            let mut fresh = arguments.game.clone();
            fresh.seed = settings.seed;
            let table = open_for(&fresh, 2)?;
            // Games against somebody who keeps his pieces together come further.
            let other = if seats == 2 && game % 2 == 1 { "greedy" } else { "random" };
            let record = play(&who, other, seat, table.as_ref(), &settings)?;
            let held = Seat(seat as u16);
            let (worst, total) = times(&record, held);
            (slowest, longest) = (slowest.max(worst), longest.max(total));
            let what = format!("game {} as {}", game + 1, table.seat_name(held));
            met.extend(
                oddities(&record, held)?
                    .into_iter()
                    .map(|(oddity, ply)| (oddity, format!("met at ply {ply} of {what}"))),
            );
            let trial = judge(what, &record, held);
            started = record.faults.iter().all(|fault| fault.kind != Kind::StartFailure);
            failed |= tell(trial, output)?;
            if !started {
                break 'games;
            }
        }
    }

    // 2. Odd positions.
    if started {
        for (oddity, position) in odd_positions(&arguments.game)? {
            let mut there = arguments.game.clone();
            there.position = Some(position.clone());
            let table = open_for(&there, 2)?;
            let Turn::Player(seat) = table.turn() else { continue };
            let record = play(&who, "random", seat.index(), table.as_ref(), &settings)?;
            let only_start =
                record.faults.iter().any(|fault| fault.sentence.contains(ONLY_FROM_THE_START));
            let shown: String = position.chars().take(100).collect();
            let mut trial = judge(format!("{} ({shown})", oddity.name()), &record, seat);
            if only_start {
                let place = met.iter().find(|(met, _)| *met == oddity);
                trial = Trial {
                    what: oddity.name().to_owned(),
                    outcome: if place.is_some() { "ok" } else { "skipped" },
                    found: place.map_or(NOT_MET.to_owned(), |(_, place)| place.clone()),
                    advice: None,
                };
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
    other: &str,
    seat: usize,
    table: &dyn Table,
    settings: &Settings,
) -> Result<Record, Fault> {
    let mut agents = vec![who.clone(), other.parse()?];
    if seat == 1 {
        agents.reverse();
    }
    let mut referee = skirmish_sandbox::referee(&agents, table, &settings)?;
    let (mut session, _) = referee.open(table.fork());
    let seeds = Seeds::of(settings.seed);
    Ok(referee.play(&mut session, seeds, &mut |_, _| {})?.record)
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
        Kind::Timeout => "think less, or give it more: `--cpu`, `--cpu-move`",
        Kind::Memory => "keep fewer positions, or give it more: `--space`",
        Kind::Crash if fault.sentence.contains("PermissionError") => {
            "the sandbox forbids files outside the agent's folder, the network and new processes; \
             write to the folder in $TMPDIR, or try `--sandbox off` to be sure that this is the cause"
        }
        Kind::Crash if fault.sentence.contains("EOFError") => {
            "agents have no keyboard: to play yourself, name `human` in place of the agent"
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

/// What agents often fail at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Oddity {
    OnlyPass,
    SingleTurn,
    NothingToOrder,
    Shrunk,
    ShrunkAgain,
}

impl Oddity {
    fn name(self) -> &'static str {
        match self {
            Oddity::OnlyPass => "can only pass",
            Oddity::SingleTurn => "has a single turn",
            Oddity::NothingToOrder => "has nothing left to order",
            Oddity::Shrunk => "the board has just shrunk",
            Oddity::ShrunkAgain => "the board has shrunk again",
        }
    }
}

/// Walks along a game and sees what is odd where a player is to move.
struct Walk {
    /// Squares that were gone when somebody was last to move.
    gone: usize,
    /// Turns listed so far, which is what walking costs.
    listed: usize,
}

impl Walk {
    fn along(table: &dyn Table) -> Walk {
        Walk { gone: removed(table), listed: 0 }
    }

    fn see(&mut self, table: &dyn Table) -> Option<Oddity> {
        let before = std::mem::replace(&mut self.gone, removed(table));
        let shrunk = match (self.gone > before, before) {
            (false, _) => None,
            (true, 0) => Some(Oddity::Shrunk),
            (true, _) => Some(Oddity::ShrunkAgain),
        };
        let few = match table.turns() {
            Some(turns) => {
                self.listed += turns.len();
                match &turns[..] {
                    [only] if Some(only.as_str()) == table.entry().empty_turn => {
                        Some(Oddity::OnlyPass)
                    }
                    [_] => Some(Oddity::SingleTurn),
                    _ => None,
                }
            }
            None => {
                let steps = table.steps().len();
                self.listed += steps;
                (steps == 1).then_some(Oddity::NothingToOrder)
            }
        };
        few.or(shrunk)
    }
}

fn removed(table: &dyn Table) -> usize {
    table.view().squares.iter().filter(|square| square.ground == Ground::Removed).count()
}

/// What was odd where this seat took a turn in a game, each kind once, with its ply.
fn oddities(record: &Record, held: Seat) -> Result<Vec<(Oddity, u32)>, Fault> {
    let mut table = record.replay(0)?;
    let mut walk = Walk::along(table.as_ref());
    let mut found: Vec<(Oddity, u32)> = Vec::new();
    for event in &record.events {
        match event {
            Event::Move { ply, seat, text, .. } => {
                if *seat == held
                    && let Some(oddity) = walk.see(table.as_ref())
                    && found.iter().all(|(known, _)| *known != oddity)
                {
                    found.push((oddity, *ply));
                }
                table.play(text)?;
            }
            Event::Chance { chance, .. } => table.settle(chance.roll)?,
        }
    }
    Ok(found)
}

/// Positions that random games hardly ever come to. Each is tried for what it is, and counts only if
/// the game, with the options it is set up with, agrees.
const RARE: &[(&str, &str)] = &[
    ("watch-your-back", "X6X/WBB5/WBB5/B7/B7/8/8/X6X moving 40"),
    (
        "in-trap",
        "....../.,FL2,JP2,DS2,../.,CH2,SP1,CC2,../.,SW2,LS2,RS2,../....../.....,SP2 1 9,5 20",
    ),
    ("in-trap", "....../.,FL2,JP2,DS2,../.,CH2,SP1,.../.,SW2,LS2,RS2,../....../.....,SP2 1 4,5 20"),
];

/// Positions where agents often fail, each kind once: rare ones, and what random games come to.
fn odd_positions(game: &GameArguments) -> Result<Vec<(Oddity, String)>, Fault> {
    /// Enough for single turns to turn up where a game has any, and a second's work where a
    /// position has thousands of turns to be listed, or a game a thousand turns.
    const GAMES: u64 = 400;
    const LISTED: usize = 2_000_000;
    const TURNS: usize = 100_000;
    let mut found: Vec<(Oddity, String)> = Vec::new();
    let mut add = |oddity: Option<Oddity>, table: &dyn Table| {
        if let Some(oddity) = oddity
            && found.iter().all(|(known, _)| *known != oddity)
        {
            found.push((oddity, table.position()));
        }
    };
    for (_, position) in RARE.iter().filter(|(name, _)| *name == game.game) {
        let mut there = game.clone();
        there.position = Some((*position).to_owned());
        if let Ok(table) = open_for(&there, 2) {
            let oddity = Walk::along(table.as_ref()).see(table.as_ref());
            add(oddity, table.as_ref());
        }
    }
    let (mut listed, mut turns) = (0, 0);
    for number in 0..GAMES {
        let mut random = Random::stream(game.seed ^ 0x0dd, number);
        let mut table = open_for(game, 2)?;
        let mut walk = Walk::along(table.as_ref());
        let choice = table.choices()[0];
        while let Turn::Player(seat) = table.turn() {
            if !table.is_zombie(seat) {
                let oddity = walk.see(table.as_ref());
                add(oddity, table.as_ref());
            }
            turns += 1;
            if listed + walk.listed > LISTED || turns > TURNS {
                return Ok(found);
            }
            table.play_randomly(choice, &mut random)?;
        }
        listed += walk.listed;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_oddity_that_a_game_knows_is_found() {
        use Oddity::{NothingToOrder, OnlyPass, Shrunk, ShrunkAgain, SingleTurn};
        let found = |game: &str, options: &[&str]| {
            #[derive(clap::Parser)]
            struct Line {
                #[command(flatten)]
                game: GameArguments,
            }
            let words = ["check", game].into_iter().chain(options.iter().copied());
            let line = <Line as clap::Parser>::parse_from(words);
            let mut found: Vec<Oddity> =
                odd_positions(&line.game).unwrap().into_iter().map(|(oddity, _)| oddity).collect();
            found.sort_by_key(|oddity| *oddity as u8);
            found
        };
        assert_eq!(found("watch-your-back", &[]), [OnlyPass, SingleTurn, Shrunk, ShrunkAgain]);
        assert_eq!(found("in-trap", &[]), [OnlyPass, SingleTurn]);
        assert_eq!(found("amazons", &["--size", "6"]), [SingleTurn]);
        assert_eq!(found("game17", &["--size", "6"]), [NothingToOrder]);
        // A position that does not fit the options is left out.
        assert!(found("in-trap", &["--size", "8"]).iter().all(|oddity| *oddity != OnlyPass));
    }
}
