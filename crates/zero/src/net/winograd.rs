//! 3×3 convolutions by Winograd's method.
//!
//! A convolution multiplies polynomials, and polynomials may be multiplied by their values at a
//! few points. For a *tile* of `M`×`M` squares the input around it, `N`×`N` squares with
//! `N = M + 2`, is turned into its values at `N`×`N` points; at each point the channels are
//! multiplied by a matrix of weights that was prepared beforehand; and the products are turned
//! into the tile. That is `(N / M)²` multiplications a square instead of 9: 1.8 to 4.
//!
//! The points in each direction are pairs `±p`, the point 0 if `M` is even, and infinity. Pairs
//! save work, since even and odd powers are summed once for both. Larger tiles lose digits. In
//! a NumPy prototype, one random tower of 8 blocks for each of three boards, the errors of logits
//! of about 2.5 were at most 1.4e-6 with tiles of 2, 2.5e-6 of 3, 4e-6 of 4, 7e-6 of 5 and 1.3e-5
//! of 6. The points below were chosen there, out of one to four sets a side.

#![allow(
    clippy::needless_range_loop,
    reason = "rows and columns by their numbers, as in the formulas"
)]

use super::level::{Lanes, Level, Work};
use super::matrix::{Buffer, multiply, pack};
use crate::encoding::Shape;

/// The sides tiles can have.
pub(super) const SIDES: [usize; 5] = [2, 3, 4, 5, 6];

const LARGEST: usize = SIDES[SIDES.len() - 1];
const MOST_PAIRS: usize = LARGEST / 2;

/// The points `p` of the pairs `±p`, and how many there are.
const fn pairs(side: usize) -> ([f64; MOST_PAIRS], usize) {
    match side {
        2 => ([1.0, 0.0, 0.0], 1),
        3 => ([0.5, 1.0, 0.0], 2),
        4 => ([0.75, 1.5, 0.0], 2),
        5 => ([0.375, 0.875, 1.5], 3),
        6 => ([0.5, 1.0, 2.0], 3),
        _ => panic!("no tile has such a side"),
    }
}

/// The coefficients of the transforms, worked out by the compiler.
struct Table {
    points: [f32; MOST_PAIRS],
    /// The product of `x² - p²` over all pairs, in ascending powers of `x²`.
    product: [f32; MOST_PAIRS + 1],
    /// The same without one pair, for each.
    without: [[f32; MOST_PAIRS + 1]; MOST_PAIRS],
    /// The powers of each point.
    powers: [[f32; LARGEST]; MOST_PAIRS],
}

impl Table {
    const fn of_tile(side: usize) -> Table {
        let (points, pairs) = pairs(side);
        let mut table = Table {
            points: [0.0; MOST_PAIRS],
            product: product(side, pairs),
            without: [[0.0; MOST_PAIRS + 1]; MOST_PAIRS],
            powers: [[0.0; LARGEST]; MOST_PAIRS],
        };
        let mut pair = 0;
        while pair < pairs {
            table.points[pair] = points[pair] as f32;
            table.without[pair] = product(side, pair);
            let (mut power, mut number) = (0, 1.0);
            while power < LARGEST {
                table.powers[pair][power] = number as f32;
                number *= points[pair];
                power += 1;
            }
            pair += 1;
        }
        table
    }
}

/// The product of `x² - p²` over all pairs but `without`.
const fn product(side: usize, without: usize) -> [f32; MOST_PAIRS + 1] {
    let (points, pairs) = pairs(side);
    let mut product = [1.0, 0.0, 0.0, 0.0];
    let mut pair = 0;
    while pair < pairs {
        if pair != without {
            let square = points[pair] * points[pair];
            product = [
                -square * product[0],
                product[0] - square * product[1],
                product[1] - square * product[2],
                product[2] - square * product[3],
            ];
        }
        pair += 1;
    }
    [product[0] as f32, product[1] as f32, product[2] as f32, product[3] as f32]
}

