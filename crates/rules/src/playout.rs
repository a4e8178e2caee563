//! Random games: what benchmarks time, laws walk through, and weak players play.
//!
//! There is more than one way to choose at random, and rates compare only within one way, so the
//! way has a name and is always printed.

use std::fmt;

use serde::Serialize;

use crate::game::{Rules, Turn};
use crate::perft::Turns;
use crate::random::Random;

/// How a random player chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Each action of a turn uniformly from those listed.
    Steps,
    /// Amazons: amazon and square together, then the arrow.
    TwoStage,
    /// Uniformly from all whole turns. In Game 17 each piece moves to a uniformly random side, as
    /// zombies do.
    Turns,
}

impl Choice {
    /// All ways, in the order they are documented.
    pub const ALL: [Choice; 3] = [Choice::Steps, Choice::TwoStage, Choice::Turns];

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Choice::Steps => "steps",
            Choice::TwoStage => "two-stage",
            Choice::Turns => "turns",
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Random play. The defaults go through [`Rules::actions`] and [`Turns::for_each_turn`]; a game
/// with a faster way overrides [`Playout::playout`], and a law demands that both play the same
/// game from the same seed.
pub trait Playout: Turns {
    /// The ways of choosing this game offers, the usual one first.
    const CHOICES: &'static [Choice] = &[Choice::Steps, Choice::Turns];

    /// A start for one more game like the one that began with `start`: whatever the game draws at
    /// random is drawn anew. Games with one start keep the default.
    fn fresh_start(&self, start: &Self::Position, random: &mut Random) -> Self::Position {
        let _ = random;
        start.clone()
    }

    /// Draws one whole turn, chance events included, and plays it. Appends the actions to `chosen`
    /// and the rolls to `rolls`.
    ///
    /// # Panics
    /// If no player is to move, or the game does not offer this way of choosing.
    fn random_turn(
        &self,
        position: &mut Self::Position,
        choice: Choice,
        random: &mut Random,
        chosen: &mut Vec<Self::Action>,
        rolls: &mut Vec<u16>,
    ) {
        random_turn_by_definition(self, position, choice, random, chosen, rolls);
    }

    /// Plays at random until the game is over or `most` turns have been played. Returns the number
    /// of turns.
    fn playout(
        &self,
        position: &mut Self::Position,
        choice: Choice,
        most: u64,
        random: &mut Random,
    ) -> u64 {
        playout_by_turns(self, position, choice, most, random)
    }
}

/// [`Playout::playout`] by its definition: the yardstick for faster ways.
pub fn playout_by_turns<G: Playout>(
    game: &G,
    position: &mut G::Position,
    choice: Choice,
    most: u64,
    random: &mut Random,
) -> u64 {
    let (mut chosen, mut rolls) = (Vec::new(), Vec::new());
    let mut turns = 0;
    while turns < most && game.turn(position) != Turn::Over {
        chosen.clear();
        rolls.clear();
        game.random_turn(position, choice, random, &mut chosen, &mut rolls);
        turns += 1;
    }
    turns
}

/// [`Playout::random_turn`] by its definition.
pub fn random_turn_by_definition<G: Turns>(
    game: &G,
    position: &mut G::Position,
    choice: Choice,
    random: &mut Random,
    chosen: &mut Vec<G::Action>,
    rolls: &mut Vec<u16>,
) {
    match choice {
        Choice::Steps => {
            let mut actions = Vec::new();
            loop {
                actions.clear();
                game.actions(position, &mut actions);
                let action = actions[random.below(actions.len() as u32) as usize];
                game.play(position, action);
                chosen.push(action);
                let still_choosing =
                    game.mid_turn(position) && matches!(game.turn(position), Turn::Player(_));
                if !still_choosing {
                    break;
                }
            }
        }
        Choice::Turns => {
            let mut turns = Vec::new();
            game.for_each_turn(position, &mut |actions, _| turns.push(actions.to_vec()));
            turns.dedup();
            let turn = &turns[random.below(turns.len() as u32) as usize];
            for &action in turn {
                game.play(position, action);
            }
            chosen.extend(turn);
        }
        Choice::TwoStage => panic!("this game has no choice in two stages"),
    }
    settle_all(game, position, random, rolls);
}

/// Settles chance events until a player decides or the game is over.
pub fn settle_all<G: Rules>(
    game: &G,
    position: &mut G::Position,
    random: &mut Random,
    rolls: &mut Vec<u16>,
) {
    while let Turn::Chance { sides } = game.turn(position) {
        let roll = random.below(u32::from(sides)) as u16;
        game.settle(position, roll);
        rolls.push(roll);
    }
}
