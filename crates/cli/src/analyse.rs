//! `skirmish analyse`: ask an agent about a position or a whole game.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skirmish_play::analysis::{Analysis, Annotation, Question, analyse, annotate_record};
use skirmish_play::files::read_record;
use skirmish_play::record::{Event, Record};
use skirmish_play::replay::Replay;
use skirmish_rules::draw::draw;
use skirmish_rules::table::Table;
use skirmish_rules::view::Mark;
use skirmish_rules::{Games, Registry, Seat, Seating, Turn};
use skirmish_search::{Allowance, Spec, Stop};
use skirmish_tournament::report::{OneGame, called, game_page, worst};

use crate::matches::parse_time;
use crate::output::{Fault, Output, counted, note};
use crate::progress::Progress;
use crate::setup::{GameArguments, play_moves};
use crate::{Done, ROSTER};

/// Ask an agent about a position, or about every turn of a recorded game.
#[derive(Args, Debug)]
#[command(
    mut_arg("game", |game| game.value_name("GAME or FILE").help(
        "The game whose position is meant, or a recorded game: a record, a journal, one of many \
         (`--game` says which)"
    )),
    after_help = "\
Examples:
  skirmish analyse amazons --size 8 --time 2s --lines 3
  skirmish analyse watch-your-back --moves '3,3; 4,4' --agent alphabeta
  skirmish demo --records games                            makes some records
  skirmish analyse games/in-trap.json --time 0.1s          every turn, the worst mistakes first
  skirmish analyse games/in-trap.json --html in-trap.html  the same as a page, to watch the game
  skirmish analyse games/in-trap.json --turn 20            the position before turn 20
  skirmish analyse results/games.jsonl --game 12           a game of a tournament

Values go from -1 (lost) to +1 (won) for the player to move; over a whole game, for the first seat. \
The squares of the best turn are marked on the board. For a turn of several steps (Amazons) the \
search's favourites are told stage by stage.

Turns are counted from 1. `--turn N` judges the position in which turn N was chosen, so the one \
before it; `skirmish replay FILE --turn N` shows the board after it.

With --json: `position`, `seat`, `name`, `agent`, `nodes`, `lines` (`turns`, `value`, `visits` or \
`depth`, `proven`), `stages` (lists of `step`, `share`, `value`), `solved` \
(who wins, where the position is small enough), `path`, and with --turn `turn` and `played`; over a \
whole game `agent`, `players` (`seat`, `name`) and `turns` (`ply`, `turn`, `seat`, `move`, `best`, \
`value`, `own_value`, `loss`, `mistake`).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Play these turns first, separated by `;`; `roll N` settles a chance event.
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true, conflicts_with = "record")]
    moves: Vec<String>,
    /// The recorded game, where the first argument names its game.
    #[arg(long, value_name = "FILE", conflicts_with = "position", hide = true)]
    record: Option<PathBuf>,
    /// Of a file with many games: which.
    #[arg(id = "number", long = "game", value_name = "N")]
    number: Option<usize>,
    /// Of a recorded game: the position before this turn. Without it, every turn is judged.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    turn: Option<u64>,
    /// Of a recorded game: the position after this many events.
    #[arg(long, value_name = "N", hide = true, conflicts_with = "turn")]
    ply: Option<usize>,
    /// Of a recorded game: write a page on which it can be watched, with its mistakes.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["turn", "ply"])]
    html: Option<PathBuf>,
    /// Overwrite the file of --html.
    #[arg(long, requires = "html")]
    force: bool,
    /// Who is asked.
    #[arg(long, value_name = "AGENT", default_value = "best")]
    agent: String,
    /// How long it may think about a position [default: 5s, 0.2s for each of a whole game].
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// Positions it may look at.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Whole turns it may look ahead.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// How many best lines to tell.
    #[arg(long, value_name = "N", default_value_t = 3)]
    lines: usize,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct WholeGame<'a> {
    agent: String,
    players: Vec<Named<'a>>,
    turns: Vec<Annotation>,
}

