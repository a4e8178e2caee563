//! Other people's programs in the seats of a game, and the referee who seats them.
//!
//! * [`Settings`] — what agents may use, how closely they are confined
//! * [`player`] — the player that a line names: a built-in engine, or a process of its own
//! * [`referee`] — a referee for agents of any kind
//!
//! A built-in agent thinks in this process. Every other agent runs in a process of its own, behind a
//! launcher that takes away what it must not have, and speaks agent protocol 1 (`docs/protocol.md`).
//! External agents need Linux: clocks, memory and rights of a process are read and set in its ways.

#[cfg(target_os = "linux")]
mod external;
#[cfg(target_os = "linux")]
mod interpreter;
#[cfg(target_os = "linux")]
mod jail;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod programs;
mod require;
#[cfg(target_os = "linux")]
mod scratch;

use std::path::PathBuf;

use skirmish_play::driver::Seated;
use skirmish_play::engine::engines;
use skirmish_play::player::Player;
use skirmish_play::referee::{GameSettings, Referee};
use skirmish_rules::table::Table;
use skirmish_rules::{Error, ErrorKind, Result};
use skirmish_search::{Allowance, Roster, Stop};

#[cfg(target_os = "linux")]
use external::External;

#[cfg(target_os = "linux")]
pub use jail::{FAILED, Protection, WORD, launch};
#[cfg(target_os = "linux")]
pub use launcher::{LAUNCHER_VARIABLE, Launcher};
pub use require::{Missing, require};
pub use skirmish_play::agent_spec::AgentSpec;
pub use skirmish_play::faults::{AgentError, Fault, FaultKind};
pub use skirmish_play::limits::{FaultPolicy, Limits, Sandbox};

/// What an agent is told, and how it is kept in bounds.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where built-in agents come from.
    pub roster: Roster,
    /// What each agent may use.
    pub limits: Limits,
    /// What a fault costs; the usual of the game where nothing is said.
    pub cost: Option<FaultPolicy>,
    /// How closely external agents are confined.
    pub sandbox: Sandbox,
    /// How long built-in agents think that set no limit of their own.
    pub allowance: Allowance,
    /// What everything random is drawn from.
    pub seed: u64,
    /// The Python that runs Python agents.
    pub python: Option<String>,
    /// What kind of agent Python modules hold, where that is not to be found out.
    pub python_kind: Option<String>,
    /// Files and folders that external agents may read beside their own.
    pub readable: Vec<PathBuf>,
    /// Where the relative paths in agents' lines start; the working folder where nothing is said.
    pub folder: Option<PathBuf>,
    /// Ends the game from outside: what was played so far is the record.
    pub stop: Stop,
    /// How external agents are launched.
    #[cfg(target_os = "linux")]
    pub launcher: Launcher,
}

impl Settings {
    /// The part of it that concerns the game rather than its agents.
    pub fn game(&self) -> GameSettings {
        GameSettings {
            limits: Some(self.limits),
            policy: self.cost,
            allowance: self.allowance,
            seed: self.seed,
            times_by_cpu: false,
            stop: self.stop.clone(),
        }
    }

    /// The agent with its paths as they are to be opened.
    fn resolved(&self, who: &AgentSpec) -> AgentSpec {
        self.folder.as_deref().map_or_else(|| who.clone(), |folder| who.within(folder))
    }
}

/// Whether there is a program to start for this agent: what is wrong, if there is none. Better known
/// before a night of games than after it.
pub fn find(who: &AgentSpec, settings: &Settings) -> std::result::Result<(), String> {
    #[cfg(target_os = "linux")]
    let found = match &settings.resolved(who) {
        AgentSpec::Command(words) => programs::for_command(words).map(drop),
        AgentSpec::Python { module, name } => programs::for_python(
            module,
            name.as_deref(),
            settings.python_kind.as_deref(),
            settings.python.as_deref(),
        )
        .map(drop),
        AgentSpec::BuiltIn(_) | AgentSpec::Human => Ok(()),
    };
    #[cfg(not(target_os = "linux"))]
    let found = {
        let _ = (who, settings);
        Ok(())
    };
    found
}

/// The player that a line names, for the game on this table. A person is not made here: the caller that shows
/// the board to it brings it along.
pub fn player(who: &AgentSpec, table: &dyn Table, settings: &Settings) -> Result<Box<dyn Player>> {
    match &settings.resolved(who) {
        AgentSpec::BuiltIn(spec) => engines(table)?.player(spec, settings.roster),
        AgentSpec::Human => Err(Error::new(ErrorKind::Option, "a person needs a keyboard")
            .hint("`skirmish referee` and `skirmish match` ask people for their turns")),
        _ => Ok(outside(who, settings)),
    }
}

/// The player of a program outside this process.
#[cfg(target_os = "linux")]
pub fn outside(who: &AgentSpec, settings: &Settings) -> Box<dyn Player> {
    let program = match &settings.resolved(who) {
        AgentSpec::Command(words) => programs::for_command(words),
        AgentSpec::Python { module, name } => programs::for_python(
            module,
            name.as_deref(),
            settings.python_kind.as_deref(),
            settings.python.as_deref(),
        ),
        AgentSpec::BuiltIn(_) | AgentSpec::Human => Err("is no program".to_owned()),
    };
    let program = program.and_then(|program| match settings.sandbox {
        Sandbox::Off => Ok(program),
        _ => programs::in_a_folder_of_its_own(program),
    });
    let program = program.map(|mut program| {
        program.readable.extend(settings.readable.iter().cloned());
        program
    });
    Box::new(External::new(program, settings))
}

/// Elsewhere than on Linux no program can be watched, so none is started.
#[cfg(not(target_os = "linux"))]
pub fn outside(_: &AgentSpec, _: &Settings) -> Box<dyn Player> {
    struct Absent;
    impl Player for Absent {
        fn sit(
            &mut self,
            _: skirmish_play::player::Seating<'_>,
        ) -> Result<std::result::Result<skirmish_play::player::Introduction, AgentError>> {
            let what = "was not started: agents in processes of their own need Linux";
            Ok(Err(AgentError::fatal(FaultKind::StartFailure, what)))
        }
        fn choose(
            &mut self,
            _: skirmish_play::player::Question<'_>,
        ) -> std::result::Result<skirmish_play::player::Reply, AgentError> {
            Err(AgentError::fatal(FaultKind::Crash, "is not running"))
        }
    }
    Box::new(Absent)
}

/// A referee for agents of any kind, in games like the one on this table.
pub fn referee(agents: &[AgentSpec], table: &dyn Table, settings: &Settings) -> Result<Referee> {
    let seat = |agent: &AgentSpec| {
        let player = player(agent, table, settings)?;
        Ok(Seated { agent: agent.clone(), name: None, player })
    };
    Ok(Referee::new(agents.iter().map(seat).collect::<Result<_>>()?, settings.game()))
}
