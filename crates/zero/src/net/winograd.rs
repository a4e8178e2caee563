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
//! towers of 8 blocks the errors of logits of about 2.5 were at most 1.4e-6 with tiles of 2, 2.5e-6
//! of 3, 4e-6 of 4, 7e-6 of 5 and 1.3e-5 of 6, with the points below, the best of a few tried.

use super::file::Shape;
use super::level::{Lanes, Level, Work};
use super::matrix::{Buffer, multiply, pack};

/// The largest tile there is.
const LARGEST: usize = 6;
const MOST_PAIRS: usize = 3;

/// The numbers of the transforms for tiles of one size.
struct Points {
    /// The pairs `±p`.
    pairs: usize,
    points: [f64; MOST_PAIRS],
}

impl Points {
    const fn of_tile(side: usize) -> Points {
        let (pairs, points) = match side {
            2 => (1, [1.0, 0.0, 0.0]),
            3 => (2, [0.5, 1.0, 0.0]),
            4 => (2, [0.75, 1.5, 0.0]),
            5 => (3, [0.375, 0.875, 1.5]),
            6 => (3, [0.5, 1.0, 2.0]),
            _ => panic!("no tile has this size"),
        };
        Points { pairs, points }
    }

    /// The coefficients of the product of `x² - p²` over all pairs, or all but one, in ascending
    /// powers of `x²`.
    const fn product(&self, without: usize) -> [f64; MOST_PAIRS + 1] {
        let mut product = [1.0, 0.0, 0.0, 0.0];
        let mut pair = 0;
        while pair < self.pairs {
            if pair != without {
                let square = self.points[pair] * self.points[pair];
                let mut power = MOST_PAIRS;
                while power > 0 {
                    product[power] = product[power - 1] - square * product[power];
                    power -= 1;
                }
                product[0] *= -square;
            }
            pair += 1;
        }
        product
    }
}

/// [`Points`] as the loops want them.
struct Table {
    points: [f32; MOST_PAIRS],
    /// The product without each pair.
    without: [[f32; MOST_PAIRS]; MOST_PAIRS],
    /// The product of all pairs.
    product: [f32; MOST_PAIRS + 1],
    /// The powers of each point.
    powers: [[f32; LARGEST]; MOST_PAIRS],
}

impl Table {
    const fn of_tile(side: usize) -> Table {
        let points = Points::of_tile(side);
        let mut table = Table {
            points: [0.0; MOST_PAIRS],
            without: [[0.0; MOST_PAIRS]; MOST_PAIRS],
            product: [0.0; MOST_PAIRS + 1],
            powers: [[0.0; LARGEST]; MOST_PAIRS],
        };
        let product = points.product(MOST_PAIRS);
        let mut i = 0;
        while i <= points.pairs {
            table.product[i] = product[i] as f32;
            i += 1;
        }
        let mut pair = 0;
        while pair < points.pairs {
            table.points[pair] = points.points[pair] as f32;
            let without = points.product(pair);
            let mut i = 0;
            while i < points.pairs {
                table.without[pair][i] = without[i] as f32;
                i += 1;
            }
            let mut power = 1.0;
            let mut i = 0;
            while i < LARGEST {
                table.powers[pair][i] = power as f32;
                power *= points.points[pair];
                i += 1;
            }
            pair += 1;
        }
        table
    }
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
    let Points { pairs, points } = Points::of_tile(side);
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

    /// Numbers from one point to the next, for so many tiles. One line more than there are
    /// numbers, or the points would often share a few sets of the cache.
    fn stride(tiles: usize, channels: usize) -> usize {
        tiles * channels + 16
    }

    /// Numbers needed between the transforms.
    pub(super) fn room(&self, positions: usize, channels: usize) -> usize {
        self.points() * Tiling::stride(positions * self.tiles(), channels)
    }
}

