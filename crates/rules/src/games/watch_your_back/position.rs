//! Positions of Watch Your Back! and the rules that lead from one to the next.
//!
//! The board is one word: bit `8·row + column`, from the top left. Eliminations are a handful of
//! shifts and masks, with no loop over the squares.

use crate::game::{Ending, Heuristics, Rules, Seat, Symmetry, Turn};
use crate::setup::Options;

use super::moves::{Action, Kind, MoveList};

/// Where the game stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// The players place their twelve pieces.
    Placing,
    /// The players move and jump.
    Moving,
    /// The game is over.
    Completed,
}

/// One moment of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The pieces of White (0) and Black (1).
    pub(super) pieces: [u64; 2],
    /// Actions taken in this phase; White acts when it is even.
    pub(super) turn: u32,
    /// How often the board has shrunk. Not always what `turn` suggests: a win on the very turn of
    /// a shrink comes first and leaves the board as it was.
    pub(super) shrinks: u8,
    /// Where the game stands.
    pub(super) phase: Phase,
}

/// Placements of both sides together.
pub(super) const PLACEMENTS: u32 = 24;
/// Moving turns after which the board shrinks for the first and for the second time.
pub const SHRINK_TURNS: [u32; 2] = [128, 192];

/// Moving turns are not counted beyond this. Only a game without a limit could come here, after
/// minutes of doing nothing else.
pub(super) const MOST_TURNS: u32 = 1_000_000_000;

/// Squares still on the board after so many shrinks, corners included.
const FIELDS: [u64; 3] = [0xffff_ffff_ffff_ffff, 0x007e_7e7e_7e7e_7e00, 0x0000_3c3c_3c3c_0000];
/// The corners after so many shrinks, in the order they eliminate: top left, bottom left, bottom
/// right, top right.
const CORNERS: [[u32; 4]; 3] = [[0, 56, 63, 7], [9, 49, 54, 14], [18, 42, 45, 21]];
const CORNER_SETS: [u64; 3] = [corner_set(0), corner_set(1), corner_set(2)];

const fn corner_set(shrinks: usize) -> u64 {
    let [a, b, c, d] = CORNERS[shrinks];
    1 << a | 1 << b | 1 << c | 1 << d
}

/// Rows 0 to 5 for White, 2 to 7 for Black.
const ZONES: [u64; 2] = [0x0000_ffff_ffff_ffff, 0xffff_ffff_ffff_0000];

const LEFT_COLUMN: u64 = 0x0101_0101_0101_0101;
const RIGHT_COLUMN: u64 = LEFT_COLUMN << 7;

/// The four sides, as functions that shift a set of squares. Squares that leave the board vanish.
pub(super) const SIDES: [fn(u64) -> u64; 4] = [west, east, north, south];
#[inline(always)]
pub(super) fn west(set: u64) -> u64 {
    (set & !LEFT_COLUMN) >> 1
}
#[inline(always)]
pub(super) fn east(set: u64) -> u64 {
    (set & !RIGHT_COLUMN) << 1
}
#[inline(always)]
pub(super) fn north(set: u64) -> u64 {
    set >> 8
}
#[inline(always)]
pub(super) fn south(set: u64) -> u64 {
    set << 8
}

#[inline(always)]
fn fewer_than_two(set: u64) -> bool {
    set & set.wrapping_sub(1) == 0
}

impl Position {
    /// The empty board, White to place.
    pub fn start() -> Position {
        Position { pieces: [0, 0], turn: 0, shrinks: 0, phase: Phase::Placing }
    }

    /// A position on the smallest board, which shrinks no more: these pieces of White and Black
    /// on its twelve squares (what stands elsewhere is left out), White to move.
    pub fn on_smallest_board(pieces: [u64; 2]) -> Position {
        let room = FIELDS[2] & !CORNER_SETS[2];
        let pieces = [pieces[0] & room, pieces[1] & room & !pieces[0]];
        let mut position =
            Position { pieces, turn: SHRINK_TURNS[1], shrinks: 2, phase: Phase::Moving };
        if position.is_decided() {
            position.phase = Phase::Completed;
        }
        position
    }

    /// The pieces of one side: 0 White, 1 Black.
    pub fn pieces(&self, side: usize) -> u64 {
        self.pieces[side]
    }

    /// Where the game stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// How often the board has shrunk.
    pub fn shrinks(&self) -> u8 {
        self.shrinks
    }

    /// Actions taken in this phase.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Whose turn it would be by the count: 0 White, 1 Black.
    #[inline(always)]
    pub fn mover(&self) -> usize {
        (self.turn & 1) as usize
    }

    /// The corner squares: hostile to both sides, entered by neither.
    #[inline(always)]
    pub fn corners(&self) -> u64 {
        CORNER_SETS[usize::from(self.shrinks)]
    }

    /// The squares still on the board, corners included.
    #[inline(always)]
    pub fn field(&self) -> u64 {
        FIELDS[usize::from(self.shrinks)]
    }

    /// Squares a piece may enter.
    #[inline(always)]
    pub fn empty(&self) -> u64 {
        self.field() & !(self.corners() | self.pieces[0] | self.pieces[1])
    }

