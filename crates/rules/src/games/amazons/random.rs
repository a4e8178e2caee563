//! Random games of Amazons.
//!
//! The fast path keeps the board as lines and draws an index into the list of choices without ever
//! writing the list down. It makes the same draws as the plain definition and so plays the same
//! game from the same seed.

use crate::cells::Cells;
use crate::cpu::{Work, boosted};
use crate::game::{Rules, Turn};
use crate::playout::{Choice, Playout, playout_by_turns, random_turn_by_definition};
use crate::random::Random;

use super::lines::{LineBoard, place_of};
use super::position::{Amazons, Cell, Position, Stage};

impl<C: Cells> Playout for Amazons<C> {
    const CHOICES: &'static [Choice] = &[Choice::TwoStage, Choice::Steps, Choice::Turns];

    fn random_turn(
        &self,
        position: &mut Position<C>,
        choice: Choice,
        random: &mut Random,
        chosen: &mut Vec<Cell>,
        rolls: &mut Vec<u16>,
    ) {
        if choice != Choice::TwoStage {
            return random_turn_by_definition(self, position, choice, random, chosen, rolls);
        }
        if position.stage == Stage::Choose {
            let blocked = position.blocked();
            let mut moves = Vec::new();
            for amazon in position.sides[position.mover()].iter() {
                self.for_each_reached(blocked, amazon, |to| moves.push([amazon, to]));
            }
            let drawn = moves[random.below(moves.len() as u32) as usize];
            for action in drawn.map(Cell) {
                self.play(position, action);
                chosen.push(action);
            }
        }
        while self.mid_turn(position) {
            random_turn_by_definition(self, position, Choice::Steps, random, chosen, rolls);
        }
    }

    fn playout(
        &self,
        position: &mut Position<C>,
        choice: Choice,
        most: u64,
        random: &mut Random,
    ) -> u64 {
        if position.stage != Stage::Choose {
            return playout_by_turns(self, position, choice, most, random);
        }
        boosted(Walk { game: self, position, choice, most, random })
    }
}

/// One random game.
struct Walk<'a, C> {
    game: &'a Amazons<C>,
    position: &'a mut Position<C>,
    choice: Choice,
    most: u64,
    random: &'a mut Random,
}

impl<C: Cells> Work for Walk<'_, C> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Walk { game, position, choice, most, random } = self;
        let mut board = LineBoard::new(game, position);
        let mut side = position.mover();
        let mut arrows = position.arrows;
        let mut turns = 0;
        let mut counts = Vec::new();
        while turns < most {
            let drawn = match choice {
                Choice::TwoStage => draw_in_two_stages(&mut board, side, random, &mut counts),
                Choice::Steps => draw_by_steps(&mut board, side, random),
                Choice::Turns => draw_whole_turn(&mut board, side, random, &mut counts),
            };
            let Some(arrow) = drawn else { break };
            board.shoot(arrow);
            arrows.insert(arrow);
            side = 1 - side;
            turns += 1;
        }
        position.sides = [0, 1].map(|side| {
            let mut set = C::default();
            board.amazons(side).iter().for_each(|cell| set.insert(*cell));
            set
        });
        position.arrows = arrows;
        position.mover = side as u8;
        debug_assert!(turns == most || game.turn(position) == Turn::Over);
        turns
    }
}

/// Amazon and square together, then the arrow. Moves the amazon and returns the arrow, or `None`
/// where the side cannot move.
#[inline(always)]
fn draw_in_two_stages<C: Cells>(
    board: &mut LineBoard<'_, C>,
    side: usize,
    random: &mut Random,
    counts: &mut Vec<u32>,
) -> Option<u16> {
    counts.resize(board.amazons(side).len(), 0);
    let mut total = 0;
    for (&amazon, count) in board.amazons(side).iter().zip(counts.iter_mut()) {
        total += board.reach(amazon);
        *count = total;
    }
    if total == 0 {
        return None;
    }
    let index = random.below(total);
    let (place, start) = place_of(index, counts);
    let to = board.reached(&board.rays(board.amazons(side)[place]), index - start);
    board.move_amazon(side, place, to);
    Some(draw_arrow(board, to, random))
}

#[inline(always)]
fn draw_arrow<C: Cells>(board: &LineBoard<'_, C>, from: u16, random: &mut Random) -> u16 {
    let rays = board.rays(from);
    board.reached(&rays, random.below(rays.reach()))
}

/// An amazon among those that can move, a square, an arrow, each uniformly.
#[inline(always)]
fn draw_by_steps<C: Cells>(
    board: &mut LineBoard<'_, C>,
    side: usize,
    random: &mut Random,
) -> Option<u16> {
    let movable =
        board.amazons(side).iter().filter(|amazon| board.reach(**amazon) > 0).count() as u32;
    if movable == 0 {
        return None;
    }
    let index = random.below(movable) as usize;
    let places = 0..board.amazons(side).len();
    let place = places.filter(|place| board.reach(board.amazons(side)[*place]) > 0).nth(index)?;
    let rays = board.rays(board.amazons(side)[place]);
    let to = board.reached(&rays, random.below(rays.reach()));
    board.move_amazon(side, place, to);
    Some(draw_arrow(board, to, random))
}

/// Uniformly from all whole turns.
#[inline(always)]
fn draw_whole_turn<C: Cells>(
    board: &mut LineBoard<'_, C>,
    side: usize,
    random: &mut Random,
    ends: &mut Vec<u32>,
) -> Option<u16> {
    // One entry per destination: how many turns there are up to and including those that go there.
    ends.clear();
    let mut total = 0;
    for place in 0..board.amazons(side).len() {
        let from = board.amazons(side)[place];
        board.for_each_destination(from, |_, arrows| {
            total += arrows;
            ends.push(total);
        });
    }
    if total == 0 {
        return None;
    }
    let index = random.below(total);
    let destination = ends.partition_point(|end| *end <= index);
    let start = destination.checked_sub(1).map_or(0, |before| ends[before]);
    let mut left = destination as u32;
    let mut place = 0;
    loop {
        let from = board.amazons(side)[place];
        let rays = board.rays(from);
        if left < rays.reach() {
            let to = board.reached(&rays, left);
            board.move_amazon(side, place, to);
            return Some(board.reached(&board.rays(to), index - start));
        }
        left -= rays.reach();
        place += 1;
    }
}
