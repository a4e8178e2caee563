//! `skirmish agents`: who can play.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use skirmish_rules::{Games, Options, Random, Registry, Setup, open};
use skirmish_sandbox::{AgentSpec, Settings};
use skirmish_search::roster::Plays;

use crate::output::{Fault, Output};
use crate::{Done, ROSTER};

/// List the agents and their settings.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish agents
  skirmish agents --json | jq '.[].name'

An agent is named and tuned by one line: `alphabeta`, `alphabeta:time=0.2s,threads=2`. Limits are \
`time` (like 0.2s or 50ms a turn), `nodes` and `depth` (in whole turns). For the same seed and the \
same nodes or depth, on one thread, an agent plays the same.")]
pub(crate) struct Arguments {
    /// Print JSON, built-in agents only: a list of `name`, `games` (empty: all games of skill for two),
    /// `summary`, `settings`.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct AgentInfo {
    name: &'static str,
    games: Vec<&'static str>,
    summary: &'static str,
    settings: &'static str,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    if arguments.json {
        let list: Vec<AgentInfo> = ROSTER
            .descriptions()
            .map(|agent| AgentInfo {
                name: agent.name,
                games: match agent.plays {
                    Plays::Everything => Games::ENTRIES.iter().map(|entry| entry.name).collect(),
                    Plays::Duels => vec![],
                    Plays::Only(games) => games.to_vec(),
                },
                summary: agent.summary,
                settings: agent.settings,
            })
            .collect();
        output.json(&list)?;
        return Ok(());
    }
    let bold = anstyle::Style::new().bold();
    for agent in ROSTER.descriptions() {
        let games = match agent.plays {
            Plays::Everything => "all games".to_owned(),
            Plays::Duels => "games of skill for two".to_owned(),
            Plays::Only(games) => games.join(", "),
        };
        writeln!(output, "{bold}{:10}{bold:#} {} ({games})", agent.name, agent.summary)?;
        if !agent.settings.is_empty() {
            writeln!(output, "           settings: {}", agent.settings)?;
        }
    }
    for (line, summary) in OTHERS {
        writeln!(output, "{bold}{line:10}{bold:#} {summary}")?;
    }
    Ok(())
}

/// Agents that are not built in.
const OTHERS: [(&str, &str); 3] = [
    (
        "python:",
        "a Python file or module, and if need be the object in it: `python:mine.py`, \
         `python:mine.py:Player`",
    ),
    ("cmd:", "any program that speaks the agent protocol: `cmd:./my-agent --fast`"),
    ("human", "you, at the keyboard, in `match` and `referee`"),
];

/// Refuses agents whose file, module, object or program does not exist, before anything is played.
pub(crate) fn require(
    game: &str,
    options: &Options,
    agents: &[AgentSpec],
    settings: &Settings,
) -> Result<(), Fault> {
    let mut options = options.clone();
    Games::entry(game)?.seat_players(&mut options, agents.len());
    let mut random = Random::seeded(settings.seed);
    let setup = Setup { options: &options, position: None, random: &mut random };
    let table = open(game, setup)?;
    let required = skirmish_sandbox::require(agents, table.as_ref(), settings);
    Ok(required.map_err(|missing| missing.error(agents))?)
}
