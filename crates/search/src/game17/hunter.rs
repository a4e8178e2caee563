//! The hunter: the idea of the original package's `T800`.
//!
//! Every stack is weighed by itself, looking only at the pieces on the four squares around it.

use skirmish_rules::games::game17::{Direction, Game17, Order, Position};
use skirmish_rules::{Random, Rules, Seat, Turn};

/// Added to every neighbour's count, so that empty squares attract a little too.
const LURE: f64 = 0.01;

/// Appends a hunter's orders in the mover's place.
///
/// A stack divides itself over its four sides in proportion to the pieces standing there. A side
/// whose share could not match what stands there is dropped; where all sides are, the stack
/// stays. The shares are chances, and every piece draws its own side.
///
/// The pieces on a neighbouring square count for any owner: the original looks at the board
/// of numbers alone. So a hunter's own stacks attract each other, and armies merge.
///
/// # Panics
/// If no player is to move.
pub fn hunter(game: &Game17, position: &Position, random: &mut Random, orders: &mut Vec<Order>) {
    let Turn::Player(Seat(mover)) = game.turn(position) else { panic!("no player is to move") };
    // Where orders were chosen before, ours go on from the square after the last one.
    let first = position.orders().last().map_or(0, |order| usize::from(order.cell) + 1);
    let board = position.owners().iter().zip(position.numbers()).enumerate();
    for (cell, (owner, number)) in board.skip(first) {
        if *owner != mover || *number == 0 {
            continue;
        }
        let cell = cell as u16;
        let around = Direction::ALL
            .map(|direction| position.numbers()[usize::from(game.neighbour(cell, direction))]);
        let Some(shares) = shares(*number, around) else { continue };
        let mut sent = [0; 4];
        for _ in 0..*number {
            sent[draw(shares, random)] += 1;
        }
        for (direction, count) in Direction::ALL.into_iter().zip(sent) {
            if count > 0 {
                orders.push(Order { cell, direction, count });
            }
        }
    }
}

/// The chance of each side for the pieces of a stack, or `None` if it stays.
pub(super) fn shares(stack: u16, around: [u16; 4]) -> Option<[f64; 4]> {
    let stack = f64::from(stack);
    let around = around.map(f64::from);
    let mut shares = around.map(|number| number + LURE);
    loop {
        let total: f64 = shares.iter().sum();
        if total <= 0.0 {
            return None;
        }
        shares = shares.map(|share| share / total);
        let too_weak = |share: f64, number: f64| stack * share < number;
        let mut sides = shares.into_iter().zip(around);
        if !sides.any(|(share, number)| share > 0.0 && too_weak(share, number)) {
            return Some(shares);
        }
        for (share, number) in shares.iter_mut().zip(around) {
            if too_weak(*share, number) {
                *share = 0.0;
            }
        }
    }
}

/// A side, drawn with these chances.
fn draw(shares: [f64; 4], random: &mut Random) -> usize {
    // The 53 bits a double holds exactly.
    let mut point = (random.word() >> 11) as f64 / (1u64 << 53) as f64;
    let mut last = 0;
    for (side, share) in shares.into_iter().enumerate() {
        if share > 0.0 {
            last = side;
            if point < share {
                return side;
            }
            point -= share;
        }
    }
    // Rounding may leave the point just beyond the last side.
    last
}
