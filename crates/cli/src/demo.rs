//! `skirmish demo`: a random game of each, drawn in the terminal.

use std::io::Write;

use clap::Args;
use skirmish_play::record::Record;
use skirmish_rules::draw::{Look, draw};
use skirmish_rules::{Games, Registry};

use crate::Done;
use crate::output::{Fault, Output, note};
use crate::setup::GameArguments;

/// Play a random game of each and draw it: the first thing to run.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  skirmish demo\n  skirmish demo --seed 7 --games amazons")]
pub(crate) struct Arguments {
    /// Only these games.
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    games: Vec<String>,
    /// Which random games.
    #[arg(long, value_name = "S", default_value_t = 3)]
    seed: u64,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
    /// Also write each game as a record, `GAME.json`, into this folder.
    #[arg(long, value_name = "DIR")]
    records: Option<std::path::PathBuf>,
    /// Overwrite files of that name in the folder of --records.
    #[arg(long, requires = "records")]
    force: bool,
}

/// Boards wider than most terminals are played on a smaller size here.
const WIDEST: usize = 80;

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    for name in &arguments.games {
        Games::entry(name)?;
    }
    let chosen =
        |name: &str| arguments.games.is_empty() || arguments.games.iter().any(|n| n == name);
    let look = output.look(arguments.ascii);
    let bold = anstyle::Style::new().bold();
    for entry in Games::ENTRIES.iter().filter(|entry| chosen(entry.name)) {
        let mut setup = GameArguments::plain(entry.name, arguments.seed);
        let mut table = setup.open()?;
        let drawn = draw(&table.view(), Look { ascii: true, ..Look::default() });
        let widest = drawn.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if widest > WIDEST && entry.options.iter().any(|option| option.name == "size") {
            setup = setup.with("size", "8");
            table = setup.open()?;
        }
        let choice = table.choices()[0];
        let record = Record::random(table.as_mut(), choice, 10_000, arguments.seed)?;
        let plies = record.events.len();

        writeln!(output, "{bold}{}{bold:#}: {}\n", entry.title, entry.summary)?;
        let halfway = record.replay(plies / 2)?;
        writeln!(output, "after {} of {plies} random moves:\n", plies / 2)?;
        writeln!(output, "{}", draw(&halfway.view(), look))?;
        writeln!(output, "at the end:\n")?;
        writeln!(output, "{}", draw(&table.view(), look))?;
        if let Some(folder) = &arguments.records {
            write_record(folder, entry.name, &record, arguments.force)?;
        }
    }
    writeln!(output, "Next: `skirmish rules GAME`, `skirmish show GAME`, `skirmish --help`")?;
    Ok(())
}

fn write_record(folder: &std::path::Path, name: &str, record: &Record, force: bool) -> Done {
    let path = folder.join(format!("{name}.json"));
    if path.exists() && !force {
        return Err(Fault::unusable(format!("{}: exists already", path.display()))
            .or_hint("`--force` overwrites it; or keep the games in another folder"));
    }
    let unusable = |error: std::io::Error| {
        Fault::unusable(format!("{}: cannot write: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(unusable)?;
    let text = serde_json::to_string(record).map_err(|error| unusable(error.into()))?;
    std::fs::write(&path, text + "\n").map_err(unusable)?;
    note(format_args!("wrote {}", path.display()));
    Ok(())
}
