//! The board as rows, columns and diagonals.
//!
//! A queen on a cell lies on four lines. Each line is one machine word with a set bit for every
//! blocked cell and for everything beyond the edge, so the free run on either side is one shift and
//! one count of zeros: the whole reach of a queen costs eight of each, without tables and without a
//! branch. Playouts and perft keep this form up to date move by move instead of a bitboard.

use crate::cells::Cells;
use crate::cpu::{Work, boosted};
use crate::perft::{Turns, perft_by_steps};

use super::position::{Amazons, Position, Stage};

/// Where a cell lies on one of its four lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Spot {
    /// Which line.
    line: u8,
    /// Which bit of it, from 1: bit 0 is always set and stands for the edge.
    bit: u8,
}

impl Spot {
    /// The cell on its row, its column and its two diagonals, in the order of the game's rays.
    pub(super) fn of(cell: u16, width: u16, height: u16) -> [Spot; 4] {
        let (row, column) = (cell / width, cell % width);
        let (columns, diagonals) = (height, height + width);
        let lines = [
            (row, column),
            (columns + column, row),
            (diagonals + column + height - 1 - row, row),
            (diagonals + width + height - 1 + column + row, row),
        ];
        // At most 26 rows, 26 columns and twice 51 diagonals: a line's number fits a byte.
        lines.map(|(line, place)| Spot { line: line as u8, bit: place as u8 + 1 })
    }
}

/// One word per line. A line's number is a byte, so that indexing needs no check.
#[derive(Clone, Debug)]
pub(super) struct Lines([u32; 256]);

/// The lines of a board with nothing on it, to copy from.
#[derive(Clone, Debug)]
pub(super) struct EmptyLines(Box<Lines>);

impl EmptyLines {
    pub(super) fn new(spots: &[[Spot; 4]]) -> EmptyLines {
        let mut lines = Lines([!0; 256]);
        spots.iter().for_each(|spots| lines.clear(spots));
        EmptyLines(Box::new(lines))
    }
}

impl Lines {
    #[inline(always)]
    fn block(&mut self, spots: &[Spot; 4]) {
        for spot in spots {
            self.0[usize::from(spot.line)] |= 1 << (spot.bit & 31);
        }
    }

    #[inline(always)]
    fn clear(&mut self, spots: &[Spot; 4]) {
        for spot in spots {
            self.0[usize::from(spot.line)] &= !(1 << (spot.bit & 31));
        }
    }

    /// The free cells on one line, before and after the spot.
    #[inline(always)]
    fn runs(&self, spot: Spot) -> [u32; 2] {
        let line = self.0[usize::from(spot.line)];
        let bit = u32::from(spot.bit);
        // Bit 0 and the bits past the last cell are set, so both counts stop at the edge.
        [line.wrapping_shl(32 - bit).leading_zeros(), line.wrapping_shr(bit + 1).trailing_zeros()]
    }

    /// How many cells a queen here reaches.
    #[inline(always)]
    fn reach(&self, spots: &[Spot; 4]) -> u32 {
        let mut reach = 0;
        for spot in spots {
            let [before, after] = self.runs(*spot);
            reach += before + after;
        }
        reach
    }
}

/// What a queen reaches, ray by ray.
pub(super) struct Rays {
    from: u16,
    ends: [u32; 8],
}

impl Rays {
    /// How many cells they reach.
    #[inline(always)]
    pub(super) fn reach(&self) -> u32 {
        self.ends[7]
    }
}

/// Which of several runs laid end to end holds `index`, and where that run starts, given where each
/// but the last ends. Counts instead of searching: there is no branch to mispredict.
#[inline(always)]
pub(super) fn place_of(index: u32, ends: &[u32]) -> (usize, u32) {
    let mut place = 0;
    let mut start = 0;
    for &end in ends {
        let beyond = index >= end;
        place += usize::from(beyond);
        start = if beyond { end } else { start };
    }
    (place, start)
}

/// A game in the form of lines: what the fast paths move about on.
pub(super) struct LineBoard<'a, C> {
    game: &'a Amazons<C>,
    lines: Lines,
    /// The amazons of each side, ascending wherever the order of choices matters.
    amazons: [Vec<u16>; 2],
}

impl<'a, C: Cells> LineBoard<'a, C> {
    /// # Panics
    /// If a turn has been begun.
    pub(super) fn new(game: &'a Amazons<C>, position: &Position<C>) -> LineBoard<'a, C> {
        assert_eq!(position.stage, Stage::Choose, "lines know whole turns only");
        let mut lines = (*game.empty_lines.0).clone();
        for cell in position.blocked().iter() {
            lines.block(&game.spots[usize::from(cell)]);
        }
        let amazons = position.sides.map(|side| side.iter().collect());
        LineBoard { game, lines, amazons }
    }

    #[inline(always)]
    fn spots(&self, cell: u16) -> &'a [Spot; 4] {
        &self.game.spots[usize::from(cell)]
    }

    /// The amazons of one side, ascending.
    pub(super) fn amazons(&self, side: usize) -> &[u16] {
        &self.amazons[side]
    }

    /// How many cells a queen on `cell` reaches.
    #[inline(always)]
    pub(super) fn reach(&self, cell: u16) -> u32 {
        self.lines.reach(self.spots(cell))
    }

    /// The rays of a queen on `cell`: for each ray, how many cells are reached up to its end.
    #[inline(always)]
    pub(super) fn rays(&self, cell: u16) -> Rays {
        let mut ends = [0; 8];
        let mut end = 0;
        for (spot, ends) in self.spots(cell).iter().zip(ends.chunks_exact_mut(2)) {
            let [before, after] = self.lines.runs(*spot);
            ends[0] = end + before;
            ends[1] = end + before + after;
            end = ends[1];
        }
        Rays { from: cell, ends }
    }