/// The input in one direction as its values at the points: 0 if it is one, the pairs, infinity.
#[inline(always)]
fn values<const M: usize, const N: usize, const L: usize, const FMA: bool>(
    input: [Lanes<L>; N],
) -> [Lanes<L>; N] {
    let table = const { Table::of_tile(M) };
    let (zero, pairs) = (1 - M % 2, M.div_ceil(2));
    // The numbers of the input at every second place times coefficients, the last of which is 1.
    let sum = |start: usize, coefficients: &[f32]| {
        let last = coefficients.len() - 1;
        let mut sum = input[start + 2 * last];
        for i in 0..last {
            sum = sum.plus_times::<FMA>(coefficients[i], input[start + 2 * i]);
        }
        sum
    };
    let mut output = [Lanes::ZERO; N];
    if zero == 1 {
        output[0] = sum(0, &table.product[..=pairs]);
    }
    for pair in 0..pairs {
        let low = sum(zero, &table.without[pair][..pairs]);
        let high = sum(zero + 1, &table.without[pair][..pairs]);
        output[zero + 2 * pair] = high.plus_times::<FMA>(table.points[pair], low);
        output[zero + 2 * pair + 1] = high.plus_times::<FMA>(-table.points[pair], low);
    }
    output[N - 1] = sum(zero, &table.product[..=pairs]);
    output
}

/// The values at the points as squares of the tile, in one direction.
#[inline(always)]
fn squares<const M: usize, const N: usize, const L: usize, const FMA: bool>(
    values: [Lanes<L>; N],
) -> [Lanes<L>; M] {
    let table = const { Table::of_tile(M) };
    let (zero, pairs) = (1 - M % 2, M.div_ceil(2));
    let mut output = [Lanes::ZERO; M];
    for pair in 0..pairs {
        let (plus, minus) = (values[zero + 2 * pair], values[zero + 2 * pair + 1]);
        let parts = [plus.plus(minus), plus.minus(minus)];
        for i in 0..M {
            output[i] = if pair == 0 {
                parts[i % 2].times(table.powers[pair][i])
            } else {
                output[i].plus_times::<FMA>(table.powers[pair][i], parts[i % 2])
            };
        }
    }
    if zero == 1 {
        output[0] = output[0].plus(values[0]);
    }
    output[M - 1] = output[M - 1].plus(values[N - 1]);
    output
}

/// What turns three weights in one direction into their values at the points.
fn weights_to_points(side: usize) -> Vec<[f64; 3]> {
    let (points, pairs) = pairs(side);
    let mut all = if side.is_multiple_of(2) { vec![0.0] } else { vec![] };
    all.extend(points[..pairs].iter().flat_map(|&point| [point, -point]));
    let at = |point: f64| {
        let others = all.iter().filter(|&&other| other != point);
        let scale = 1.0 / others.map(|other| point - other).product::<f64>();
        [scale, scale * point, scale * point * point]
    };
    all.iter().map(|&point| at(point)).chain([[0.0, 0.0, 1.0]]).collect()
}

/// How a board is cut into tiles.
#[derive(Debug)]
pub(super) struct Tiling {
    /// Squares on a side of a tile.
    side: usize,
    /// Squares on the board. Activations have one more, which stays zero: what lies outside.
    cells: usize,
    /// For every tile, the squares around and in it: the input.
    reads: Vec<u32>,
    /// For every tile, its squares, or [`Tiling::NOWHERE`].
    writes: Vec<u32>,
}

impl Tiling {
    const NOWHERE: u32 = u32::MAX;

    pub(super) fn new(shape: &Shape, side: usize) -> Tiling {
        let (height, width, cells) = (shape.height, shape.width, shape.cells());
        let inside = |y: usize, x: usize| y < height && x < width;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for top in (0..height).step_by(side) {
            for left in (0..width).step_by(side) {
                let square = |n: usize, i: usize| (top + i / n, left + i % n);
                // Squares above and to the left are one row and one column before the tile.
                reads.extend((0..(side + 2).pow(2)).map(|i| {
                    let (y, x) = square(side + 2, i);
                    let cell = if shape.wraps {
                        (y + height - 1) % height * width + (x + width - 1) % width
                    } else if inside(y.wrapping_sub(1), x.wrapping_sub(1)) {
                        (y - 1) * width + x - 1
                    } else {
                        cells
                    };
                    cell as u32
                }));
                writes.extend((0..side * side).map(|i| match square(side, i) {
                    (y, x) if inside(y, x) => (y * width + x) as u32,
                    _ => Tiling::NOWHERE,
                }));
            }
        }
        Tiling { side, cells, reads, writes }
    }

