//! Positions of Breakthrough and the rules that lead from one to the next.

use crate::game::{Heuristics, Playout, Rules, Seat, Symmetry, Turn, Turns};
use crate::setup::Options;

/// Breakthrough on a board of this size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breakthrough {
    pub(super) columns: u16,
    pub(super) rows: u16,
}

/// One moment of a game. Bit `row * columns + column` is a square, counted from the top left; white
/// moves up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(super) pieces: [u64; 2],
    pub(super) mover: u16,
}

/// One step of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    pub(super) from: u16,
    pub(super) to: u16,
}

impl Breakthrough {
    /// The game on a board of 2 to 8 columns and 4 to 8 rows.
    pub fn new(columns: u16, rows: u16) -> Breakthrough {
        Breakthrough { columns, rows }
    }

    /// Two rows of pieces on each side, white to move.
    pub fn start(&self) -> Position {
        let two_rows = (1 << (2 * self.columns)) - 1;
        Position { pieces: [two_rows << ((self.rows - 2) * self.columns), two_rows], mover: 0 }
    }

    /// The squares of the row a side wants to reach.
    pub(super) fn goal(&self, side: u16) -> u64 {
        let row = (1 << self.columns) - 1;
        if side == 0 { row } else { row << ((self.rows - 1) * self.columns) }
    }

    /// Who has won, if the game is over.
    pub(super) fn winner(&self, position: &Position) -> Option<u16> {
        (0..2).find(|side| {
            let [mine, theirs] = [*side, 1 - *side].map(|side| position.pieces[usize::from(side)]);
            mine & self.goal(*side) != 0 || theirs == 0
        })
    }

    /// The rows a piece of this side has come from its own edge.
    fn advance(&self, side: u16, cell: u16) -> u16 {
        let row = cell / self.columns;
        if side == 0 { self.rows - 1 - row } else { row }
    }

    /// The squares one row ahead, from left to right; the one straight ahead is marked.
    pub(super) fn ahead(&self, side: u16, cell: u16) -> impl Iterator<Item = (u16, bool)> {
        let (row, column) = (cell / self.columns, cell % self.columns);
        let row = if side == 0 { row.checked_sub(1) } else { Some(row + 1) };
        let row = row.filter(|row| *row < self.rows);
        let columns = [column.checked_sub(1), Some(column), Some(column + 1)];
        let width = self.columns;
        columns.into_iter().flatten().filter(move |to| *to < width).filter_map(move |to| {
            Some((row? * width + to, to == column))
        })
    }

    fn worth(&self, position: &Position, side: u16) -> f32 {
        let of = |cell| {
            let advance = f32::from(self.advance(side, cell));
            10.0 + advance * advance
        };
        cells(position.pieces[usize::from(side)]).map(of).sum()
    }
}

/// The squares of a set, in order.
pub(super) fn cells(set: u64) -> impl Iterator<Item = u16> {
    (0..64).filter(move |cell| set & 1 << cell != 0)
}

impl Rules for Breakthrough {
    type Position = Position;
    type Action = Action;

    fn seats(&self) -> u16 {
        2
    }

    fn turn(&self, position: &Position) -> Turn {
        match self.winner(position) {
            Some(_) => Turn::Over,
            None => Turn::Player(Seat(position.mover)),
        }
    }

    fn actions(&self, position: &Position, out: &mut Vec<Action>) {
        if self.winner(position).is_some() {
            return;
        }
        // The piece that is furthest ahead can always go on, so a player to move has a move.
        let mine = position.pieces[usize::from(position.mover)];
        let theirs = position.pieces[usize::from(1 - position.mover)];
        for from in cells(mine) {
            for (to, is_straight) in self.ahead(position.mover, from) {
                let barred = if is_straight { mine | theirs } else { mine };
                if barred & 1 << to == 0 {
                    out.push(Action { from, to });
                }
            }
        }
    }

    fn play(&self, position: &mut Position, Action { from, to }: Action) {
        let mover = usize::from(position.mover);
        position.pieces[mover] = position.pieces[mover] & !(1 << from) | 1 << to;
        position.pieces[1 - mover] &= !(1 << to);
        position.mover = 1 - position.mover;
    }

    fn payoff(&self, position: &Position, seat: Seat) -> f32 {
        match self.winner(position) {
            Some(winner) if winner == seat.0 => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        }
    }

    fn bound(&self, position: &Position) -> Option<u64> {
        // Every turn brings a piece one row nearer to its goal.
        let left = |side: u16| {
            let of = |cell| u64::from(self.rows - 1 - self.advance(side, cell));
            cells(position.pieces[usize::from(side)]).map(of).sum::<u64>()
        };
        Some(left(0) + left(1))
    }

    fn options(&self) -> Options {
        Options::none().with("size", format!("{}x{}", self.columns, self.rows))
    }
}

impl Turns for Breakthrough {}
impl Playout for Breakthrough {}

impl Symmetry for Breakthrough {
    fn symmetries(&self) -> usize {
        2
    }

    fn image(&self, which: usize, position: &Position) -> Position {
        let turned = |set| cells(set).fold(0, |turned, cell| turned | 1 << self.turned(which, cell));
        Position { pieces: position.pieces.map(turned), mover: position.mover }
    }

    fn image_of_action(&self, which: usize, Action { from, to }: Action) -> Action {
        Action { from: self.turned(which, from), to: self.turned(which, to) }
    }
}

impl Breakthrough {
    /// The square with left and right changed, for symmetry 1.
    fn turned(&self, which: usize, cell: u16) -> u16 {
        let (row, column) = (cell / self.columns, cell % self.columns);
        row * self.columns + if which == 0 { column } else { self.columns - 1 - column }
    }
}

impl Heuristics for Breakthrough {
    fn estimate(&self, position: &Position, seat: Seat) -> Option<f32> {
        let (mine, theirs) = (self.worth(position, seat.0), self.worth(position, 1 - seat.0));
        Some((mine - theirs) / (mine + theirs))
    }

    fn is_tactical(&self, position: &Position, action: Action) -> bool {
        let theirs = position.pieces[usize::from(1 - position.mover)];
        (theirs | self.goal(position.mover)) & 1 << action.to != 0
    }
}
