//! `skirmish solve`: the exact result of small boards and positions.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use skirmish_play::analysis::spell;
use skirmish_rules::{Entry, Game, Games, Registry, Result as RulesResult, Seat, Visitor};
use skirmish_search::Stop;
use skirmish_search::solve::{Limits, Solution, solve};

use crate::Done;
use crate::live::end_on_interrupt;
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

The answer is `first player wins`, `second player wins` or `draw`, with the nodes looked at, the time \
and a line of best play. Exit code 1 when the answer was not found, and why.

With --json: `position`, `result` (`win`, `draw` or `unknown`), `winner` (`first`, `second` or null), \
`name`, `why` (for `unknown`: `nodes`, `time`, `too-large` or `interrupted`; else null), `nodes`, \
`seconds`, `line`, `line_is_complete` (false where a limit was reached while it was written down).")]
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
    result: &'static str,
    winner: Option<&'static str>,
    name: Option<String>,
    why: Option<&'static str>,
    nodes: u64,
    seconds: f64,
    line: Vec<String>,
    line_is_complete: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let mut table = arguments.game.open()?;
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
    let stop = Stop::new();
    end_on_interrupt(&stop);
    let mut random = skirmish_rules::Random::seeded(0);
    let setup =
        skirmish_rules::Setup { options: &options, position: Some(&position), random: &mut random };
    let answer = Games::open(&arguments.game.game, setup, Solve { limits, stop })??;
    if arguments.json {
        output.json(&answer)?;
    } else {
        match (answer.winner, answer.why) {
            (Some(winner), _) => {
                let name = answer.name.as_deref().unwrap_or("");
                writeln!(output, "{winner} player wins ({name})")?;
            }
            (None, None) => writeln!(output, "draw")?,
            (None, Some(why)) => writeln!(output, "not solved: {}", told(why))?,
        }
        if !answer.line.is_empty() {
            let end = if answer.line_is_complete { "" } else { "; …" };
            writeln!(output, "line: {}{end}", answer.line.join("; "))?;
        }
        writeln!(output, "{} nodes, {:.2} s", commas(answer.nodes), answer.seconds)?;
    }
    output.flush()?;
    if answer.why.is_none() { Ok(()) } else { Err(Fault::No) }
}

/// The end of a sentence that begins with `not solved`.
fn told(why: &str) -> &'static str {
    match why {
        "nodes" => "the limit on positions was reached; `--nodes` raises it",
        "time" => "the time was up; `--time` gives more",
        "too-large" => "the board is too large, or the game too long",
        _ => "it was interrupted",
    }
}

struct Solve {
    limits: Limits,
    stop: Stop,
}

impl Visitor for Solve {
    type Output = RulesResult<Answer>;

    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
        let stopwatch = Stopwatch::start();
        let verdict = solve(entry.name, &game, &start, &self.limits, &self.stop)?;
        let (result, winner, why) = match verdict.solution {
            Solution::Win(seat) => ("win", Some(seat), None),
            Solution::Draw => ("draw", None, None),
            Solution::Unknown(why) => ("unknown", None, Some(why.name())),
        };
        Ok(Answer {
            position: game.write_position(&start),
            result,
            // These are the seats: the first player is the one who begins a game.
            winner: winner.map(|Seat(seat)| if seat == 0 { "first" } else { "second" }),
            name: winner.map(|seat| game.seat_name(seat)),
            why,
            nodes: verdict.nodes,
            seconds: stopwatch.wall_seconds(),
            line: spell(&game, &start, &verdict.line),
            line_is_complete: verdict.line_is_complete,
        })
    }
}