    pub(super) fn tiles(&self) -> usize {
        self.writes.len() / self.side.pow(2)
    }

    /// Points at which a tile is multiplied.
    pub(super) fn points(&self) -> usize {
        (self.side + 2).pow(2)
    }
}

/// A 3×3 convolution.
#[derive(Debug)]
pub(super) struct Convolution {
    level: Level,
    inputs: usize,
    outputs: usize,
    /// For every point a matrix in panels.
    weights: Buffer,
}

/// What a convolution does to some positions.
pub(super) struct Step<'a> {
    pub(super) tiling: &'a Tiling,
    /// The convolution is of `relu(input)`.
    pub(super) input: &'a [f32],
    /// What is added to all squares: one row of channels for all positions, or one for each.
    pub(super) bias: &'a [f32],
    /// Whether what `output` held before is also added.
    pub(super) add: bool,
    pub(super) output: &'a mut [f32],
    pub(super) room: &'a mut Room,
}

/// Where numbers lie between the transforms.
#[derive(Debug)]
pub(super) struct Room {
    values: Buffer,
    products: Buffer,
}

impl Room {
    /// Room for so many positions and channels.
    pub(super) fn new(tiling: &Tiling, positions: usize, inputs: usize, outputs: usize) -> Room {
        let room =
            |channels| Buffer::new(tiling.points() * stride(positions * tiling.tiles(), channels));
        Room { values: room(inputs), products: room(outputs) }
    }
}

/// Numbers from one point to the next, for so many tiles. One line more than there are numbers, or
/// the points would often share a few sets of the cache.
fn stride(tiles: usize, channels: usize) -> usize {
    tiles * channels + 16
}

impl Convolution {
    /// Prepares weights of 3×3×`inputs`×`outputs`; `depth` and `width` are those numbers of
    /// channels with padding.
    pub(super) fn new(
        level: Level,
        side: usize,
        weight: &[f32],
        (inputs, depth): (usize, usize),
        (outputs, width): (usize, usize),
    ) -> Convolution {
        let matrix = weights_to_points(side);
        let mut weights = Buffer::new(matrix.len().pow(2) * depth * width);
        let mut sums = vec![0.0; inputs * outputs];
        for (point, panels) in weights.chunks_exact_mut(depth * width).enumerate() {
            let (vertical, horizontal) = (matrix[point / (side + 2)], matrix[point % (side + 2)]);
            sums.fill(0.0);
            for (tap, weight) in weight.chunks_exact(inputs * outputs).enumerate() {
                let factor = vertical[tap / 3] * horizontal[tap % 3];
                for (sum, weight) in sums.iter_mut().zip(weight) {
                    *sum += factor * f64::from(*weight);
                }
            }
            pack(panels, depth, level.width(), |k, column| {
                let padding = k >= inputs || column >= outputs;
                if padding { 0.0 } else { sums[k * outputs + column] as f32 }
            });
        }
        Convolution { level, inputs: depth, outputs: width, weights }
    }

    /// Does what the step says.
    pub(super) fn apply(&self, step: Step) {
        match step.tiling.side {
            2 => self.apply_to_tiles::<2, 4>(step),
            3 => self.apply_to_tiles::<3, 5>(step),
            4 => self.apply_to_tiles::<4, 6>(step),
            5 => self.apply_to_tiles::<5, 7>(step),
            6 => self.apply_to_tiles::<6, 8>(step),
            _ => unreachable!("no tile has such a side"),
        }
    }

