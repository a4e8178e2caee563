//! The network as it is run.
//!
//! Activations are channels last, padded to whole panels with channels that are and stay zero.
//! Each board has one square more than the game's, also zero, for what lies outside. Rows are
//! worked on in passes of a few positions, so that what a convolution needs stays in the cache
//! and the buffers are bounded.

use std::sync::Arc;

use skirmish_rules::error::Result;

use super::file::{Net, OUTCOMES, POLICY_CHANNELS, VALUE_CHANNELS, on_board};
use super::level::Level;
use super::matrix::{Buffer, Dense};
use super::winograd::{Convolution, Room, SIDES, Step, Tiling};
use crate::encoding::Shape;

/// A net made ready to answer rows of one size of board, fast.
///
/// A clone shares the weights and has buffers of its own: one for each thread. The weights take
/// 13 MB for 8 blocks of 64 channels on 10×10, the buffers less than 1 MB. The answers to a
/// row are the same bits whatever else it is asked with. They are finite, even if the net is
/// absurd.
#[derive(Debug)]
pub struct Tower {
    layers: Arc<Layers>,
    scratch: Scratch,
}

/// What is shared.
#[derive(Debug)]
struct Layers {
    shape: Shape,
    tiling: Tiling,
    /// Channels with padding.
    channels: usize,
    /// Positions in a pass.
    pass: usize,
    stem: Convolution,
    stem_scalars: Dense,
    blocks: Vec<Block>,
    policy_squares: Dense,
    policy_pool: Dense,
    policy_out: Dense,
    value_hidden: Dense,
    value_out: Dense,
}

#[derive(Debug)]
struct Block {
    first: Convolution,
    first_bias: Vec<f32>,
    pool: Option<Dense>,
    second: Convolution,
    second_bias: Vec<f32>,
}

/// The buffers of one pass.
#[derive(Debug)]
struct Scratch {
    planes: Buffer,
    scalars: Buffer,
    /// `h` and `a` of the definition.
    trunk: Buffer,
    branch: Buffer,
    room: Room,
    /// Mean and largest of every channel.
    pooled: Buffer,
    /// What is added to all squares of a position.
    whole: Buffer,
    hidden: Buffer,
    policy: Buffer,
    logits: Buffer,
}

/// How many bytes a pass may need between the transforms of a convolution. With AVX-512
/// and 1 MB of cache, 400 kB to 1.6 MB made no difference beyond the noise of a shared machine
/// (about a tenth); 200 kB cost 8 blocks of 96 channels on 10×10 a fifth in batches.
const PASS_BYTES: usize = 400_000;

/// The side of the tiles that answers batches on this board fastest: the one with the fewest
/// multiplications. They are done by the tile, at each point with a matrix of weights, and no
/// faster than the matrix comes from memory, which is as long as about four tiles take: a
/// rough fit. With AVX-512 it names the fastest of all sides for nets of 64 channels on 6×6, 8×8
/// and 10×10 and of 96 on 10×10, in batches of 1, 8 and 32; other boards were not timed.
fn best_side(height: usize, width: usize, batch: usize) -> usize {
    /// Beyond, the size of a batch makes no difference.
    const MANY: usize = 64;
    let time = |side: usize| {
        let tiles = height.div_ceil(side) * width.div_ceil(side);
        (side + 2).pow(2) * (batch.min(MANY) * tiles).max(4)
    };
    SIDES.into_iter().min_by_key(|&side| time(side)).expect("there are some")
}

/// Padding of the planes, to whole vectors of every level.
const PLANES: usize = 16;

impl Tower {
    /// Prepares `net` for boards of `height`×`width`, and for rows that come one or a few at a
    /// time.
    ///
    /// # Errors
    ///
    /// If the board is too small or too large.
    pub fn new(net: &Net, height: usize, width: usize) -> Result<Tower> {
        Tower::for_batches(net, height, width, 1)
    }

    /// The same, for about `batch` rows at a time. Any number can be asked of any tower; small
    /// boards are evaluated up to 1.5 times as fast by one that was made for batches.
    ///
    /// # Errors
    ///
    /// If the board is too small or too large.
    pub fn for_batches(net: &Net, height: usize, width: usize, batch: usize) -> Result<Tower> {
        Tower::with(net, height, width, Level::best(), best_side(height, width, batch))
    }

