//! `skirmish show`: draw a position.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_rules::draw::draw;
use skirmish_rules::table::Table;
use skirmish_rules::{Options, Turn, View};

use crate::Done;
use crate::output::Output;
use crate::setup::{GameArguments, play_moves};

/// Draw a position.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish show watch-your-back
  skirmish show amazons --size 6 --moves 'b1-b4/e4; e6-e5/c3'
  skirmish show in-trap --moves 'move SP north; spawn FL south' --ascii
  skirmish show amazons --position '1q2q1/6/6/6/6/1Q2Q1 w' --json

With --json: `game`, `options`, `position`, `turn` (`who`: player, chance or over; `seat`, `name`), \
`payoffs`, and `view`, the board as data.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Play these turns first, separated by `;`; `roll N` settles a chance event.
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true)]
    moves: Vec<String>,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
    /// Print JSON.
    #[arg(long, conflicts_with = "ascii")]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    game: &'static str,
    options: Options,
    position: String,
    turn: AgentSpec,
    payoffs: Vec<f32>,
    view: View,
}

/// Who decides next, as JSON.
#[derive(Serialize)]
pub(crate) struct AgentSpec {
    who: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sides: Option<u16>,
}

impl AgentSpec {
    pub(crate) fn of(table: &dyn Table) -> AgentSpec {
        match table.turn() {
            Turn::Player(seat) => AgentSpec {
                who: "player",
                seat: Some(seat.0),
                name: Some(table.seat_name(seat)),
                sides: None,
            },
            Turn::Chance { sides } => {
                AgentSpec { who: "chance", seat: None, name: None, sides: Some(sides) }
            }
            Turn::Over => AgentSpec { who: "over", seat: None, name: None, sides: None },
        }
    }
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let mut table = arguments.game.open()?;
    play_moves(table.as_mut(), &arguments.moves)?;
    if arguments.json {
        output.json(&Shown {
            game: table.entry().name,
            options: table.options(),
            position: table.position(),
            turn: AgentSpec::of(table.as_ref()),
            payoffs: table.payoffs(),
            view: table.view(),
        })?;
    } else {
        let look = output.look(arguments.ascii);
        write!(output, "{}", draw(&table.view(), look))?;
        writeln!(output, "position: {}", table.position())?;
    }
    Ok(())
}
