//! `skirmish perft`: count the ways a game can go.

use std::io::Write;

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use skirmish_rules::{Entry, Game, Games, Registry, Turn, Visitor};

use crate::Done;
use crate::output::{Fault, Output, note, rate};
use crate::progress::{Progress, Stopwatch, on_threads, threads};
use crate::setup::GameArguments;

/// Count the sequences of whole turns from a position.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish perft amazons --depth 2
  skirmish perft amazons --position '1qq1/4/4/1QQ1 w' --depth 4 --threads 2
  skirmish perft watch-your-back --depth 3 --divide

The count stands alone on the last line. A leaf is a whole turn: in Amazons move and arrow. Where a \
turn tosses coins, each way they may fall is a leaf.

With --json: `game`, `position`, `depth`, `leaves`, `cpu_seconds`, `leaves_per_cpu_second`, and with \
--divide `divide`, a list of `turn` and `leaves`.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// How many whole turns deep.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=30))]
    depth: u32,
    /// Also count below each first turn.
    #[arg(long)]
    divide: bool,
    /// Threads to use; 0 means one per core.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    threads: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Counted {
    game: &'static str,
    position: String,
    depth: u32,
    leaves: u64,
    cpu_seconds: f64,
    leaves_per_cpu_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<Below>>,
}

#[derive(Serialize)]
struct Below {
    turn: String,
    leaves: u64,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let stopwatch = Stopwatch::start();
    let count = Count { depth: arguments.depth, threads: arguments.threads };
    let (position, below) =
        arguments.game.with_setup(|name, setup| Games::open(name, setup, count))??;
    let leaves = match arguments.depth {
        0 => 1,
        _ => below.iter().map(|below| below.leaves).sum(),
    };
    let cpu_seconds = stopwatch.cpu_seconds();
    let per_second = leaves as f64 / cpu_seconds;
    if arguments.json {
        output.json(&Counted {
            game: Games::entry(&arguments.game.game)?.name,
            position,
            depth: arguments.depth,
            leaves,
            cpu_seconds,
            leaves_per_cpu_second: per_second,
            divide: arguments.divide.then_some(below),
        })?;
        return Ok(());
    }
    if arguments.divide {
        for Below { turn, leaves } in &below {
            writeln!(output, "{turn}: {leaves}")?;
        }
    }
    output.flush()?;
    note(format_args!("{} leaves per CPU second, {cpu_seconds:.2} CPU seconds", rate(per_second)));
    writeln!(output, "{leaves}")?;
    Ok(())
}

struct Count {
    depth: u32,
    threads: usize,
}

impl Visitor for Count {
    type Output = Result<(String, Vec<Below>), Fault>;

    fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> Self::Output {
        let text = game.write_position(&start);
        if self.depth == 0 {
            return Ok((text, vec![]));
        }
        let mut first_turns = Vec::new();
        game.for_each_turn(&start, &mut |actions, after| {
            first_turns.push((spell(&game, &start, actions), after.clone()));
        });
        let progress = Progress::new(first_turns.len() as u64, "first turns");
        let count = |(turn, after): &(String, G::Position)| {
            let leaves = game.perft(after, self.depth - 1);
            progress.add(1);
            Below { turn: turn.clone(), leaves }
        };
        let below = if self.threads == 1 {
            first_turns.iter().map(count).collect()
        } else {
            on_threads(self.threads, || first_turns.par_iter().map(count).collect())?
        };
        Ok((text, below))
    }
}

fn spell<G: Game>(game: &G, start: &G::Position, actions: &[G::Action]) -> String {
    let mut text = String::new();
    let mut position = start.clone();
    for &action in actions {
        if matches!(game.turn(&position), Turn::Player(_)) {
            game.write_action(&position, action, &mut text);
            game.play(&mut position, action);
        }
    }
    text.trim_start().to_owned()
}
