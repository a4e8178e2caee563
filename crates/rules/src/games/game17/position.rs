//! The rules of Game 17: what a position holds, what an order does, and when the game ends.
//!
//! A turn is played order by order. The board stays as it was until the turn is ended and the last
//! tied square is settled; then everything happens at once, as the rules have it. So a position
//! inside a turn is the board before the turn, the orders so far and the tosses so far.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::error::{Error, ErrorKind, Result};
use crate::game::{Heuristics, Rules, Seat, Symmetry, Turn};
use crate::perft::Turns;
use crate::random::Random;
use crate::setup::Options;

/// The largest board has this many squares along each side.
pub const MOST_SIZE: u16 = 20;

/// The most pieces a board may hold: one stack, and any sum of arrivals, fits in 16 bits.
pub const MOST_PIECES: u32 = 60_000;

/// Squares of the largest board.
const MOST_CELLS: usize = (MOST_SIZE * MOST_SIZE) as usize;

/// Room for every square, as a power of two: an index masked with `ROOM - 1` is always in range.
pub(super) const ROOM: usize = MOST_CELLS.next_power_of_two();

/// Pieces on each square at the start.
const PIECES_AT_START: u16 = 4;

/// Where an order sends its pieces. The order of the variants is the order within a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// One row up.
    North,
    /// One row down.
    South,
    /// One column to the right.
    East,
    /// One column to the left.
    West,
}

impl Direction {
    /// The four directions, in the order they have within a turn.
    pub const ALL: [Direction; 4] =
        [Direction::North, Direction::South, Direction::East, Direction::West];

    /// The letter that stands for it: `n`, `s`, `e` or `w`.
    pub fn letter(self) -> char {
        match self {
            Direction::North => 'n',
            Direction::South => 's',
            Direction::East => 'e',
            Direction::West => 'w',
        }
    }

    /// The direction with exactly this letter; capitals mean nothing here.
    pub fn from_letter(letter: char) -> Option<Direction> {
        Direction::ALL.into_iter().find(|direction| direction.letter() == letter)
    }
}

/// Pieces sent from a square to its neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Order {
    /// The square they leave, numbered row by row from the top left.
    pub cell: u16,
    /// Where they go.
    pub direction: Direction,
    /// How many; at least 1.
    pub count: u16,
}

impl Order {
    /// What orders ascend by within a turn.
    #[inline]
    fn rank(self) -> (u16, Direction) {
        (self.cell, self.direction)
    }
}

/// An order as a player gave it, before any check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawOrder {
    /// Row of the square, from the top.
    pub row: i64,
    /// Column of the square, from the left.
    pub column: i64,
    /// Where the pieces go.
    pub direction: Direction,
    /// How many.
    pub count: i64,
}

impl fmt::Display for RawOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}:{}{}", self.row, self.column, self.direction.letter(), self.count)
    }
}

/// One step of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// The turn is complete.
    End,
    /// One more order. Orders ascend by square and direction, so that a turn has one spelling.
    Order(Order),
}

/// One moment of a game.
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    // Only the first `size²` entries of each list mean anything; the rest are zero.
    owners: [u16; MOST_CELLS],
    numbers: [u16; MOST_CELLS],
    turn_order: [u16; MOST_CELLS],
    /// Squares of each owner: follows from `owners`, and tells at once who is passed over.
    squares: [u16; MOST_CELLS],
    size: u16,
    round: u32,
    /// The mover's place in the turn order; 0 once the game is over.
    place: u16,
    over: bool,
    /// Orders chosen so far this turn, ascending.
    orders: Vec<Order>,
    /// The squares to toss for, ascending: empty until the turn is ended.
    tied: Vec<u16>,
    /// How the first of them fell; `true` gives the square to the mover.
    tosses: Vec<bool>,
}

impl Position {
    /// Squares along each side of the board.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// The owner of each square, row by row.
    pub fn owners(&self) -> &[u16] {
        &self.owners[..self.cells()]
    }

