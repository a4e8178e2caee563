//! Counting the ways a game can go, in whole turns.
//!
//! The classic test of a rule book: the number of different sequences of `depth` turns from a
//! position, compared with a table made by another program.

use crate::game::{Rules, Turn};

/// What [`Turns::for_each_turn`] calls: with the actions of a turn and the position after it.
pub type EachTurn<'a, G> = dyn FnMut(&[<G as Rules>::Action], &<G as Rules>::Position) + 'a;

/// Whole turns, where a game can list them.
///
/// Everything here has a default that walks the actions one by one. A game with a faster way
/// overrides it, and the laws hold the two against each other.
pub trait Turns: Rules {
    /// Whether a turn's alternatives can be listed in practice. Not in Game 17, where every stack
    /// splits freely.
    const LISTED: bool = true;

    /// Calls `each` with the actions of every legal turn and the position after it, in the order
    /// of [`Rules::actions`]. Chance events that a turn brings are settled every possible way.
    fn for_each_turn(&self, position: &Self::Position, each: &mut EachTurn<'_, Self>) {
        walk_turns(self, position, &mut Vec::new(), each);
    }

    /// The number of sequences of `depth` whole turns.
    fn perft(&self, position: &Self::Position, depth: u32) -> u64 {
        perft_by_steps(self, position, depth)
    }
}

/// [`Turns::for_each_turn`] by its definition.
pub fn walk_turns<G: Rules>(
    game: &G,
    position: &G::Position,
    chosen: &mut Vec<G::Action>,
    each: &mut EachTurn<'_, G>,
) {
    let mut go_on = |next: &G::Position, chosen: &mut Vec<G::Action>| {
        if game.mid_turn(next) {
            walk_turns(game, next, chosen, each);
        } else {
            each(chosen, next);
        }
    };
    match game.turn(position) {
        Turn::Player(_) => {
            let mut actions = Vec::new();
            game.actions(position, &mut actions);
            for action in actions {
                let mut next = position.clone();
                game.play(&mut next, action);
                chosen.push(action);
                go_on(&next, chosen);
                chosen.pop();
            }
        }
        Turn::Chance { sides } => {
            for roll in 0..sides {
                let mut next = position.clone();
                game.settle(&mut next, roll);
                go_on(&next, chosen);
            }
        }
        Turn::Over => {}
    }
}

/// [`Turns::perft`] by its definition, through single actions: the yardstick for faster ways.
pub fn perft_by_steps<G: Rules>(game: &G, position: &G::Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    walk_turns(game, position, &mut Vec::new(), &mut |_, next| {
        leaves += perft_by_steps(game, next, depth - 1);
    });
    leaves
}
