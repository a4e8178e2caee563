//! `skirmish referee`: one game between anybody's agents, watched over and told as it goes.

use std::cell::RefCell;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use skirmish_play::record::{Event, Player, Record, Termination};
use skirmish_rules::draw::{Look, draw};
use skirmish_rules::table::Table;
use skirmish_rules::{Games, Random, Registry, Seat, Setup, open};
use skirmish_sandbox::{
    Answer, Cost, Fault as AgentFault, Happening, Limits, Person, Referee, Refereed, Sandbox,
    Settings, Who,
};
use skirmish_search::{Allowance, Stop};

use crate::matches::parse_time;
use crate::output::{Fault, Output, counted, note};
use crate::setup::GameArguments;
use crate::{Done, ROSTER};

/// Referee one game between any agents: built-in, programs, Python modules, people.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish referee watch-your-back python:agents/mine.py greedy
  skirmish referee watch-your-back 'cmd:./my-agent --fast' python:theirs.py -t 120 -s 100 -d
  skirmish referee amazons human alphabeta --size 6
  skirmish referee game17 python:stub.py hunter --size 6 --record game.json

An agent is a built-in one (`skirmish agents`), `cmd:PROGRAM ARGUMENTS` (any program that speaks the \
agent protocol), `python:PATH[:NAME]` (a module that holds a COMP30024 `Player`, a Game 17 \
`make_moves` or `get_mover`, an In-Trap agent function or our own `choose`), or `human`. Each agent \
runs in a process of its own; its CPU time is read from outside, and its faults are results of the \
game, never errors. A person types turns; `?` lists what may be played.

`-t`, `-s` and `-d` are those of the COMP30024 referee, and without a number mean its 120 seconds, 100 MB \
and 1 second; put them after the agents.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The agents, in the order of the seats.
    #[arg(required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// CPU seconds an agent may use in a game, from the moment it is ready.
    #[arg(short = 't', long = "time", alias = "time_limit", value_name = "SECONDS", num_args = 0..=1, default_value_t = Limits::default().cpu_s, default_missing_value = "120", help_heading = "Limits")]
    cpu: f64,
    #[command(flatten)]
    rules: RefereeArguments,
    /// Thinking time a turn for built-in agents, like `0.1s`.
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "0.1s")]
    think: Duration,
    /// Seconds to wait after each turn, so that people can follow; 1 without a number.
    #[arg(short = 'd', long, value_name = "SECONDS", num_args = 0..=1, default_value_t = 0.0, default_missing_value = "1", hide_default_value = true)]
    delay: f64,
    /// Write the record here, and what each agent wrote to stderr beside it.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Tell only how it ended.
    #[arg(short, long)]
    quiet: bool,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
    /// Print the record as one line of JSON, and nothing else.
    #[arg(long)]
    json: bool,
}