    /// The number of pieces on each square, row by row. Inside a turn they all still stand where
    /// they stood before it.
    pub fn numbers(&self) -> &[u16] {
        &self.numbers[..self.cells()]
    }

    /// The owners in the order they take their turns.
    pub fn turn_order(&self) -> &[u16] {
        &self.turn_order[..self.cells()]
    }

    /// How many squares each owner has, by owner.
    pub fn squares(&self) -> &[u16] {
        &self.squares[..self.cells()]
    }

    /// The round, counted from 0: of the turn being played, or in which the game ended early; the
    /// number of rounds once all are played.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The mover's place in the turn order, or `None` once the game is over.
    pub fn place(&self) -> Option<u16> {
        (!self.over).then_some(self.place)
    }

    /// The owner whose turn it is, tosses included, or `None` once the game is over.
    pub fn mover(&self) -> Option<u16> {
        (!self.over).then(|| self.turn_order[usize::from(self.place)])
    }

    /// The orders chosen so far this turn, ascending.
    pub fn orders(&self) -> &[Order] {
        &self.orders
    }

    /// The tosses settled so far this turn; `true` gave the square to the mover.
    pub fn tosses(&self) -> &[bool] {
        &self.tosses
    }

    /// The square the next toss decides, if tosses are pending.
    pub fn tossed_for(&self) -> Option<u16> {
        self.tied.get(self.tosses.len()).copied()
    }

    /// Whether the turn is ended and tosses are pending.
    pub fn is_tossing(&self) -> bool {
        !self.tied.is_empty()
    }

    /// How many pieces each owner has, by owner.
    pub fn pieces(&self) -> Vec<u32> {
        let mut pieces = vec![0; self.cells()];
        for (owner, number) in self.owners().iter().zip(self.numbers()) {
            pieces[usize::from(*owner)] += u32::from(*number);
        }
        pieces
    }

    #[inline]
    pub(super) fn cells(&self) -> usize {
        usize::from(self.size) * usize::from(self.size)
    }

    /// The pieces on a square that no order has sent away yet.
    fn unordered(&self, cell: u16) -> u16 {
        // Orders ascend, so those from the highest square are the last ones.
        let of_cell = self.orders.iter().rev().skip_while(|order| order.cell > cell);
        let sent = of_cell.take_while(|order| order.cell == cell).map(|order| order.count);
        self.numbers[usize::from(cell)] - sent.sum::<u16>()
    }

    /// Whether all pieces belong to one owner.
    fn has_one_army(&self) -> bool {
        let mut standing =
            self.numbers().iter().zip(self.owners()).filter(|(number, _)| **number > 0);
        let Some((_, first)) = standing.next() else { return true };
        standing.all(|(_, owner)| owner == first)
    }

    /// Hands a square to another owner.
    fn take(&mut self, cell: usize, owner: u16) {
        self.squares[usize::from(self.owners[cell])] -= 1;
        self.squares[usize::from(owner)] += 1;
        self.owners[cell] = owner;
    }

    /// The place in the turn order of the first owner with a square, from `place` on.
    fn next_place(&self, place: u16) -> Option<u16> {
        let owners = &self.turn_order()[usize::from(place)..];
        let passed_over = owners.iter().position(|owner| self.squares[usize::from(*owner)] > 0)?;
        Some(place + passed_over as u16)
    }

    /// Ends the turn of the owner at `place`, whose pieces have all arrived.
    fn conclude(&mut self, rounds: u32) {
        if self.has_one_army() {
            (self.over, self.place) = (true, 0);
            return;
        }
        self.place = self.next_place(self.place + 1).unwrap_or_else(|| {
            self.round += 1;
            self.over = self.round == rounds;
            if self.over { 0 } else { self.next_place(0).expect("every square has an owner") }
        });
    }

