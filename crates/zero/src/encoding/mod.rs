//! Games as a network sees them.
//!
//! A position becomes a *row* of bytes: bit planes over the squares, then a few scalars. An action
//! becomes an *index* into the policy: a plane and a square, so that a network without a fully
//! connected layer can answer on any size of board. Everything is seen by the player to move.

mod amazons;
mod in_trap;
#[cfg(test)]
mod laws;
mod watch_your_back;

use serde::{Deserialize, Serialize};
use skirmish_rules::{Game, Seat};

/// The version of the encodings. A network is good for the one it was trained with.
pub const VERSION: u32 = 1;

/// What goes into a network and what comes out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// Rows of the board.
    pub height: usize,
    /// Columns of the board.
    pub width: usize,
    /// Bit planes over the squares.
    pub planes: usize,
    /// Numbers beside them, the same for every square.
    pub scalars: usize,
    /// Planes of the policy.
    pub policy_planes: usize,
    /// Whether the board has no edges.
    pub wraps: bool,
}

impl Shape {
    /// Squares of the board.
    pub fn cells(&self) -> usize {
        self.height * self.width
    }

    /// Bytes of the bit planes.
    pub fn plane_bytes(&self) -> usize {
        (self.planes * self.cells()).div_ceil(8)
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.plane_bytes() + self.scalars
    }

    /// Entries of the policy.
    pub fn policy(&self) -> usize {
        self.policy_planes * self.cells()
    }

    /// Numbers a network answers with: the policy, then win, draw and loss.
    pub fn answer(&self) -> usize {
        self.policy() + 3
    }

    /// Numbers a sample teaches: the policy, win, draw and loss, who owns each square in the end,
    /// the final score and the actions left.
    pub fn target(&self) -> usize {
        self.policy() + 3 + self.cells() + 2
    }
}

/// A way to turn the board that leaves the game the same, as tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Where each square goes.
    pub cells: Vec<u16>,
    /// Which plane each plane becomes.
    pub planes: Vec<u16>,
    /// Which scalar each scalar becomes.
    pub scalars: Vec<u16>,
    /// Which entry of the policy each becomes.
    pub policy: Vec<u16>,
}

/// A game a network can learn: two players, no chance.
pub trait Encode: Game {
    /// Whether self-play stops as soon as [`Encode::settled`] knows the winner. Where the last
    /// moves still have to be learned it does not.
    const STOPS_WHEN_SETTLED: bool;

    /// What goes into a network and what comes out.
    fn shape(&self) -> Shape;

    /// Writes the position as a row. `row` is all zero and as long as [`Shape::row_bytes`].
    fn encode(&self, position: &Self::Position, row: &mut [u8]);

    /// The place of a legal action in the policy: its own among the legal actions.
    fn index(&self, position: &Self::Position, action: Self::Action) -> u16;

    /// What the game is worth to seat 0 where that is known for certain before the end: 1, 0 or -1.
    fn settled(&self, position: &Self::Position) -> Option<f32> {
        let _ = position;
        None
    }

    /// A turn that needs no thought, because all that is left is not to waste anything.
    fn closing_turn(&self, position: &Self::Position) -> Option<Vec<Self::Action>> {
        let _ = position;
        None
    }

    /// Who owns each square when the game has ended (or is settled), as `seat` sees the board: 1 own,
    /// -1 the opponent's. `out` is all zero.
    fn ownership(&self, position: &Self::Position, seat: Seat, out: &mut [f32]);

    /// How the game ended for `seat` beyond who won it, from -1 to 1.
    fn margin(&self, position: &Self::Position, seat: Seat) -> f32;

    /// The ways to turn the board, the identity first.
    fn images(&self) -> Vec<Image>;

    /// How many of the [`Encode::images`], from the first on, hold for this position.
    fn images_of(&self, position: &Self::Position) -> usize;
}

/// Writes bit planes and scalars into a row.
pub(crate) struct Writer<'a> {
    bits: &'a mut [u8],
    scalars: &'a mut [u8],
    cells: usize,
    plane: usize,
    scalar: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(shape: &Shape, row: &'a mut [u8]) -> Writer<'a> {
        let (bits, scalars) = row.split_at_mut(shape.plane_bytes());
        Writer { bits, scalars, cells: shape.cells(), plane: 0, scalar: 0 }
    }

    /// The next plane, as one word with bit n for square n.
    #[inline]
    pub(crate) fn word(&mut self, set: u64) {
        let mut at = self.plane * self.cells;
        let (mut rest, mut left) = (set, self.cells.min(64));
        if self.cells < 64 {
            rest &= (1 << self.cells) - 1;
        }
        // Byte by byte: a plane begins anywhere within one.
        while left > 0 {
            let (byte, shift) = (at / 8, at % 8);
            self.bits[byte] |= (rest << shift) as u8;
            let taken = (8 - shift).min(left);
            rest >>= taken;
            at += taken;
            left -= taken;
        }
        self.plane += 1;
    }

    /// The next plane, square by square.
    #[inline]
    pub(crate) fn squares(&mut self, squares: impl Iterator<Item = u16>) {
        let from = self.plane * self.cells;
        for square in squares {
            let at = from + usize::from(square);
            self.bits[at / 8] |= 1 << (at % 8);
        }
        self.plane += 1;
    }

    /// The next scalar, from 0 to 1.
    #[inline]
    pub(crate) fn scalar(&mut self, value: f32) {
        self.scalars[self.scalar] = (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        self.scalar += 1;
    }

    /// The next scalar, for a number of either sign: `scale` comes out as three quarters of the way.
    #[inline]
    pub(crate) fn signed(&mut self, value: f32, scale: f32) {
        let part = value / scale;
        self.scalar(0.5 + 0.5 * part / (1.0 + part.abs()));
    }

    /// Whether everything the shape promises has been written.
    pub(crate) fn finish(self, shape: &Shape) {
        debug_assert_eq!((self.plane, self.scalar), (shape.planes, shape.scalars));
    }
}

/// Where the squares of a board go when it is turned, mirrored and shifted.
pub(crate) fn cells_of(
    height: usize,
    width: usize,
    to: impl Fn(usize, usize) -> (usize, usize),
) -> Vec<u16> {
    (0..height * width)
        .map(|cell| {
            let (row, column) = to(cell / width, cell % width);
            (row * width + column) as u16
        })
        .collect()
}

/// The table that leaves `count` things where they are.
pub(crate) fn unmoved(count: usize) -> Vec<u16> {
    (0..count as u16).collect()
}