    fn with(net: &Net, height: usize, width: usize, level: Level, side: usize) -> Result<Tower> {
        let shape = on_board(*net.shape(), height, width)?;
        let layers = Arc::new(Layers::new(net, shape, level, side));
        let scratch = Scratch::new(&layers);
        Ok(Tower { layers, scratch })
    }

    /// The rows it takes and the answers it gives.
    pub fn shape(&self) -> &Shape {
        &self.layers.shape
    }

    /// Answers any number of rows, one after the other: logits of the policy by plane and square,
    /// then of win, draw and loss.
    ///
    /// # Panics
    ///
    /// If `rows` is not made of whole rows, or `answers` has not just the room for the answers.
    pub fn evaluate(&mut self, rows: &[u8], answers: &mut [f32]) {
        let Layers { shape, pass, .. } = &*self.layers;
        let (row, answer) = (shape.row_bytes(), shape.answer());
        assert!(rows.len().is_multiple_of(row), "rows have {row} bytes each");
        assert_eq!(answers.len(), rows.len() / row * answer, "an answer for every row");
        let passes = rows.chunks(pass * row).zip(answers.chunks_mut(pass * answer));
        for (rows, answers) in passes {
            self.layers.pass(&mut self.scratch, rows, answers);
        }
    }
}

impl Clone for Tower {
    fn clone(&self) -> Tower {
        Tower { layers: self.layers.clone(), scratch: Scratch::new(&self.layers) }
    }
}

impl Layers {
    fn new(net: &Net, shape: Shape, level: Level, side: usize) -> Layers {
        let about = net.about();
        let real = about.channels;
        let channels = real.next_multiple_of(level.width());
        let tensor = |name: &str, part: &str| net.tensor(&format!("{name}.{part}"));
        let convolution = |name: &str| {
            let weight = tensor(name, "weight");
            let inputs = if name == "stem" { shape.planes } else { real };
            let depth = if name == "stem" { inputs.next_multiple_of(PLANES) } else { channels };
            Convolution::new(level, side, weight, (inputs, depth), (real, channels))
        };
        let bias = |name: &str| {
            let mut bias = tensor(name, "bias").to_vec();
            bias.resize(channels, 0.0);
            bias
        };
        // A layer that looks at the mean and the largest of every channel, each half padded.
        let pooled = |name: &str, bias: &[f32], outputs: usize| {
            Dense::new(level, tensor(name, "weight"), bias, outputs, 2 * channels, |k| {
                (k % channels < real).then_some(k / channels * real + k % channels)
            })
        };
        let dense = |name: &str, inputs: usize, depth: usize, outputs: usize| {
            let (weight, bias) = (tensor(name, "weight"), tensor(name, "bias"));
            Dense::new(level, weight, bias, outputs, depth, |k| (k < inputs).then_some(k))
        };
        let padded = |outputs: usize| outputs.next_multiple_of(level.width());
        let block = |block: usize| {
            let part = |part: &str| format!("block.{block}.{part}");
            let (first, pool, second) = (part("first"), part("pool"), part("second"));
            Block {
                first: convolution(&first),
                first_bias: bias(&first),
                pool: (about.pooled.contains(&block))
                    .then(|| pooled(&pool, tensor(&pool, "bias"), real)),
                second: convolution(&second),
                second_bias: bias(&second),
            }
        };
        let tiling = Tiling::new(&shape, side);
        let numbers = 2 * tiling.points() * tiling.tiles() * channels;
        let per_position = numbers * size_of::<f32>();
        Layers {
            shape,
            channels,
            pass: (PASS_BYTES / per_position).max(1),
            tiling,
            stem: convolution("stem"),
            stem_scalars: Dense::new(
                level,
                tensor("stem", "scalars"),
                tensor("stem", "bias"),
                real,
                shape.scalars,
                Some,
            ),
            blocks: (0..about.blocks).map(block).collect(),
            policy_squares: dense("policy.squares", real, channels, POLICY_CHANNELS),
            policy_pool: pooled("policy.pool", &[], POLICY_CHANNELS),
            policy_out: dense(
                "policy.out",
                POLICY_CHANNELS,
                padded(POLICY_CHANNELS),
                shape.policy_planes,
            ),
            value_hidden: pooled("value.hidden", tensor("value.hidden", "bias"), VALUE_CHANNELS),
            value_out: dense("value.out", VALUE_CHANNELS, padded(VALUE_CHANNELS), OUTCOMES),
        }
    }