    /// Puts a board played by other means in place of this one: the owner at `place` has just
    /// moved in `round`.
    pub(super) fn resume(
        &mut self,
        rounds: u32,
        (round, place): (u32, u16),
        board: impl Iterator<Item = (u16, u16)>,
    ) {
        self.squares.fill(0);
        for (cell, (owner, number)) in board.take(self.cells()).enumerate() {
            self.owners[cell] = owner;
            self.numbers[cell] = number;
            self.squares[usize::from(owner)] += 1;
        }
        (self.round, self.place) = (round, place);
        self.conclude(rounds);
    }
}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.owners().hash(state);
        self.numbers().hash(state);
        self.turn_order().hash(state);
        state.write_u32(self.round);
        state.write_u16(self.place);
        // `tied` follows from the orders and from whether the turn is ended.
        state.write_u8(u8::from(self.over) | u8::from(self.is_tossing()) << 1);
        self.orders.hash(state);
        self.tosses.hash(state);
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}

/// Game 17 on a board of one size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game17 {
    size: u16,
    rounds: u32,
    players: Vec<u16>,
    /// The neighbours of each square, in the order of [`Direction::ALL`].
    neighbours: Box<[[u16; 4]; ROOM]>,
}

impl Game17 {
    /// The game on a board of `size` × `size` squares. The owners in `players` are held by
    /// players, all others by zombies.
    ///
    /// # Panics
    /// If `size` is not between 1 and [`MOST_SIZE`], or `players` are not ascending owners.
    pub fn new(size: u16, rounds: u32, players: &[u16]) -> Game17 {
        assert!((1..=MOST_SIZE).contains(&size), "no board has the size {size}");
        assert!(
            players.is_sorted_by(|a, b| a < b) && players.iter().all(|owner| *owner < size * size),
            "players are ascending owners"
        );
        let mut neighbours = Box::new([[0; 4]; ROOM]);
        for cell in 0..size * size {
            let (row, column) = (cell / size, cell % size);
            let (up, down) = ((row + size - 1) % size, (row + 1) % size);
            let (left, right) = ((column + size - 1) % size, (column + 1) % size);
            neighbours[usize::from(cell)] =
                [up * size + column, down * size + column, row * size + right, row * size + left];
        }
        Game17 { size, rounds, players: players.to_vec(), neighbours }
    }

    /// Squares along each side of the board.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// The number of rounds after which the game is over.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The owners held by players, ascending.
    pub fn players(&self) -> &[u16] {
        &self.players
    }

    /// The square pieces reach from `cell`.
    #[inline]
    pub fn neighbour(&self, cell: u16, direction: Direction) -> u16 {
        self.neighbours[usize::from(cell)][direction as usize]
    }

    #[inline]
    pub(super) fn neighbours(&self) -> &[[u16; 4]; ROOM] {
        &self.neighbours
    }

    fn cells(&self) -> u16 {
        self.size * self.size
    }

    /// Draws a start: owners dealt over the squares, four pieces each, and then the turn order.
    pub fn start(&self, random: &mut Random) -> Position {
        let mut position = self.empty();
        let cells = position.cells();
        for owner in 0..cells {
            position.owners[owner] = owner as u16;
            position.turn_order[owner] = owner as u16;
        }
        random.shuffle(&mut position.owners[..cells]);
        random.shuffle(&mut position.turn_order[..cells]);
        position.numbers[..cells].fill(PIECES_AT_START);
        position.squares[..cells].fill(1);
        position.over = self.rounds == 0;
        position
    }