/// What agents may use and what faults cost.
#[derive(Args, Debug)]
pub(crate) struct RefereeArguments {
    /// CPU seconds from one reply to the next.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().cpu_move_s, help_heading = "Limits")]
    move_time: f64,
    /// Seconds on the wall for one reply: a backstop against agents that sleep.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().wall_s, help_heading = "Limits")]
    wall: f64,
    /// Seconds on the wall until an agent is ready.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().start_s, help_heading = "Limits")]
    start_time: f64,
    /// MiB of memory above what its empty interpreter takes.
    #[arg(short = 's', long = "space", aliases = ["memory", "space_limit"], value_name = "MIB", value_parser = mebibytes, num_args = 0..=1, default_value_t = Limits::default().memory_mb, default_missing_value = "100", help_heading = "Limits")]
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
    fault: Option<Cost>,
    /// The Python that runs Python agents [default: of $VIRTUAL_ENV, or the first on the PATH].
    #[arg(long, value_name = "PATH")]
    python: Option<String>,
    /// Another file or folder that programs and Python agents may read; may be given again.
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// What Python modules hold, where that is not to be found out.
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

fn parse_cost(text: &str) -> Result<Cost, String> {
    match text.split_once('=').unwrap_or((text, "3")) {
        ("lose", _) => Ok(Cost::Lose),
        ("skip", _) => Ok(Cost::Skip),
        ("retry", tries) => tries
            .parse()
            .map(Cost::Retry)
            .map_err(|_| "`retry` takes a number: `retry=3`".to_owned()),
        _ => Err("a fault costs `lose`, `skip` or `retry=N`".to_owned()),
    }
}

impl RefereeArguments {
    /// What holds where only these two can be chosen.
    pub(crate) fn usual(python: Option<String>, sandbox: SandboxChoice) -> RefereeArguments {
        let limits = Limits::default();
        RefereeArguments {
            move_time: limits.cpu_move_s,
            wall: limits.wall_s,
            start_time: limits.start_s,
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

    pub(crate) fn settings(
        &self,
        seed: u64,
        cpu: f64,
        allowance: Allowance,
    ) -> Result<Settings, Fault> {
        let limits = Limits {
            cpu_s: cpu,
            cpu_move_s: self.move_time,
            wall_s: self.wall,
            start_s: self.start_time,
            memory_mb: self.memory,
            output_mb: self.output,
            processes: self.processes,
        };
        for (name, value) in [
            ("the CPU time of a game", cpu),
            ("`--move-time`", self.move_time),
            ("`--wall`", self.wall),
            ("`--start-time`", self.start_time),
        ] {
            if value.is_nan() || value <= 0.0 {
                return Err(Fault::unusable(format!("{name} is more than nothing")));
            }
        }
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

/// The settings of a game nobody has said anything about.
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
        stop: Stop::new(),
        #[cfg(target_os = "linux")]
        launcher: launcher()?,
    })
}

#[cfg(target_os = "linux")]
fn launcher() -> Result<skirmish_sandbox::Launcher, Fault> {
    skirmish_sandbox::Launcher::own()
        .map_err(|error| Fault::unusable(format!("cannot find our own program: {error}")))
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

/// Opens the game, with seats for the agents.
pub(crate) fn open_for(game: &GameArguments, agents: usize) -> Result<Box<dyn Table>, Fault> {
    let entry = Games::entry(&game.game)?;
    let mut options = game.options()?;
    entry.seat_players(&mut options, agents);
    let mut random = Random::seeded(game.seed);
    let setup =
        Setup { options: &options, position: game.position.as_deref(), random: &mut random };
    Ok(open(entry.name, setup)?)
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let agents: Vec<Who> =
        arguments.agents.iter().map(|line| line.parse()).collect::<Result<_, _>>()?;
    let allowance = Allowance { time: Some(arguments.think), ..Allowance::default() };
    let settings = arguments.rules.settings(arguments.game.seed, arguments.cpu, allowance)?;
    let mut table = open_for(&arguments.game, agents.len())?;
    let players = (0..table.seats()).filter(|seat| !table.is_zombie(Seat(*seat))).count();
    let wanted = if table.seats() == 2 { 2..=2 } else { 1..=players };
    if !wanted.contains(&agents.len()) {
        let name = table.entry().name;
        let message = format!("{} agents for the {players} players of {name}", agents.len());
        return Err(Fault::unusable(message).or_hint("`skirmish agents` lists the built-in ones"));
    }
    if agents.iter().any(|who| matches!(who, Who::Command(_) | Who::Python { .. })) {
        announce(&settings, arguments.quiet || arguments.json)?;
    }

    // 1. Play, telling as it goes.
    let telling = !arguments.quiet && !arguments.json;
    let look = Look { ascii: arguments.ascii, colour: output.has_colour() };
    let show = Show { telling, look, delay: arguments.delay };
    end_on_interrupt(&settings.stop);
    let record = arguments.record.as_deref();
    let (refereed, told) = play(table.as_mut(), agents, settings, show, record, output)?;

    // 2. Keep what the agents wrote; the record is kept already.
    if let Some(path) = record {
        for (seat, log) in &refereed.logs {
            if !log.is_empty() {
                write(&path.with_extension(format!("seat-{seat}.stderr.txt")), log)?;
            }
        }
    }
    told?;

    // 3. Tell how it ended.
    if arguments.json {
        output.json(&refereed.record)?;
        return Ok(());
    }
    let result = refereed.record.result.as_ref();
    if !telling {
        const SHOWN: usize = 5;
        let faults = refereed.record.faults.iter();
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
    for (seat, used) in &refereed.cpu_s {
        writeln!(output, "clock: {} used {used:.3} s of CPU", table.seat_name(*seat))?;
    }
    if let Some(result) = result {
        writeln!(output, "result: {} ({})", result.sentence, result.termination.name())?;
    }
    writeln!(output, "winner: {}", winner(table.as_ref(), &refereed.record))?;
    Ok(())
}

/// Ctrl-C, a closed terminal and a kill that can be heard end the game and leave its record; a second
/// one ends us.
pub(crate) fn end_on_interrupt(stop: &Stop) {
    let stop = stop.clone();
    let on_interrupt = move || {
        if stop.is_stopped() {
            std::process::exit(130);
        }
        stop.stop();
    };
    if let Err(error) = ctrlc::set_handler(on_interrupt) {
        note(format_args!("Ctrl-C will leave no record: {error}"));
    }
}

/// How much of a game is shown.
#[derive(Clone, Copy)]
pub(crate) struct Show {
    pub(crate) telling: bool,
    pub(crate) look: Look,
    pub(crate) delay: f64,
}

/// One game in front of the terminal, kept in a file as it goes. Comes with whether the terminal
/// could be told all of it: a game is kept also where nobody listens any more.
pub(crate) fn play(
    table: &mut dyn Table,
    agents: Vec<Who>,
    settings: Settings,
    show: Show,
    record: Option<&Path>,
    output: &mut Output,
) -> Result<(Refereed, Done), Fault> {
    let Show { telling, look, delay } = show;
    let mut told = Ok(());
    let output = RefCell::new(output);
    let kept = record.map(|path| Kept::begin(path, table, &settings)).transpose()?;
    let stop = settings.stop.clone();
    let mut watcher = |table: &dyn Table, what: Happening<'_>| {
        if telling && told.is_ok() {
            told = tell(&mut **output.borrow_mut(), table, what, look);
        }
        if let Some(kept) = &kept {
            kept.add(what);
        }
        if matches!(what, Happening::Event { .. }) {
            pause(delay, &stop);
        }
    };
    let mut keyboard =
        Keyboard { output: &output, look, drawn: telling, stop: stop.clone(), lines: None };
    let refereed = Referee::new(agents, settings).play(table, 0, &mut keyboard, &mut watcher)?;
    if let Some(kept) = kept {
        kept.end(&refereed.record)?;
    }
    Ok((refereed, told.map_err(Fault::from)))
}

/// Waits, unless somebody wants the game to end.
fn pause(seconds: f64, stop: &Stop) {
    let end = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 3_600.0));
    while !stop.is_stopped() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(50)));
    }
}

