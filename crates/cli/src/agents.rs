//! `skirmish agents`: who can play.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_search::roster::agents;

use crate::Done;
use crate::output::Output;

/// List the agents and their settings.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish agents
  skirmish agents --json | jq '.[].name'

An agent is named and tuned by one line: `alphabeta`, `alphabeta:time=0.2s,threads=2`. Limits are \
`time` (like 0.2s or 50ms a turn), `nodes` and `depth` (in whole turns). For the same seed and the \
same nodes or depth, on one thread, an agent plays the same.

Beside these, `cmd:PROGRAM`, `python:PATH` and `human` play in `match` and `referee`.")]
pub(crate) struct Arguments {
    /// Print JSON: a list of `name`, `games` (empty: all two-player games), `summary`, `settings`.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct AgentInfo {
    name: &'static str,
    games: &'static [&'static str],
    summary: &'static str,
    settings: &'static str,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    if arguments.json {
        let list: Vec<AgentInfo> = agents()
            .map(|agent| AgentInfo {
                name: agent.name,
                games: agent.games,
                summary: agent.summary,
                settings: agent.settings,
            })
            .collect();
        output.json(&list)?;
        return Ok(());
    }
    let bold = anstyle::Style::new().bold();
    for agent in agents() {
        let games = match agent.games {
            [] => "all two-player games".to_owned(),
            games => games.join(", "),
        };
        writeln!(output, "{bold}{:10}{bold:#} {} ({games})", agent.name, agent.summary)?;
        if !agent.settings.is_empty() {
            writeln!(output, "           settings: {}", agent.settings)?;
        }
    }
    Ok(())
}
