//! `skirmish analyse`: ask an agent about a position or a whole game.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skirmish_play::analysis::{Analysis, Judged, Question, analyse, judge_record};
use skirmish_play::record::Record;
use skirmish_rules::draw::draw;
use skirmish_rules::view::Mark;
use skirmish_rules::{Games, Options, Registry};
use skirmish_search::{Allowance, Spec, Stop};

use crate::matches::parse_time;
use crate::output::{Fault, Output, counted};
use crate::progress::Progress;
use crate::setup::{GameArguments, play_moves};
use crate::{Done, ROSTER};

/// Ask an agent about a position, or about every turn of a recorded game.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish analyse amazons --size 8 --time 2s --lines 3
  skirmish analyse watch-your-back --moves '3,3; 4,4' --agent alphabeta
  skirmish demo --records games                                makes some records
  skirmish analyse in-trap --record games/in-trap.json --ply 20
  skirmish analyse in-trap --record games/in-trap.json --time 0.1s

Values go from -1 (lost) to +1 (won) for the player to move; over a whole game, for the first seat. \
The squares of the best turn are marked on the board. For a turn of several steps (Amazons) the \
search's favourites are told stage by stage.

With --json: `position`, `seat`, `name`, `agent`, `nodes`, `lines` (`turns`, `value`, `visits` or \
`depth`, `proven`), `stages` (lists of `step`, `share`, `value`), `solved` \
(who wins, where the position is small enough), `path`; over a whole game `agent` \
and `turns` (`ply`, `seat`, `move`, `best`, `value`, `loss`, `mistake`).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Play these turns first, separated by `;`; `roll N` settles a chance event.
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true, conflicts_with = "record")]
    moves: Vec<String>,
    /// Take the position from this record.
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    record: Option<PathBuf>,
    /// With --record: after this many events. Without it, every turn of the game is judged.
    #[arg(long, value_name = "N", requires = "record")]
    ply: Option<usize>,
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
struct WholeGame {
    agent: String,
    turns: Vec<Judged>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let spec: Spec = arguments.agent.parse()?;
    let limits = Allowance { time: arguments.time, nodes: arguments.nodes, depth: arguments.depth };
    let usual = |time| limits.or(Allowance { time: Some(time), ..Allowance::default() });
    let stop = Stop::new();
    if let Some(path) = &arguments.record {
        let record = read_record(path, Games::entry(&arguments.game.game)?.name)?;
        let Some(ply) = arguments.ply else {
            return whole_game(
                &record,
                &spec,
                usual(Duration::from_millis(200)),
                arguments,
                output,
            );
        };
        if ply > record.events.len() {
            return Err(Fault::unusable(format!(
                "{}: the game has {} events, not {ply}",
                path.display(),
                record.events.len()
            )));
        }
        let table = record.replay(ply)?;
        let options = record.options.clone();
        return position(
            &options,
            &table.position(),
            &spec,
            usual(Duration::from_secs(5)),
            &stop,
            arguments,
            output,
        );
    }
    let mut table = arguments.game.open()?;
    if table.seats() != 2 {
        let name = table.entry().name;
        return Err(Fault::unusable(format!(
            "`{name}` cannot be analysed: no agent looks ahead in it"
        )));
    }
    play_moves(table.as_mut(), &arguments.moves)?;
    let options = table.options();
    let text = table.position();
    position(&options, &text, &spec, usual(Duration::from_secs(5)), &stop, arguments, output)
}

pub(crate) fn read_record(path: &Path, game: &str) -> Result<Record, Fault> {
    let unusable = |what: String| Fault::unusable(format!("{}: {what}", path.display()));
    let text =
        std::fs::read_to_string(path).map_err(|error| unusable(format!("cannot read: {error}")))?;
    let record: Record =
        serde_json::from_str(&text).map_err(|error| unusable(format!("not a record: {error}")))?;
    if record.game != game {
        return Err(unusable(format!("is a game of `{}`, not of `{game}`", record.game)));
    }
    Ok(record)
}

fn position(
    options: &Options,
    text: &str,
    spec: &Spec,
    allowance: Allowance,
    stop: &Stop,
    arguments: &Arguments,
    output: &mut Output,
) -> Done {
    let question = Question {
        game: &arguments.game.game,
        options,
        position: Some(text),
        agent: spec,
        roster: ROSTER,
        allowance,
        lines: arguments.lines,
        seed: arguments.game.seed,
    };
    let analysis = analyse(&question, stop)?;
    if arguments.json {
        output.json(&analysis)?;
        return Ok(());
    }
    // The picture: where it would move.
    let mut random = skirmish_rules::Random::seeded(0);
    let setup = skirmish_rules::Setup { options, position: Some(text), random: &mut random };
    let mut view = skirmish_rules::open(&arguments.game.game, setup)?.view();
    for cell in &analysis.path {
        view.square(*cell).mark = Some(Mark::Chosen);
    }
    let look = output.look(arguments.ascii);
    writeln!(output, "{}", draw(&view, look))?;
    tell(&analysis, output)
}

fn tell(analysis: &Analysis, output: &mut Output) -> Done {
    writeln!(
        output,
        "{} by {}, {}",
        analysis.name,
        analysis.agent,
        counted(analysis.nodes, "node")
    )?;
    match analysis.solved.as_deref() {
        Some("draw") => writeln!(output, "solved: a draw")?,
        Some(winner) => writeln!(output, "solved: {winner} wins")?,
        None => {}
    }
    for line in &analysis.lines {
        let effort = match (line.visits, line.depth) {
            (Some(visits), _) => format!("{visits} visits"),
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

fn whole_game(
    record: &Record,
    spec: &Spec,
    allowance: Allowance,
    arguments: &Arguments,
    output: &mut Output,
) -> Done {
    let progress = Progress::new(record.events.len() as u64 + 1, "positions");
    let turns = judge_record(record, ROSTER, spec, allowance, &Stop::new(), &|ply| {
        progress.set(ply as u64)
    })?;
    drop(progress);
    if arguments.json {
        output.json(&WholeGame { agent: spec.to_string(), turns })?;
        return Ok(());
    }
    let width = turns.iter().map(|turn| turn.turn.chars().count()).max().unwrap_or(4).min(40);
    writeln!(output, "{:>5} seat  {:width$}  value   loss", "ply", "move")?;
    for turn in &turns {
        let note =
            if turn.mistake { format!("  mistake: better {}", turn.best) } else { String::new() };
        writeln!(
            output,
            "{:5} {:4}  {:width$}  {:+.2}   {:.2}{note}",
            turn.ply, turn.seat.0, turn.turn, turn.value, turn.loss
        )?;
    }
    let mistakes =
        |seat: u16| turns.iter().filter(|turn| turn.mistake && turn.seat.0 == seat).count();
    writeln!(output, "mistakes: seat 0 {}, seat 1 {}", mistakes(0), mistakes(1))?;
    Ok(())
}
