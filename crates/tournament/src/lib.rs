//! Many games between any number of agents, kept so that nothing is lost.
//!
//! * [`settings`] — what is to be played
//! * [`schedule`] — who meets whom, as a function of finished games; [`swiss`], [`knockout`] and
//!   [`ladder`] are its longer chapters
//! * [`store`] — where finished games are kept
//! * [`runner`] — plays what is due; [`machine`] watches whether the machine keeps up
//! * [`standings`] — what it came to
//! * [`annotate`] — the mistakes another agent finds in it
//! * [`summary`] — the same as data, which [`report`] makes a page of

pub mod annotate;
pub mod game17;
pub mod knockout;
pub mod ladder;
pub mod machine;
pub mod matches;
mod programs;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod settings;
pub mod standings;
pub mod store;
pub mod summary;
pub mod swiss;
#[cfg(test)]
mod tests;

use std::path::Path;

use skirmish_rules::{Games, Random, Registry, Result, Setup, open};
use skirmish_search::{Roster, Stop};

use crate::matches::{MatchRunner, MatchSettings};
use settings::{Format, Settings};
use skirmish_sandbox::{self as sandbox, AgentSpec};

/// Opens the game of a tournament and tries every agent's line. `stop` ends games from outside.
pub fn match_runner(settings: &Settings, roster: Roster, stop: &Stop) -> Result<MatchRunner> {
    let agents = settings.agents()?;
    let mut options = settings.options.clone();
    let players = if settings.format == Format::FreeForAll { settings.seats() } else { 2 };
    Games::entry(&settings.game)?.seat_players(&mut options, players);
    let is_built_in = |who: &AgentSpec| matches!(who, AgentSpec::BuiltIn(_));
    let referee =
        if agents.iter().all(is_built_in) { None } else { Some(referee(settings, roster, stop)?) };
    if let Some(referee) = &referee {
        // A program that fails when it starts has lost; one that is not there is a mistake of ours.
        let mut random = Random::seeded(settings.seed);
        let setup = Setup { options: &options, position: None, random: &mut random };
        let table = open(&settings.game, setup)?;
        sandbox::require(&agents, table.as_ref(), referee).map_err(|missing| {
            let name = skirmish_rules::error::quote(&settings.names()[missing.agent]);
            settings::wrong(format!("agent {name} {}", missing.what))
                .hint("is its path right? Paths start from the folder of the settings file")
        })?;
    }
    let contest = MatchSettings {
        game: settings.game.clone(),
        options,
        position: None,
        agents,
        folder: settings.folder.clone(),
        roster,
        names: settings.names(),
        games: settings.games(),
        seed: settings.seed,
        allowance: settings.limits.allowance()?,
        opening: settings.plies(),
        referee,
        kept: if settings.limits.keep_processes { 64 } else { 0 },
        stop: stop.clone(),
    };
    let match_runner = contest.match_runner()?;
    for (place, position) in settings.openings.positions.iter().enumerate() {
        match_runner.check(position).map_err(|error| {
            error.within(format_args!("position {} of the openings", place + 1))
        })?;
    }
    Ok(match_runner)
}

/// How games with agents that are not our own are refereed.
pub fn referee(settings: &Settings, roster: Roster, stop: &Stop) -> Result<sandbox::Settings> {
    let limits = &settings.limits;
    Ok(sandbox::Settings {
        roster,
        limits: limits.limits(),
        cost: limits.cost()?,
        sandbox: limits.sandbox.unwrap_or_default(),
        allowance: limits.allowance()?,
        seed: settings.seed,
        // A Python without a slash is one of the PATH.
        python: limits.python.as_ref().map(|python| match python.contains('/') {
            true => settings.to_open(Path::new(python)).to_string_lossy().into_owned(),
            false => python.clone(),
        }),
        python_kind: limits.python_kind.clone(),
        readable: limits.allow_read.iter().map(|path| settings.to_open(path)).collect(),
        folder: settings.folder.clone(),
        stop: stop.clone(),
        #[cfg(target_os = "linux")]
        launcher: sandbox::Launcher::find(settings.launcher.as_deref())?,
    })
}