#[derive(Serialize)]
struct Named<'a> {
    seat: Seat,
    name: &'a str,
}

/// What is thought of the position before a turn of a game.
#[derive(Serialize)]
struct BeforeTurn<'a> {
    turn: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<&'a str>,
    #[serde(flatten)]
    analysis: &'a Analysis,
}

impl Arguments {
    /// The file of the recorded game, where one is meant.
    fn file(&self) -> Option<&Path> {
        if let Some(path) = &self.record {
            return Some(path);
        }
        let name = &self.game.game;
        let path = Path::new(name);
        let is_file = Games::entry(name).is_err() && (path.exists() || name.contains(['.', '/']));
        is_file.then_some(path)
    }

    fn allowance(&self, usual: Duration) -> Allowance {
        let limits = Allowance { time: self.time, nodes: self.nodes, depth: self.depth };
        limits.or(Allowance { time: Some(usual), ..Allowance::default() })
    }
}

/// How long an agent may think about a position, and about each of a whole game.
const ABOUT_ONE: Duration = Duration::from_secs(5);
const ABOUT_EACH: Duration = Duration::from_millis(200);

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let spec: Spec = arguments.agent.parse()?;
    if let Some(path) = arguments.file() {
        return recorded(path, &spec, arguments, output);
    }
    let of_a_record = [
        ("--game", arguments.number.is_some()),
        ("--turn", arguments.turn.is_some()),
        ("--ply", arguments.ply.is_some()),
        ("--html", arguments.html.is_some()),
    ];
    let mut table = arguments.game.open()?;
    if let Some((flag, _)) = of_a_record.iter().find(|(_, is_given)| *is_given) {
        return Err(Fault::unusable(format!("`{flag}` belongs to a recorded game"))
            .or_hint(format!("name its file: `skirmish analyse FILE {flag} …`")));
    }
    check(table.as_ref())?;
    play_moves(table.as_mut(), &arguments.moves)?;
    let analysis = ask(table.as_ref(), &spec, arguments)?;
    if arguments.json {
        return Ok(output.json(&analysis)?);
    }
    show(table.as_ref(), &analysis, arguments, output)
}

/// Whether agents look ahead in this game.
fn check(table: &dyn Table) -> Done {
    let entry = table.entry();
    if entry.seating == Seating::Duel && !entry.has_chance {
        return Ok(());
    }
    Err(Fault::unusable(format!("`{}` cannot be analysed: no agent looks ahead in it", entry.name)))
}

/// A recorded game, or one position of it.
fn recorded(path: &Path, spec: &Spec, arguments: &Arguments, output: &mut Output) -> Done {
    if arguments.game.says_more() || !arguments.moves.is_empty() {
        return Err(Fault::unusable("a recorded game has its own options, position and turns")
            .or_hint("leave the options of the game, `--position` and `--moves` out"));
    }
    if let Some(page) = &arguments.html
        && !arguments.force
        && page.exists()
    {
        return Err(Fault::unusable(format!("{}: exists already", page.display()))
            .or_hint("`--force` overwrites it"));
    }
    let record = read_record(path, arguments.number)?;
    if arguments.record.is_some() {
        let game = Games::entry(&arguments.game.game)?.name;
        if record.game != game {
            let (path, found) = (path.display(), &record.game);
            return Err(Fault::unusable(format!(
                "{path}: is a game of `{found}`, not of `{game}`"
            )));
        }
    }
    check(record.replay(0)?.as_ref())?;
    let turns = record.turns();
    let ply = match (arguments.turn, arguments.ply) {
        (Some(turn), _) => {
            let found = usize::try_from(turn).ok().and_then(|turn| record.ply_before(turn));
            Some(found.ok_or_else(|| no_turn(turn, turns))?)
        }
        (None, Some(ply)) if ply > record.events.len() => {
            return Err(Fault::unusable(format!(
                "{}: the game has {} events, not {ply}",
                path.display(),
                record.events.len()
            )));
        }
        (None, ply) => ply,
    };
    let Some(ply) = ply else { return whole_game(path, &record, spec, arguments, output) };
    let table = record.replay(ply)?;
    let turn = record.turn_of(ply);
    if turn > turns && table.turn() == Turn::Over {
        return Err(no_turn(turn as u64, turns));
    }
    let played = match record.events.get(ply) {
        Some(Event::Move { text, .. }) => Some(text.as_str()),
        _ => None,
    };
    let analysis = ask(table.as_ref(), spec, arguments)?;
    if arguments.json {
        return Ok(output.json(&BeforeTurn { turn, played, analysis: &analysis })?);
    }
    let who = called(&record, &analysis.name, analysis.seat);
    match played {
        Some(text) => writeln!(output, "before turn {turn}, in which {who} played {text}")?,
        None => writeln!(output, "before turn {turn}, which {who} has not taken")?,
    }
    show(table.as_ref(), &analysis, arguments, output)
}

