//! `skirmish solve`: the exact result of small boards and positions.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skirmish_play::analysis::spell;
use skirmish_rules::{Entry, Game, Games, Registry, Result as RulesResult, Seat, Visitor};
use skirmish_search::Stop;
use skirmish_search::solve::{Limits, solve};

use crate::Done;
use crate::matches::parse_time;
use crate::output::{Fault, Output, commas};
use crate::progress::Stopwatch;
use crate::setup::{GameArguments, play_moves};

/// Find out for certain who wins a position.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish solve amazons --size 4x4
  skirmish solve amazons --position '1q1q1/q3q/Q3Q/1Q1Q1 w'
  skirmish solve amazons --size 5 --time 2m

The answer is `first player wins` or `second player wins`, with the nodes looked at, the time and a \
line in which every turn of the winner keeps the win. Exit code 1 when no forced win was found: a \
limit was reached first, or the game is a draw.

With --json: `position`, `winner` (`first`, `second` or null), `name`, `nodes`, `seconds`, `line`, \
`line_is_complete` (false where counting decides before the game is played out).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Play these turns first, separated by `;`.
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true)]
    moves: Vec<String>,
    /// Give up after this long.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// Give up after this many positions.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// MiB for the table of positions.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=16_384))]
    memory: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    position: String,
    winner: Option<&'static str>,
    name: Option<String>,
    nodes: u64,
    seconds: f64,
    line: Vec<String>,
    line_is_complete: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let mut table = arguments.game.open()?;
    if table.seats() != 2 {
        return Err(Fault::unusable(format!("`{}` is not a game for two", arguments.game.game)));
    }
    play_moves(table.as_mut(), &arguments.moves)?;
    if table.mid_turn() {
        return Err(Fault::unusable("the position is inside a turn")
            .or_hint("only positions between turns are solved"));
    }
    let (options, position) = (table.options(), table.position());
    let limits = Limits {
        nodes: arguments.nodes,
        time: arguments.time,
        bytes: Some((arguments.memory as usize) << 20),
    };
    let mut random = skirmish_rules::Random::seeded(0);
    let setup =
        skirmish_rules::Setup { options: &options, position: Some(&position), random: &mut random };
    let answer = Games::open(&arguments.game.game, setup, Solve { limits })??;
    if arguments.json {
        output.json(&answer)?;
    } else {
        match answer.winner {
            Some(winner) => {
                let name = answer.name.as_deref().unwrap_or("");
                writeln!(output, "{winner} player wins ({name})")?;
                let end = if answer.line_is_complete { "" } else { "; the rest is counting" };
                writeln!(output, "line: {}{end}", answer.line.join("; "))?;
            }
            None => writeln!(output, "not solved: no forced win was found")?,
        }
        writeln!(output, "{} nodes, {:.2} s", commas(answer.nodes), answer.seconds)?;
    }
    output.flush()?;
    if answer.winner.is_some() { Ok(()) } else { Err(Fault::No) }
}

struct Solve {
    limits: Limits,
}

impl Visitor for Solve {
    type Output = RulesResult<Answer>;

    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
        let stopwatch = Stopwatch::start();
        let verdict = solve(entry.name, &game, &start, &self.limits, &Stop::new())?;
        // `first` and `second` are the seats: the first player is the one who begins a game.
        let winner = verdict.winner.map(|Seat(seat)| if seat == 0 { "first" } else { "second" });
        Ok(Answer {
            position: game.write_position(&start),
            winner,
            name: verdict.winner.map(|seat| game.seat_name(seat)),
            nodes: verdict.nodes,
            seconds: stopwatch.wall_seconds(),
            line: spell(&game, &start, &verdict.line),
            line_is_complete: verdict.line_is_complete,
        })
    }
}