    /// Squares of a board with the one outside.
    fn squares(&self) -> usize {
        self.shape.cells() + 1
    }

    /// Answers at most `self.pass` rows.
    fn pass(&self, scratch: &mut Scratch, rows: &[u8], answers: &mut [f32]) {
        let Layers { ref shape, ref tiling, channels, .. } = *self;
        let positions = rows.len() / shape.row_bytes();
        let squares = positions * self.squares();
        let Scratch { planes, scalars, trunk, branch, room, pooled, whole, hidden, policy, logits } =
            scratch;
        let planes = &mut planes[..squares * shape.planes.next_multiple_of(PLANES)];
        let scalars = &mut scalars[..positions * shape.scalars];
        let trunk = &mut trunk[..squares * channels];
        let branch = &mut branch[..squares * channels];
        let pooled = &mut pooled[..positions * 2 * channels];

        self.unpack(rows, planes, scalars);
        let bias = &mut whole[..positions * channels];
        self.stem_scalars.apply(scalars, bias);
        self.stem.apply(Step { tiling, input: planes, bias, add: false, output: trunk, room });
        for block in &self.blocks {
            let (input, output) = (&*trunk, &mut *branch);
            let bias = &block.first_bias;
            block.first.apply(Step { tiling, input, bias, add: false, output, room });
            if let Some(pool) = &block.pool {
                self.pool(branch, pooled);
                let whole = &mut whole[..positions * channels];
                pool.apply(pooled, whole);
                self.add_to_squares(branch, whole, channels, shape.cells());
            }
            let (input, output) = (&*branch, &mut *trunk);
            let bias = &block.second_bias;
            block.second.apply(Step { tiling, input, bias, add: true, output, room });
        }
        relu(trunk);
        self.pool(trunk, pooled);

        let width = self.policy_squares.width;
        let policy = &mut policy[..squares * width];
        let whole = &mut whole[..positions * width];
        self.policy_squares.apply(trunk, policy);
        self.policy_pool.apply(pooled, whole);
        self.add_to_squares(policy, whole, width, self.squares());
        relu(policy);
        let logits = &mut logits[..squares * self.policy_out.width];
        self.policy_out.apply(policy, logits);
        let hidden = &mut hidden[..positions * self.value_hidden.width];
        self.value_hidden.apply(pooled, hidden);
        relu(hidden);
        let outcomes = &mut whole[..positions * self.value_out.width];
        self.value_out.apply(hidden, outcomes);
        self.write(logits, outcomes, answers);
    }

    /// Rows as numbers.
    fn unpack(&self, rows: &[u8], planes: &mut [f32], scalars: &mut [f32]) {
        let cells = self.shape.cells();
        let depth = self.shape.planes.next_multiple_of(PLANES);
        let numbers = self.shape.scalars;
        planes.fill(0.0);
        for (position, row) in rows.chunks_exact(self.shape.row_bytes()).enumerate() {
            let (bits, bytes) = row.split_at(self.shape.plane_bytes());
            let board = &mut planes[position * self.squares() * depth..][..cells * depth];
            for (index, &byte) in bits.iter().enumerate() {
                let mut left = byte;
                while left != 0 {
                    let bit = index * 8 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    // The padding of the last byte means nothing.
                    if bit < self.shape.planes * cells {
                        board[bit % cells * depth + bit / cells] = 1.0;
                    }
                }
            }
            for (number, &byte) in scalars[position * numbers..].iter_mut().zip(bytes) {
                *number = f32::from(byte) / 255.0;
            }
        }
    }

    /// The mean and the largest of every channel of `relu(boards)`. The square outside is zero
    /// and so changes neither the sum nor the largest.
    fn pool(&self, boards: &[f32], pooled: &mut [f32]) {
        let channels = self.channels;
        let scale = 1.0 / self.shape.cells() as f32;
        for (board, pooled) in boards
            .chunks_exact(self.squares() * channels)
            .zip(pooled.chunks_exact_mut(2 * channels))
        {
            pooled.fill(0.0);
            let (mean, most) = pooled.split_at_mut(channels);
            for square in board.chunks_exact(channels) {
                for ((number, sum), most) in square.iter().zip(&mut *mean).zip(&mut *most) {
                    *sum += number.max(0.0);
                    *most = most.max(*number);
                }
            }
            mean.iter_mut().for_each(|sum| *sum *= scale);
        }
    }