fn no_turn(turn: u64, turns: usize) -> Fault {
    Fault::unusable(format!("there is no turn {turn}"))
        .or_hint(format!("the game has {}", counted(turns as u64, "turn")))
}

fn ask(table: &dyn Table, spec: &Spec, arguments: &Arguments) -> Result<Analysis, Fault> {
    let question = Question {
        game: table.entry().name,
        options: &table.options(),
        position: Some(&table.position()),
        agent: spec,
        roster: ROSTER,
        allowance: arguments.allowance(ABOUT_ONE),
        lines: arguments.lines,
        seed: arguments.game.seed,
    };
    Ok(analyse(&question, &Stop::new())?)
}

fn show(
    table: &dyn Table,
    analysis: &Analysis,
    arguments: &Arguments,
    output: &mut Output,
) -> Done {
    // The picture: where it would move.
    let mut view = table.view();
    for cell in &analysis.path {
        view.square(*cell).mark = Some(Mark::Chosen);
    }
    let look = output.look(arguments.ascii);
    writeln!(output, "{}", draw(&view, look))?;
    tell(analysis, output)
}

fn tell(analysis: &Analysis, output: &mut Output) -> Done {
    let nodes = counted(analysis.nodes, "node");
    writeln!(output, "{} by {}, {nodes}", analysis.name, analysis.agent)?;
    match analysis.solved.as_deref() {
        Some("draw") => writeln!(output, "solved: a draw")?,
        Some(winner) => writeln!(output, "solved: {winner} wins")?,
        None => {}
    }
    for line in &analysis.lines {
        let effort = match (line.visits, line.depth) {
            (Some(visits), _) => counted(visits, "visit"),
            (None, Some(depth)) => format!("depth {depth}"),
            (None, None) => String::new(),
        };
        let certain = match (line.proven, line.value) {
            (true, value) if value > 0.0 => " won",
            (true, value) if value < 0.0 => " lost",
            (true, _) => " drawn",
            (false, _) => "",
        };
        writeln!(
            output,
            "{:+.2}{certain}  {effort:>12}  {}",
            line.value,
            line.turns.iter().take(6).cloned().collect::<Vec<_>>().join("; ")
        )?;
    }
    for (number, stage) in analysis.stages.iter().enumerate() {
        let choices: Vec<String> = stage
            .iter()
            .map(|choice| {
                format!("{} {:.0} % ({:+.2})", choice.step, 100.0 * choice.share, choice.value)
            })
            .collect();
        writeln!(output, "step {}: {}", number + 1, choices.join(", "))?;
    }
    Ok(())
}

/// So many mistakes are told one by one.
const TOLD: usize = 10;

