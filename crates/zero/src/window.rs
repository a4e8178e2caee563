//! The replay window: the samples of the latest games, ready to be learned from.

use std::collections::VecDeque;

use rayon::prelude::*;
use skirmish_rules::{Error, ErrorKind, Random, Result, Seat, Turn};

use crate::answer::to_half;
use crate::encoding::{Encode, Image, Shape, VERSION};
use crate::shard::{Played, unpack};

/// One position with what it teaches.
#[derive(Clone, Debug)]
struct Sample {
    row: Box<[u8]>,
    policy: Box<[(u16, u16)]>,
    /// Who owns each square in the end: -1, 0 or 1.
    ownership: Box<[i8]>,
    /// Win, draw and loss for the player to move.
    outcome: [f32; 3],
    margin: f32,
    left: f32,
    images: u16,
}

/// How much of the value to be learned is what the search thought rather than how the game went.
const FORESIGHT: f32 = 0.2;

/// What a shard brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Added {
    /// Games.
    pub games: usize,
    /// Samples they made.
    pub samples: usize,
}

/// The samples of the latest games.
#[derive(Clone, Debug)]
pub struct Window<G: Encode> {
    game: G,
    shape: Shape,
    images: Vec<Image>,
    capacity: usize,
    samples: VecDeque<Sample>,
}

impl<G: Encode> Window<G> {
    /// An empty window with room for so many samples.
    pub fn new(game: G, capacity: usize) -> Window<G> {
        let (shape, images) = (game.shape(), game.images());
        Window { game, shape, images, capacity, samples: VecDeque::new() }
    }

