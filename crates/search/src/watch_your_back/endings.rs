//! Every position of the smallest board, worked out to the end.
//!
//! After the second shrink twelve squares are left, and nothing changes any more but the pieces:
//! 3¹² positions, an eighth of that by symmetry. Which of them are won, and how soon, is found by
//! retrograde analysis once, the first time it is needed.

use std::sync::OnceLock;

use skirmish_rules::games::watch_your_back::{Position, WatchYourBack};
use skirmish_rules::{Rules, Seat, Turn};

/// What a position is for its mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Won in so many turns of both sides.
    Win(u32),
    /// Neither side can force anything.
    Draw,
    /// Lost in so many turns of both sides.
    Loss(u32),
}

/// How a position with two shrinks behind it ends if both sides play perfectly and no limit on
/// moving turns comes in between. Asked only while the game goes on.
pub fn fate(position: &Position) -> Fate {
    let mover = position.mover();
    let own = pack(position.pieces(mover));
    let other = pack(position.pieces(1 - mover));
    match endings().turns[endings().place(own, other)] {
        0 => Fate::Draw,
        turns if turns > 0 => Fate::Win(turns.unsigned_abs().into()),
        turns => Fate::Loss(turns.unsigned_abs().into()),
    }
}

struct Endings {
    /// For each set of squares the digits of 3 that stand for it.
    digits: Box<[u32; SETS]>,
    /// By [`Endings::place`]: turns to the end, above 0 if the mover wins, below if it loses.
    turns: Box<[i16]>,
}

/// Sets of the twelve squares.
const SETS: usize = 1 << 12;
/// Ways for twelve squares to be empty, the mover's or the other's.
const POSITIONS: usize = 3_usize.pow(12);

fn endings() -> &'static Endings {
    static ENDINGS: OnceLock<Endings> = OnceLock::new();
    ENDINGS.get_or_init(Endings::work_out)
}

/// The twelve squares, as the low bits of a number, row by row.
fn pack(squares: u64) -> usize {
    (squares >> 19 & 0b11
        | (squares >> 26 & 0b1111) << 2
        | (squares >> 34 & 0b1111) << 6
        | (squares >> 43 & 0b11) << 10) as usize
}

fn unpack(set: usize) -> u64 {
    let set = set as u64;
    (set & 0b11) << 19
        | (set >> 2 & 0b1111) << 26
        | (set >> 6 & 0b1111) << 34
        | (set >> 10 & 0b11) << 43
}

/// Every set as it looks after each of the eight turnings of the board.
fn turned() -> Vec<[u16; SETS]> {
    let turn = |squares: u64, turning: usize| {
        let mut turned = 0;
        for square in (0..64).filter(|square| squares >> square & 1 != 0) {
            let (mut row, mut column) = (square / 8, square % 8);
            if turning & 1 != 0 {
                row = 7 - row;
            }
            if turning & 2 != 0 {
                column = 7 - column;
            }
            if turning & 4 != 0 {
                (row, column) = (column, row);
            }
            turned |= 1 << (8 * row + column);
        }
        turned
    };
    (0..8)
        .map(|turning| std::array::from_fn(|set| pack(turn(unpack(set), turning)) as u16))
        .collect()
}

impl Endings {
    fn place(&self, own: usize, other: usize) -> usize {
        (self.digits[own] + 2 * self.digits[other]) as usize
    }

    fn work_out() -> Endings {
        let mut endings =
            Endings { digits: Box::new([0; SETS]), turns: vec![0; POSITIONS].into_boxed_slice() };
        for set in 1..SETS {
            let lowest = set.trailing_zeros();
            endings.digits[set] = endings.digits[set & (set - 1)] + 3_u32.pow(lowest);
        }
        let turned = turned();
        let places = |own: usize, other: usize| {
            let place = |sets: &[u16; SETS]| {
                endings.place(usize::from(sets[own]), usize::from(sets[other]))
            };
            std::array::from_fn::<usize, 8, _>(|turning| place(&turned[turning]))
        };

        // Step 1. Number the positions, one of each eight that are the same turned around.
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; POSITIONS];
        let mut positions: Vec<(usize, usize)> = Vec::new();
        for own in (0..SETS).filter(|own| own.count_ones() >= 2) {
            // All subsets of the squares that are left.
            let rest = (SETS - 1) & !own;
            let mut other = rest;
            while other != 0 {
                if other.count_ones() >= 2 && numbers[endings.place(own, other)] == NONE {
                    let number = positions.len() as u32;
                    places(own, other).iter().for_each(|place| numbers[*place] = number);
                    positions.push((own, other));
                }
                other = (other - 1) & rest;
            }
        }

