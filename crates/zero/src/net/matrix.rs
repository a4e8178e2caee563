//! Matrix multiplication for matrices that fit in the cache.
//!
//! The right-hand side is always weights, so it is stored in *panels* beforehand: `WIDTH` columns
//! beside each other, row after row, the order in which they are used. A block of some rows on
//! the left times one panel is summed up entirely in registers; each number of the product is
//! summed in the order of the depth whatever the size of the block, so that a row's product does
//! not depend on its neighbours.

#![allow(
    clippy::needless_range_loop,
    reason = "rows and columns by their numbers, as in the formulas"
)]

use std::ops::{Deref, DerefMut};

use super::level::{Lanes, Level, PANEL, Work};

/// Zeros at first, and never resized: aligned, so that no vector lies across two cache lines.
#[derive(Debug)]
pub(super) struct Buffer {
    numbers: Vec<f32>,
    start: usize,
}

impl Buffer {
    pub(super) fn new(length: usize) -> Buffer {
        const LINE: usize = 64;
        let mut numbers = vec![0.0; length + LINE / size_of::<f32>()];
        let start = numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<f32>());
        numbers.truncate(start + length);
        Buffer { numbers, start }
    }
}

impl Deref for Buffer {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        &self.numbers[self.start..]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.start..]
    }
}

/// Writes a matrix of `depth`×`width` into panels of `panel` columns.
pub(super) fn pack(
    panels: &mut [f32],
    depth: usize,
    panel: usize,
    number: impl Fn(usize, usize) -> f32,
) {
    for (index, place) in panels.iter_mut().enumerate() {
        let (block, within) = (index / (depth * panel), index % (depth * panel));
        *place = number(within / panel, block * panel + within % panel);
    }
}

/// The product of matrices: `out = left * right`, where `left` has `depth` columns and `right`,
/// in panels, has `width`, a multiple of the panels' width.
pub(super) fn multiply(
    level: Level,
    left: &[f32],
    depth: usize,
    right: &[f32],
    width: usize,
    out: &mut [f32],
) {
    let most = level.rows();
    let rows = out.len() / width;
    let blocks = rows.div_ceil(most);
    for (index, panel) in right.chunks_exact(depth * level.width()).enumerate() {
        for block in 0..blocks {
            // Blocks of nearly one size: 7 and 6 rows are faster than 12 and 1.
            let (start, end) = (rows * block / blocks, rows * (block + 1) / blocks);
            let left = &left[start * depth..end * depth];
            let out = &mut out[start * width + index * level.width()..];
            macro_rules! of_rows {
                ($($rows:literal)*) => {
                    match end - start {
                        $($rows => level.run(Block::<$rows> { left, depth, panel, width, out }),)*
                        _ => unreachable!("no level takes so many rows"),
                    }
                };
            }
            of_rows!(1 2 3 4 5 6 7 8 9 10 11 12);
        }
    }
}

/// A block of `ROWS` rows times one panel.
struct Block<'a, const ROWS: usize> {
    left: &'a [f32],
    depth: usize,
    panel: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl<const ROWS: usize> Work for Block<'_, ROWS> {
    #[inline(always)]
    fn run<const LANES: usize, const FMA: bool>(self) {
        let Block { left, depth, panel, width, out } = self;
        let rows: [&[f32]; ROWS] = std::array::from_fn(|row| &left[row * depth..][..depth]);
        let panel = &panel.as_chunks::<LANES>().0.as_chunks::<PANEL>().0[..depth];
        let mut sums = [[Lanes::<LANES>::ZERO; PANEL]; ROWS];
        // The loops over the rows are written out: left to itself, the compiler keeps the sums in
        // memory and adds them one by one. `% ROWS` is for the copies that are skipped.
        macro_rules! for_each_row {
            ($body:expr) => {
                for_each_row!($body; 0 1 2 3 4 5 6 7 8 9 10 11)
            };
            ($body:expr; $($row:literal)*) => {
                $(if $row < ROWS { $body($row % ROWS) })*
            };
        }
        for k in 0..depth {
            for_each_row!(|row: usize| for part in 0..PANEL {
                sums[row][part] =
                    sums[row][part].plus_times::<FMA>(rows[row][k], Lanes(panel[k][part]));
            });
        }
        for_each_row!(|row: usize| for part in 0..PANEL {
            sums[row][part].store(out, row * width + part * LANES);
        });
    }
}

/// A fully connected layer: a matrix and what is added to each row of the product.
#[derive(Debug)]
pub(super) struct Dense {
    level: Level,
    depth: usize,
    pub(super) width: usize,
    right: Buffer,
    bias: Vec<f32>,
}

impl Dense {
    /// Prepares weights of `weight.len() / outputs` rows. Input `k` of the layer is row
    /// `row(k)` of the weights, or padding.
    pub(super) fn new(
        level: Level,
        weight: &[f32],
        bias: &[f32],
        outputs: usize,
        depth: usize,
        row: impl Fn(usize) -> Option<usize>,
    ) -> Dense {
        let width = outputs.next_multiple_of(level.width());
        let mut right = Buffer::new(depth * width);
        pack(&mut right, depth, level.width(), |k, column| match row(k) {
            Some(row) if column < outputs => weight[row * outputs + column],
            _ => 0.0,
        });
        let mut bias = bias.to_vec();
        bias.resize(width, 0.0);
        Dense { level, depth, width, right, bias }
    }

    /// `out = left * weight + bias` for some rows.
    pub(super) fn apply(&self, left: &[f32], out: &mut [f32]) {
        let Dense { level, depth, width, ref right, ref bias } = *self;
        if depth == 0 {
            out.fill(0.0);
        } else {
            multiply(level, left, depth, right, width, out);
        }
        for row in out.chunks_exact_mut(width) {
            row.iter_mut().zip(bias).for_each(|(sum, bias)| *sum += bias);
        }
    }
}
