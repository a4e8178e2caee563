//! `skirmish games`: what there is to play.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_rules::{Games, OptionSpec, Registry};

use crate::Done;
use crate::output::Output;

/// List the games and their options.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  skirmish games\n  skirmish games --json | jq '.[].name'")]
pub(crate) struct Arguments {
    /// Print JSON: a list of `name`, `title`, `summary`, `options`.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct GameInfo {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    options: &'static [OptionSpec],
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    if arguments.json {
        let list: Vec<GameInfo> = Games::ENTRIES
            .iter()
            .map(|entry| GameInfo {
                name: entry.name,
                title: entry.title,
                summary: entry.summary,
                options: entry.options,
            })
            .collect();
        output.json(&list)?;
        return Ok(());
    }
    let bold = anstyle::Style::new().bold();
    for entry in Games::ENTRIES {
        writeln!(output, "{bold}{}{bold:#}  {}: {}", entry.name, entry.title, entry.summary)?;
        for option in entry.options {
            let flag = format!("--{} {}", option.name.replace('_', "-"), option.value);
            writeln!(output, "    {flag:<26} {} [default: {}]", option.help, option.default)?;
        }
    }
    Ok(())
}
