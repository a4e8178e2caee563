//! What Watch Your Back! knows beyond its rules: what a position looks worth while placing, while
//! moving and as a shrink comes near, and the `mirror` agent.

use skirmish_rules::Rules;
use skirmish_rules::games::watch_your_back::{
    Action, Kind, Phase, Position, SHRINK_TURNS, WatchYourBack,
};

use crate::agent::{Agent, Allowance, Stop, Thought};
use crate::tree::{Judge, Tree};

/// Judges positions of Watch Your Back!
#[derive(Clone, Copy, Debug)]
pub struct Sight;

/// A piece. Everything else is measured by it.
const PIECE: i32 = 100;
/// What a square is worth by its distance from the middle: the rim goes first, then the next ring.
const RINGS: [(u64, i32); 3] = [
    // The ring inside the rim, and everything further in.
    (0x007e_7e7e_7e7e_7e00, 7),
    // The sixteen squares that survive both shrinks.
    (0x0000_3c3c_3c3c_0000, 6),
    // The four in the middle.
    (0x0000_0018_1800_0000, 3),
];
/// Pieces the enemy could take with its next move: for the side to move, and for the other.
const EXPOSED: [i32; 2] = [12, 45];
/// A square more to go to.
const REACH: i32 = 1;
/// From this many turns before a shrink, pieces that would be lost to it count less and less.
const SHADOW: i32 = 24;
/// What is left of a piece that the shrink will take on the very next turn.
const DOOMED: i32 = 90;

/// Squares lost to each shrink: the rim and the new corners.
const LOST: [u64; 2] = [
    !0x007e_7e7e_7e7e_7e00 | 1 << 9 | 1 << 14 | 1 << 49 | 1 << 54,
    !0x0000_3c3c_3c3c_0000 | 1 << 18 | 1 << 21 | 1 << 42 | 1 << 45,
];

impl Judge<WatchYourBack> for Sight {
    fn evaluate(&self, _: &WatchYourBack, position: &Position) -> i32 {
        let mover = position.mover();
        let shadow = shadow(position);
        let worth = |side: usize| {
            let pieces = position.pieces(side);
            let mut worth = PIECE * pieces.count_ones() as i32;
            for (ring, value) in RINGS {
                worth += value * (pieces & ring).count_ones() as i32;
            }
            if let Some((lost, weight)) = shadow {
                worth -= weight * (pieces & lost).count_ones() as i32;
            }
            worth
        };
        let danger = |side: usize| {
            let reach = position.reach(1 - side);
            (position.exposed(side, reach).count_ones() as i32, reach.count_ones() as i32)
        };
        let (mine_exposed, their_reach) = danger(mover);
        let (theirs_exposed, my_reach) = danger(1 - mover);
        worth(mover) - worth(1 - mover)
            + EXPOSED[1] * theirs_exposed.min(1)
            + EXPOSED[0] * (theirs_exposed - mine_exposed)
            + REACH * (my_reach - their_reach)
    }

    fn loudness(&self, _: &WatchYourBack, position: &Position, action: Action) -> i32 {
        let (killed, lost) = position.losses(position.mover(), action);
        PIECE * (killed as i32 - lost as i32)
    }

    fn code(&self, action: Action) -> u32 {
        u32::from(action.code())
    }

    fn scale(&self) -> f32 {
        350.0
    }
}

/// The squares the coming shrink takes, and how much a piece there has lost of its worth already.
fn shadow(position: &Position) -> Option<(u64, i32)> {
    if position.phase() != Phase::Moving {
        return None;
    }
    let shrinks = usize::from(position.shrinks());
    let left = *SHRINK_TURNS.get(shrinks)? as i32 - position.turn() as i32;
    (left <= SHADOW).then(|| (LOST[shrinks], DOOMED * (SHADOW + 1 - left) / (SHADOW + 1)))
}

/// Black answers White's placement with its point reflection, as the original's best agent does,
/// while that is sound; the rest is left to a search.
pub(crate) struct Mirror<T> {
    pub(crate) tree: T,
    pub(crate) rest: Box<dyn Agent<WatchYourBack>>,
    /// The position after our last turn: what White added since is its placement.
    pub(crate) seen: Position,
}

/// How much worse than the best placement, by evaluation, the mirrored one may be.
const PRICE_OF_SYMMETRY: i32 = 60;

impl<T> Agent<WatchYourBack> for Mirror<T>
where
    T: Tree<State = Position, Move = Action>,
{
    fn choose(
        &mut self,
        game: &WatchYourBack,
        position: &Position,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<Action> {
        let reflected = self.reflected(position);
        let mut thought = match reflected {
            Some(action) => Thought::simple(vec![action]),
            None => self.rest.choose(game, position, allowance, stop),
        };
        thought.nodes += 1;
        self.seen = *position;
        for action in &thought.actions {
            game.play(&mut self.seen, *action);
        }
        thought
    }

    fn set_lines(&mut self, lines: usize) {
        self.rest.set_lines(lines);
    }
}

impl<T: Tree<State = Position, Move = Action>> Mirror<T> {
    /// The point reflection of White's last placement, if it may and should be played.
    fn reflected(&self, position: &Position) -> Option<Action> {
        if position.phase() != Phase::Placing || position.mover() != 1 {
            return None;
        }
        let added = position.pieces(0) & !self.seen.pieces(0);
        if added.count_ones() != 1 {
            return None;
        }
        let answer = Action::place(63 - added.trailing_zeros() as u16);
        // Sound means: legal, no piece given away, and nothing much better to be had.
        let best = self.tree.best_moves(position, usize::MAX);
        let &(_, value) = best.iter().find(|(action, _)| *action == answer)?;
        let sound = answer.kind() == Kind::Place
            && best[0].1 - value <= PRICE_OF_SYMMETRY
            && position.losses(1, answer).1 == 0;
        sound.then_some(answer)
    }
}