/// The record of a game in its file, written while the game goes on: of one that ends with the machine
/// the file holds all but the last moments.
struct Kept {
    path: PathBuf,
    /// What is new, for the thread that writes.
    news: Sender<News>,
    writer: JoinHandle<()>,
}

/// What the writer is told.
enum News {
    Seated(Vec<Player>),
    Event(Event),
    Fault(AgentFault),
}

/// How much longer than a writing takes there is between two of them: it costs next to nothing.
const SELDOM: u32 = 20;

impl Kept {
    /// Writes the beginning at once: a file that cannot be written is told before anybody plays.
    fn begin(path: &Path, table: &dyn Table, settings: &Settings) -> Result<Kept, Fault> {
        let mut record = Record::begin(table, Some(settings.seed));
        record.limits = Some(settings.limits);
        keep(path, &record)?;
        let (news, heard) = std::sync::mpsc::channel();
        let path = path.to_owned();
        let writer = std::thread::spawn({
            let path = path.clone();
            move || write_down(&path, record, &heard)
        });
        Ok(Kept { path, news, writer })
    }

    fn add(&self, what: Happening<'_>) {
        let news = match what {
            Happening::Seated(players) => News::Seated(players.to_vec()),
            Happening::Event { event, .. } => News::Event(event.clone()),
            Happening::Fault(fault) => News::Fault(fault.clone()),
        };
        // A writer that is gone leaves the last word to the end.
        let _ = self.news.send(news);
    }

