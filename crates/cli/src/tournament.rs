//! `skirmish tournament` and `skirmish merge`: many games between any number of agents, kept so
//! that nothing is lost.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use skirmish_play::record::Termination;
use skirmish_render::number::signed;
use skirmish_rules::{Games, Options, Registry};
use skirmish_sandbox::{AgentSpec, Sandbox};
use skirmish_search::{Spec, Stop};
use skirmish_tournament::matches::{Fixture, MatchRunner};
use skirmish_tournament::runner::{Event, Run};
use skirmish_tournament::schedule::{Key, Plan, Results, Schedule, ScheduledGame};
use skirmish_tournament::settings::{AgentSettings, LimitSettings, Openings, Settings};
use skirmish_tournament::store::{Store, StoredGame, settings_of};
use skirmish_tournament::summary::{self, Summary};
use skirmish_tournament::{annotate, match_runner, referee, report, standings};

use crate::dashboard::{Live, Progress, span};
use crate::interrupt::{Hangup, stop_on_signals};
use crate::output::{Fault, Output, counted, note};
use crate::progress::threads;
use crate::referee::{announce, seconds};
use crate::setup::{option_value, read_small};
use crate::{Done, ROSTER};

/// Rank any number of agents: round robin, gauntlet, Swiss, knockout, free-for-all, ladder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish tournament class.toml
  skirmish tournament class.toml --dry-run
  skirmish tournament --game amazons --option size=6 --format round-robin --games 10 \\
      --agents greedy alphabeta:depth=2 python:mine.py --out results
  skirmish tournament --game game17 --format free-for-all --agents marshal hunter python:stub.py
  skirmish tournament --game in-trap --format ladder --agents alphabeta:depth=3 alphabeta:depth=2
  skirmish tournament class.toml --shard 1/4     then 2/4 ... elsewhere, then `skirmish merge`

A settings file says the same as the flags, and more:
  game = \"watch-your-back\"
  format = \"swiss\"
  rounds = 7
  agents = [\"greedy\", { spec = \"python:students/anna.py\", name = \"Anna\" }]
  [limits]
  cpu_s = 60
Paths in it start from its own folder. docs/tournaments.md tells of every setting.

Every finished game is on the disk before it counts. Stop it, kill it, lose the machine: the same \
command goes on where it was, and ends with the same table. The folder holds games.jsonl (every \
game, a record a line), standings.csv, report.html and the index tournament.db.

With --json one object is printed in place of the table, with `title`, `standings`, `cross_table`, `faults`, `verdict` \
and whatever else the report tells; `games` is their number.")]
pub(crate) struct Arguments {
    /// The settings file.
    #[arg(value_name = "FILE", conflicts_with_all = ["game", "agents", "format", "option", "games",
        "rounds", "seats", "opening", "time", "nodes", "depth", "cpu", "cpu_move", "memory",
        "seed", "title"])]
    file: Option<PathBuf>,
    /// The game.
    #[arg(long, value_name = "GAME", required_unless_present = "file")]
    game: Option<String>,
    /// An option of the game; may be given again.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// The agents: built-in ones, `cmd:PROGRAM`, `python:PATH`.
    #[arg(long, value_name = "AGENT", num_args = 1.., required_unless_present = "file")]
    agents: Vec<String>,
    /// Who meets whom: round-robin, gauntlet, swiss, knockout, free-for-all, ladder.
    #[arg(long, value_name = "FORMAT", default_value = "round-robin")]
    format: String,
    /// Games a pairing (10; 2 in swiss and knockout); in all for a free-for-all (100); at most for a
    /// ladder (20000).
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Rounds of a Swiss system.
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Agents at each board of a free-for-all [default: all].
    #[arg(long, value_name = "N")]
    seats: Option<u16>,
    /// Random turns before the agents take over [default: 4; 0 with Python agents].
    #[arg(long, value_name = "N")]
    opening: Option<u32>,
    /// Thinking time a turn of built-in agents, like `0.1s` [default: 0.1s].
    #[arg(long, alias = "think", value_name = "TIME", help_heading = "Limits")]
    time: Option<String>,
    /// Positions a built-in agent may look at in a turn.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    nodes: Option<u64>,
    /// Whole turns a built-in agent may look ahead.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    depth: Option<u32>,
    /// CPU time a program or Python agent may use in a game, like `60s` or `60`.
    #[arg(long, value_name = "TIME", value_parser = seconds, help_heading = "Limits")]
    cpu: Option<f64>,
    /// CPU time from one reply to the next.
    #[arg(long, alias = "move-time", value_name = "TIME", value_parser = seconds, help_heading = "Limits")]
    cpu_move: Option<f64>,
    /// MiB of memory above what its empty interpreter takes.
    #[arg(long, value_name = "MIB", help_heading = "Limits")]
    memory: Option<u64>,
    /// What everything random is drawn from.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=skirmish_play::seeding::MOST_SEED))]
    seed: u64,
    /// What to call it.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Where everything is kept [default: the settings file's name without its ending, or
    /// `tournament`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games at the same time, at most one for each core; 0 means one for each core.
    #[arg(long, value_name = "N", value_parser = threads)]
    concurrency: Option<usize>,
    /// Keep each game, and the agents that play it, to a core of its own.
    #[arg(long)]
    pin: bool,
    /// The Python that runs Python agents [default: of $VIRTUAL_ENV, or the first on the PATH].
    #[arg(long, value_name = "PATH")]
    python: Option<String>,
    /// Play only part I of N, kept in a folder of its own below the other; `skirmish merge` puts
    /// the parts together. Not for formats in which later games depend on earlier ones.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<(u64, u64)>,
    /// When all games are played, let this agent look for mistakes in them: `mcts:nodes=2000`. The
    /// report then tells them. May be added later; judged games are kept in analysis.jsonl.
    #[arg(long, value_name = "AGENT", conflicts_with = "shard")]
    analyse: Option<String>,
    /// Print the schedule and how long it will take; nothing is kept. Where the limits do not tell
    /// how long, one game is played to find out.
    #[arg(long)]
    dry_run: bool,
    /// Print only the table.
    #[arg(short, long)]
    quiet: bool,
    /// Print JSON in place of the table.
    #[arg(long)]
    json: bool,
}

