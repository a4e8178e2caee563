//! In-Trap itself: the position, the actions and the rules.
//!
//! Every player has exactly one of each piece, so a position is a list of squares, one per piece,
//! and an action is a piece and a direction: it is a spawn if the piece is off the board and a move
//! if it is on it. [`InTrap`] is generic over the set of squares, so that boards of up to 8×8 fit
//! one word, and over the room for pieces, so that the standard nine make a small position.

use std::hash::{Hash, Hasher};

use super::SMALL_ROOM;
use super::leaps::{Distances, Leap, Leaps, essence};
use super::pieces::{DIRECTIONS, MOST_PIECES, Pieces};
use super::symmetry::{Turning, turnings};
use crate::cells::Cells;
use crate::game::{Ending, Heuristics, Rules, Seat, Turn};
use crate::setup::Options;

/// The sizes of board the game is played on.
pub const SIZES: std::ops::RangeInclusive<u32> = 4..=20;
/// The usual size of the board.
pub const USUAL_SIZE: u32 = 6;
/// The usual number of moves after which the game is drawn.
pub const USUAL_MOVE_LIMIT: u32 = 200;
/// The highest limit that can be set.
pub const MOST_MOVE_LIMIT: u32 = 1_000_000;
/// Mana and the number of moves are not counted beyond this. Only a game without a limit could
/// come here, after years.
pub const MOST_COUNT: u32 = 1_000_000_000;

/// What the two players have at the start. Player 2 has one more for moving second.
const STARTING_MANA: [u32; 2] = [4, 5];

/// The square of a piece that is off the board.
pub(super) const OFF: u16 = u16::MAX;

/// The number of the spawner among the pieces.
pub const SPAWNER: usize = 0;

/// A piece and a direction, or a pass. Whether it is a spawn or a move follows from whether the
/// piece is on the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action(u16);

impl Action {
    /// What a player with nothing else to do must play.
    pub const PASS: Action = Action(u16::MAX);

    /// The action of a piece, by its number in the set, in a direction, by its number.
    #[inline]
    pub fn new(piece: usize, direction: usize) -> Action {
        debug_assert!(direction < DIRECTIONS);
        Action((piece * DIRECTIONS + direction) as u16)
    }

    /// Whether this is the pass.
    #[inline]
    pub fn is_pass(self) -> bool {
        self == Action::PASS
    }

    /// The number of the piece in the set. Of no meaning for a pass.
    #[inline]
    pub fn piece(self) -> usize {
        usize::from(self.0) / DIRECTIONS
    }

    /// The action as a number of its own.
    #[inline]
    pub fn code(self) -> u16 {
        self.0
    }

    /// The number of the direction. Of no meaning for a pass.
    #[inline]
    pub fn direction(self) -> usize {
        usize::from(self.0) % DIRECTIONS
    }
}

/// One moment of a game, with room for `ROOM` pieces a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position<C, const ROOM: usize> {
    /// Where each piece of each player stands; [`OFF`] off the board.
    pub(super) cells: [[u16; ROOM]; 2],
    /// The squares each player's pieces stand on.
    pub(super) occupied: [C; 2],
    pub(super) mana: [u32; 2],
    pub(super) moves: u32,
    pub(super) mover: u8,
}

impl<C: Cells, const ROOM: usize> Hash for Position<C, ROOM> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The occupied squares follow from where the pieces stand.
        self.cells.as_flattened().hash(state);
        let counts = u64::from(self.mana[0]) << 32 | u64::from(self.mana[1]);
        state.write_u64(counts);
        state.write_u64(u64::from(self.moves) << 1 | u64::from(self.mover));
    }
}

impl<C: Cells, const ROOM: usize> Position<C, ROOM> {
    /// An empty board with player 1 to move.
    pub(super) fn empty() -> Self {
        Position {
            cells: [[OFF; ROOM]; 2],
            occupied: [C::default(); 2],
            mana: STARTING_MANA,
            moves: 0,
            mover: 0,
        }
    }

