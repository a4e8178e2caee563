//! Random games and counting at full speed.
//!
//! A turn is one action, so choosing step by step and choosing whole turns are the same, and one
//! draw decides. The legal actions are a set of bits here; the draw and the order are those of the
//! list, so the games are the same as by the definitions.

use super::position::{InTrap, Position};
use crate::cells::Cells;
use crate::cpu::{Work, boosted};
use crate::perft::Turns;
use crate::playout::{Choice, Playout, playout_by_turns};
use crate::random::Random;

impl<C: Cells, const ROOM: usize> Playout for InTrap<C, ROOM> {
    fn playout(
        &self,
        position: &mut Position<C, ROOM>,
        choice: Choice,
        most: u64,
        random: &mut Random,
    ) -> u64 {
        match choice {
            Choice::Steps | Choice::Turns => {
                boosted(RandomGame { game: self, position, most, random })
            }
            Choice::TwoStage => playout_by_turns(self, position, choice, most, random),
        }
    }
}

struct RandomGame<'a, C: Cells, const ROOM: usize> {
    game: &'a InTrap<C, ROOM>,
    position: &'a mut Position<C, ROOM>,
    most: u64,
    random: &'a mut Random,
}

impl<C: Cells, const ROOM: usize> Work for RandomGame<'_, C, ROOM> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let RandomGame { game, position, most, random } = self;
        let mut turns = 0;
        while turns < most && !game.is_over(position) {
            let legal = game.legal(position);
            // A forced pass is drawn too: from a list of one.
            let number = random.below(legal.count().max(1));
            game.advance(position, legal.nth(number));
            turns += 1;
        }
        turns
    }
}

impl<C: Cells, const ROOM: usize> Turns for InTrap<C, ROOM> {
    fn perft(&self, position: &Position<C, ROOM>, depth: u32) -> u64 {
        boosted(Perft { game: self, position, depth })
    }
}

struct Perft<'a, C: Cells, const ROOM: usize> {
    game: &'a InTrap<C, ROOM>,
    position: &'a Position<C, ROOM>,
    depth: u32,
}

impl<C: Cells, const ROOM: usize> Work for Perft<'_, C, ROOM> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Perft { game, position, depth } = self;
        if depth == 0 {
            return 1;
        }
        if game.is_over(position) {
            return 0;
        }
        let legal = game.legal(position);
        let count = legal.count().max(1);
        if depth == 1 {
            return u64::from(count);
        }
        let leaves = |number| {
            let mut next = position.clone();
            game.advance(&mut next, legal.nth(number));
            // Nearly all positions are one turn above the leaves: they are counted without a call.
            if depth > 2 {
                game.perft(&next, depth - 1)
            } else if game.is_over(&next) {
                0
            } else {
                u64::from(game.legal(&next).count().max(1))
            }
        };
        (0..count).map(leaves).sum()
    }
}
