//! Amazons on a plain mailbox: an array of squares with a border, and loops that walk it.
//!
//! This second implementation shares no code with the real one. The tests compare the two, and
//! `skirmish bench` times them side by side, so that a claim of speed has a yardstick that runs on
//! the same machine in the same minute. It is written as well as a plain mailbox can be, and then
//! left alone: speeding it up would only move the yardstick.

use crate::cells::Cells;
use crate::random::Random;

use super::position::{Amazons, Position};

/// What stands on a square; anything but `EMPTY` stops a queen.
const EMPTY: u8 = 0;
const BLOCKED: u8 = 1;

/// A position on a mailbox board with a border one square wide.
#[derive(Clone, Debug)]
pub struct Mailbox {
    squares: Vec<u8>,
    deltas: [isize; 8],
    amazons: [Vec<usize>; 2],
    mover: usize,
}

impl Mailbox {
    /// Sets up the same position.
    pub fn new<C: Cells>(game: &Amazons<C>, position: &Position<C>) -> Mailbox {
        let (width, height) = (usize::from(game.width()), usize::from(game.height()));
        let stride = width + 2;
        let square = |cell: u16| {
            let (row, column) = (usize::from(cell) / width, usize::from(cell) % width);
            (row + 1) * stride + column + 1
        };
        let mut squares = vec![BLOCKED; stride * (height + 2)];
        for cell in 0..game.width() * game.height() {
            squares[square(cell)] = if position.blocked().contains(cell) { BLOCKED } else { EMPTY };
        }
        let s = stride as isize;
        Mailbox {
            squares,
            deltas: [-1, 1, -s, s, -s - 1, s + 1, -s + 1, s - 1],
            amazons: [0, 1].map(|side| position.amazons(side).iter().map(square).collect()),
            mover: position.mover(),
        }
    }

    /// How many squares a queen here reaches.
    #[inline]
    fn reach(&self, from: usize) -> u32 {
        let mut reach = 0;
        for delta in self.deltas {
            let mut square = from.wrapping_add_signed(delta);
            while self.squares[square] == EMPTY {
                reach += 1;
                square = square.wrapping_add_signed(delta);
            }
        }
        reach
    }

    /// The number of whole turns the mover has.
    fn count_turns(&mut self) -> u64 {
        let mut turns = 0;
        for place in 0..self.amazons[self.mover].len() {
            let from = self.amazons[self.mover][place];
            self.squares[from] = EMPTY;
            for delta in self.deltas {
                let mut to = from.wrapping_add_signed(delta);
                while self.squares[to] == EMPTY {
                    turns += u64::from(self.reach(to));
                    to = to.wrapping_add_signed(delta);
                }
            }
            self.squares[from] = BLOCKED;
        }
        turns
    }

    /// The number of sequences of `depth` whole turns; the last turn is counted, not made.
    pub fn perft(&mut self, depth: u32) -> u64 {
        match depth {
            0 => return 1,
            1 => return self.count_turns(),
            _ => {}
        }
        let mut leaves = 0;
        let side = self.mover;
        for place in 0..self.amazons[side].len() {
            let from = self.amazons[side][place];
            self.squares[from] = EMPTY;
            for delta in self.deltas {
                let mut to = from.wrapping_add_signed(delta);
                while self.squares[to] == EMPTY {
                    self.squares[to] = BLOCKED;
                    self.amazons[side][place] = to;
                    for delta in self.deltas {
                        let mut arrow = to.wrapping_add_signed(delta);
                        while self.squares[arrow] == EMPTY {
                            self.squares[arrow] = BLOCKED;
                            self.mover = 1 - side;
                            leaves += self.perft(depth - 1);
                            self.mover = side;
                            self.squares[arrow] = EMPTY;
                            arrow = arrow.wrapping_add_signed(delta);
                        }
                    }
                    self.squares[to] = EMPTY;
                    to = to.wrapping_add_signed(delta);
                }
            }
            self.amazons[side][place] = from;
            self.squares[from] = BLOCKED;
        }
        leaves
    }

    /// Plays a random game to its end, choosing amazon and square together, then the arrow.
    /// Returns the number of turns.
    pub fn playout_in_two_stages(&mut self, random: &mut Random) -> u64 {
        let mut moves: Vec<(usize, usize)> = Vec::with_capacity(256);
        let mut arrows: Vec<usize> = Vec::with_capacity(64);
        let mut turns = 0;
        loop {
            moves.clear();
            for (place, &from) in self.amazons[self.mover].iter().enumerate() {
                for delta in self.deltas {
                    let mut to = from.wrapping_add_signed(delta);
                    while self.squares[to] == EMPTY {
                        moves.push((place, to));
                        to = to.wrapping_add_signed(delta);
                    }
                }
            }
            if moves.is_empty() {
                return turns;
            }
            let (place, to) = moves[random.below(moves.len() as u32) as usize];
            let from = std::mem::replace(&mut self.amazons[self.mover][place], to);
            self.squares[from] = EMPTY;
            self.squares[to] = BLOCKED;
            // The real game lists amazons in the order of their squares; so must the yardstick, to
            // play the same games from the same seeds.
            self.amazons[self.mover].sort_unstable();

            arrows.clear();
            for delta in self.deltas {
                let mut arrow = to.wrapping_add_signed(delta);
                while self.squares[arrow] == EMPTY {
                    arrows.push(arrow);
                    arrow = arrow.wrapping_add_signed(delta);
                }
            }
            self.squares[arrows[random.below(arrows.len() as u32) as usize]] = BLOCKED;
            self.mover = 1 - self.mover;
            turns += 1;
        }
    }

    /// Who is to move: 0 white, 1 black. After a playout, that side has lost.
    pub fn mover(&self) -> usize {
        self.mover
    }
}
