//! `skirmish playouts`: random games, counted and timed.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use skirmish_rules::{Choice, Ending, Entry, Game, Games, Random, Registry, Seat, Turn, Visitor};

use crate::Done;
use crate::output::{Fault, Output, commas, rate};
use crate::progress::{Progress, Stopwatch, on_threads, threads};
use crate::setup::GameArguments;

/// Play random games: counts, lengths, results and speed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish playouts watch-your-back --games 100000 --seed 1
  skirmish playouts amazons --choice turns --size 8 --games 10000
  skirmish playouts game17 --games 1000 --threads 2

Ways to choose at random: `steps` draws each action of a turn from those listed; `two-stage` (Amazons) \
draws amazon and square together, then the arrow; `turns` draws from all whole turns (in Game 17 each \
piece goes to a random side, as zombies do). Rates compare only within one way. The same seed gives \
the same games on any number of threads.

With --json: `game`, `options`, `choice`, `seed`, `games`, `turns`, `shortest`, `longest`, \
`mean_length`, `results`, `endings`, `cpu_seconds`, `games_per_cpu_second`, `turns_per_cpu_second`, \
`checksum` (of all final positions).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// How many games.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    games: u64,
    /// How to choose at random [default: the game's usual way].
    #[arg(long, value_name = "WAY", value_parser = ["steps", "two-stage", "turns"])]
    choice: Option<String>,
    /// Threads to use; 0 means one per core.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    threads: usize,
    /// Stop a game after so many turns (only a game without a move limit gets there).
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    most_turns: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What many games add up to. The sums do not depend on the order of the games.
#[derive(Clone, Default)]
struct Tally {
    games: u64,
    turns: u64,
    shortest: Option<u64>,
    longest: u64,
    results: BTreeMap<String, u64>,
    endings: BTreeMap<&'static str, u64>,
    checksum: u64,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.games += other.games;
        self.turns += other.turns;
        self.shortest = self.shortest.into_iter().chain(other.shortest).min();
        self.longest = self.longest.max(other.longest);
        for (result, count) in other.results {
            *self.results.entry(result).or_default() += count;
        }
        for (ending, count) in other.endings {
            *self.endings.entry(ending).or_default() += count;
        }
        self.checksum = self.checksum.wrapping_add(other.checksum);
        self
    }
}

