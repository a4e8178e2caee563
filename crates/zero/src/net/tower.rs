//! The network as it is run.
//!
//! Activations are channels last, padded to whole panels with channels that are and stay zero.
//! Each board has one square more than the game's, also zero, for what lies outside. Rows are
//! worked on in passes of a few positions, so that what a convolution needs stays in the cache
//! and the buffers are bounded.

use std::sync::Arc;

use skirmish_rules::error::Result;

use super::file::{Net, OUTCOMES, POLICY_CHANNELS, Shape, VALUE_CHANNELS};
use super::level::Level;
use super::matrix::{Buffer, Dense};
use super::winograd::{Convolution, Room, Tiling};

/// A net made ready to answer rows of one size of board, fast.
///
/// A clone shares the weights and has buffers of its own: one for each thread. The answers to a
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
    level: Level,
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

/// Padding of the planes, to whole vectors of every level.
const PLANES: usize = 16;

impl Tower {
    /// Prepares `net` for boards of `height`×`width`.
    ///
    /// # Errors
    ///
    /// If the board is too small or too large.
    pub fn new(net: &Net, height: usize, width: usize) -> Result<Tower> {
        let side = std::env::var("TILE").map_or(4, |t| t.parse().unwrap());
        let levels = Level::all();
        let level =
            std::env::var("LEVEL").map_or(Level::best(), |t| levels[t.parse::<usize>().unwrap()]);
        Tower::with(net, height, width, level, side)
    }

    fn with(net: &Net, height: usize, width: usize, level: Level, side: usize) -> Result<Tower> {
        let shape = net.shape().on_board(height, width)?;
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
        let (row, answer) = (shape.row_bytes(), shape.answer_len());
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
        let per_position = 4 * 2 * tiling.room(1, channels);
        Layers {
            level,
            shape,
            channels,
            pass: (std::env::var("PASS").map_or(PASS_BYTES, |t| t.parse().unwrap()) / per_position)
                .max(1),
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
        let Layers { level, ref shape, ref tiling, channels, .. } = *self;
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
        let base = &mut whole[..positions * channels];
        self.stem_scalars.apply(level, scalars, base);
        self.stem.apply(level, tiling, planes, base, false, trunk, room);
        for block in &self.blocks {
            block.first.apply(level, tiling, trunk, &block.first_bias, false, branch, room);
            if let Some(pool) = &block.pool {
                self.pool(branch, pooled);
                let whole = &mut whole[..positions * channels];
                pool.apply(level, pooled, whole);
                self.add_to_squares(branch, whole, channels, shape.cells());
            }
            block.second.apply(level, tiling, branch, &block.second_bias, true, trunk, room);
        }
        relu(trunk);
        self.pool(trunk, pooled);

        let width = self.policy_squares.width;
        let policy = &mut policy[..squares * width];
        let whole = &mut whole[..positions * width];
        self.policy_squares.apply(level, trunk, policy);
        self.policy_pool.apply(level, pooled, whole);
        self.add_to_squares(policy, whole, width, self.squares());
        relu(policy);
        let logits = &mut logits[..squares * self.policy_out.width];
        self.policy_out.apply(level, policy, logits);
        let hidden = &mut hidden[..positions * self.value_hidden.width];
        self.value_hidden.apply(level, pooled, hidden);
        relu(hidden);
        let outcomes = &mut whole[..positions * self.value_out.width];
        self.value_out.apply(level, hidden, outcomes);
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
                    // A row from outside may have bits in its padding.
                    if let Some(square) = board.get_mut(bit % cells * depth + bit / cells)
                        && bit / cells < self.shape.planes
                    {
                        *square = 1.0;
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
        for (position, answer) in answers.chunks_exact_mut(self.shape.answer_len()).enumerate() {
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
            room: Room {
                values: Buffer::new(tiling.room(pass, channels.max(depth))),
                products: Buffer::new(tiling.room(pass, channels)),
            },
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

/// How many bytes a pass may need between the transforms of a convolution.
const PASS_BYTES: usize = 600_000;

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
}