    /// Squares where this side may place.
    #[inline(always)]
    pub(super) fn placements(&self, side: usize) -> u64 {
        self.empty() & ZONES[side]
    }

    /// For each of the four sides, the pieces of `side` that may step that way and those that may
    /// jump. A piece does one or the other in a direction, never both.
    #[inline(always)]
    pub(super) fn movers(&self, side: usize) -> [(u64, u64); 4] {
        self.movers_into(side, u64::MAX)
    }

    /// The same for pieces that may go to one of the squares of `targets`.
    #[inline(always)]
    pub(super) fn movers_into(&self, side: usize, targets: u64) -> [(u64, u64); 4] {
        let own = self.pieces[side];
        let all = self.pieces[0] | self.pieces[1];
        let empty = self.empty() & targets;
        // A piece may go west where the square to its west is empty: the empty squares shifted east.
        [east as fn(u64) -> u64, west, south, north]
            .map(|back| (own & back(empty), own & back(all & back(empty))))
    }

    /// Whether this side has a move other than `pass`.
    #[inline(always)]
    pub fn can_move(&self, side: usize) -> bool {
        self.movers(side).iter().any(|(steps, jumps)| steps | jumps != 0)
    }

    /// Squares that pieces of `side` could enter with their next move: placements while placing,
    /// steps and jumps while moving.
    #[inline]
    pub fn reach(&self, side: usize) -> u64 {
        if self.phase == Phase::Placing {
            return self.placements(side);
        }
        let (own, all, empty) = (self.pieces[side], self.pieces[0] | self.pieces[1], self.empty());
        SIDES.iter().fold(0, |reach, shift| {
            let next = shift(own);
            reach | (next | shift(next & all)) & empty
        })
    }

    /// Pieces of `side` that would die if an enemy entered one of the squares of `entered`: flanked
    /// already on the opposite side, by an enemy or a corner.
    #[inline]
    pub fn exposed(&self, side: usize, entered: u64) -> u64 {
        let hostile = self.pieces[1 - side] | self.corners();
        let flanks = west(entered) & east(hostile)
            | east(entered) & west(hostile)
            | north(entered) & south(hostile)
            | south(entered) & north(hostile);
        self.pieces[side] & flanks
    }

    /// Squares where a piece of `side` would kill by entering, unless the piece it flanks with is
    /// the very one that leaves to enter.
    #[inline]
    pub fn kill_squares(&self, side: usize) -> u64 {
        let flanking = self.pieces[side] | self.corners();
        let enemies = self.pieces[1 - side];
        self.empty()
            & (east(enemies & east(flanking))
                | west(enemies & west(flanking))
                | south(enemies & south(flanking))
                | north(enemies & north(flanking)))
    }

    /// Squares where a piece of `side` would be flanked on entering, unless it kills first.
    #[inline]
    pub fn death_squares(&self, side: usize) -> u64 {
        let hostile = self.pieces[1 - side] | self.corners();
        self.empty() & (west(hostile) & east(hostile) | north(hostile) & south(hostile))
    }

    /// How many pieces of the two sides an action of `side` would kill: the enemy's and its own.
    #[inline]
    pub fn losses(&self, side: usize, action: Action) -> (u32, u32) {
        if action.kind() == Kind::Pass {
            return (0, 0);
        }
        let square = 1 << action.to();
        let mut after = *self;
        if action.kind() == Kind::Move {
            after.pieces[side] &= !(1 << action.from());
        }
        after.pieces[side] |= square;
        let before = after.pieces.map(u64::count_ones);
        after.enter(side, square);
        let after = after.pieces.map(u64::count_ones);
        (before[1 - side] - after[1 - side], before[side] - after[side])
    }

    /// A piece of `side` has entered `square` (a set of one): first it kills on its four sides,
    /// then it dies itself if what is left flanks it.
    #[inline(always)]
    fn enter(&mut self, side: usize, square: u64) {
        let corners = self.corners();
        let enemies = self.pieces[1 - side];
        let flanking = self.pieces[side] | corners;
        let killed = enemies
            & (west(square) & east(flanking)
                | east(square) & west(flanking)
                | north(square) & south(flanking)
                | south(square) & north(flanking));
        let left = enemies & !killed;
        self.pieces[1 - side] = left;
        let hostile = left | corners;
        let flanked = square & (west(hostile) & east(hostile) | north(hostile) & south(hostile));
        self.pieces[side] &= !flanked;
    }

    /// Whether a side is down to fewer than two pieces.
    #[inline(always)]
    pub(super) fn is_decided(&self) -> bool {
        fewer_than_two(self.pieces[0]) || fewer_than_two(self.pieces[1])
    }