fn whole_game(
    path: &Path,
    record: &Record,
    spec: &Spec,
    arguments: &Arguments,
    output: &mut Output,
) -> Done {
    let allowance = arguments.allowance(ABOUT_EACH);
    let progress = Progress::new(record.events.len() as u64 + 1, "positions");
    let turns = annotate_record(record, ROSTER, spec, allowance, &Stop::new(), &|ply| {
        progress.set(ply as u64);
    })?;
    drop(progress);
    if let Some(page) = &arguments.html {
        let number = arguments.number.unwrap_or(1) as u64;
        let agent = spec.to_string();
        let html = game_page(OneGame { number, record, agent: &agent, turns: &turns })?;
        write_page(page, &html, arguments.force)?;
        note(format_args!("{}: written", page.display()));
    }
    if arguments.json {
        let players = record.seats.iter();
        let players = players.map(|player| Named { seat: player.seat, name: &player.name });
        let players = players.collect();
        return Ok(output.json(&WholeGame { agent: spec.to_string(), players, turns })?);
    }
    tell_game(path, record, spec, &turns, arguments, output)
}

fn tell_game(
    path: &Path,
    record: &Record,
    spec: &Spec,
    turns: &[Annotation],
    arguments: &Arguments,
    output: &mut Output,
) -> Done {
    let replay = Replay::of_record(record.clone())?;
    let table = record.replay(0)?;
    let who = |seat: Seat| called(record, &table.seat_name(seat), seat);
    writeln!(output, "{}", replay.title)?;
    writeln!(output, "{}", replay.ending.as_deref().unwrap_or("the game is not finished"))?;
    let worst = worst(turns);
    if worst.is_empty() {
        writeln!(output, "\n{spec} found no mistake")?;
    } else {
        writeln!(output, "\nmistakes found by {spec}, the worst first")?;
    }
    let of_many = arguments.number.map_or(String::new(), |number| format!(" --game {number}"));
    let file = quoted(path);
    for turn in worst.iter().take(TOLD) {
        let Annotation { turn: number, text, best, loss, .. } = turn;
        writeln!(output, "turn {number}: {} played {text}", who(turn.seat))?;
        writeln!(output, "    {best} was better by {loss:.2}")?;
        writeln!(output, "    skirmish replay {file}{of_many} --turn {number}")?;
    }
    if worst.len() > TOLD {
        let more = (worst.len() - TOLD) as u64;
        writeln!(output, "and {}", counted(more, "smaller one"))?;
    }
    // The values of a turn are those of the position before it.
    let has_own = turns.iter().any(|turn| turn.own_value.is_some());
    let width = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(4).clamp(6, 40);
    let names = width(&mut turns.iter().map(|turn| who(turn.seat).chars().count()));
    let moves = width(&mut turns.iter().map(|turn| turn.text.chars().count()));
    let own = if has_own { "    own" } else { "" };
    writeln!(output, "\n{:>5}  {:names$}  {:moves$}  value{own}   loss", "turn", "player", "move")?;
    for turn in turns {
        let own = match turn.own_value {
            Some(value) => format!("  {:+.2}", value + 0.0),
            None if has_own => "      -".to_owned(),
            None => String::new(),
        };
        let better =
            if turn.mistake { format!("  mistake: better {}", turn.best) } else { String::new() };
        writeln!(
            output,
            "{:5}  {:names$}  {:moves$}  {:+.2}{own}   {:.2}{better}",
            turn.turn,
            who(turn.seat),
            turn.text,
            turn.value + 0.0,
            turn.loss
        )?;
    }
    writeln!(output, "values are those of {} before the turn", table.seat_name(Seat(0)))?;
    if has_own {
        writeln!(output, "`own` is what the player itself thought of it")?;
    }
    let of = |seat: u16| {
        let own = || turns.iter().filter(|turn| turn.seat == Seat(seat));
        let mistakes = own().filter(|turn| turn.mistake).count() as u64;
        format!(
            "{} {} in {}",
            who(Seat(seat)),
            counted(mistakes, "mistake"),
            counted(own().count() as u64, "turn")
        )
    };
    writeln!(output, "{}; {}", of(0), of(1))?;
    Ok(())
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-/+,:@%=".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Writes a page; one that exists is overwritten only by force, also where another program has written
/// it meanwhile.
fn write_page(path: &Path, html: &str, force: bool) -> Done {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    options
        .open(path)
        .and_then(|mut file| file.write_all(html.as_bytes()))
        .map_err(|error| Fault::unusable(format!("{}: cannot write: {error}", path.display())))
}