    /// The cell that stands at `index` among those the rays reach.
    #[inline(always)]
    pub(super) fn reached(&self, rays: &Rays, index: u32) -> u16 {
        let (ray, start) = place_of(index, &rays.ends[..7]);
        let steps = (index - start + 1) as i16;
        rays.from.wrapping_add_signed(self.game.deltas[ray & 7] * steps)
    }

    /// Moves the amazon with this place in its side's list, keeping the list ascending.
    #[inline(always)]
    pub(super) fn move_amazon(&mut self, side: usize, place: usize, to: u16) {
        let from = self.amazons[side][place];
        self.lines.clear(self.spots(from));
        self.lines.block(self.spots(to));
        // Takes `from` out and puts `to` in, in one pass without a branch that depends on the cells:
        // in the new list each place holds the middle one of its two neighbours and `to`.
        let amazons = &mut self.amazons[side][..];
        let mut before = 0;
        for index in 0..amazons.len() {
            let other = amazons.get(index + usize::from(index >= place));
            let other = other.copied().unwrap_or(u16::MAX);
            amazons[index] = before.max(other.min(to));
            before = other;
        }
    }

    /// Burns a cell.
    #[inline(always)]
    pub(super) fn shoot(&mut self, cell: u16) {
        self.lines.block(self.spots(cell));
    }

    /// Calls `each` with every square this amazon may go to and the number of arrows it may shoot
    /// from there, in the order of the game's actions. The amazon is taken off the board meanwhile,
    /// for its arrow may fly across the square it left.
    #[inline(always)]
    pub(super) fn for_each_destination(&mut self, from: u16, mut each: impl FnMut(u16, u32)) {
        let spots = self.spots(from);
        self.lines.clear(spots);
        for (line, spot) in spots.iter().enumerate() {
            let [before, after] = self.lines.runs(*spot);
            // Wherever it goes on this line, the line's other free cells are its arrows here.
            let along = before + after;
            for (ray, run) in [before, after].into_iter().enumerate() {
                let delta = self.game.deltas[2 * line + ray];
                let mut cell = from;
                for _ in 0..run {
                    cell = cell.wrapping_add_signed(delta);
                    let mut arrows = along;
                    for (other, spot) in self.spots(cell).iter().enumerate() {
                        if other != line {
                            let [before, after] = self.lines.runs(*spot);
                            arrows += before + after;
                        }
                    }
                    each(cell, arrows);
                }
            }
        }
        self.lines.block(spots);
    }

    /// The number of whole turns one side has.
    #[inline(always)]
    pub(super) fn count_turns(&mut self, side: usize) -> u64 {
        let mut turns = 0;
        for place in 0..self.amazons[side].len() {
            let from = self.amazons[side][place];
            self.for_each_destination(from, |_, arrows| turns += u64::from(arrows));
        }
        turns
    }

    #[inline(always)]
    fn for_each_reached(&mut self, from: u16, mut each: impl FnMut(&mut Self, u16)) {
        let spots = self.spots(from);
        for (line, spot) in spots.iter().enumerate() {
            for (ray, run) in self.lines.runs(*spot).into_iter().enumerate() {
                let delta = self.game.deltas[2 * line + ray];
                let mut cell = from;
                for _ in 0..run {
                    cell = cell.wrapping_add_signed(delta);
                    each(self, cell);
                }
            }
        }
    }

    /// Leaves two or more turns away: walks the first turn and counts the rest.
    ///
    /// A function of its own per depth cannot be inlined for ever, so the recursion goes through
    /// [`Perft`], which switches the instructions on once more at each level (a cached check).
    #[inline(always)]
    fn perft(&mut self, side: usize, depth: u32) -> u64 {
        if depth == 1 {
            return self.count_turns(side);
        }
        let mut leaves = 0;
        for place in 0..self.amazons[side].len() {
            let from = self.amazons[side][place];
            let from_spots = self.spots(from);
            self.lines.clear(from_spots);
            self.for_each_reached(from, |board, to| {
                let to_spots = board.spots(to);
                board.amazons[side][place] = to;
                // The amazon's own bit does not hide any of its arrows, so they are walked with it
                // already standing there.
                board.lines.block(to_spots);
                board.for_each_reached(to, |board, arrow| {
                    let arrow_spots = board.spots(arrow);
                    board.lines.block(arrow_spots);
                    leaves += if depth == 2 {
                        board.count_turns(1 - side)
                    } else {
                        boosted(Perft { board: &mut *board, side: 1 - side, depth: depth - 1 })
                    };
                    board.lines.clear(arrow_spots);
                });
                board.lines.clear(to_spots);
            });
            self.amazons[side][place] = from;
            self.lines.block(from_spots);
        }
        leaves
    }
}

struct Perft<'a, 'b, C> {
    board: &'b mut LineBoard<'a, C>,
    side: usize,
    depth: u32,
}

impl<C: Cells> Work for Perft<'_, '_, C> {
    type Output = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        self.board.perft(self.side, self.depth)
    }
}

impl<C: Cells> Turns for Amazons<C> {
    fn perft(&self, position: &Position<C>, depth: u32) -> u64 {
        if depth == 0 || position.stage != Stage::Choose {
            return perft_by_steps(self, position, depth);
        }
        let mut board = LineBoard::new(self, position);
        boosted(Perft { board: &mut board, side: position.mover(), depth })
    }
}