    /// The whole game, which is the last word.
    fn end(self, record: &Record) -> Done {
        drop(self.news);
        let _ = self.writer.join();
        keep(&self.path, record)
    }
}

/// Writes what is new until nothing can be any more. Trouble is reported at the end of the game.
fn write_down(path: &Path, mut record: Record, heard: &Receiver<News>) {
    while let Ok(first) = heard.recv() {
        for news in std::iter::once(first).chain(heard.try_iter()) {
            match news {
                News::Seated(players) => record.seats = players,
                News::Event(event) => record.events.push(event),
                News::Fault(fault) => record.faults.push(fault),
            }
        }
        let begun = Instant::now();
        let _ = keep(path, &record);
        std::thread::sleep((begun.elapsed() * SELDOM).min(Duration::from_millis(200)));
    }
}

/// Beside and over: at no time is there half a record.
fn keep(path: &Path, record: &Record) -> Done {
    let text = serde_json::to_string(record).map_err(std::io::Error::from)?;
    let beside = path.with_extension("part");
    std::fs::write(&beside, text + "\n").and_then(|()| std::fs::rename(&beside, path)).map_err(
        |error| {
            let _ = std::fs::remove_file(&beside);
            Fault::unusable(format!("{}: cannot write: {error}", path.display()))
        },
    )
}

fn write(path: &Path, text: &str) -> Done {
    std::fs::write(path, text)
        .map_err(|error| Fault::unusable(format!("{}: cannot write: {error}", path.display())))
}

/// Who has won, by the names of the seats.
pub(crate) fn winner(table: &dyn Table, record: &Record) -> String {
    let Some(result) = &record.result else { return "nobody, the game is not over".to_owned() };
    if result.termination == Termination::Interrupted {
        return "nobody, the game is not over".to_owned();
    }
    let best = result.payoffs.iter().copied().fold(f32::MIN, f32::max);
    if best <= 0.0 {
        let text = if best < 0.0 { "nobody" } else { "draw" };
        return text.to_owned();
    }
    let seats = result.payoffs.iter().enumerate().filter(|(_, payoff)| **payoff == best);
    let names: Vec<String> = seats.map(|(seat, _)| table.seat_name(Seat(seat as u16))).collect();
    names.join(", ")
}

fn tell(
    output: &mut dyn Write,
    table: &dyn Table,
    what: Happening<'_>,
    look: Look,
) -> std::io::Result<()> {
    match what {
        Happening::Seated(players) => {
            for Player { seat, agent, name, version } in players {
                let version =
                    version.as_ref().map_or(String::new(), |version| format!(" {version}"));
                writeln!(output, "{}: {name}{version} ({agent})", table.seat_name(*seat))?;
            }
            writeln!(output, "\n{}", draw(&table.view(), look))?;
        }
        Happening::Fault(fault) => {
            writeln!(output, "fault: {fault}")?;
            for line in fault.log_tail.lines() {
                writeln!(output, "    | {line}")?;
            }
        }
        Happening::Event { event: Event::Move { ply, seat, text, cpu_ms, .. }, used } => {
            // A board for every zombie would be no help to anybody.
            if table.is_zombie(*seat) {
                return Ok(());
            }
            write!(output, "turn {ply}: {} plays {text}", table.seat_name(*seat))?;
            if let (Some(cpu_ms), Some(used)) = (cpu_ms, used) {
                write!(output, "   (clock: {:.3} s, {used:.3} s in all)", cpu_ms / 1e3)?;
            }
            writeln!(output, "\n\n{}", draw(&table.view(), look))?;
        }
        Happening::Event { .. } => {}
    }
    output.flush()
}