    /// A position between turns, checked: the squares row by row, the turn order, the round, and
    /// the mover's place in the turn order (`None` if the game is over).
    pub fn arrange(
        &self,
        owners: &[u16],
        numbers: &[u16],
        turn_order: &[u16],
        round: u32,
        place: Option<u16>,
    ) -> Result<Position> {
        let cells = usize::from(self.cells());
        let size = self.size;
        for (what, count) in
            [("owners", owners.len()), ("numbers", numbers.len()), ("turns", turn_order.len())]
        {
            if count != cells {
                return Err(Error::position(format!(
                    "a {size}×{size} board has {cells} {what}, not {count}"
                )));
            }
        }
        let mut position = self.empty();

        // 1. The squares.
        for (cell, owner) in owners.iter().enumerate() {
            if usize::from(*owner) >= cells {
                let (row, column) = (cell / usize::from(size), cell % usize::from(size));
                return Err(Error::position(format!(
                    "the owner `{owner}` of square `{row},{column}` is not below {cells}"
                )));
            }
            position.squares[usize::from(*owner)] += 1;
        }
        let total: u32 = numbers.iter().map(|number| u32::from(*number)).sum();
        if total > MOST_PIECES {
            return Err(Error::position(format!(
                "there are {total} pieces, more than the {MOST_PIECES} a board may hold"
            )));
        }
        if total == 0 {
            return Err(Error::position("there is no piece on the board"));
        }
        position.owners[..cells].copy_from_slice(owners);
        position.numbers[..cells].copy_from_slice(numbers);

        // 2. The turn order: as long as the list of owners, so it is enough that none comes twice.
        let mut seen = [false; MOST_CELLS];
        for owner in turn_order {
            let index = usize::from(*owner);
            if index >= cells {
                return Err(Error::position(format!(
                    "the owner `{owner}` in the turn order is not below {cells}"
                )));
            }
            if std::mem::replace(&mut seen[index], true) {
                return Err(Error::position(format!("owner `{owner}` is twice in the turn order")));
            }
        }
        position.turn_order[..cells].copy_from_slice(turn_order);

        // 3. Whose turn it is, or why no player is to move.
        let rounds = self.rounds;
        if round > rounds {
            return Err(Error::position(format!(
                "round `{round}` is beyond the {rounds} rounds of this game"
            )));
        }
        position.round = round;
        match place {
            None => {
                if round < rounds && !position.has_one_army() {
                    return Err(Error::position(format!(
                        "two owners have pieces in round `{round}` of {rounds}: it is not over"
                    )));
                }
                position.over = true;
            }
            Some(place) => {
                if round == rounds {
                    let message = format!("the game is over after {rounds} rounds");
                    return Err(Error::position(message)
                        .hint(format!("write `{round} over`, or count rounds from 0")));
                }
                if usize::from(place) >= cells {
                    return Err(Error::position(format!(
                        "the place `{place}` in the turn order is not below {cells}"
                    )));
                }
                position.place = place;
                let mover = turn_order[usize::from(place)];
                if position.squares[usize::from(mover)] == 0 {
                    let next = position.next_place(place).or_else(|| position.next_place(0));
                    let next = next.expect("every square has an owner");
                    return Err(Error::position(format!(
                        "owner {mover} at place `{place}` of the turn order has no square"
                    ))
                    .hint(format!("the next owner with a square is at place {next}")));
                }
            }
        }
        Ok(position)
    }

    fn empty(&self) -> Position {
        Position {
            owners: [0; MOST_CELLS],
            numbers: [0; MOST_CELLS],
            turn_order: [0; MOST_CELLS],
            squares: [0; MOST_CELLS],
            size: self.size,
            round: 0,
            place: 0,
            over: false,
            orders: Vec::new(),
            tied: Vec::new(),
            tosses: Vec::new(),
        }
    }

    /// The rest of a turn in its canonical form: the orders are checked one by one as given, then
    /// merged, zero counts dropped, and sorted by square and direction.
    ///
    /// Played in turn from `position`, followed by [`Action::End`], they are that turn. Only where
    /// orders were chosen before may they still be out of order with those.
    pub fn check_orders(&self, position: &Position, orders: &[RawOrder]) -> Result<Vec<Order>> {
        let Turn::Player(Seat(mover)) = self.turn(position) else {
            return Err(Error::new(ErrorKind::NotAPlayersTurn, "no player is to move"));
        };
        let mut sent = [[0; 4]; MOST_CELLS];
        let mut cells = Vec::new();
        for order in orders {
            let cell = self.check_order(position, mover, &sent, order)?;
            let from_cell = &mut sent[usize::from(cell)];
            if *from_cell == [0; 4] {
                cells.push(cell);
            }
            // No more than what stands on the square, so it fits.
            from_cell[order.direction as usize] += order.count as u16;
        }
        // A square that was given zero counts before others is in the list more than once.
        cells.sort_unstable();
        cells.dedup();
        let mut canonical = Vec::new();
        for cell in cells {
            for direction in Direction::ALL {
                let count = sent[usize::from(cell)][direction as usize];
                if count > 0 {
                    canonical.push(Order { cell, direction, count });
                }
            }
        }
        Ok(canonical)
    }

