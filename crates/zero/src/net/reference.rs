//! The network by its definition: slow, plain, and what [`Tower`](super::Tower) is held against.
//!
//! Activations are lists of channels, one per square; sums are taken with 64 bits.

use super::file::{Net, OUTCOMES, POLICY_CHANNELS, VALUE_CHANNELS, on_board};
use crate::encoding::Shape;
use skirmish_rules::error::Result;

type Channels = Vec<f64>;

/// The answers of `net` to `rows` on a board of `height`×`width`, one after the other.
///
/// # Errors
///
/// If the board is too small or too large.
pub fn evaluate(net: &Net, height: usize, width: usize, rows: &[u8]) -> Result<Vec<f32>> {
    let shape = on_board(*net.shape(), height, width)?;
    Ok(rows.chunks_exact(shape.row_bytes()).flat_map(|row| answer(net, &shape, row)).collect())
}

fn answer(net: &Net, shape: &Shape, row: &[u8]) -> Vec<f32> {
    let cells = shape.cells();
    let (bits, scalars) = row.split_at(shape.plane_bytes());
    let bit = |n: usize| f64::from(bits[n / 8] >> (n % 8) & 1);
    let planes: Vec<Channels> = (0..cells)
        .map(|cell| (0..shape.planes).map(|plane| bit(plane * cells + cell)).collect())
        .collect();
    let scalars: Channels = scalars.iter().map(|&byte| f64::from(byte) / 255.0).collect();

    let layer = |name: &str, input: &[f64], outputs: usize| -> Channels {
        times(input, net.tensor(&format!("{name}.weight")), outputs)
    };
    let bias = |name: &str| net.tensor(&format!("{name}.bias"));
    let convolve = |name: &str, input: &[Channels]| -> Vec<Channels> {
        let mut output = convolution(shape, input, net.tensor(&format!("{name}.weight")));
        output.iter_mut().for_each(|square| add(square, bias(name)));
        output
    };

    let about = net.about();
    let mut h = convolve("stem", &planes);
    let beside = times(&scalars, net.tensor("stem.scalars"), about.channels);
    h.iter_mut().for_each(|square| add(square, &beside));
    for block in 0..about.blocks {
        let mut a = convolve(&format!("block.{block}.first"), &board_relu(&h));
        if about.pooled.contains(&block) {
            let name = format!("block.{block}.pool");
            let mut whole = layer(&name, &pool(&board_relu(&a)), about.channels);
            add(&mut whole, bias(&name));
            a.iter_mut().for_each(|square| add(square, &whole));
        }
        let change = convolve(&format!("block.{block}.second"), &board_relu(&a));
        h.iter_mut().zip(&change).for_each(|(square, change)| add(square, change));
    }
    let t = board_relu(&h);
    let g = pool(&t);

    let mut answer = vec![0.0; shape.answer()];
    let whole = layer("policy.pool", &g, POLICY_CHANNELS);
    for (cell, square) in t.iter().enumerate() {
        let mut p = layer("policy.squares", square, POLICY_CHANNELS);
        add(&mut p, bias("policy.squares"));
        add(&mut p, &whole);
        let mut logits = layer("policy.out", &relu(&p), shape.policy_planes);
        add(&mut logits, bias("policy.out"));
        for (plane, logit) in logits.iter().enumerate() {
            answer[plane * cells + cell] = *logit as f32;
        }
    }
    let mut v = layer("value.hidden", &g, VALUE_CHANNELS);
    add(&mut v, bias("value.hidden"));
    let mut outcomes = layer("value.out", &relu(&v), OUTCOMES);
    add(&mut outcomes, bias("value.out"));
    for (place, logit) in answer[shape.policy()..].iter_mut().zip(&outcomes) {
        *place = *logit as f32;
    }
    answer
}

/// The 3×3 convolution: what lies outside is zero, or on a torus the opposite side.
fn convolution(shape: &Shape, input: &[Channels], weight: &[f32]) -> Vec<Channels> {
    let (height, width) = (shape.height as isize, shape.width as isize);
    let inputs = input[0].len();
    let outputs = weight.len() / (9 * inputs);
    let mut output = Vec::new();
    for row in 0..height {
        for column in 0..width {
            let mut sum = vec![0.0; outputs];
            for tap in 0..9 {
                let (y, x) = (row + tap / 3 - 1, column + tap % 3 - 1);
                let inside = (0..height).contains(&y) && (0..width).contains(&x);
                if inside || shape.wraps {
                    let cell = y.rem_euclid(height) * width + x.rem_euclid(width);
                    let weight = &weight[tap as usize * inputs * outputs..][..inputs * outputs];
                    add(&mut sum, &times(&input[cell as usize], weight, outputs));
                }
            }
            output.push(sum);
        }
    }
    output
}

/// A vector times a matrix with `outputs` columns.
fn times(input: &[f64], weight: &[f32], outputs: usize) -> Channels {
    let mut sum = vec![0.0; outputs];
    for (number, weights) in input.iter().zip(weight.chunks_exact(outputs)) {
        for (sum, weight) in sum.iter_mut().zip(weights) {
            *sum += number * f64::from(*weight);
        }
    }
    sum
}

fn add<T: Copy + Into<f64>>(sum: &mut [f64], more: &[T]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += (*more).into());
}

fn relu(channels: &[f64]) -> Channels {
    channels.iter().map(|number| number.max(0.0)).collect()
}

fn board_relu(board: &[Channels]) -> Vec<Channels> {
    board.iter().map(|square| relu(square)).collect()
}

/// The mean of every channel over the board, then the largest of every channel.
fn pool(board: &[Channels]) -> Channels {
    let channel = |c: usize| board.iter().map(move |square| square[c]);
    let channels = board[0].len();
    let mean = (0..channels).map(|c| channel(c).sum::<f64>() / board.len() as f64);
    let most = (0..channels).map(|c| channel(c).fold(f64::NEG_INFINITY, f64::max));
    mean.chain(most).collect()
}
