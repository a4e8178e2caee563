//! Our own agents at a refereed table.
//!
//! They think on typed positions; the referee speaks text. One visitor builds the agent for its
//! game and puts the type aside, so that the referee is compiled once and not for every game.

use std::panic::{AssertUnwindSafe, catch_unwind};

use skirmish_rules::table::Table;
use skirmish_rules::{Entry, Game, Games, Random, Registry, Result, Setup, Turn, Visitor};
use skirmish_search::{Agent, Allowance, Roster, Spec, Stop};

use skirmish_play::faults::{Kind, Trouble};

pub(crate) trait Thinker: Send {
    /// The text of a turn.
    fn think(
        &mut self,
        position: &str,
        allowance: &Allowance,
        stop: &Stop,
    ) -> std::result::Result<String, Trouble>;
}

struct Seated<G: Game> {
    game: G,
    agent: Box<dyn Agent<G>>,
}

impl<G: Game> Thinker for Seated<G> {
    fn think(
        &mut self,
        position: &str,
        allowance: &Allowance,
        stop: &Stop,
    ) -> std::result::Result<String, Trouble> {
        let bug = |what: String| Trouble::fatal(Kind::Crash, what);
        let game = &self.game;
        let mut position = game
            .read_position(position)
            .map_err(|error| bug(format!("was shown a position it cannot read: {error}")))?;
        let agent = &mut self.agent;
        let choose = || agent.choose(game, &position, allowance, stop);
        let thought = catch_unwind(AssertUnwindSafe(choose))
            .map_err(|_| bug("panicked, which is a bug of ours".to_owned()))?;
        let mut text = String::new();
        for action in thought.actions {
            if !matches!(game.turn(&position), Turn::Player(_)) || !game.is_legal(&position, action)
            {
                return Err(bug("chose an illegal action, which is a bug of ours".to_owned()));
            }
            game.write_action(&position, action, &mut text);
            game.play(&mut position, action);
        }
        Ok(text.trim_start().to_owned())
    }
}

/// Seats an agent at the game on this table.
pub(crate) fn thinker(
    roster: Roster,
    spec: &Spec,
    table: &dyn Table,
    seed: u64,
) -> Result<Box<dyn Thinker>> {
    struct Seat<'a>(Roster, &'a Spec, u64);
    impl Visitor for Seat<'_> {
        type Output = Result<Box<dyn Thinker>>;
        fn visit<G: Game>(self, entry: Entry, game: G, _: G::Position) -> Self::Output {
            let agent = self.0.agent(self.1, entry.name, &game, self.2)?;
            Ok(Box::new(Seated { game, agent }))
        }
    }
    let (options, position) = (table.options(), table.position());
    let mut random = Random::seeded(0);
    let setup = Setup { options: &options, position: Some(&position), random: &mut random };
    Games::open(table.entry().name, setup, Seat(roster, spec, seed))?
}
