//! `skirmish referee`: one game between anybody's agents, watched over and told as it goes.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use skirmish_play::record::Record;
use skirmish_play::session::Waiting;
use skirmish_rules::table::Table;
use skirmish_rules::{Games, Options, Random, Registry, Setup, open};
use skirmish_sandbox::{AgentSpec, Fault as AgentFault, FaultPolicy, Limits, Sandbox, Settings};
use skirmish_search::spec::read_time;
use skirmish_search::{Allowance, Stop};
use skirmish_tournament::matches::{Fixture, MatchSettings};

use crate::agents::require;
use crate::live::{self, Keep, Lines, Show};
use crate::matches::parse_time;
use crate::output::{Fault, Output, counted, note};
use crate::setup::{GameArguments, OptionalGame};
use crate::{Done, ROSTER};

/// Referee one game between any agents: built-in, programs, Python modules, people.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish referee watch-your-back python:agents/mine.py greedy
  skirmish referee watch-your-back 'cmd:./my-agent --fast' python:theirs.py -t 120 -s 100 -d
  skirmish referee amazons human alphabeta --size 6 --time 1s
  skirmish referee game17 python:stub.py hunter --size 6 --record game.json
  skirmish referee --resume game.json

An agent is a built-in one (`skirmish agents`), `cmd:PROGRAM ARGUMENTS` (any program that speaks the \
agent protocol), `python:PATH[:NAME]` (a module that holds a COMP30024 `Player`, a Game 17 \
`make_moves` or `get_mover`, an In-Trap agent function or our own `choose`), or `human`. Each agent \
runs in a process of its own; its CPU time is read from outside, and its faults are results of the \
game, never errors. A person types turns; `?` lists what may be played.

Every game is on disk turn by turn: in the file of --record, or in your state folder until it is over. \
What ended too early goes on with --resume.

`-t`, `-s` and `-d` are those of the COMP30024 referee, and without a number mean its 120 seconds, 100 MB \
and 1 second; put them after the agents.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: OptionalGame,
    /// The agents, in the order of the seats.
    #[arg(required_unless_present = "resume", value_name = "AGENT")]
    agents: Vec<String>,
    #[command(flatten)]
    thinking: ThinkingArguments,
    #[command(flatten)]
    rules: RefereeArguments,
    /// Seconds to wait after each turn, so that people can follow; 1 without a number.
    #[arg(short = 'd', long, value_name = "SECONDS", num_args = 0..=1, default_value_t = 0.0, default_missing_value = "1", hide_default_value = true, value_parser = delay)]
    delay: f64,
    /// Keep the game here, turn by turn, and what each agent wrote to stderr beside it.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the file of --record.
    #[arg(long)]
    force: bool,
    /// Go on with the game in this file. The game and the agents are those of the file, unless other
    /// agents are named.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "position"])]
    resume: Option<PathBuf>,
    /// Say only how it ended.
    #[arg(short, long)]
    quiet: bool,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
    /// Print the record as one line of JSON, and nothing else.
    #[arg(long)]
    json: bool,
}

/// How long engines think: the same on every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct ThinkingArguments {
    /// Thinking time a turn of built-in agents, like `0.1s` or `50ms` [default: 0.1s].
    #[arg(long, alias = "think", value_name = "TIME", value_parser = parse_time)]
    pub(crate) time: Option<Duration>,
    /// Positions a built-in agent may look at in a turn.
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Whole turns a built-in agent may look ahead.
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
}

impl ThinkingArguments {
    /// What was said, or a tenth of a second.
    pub(crate) fn allowance(&self) -> Allowance {
        let said = Allowance { time: self.time, nodes: self.nodes, depth: self.depth };
        said.or(Allowance { time: Some(Duration::from_millis(100)), ..Allowance::default() })
    }
}

