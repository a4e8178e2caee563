//! Whether every agent is there, asked before anything is played.
//!
//! An agent that crashes has lost its game. One that does not exist is a mistake of the person who
//! named it: nothing is played, and the mistake is told.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use skirmish_play::agent_spec::AgentSpec;
use skirmish_play::player::Seating;
use skirmish_rules::error::quote;
use skirmish_rules::table::Table;
use skirmish_rules::{Error, ErrorKind, Seat};

use crate::{Settings, find, outside};

/// An agent that cannot be started, as it is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Its place in the list that was asked about.
    pub agent: usize,
    /// What is missing, as the end of a sentence about the agent.
    pub what: String,
}

impl Missing {
    /// The error that this is on a command line that names the agents.
    pub fn error(&self, agents: &[AgentSpec]) -> Error {
        let line = quote(&agents[self.agent].to_string());
        Error::new(ErrorKind::Option, format!("the agent {line} {}", self.what))
            .hint("check its spelling; a path starts from the current folder")
    }
}

/// What the Python host says of a module without the object that is to play.
const NOT_IN_THE_MODULE: &str = "did not start: the module holds no ";

/// Looks for every agent's file, module or program. Whether a module holds what is to play shows only
/// when it is imported, so Python agents are also started once, confined like in a game, in a game
/// like the one on the table.
pub fn require(
    agents: &[AgentSpec],
    table: &dyn Table,
    settings: &Settings,
) -> std::result::Result<(), Missing> {
    for (agent, who) in agents.iter().enumerate() {
        find(who, settings).map_err(|what| Missing { agent, what })?;
    }
    let distinct: Vec<usize> = (0..agents.len())
        .filter(|agent| matches!(agents[*agent], AgentSpec::Python { .. }))
        .filter(|agent| !agents[..*agent].contains(&agents[*agent]))
        .collect();
    let next = AtomicUsize::new(0);
    let missing = Mutex::new(Vec::new());
    let work = || {
        while let Some(agent) = distinct.get(next.fetch_add(1, Ordering::Relaxed))
            && !settings.stop.is_stopped()
        {
            if let Some(what) = lacks_its_object(&agents[*agent], table, settings) {
                missing
                    .lock()
                    .expect("no thread panics here")
                    .push(Missing { agent: *agent, what });
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(distinct.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let missing = missing.into_inner().expect("no thread panics here");
    missing.into_iter().min_by_key(|missing| missing.agent).map_or(Ok(()), Err)
}

/// Starts a Python agent and ends it again. Faults other than this one belong to its games.
fn lacks_its_object(who: &AgentSpec, table: &dyn Table, settings: &Settings) -> Option<String> {
    let mut player = outside(who, settings);
    let started = player.sit(Seating { table, seat: Seat(0), seed: 0 });
    let what = match started {
        Ok(Err(trouble)) if trouble.what.starts_with(NOT_IN_THE_MODULE) => Some(trouble.what),
        _ => None,
    };
    player.end(None);
    what
}
