//! `skirmish check`: tells an author in a minute whether an agent can be let loose.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_play::faults::place;
use skirmish_play::record::{Event, Record};
use skirmish_play::seeding::Seeds;
use skirmish_rules::table::Table;
use skirmish_rules::view::Ground;
use skirmish_rules::{Games, Random, Registry, Seat, Turn};
use skirmish_sandbox::{AgentSpec, Fault as AgentFault, FaultKind, Settings};
use skirmish_search::Allowance;

use crate::Done;
use crate::agents::require;
use crate::output::{Fault, Output, counted};
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
    /// Where the agent failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// The command that plays the same game again.
    #[serde(skip_serializing_if = "Option::is_none")]
    reproduce: Option<String>,
    /// Failures with the same text are told once.
    #[serde(skip)]
    same: String,
}

impl Trial {
    fn passed(what: String, found: String) -> Trial {
        Trial {
            what,
            outcome: "ok",
            found,
            advice: None,
            position: None,
            reproduce: None,
            same: String::new(),
        }
    }
}

/// What a Python `Player` says where it is to come in later.
const ONLY_FROM_THE_START: &str = "plays from the start only";
const NOT_MET: &str = "a `Player` can only begin at the beginning, and none of its games came to this; more `--games` may";

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let who: AgentSpec = arguments.agent.parse()?;
    if who == AgentSpec::Human {
        return Err(Fault::unusable("a person needs no check"));
    }
    let settings = arguments.rules.settings(arguments.game.seed, Allowance::default())?;
    if !matches!(who, AgentSpec::BuiltIn(_)) {
        announce(&settings, arguments.json)?;
        let entry = Games::entry(&arguments.game.game)?;
        let agents = [who.clone(), "random".parse()?];
        require(entry.name, &arguments.game.options()?, &agents, &settings)?;
    }
    let mut trials = Vec::new();
    let mut tell = |trial: Trial, output: &mut Output| -> Result<bool, Fault> {
        let failed = trial.outcome == "failed";
        if !arguments.json {
            writeln!(output, "{:7} {}: {}", trial.outcome, trial.what, trial.found)?;
            // What to do about a failure is told below, once for all that are alike.
            if let Some(advice) = trial.advice.as_ref().filter(|_| !failed) {
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
            // Games against a player that keeps its pieces together get further.
            let other = if seats == 2 && game % 2 == 1 { "greedy" } else { "random" };
            let record = play(&who, other, seat, table.as_ref(), &settings)?;
            let held = Seat(seat as u16);
            let (worst, total) = times(&record, held);
            (slowest, longest) = (slowest.max(worst), longest.max(total));
            let what = format!("game {} as {}", game + 1, table.seat_name(held));
            met.extend(
                oddities(&record, held)?
                    .into_iter()
                    .map(|(oddity, turn)| (oddity, format!("met at turn {turn} of {what}"))),
            );
            let trial = judge(what, &record, held, &who, || {
                reproduce(arguments, &fresh, [&who.to_string(), other], seat)
            });
            started = record.faults.iter().all(|fault| fault.kind != FaultKind::StartFailure);
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
            let mut trial = judge(oddity.name().to_owned(), &record, seat, &who, || {
                reproduce(arguments, &there, [&who.to_string(), "random"], seat.index())
            });
            if only_start {
                let place = met.iter().find(|(met, _)| *met == oddity);
                let found = place.map_or(NOT_MET.to_owned(), |(_, place)| place.clone());
                trial = Trial {
                    outcome: if place.is_some() { "ok" } else { "skipped" },
                    ..Trial::passed(oddity.name().to_owned(), found)
                };
            }
            failed |= tell(trial, output)?;
        }
    }

    // 3. Time.
    if started && !matches!(who, AgentSpec::BuiltIn(_)) {
        let most = settings.limits.cpu_s;
        let close = longest > most / 2.0 || slowest > settings.limits.cpu_move_s / 2.0;
        let found = format!(
            "at most {slowest:.3} s of CPU for a turn and {longest:.3} s for a game, of {most} s"
        );
        let left = match who {
            AgentSpec::Python { .. } => "`state.cpu_left`",
            _ => "`clock.cpu_left_s` in each `choose`",
        };
        let trial = Trial {
            advice: close.then(|| {
                format!(
                    "this is more than half of the limit: a longer game or a slower machine may \
                     cost it the game; watch {left}"
                )
            }),
            ..Trial::passed("time".to_owned(), found)
        };
        tell(trial, output)?;
    }
    if arguments.json {
        output.json(&trials)?;
    } else {
        tell_failures(&trials, output)?;
        let verdict = if failed { "not ready: see above" } else { "ready to play" };
        writeln!(output, "{who}: {verdict}")?;
    }
    if failed { Err(Fault::No) } else { Ok(()) }
}