    /// Adds a row of `whole` to the first `count` squares of each board.
    fn add_to_squares(&self, boards: &mut [f32], whole: &[f32], width: usize, count: usize) {
        for (board, whole) in
            boards.chunks_exact_mut(self.squares() * width).zip(whole.chunks_exact(width))
        {
            for square in board.chunks_exact_mut(width).take(count) {
                square.iter_mut().zip(whole).for_each(|(number, more)| *number += more);
            }
        }
    }

    /// The logits as they are answered, without padding and plane by plane.
    fn write(&self, logits: &[f32], outcomes: &[f32], answers: &mut [f32]) {
        let (cells, width) = (self.shape.cells(), self.policy_out.width);
        let finite = |number: f32| if number.is_finite() { number } else { 0.0 };
        for (position, answer) in answers.chunks_exact_mut(self.shape.answer()).enumerate() {
            let logits = &logits[position * self.squares() * width..];
            let (policy, value) = answer.split_at_mut(self.shape.policy());
            for (plane, answers) in policy.chunks_exact_mut(cells).enumerate() {
                for (answer, square) in answers.iter_mut().zip(logits.chunks_exact(width)) {
                    *answer = finite(square[plane]);
                }
            }
            let outcomes = &outcomes[position * self.value_out.width..];
            value.iter_mut().zip(outcomes).for_each(|(answer, &logit)| *answer = finite(logit));
        }
    }
}

impl Scratch {
    fn new(layers: &Layers) -> Scratch {
        let Layers { pass, ref shape, channels, ref tiling, .. } = *layers;
        let squares = pass * layers.squares();
        let depth = shape.planes.next_multiple_of(PLANES);
        let widest = (layers.policy_squares.width).max(layers.value_out.width).max(channels);
        Scratch {
            planes: Buffer::new(squares * depth),
            scalars: Buffer::new(pass * shape.scalars),
            trunk: Buffer::new(squares * channels),
            branch: Buffer::new(squares * channels),
            room: Room::new(tiling, pass, channels.max(depth), channels),
            pooled: Buffer::new(pass * 2 * channels),
            whole: Buffer::new(pass * widest),
            hidden: Buffer::new(pass * layers.value_hidden.width),
            policy: Buffer::new(squares * layers.policy_squares.width),
            logits: Buffer::new(squares * layers.policy_out.width),
        }
    }
}