/// What programs may use and what faults cost: the same on every command.
#[derive(Args, Debug)]
pub(crate) struct RefereeArguments {
    /// CPU time a program may use in a game, from the moment it is ready, like `60s` or `60`.
    #[arg(short = 't', long, aliases = ["time_limit", "time-limit"], value_name = "TIME", value_parser = seconds, num_args = 0..=1, default_value_t = Limits::default().cpu_s, default_missing_value = "120", help_heading = "Limits")]
    pub(crate) cpu: f64,
    /// CPU time from one reply to the next.
    #[arg(long, alias = "move-time", value_name = "TIME", value_parser = seconds, default_value_t = Limits::default().cpu_move_s, help_heading = "Limits")]
    cpu_move: f64,
    /// Wall-clock time for one reply: a backstop against agents that sleep.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value_t = Limits::default().wall_s, help_heading = "Limits")]
    wall: f64,
    /// Wall-clock time until an agent is ready.
    #[arg(long, alias = "start-time", value_name = "TIME", value_parser = seconds, default_value_t = Limits::default().start_s, help_heading = "Limits")]
    start: f64,
    /// MiB of memory above what its empty interpreter takes.
    #[arg(short = 's', long, aliases = ["space", "space_limit"], value_name = "MIB", value_parser = mebibytes, num_args = 0..=1, default_value_t = Limits::default().memory_mb, default_missing_value = "100", help_heading = "Limits")]
    memory: u64,
    /// MiB an agent may write to stderr, and as much to its scratch folder.
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().output_mb, help_heading = "Limits")]
    output: u64,
    /// Processes an agent may have; 1 forbids it to start any.
    #[arg(long, value_name = "N", default_value_t = Limits::default().processes, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    processes: u32,
    /// How closely programs and Python agents are confined.
    #[arg(long, value_enum, default_value_t = SandboxChoice::On, help_heading = "Limits")]
    sandbox: SandboxChoice,
    /// What a fault costs: `lose`, `skip` (the turn, where there is an empty one) or `retry=N`
    /// [default: lose; skip in games where that is usual].
    #[arg(long, value_name = "COST", value_parser = parse_cost, help_heading = "Limits")]
    fault: Option<FaultPolicy>,
    /// The Python that runs Python agents [default: of $VIRTUAL_ENV, or the first on the PATH].
    #[arg(long, value_name = "PATH")]
    python: Option<String>,
    /// Another file or folder that programs and Python agents may read; may be given again.
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// What Python modules hold, if it cannot be detected.
    #[arg(long, value_name = "KIND", value_parser = ["native", "player", "make_moves", "get_mover", "in-trap"])]
    python_kind: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum SandboxChoice {
    /// Limits only.
    Off,
    /// Every protection this machine has.
    On,
    /// Every protection there is, or nothing is started.
    Strict,
}

/// Whole MiB; the course's referee takes fractions of them.
fn mebibytes(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..1e9).contains(&number) => Ok(number.ceil() as u64),
        _ => Err("a number of MiB, like `100`".to_owned()),
    }
}

fn parse_cost(text: &str) -> Result<FaultPolicy, String> {
    match text.split_once('=').unwrap_or((text, "3")) {
        ("lose", _) => Ok(FaultPolicy::Lose),
        ("skip", _) => Ok(FaultPolicy::Skip),
        ("retry", tries) => tries
            .parse()
            .map(FaultPolicy::Retry)
            .map_err(|_| "`retry` takes a number: `retry=3`".to_owned()),
        _ => Err("a fault costs `lose`, `skip` or `retry=N`".to_owned()),
    }
}

impl RefereeArguments {
    /// What holds where only these two can be chosen.
    pub(crate) fn usual(python: Option<String>, sandbox: SandboxChoice) -> RefereeArguments {
        let limits = Limits::default();
        RefereeArguments {
            cpu: limits.cpu_s,
            cpu_move: limits.cpu_move_s,
            wall: limits.wall_s,
            start: limits.start_s,
            memory: limits.memory_mb,
            output: limits.output_mb,
            processes: limits.processes,
            sandbox,
            fault: None,
            python,
            allow_read: Vec::new(),
            python_kind: None,
        }
    }