/// A 3×3 convolution.
#[derive(Debug)]
pub(super) struct Convolution {
    inputs: usize,
    outputs: usize,
    /// For every point a matrix in panels.
    weights: Buffer,
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
        let mut places = weights.chunks_exact_mut(depth * width);
        let mut sums = vec![0.0; inputs * outputs];
        for (vertical, horizontal) in
            matrix.iter().flat_map(|vertical| matrix.iter().map(move |other| (vertical, other)))
        {
            sums.fill(0.0);
            for (tap, weight) in weight.chunks_exact(inputs * outputs).enumerate() {
                let factor = vertical[tap / 3] * horizontal[tap % 3];
                for (sum, weight) in sums.iter_mut().zip(weight) {
                    *sum += factor * f64::from(*weight);
                }
            }
            let place = places.next().expect("there is a matrix for every point");
            pack(place, depth, level.width(), |k, column| {
                let inside = k < inputs && column < outputs;
                if inside { sums[k * outputs + column] as f32 } else { 0.0 }
            });
        }
        Convolution { inputs: depth, outputs: width, weights }
    }

    /// The convolution of `relu(input)`, for some positions, into `output`. `base` is added, with
    /// one row for all positions or one for each; and what `output` held before, if `add`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn apply(
        &self,
        level: Level,
        tiling: &Tiling,
        input: &[f32],
        base: &[f32],
        add: bool,
        output: &mut [f32],
        room: &mut Room,
    ) {
        let Convolution { inputs, outputs, ref weights } = *self;
        let positions = output.len() / ((tiling.cells + 1) * outputs);
        let tiles = positions * tiling.tiles();
        let (before, after) = (Tiling::stride(tiles, inputs), Tiling::stride(tiles, outputs));
        match tiling.side {
            2 => level.run(Spread::<2, 4> {
                tiling,
                input,
                channels: inputs,
                values: &mut room.values,
            }),
            3 => level.run(Spread::<3, 5> {
                tiling,
                input,
                channels: inputs,
                values: &mut room.values,
            }),
            4 => level.run(Spread::<4, 6> {
                tiling,
                input,
                channels: inputs,
                values: &mut room.values,
            }),
            5 => level.run(Spread::<5, 7> {
                tiling,
                input,
                channels: inputs,
                values: &mut room.values,
            }),
            _ => level.run(Spread::<6, 8> {
                tiling,
                input,
                channels: inputs,
                values: &mut room.values,
            }),
        }
        for (point, right) in weights.chunks_exact(inputs * outputs).enumerate() {
            let left = &room.values[point * before..][..tiles * inputs];
            let out = &mut room.products[point * after..][..tiles * outputs];
            multiply(level, left, inputs, right, outputs, out);
        }
        let products = &room.products;
        match tiling.side {
            2 => {
                level.run(Gather::<2, 4> { tiling, products, base, add, output, channels: outputs })
            }
            3 => {
                level.run(Gather::<3, 5> { tiling, products, base, add, output, channels: outputs })
            }
            4 => {
                level.run(Gather::<4, 6> { tiling, products, base, add, output, channels: outputs })
            }
            5 => {
                level.run(Gather::<5, 7> { tiling, products, base, add, output, channels: outputs })
            }
            _ => {
                level.run(Gather::<6, 8> { tiling, products, base, add, output, channels: outputs })
            }
        }
    }
}

/// What a convolution needs between its transforms.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) values: Buffer,
    pub(super) products: Buffer,
}

/// The transform of the input.
struct Spread<'a, const M: usize, const N: usize> {
    tiling: &'a Tiling,
    input: &'a [f32],
    channels: usize,
    values: &'a mut [f32],
}

impl<const M: usize, const N: usize> Work for Spread<'_, M, N> {
    #[inline(always)]
    fn run<const LANES: usize, const FMA: bool>(self) {
        let Spread { tiling, input, channels, values: out } = self;
        let board = (tiling.cells + 1) * channels;
        let stride = Tiling::stride(input.len() / board * tiling.tiles(), channels);
        let mut place = 0;
        for board in input.chunks_exact(board) {
            for reads in tiling.reads.chunks_exact(N * N) {
                for channel in (0..channels).step_by(LANES) {
                    let mut patch = [[Lanes::<LANES>::ZERO; N]; N];
                    for j in 0..N {
                        let column = values::<M, N, LANES, FMA>(std::array::from_fn(|i| {
                            Lanes::load(board, reads[i * N + j] as usize * channels + channel)
                                .relu()
                        }));
                        for i in 0..N {
                            patch[i][j] = column[i];
                        }
                    }
                    for i in 0..N {
                        let row = values::<M, N, LANES, FMA>(patch[i]);
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
    base: &'a [f32],
    add: bool,
    output: &'a mut [f32],
    channels: usize,
}

impl<const M: usize, const N: usize> Work for Gather<'_, M, N> {
    #[inline(always)]
    fn run<const LANES: usize, const FMA: bool>(self) {
        let Gather { tiling, products, base, add, output, channels } = self;
        let board = (tiling.cells + 1) * channels;
        let stride = Tiling::stride(output.len() / board * tiling.tiles(), channels);
        let mut place = 0;
        for (board, base) in output.chunks_exact_mut(board).zip(base.chunks_exact(channels).cycle())
        {
            for writes in tiling.writes.chunks_exact(M * M) {
                for channel in (0..channels).step_by(LANES) {
                    let base = Lanes::<LANES>::load(base, channel);
                    let mut patch = [[Lanes::ZERO; N]; M];
                    for j in 0..N {
                        let column = squares::<M, N, LANES, FMA>(std::array::from_fn(|i| {
                            Lanes::load(products, (i * N + j) * stride + place + channel)
                        }));
                        for i in 0..M {
                            patch[i][j] = column[i];
                        }
                    }
                    for i in 0..M {
                        let row = squares::<M, N, LANES, FMA>(patch[i]);
                        for j in 0..M {
                            let cell = writes[i * M + j];
                            if cell != Tiling::NOWHERE {
                                let at = cell as usize * channels + channel;
                                let mut sum = row[j].plus(base);
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