        // Step 2. Where each can go. Ends are settled at once, the rest noted backwards.
        let game = WatchYourBack::new(None);
        let mut turns = vec![0_i16; positions.len()];
        // Moves of each position that are not known to lose.
        let mut hopes = vec![0_u16; positions.len()];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut settled: Vec<u32> = Vec::new();
        for (number, &(own, other)) in positions.iter().enumerate() {
            let position = Position::on_smallest_board([unpack(own), unpack(other)]);
            position.each_action(|action| {
                let mut next = position;
                game.play(&mut next, action);
                if game.turn(&next) == Turn::Over {
                    match game.payoff(&next, Seat(0)) {
                        payoff if payoff > 0.0 => turns[number] = 1,
                        payoff if payoff < 0.0 => {}
                        _ => hopes[number] += 1,
                    }
                } else {
                    let place = endings.place(pack(next.pieces(1)), pack(next.pieces(0)));
                    hopes[number] += 1;
                    edges.push((numbers[place], number as u32));
                }
            });
            if turns[number] == 0 && hopes[number] == 0 {
                turns[number] = -1;
            }
            if turns[number] != 0 {
                settled.push(number as u32);
            }
        }
        edges.sort_unstable();

        // Step 3. Backwards, the ends that come sooner first: a move to a lost position wins, a
        // position from which every move goes to a won one is lost.
        for distance in 2.. {
            let mut next: Vec<u32> = Vec::new();
            for &number in &settled {
                let first = edges.partition_point(|edge| edge.0 < number);
                let lost = turns[number as usize] < 0;
                for &(_, from) in edges[first..].iter().take_while(|edge| edge.0 == number) {
                    let from_turns = &mut turns[from as usize];
                    let hopes = &mut hopes[from as usize];
                    *hopes -= u16::from(!lost);
                    if *from_turns == 0 && (lost || *hopes == 0) {
                        *from_turns = if lost { distance } else { -distance };
                        next.push(from);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            settled = next;
        }
        let mut all = std::mem::take(&mut endings.turns);
        for (place, turns_there) in all.iter_mut().enumerate() {
            if numbers[place] != NONE {
                *turns_there = turns[numbers[place] as usize];
            }
        }
        endings.turns = all;
        endings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skirmish_rules::Random;

    /// What one look ahead by the rules makes of a position, given what is known of the next ones.
    fn by_looking_ahead(game: &WatchYourBack, position: &Position) -> Fate {
        let mover = Seat(position.mover() as u16);
        let (mut win, mut draw, mut loss) = (None::<u32>, false, 0);
        position.each_action(|action| {
            let mut next = *position;
            game.play(&mut next, action);
            let after = match (game.turn(&next), game.payoff(&next, mover)) {
                (Turn::Over, payoff) if payoff > 0.0 => Fate::Loss(0),
                (Turn::Over, payoff) if payoff < 0.0 => Fate::Win(0),
                (Turn::Over, _) => Fate::Draw,
                _ => fate(&next),
            };
            match after {
                Fate::Loss(turns) => win = Some(win.map_or(turns + 1, |best| best.min(turns + 1))),
                Fate::Draw => draw = true,
                Fate::Win(turns) => loss = loss.max(turns + 1),
            }
        });
        match win {
            Some(turns) => Fate::Win(turns),
            None if draw => Fate::Draw,
            None => Fate::Loss(loss),
        }
    }

    #[test]
    fn every_ending_follows_from_the_ones_a_turn_later() {
        let game = WatchYourBack::new(None);
        let mut random = Random::seeded(3);
        let mut seen = [0; 3];
        for _ in 0..20_000 {
            let pieces = [random.word() & random.word(), random.word() & random.word()];
            let position = Position::on_smallest_board(pieces);
            if game.turn(&position) == Turn::Over {
                continue;
            }
            assert_eq!(fate(&position), by_looking_ahead(&game, &position), "{position:?}");
            seen[match fate(&position) {
                Fate::Win(_) => 0,
                Fate::Draw => 1,
                Fate::Loss(_) => 2,
            }] += 1;
        }
        assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
    }

    #[test]
    fn sets_pack_and_unpack() {
        for set in 0..SETS {
            assert_eq!(pack(unpack(set)), set);
            assert_eq!(unpack(set) & !0x0000_183c_3c18_0000, 0);
        }
    }
}