#[derive(Serialize)]
struct Played {
    game: &'static str,
    options: skirmish_rules::Options,
    choice: Choice,
    seed: u64,
    games: u64,
    turns: u64,
    shortest: u64,
    longest: u64,
    mean_length: f64,
    results: BTreeMap<String, u64>,
    endings: BTreeMap<&'static str, u64>,
    cpu_seconds: f64,
    games_per_cpu_second: f64,
    turns_per_cpu_second: f64,
    checksum: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let played = arguments
        .game
        .with_setup(|name, setup| Games::open(name, setup, Playouts { arguments }))??;
    if arguments.json {
        output.json(&played)?;
        return Ok(());
    }
    writeln!(
        output,
        "{} random games of {}, choice by {}, seed {}",
        commas(played.games),
        played.game,
        played.choice,
        played.seed
    )?;
    writeln!(
        output,
        "length   {:.1} turns on average, {} to {}",
        played.mean_length, played.shortest, played.longest
    )?;
    let share = |counts: &mut dyn Iterator<Item = (&str, u64)>| {
        counts
            .map(|(name, count)| {
                let percent = 100.0 * count as f64 / played.games.max(1) as f64;
                format!("{name} {} ({percent:.1} %)", commas(count))
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    let results = share(&mut played.results.iter().map(|(name, count)| (name.as_str(), *count)));
    let endings = share(&mut played.endings.iter().map(|(name, count)| (*name, *count)));
    writeln!(output, "results  {results}")?;
    writeln!(output, "endings  {endings}")?;
    writeln!(
        output,
        "speed    {} games and {} turns per CPU second ({:.2} CPU seconds)",
        rate(played.games_per_cpu_second),
        rate(played.turns_per_cpu_second),
        played.cpu_seconds
    )?;
    writeln!(output, "checksum {}", played.checksum)?;
    Ok(())
}

struct Playouts<'a> {
    arguments: &'a Arguments,
}

impl Visitor for Playouts<'_> {
    type Output = Result<Played, Fault>;

    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
        let arguments = self.arguments;
        let choice = choice_of::<G>(entry, arguments.choice.as_deref())?;
        let seed = arguments.game.seed;
        let fixed_start = arguments.game.position.is_some();
        let stopwatch = Stopwatch::start();
        let progress = Progress::new(arguments.games, "games");

        let play = |index: u64| {
            let mut random = Random::stream(seed, index);
            let mut position =
                if fixed_start { start.clone() } else { game.fresh_start(&start, &mut random) };
            let turns = game.playout(&mut position, choice, arguments.most_turns, &mut random);
            tally(&game, &position, turns)
        };
        // Games are handed out in batches: a batch is long enough to be worth a thread's while.
        const BATCH: u64 = 64;
        let batch = |number: u64| {
            let games = number * BATCH..arguments.games.min((number + 1) * BATCH);
            let done = games.end - games.start;
            let sum = games.map(play).fold(Tally::default(), Tally::add);
            progress.add(done);
            sum
        };
        let batches = 0..arguments.games.div_ceil(BATCH);
        let tally = if arguments.threads == 1 {
            batches.map(batch).fold(Tally::default(), Tally::add)
        } else {
            on_threads(arguments.threads, || {
                batches.into_par_iter().map(batch).reduce(Tally::default, Tally::add)
            })?
        };
        let cpu_seconds = stopwatch.cpu_seconds();
        Ok(Played {
            game: entry.name,
            options: game.options(),
            choice,
            seed,
            games: tally.games,
            turns: tally.turns,
            shortest: tally.shortest.unwrap_or(0),
            longest: tally.longest,
            mean_length: tally.turns as f64 / tally.games.max(1) as f64,
            results: tally.results,
            endings: tally.endings,
            cpu_seconds,
            games_per_cpu_second: tally.games as f64 / cpu_seconds,
            turns_per_cpu_second: tally.turns as f64 / cpu_seconds,
            checksum: format!("{:016x}", tally.checksum),
        })
    }
}

fn choice_of<G: Game>(entry: Entry, asked: Option<&str>) -> Result<Choice, Fault> {
    let Some(asked) = asked else { return Ok(G::CHOICES[0]) };
    let found = G::CHOICES.iter().find(|choice| choice.name() == asked);
    found.copied().ok_or_else(|| {
        let offered: Vec<&str> = G::CHOICES.iter().map(|choice| choice.name()).collect();
        Fault::unusable(format!("`{}` cannot be played by the choice `{asked}`", entry.name))
            .or_hint(format!("it offers {}", offered.join(", ")))
    })
}

fn tally<G: Game>(game: &G, position: &G::Position, turns: u64) -> Tally {
    let mut results = BTreeMap::new();
    let mut endings = BTreeMap::new();
    if game.turn(position) == Turn::Over {
        let ending = match game.ending(position) {
            Ending::Normal => "normal",
            Ending::MoveLimit => "move-limit",
            Ending::Deadlock => "deadlock",
        };
        endings.insert(ending, 1);
        results.insert(result(game, position), 1);
    } else {
        results.insert("unfinished".to_owned(), 1);
    }
    Tally {
        games: 1,
        turns,
        shortest: Some(turns),
        longest: turns,
        results,
        endings,
        checksum: game.key(position),
    }
}

/// Who won, in few enough words to be counted: seats by name where there are two.
fn result<G: Game>(game: &G, position: &G::Position) -> String {
    let seats = (0..game.seats()).map(Seat);
    let winners: Vec<Seat> = seats.filter(|seat| game.payoff(position, *seat) > 0.0).collect();
    match (winners.as_slice(), game.seats()) {
        ([], _) => "draw".to_owned(),
        ([winner], 2) => format!("{} wins", game.seat_name(*winner)),
        ([_], _) => "one winner".to_owned(),
        _ => "shared win".to_owned(),
    }
}