fn relu(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|number| *number = number.max(0.0));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use skirmish_rules::random::Random;

    use super::super::file::tests::about;
    use super::super::reference;
    use super::*;

    fn random_rows(shape: &Shape, count: usize, seed: u64) -> Vec<u8> {
        let mut random = Random::seeded(seed);
        (0..count * shape.row_bytes()).map(|_| (random.word() & random.word()) as u8).collect()
    }

    fn assert_near(answers: &[f32], expected: &[f32]) {
        assert_eq!(answers.len(), expected.len());
        let most = expected.iter().fold(1.0f32, |most, number| most.max(number.abs()));
        for (index, (answer, expected)) in answers.iter().zip(expected).enumerate() {
            let error = (answer - expected).abs();
            assert!(error <= 1e-4 * most, "number {index} is {answer} instead of {expected}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn every_level_and_tile_agrees_with_the_definition(
            height in 2usize..=13, width in 2usize..=13, wraps in any::<bool>(),
            planes in 1usize..20, scalars in 0usize..4, policy_planes in 1usize..10,
            channels in 1usize..40, blocks in 0usize..5, rows in 1usize..6,
            side in 2usize..=6, seed in any::<u64>(),
        ) {
            // Trained on one size, asked on another.
            let shape = Shape { height: 5, width: 5, planes, scalars, policy_planes, wraps };
            let net = Net::random(about(shape, channels, blocks), seed).unwrap();
            let asked = Shape { height, width, ..shape };
            let rows = random_rows(&asked, rows, seed);
            let expected = reference::evaluate(&net, height, width, &rows).unwrap();
            for level in Level::all() {
                let mut tower = Tower::with(&net, height, width, level, side).unwrap();
                let mut answers = vec![f32::NAN; expected.len()];
                tower.evaluate(&rows, &mut answers);
                assert_near(&answers, &expected);
            }
        }
    }

    fn shape(height: usize, width: usize, wraps: bool) -> Shape {
        Shape { height, width, planes: 7, scalars: 3, policy_planes: 2, wraps }
    }

    #[test]
    fn the_largest_boards_and_the_usual_ones_agree_with_the_definition() {
        for (height, width, wraps) in
            [(26, 26, false), (26, 25, true), (6, 6, true), (8, 8, false), (10, 10, false)]
        {
            let shape = shape(height, width, wraps);
            let net = Net::random(about(shape, 12, 3), 1).unwrap();
            let rows = random_rows(&shape, 2, 2);
            let expected = reference::evaluate(&net, height, width, &rows).unwrap();
            let mut answers = vec![f32::NAN; expected.len()];
            Tower::new(&net, height, width).unwrap().evaluate(&rows, &mut answers);
            assert_near(&answers, &expected);
        }
    }

    #[test]
    fn a_deep_and_wide_tower_is_exact_enough() {
        for side in SIDES {
            let shape = shape(6, 6, true);
            let net = Net::random(about(shape, 64, 8), 1).unwrap();
            let rows = random_rows(&shape, 1, 2);
            let expected = reference::evaluate(&net, 6, 6, &rows).unwrap();
            let mut answers = vec![f32::NAN; expected.len()];
            let mut tower = Tower::with(&net, 6, 6, Level::best(), side).unwrap();
            tower.evaluate(&rows, &mut answers);
            for (answer, expected) in answers.iter().zip(&expected) {
                let error = (answer - expected).abs();
                assert!(error < 3e-5, "side {side}: {answer} instead of {expected}");
            }
        }
    }

    #[test]
    fn an_answer_does_not_depend_on_the_rest_of_the_batch() {
        let shape = shape(7, 6, false);
        let net = Net::random(about(shape, 20, 3), 1).unwrap();
        let (count, row, answer) = (50, shape.row_bytes(), shape.answer());
        let rows = random_rows(&shape, count, 2);
        for level in Level::all() {
            let mut tower = Tower::with(&net, 7, 6, level, 4).unwrap();
            assert!(tower.layers.pass < count, "more than one pass");
            let mut all = vec![f32::NAN; count * answer];
            tower.evaluate(&rows, &mut all);
            let mut other = tower.clone();
            for batch in [1, 3, 8] {
                let mut parts = vec![f32::NAN; count * answer];
                for (rows, answers) in
                    rows.chunks(batch * row).zip(parts.chunks_mut(batch * answer))
                {
                    other.evaluate(rows, answers);
                }
                assert_eq!(parts, all, "batches of {batch}");
            }
        }
    }

    #[test]
    fn even_an_absurd_net_gives_finite_answers() {
        let shape = shape(5, 5, false);
        let mut net = Net::random(about(shape, 4, 2), 1).unwrap();
        net.scale_all(1e30);
        let rows = random_rows(&shape, 2, 2);
        let mut answers = vec![f32::NAN; 2 * shape.answer()];
        Tower::new(&net, 5, 5).unwrap().evaluate(&rows, &mut answers);
        assert!(answers.iter().all(|number| number.is_finite()));
    }

    #[test]
    fn a_board_without_squares_or_with_too_many_is_refused() {
        let net = Net::random(about(shape(5, 5, false), 4, 0), 1).unwrap();
        let error = Tower::new(&net, 27, 5).unwrap_err();
        assert_eq!(error.message, "a net cannot evaluate a board of 27x5");
        assert!(Tower::new(&net, 0, 5).is_err());
    }

    #[test]
    fn tiles_fit_the_board_and_the_batch() {
        let sides = |batch| [4, 6, 8, 10, 12].map(|side| best_side(side, side, batch));
        assert_eq!(sides(1), [2, 3, 4, 5, 6]);
        assert_eq!(sides(8), [4, 6, 4, 5, 6]);
    }
}
