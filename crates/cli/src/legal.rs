//! `skirmish legal`: what may be played.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_rules::{Options, Step, Turn};

use crate::Done;
use crate::output::Output;
use crate::setup::{GameArguments, play_moves};
use crate::show::AgentSpec;

/// List what may be played.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish legal watch-your-back
  skirmish legal amazons --size 4 | wc -l
  skirmish legal amazons --size 4 --steps --json
  skirmish legal game17 --size 4 --seed 7

Whole turns are listed one a line, in the order of the rules; nothing once the game is over. The \
turns of Game 17 are too many to list: there the next steps of a turn are listed, or the rolls of a \
coin that is due.

With --json: `game`, `options`, `position`, `turn` (see `show`), `turns` (a list of texts, or null \
where they cannot be listed; left out with --steps) and `steps` (`text`, and `path`: the squares to point at, row by row from the top left).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Play these turns first, separated by `;`; `roll N` settles a chance event.
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true)]
    moves: Vec<String>,
    /// List the next steps of a turn instead of whole turns.
    #[arg(long)]
    steps: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Legal {
    game: &'static str,
    options: Options,
    position: String,
    turn: AgentSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Option<Vec<String>>>,
    steps: Vec<Step>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let mut table = arguments.game.open()?;
    play_moves(table.as_mut(), &arguments.moves)?;
    if arguments.json {
        output.json(&Legal {
            game: table.entry().name,
            options: table.options(),
            position: table.position(),
            turn: AgentSpec::of(table.as_ref()),
            turns: (!arguments.steps).then(|| table.turns()),
            steps: table.steps(),
        })?;
        return Ok(());
    }
    if let Turn::Chance { sides } = table.turn() {
        for roll in 0..sides {
            writeln!(output, "roll {roll}")?;
        }
        return Ok(());
    }
    let listed = if arguments.steps { None } else { table.turns() };
    let texts = listed.unwrap_or_else(|| table.steps().into_iter().map(|step| step.text).collect());
    for text in texts {
        writeln!(output, "{text}")?;
    }
    Ok(())
}