fn play(
    who: &AgentSpec,
    other: &str,
    seat: usize,
    table: &dyn Table,
    settings: &Settings,
) -> Result<Record, Fault> {
    let mut agents = vec![who.clone(), other.parse()?];
    if seat == 1 {
        agents.reverse();
    }
    let mut referee = skirmish_sandbox::referee(&agents, table, settings)?;
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

fn judge(
    what: String,
    record: &Record,
    held: Seat,
    who: &AgentSpec,
    reproduce: impl FnOnce() -> String,
) -> Trial {
    let Some(fault) = record.faults.iter().find(|fault| fault.seat == held) else {
        let result = record.result.as_ref().map_or("not over", |result| result.sentence.as_str());
        return Trial::passed(
            what,
            format!("{}, {result}", counted(record.turns() as u64, "turn")),
        );
    };
    let position = record.replay(fault.ply as usize).ok().map(|table| table.position());
    Trial {
        outcome: "failed",
        advice: Some(advice(fault, who)),
        position,
        reproduce: Some(reproduce()),
        same: alike(fault, record, held),
        ..Trial::passed(
            what,
            format!(
                "{} at {}: {}",
                fault.kind.name(),
                place(fault.turn, fault.ply),
                fault.sentence
            ),
        )
    }
}

/// A failure without the seat, the numbers and the turn that were at hand, which differ from game to
/// game.
fn alike(fault: &AgentFault, record: &Record, held: Seat) -> String {
    let seat = record.replay(0).map_or(String::new(), |table| table.seat_name(held));
    let sentence = fault.sentence.strip_prefix(&seat).unwrap_or(&fault.sentence);
    let quoted = sentence.split('`').step_by(2).collect::<Vec<_>>().join("``");
    let letters: String = quoted.chars().filter(|c| !c.is_ascii_digit()).collect();
    format!("{} {letters}", fault.kind.name())
}

/// Every kind of failure once: how often, where, what may help, and how to see it again.
fn tell_failures(trials: &[Trial], output: &mut Output) -> Done {
    let failures = || trials.iter().filter(|trial| trial.outcome == "failed");
    for (place, first) in failures().enumerate() {
        if failures().take(place).any(|earlier| earlier.same == first.same) {
            continue;
        }
        let alike: Vec<&str> =
            failures().filter(|trial| trial.same == first.same).map(|t| t.what.as_str()).collect();
        let count = counted(alike.len() as u64, "trial");
        writeln!(output, "\n{count} failed like this: {}", first.found)?;
        writeln!(output, "  in: {}", alike.join("; "))?;
        for (label, text) in [
            ("position", &first.position),
            ("advice", &first.advice),
            ("reproduce", &first.reproduce),
        ] {
            if let Some(text) = text {
                writeln!(output, "  {label}: {text}")?;
            }
        }
    }
    if failures().next().is_some() {
        writeln!(output)?;
    }
    Ok(())
}

/// The command that plays a trial again.
fn reproduce(
    arguments: &Arguments,
    game: &GameArguments,
    agents: [&str; 2],
    seat: usize,
) -> String {
    let mut words = vec!["skirmish".to_owned(), "referee".to_owned(), game.game.clone()];
    let [mine, other] = agents.map(str::to_owned);
    words.extend(if seat == 1 { [other, mine] } else { [mine, other] });
    words.extend(game.option_flags());
    // A start drawn at random is drawn from the seed; any other is named.
    words.extend(game.position.iter().flat_map(|text| ["--position".to_owned(), text.clone()]));
    words.extend(["--seed".to_owned(), game.seed.to_string()]);
    words.extend(arguments.rules.flags());
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell has to read it.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What may help against a fault, in the words of those who write this kind of agent.
fn advice(fault: &AgentFault, who: &AgentSpec) -> String {
    let is_python = matches!(who, AgentSpec::Python { .. });
    let text = match (fault.kind, who) {
        (_, AgentSpec::BuiltIn(_)) => {
            "this is a built-in agent, so it is a bug of Skirmish: please report it with the \
             command below"
        }
        (FaultKind::IllegalMove, _) if is_python => {
            "compare what was returned with `state.legal`; `skirmish rules GAME` has every ruling"
        }
        (FaultKind::IllegalMove, _) => {
            "put `legal` into `wants` of `ready` and compare what was chosen with the list in \
             `choose`; `skirmish rules GAME` has every ruling"
        }
        (FaultKind::Timeout, _) => {
            "think less, or raise the limit: `--cpu`, `--cpu-move`, `--wall`"
        }
        (FaultKind::Memory, _) => "keep fewer positions, or raise the limit: `--memory`",
        (FaultKind::Crash, _) if fault.sentence.contains("PermissionError") => {
            "the sandbox forbids files outside the agent's folder, the network and new processes; \
             write to the folder in $TMPDIR, or try `--sandbox off` to be sure that this is the cause"
        }
        (FaultKind::Crash, _) if fault.sentence.contains("EOFError") && is_python => {
            "agents have no keyboard, so `input()` fails; to play yourself, name `human` as the agent"
        }
        (FaultKind::Crash, _) if is_python => {
            "the traceback is in the log, which `skirmish referee --record FILE` keeps beside FILE"
        }
        (FaultKind::Crash, _) => {
            "the program must run until its stdin is closed; what it wrote to stderr is in the log, \
             which `skirmish referee --record FILE` keeps beside FILE"
        }
        (FaultKind::Protocol, _) if is_python => {
            "the host speaks the protocol for a Python agent: do not write to file descriptors \
             yourself, use `print`"
        }
        (FaultKind::Protocol, _) => {
            "write one JSON object a line, flush each, and answer each `choose` once; anything else \
             goes to stderr"
        }
        (FaultKind::StartFailure, _) if is_python => {
            "import the module by hand: `python3 -c 'import NAME'` in its folder shows the whole \
             traceback; modules outside of it need `--allow-read`"
        }
        (FaultKind::StartFailure, _) => {
            "run the same command by hand: it must wait for a line on stdin and answer `start` with \
             `ready`"
        }
    };
    text.to_owned()
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
    /// Squares that were gone when a player was last to move.
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

/// What was odd where this seat took a turn in a game, each kind once, with the turn's number.
fn oddities(record: &Record, held: Seat) -> Result<Vec<(Oddity, usize)>, Fault> {
    let mut game = record.walk()?;
    let mut walk = Walk::along(game.table());
    let mut found: Vec<(Oddity, usize)> = Vec::new();
    let mut turn = 0;
    for event in &record.events {
        if let Event::Move { seat, .. } = event {
            turn += 1;
            if *seat == held
                && let Some(oddity) = walk.see(game.table())
                && found.iter().all(|(known, _)| *known != oddity)
            {
                found.push((oddity, turn));
            }
        }
        game.step()?;
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