    /// The square of one order as given, after those already `sent`.
    fn check_order(
        &self,
        position: &Position,
        mover: u16,
        sent: &[[u16; 4]; MOST_CELLS],
        order: &RawOrder,
    ) -> Result<u16> {
        let illegal = |reason: String| {
            Err(Error::new(ErrorKind::Illegal, format!("order `{order}` {reason}")))
        };
        let on_board = 0..i64::from(self.size);
        if !on_board.contains(&order.row) || !on_board.contains(&order.column) {
            return illegal(format!("names no square of the {0}×{0} board", self.size));
        }
        let cell = order.row as u16 * self.size + order.column as u16;
        // The owner is checked for a count of 0 as well: a mistaken square is noticed.
        let owner = position.owners[usize::from(cell)];
        if owner != mover {
            return illegal(format!("is for a square of owner {owner}"));
        }
        if order.count < 0 {
            return illegal("has a count below 0".to_owned());
        }
        let left = position.unordered(cell) - sent[usize::from(cell)].iter().sum::<u16>();
        if order.count > i64::from(left) {
            return illegal(match left {
                0 => "finds no piece left on its square".to_owned(),
                1 => "finds only 1 piece left on its square".to_owned(),
                _ => format!("finds only {left} pieces left on its square"),
            });
        }
        Ok(cell)
    }

    /// The owners with squares and how many they have, by owner.
    pub fn scores(&self, position: &Position) -> Vec<(Seat, u32)> {
        let squares = position.squares().iter().enumerate();
        let holders = squares.filter(|(_, squares)| **squares > 0);
        holders.map(|(owner, squares)| (Seat(owner as u16), u32::from(*squares))).collect()
    }

    /// The pieces that stay and those that arrive, by square, once the orders are carried out.
    fn march(&self, position: &Position) -> ([u16; MOST_CELLS], [u16; MOST_CELLS]) {
        let mut staying = position.numbers;
        let mut arriving = [0; MOST_CELLS];
        for order in &position.orders {
            staying[usize::from(order.cell)] -= order.count;
            arriving[usize::from(self.neighbour(order.cell, order.direction))] += order.count;
        }
        (staying, arriving)
    }

    /// Ends the choosing: finds the squares to toss for, or carries the orders out.
    fn end_turn(&self, position: &mut Position) {
        if position.orders.is_empty() {
            position.conclude(self.rounds);
            return;
        }
        let mover = position.turn_order[usize::from(position.place)];
        let (staying, arriving) = self.march(position);
        for cell in 0..position.cells() {
            // Arrivals on an empty square outnumber those on it: no toss.
            let tied = arriving[cell] > 0 && arriving[cell] == staying[cell];
            if tied && position.owners[cell] != mover {
                position.tied.push(cell as u16);
            }
        }
        if position.tied.is_empty() {
            self.carry_out(position);
        }
    }

    /// Carries the orders out, all tosses being settled, and passes the turn on.
    fn carry_out(&self, position: &mut Position) {
        let mover = position.turn_order[usize::from(position.place)];
        let (staying, arriving) = self.march(position);
        for cell in 0..position.cells() {
            // Vacated squares keep their owner, and zero pieces are no arrival.
            if arriving[cell] > staying[cell] && position.owners[cell] != mover {
                position.take(cell, mover);
            }
            // Arriving pieces stay and belong to the new owner.
            position.numbers[cell] = staying[cell] + arriving[cell];
        }
        let tied = std::mem::take(&mut position.tied);
        let tosses = std::mem::take(&mut position.tosses);
        for (cell, to_mover) in tied.into_iter().zip(tosses) {
            if to_mover {
                position.take(usize::from(cell), mover);
            }
        }
        position.orders.clear();
        position.conclude(self.rounds);
    }
}