    /// The flags that say the same, without those that have their default.
    pub(crate) fn flags(&self) -> Vec<String> {
        let usual = RefereeArguments::usual(None, SandboxChoice::On);
        let sandbox = self.sandbox.to_possible_value().expect("no choice is hidden");
        let fault = self.fault.map(|cost| match cost {
            FaultPolicy::Lose => "lose".to_owned(),
            FaultPolicy::Skip => "skip".to_owned(),
            FaultPolicy::Retry(tries) => format!("retry={tries}"),
        });
        let flags = [
            ("cpu", self.cpu.to_string(), self.cpu != usual.cpu),
            ("cpu-move", self.cpu_move.to_string(), self.cpu_move != usual.cpu_move),
            ("wall", self.wall.to_string(), self.wall != usual.wall),
            ("start", self.start.to_string(), self.start != usual.start),
            ("memory", self.memory.to_string(), self.memory != usual.memory),
            ("output", self.output.to_string(), self.output != usual.output),
            ("processes", self.processes.to_string(), self.processes != usual.processes),
            ("sandbox", sandbox.get_name().to_owned(), sandbox.get_name() != "on"),
            ("fault", fault.clone().unwrap_or_default(), fault.is_some()),
            ("python", self.python.clone().unwrap_or_default(), self.python.is_some()),
            (
                "python-kind",
                self.python_kind.clone().unwrap_or_default(),
                self.python_kind.is_some(),
            ),
        ];
        let given = flags.into_iter().filter(|(_, _, is_given)| *is_given);
        let read = self.allow_read.iter().map(|path| ("allow-read", path.display().to_string()));
        let flags = given.map(|(name, value, _)| (name, value)).chain(read);
        flags.flat_map(|(name, value)| [format!("--{name}"), value]).collect()
    }

    pub(crate) fn settings(&self, seed: u64, allowance: Allowance) -> Result<Settings, Fault> {
        let limits = Limits {
            cpu_s: self.cpu,
            cpu_move_s: self.cpu_move,
            wall_s: self.wall,
            start_s: self.start,
            memory_mb: self.memory,
            output_mb: self.output,
            processes: self.processes,
        };
        let sandbox = match self.sandbox {
            SandboxChoice::Off => Sandbox::Off,
            SandboxChoice::On => Sandbox::On,
            SandboxChoice::Strict => Sandbox::Strict,
        };
        Ok(Settings {
            limits,
            cost: self.fault,
            sandbox,
            allowance,
            python: self.python.clone(),
            python_kind: self.python_kind.clone(),
            readable: self.allow_read.clone(),
            ..plain_settings(seed)?
        })
    }
}

/// The settings of a game that nothing was said about.
pub(crate) fn plain_settings(seed: u64) -> Result<Settings, Fault> {
    Ok(Settings {
        roster: ROSTER,
        limits: Limits::default(),
        cost: None,
        sandbox: Sandbox::On,
        allowance: Allowance::default(),
        seed,
        python: None,
        python_kind: None,
        readable: Vec::new(),
        folder: None,
        stop: Stop::new(),
        #[cfg(target_os = "linux")]
        launcher: skirmish_sandbox::Launcher::own()?,
    })
}