    /// Puts a piece that is off the board on an empty square.
    pub(super) fn place(&mut self, player: usize, piece: usize, cell: u16) {
        debug_assert_eq!(self.cells[player][piece], OFF);
        self.cells[player][piece] = cell;
        self.occupied[player].insert(cell);
    }

    /// The player to move, or who would be if the game were not over.
    pub fn mover(&self) -> Seat {
        Seat(u16::from(self.mover))
    }

    /// The number of moves played by both players together.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// A player's mana.
    pub fn mana(&self, seat: Seat) -> u32 {
        self.mana[seat.index()]
    }

    /// The square of a player's piece, or `None` if it is off the board.
    pub fn square_of(&self, seat: Seat, piece: usize) -> Option<u16> {
        let cell = self.cells[seat.index()][piece];
        (cell != OFF).then_some(cell)
    }

    /// The squares a player's pieces stand on.
    pub fn occupied(&self, seat: Seat) -> C {
        self.occupied[seat.index()]
    }

    /// Whether neither spawner has been captured.
    #[inline]
    pub(super) fn both_spawners_stand(&self) -> bool {
        (self.cells[0][SPAWNER] != OFF) & (self.cells[1][SPAWNER] != OFF)
    }
}

/// The rules of In-Trap with size, pieces and limit settled.
#[derive(Clone, Debug)]
pub struct InTrap<C: Cells, const ROOM: usize> {
    pub(super) size: u16,
    pub(super) pieces: Pieces,
    pub(super) move_limit: Option<u32>,
    /// The limit as the rules ask for it: never reached where there is none.
    last_move: u32,
    /// What each piece costs; more than anybody can have where the set has no such piece.
    costs: [u32; ROOM],
    /// The leaps of each piece, and in row `ROOM` the step from the spawner to a spawned piece.
    leaps: Leaps<C>,
    /// Whether the spawner moves just as it spawns: one step in every direction.
    spawner_steps: bool,
    pub(super) turnings: Vec<Turning>,
}

impl<C: Cells, const ROOM: usize> InTrap<C, ROOM> {
    /// The game with these settings.
    ///
    /// # Panics
    /// If the board has more squares than the set has room for, or the pieces are too many.
    pub fn new(size: u16, pieces: Pieces, move_limit: Option<u32>) -> Self {
        assert!(usize::from(size * size) <= C::ROOM);
        assert!(pieces.list().len() <= ROOM);
        let mut costs = [u32::MAX; ROOM];
        let mut distances: Vec<Distances> = vec![[0; DIRECTIONS]; ROOM + 1];
        for (number, piece) in pieces.list().iter().enumerate() {
            costs[number] = piece.cost;
            distances[number] = piece.distances.map(|distance| essence(size, distance));
        }
        // A piece appears one step from the spawner, in any direction.
        distances[ROOM] = [1; DIRECTIONS];
        InTrap {
            size,
            move_limit,
            last_move: move_limit.unwrap_or(u32::MAX),
            costs,
            leaps: Leaps::new(size, &distances),
            spawner_steps: distances[SPAWNER] == distances[ROOM],
            turnings: turnings(&distances[..pieces.list().len()], &costs),
            pieces,
        }
    }

    /// The number of rows and of columns.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// The pieces each player has.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// The number of moves after which the game is drawn.
    pub fn move_limit(&self) -> Option<u32> {
        self.move_limit
    }

    /// The start: both spawners near opposite corners, everything else off the board.
    pub fn start(&self) -> Position<C, ROOM> {
        let mut start = Position::empty();
        start.place(0, SPAWNER, (self.size - 1) * self.size + 1);
        start.place(1, SPAWNER, self.size - 2);
        start
    }