/// Put the shards of a tournament together.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish tournament class.toml --shard 1/2 --out results
  skirmish tournament class.toml --shard 2/2 --out results
  skirmish merge results results/shard-1-of-2 results/shard-2-of-2

Every game is taken once, from whichever part has it. If some are missing, the tournament's own command with \
`--out OUT` plays them.")]
pub(crate) struct MergeArguments {
    /// The folder for the whole.
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The folders of the parts.
    #[arg(value_name = "SHARD", required = true)]
    shards: Vec<PathBuf>,
    /// Print JSON in place of the table.
    #[arg(long)]
    json: bool,
}

fn parse_shard(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once('/').and_then(|(number, count)| {
        let (number, count): (u64, u64) = (number.parse().ok()?, count.parse().ok()?);
        (number >= 1 && number <= count && count <= 100_000).then_some((number, count))
    });
    numbers.ok_or_else(|| "a shard reads like `1/4`: the first of four".to_owned())
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    let pair = pair.map(|(name, value)| (name.replace('-', "_"), value.to_owned()));
    pair.ok_or_else(|| "an option reads like `size=6`".to_owned())
}

impl Arguments {
    /// The settings, from the file or from the flags.
    fn settings(&self) -> Result<Settings, Fault> {
        let mut settings = match &self.file {
            Some(path) => read_file(path)?,
            None => self.by_flags()?,
        };
        if let Some(concurrency) = self.concurrency {
            settings.concurrency = concurrency;
        }
        settings.pin |= self.pin;
        if let Some(python) = &self.python {
            // A path on the command line starts from the working folder, as everything there does.
            let is_path = python.contains('/');
            let path = if is_path { std::path::absolute(python)? } else { PathBuf::from(python) };
            settings.limits.python = Some(path.to_string_lossy().into_owned());
        }
        // Paths in a settings file start from its folder.
        let folder = self.file.as_ref().and_then(|file| file.parent());
        settings.folder =
            folder.filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
        // This program is a launcher, whatever it is called.
        settings.launcher = std::env::current_exe().ok();
        settings.check()?;
        Ok(settings)
    }