impl Rules for Game17 {
    type Position = Position;
    type Action = Action;

    fn seats(&self) -> u16 {
        self.cells()
    }

    #[inline]
    fn turn(&self, position: &Position) -> Turn {
        if position.over {
            Turn::Over
        } else if position.is_tossing() {
            Turn::Chance { sides: 2 }
        } else {
            Turn::Player(Seat(position.turn_order[usize::from(position.place)]))
        }
    }

    /// [`Action::End`] comes first, then the orders by square, direction and count.
    fn actions(&self, position: &Position, out: &mut Vec<Action>) {
        let Turn::Player(Seat(mover)) = self.turn(position) else { return };
        out.push(Action::End);
        let last = position.orders.last().map(|order| order.rank());
        let first_cell = last.map_or(0, |(cell, _)| cell);
        for cell in first_cell..self.cells() {
            if position.owners[usize::from(cell)] != mover {
                continue;
            }
            let most = position.unordered(cell);
            for direction in Direction::ALL {
                if last.is_some_and(|last| (cell, direction) <= last) {
                    continue;
                }
                let orders = (1..=most).map(|count| Order { cell, direction, count });
                out.extend(orders.map(Action::Order));
            }
        }
    }

    fn play(&self, position: &mut Position, action: Action) {
        debug_assert!(self.is_legal(position, action), "{action:?} is not legal in {position:?}");
        match action {
            Action::Order(order) => position.orders.push(order),
            Action::End => self.end_turn(position),
        }
    }

    fn settle(&self, position: &mut Position, roll: u16) {
        assert!(position.is_tossing() && roll < 2, "no toss is due that could fall on {roll}");
        position.tosses.push(roll == 1);
        if position.tosses.len() == position.tied.len() {
            self.carry_out(position);
        }
    }

    fn score(&self, position: &Position, seat: Seat) -> Option<u32> {
        position.squares().get(seat.index()).map(|squares| u32::from(*squares))
    }

    fn payoff(&self, position: &Position, seat: Seat) -> f32 {
        if !position.over {
            return 0.0;
        }
        // All who tie for the most squares win, zombies too.
        let most = position.squares().iter().max();
        if position.squares().get(seat.index()) == most { 1.0 } else { -1.0 }
    }

    fn mid_turn(&self, position: &Position) -> bool {
        // Tosses come from orders, which are kept until the last toss is settled.
        !position.orders.is_empty()
    }

    fn is_legal(&self, position: &Position, action: Action) -> bool {
        let Turn::Player(Seat(mover)) = self.turn(position) else { return false };
        match action {
            Action::End => true,
            Action::Order(order) => {
                order.cell < self.cells()
                    && position.owners[usize::from(order.cell)] == mover
                    && position.orders.last().is_none_or(|last| last.rank() < order.rank())
                    && (1..=position.unordered(order.cell)).contains(&order.count)
            }
        }
    }

    fn bound(&self, position: &Position) -> Option<u64> {
        if position.over {
            return Some(0);
        }
        let rounds_left = u64::from(self.rounds - position.round);
        Some(rounds_left * u64::from(self.cells()) - u64::from(position.place))
    }

    fn options(&self) -> Options {
        Options::none()
            .with("size", self.size)
            .with("rounds", self.rounds)
            .with("players", self.players.clone())
    }

    fn is_zombie(&self, seat: Seat) -> bool {
        self.players.binary_search(&seat.0).is_err()
    }
}

impl Turns for Game17 {
    /// Every stack splits freely over four directions and staying: far too many turns to list.
    const LISTED: bool = false;
}

/// Only the identity. Turned, mirrored or shifted boards do play alike turn by turn, but orders
/// ascend by square and direction, so the steps of a turn come in another order in the image and
/// do not map one to one. A test of this folder holds whole turns to it.
impl Symmetry for Game17 {}

impl Heuristics for Game17 {
    const GENERIC_ENGINES: bool = false;
}