    /// The outer ring vanishes with its pieces. Then the new corners, one after the other: each
    /// removes the piece it stands on and kills neighbours flanked between it and an enemy.
    fn shrink(&mut self) {
        self.shrinks += 1;
        let field = self.field();
        self.pieces = self.pieces.map(|pieces| pieces & field);
        for corner in CORNERS[usize::from(self.shrinks)] {
            let corner: u64 = 1 << corner;
            self.pieces = self.pieces.map(|pieces| pieces & !corner);
            for side in SIDES {
                let neighbour = side(corner);
                let beyond = side(neighbour);
                for owner in 0..2 {
                    if neighbour & self.pieces[owner] != 0 && beyond & self.pieces[1 - owner] != 0 {
                        self.pieces[owner] &= !neighbour;
                    }
                }
            }
        }
    }
}

/// Watch Your Back! with its limit on moving turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchYourBack {
    pub(super) move_limit: Option<u32>,
}

impl WatchYourBack {
    /// The game, drawn after so many moving turns, or played for ever.
    pub fn new(move_limit: Option<u32>) -> WatchYourBack {
        WatchYourBack { move_limit }
    }

    /// Moving turns after which the game is a draw; `None` where it is played for ever.
    pub fn move_limit(&self) -> Option<u32> {
        self.move_limit
    }

    /// Whether a game with these pieces is over now, in the moving phase.
    pub(super) fn is_completed(&self, position: &Position) -> bool {
        position.is_decided() || self.is_at_limit(position) || self.is_deadlocked(position)
    }

    #[inline(always)]
    fn is_at_limit(&self, position: &Position) -> bool {
        self.move_limit.is_some_and(|limit| position.turn >= limit)
    }

    /// No shrink is left to free anybody, and neither side can move. The original plays on for
    /// ever; so do we where no limit is set.
    #[inline(always)]
    fn is_deadlocked(&self, position: &Position) -> bool {
        self.move_limit.is_some()
            && usize::from(position.shrinks) == SHRINK_TURNS.len()
            && !position.can_move(0)
            && !position.can_move(1)
    }

    /// Plays a legal action.
    #[inline(always)]
    pub(super) fn apply(&self, position: &mut Position, action: Action) {
        let side = position.mover();
        match action.kind() {
            Kind::Place => {
                let square = 1 << action.to();
                position.pieces[side] |= square;
                position.enter(side, square);
            }
            Kind::Move => {
                let square = 1 << action.to();
                position.pieces[side] ^= 1 << action.from() | square;
                position.enter(side, square);
            }
            Kind::Pass => {}
        }
        position.turn += 1;
        if position.phase == Phase::Placing {
            if position.turn == PLACEMENTS {
                // The first win check of the game comes right after the last placement.
                position.turn = 0;
                position.phase = Phase::Moving;
                if position.is_decided() {
                    position.phase = Phase::Completed;
                }
            }
            return;
        }
        // A win prevents the shrink that the same turn would bring.
        if position.is_decided() {
            position.phase = Phase::Completed;
            return;
        }
        if SHRINK_TURNS.contains(&position.turn) {
            position.shrink();
        }
        if self.is_completed(position) {
            position.phase = Phase::Completed;
        } else if position.turn > MOST_TURNS {
            // Two turns back it was the same side's turn.
            position.turn -= 2;
        }
    }
}

impl Rules for WatchYourBack {
    type Position = Position;
    type Action = Action;

    fn seats(&self) -> u16 {
        2
    }

    #[inline]
    fn turn(&self, position: &Position) -> Turn {
        match position.phase {
            Phase::Completed => Turn::Over,
            _ => Turn::Player(Seat(position.mover() as u16)),
        }
    }

    fn actions(&self, position: &Position, out: &mut Vec<Action>) {
        let mut list = MoveList::new();
        list.fill(position);
        out.extend_from_slice(list.as_slice());
    }

    #[inline]
    fn play(&self, position: &mut Position, action: Action) {
        self.apply(position, action);
    }

    fn payoff(&self, position: &Position, seat: Seat) -> f32 {
        if position.phase != Phase::Completed {
            return 0.0;
        }
        let lost = |side: usize| fewer_than_two(position.pieces[side]);
        match (lost(seat.index()), lost(1 - seat.index())) {
            (false, true) => 1.0,
            (true, false) => -1.0,
            _ => 0.0,
        }
    }

    fn ending(&self, position: &Position) -> Ending {
        if position.is_decided() {
            Ending::Normal
        } else if self.is_at_limit(position) {
            Ending::MoveLimit
        } else {
            Ending::Deadlock
        }
    }

    fn bound(&self, position: &Position) -> Option<u64> {
        let placing = match position.phase {
            Phase::Placing => PLACEMENTS - position.turn,
            _ => 0,
        };
        let moved = if position.phase == Phase::Placing { 0 } else { position.turn };
        self.move_limit.map(|limit| u64::from(placing + limit.saturating_sub(moved)))
    }

    fn options(&self) -> Options {
        match self.move_limit {
            Some(limit) => Options::none().with("move_limit", limit),
            None => Options::none().with("move_limit", "none"),
        }
    }
}

// No symmetry is declared: at the second shrink the corners eliminate one after the other, and
// there a mirrored board ends differently. Training may still use mirror images as augmentation.
impl Symmetry for WatchYourBack {}

impl Heuristics for WatchYourBack {
    const GENERIC_ENGINES: bool = false;
}