    /// The legal actions other than a pass, as a set. Of no meaning once the game is over.
    #[inline(always)]
    pub(super) fn legal(&self, position: &Position<C, ROOM>) -> Legal {
        let mover = usize::from(position.mover);
        let empty = !(position.occupied[0] | position.occupied[1]);
        let cells = &position.cells[mover];
        let mana = position.mana[mover];
        let beside_spawner = self.leaps.open(ROOM, cells[SPAWNER], empty);
        let spawner_moves = if self.spawner_steps {
            beside_spawner
        } else {
            self.leaps.open(SPAWNER, cells[SPAWNER], empty)
        };
        let mut legal = Legal::default();
        legal.0[0] = u64::from(spawner_moves);
        // With the standard pieces every place is in use, and a fixed number of rounds unrolls.
        let pieces = if ROOM == SMALL_ROOM { ROOM } else { self.pieces.list().len() };
        #[allow(clippy::needless_range_loop, reason = "perft is half as fast again with a range")]
        for piece in SPAWNER + 1..pieces {
            let open = match cells[piece] {
                OFF if self.costs[piece] <= mana => beside_spawner,
                OFF => 0,
                cell => self.leaps.open(piece, cell, empty),
            };
            legal.0[piece / 8] |= u64::from(open) << (piece % 8 * DIRECTIONS);
        }
        legal
    }

    /// The square an action starts from (the spawner's for a spawn) and the leap it makes.
    #[inline(always)]
    fn leap(&self, position: &Position<C, ROOM>, action: Action) -> (u16, Leap<C>) {
        let cells = &position.cells[usize::from(position.mover)];
        let cell = cells[action.piece()];
        let (origin, row) =
            if cell == OFF { (cells[SPAWNER], ROOM) } else { (cell, action.piece()) };
        (origin, self.leaps.leap(row, origin, action.direction()))
    }

    /// Where an action other than a pass starts (at the spawner for a spawn) and where it lands.
    /// The two are the same where a piece cannot go.
    ///
    /// # Panics
    /// If there is no such piece, or it is off the board and so is the spawner.
    pub fn squares(&self, position: &Position<C, ROOM>, action: Action) -> (u16, u16) {
        let (origin, leap) = self.leap(position, action);
        (origin, leap.landing)
    }

    /// The squares of the enemy pieces that a legal action captures.
    pub fn captures(&self, position: &Position<C, ROOM>, action: Action) -> C {
        if action.is_pass() {
            return C::default();
        }
        self.leap(position, action).1.passed & position.occupied[usize::from(position.mover ^ 1)]
    }

    /// Calls `each` with every legal action, in their order, and the squares of the enemy pieces it
    /// captures.
    #[inline]
    pub fn each_action(&self, position: &Position<C, ROOM>, mut each: impl FnMut(Action, C)) {
        let legal = self.legal(position);
        let enemies = position.occupied[usize::from(position.mover ^ 1)];
        let mut any = false;
        for action in legal.iter() {
            any = true;
            each(action, self.leap(position, action).1.passed & enemies);
        }
        if !any {
            each(Action::PASS, C::default());
        }
    }

    /// The squares of the enemy pieces that a player's pieces on the board could capture now, were
    /// it that player's move.
    #[inline]
    pub fn threatened_by(&self, position: &Position<C, ROOM>, seat: Seat) -> C {
        let empty = !(position.occupied[0] | position.occupied[1]);
        let enemy = position.occupied[1 - seat.index()];
        let mut threatened = C::default();
        let pieces = self.pieces.list().len();
        for (piece, &cell) in position.cells[seat.index()][..pieces].iter().enumerate() {
            if cell == OFF {
                continue;
            }
            for direction in u64::from(self.leaps.open(piece, cell, empty)).iter() {
                threatened |= self.leaps.leap(piece, cell, usize::from(direction)).passed & enemy;
            }
        }
        threatened
    }

    /// The squares that a player's pieces on the board pass on the moves they have, and how many
    /// moves that are, spawns left out. Enemies on these squares could be captured.
    #[inline]
    pub fn control(&self, position: &Position<C, ROOM>, seat: Seat) -> (C, u32) {
        let empty = !(position.occupied[0] | position.occupied[1]);
        let mut passed = C::default();
        let mut freedom = 0;
        let pieces = if ROOM == SMALL_ROOM { ROOM } else { self.pieces.list().len() };
        for (piece, &cell) in position.cells[seat.index()][..pieces].iter().enumerate() {
            if cell == OFF {
                continue;
            }
            let open = self.leaps.open(piece, cell, empty);
            freedom += open.count_ones();
            for direction in u64::from(open).iter() {
                passed |= self.leaps.leap(piece, cell, usize::from(direction)).passed;
            }
        }
        (passed, freedom)
    }

