//! Built-in agents as players.
//!
//! An engine thinks on typed positions; a session speaks text. One visitor opens the game once and
//! keeps its types, so that players are made without opening it again and reach the position on the
//! table directly.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::{Value, json};
use skirmish_rules::table::{Open, Table};
use skirmish_rules::{Entry, Game, Games, Random, Registry, Result, Setup, Turn, Visitor};
use skirmish_search::{Agent, Allowance, Roster, Spec, Thought};

use crate::analysis::spell;
use crate::faults::{AgentError, FaultKind};
use crate::player::{Answer, Introduction, Player, Question, Reply, Seating};

/// Makes players of one game.
pub trait Engines: Send + Sync {
    /// The player that `spec` names. An error if there is none for this game.
    fn player(&self, spec: &Spec, roster: Roster) -> Result<Box<dyn Player>>;
}

/// The engines of the game on this table.
pub fn engines(table: &dyn Table) -> Result<Box<dyn Engines>> {
    struct Make;
    impl Visitor for Make {
        type Output = Box<dyn Engines>;
        fn visit<G: Game>(self, entry: Entry, game: G, _: G::Position) -> Self::Output {
            Box::new(Typed { entry, game })
        }
    }
    let (options, position) = (table.options(), table.position());
    let mut random = Random::seeded(0);
    let setup = Setup { options: &options, position: Some(&position), random: &mut random };
    Games::open(table.entry().name, setup, Make)
}

struct Typed<G: Game> {
    entry: Entry,
    game: G,
}

impl<G: Game> Engines for Typed<G> {
    fn player(&self, spec: &Spec, roster: Roster) -> Result<Box<dyn Player>> {
        // A line with a mistake in it costs no game.
        drop(roster.agent(spec, self.entry.name, &self.game, 0)?);
        Ok(Box::new(Engine {
            entry: self.entry,
            game: self.game.clone(),
            spec: spec.clone(),
            roster,
            agent: None,
        }))
    }
}

struct Engine<G: Game> {
    entry: Entry,
    game: G,
    spec: Spec,
    roster: Roster,
    agent: Option<Box<dyn Agent<G>>>,
}

impl<G: Game> Player for Engine<G> {
    fn sit(
        &mut self,
        seating: Seating<'_>,
    ) -> Result<std::result::Result<Introduction, AgentError>> {
        let agent = self.roster.agent(&self.spec, self.entry.name, &self.game, seating.seed)?;
        self.agent = Some(agent);
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        Ok(Ok(Introduction { name: None, version }))
    }

    fn choose(&mut self, question: Question<'_>) -> std::result::Result<Reply, AgentError> {
        let bug = |what: String| AgentError::fatal(FaultKind::Crash, what);
        let game = &self.game;
        let Some(agent) = &mut self.agent else {
            return Err(bug("was asked before it was seated".to_owned()));
        };
        let read;
        let position = match question.table.as_any().downcast_ref::<Open<G>>() {
            Some(open) => open.typed().1,
            None => {
                read = game.read_position(&question.table.position()).map_err(|error| {
                    bug(format!("was shown a position it cannot read: {error}"))
                })?;
                &read
            }
        };
        let choose = || agent.choose(game, position, question.allowance, question.stop);
        let thought = catch_unwind(AssertUnwindSafe(choose)).map_err(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            bug(format!("panicked ({message}), which is a bug of ours"))
        })?;
        let mut text = String::new();
        let mut after = position.clone();
        for &action in &thought.actions {
            if !matches!(game.turn(&after), Turn::Player(_)) || !game.is_legal(&after, action) {
                let what = format!(
                    "chose the illegal action {action:?} after `{text}`, which is a bug of ours"
                );
                return Err(bug(what));
            }
            game.write_action(&after, action, &mut text);
            game.play(&mut after, action);
        }
        let info = info(game, position, &thought);
        let answer = Answer::Play { text: text.trim_start().to_owned(), info };
        let is_timed = is_timed(&self.spec, question.allowance);
        Ok(Reply { answer, cpu_s: None, nodes: thought.nodes, is_timed })
    }
}

/// Whether a clock has any part in what this agent answers.
fn is_timed(spec: &Spec, allowance: &Allowance) -> bool {
    let own = Allowance {
        time: spec.text("time").map(|_| Duration::ZERO),
        nodes: spec.text("nodes").map(|_| 0),
        depth: spec.text("depth").map(|_| 0),
    };
    let held = allowance.overridden_by(own);
    held.time.is_some() || held == Allowance::default()
}

/// Turns of the best line that are kept.
const LONGEST_LINE: usize = 8;

/// What the engine thought, as a record keeps it. `None` for agents that do not look ahead.
fn info<G: Game>(game: &G, position: &G::Position, thought: &Thought<G::Action>) -> Option<Value> {
    let best = thought.lines.first()?;
    let mut line = spell(game, position, &best.actions);
    line.truncate(LONGEST_LINE);
    // Four digits are more than any value is worth.
    let value = (f64::from(best.value) * 1e4).round() / 1e4;
    let mut info = json!({"value": value + 0.0});
    if let Some(depth) = best.depth {
        info["depth"] = depth.into();
    }
    if let Some(visits) = best.visits {
        info["visits"] = visits.into();
    }
    if best.proven {
        info["proven"] = true.into();
    }
    info["nodes"] = thought.nodes.into();
    info["pv"] = line.into();
    Some(info)
}