/// Says which protections hold, and refuses where `strict` asks for more.
#[cfg(target_os = "linux")]
pub(crate) fn announce(settings: &Settings, quiet: bool) -> Done {
    if settings.sandbox == Sandbox::Off {
        note("sandbox: off; agents can do whatever you can");
        return Ok(());
    }
    let found = settings.launcher.probe().map_err(|error| {
        Fault::unusable(format!("the sandbox cannot be tried: {error}"))
            .or_hint("`--sandbox off` does without")
    })?;
    let named = |holds: bool| -> Vec<&str> {
        found.iter().filter(|one| one.holds == holds).map(|one| one.name.as_str()).collect()
    };
    let (kept, open) = (named(true), named(false));
    if !open.is_empty() {
        if settings.sandbox == Sandbox::Strict {
            let open = open.join(", ");
            return Err(Fault::unusable(format!("this machine does not protect: {open}"))
                .or_hint("`--sandbox on` does what can be done here"));
        }
        note(format_args!("sandbox: NOT protected: {}", open.join(", ")));
    }
    if !quiet && !kept.is_empty() {
        note(format_args!("sandbox: protected: {}", kept.join(", ")));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn announce(_: &Settings, _: bool) -> Done {
    Err(Fault::unusable("programs and Python agents need Linux"))
}

/// Opens the game, with seats for so many agents.
pub(crate) fn open_for(game: &GameArguments, agents: usize) -> Result<Box<dyn Table>, Fault> {
    let entry = Games::entry(&game.game)?;
    let mut options = game.options()?;
    entry.seat_players(&mut options, agents);
    let mut random = Random::seeded(game.seed);
    let setup =
        Setup { options: &options, position: game.position.as_deref(), random: &mut random };
    Ok(open(entry.name, setup)?)
}

/// One game to be refereed, as a match of a single game: so it is the game that a match of the same
/// seed begins with.
pub(crate) fn single(
    game: &str,
    options: Options,
    position: Option<String>,
    agents: Vec<AgentSpec>,
    settings: &Settings,
) -> (MatchSettings, Fixture) {
    let fixture =
        Fixture { number: 0, opening: 0, position: None, agents: (0..agents.len()).collect() };
    let contest = MatchSettings {
        game: game.to_owned(),
        options,
        position,
        agents,
        folder: None,
        roster: ROSTER,
        names: vec![],
        games: 1,
        seed: settings.seed,
        allowance: settings.allowance,
        opening: 0,
        referee: Some(settings.clone()),
        kept: 0,
        stop: settings.stop.clone(),
    };
    (contest, fixture)
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    // 1. What is to be played: as the command line says, or as it was begun.
    let mut agents: Vec<AgentSpec> =
        arguments.agents.iter().map(|line| line.parse()).collect::<Result<_, _>>()?;
    let mut settings =
        arguments.rules.settings(arguments.game.seed, arguments.thinking.allowance())?;
    let (game, options, position, keep) = match &arguments.resume {
        Some(path) => {
            // A person who types `--resume FILE AGENT AGENT` names agents, and no game.
            if !arguments.game.game.is_empty() {
                agents.insert(0, arguments.game.game.parse()?);
                if Games::entry(&arguments.game.game).is_ok() {
                    agents.remove(0);
                }
            }
            let keep = Keep::resume(path)?;
            let Keep::Resumed { session, .. } = &keep else { unreachable!("it was resumed") };
            let Record { game, options, seats, seed, .. } = session.record();
            check_same(arguments, path, game, options)?;
            if agents.is_empty() {
                agents = seats.iter().map(|seat| seat.agent.parse()).collect::<Result<_, _>>()?;
            // A journal that was cut before the start may lack players.
            } else if agents.len() != seats.len() && session.waits_for() != Waiting::Start {
                let (named, held) = (agents.len() as u64, seats.len());
                let message =
                    format!("{} for the {held} players of the game", counted(named, "agent"));
                return Err(Fault::unusable(message).or_hint("leave the agents out to keep them"));
            }
            settings.seed = seed.unwrap_or(settings.seed);
            (game.clone(), options.clone(), None, keep)
        }
        None => {
            let entry = Games::entry(&arguments.game.game)?;
            let keep = match &arguments.record {
                Some(path) => Keep::File { path: path.clone(), force: arguments.force },
                None => Keep::by_default(entry.name),
            };
            let position = arguments.game.position.clone();
            (entry.name.to_owned(), arguments.game.options()?, position, keep)
        }
    };
    let (contest, fixture) = single(&game, options, position, agents.clone(), &settings);
    let match_runner = contest.match_runner()?;
    let players = match_runner.players();
    let wanted = if match_runner.seats() == 2 { 2..=2 } else { 1..=players };
    if !wanted.contains(&agents.len()) {
        let agents = counted(agents.len() as u64, "agent");
        let message = format!("{agents} for the {players} players of {game}");
        return Err(Fault::unusable(message).or_hint("`skirmish agents` lists the built-in ones"));
    }
    if agents.iter().any(|who| matches!(who, AgentSpec::Command(_) | AgentSpec::Python { .. })) {
        announce(&settings, arguments.quiet || arguments.json)?;
        require(&game, &contest.options, &agents, &settings)?;
    }

    // 2. Play, telling as it goes.
    let telling = !arguments.quiet && !arguments.json;
    let look = output.look(arguments.ascii);
    let show = Show { telling, look, delay: arguments.delay };
    live::end_on_interrupt(&settings.stop);
    let lines = Lines::default();
    let (played, told) =
        live::play(&match_runner, &fixture, show, keep, &lines, &settings.stop, output)?;
    if let Some(path) = arguments.record.as_ref().or(arguments.resume.as_ref()) {
        live::keep_logs(path, &played)?;
    }
    told?;

    // 3. Tell how it ended.
    if arguments.json {
        output.json(&played.record)?;
        return Ok(());
    }
    let result = played.record.result.as_ref();
    if !telling {
        const SHOWN: usize = 5;
        let faults = played.record.faults.iter();
        // What ended the game is told as its result.
        let apart =
            |fault: &&AgentFault| result.is_none_or(|result| result.sentence != fault.sentence);
        let apart: Vec<&AgentFault> = faults.filter(apart).collect();
        for fault in apart.iter().take(SHOWN) {
            writeln!(output, "fault: {fault}")?;
        }
        if apart.len() > SHOWN {
            writeln!(output, "and {} more", counted((apart.len() - SHOWN) as u64, "fault"))?;
        }
    }
    for (seat, used) in played.seats.iter().zip(&played.cpu_s) {
        if let Some(used) = used {
            writeln!(output, "clock: {} used {used:.3} s of CPU", match_runner.seat_name(*seat))?;
        }
    }
    if let Some(result) = result {
        writeln!(output, "result: {} ({})", result.sentence, result.termination.name())?;
    }
    writeln!(output, "winner: {}", live::winner(&match_runner, &played.record))?;
    Ok(())
}

/// What is typed beside `--resume` must agree with the game in the file.
fn check_same(
    arguments: &Arguments,
    path: &std::path::Path,
    game: &str,
    options: &Options,
) -> Done {
    let typed: &GameArguments = &arguments.game;
    let hint = "leave the game and its options out: they are those of the file";
    if Games::entry(&typed.game).is_ok_and(|entry| entry.name != game) {
        let message =
            format!("{} holds a game of `{game}`, not of `{}`", path.display(), typed.game);
        return Err(Fault::unusable(message).or_hint(hint));
    }
    if let Some(name) = typed.typed_options().next() {
        let mut asked = typed.clone();
        asked.game = game.to_owned();
        let opened = open_for(&asked, 1)?.options();
        let differs = |name: &&str| opened.get(name) != options.get(name);
        if let Some(name) = std::iter::once(name).chain(typed.typed_options()).find(differs) {
            let message = format!("{} holds a game with another `{name}`", path.display());
            return Err(Fault::unusable(message).or_hint(hint));
        }
    }
    Ok(())
}

/// A time in seconds: a number, or a number with a unit.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    const RIGHT: &str = "a time like `60s`, `1.5m` or `60` (seconds), more than 0";
    if let Some(time) = read_time(text) {
        return Ok(time.as_secs_f64());
    }
    match text.parse::<f64>() {
        // Longer than a day: no limit that binds.
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(RIGHT.to_owned()),
    }
}

/// Seconds to wait; 0 for not at all.
fn delay(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('s').parse::<f64>() {
        Ok(number) if (0.0..=3_600.0).contains(&number) => Ok(number),
        _ => Err("a number of seconds, from 0 to 3,600".to_owned()),
    }
}