    /// The squares one step away, going around the edges.
    #[inline]
    pub fn beside(&self, cell: u16) -> C {
        (0..DIRECTIONS).fold(C::default(), |beside, direction| {
            beside | C::single(self.leaps.leap(ROOM, cell, direction).landing)
        })
    }

    /// How many moves a player's pieces on the board have, spawns left out.
    #[inline]
    pub fn freedom(&self, position: &Position<C, ROOM>, seat: Seat) -> u32 {
        let empty = !(position.occupied[0] | position.occupied[1]);
        let pieces = self.pieces.list().len();
        let cells = position.cells[seat.index()][..pieces].iter().enumerate();
        cells
            .filter(|(_, cell)| **cell != OFF)
            .map(|(piece, cell)| self.leaps.open(piece, *cell, empty).count_ones())
            .sum()
    }

    /// [`Rules::play`], to be inlined into the loops that play millions.
    #[inline(always)]
    pub(super) fn advance(&self, position: &mut Position<C, ROOM>, action: Action) {
        let mover = usize::from(position.mover);
        let enemy = mover ^ 1;
        let mut mana = position.mana[mover];
        if !action.is_pass() {
            let piece = action.piece();
            let (origin, leap) = self.leap(position, action);
            let is_spawn = position.cells[mover][piece] == OFF;
            mana -= if is_spawn { self.costs[piece] } else { 0 };
            let left = if is_spawn { C::default() } else { C::single(origin) };
            position.cells[mover][piece] = leap.landing;
            position.occupied[mover] = (position.occupied[mover] & !left) | C::single(leap.landing);

            let captured = leap.passed & position.occupied[enemy];
            if !captured.is_empty() {
                position.occupied[enemy] &= !captured;
                mana += captured.count();
                for cell in &mut position.cells[enemy] {
                    if *cell != OFF && captured.contains(*cell) {
                        *cell = OFF;
                    }
                }
            }
        }
        position.mana[mover] = (mana + 1).min(MOST_COUNT);
        position.moves = (position.moves + 1).min(MOST_COUNT);
        position.mover ^= 1;
    }

    /// Whether the game has ended.
    #[inline(always)]
    pub(super) fn is_over(&self, position: &Position<C, ROOM>) -> bool {
        !position.both_spawners_stand() | (position.moves >= self.last_move)
    }
}

impl<C: Cells, const ROOM: usize> Rules for InTrap<C, ROOM> {
    type Position = Position<C, ROOM>;
    type Action = Action;

    fn seats(&self) -> u16 {
        2
    }

    #[inline]
    fn turn(&self, position: &Self::Position) -> Turn {
        if self.is_over(position) { Turn::Over } else { Turn::Player(position.mover()) }
    }

    /// In the order of the pieces in the set, and for each piece in the order of the directions.
    fn actions(&self, position: &Self::Position, out: &mut Vec<Action>) {
        if self.is_over(position) {
            return;
        }
        let legal = self.legal(position);
        let before = out.len();
        legal.iter().for_each(|action| out.push(action));
        if out.len() == before {
            out.push(Action::PASS);
        }
    }

    fn play(&self, position: &mut Self::Position, action: Action) {
        self.advance(position, action);
    }

    fn payoff(&self, position: &Self::Position, seat: Seat) -> f32 {
        if position.both_spawners_stand() {
            0.0
        } else if position.square_of(seat, SPAWNER).is_some() {
            1.0
        } else {
            -1.0
        }
    }