    /// What goes into the network and what comes out.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Samples in the window.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether the window is empty.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Room for so many samples from now on; the oldest go first.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
        while self.samples.len() > capacity {
            self.samples.pop_front();
        }
    }

    /// Adds the games of a shard; the oldest samples make room.
    pub fn add(&mut self, bytes: &[u8]) -> Result<Added> {
        let games = unpack(bytes)?.games;
        let added: Vec<Vec<Sample>> =
            games.par_iter().map(|played| self.replay(played)).collect::<Result<_>>()?;
        let before = self.samples.len();
        self.samples.extend(added.into_iter().flatten());
        let samples = self.samples.len() - before;
        self.set_capacity(self.capacity);
        Ok(Added { games: games.len(), samples })
    }

    /// The samples of one game.
    fn replay(&self, played: &Played) -> Result<Vec<Sample>> {
        let (game, cells) = (&self.game, self.shape.cells());
        let wrong = |what: String| {
            Error::new(ErrorKind::Unreadable, format!("a game of self-play {what}"))
                .hint("was it played with other options or another version?")
        };
        if played.encoding != VERSION {
            return Err(wrong(format!("has encoding {}, not {VERSION}", played.encoding)));
        }
        let start = game.read_position(&played.start)?;

        // 1. To the end, to see what became of the board.
        let mut positions = vec![start];
        let mut actions = Vec::new();
        for &index in &played.actions {
            let mut position = positions[positions.len() - 1].clone();
            actions.clear();
            game.actions(&position, &mut actions);
            let action = actions.iter().find(|action| game.index(&position, **action) == index);
            let action = action.ok_or_else(|| wrong(format!("has no action {index}")))?;
            game.play(&mut position, *action);
            positions.push(position);
        }
        let last = &positions[positions.len() - 1];
        let ends = [Seat(0), Seat(1)].map(|seat| {
            let mut ownership = vec![0.0; cells];
            game.ownership(last, seat, &mut ownership);
            let ownership: Box<[i8]> = ownership.iter().map(|owner| *owner as i8).collect();
            (ownership, game.margin(last, seat))
        });

        // 2. A sample for every full search.
        let mut samples = Vec::with_capacity(played.searches.len());
        for search in &played.searches {
            let ply = search.ply as usize;
            let position = positions.get(ply).ok_or_else(|| wrong(format!("has no ply {ply}")))?;
            let Turn::Player(seat) = game.turn(position) else {
                return Err(wrong(format!("searched a finished game at ply {ply}")));
            };
            if let Some((index, _)) =
                search.policy.iter().find(|(index, _)| usize::from(*index) >= self.shape.policy())
            {
                return Err(wrong(format!("has no action {index}")));
            }
            let mut row = vec![0; self.shape.row_bytes()];
            game.encode(position, &mut row);
            let result = if seat.0 == 0 { played.result } else { -played.result };
            let mut outcome = [0.0; 3];
            outcome[if result > 0.0 {
                0
            } else if result < 0.0 {
                2
            } else {
                1
            }] = 1.0 - FORESIGHT;
            outcome[0] += FORESIGHT * (1.0 + search.value) / 2.0;
            outcome[2] += FORESIGHT * (1.0 - search.value) / 2.0;
            let (ownership, margin) = ends[seat.index()].clone();
            samples.push(Sample {
                row: row.into(),
                policy: search.policy.clone().into(),
                ownership,
                outcome,
                margin,
                left: (played.actions.len() - ply) as f32 / 100.0,
                images: game.images_of(position) as u16,
            });
        }
        Ok(samples)
    }

    /// Fills rows and targets with samples drawn at random, each turned at random.
    ///
    /// # Panics
    /// If the window is empty or the buffers do not fit each other.
    pub fn sample(&self, seed: u64, rows: &mut [u8], targets: &mut [u16]) {
        assert!(!self.samples.is_empty(), "nothing to draw from");
        let (row_bytes, target) = (self.shape.row_bytes(), self.shape.target());
        assert_eq!(rows.len() / row_bytes, targets.len() / target);
        let samples = rows.par_chunks_mut(row_bytes).zip(targets.par_chunks_mut(target));
        samples.enumerate().with_min_len(16).for_each(|(number, (row, target))| {
            let mut random = Random::stream(seed, number as u64);
            let sample = &self.samples[random.below(self.samples.len() as u32) as usize];
            let image = &self.images[random.below(u32::from(sample.images)) as usize];
            self.write(sample, image, row, target);
        });
    }

    fn write(&self, sample: &Sample, image: &Image, row: &mut [u8], target: &mut [u16]) {
        turn_row(&self.shape, image, &sample.row, row);
        target.fill(0);
        let (policy, rest) = target.split_at_mut(self.shape.policy());
        for &(index, part) in &sample.policy {
            let place = usize::from(image.policy[usize::from(index)]);
            policy[place] = to_half(f32::from(part) / 10_000.0);
        }
        let (outcome, rest) = rest.split_at_mut(3);
        outcome.copy_from_slice(&sample.outcome.map(to_half));
        let (ownership, rest) = rest.split_at_mut(self.shape.cells());
        for (cell, owner) in sample.ownership.iter().enumerate() {
            ownership[usize::from(image.cells[cell])] = to_half(f32::from(*owner));
        }
        rest[0] = to_half(sample.margin);
        rest[1] = to_half(sample.left);
    }
}

/// A row as it looks when the board is turned.
pub(crate) fn turn_row(shape: &Shape, image: &Image, from: &[u8], to: &mut [u8]) {
    to.fill(0);
    let cells = shape.cells();
    let plane_bytes = shape.plane_bytes();
    for (byte, bits) in from[..plane_bytes].iter().enumerate() {
        let mut bits = *bits;
        while bits != 0 {
            let at = byte * 8 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let (plane, cell) = (usize::from(image.planes[at / cells]), image.cells[at % cells]);
            let at = plane * cells + usize::from(cell);
            to[at / 8] |= 1 << (at % 8);
        }
    }
    for (scalar, value) in from[plane_bytes..].iter().enumerate() {
        to[plane_bytes + usize::from(image.scalars[scalar])] = *value;
    }
}