    fn apply_to_tiles<const M: usize, const N: usize>(&self, step: Step) {
        let Convolution { level, inputs, outputs, ref weights } = *self;
        let Step { tiling, input, bias, add, output, room } = step;
        let Room { values, products } = room;
        let tiles = output.len() / ((tiling.cells + 1) * outputs) * tiling.tiles();
        let (before, after) = (stride(tiles, inputs), stride(tiles, outputs));

        level.run(Spread::<M, N> { tiling, input, channels: inputs, values, stride: before });
        for (point, right) in weights.chunks_exact(inputs * outputs).enumerate() {
            let left = &values[point * before..][..tiles * inputs];
            let out = &mut products[point * after..][..tiles * outputs];
            multiply(level, left, inputs, right, outputs, out);
        }
        let (channels, stride) = (outputs, after);
        level.run(Gather::<M, N> { tiling, products, stride, bias, add, output, channels });
    }
}

/// The transform of the input.
struct Spread<'a, const M: usize, const N: usize> {
    tiling: &'a Tiling,
    input: &'a [f32],
    channels: usize,
    values: &'a mut [f32],
    /// Numbers from one point to the next.
    stride: usize,
}

impl<const M: usize, const N: usize> Work for Spread<'_, M, N> {
    #[inline(always)]
    fn run<const LANES: usize, const FMA: bool>(self) {
        let Spread { tiling, input, channels, values: out, stride } = self;
        let mut place = 0;
        let mut columns = [[Lanes::<LANES>::ZERO; N]; N];
        for board in input.chunks_exact((tiling.cells + 1) * channels) {
            for reads in tiling.reads.chunks_exact(N * N) {
                for channel in (0..channels).step_by(LANES) {
                    for j in 0..N {
                        let mut column = [Lanes::ZERO; N];
                        for i in 0..N {
                            let at = reads[i * N + j] as usize * channels + channel;
                            column[i] = Lanes::load(board, at).relu();
                        }
                        columns[j] = values::<M, N, LANES, FMA>(column);
                    }
                    for i in 0..N {
                        let mut row = [Lanes::ZERO; N];
                        for j in 0..N {
                            row[j] = columns[j][i];
                        }
                        let row = values::<M, N, LANES, FMA>(row);
                        for j in 0..N {
                            row[j].store(out, (i * N + j) * stride + place + channel);
                        }
                    }
                }
                place += channels;
            }
        }
    }
}

/// The transform of the products.
struct Gather<'a, const M: usize, const N: usize> {
    tiling: &'a Tiling,
    products: &'a [f32],
    /// Numbers from one point to the next.
    stride: usize,
    bias: &'a [f32],
    add: bool,
    output: &'a mut [f32],
    channels: usize,
}

impl<const M: usize, const N: usize> Work for Gather<'_, M, N> {
    #[inline(always)]
    fn run<const LANES: usize, const FMA: bool>(self) {
        let Gather { tiling, products, stride, bias, add, output, channels } = self;
        let boards = output.chunks_exact_mut((tiling.cells + 1) * channels);
        let mut place = 0;
        let mut columns = [[Lanes::<LANES>::ZERO; M]; N];
        for (board, bias) in boards.zip(bias.chunks_exact(channels).cycle()) {
            for writes in tiling.writes.chunks_exact(M * M) {
                for channel in (0..channels).step_by(LANES) {
                    let bias = Lanes::<LANES>::load(bias, channel);
                    for j in 0..N {
                        let mut column = [Lanes::ZERO; N];
                        for i in 0..N {
                            let at = (i * N + j) * stride + place + channel;
                            column[i] = Lanes::load(products, at);
                        }
                        columns[j] = squares::<M, N, LANES, FMA>(column);
                    }
                    for i in 0..M {
                        let mut row = [Lanes::ZERO; N];
                        for j in 0..N {
                            row[j] = columns[j][i];
                        }
                        let row = squares::<M, N, LANES, FMA>(row);
                        for j in 0..M {
                            let cell = writes[i * M + j];
                            if cell != Tiling::NOWHERE {
                                let at = cell as usize * channels + channel;
                                let mut sum = row[j].plus(bias);
                                if add {
                                    sum = sum.plus(Lanes::load(board, at));
                                }
                                sum.store(board, at);
                            }
                        }
                    }
                }
                place += channels;
            }
        }
    }
}
