//! Watch Your Back! for networks. Black sees the board upside down, so that the mover's own home
//! zone is at the top.
//!
//! A piece either steps or jumps in a direction, never both, so four planes of the policy tell all
//! moves by the square they leave; one more is for placements, and a corner of it for the pass.

use skirmish_rules::Seat;
use skirmish_rules::games::watch_your_back::{
    Action, Kind, Phase, Position, SHRINK_TURNS, WatchYourBack,
};
use skirmish_search::tree::Evaluator;
use skirmish_search::watch_your_back::WatchYourBackEvaluator;

use super::{Encode, Image, Shape, Writer, cells_of, unmoved};

const PLANES: usize = 17;
const SCALARS: usize = 12;
const SQUARES: u16 = 64;
/// The planes of the policy after the placements: west, east, north, south.
const DIRECTIONS: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
/// Corners are never placed on, so the pass may have the first.
const PASS: u16 = 0;
/// The squares of the smallest board, and those of the middle one.
const FIELDS: [u64; 3] = [u64::MAX, 0x007e_7e7e_7e7e_7e00, 0x0000_3c3c_3c3c_0000];

/// Turns the board upside down for Black.
fn seen(side: usize, set: u64) -> u64 {
    if side == 0 { set } else { set.swap_bytes() }
}

fn seen_square(side: usize, square: u16) -> u16 {
    if side == 0 { square } else { square ^ 56 }
}

impl Encode for WatchYourBack {
    const STOPS_WHEN_SETTLED: bool = true;

    fn shape(&self) -> Shape {
        Shape {
            height: 8,
            width: 8,
            planes: PLANES,
            scalars: SCALARS,
            policy_planes: 1 + DIRECTIONS.len(),
            wraps: false,
        }
    }

    fn encode(&self, position: &Position, row: &mut [u8]) {
        let shape = self.shape();
        let mut writer = Writer::new(&shape, row);
        let (me, them) = (position.mover(), 1 - position.mover());
        let is_placing = position.phase() == Phase::Placing;
        let (my_reach, their_reach) = (position.reach(me), position.reach(them));
        let shrinks = usize::from(position.shrinks());
        let after_next = FIELDS[(shrinks + 1).min(2)];
        for set in [
            position.pieces(me),
            position.pieces(them),
            position.field(),
            position.corners(),
            position.empty(),
            after_next,
            my_reach,
            their_reach,
            position.exposed(me, their_reach),
            position.exposed(them, my_reach),
            position.exposed(me, position.empty()),
            position.exposed(them, position.empty()),
            position.kill_squares(me),
            position.kill_squares(them),
            position.death_squares(me),
            position.death_squares(them),
            if is_placing { my_reach } else { 0 },
        ] {
            writer.word(seen(me, set));
        }
        let flag = |is: bool| f32::from(u8::from(is));
        writer.scalar(flag(is_placing));
        writer.scalar(if is_placing { position.turn() as f32 / 24.0 } else { 1.0 });
        for count in 0..3 {
            writer.scalar(flag(shrinks == count));
        }
        // Turns until the next shrink, coarsely and finely.
        let left = match (is_placing, SHRINK_TURNS.get(shrinks)) {
            (true, _) => 152.0 - position.turn() as f32,
            (false, Some(turn)) => *turn as f32 - position.turn() as f32,
            (false, None) => 0.0,
        };
        writer.scalar(left / 152.0);
        writer.scalar(left / 32.0);
        writer.scalar(left / 8.0);
        writer.scalar(flag(me == 0));
        writer.scalar(position.pieces(me).count_ones() as f32 / 12.0);
        writer.scalar(position.pieces(them).count_ones() as f32 / 12.0);
        writer.signed(WatchYourBackEvaluator.evaluate(self, position) as f32, 200.0);
        writer.finish(&shape);
    }

    fn index(&self, position: &Position, action: Action) -> u16 {
        let side = position.mover();
        match action.kind() {
            Kind::Place => seen_square(side, action.to()),
            Kind::Pass => PASS,
            Kind::Move => {
                let (from, to) = (seen_square(side, action.from()), seen_square(side, action.to()));
                let direction = match (i32::from(to) - i32::from(from), to / 8 == from / 8) {
                    (..0, true) => 0,
                    (_, true) => 1,
                    (..0, false) => 2,
                    (_, false) => 3,
                };
                (1 + direction) * SQUARES + from
            }
        }
    }

    /// On the smallest board every ending is known.
    fn settled(&self, position: &Position) -> Option<f32> {
        if position.phase() != Phase::Moving {
            return None;
        }
        let value = WatchYourBackEvaluator.known(self, position)?.signum() as f32;
        Some(if position.mover() == 0 { value } else { -value })
    }

    fn ownership(&self, position: &Position, seat: Seat, out: &mut [f32]) {
        for (square, out) in out.iter_mut().enumerate() {
            let holds = |side| seen(seat.index(), position.pieces(side)) >> square & 1 != 0;
            *out = if holds(seat.index()) {
                1.0
            } else if holds(1 - seat.index()) {
                -1.0
            } else {
                0.0
            };
        }
    }

    fn margin(&self, position: &Position, seat: Seat) -> f32 {
        let count = |side: usize| position.pieces(side).count_ones() as f32;
        (count(seat.index()) - count(1 - seat.index())) / 8.0
    }

    /// The mirror that exchanges left and right, and when the zones no longer matter all eight. (At
    /// the second shrink the corners eliminate one after the other, and a mirrored board may end
    /// differently: rare, and no harm as a hint.)
    fn images(&self) -> Vec<Image> {
        let mut images = Vec::new();
        for (transpose, rows, columns) in [
            (false, false, false),
            (false, false, true),
            (false, true, false),
            (false, true, true),
            (true, false, false),
            (true, false, true),
            (true, true, false),
            (true, true, true),
        ] {
            let turn = |row: i32, column: i32| {
                let row = if rows { -row } else { row };
                let column = if columns { -column } else { column };
                if transpose { (column, row) } else { (row, column) }
            };
            let cells = cells_of(8, 8, |row, column| {
                // Around the middle of the board, in half squares.
                let (row, column) = turn(2 * row as i32 - 7, 2 * column as i32 - 7);
                (((row + 7) / 2) as usize, ((column + 7) / 2) as usize)
            });
            let mut policy = cells.clone();
            for (row, column) in DIRECTIONS {
                let turned = turn(row, column);
                let plane = DIRECTIONS.iter().position(|other| *other == turned);
                let plane = 1 + plane.expect("directions turn into directions") as u16;
                policy.extend(cells.iter().map(|cell| plane * SQUARES + cell));
            }
            // The pass has its corner whatever happens to the board: where it is legal, nothing
            // else is.
            images.push(Image {
                cells,
                planes: unmoved(PLANES),
                scalars: unmoved(SCALARS),
                policy,
            });
        }
        images
    }

    fn images_of(&self, position: &Position) -> usize {
        if position.phase() == Phase::Placing { 2 } else { 8 }
    }
}