    fn by_flags(&self) -> Result<Settings, Fault> {
        let game = self.game.clone().unwrap_or_default();
        let entry = Games::entry(&game)?;
        let mut options = Options::none();
        for (name, value) in &self.option {
            options.set(name, option_value(entry, name, value)?);
        }
        let agent = |spec: &String| AgentSettings { spec: spec.clone(), name: None };
        Ok(Settings {
            title: self.title.clone(),
            game: entry.name.to_owned(),
            options,
            format: self.format.parse()?,
            agents: self.agents.iter().map(agent).collect(),
            games: self.games,
            rounds: self.rounds,
            withdraw_after: None,
            seats: self.seats,
            extra_pairs: None,
            openings: Openings { plies: self.opening, positions: vec![] },
            limits: LimitSettings {
                time: self.time.clone(),
                nodes: self.nodes,
                depth: self.depth,
                cpu_s: self.cpu,
                cpu_move_s: self.cpu_move,
                memory_mb: self.memory,
                ..LimitSettings::default()
            },
            sprt: None,
            seed: self.seed,
            concurrency: 0,
            pin: false,
            out: None,
            folder: None,
            launcher: None,
        })
    }

    /// Where everything is kept.
    fn folder(&self, settings: &Settings) -> PathBuf {
        let usual = || match &self.file {
            Some(file) => PathBuf::from(file.file_stem().unwrap_or(file.as_os_str())),
            None => PathBuf::from("tournament"),
        };
        let folder = settings.to_open(&settings.out.clone().unwrap_or_else(usual));
        match self.shard {
            Some((shard, shards)) => folder.join(format!("shard-{shard}-of-{shards}")),
            None => folder,
        }
    }
}

