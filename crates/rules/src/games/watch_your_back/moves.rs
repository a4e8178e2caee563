//! The actions of Watch Your Back!, how they are listed, and random games.

use crate::cpu::{Work, boosted};
use crate::perft::Turns;
use crate::playout::{Choice, Playout};
use crate::random::Random;

use super::position::{Phase, Position, WatchYourBack};

/// An action in two bytes: target in bits 0 to 5, origin in bits 6 to 11, kind above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action(u16);

/// What an action does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Puts a new piece on the board.
    Place,
    /// Moves a piece, stepping or jumping.
    Move,
    /// Does nothing, for want of any move.
    Pass,
}

const MOVE: u16 = 1 << 12;

impl Action {
    /// The forfeit of a side that cannot move.
    pub const PASS: Action = Action(1 << 13);

    /// Places a piece.
    pub fn place(to: u16) -> Action {
        Action(to & 63)
    }

    /// Moves a piece.
    pub fn shift(from: u16, to: u16) -> Action {
        Action(MOVE | (from & 63) << 6 | to & 63)
    }

    /// The action as a number below 2¹⁴.
    #[inline(always)]
    pub fn code(self) -> u16 {
        self.0
    }

    /// What it does.
    #[inline(always)]
    pub fn kind(self) -> Kind {
        match self.0 >> 12 {
            0 => Kind::Place,
            1 => Kind::Move,
            _ => Kind::Pass,
        }
    }

    /// The square it enters.
    #[inline(always)]
    pub fn to(self) -> u16 {
        self.0 & 63
    }

    /// The square a move leaves.
    #[inline(always)]
    pub fn from(self) -> u16 {
        self.0 >> 6 & 63
    }
}

/// Room for every legal action: 46 placements, or 12 pieces with four moves each, and some slack
/// that the listing may scribble on.
const ROOM: usize = 128;

/// The legal actions of one position.
#[derive(Clone, Debug)]
pub(super) struct MoveList {
    items: [Action; ROOM],
    length: usize,
}

impl MoveList {
    #[inline(always)]
    pub(super) fn new() -> MoveList {
        MoveList { items: [Action::PASS; ROOM], length: 0 }
    }

    pub(super) fn as_slice(&self) -> &[Action] {
        &self.items[..self.length]
    }

    /// Lists the legal actions: placements in the order of the squares; moves west, east, north,
    /// south, each first the steps and then the jumps in the order of the pieces; `pass` if there is nothing else.
    #[inline(always)]
    pub(super) fn fill(&mut self, position: &Position) {
        self.fill_into(position, u64::MAX);
        if self.length == 0 && position.phase != Phase::Completed {
            self.items[0] = Action::PASS;
            self.length = 1;
        }
    }

    /// The same for the actions that enter one of the squares of `targets`; never `pass`.
    #[inline(always)]
    fn fill_into(&mut self, position: &Position, targets: u64) {
        self.length = 0;
        let side = position.mover();
        match position.phase {
            Phase::Completed => {}
            Phase::Placing => {
                self.emit::<8>(position.placements(side) & targets, |square| square as u16);
            }
            Phase::Moving => {
                let movers = position.movers_into(side, targets);
                for ((steps, jumps), delta) in movers.into_iter().zip([-1, 1, -8, 8]) {
                    // Origin and target side by side are `65 · origin` plus a constant.
                    let going = |delta: i32| {
                        move |from: u32| {
                            (65 * from).wrapping_add_signed(i32::from(MOVE.cast_signed()) + delta)
                                as u16
                        }
                    };
                    self.emit::<8>(steps, going(delta));
                    self.emit::<3>(jumps, going(2 * delta));
                }
            }
        }
    }

    /// Appends one action per square of the set. Writes `USUAL` of them without asking whether
    /// there are that many: what lies beyond the end is never read, and the branches that remain
    /// are easy to predict. A plain loop loses half its time to mispredicted exits.
    #[inline(always)]
    fn emit<const USUAL: usize>(&mut self, set: u64, action: impl Fn(u32) -> u16) {
        let mut rest = set;
        let mut place = self.length;
        loop {
            let slots = self.items[place..].first_chunk_mut::<USUAL>().expect("room for all moves");
            for slot in slots {
                *slot = Action(action(rest.trailing_zeros()));
                rest &= rest.wrapping_sub(1);
            }
            if rest == 0 {
                break;
            }
            place += USUAL;
        }
        self.length += set.count_ones() as usize;
    }
}

impl Position {
    /// Calls `each` with every legal action, in their order.
    #[inline]
    pub fn each_action(&self, each: impl FnMut(Action)) {
        let mut list = MoveList::new();
        list.fill(self);
        list.as_slice().iter().copied().for_each(each);
    }

    /// Calls `each` with every legal action that enters one of the squares of `targets`, in their
    /// order; never with `pass`.
    #[inline]
    pub fn each_action_into(&self, targets: u64, each: impl FnMut(Action)) {
        let mut list = MoveList::new();
        list.fill_into(self, targets);
        list.as_slice().iter().copied().for_each(each);
    }
}

impl Turns for WatchYourBack {
    fn perft(&self, position: &Position, depth: u32) -> u64 {
        boosted(Perft { game: self, position, depth })
    }
}

struct Perft<'a> {
    game: &'a WatchYourBack,
    position: &'a Position,
    depth: u32,
}

impl Work for Perft<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Perft { game, position, depth } = self;
        let mut list = MoveList::new();
        match depth {
            0 => 1,
            1 => {
                list.fill(position);
                list.length as u64
            }
            _ => {
                list.fill(position);
                let leaves = |action: &Action| {
                    let mut next = *position;
                    game.apply(&mut next, *action);
                    game.perft(&next, depth - 1)
                };
                list.as_slice().iter().map(leaves).sum()
            }
        }
    }
}

impl Playout for WatchYourBack {
    fn playout(&self, position: &mut Position, _: Choice, most: u64, random: &mut Random) -> u64 {
        boosted(Walk { game: self, position, most, random })
    }
}

/// One random game, with the full list of legal actions at every turn.
struct Walk<'a> {
    game: &'a WatchYourBack,
    position: &'a mut Position,
    most: u64,
    random: &'a mut Random,
}

impl Work for Walk<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut position = *self.position;
        let mut list = MoveList::new();
        let mut turns = 0;
        while turns < self.most && position.phase != Phase::Completed {
            list.fill(&position);
            let drawn = self.random.below(list.length as u32) as usize;
            self.game.apply(&mut position, list.items[drawn & (ROOM - 1)]);
            turns += 1;
        }
        *self.position = position;
        turns
    }
}