/// The person in front of the terminal.
struct Keyboard<'a, 'b> {
    output: &'a RefCell<&'b mut Output>,
    look: Look,
    /// Whether the board is on the screen already.
    drawn: bool,
    stop: Stop,
    /// What is typed, line by line, once somebody is asked.
    lines: Option<Receiver<String>>,
}

/// Reads what is typed on a thread of its own: waiting for a person must not keep Ctrl-C waiting.
fn typed() -> Receiver<String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if line.is_err() || line.is_ok_and(|line| sender.send(line).is_err()) {
                return;
            }
        }
    });
    receiver
}

/// The next line; none at the end of the input, or when the game is to end.
fn next_line(lines: &Receiver<String>, stop: &Stop) -> Option<String> {
    while !stop.is_stopped() {
        match lines.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}

const HELP: &str =
    "type a turn, `?` for what may be played, `? TEXT` for what begins so, `resign`, or `quit`";

impl Person for Keyboard<'_, '_> {
    fn ask(&mut self, table: &dyn Table, seat: Seat) -> Answer {
        let mut output = self.output.borrow_mut();
        let name = table.seat_name(seat);
        let mut say = |text: &str| {
            // With nobody reading, the game ends by itself at the end of the input.
            let _ = write!(output, "{text}").and_then(|()| Write::flush(&mut **output));
        };
        if !self.drawn {
            say(&format!("{}\n", draw(&table.view(), self.look)));
        }
        let lines = self.lines.get_or_insert_with(typed);
        loop {
            say(&format!("{name}> "));
            let Some(line) = next_line(lines, &self.stop) else {
                say("\n");
                return Answer::Interrupt;
            };
            let line = line.trim();
            match line.to_lowercase().as_str() {
                "" | "help" | "h" => say(&format!("{HELP}\n")),
                "resign" => return Answer::Resign,
                "quit" | "exit" | "q" => return Answer::Interrupt,
                asked if asked.starts_with('?') => say(&choices(table, asked[1..].trim())),
                _ => match table.fork().play(line) {
                    Ok(text) => return Answer::Play { text, info: None },
                    Err(error) => {
                        let hint = error.hint.map_or(String::new(), |hint| format!(" ({hint})"));
                        say(&format!(
                            "no: {}{hint}; `?` lists what may be played\n",
                            error.message
                        ));
                    }
                },
            }
        }
    }
}

/// What may be played, at most a screenful.
fn choices(table: &dyn Table, beginning: &str) -> String {
    const MOST: usize = 120;
    let (what, all) = match table.turns() {
        Some(turns) => ("turns", turns),
        // Where turns are lists of orders, the orders are what there is to know.
        None => ("steps of a turn", table.steps().into_iter().map(|step| step.text).collect()),
    };
    let fitting: Vec<&String> =
        all.iter().filter(|text| text.to_lowercase().starts_with(beginning)).collect();
    let shown: Vec<&str> = fitting.iter().take(MOST).map(|text| text.as_str()).collect();
    let mut text = format!("{} {what}: {}", fitting.len(), shown.join("  "));
    if fitting.len() > MOST {
        text.push_str("  … `? TEXT` shows those that begin with TEXT");
    }
    text + "\n"
}