fn read_file(path: &Path) -> Result<Settings, Fault> {
    let text = read_small(path)?;
    Ok(Settings::read(&text).map_err(|error| error.within(path.display()))?)
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    // 1. What is to be played, and where it is kept.
    let mut settings = arguments.settings()?;
    if let Some(out) = &arguments.out {
        settings.out = Some(std::path::absolute(out)?);
    }
    let schedule = Schedule::new(&settings)?;
    if arguments.shard.is_some() && !settings.format.is_fixed() {
        let name = settings.format.name();
        return Err(Fault::unusable(format!(
            "a {name} tournament cannot be played in parts: its later games depend on earlier ones"
        ))
        .or_hint("round-robin, gauntlet and free-for-all tournaments can"));
    }
    let judge = arguments.analyse.as_deref().map(str::parse::<Spec>).transpose()?;
    if let Some(spec) = &judge {
        annotate::check(&settings, ROSTER, spec)?;
    }
    let stop = Stop::new();
    let match_runner = match_runner(&settings, ROSTER, &stop)?;
    if settings
        .agents()?
        .iter()
        .any(|who| matches!(who, AgentSpec::Command(_) | AgentSpec::Python { .. }))
    {
        let settings = referee(&settings, ROSTER, &stop)?;
        let is_silent = settings.sandbox != Sandbox::Off && !arguments.dry_run;
        announce(&settings, arguments.quiet || is_silent)?;
    }
    let concurrency = bounded(settings.concurrency, threads_of(&settings)?);
    if arguments.dry_run {
        return dry_run(arguments, &schedule, &match_runner, &stop, concurrency, output);
    }

    // 2. Play.
    let folder = arguments.folder(&settings);
    let (mut store, found) = Store::open(&folder, &settings)?;
    for repair in &found.repairs {
        note(format_args!("repaired: {repair}"));
    }
    // A user who wants to go on without a terminal says `nohup`, and that must hold.
    stop_on_signals(&stop, Hangup::IsLeftAlone, "end this at once");
    let run = Run {
        schedule: &schedule,
        match_runner: &match_runner,
        shard: arguments.shard,
        concurrency,
        pin: settings.pin,
        stop: stop.clone(),
    };
    let outcome = {
        let mut live = watcher(arguments, &settings, &stop);
        let found_before = found.kept.clone();
        live.found(&found_before);
        run.play(&mut store, found.kept, &mut |event: Event<'_>| live.hear(event))?
    };

    // 3. Tell.
    if let Some(error) = outcome.trouble {
        let kept = counted(outcome.kept.len() as u64, "game");
        note(format_args!("stopped: {kept} are safely kept in {}", folder.display()));
        return Err(error.into());
    }
    let is_whole = outcome.is_complete && arguments.shard.is_none();
    let mut kept = outcome.kept;
    let judge = judge.as_ref().filter(|_| outcome.is_complete).map(|spec| (spec, &stop));
    finish(&schedule, &match_runner, &mut kept, &mut store, judge, arguments.json, output)?;
    if !outcome.is_complete {
        output.flush()?;
        let kept = counted(kept.len() as u64, "game");
        note(format_args!(
            "stopped: {kept} are safely kept in {}; the same command goes on",
            folder.display()
        ));
        return Err(Fault::No);
    }
    if !arguments.quiet && !arguments.json {
        output.flush()?;
        if is_whole {
            note(format_args!("report: {}", folder.join("report.html").display()));
        } else {
            note("this part is done; `skirmish merge OUT SHARD...` puts the parts together");
        }
    }
    Ok(())
}

/// Threads of the built-in agent that uses most.
fn threads_of(settings: &Settings) -> Result<usize, Fault> {
    let threads = |who: &AgentSpec| match who {
        AgentSpec::BuiltIn(spec) => spec.text("threads").and_then(|text| text.parse().ok()),
        _ => None,
    };
    Ok(settings.agents()?.iter().filter_map(threads).max().unwrap_or(1).max(1))
}

/// Games at the same time: no more than there are cores for, or they would starve each other.
fn bounded(asked: usize, threads: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let most = (cores / threads).max(1);
    if asked > most {
        note(format_args!(
            "{} at the same time would starve each other; {} is what {} are enough for",
            counted(asked as u64, "game"),
            most,
            counted(cores as u64, "core")
        ));
    }
    if asked == 0 { most } else { asked.min(most) }
}

fn watcher(arguments: &Arguments, settings: &Settings, stop: &Stop) -> Box<dyn Live> {
    if arguments.quiet {
        return Box::new(crate::dashboard::Silent);
    }
    let progress = Progress::new(settings);
    if std::io::stderr().is_terminal()
        && std::io::stdin().is_terminal()
        && let Ok(dashboard) = crate::dashboard::Dashboard::new(progress.clone(), stop)
    {
        return Box::new(dashboard);
    }
    Box::new(crate::dashboard::Lines::new(progress))
}

/// Writes the files and prints the table.
fn finish(
    schedule: &Schedule,
    match_runner: &MatchRunner,
    kept: &mut HashMap<Key, StoredGame>,
    store: &mut Store,
    judge: Option<(&Spec, &Stop)>,
    json: bool,
    output: &mut Output,
) -> Done {
    let plan = schedule.plan(&standings::results(kept));
    let numbers: HashMap<Key, u64> = plan.games.iter().map(|due| (due.key, due.number)).collect();
    if plan.missing(&standings::results(kept)).next().is_none() {
        store.put_in_order(kept, &|slip| {
            numbers.get(&slip.key).map_or(u64::MAX, |number| *number)
        })?;
    }
    let mut summary = standings::summarise(schedule, match_runner, kept, Some(store));
    if let Some((spec, stop)) = judge {
        let games: Vec<&StoredGame> =
            plan.games.iter().filter_map(|due| kept.get(&due.key)).collect();
        note(format_args!("{spec} looks for mistakes in {}", counted(games.len() as u64, "game")));
        let bar = crate::progress::Progress::new(games.len() as u64, "games judged");
        let opening = schedule.settings().plies();
        let judged = annotate::annotate(store, opening, &games, ROSTER, spec, stop, &|done| {
            bar.set(done as u64);
        })?;
        let Some(judged) = judged else {
            drop(bar);
            note("stopped: judged games are kept, and the same command goes on with the others");
            return Err(Fault::No);
        };
        annotate::tell(&mut summary, spec, &judged, &numbers);
    }
    store.write("standings.csv", standings::csv(&summary).as_bytes())?;
    store.write("report.html", report::page(&summary).as_bytes())?;
    if json {
        output.json(&standings::short_json(&summary))?;
    } else {
        tell(&summary, output)?;
    }
    output.flush()?;
    for line in &summary.overload {
        note(format_args!("overload: {line}"));
    }
    for line in &summary.notes {
        note(format_args!("note: {line}"));
    }
    Ok(())
}

pub(crate) fn merge(arguments: &MergeArguments, output: &mut Output) -> Done {
    let MergeArguments { out, shards, json } = arguments;
    let mut settings = settings_of(&shards[0])?;
    settings.launcher = std::env::current_exe().ok();
    settings.out = None;
    for shard in &shards[1..] {
        let other = settings_of(shard)?;
        let found =
            skirmish_tournament::settings::differences(&settings.binding(), &other.binding());
        if !found.is_empty() {
            return Err(Fault::unusable(format!(
                "{} and {} are not parts of one tournament: {}",
                shards[0].display(),
                shard.display(),
                found.join("; ")
            )));
        }
    }
    let schedule = Schedule::new(&settings)?;
    let stop = Stop::new();
    let match_runner = match_runner(&settings, ROSTER, &stop)?;
    let (mut store, found) = Store::open(out, &settings)?;
    for repair in &found.repairs {
        note(format_args!("repaired: {repair}"));
    }
    let mut kept: HashMap<Key, StoredGame> =
        found.kept.into_iter().map(|kept| (kept.slip.key, kept)).collect();
    for shard in shards {
        let taken = store.take_over(shard, &kept)?;
        note(format_args!("{}: {}", shard.display(), counted(taken.len() as u64, "game")));
        kept.extend(taken.into_iter().map(|kept| (kept.slip.key, kept)));
    }
    let results = standings::results(&kept);
    let missing = schedule.plan(&results).missing(&results).count();
    finish(&schedule, &match_runner, &mut kept, &mut store, None, *json, output)?;
    if missing > 0 {
        note(format_args!(
            "{} are missing; the tournament's own command with `--out {}` plays them",
            counted(missing as u64, "game"),
            out.display()
        ));
        return Err(Fault::No);
    }
    Ok(())
}

/// The table.
fn tell(summary: &Summary, output: &mut Output) -> Done {
    let name = |agent: usize| summary.agents[agent].name.as_str();
    let width = |agent: usize| name(agent).chars().count();
    let widest = (0..summary.agents.len()).map(width).max().unwrap_or(5).clamp(5, 40);
    let is_swiss = summary.standings.iter().any(|standing| {
        matches!(standing.result, summary::Result::Points { buchholz: Some(_), .. })
    });
    let has_fates = summary.standings.iter().any(|standing| {
        matches!(standing.result, summary::Result::Points { reached: Some(_), .. })
    });
    write!(output, "   #  {:widest$}  games     +", "agent")?;
    if summary.is_free_for_all {
        write!(output, "  squares (95 %)          place (95 %)       ")?;
    } else {
        write!(output, "     =     -   score")?;
        write!(output, "{}", if is_swiss { "   byes  Buchholz  Sonneborn" } else { "" })?;
        write!(output, "{}", if has_fates { "  reached                     " } else { "" })?;
    }
    writeln!(output, "  Elo (95 %)             better than next  faults")?;
    for standing in &summary.standings {
        let shown: String = name(standing.agent).chars().take(40).collect();
        let (rank, games, wins) = (standing.rank, standing.games, standing.wins);
        write!(output, "{rank:4}  {shown:widest$}  {games:5} {wins:5}")?;
        match &standing.result {
            summary::Result::Points {
                draws,
                losses,
                score,
                byes,
                buchholz,
                sonneborn_berger,
                reached,
            } => {
                write!(output, " {draws:5} {losses:5} {score:7.1}")?;
                if let (Some(buchholz), Some(sonneborn)) = (buchholz, sonneborn_berger) {
                    write!(output, "  {byes:5.1}  {buchholz:8.1}  {sonneborn:9.2}")?;
                }
                if has_fates {
                    write!(output, "  {:28}", reached.as_deref().unwrap_or_default())?;
                }
            }
            summary::Result::Places { squares, place, .. } => {
                let squares =
                    format!("{:.1} ({:.1} to {:.1})", squares.value, squares.low, squares.high);
                let place = format!("{:.2} ({:.2} to {:.2})", place.value, place.low, place.high);
                write!(output, "  {squares:22}  {place:19}")?;
            }
        }
        let elo = standing.rating.map_or_else(
            || "-".to_owned(),
            |elo| {
                let [value, low, high] = [elo.value, elo.low, elo.high].map(|elo| signed(elo, 0));
                format!("{value} ({low} to {high})")
            },
        );
        let superiority = standing
            .superiority
            .map_or_else(|| "-".to_owned(), |part| format!("{:.1} %", 100.0 * part));
        writeln!(output, "  {elo:22} {superiority:>16}  {:6}", standing.faults)?;
    }
    if let Some(verdict) = &summary.verdict {
        writeln!(output, "{verdict}")?;
    }
    writeln!(output, "{}; {}, seed {}", summary.game, summary.format_sentence, summary.seed)?;
    Ok(())
}

/// Prints the schedule and how long it will take.
fn dry_run(
    arguments: &Arguments,
    schedule: &Schedule,
    match_runner: &MatchRunner,
    stop: &Stop,
    concurrency: usize,
    output: &mut Output,
) -> Done {
    /// More lines than this are not read.
    const SHOWN: usize = 200;
    let plan = schedule.plan(&Results::new());
    let is_ours = |due: &&ScheduledGame| {
        arguments.shard.is_none_or(|(shard, shards)| Schedule::is_of_shard(due, shard, shards))
    };
    let games: Vec<&ScheduledGame> = plan.games.iter().filter(is_ours).collect();
    let settings = arguments.settings()?;
    let names = settings.names();
    let estimate = estimate(schedule, match_runner, stop, &plan, games.len() as u64, concurrency);
    if arguments.json {
        let list: Vec<_> = games
            .iter()
            .map(|due| {
                let seated: Vec<&str> =
                    due.agents.iter().map(|agent| names[*agent].as_str()).collect();
                json!({"number": due.number, "round": due.round, "agents": seated,
                       "opening": due.opening, "key": due.key.to_string()})
            })
            .collect();
        let total = plan.total.or(plan.is_final.then_some(games.len() as u64));
        output.json(&json!({
            "format": settings.format.name(), "total": total, "games": list,
            "estimate": estimate.sentence, "estimate_s": estimate.seconds,
        }))?;
        return Ok(());
    }
    writeln!(output, "{}: {}", settings.title(), standings::format_sentence(&settings))?;
    for due in games.iter().take(SHOWN) {
        let seated: Vec<&str> = due.agents.iter().map(|agent| names[*agent].as_str()).collect();
        let separator = if seated.len() == 2 { " – " } else { ", " };
        let (number, round) = (due.number, due.round);
        let seated = seated.join(separator);
        writeln!(output, "{number:6}  round {round:<4} opening {:<5} {seated}", due.opening)?;
    }
    if games.len() > SHOWN {
        writeln!(output, "        and {} more", counted((games.len() - SHOWN) as u64, "game"))?;
    }
    for bye in plan.rounds.iter().flat_map(|round| &round.byes) {
        writeln!(output, "        no game in round 1: {}", names[*bye])?;
    }
    if !plan.is_final {
        writeln!(output, "        what follows depends on the results")?;
    }
    writeln!(output, "{}", estimate.sentence)?;
    Ok(())
}

struct Guess {
    sentence: String,
    seconds: Option<f64>,
}

/// How long it will take: from one game where that is short, else from the limits.
fn estimate(
    schedule: &Schedule,
    match_runner: &MatchRunner,
    stop: &Stop,
    plan: &Plan,
    listed: u64,
    concurrency: usize,
) -> Guess {
    /// How long the game that is measured may take.
    const PATIENCE: Duration = Duration::from_secs(10);
    let Some(first) = plan.games.first() else {
        return Guess { sentence: "there is nothing to play".to_owned(), seconds: Some(0.0) };
    };
    let total = if plan.is_final { listed } else { plan.total.unwrap_or(listed).max(listed) };
    let fixture = Fixture {
        number: schedule.seeded_as(first),
        opening: first.opening,
        position: schedule.position(first.opening).map(str::to_owned),
        agents: first.agents.clone(),
    };
    let clock = Instant::now();
    let played = std::thread::scope(|scope| {
        let playing = scope.spawn(|| match_runner.play(&fixture));
        while !playing.is_finished() && clock.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
        }
        stop.stop();
        playing.join().ok()
    });
    let took = clock.elapsed().as_secs_f64();
    let is_over = played.is_some_and(|played| {
        played.record.result.is_some_and(|result| result.termination != Termination::Interrupted)
    });
    let at_once = counted(concurrency as u64, "game");
    let games = counted(total, "game");
    if is_over {
        let seconds = took * total as f64 / concurrency as f64;
        let time = span(seconds);
        return Guess {
            sentence: format!(
                "{games}, about {time} with {at_once} at a time: measured on game 1, which took {}",
                span(took)
            ),
            seconds: Some(seconds),
        };
    }
    let binding = schedule.limits();
    let most = 2.0 * binding.cpu_s;
    Guess {
        sentence: format!(
            "{games}, {at_once} at a time; game 1 was not over after {}. By the limits, programs \
             that use all of their {} CPU seconds take up to {}; built-in agents take as long as \
             their thinking time and their turns",
            span(took),
            binding.cpu_s,
            span(most * total as f64 / concurrency as f64)
        ),
        seconds: None,
    }
}
