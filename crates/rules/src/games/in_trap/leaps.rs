//! Leaps: where a piece lands from each square in each direction, and what it passes on the way.
//!
//! All of it is worked out once, when a game is opened. Going around the edges, distances longer
//! than the board and squares passed twice are settled here and nowhere else.

use super::pieces::{DIRECTIONS, STEPS};
use crate::cells::Cells;

/// The distances of one piece, by direction.
pub(super) type Distances = [u32; DIRECTIONS];

/// One leap from one square.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leap<C> {
    /// The squares strictly between start and landing, each once, never the start.
    pub(super) passed: C,
    /// Where it ends.
    pub(super) landing: u16,
}

/// Every leap of every piece.
#[derive(Clone, Debug)]
pub(super) struct Leaps<C> {
    squares: usize,
    /// For every piece and square, the landing square in each direction.
    ///
    /// Where a piece cannot go, this is its own square. That is never empty, so no further test is
    /// needed, and it is just what the rules say of a leap that goes all the way around.
    landings: Vec<[u16; DIRECTIONS]>,
    /// For every distinct distance, square and direction. Pieces share these, since sets of
    /// squares are long on large boards.
    leaps: Vec<Leap<C>>,
    /// Where in `leaps` the distance of each piece begins, by direction.
    starts: Vec<[u32; DIRECTIONS]>,
}

impl<C: Cells> Leaps<C> {
    /// The leaps of pieces with these distances on a board of `size` × `size`.
    pub(super) fn new(size: u16, pieces: &[Distances]) -> Self {
        let squares = size * size;
        let mut distances: Vec<u32> =
            pieces.iter().flatten().map(|&distance| essence(size, distance)).collect();
        distances.sort_unstable();
        distances.dedup();
        let start_of = |distance: u32| {
            let number = distances.binary_search(&essence(size, distance));
            let number = number.expect("every distance is listed") as u32;
            number * u32::from(squares) * DIRECTIONS as u32
        };
        let landings_of = |distances: &Distances, cell: u16| {
            std::array::from_fn(|d| landing(size, cell, d, essence(size, distances[d])))
        };
        Leaps {
            squares: usize::from(squares),
            landings: pieces
                .iter()
                .flat_map(|distances| (0..squares).map(move |cell| landings_of(distances, cell)))
                .collect(),
            leaps: distances.iter().flat_map(|&distance| all_leaps(size, distance)).collect(),
            starts: pieces.iter().map(|distances| distances.map(start_of)).collect(),
        }
    }

    /// The directions, one bit each, in which a piece on `cell` lands on an empty square.
    #[inline(always)]
    pub(super) fn open(&self, piece: usize, cell: u16, empty: C) -> u8 {
        let landings = &self.landings[piece * self.squares + usize::from(cell)];
        (0..DIRECTIONS).fold(0, |open, d| open | u8::from(empty.contains(landings[d])) << d)
    }

    /// The leap of a piece on `cell` in one direction.
    #[inline(always)]
    pub(super) fn leap(&self, piece: usize, cell: u16, direction: usize) -> Leap<C> {
        let start = self.starts[piece][direction] as usize;
        self.leaps[start + usize::from(cell) * DIRECTIONS + direction]
    }
}

/// What a distance comes to on a board of this size: 0 for one that ends where it began, the
/// distance itself if it is less than once around, and otherwise once around and the rest.
pub(super) fn essence(size: u16, distance: u32) -> u32 {
    let size = u32::from(size);
    match distance % size {
        0 => 0,
        rest if distance < size => rest,
        rest => size + rest,
    }
}

fn all_leaps<C: Cells>(size: u16, distance: u32) -> impl Iterator<Item = Leap<C>> {
    (0..size * size).flat_map(move |cell| {
        (0..DIRECTIONS).map(move |direction| {
            let passed = (1..distance)
                .map(|step| landing(size, cell, direction, step))
                .filter(|passed| *passed != cell)
                .fold(C::default(), |passed, cell| passed | C::single(cell));
            Leap { passed, landing: landing(size, cell, direction, distance) }
        })
    })
}

/// The square `distance` away, going around the edges.
fn landing(size: u16, cell: u16, direction: usize, distance: u32) -> u16 {
    let along = |start: u16, step: i32| {
        let end = i64::from(start) + i64::from(step) * i64::from(distance);
        end.rem_euclid(i64::from(size)) as u16
    };
    let (row_step, column_step) = STEPS[direction];
    along(cell / size, row_step) * size + along(cell % size, column_step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_come_to_what_they_pass_and_where_they_end() {
        let on_six = [0, 1, 5, 6, 7, 11, 12, 13, 600, 601].map(|distance| essence(6, distance));
        assert_eq!(on_six, [0, 1, 5, 0, 7, 11, 0, 7, 0, 7]);
    }

    #[test]
    fn a_leap_of_any_length_follows_the_plain_rule() {
        for size in [4, 6, 7] {
            for distance in 0..30 {
                let leaps = Leaps::<u64>::new(size, &[[distance; DIRECTIONS]]);
                for (cell, direction) in [(0, 0), (5, 1), (size * size - 1, 7), (6, 5), (9, 4)] {
                    let leap = leaps.leap(0, cell, direction);
                    assert_eq!(leap.landing, landing(size, cell, direction, distance));
                    // Squares 1, 2, … up to the one before the landing, unless it cannot go.
                    let can_go = distance % u32::from(size) != 0;
                    let passed = (1..distance)
                        .map(|step| landing(size, cell, direction, step))
                        .filter(|passed| can_go && *passed != cell)
                        .fold(0, |passed, cell| passed | 1_u64 << cell);
                    assert_eq!(leap.passed, passed, "size {size}, distance {distance}");
                }
            }
        }
    }
}