    fn is_legal(&self, position: &Self::Position, action: Action) -> bool {
        if self.is_over(position) {
            false
        } else if action.is_pass() {
            self.legal(position).count() == 0
        } else {
            self.legal(position).contains(action)
        }
    }

    fn ending(&self, position: &Self::Position) -> Ending {
        // A spawner captured by the last move allowed still wins.
        if position.both_spawners_stand() { Ending::MoveLimit } else { Ending::Normal }
    }

    fn bound(&self, position: &Self::Position) -> Option<u64> {
        self.move_limit.map(|limit| u64::from(limit.saturating_sub(position.moves)))
    }

    /// The standard pieces go without saying; others are given in full, as their file has them.
    fn options(&self) -> Options {
        let mut options = Options::none().with("size", self.size);
        match self.move_limit {
            Some(limit) => options.set("move_limit", limit),
            None => options.set("move_limit", "none"),
        }
        if !self.pieces.is_standard() {
            options.set("pieces", self.pieces.to_json());
        }
        options
    }
}

/// A set of actions, one byte of directions per piece: a full list of legal moves that costs a few
/// words to make and to draw from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Legal([u64; MOST_PIECES / 8]);

impl Legal {
    /// How many there are.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether the action, which is not a pass, is one of them.
    pub(super) fn contains(&self, action: Action) -> bool {
        let word = self.0.get(action.piece() / 8).copied().unwrap_or(0);
        word >> (usize::from(action.0) % 64) & 1 != 0
    }

    /// The actions in their order.
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = Action> {
        self.0.into_iter().enumerate().flat_map(|(number, word)| {
            let start = number as u16 * 64;
            Cells::iter(word).map(move |bit| Action(start + bit))
        })
    }

    /// The action with this number in their order, or a pass where there are none.
    #[inline(always)]
    pub(super) fn nth(&self, number: u32) -> Action {
        let mut left = number;
        for (index, word) in self.0.iter().enumerate() {
            let here = word.count_ones();
            if left < here {
                return Action(index as u16 * 64 + nth_bit(*word, left));
            }
            left -= here;
        }
        Action::PASS
    }
}

/// The place of the bit with this number, counting the bits that are set from the lowest. There
/// have to be that many.
#[inline(always)]
fn nth_bit(word: u64, number: u32) -> u16 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // In each byte, the bits set in this byte and all below it.
    let pairs = word - ((word >> 1) & (ONES * 0x55));
    let fours = (pairs & (ONES * 0x33)) + ((pairs >> 2) & (ONES * 0x33));
    let so_far = ((fours + (fours >> 4)) & (ONES * 0x0f)).wrapping_mul(ONES);
    // The top bit of each byte stays where the bits so far are at most `number`: those bytes are
    // passed over.
    let passed = ((u64::from(number) * ONES) | (ONES * 0x80)) - so_far;
    let byte = (passed & (ONES * 0x80)).count_ones();
    let before = ((so_far << 8) >> (byte * 8)) as u8;
    let within = (word >> (byte * 8)) as u8;
    (byte * 8) as u16
        + u16::from(NTH_OF_BYTE[usize::from(within)][(number as u8 - before) as usize % 8])
}

/// The place of the bit with this number in each possible byte.
static NTH_OF_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte][found] = bit;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

impl<C: Cells, const ROOM: usize> Heuristics for InTrap<C, ROOM> {
    const GENERIC_ENGINES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn drawing_from_the_set_is_drawing_from_the_list() {
        let mut random = Random::seeded(11);
        for round in 0..2_000 {
            let mut legal = Legal::default();
            for word in &mut legal.0 {
                *word = if round % 7 == 0 { u64::MAX } else { random.word() & random.word() };
            }
            let list: Vec<Action> = legal.iter().collect();
            assert_eq!(legal.count() as usize, list.len());
            for (number, action) in list.iter().enumerate() {
                assert_eq!(legal.nth(number as u32), *action);
                assert!(legal.contains(*action));
            }
            assert!(legal.nth(list.len() as u32).is_pass());
        }
        assert!(Legal::default().nth(0).is_pass());
    }
}
