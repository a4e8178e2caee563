//! Positions of Amazons and the rules that lead from one to the next.
//!
//! A turn is three actions, each a cell: the amazon, the square it goes to, the square its arrow
//! burns. Cells are numbered row by row from the top left.

use crate::cells::Cells;
use crate::game::{Heuristics, Rules, Seat, Symmetry, Turn};
use crate::setup::Options;

use super::lines::{EmptyLines, Spot};

/// A square of the board, counted row by row from the top left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub u16);

/// How much of the turn has been chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Nothing: an amazon is to be chosen.
    Choose,
    /// The amazon on `from` is to move.
    Move {
        /// Where the chosen amazon stands.
        from: u16,
    },
    /// The amazon has gone to `to` and is to shoot.
    Shoot {
        /// Where it came from; empty now, so the arrow may land on it or fly across.
        from: u16,
        /// Where it stands.
        to: u16,
    },
}

/// One moment of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position<C> {
    /// The amazons of white (0) and black (1).
    pub(super) sides: [C; 2],
    /// The burnt squares.
    pub(super) arrows: C,
    /// Whose turn it is: 0 white, 1 black.
    pub(super) mover: u8,
    /// How much of the turn has been chosen.
    pub(super) stage: Stage,
}

impl<C: Cells> Position<C> {
    /// The amazons of one side: 0 white, 1 black.
    pub fn amazons(&self, side: usize) -> C {
        self.sides[side]
    }

    /// The burnt squares.
    pub fn arrows(&self) -> C {
        self.arrows
    }

    /// How much of the turn has been chosen.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whose turn it is: 0 white, 1 black.
    pub fn mover(&self) -> usize {
        usize::from(self.mover)
    }

    /// Every square that stops an amazon or an arrow.
    #[inline]
    pub fn blocked(&self) -> C {
        self.sides[0] | self.sides[1] | self.arrows
    }
}

/// Amazons on a board of a given size.
#[derive(Clone, Debug)]
pub struct Amazons<C> {
    pub(super) width: u16,
    pub(super) height: u16,
    /// For each cell the cells a king's step away.
    pub(super) neighbours: Box<[C]>,
    /// For each cell, how far it is to the edge along each ray, in the order of `deltas`.
    pub(super) room: Box<[[u8; 8]]>,
    /// What one step along each ray adds to a cell: west, east, north, south, north-west,
    /// south-east, north-east, south-west. Opposite rays stand together, as one line.
    pub(super) deltas: [i16; 8],
    /// Where each cell lies on its row, column and two diagonals.
    pub(super) spots: Box<[[Spot; 4]]>,
    /// The lines of a board with nothing on it.
    pub(super) empty_lines: EmptyLines,
    /// Ways to turn and mirror the board, as a map of cells each.
    images: Box<[Box<[u16]>]>,
}

impl<C: Cells> Amazons<C> {
    /// The game on a board of `width` columns and `height` rows.
    ///
    /// # Panics
    /// If a side is out of range or the set has no room for the board.
    pub fn new(width: u16, height: u16) -> Amazons<C> {
        let sides = 2..=super::LONGEST_SIDE;
        assert!(sides.contains(&width) && sides.contains(&height), "{width}x{height}");
        let cells = width * height;
        assert!(usize::from(cells) <= C::ROOM, "no room for {width}x{height}");
        let w = width as i16;
        let deltas = [-1, 1, -w, w, -w - 1, w + 1, -w + 1, w - 1];
        let room: Box<[[u8; 8]]> = (0..cells)
            .map(|cell| {
                let (west, north) = (cell % width, cell / width);
                let (east, south) = (width - 1 - west, height - 1 - north);
                [
                    west,
                    east,
                    north,
                    south,
                    north.min(west),
                    south.min(east),
                    north.min(east),
                    south.min(west),
                ]
                .map(|distance| distance as u8)
            })
            .collect();
        let neighbours = (0..cells)
            .map(|cell| {
                let mut set = C::default();
                for (delta, room) in deltas.iter().zip(room[usize::from(cell)]) {
                    if room > 0 {
                        set.insert(cell.wrapping_add_signed(*delta));
                    }
                }
                set
            })
            .collect();
        let spots: Box<[[Spot; 4]]> =
            (0..cells).map(|cell| Spot::of(cell, width, height)).collect();
        Amazons {
            width,
            height,
            neighbours,
            room,
            deltas,
            empty_lines: EmptyLines::new(&spots),
            spots,
            images: images(width, height),
        }
    }

    /// The usual start with this many amazons a side, white to move.
    ///
    /// White stands in the lower half, black is its half-turn image. The first pair stands on the
    /// home rank a third of the way in, the second on the two edges a third of the way up; an odd
    /// amazon stands in the middle of the home rank. More fill the half from the home rank on, from
    /// the edges inwards.
    ///
    /// # Panics
    /// If they do not fit into half the board.
    pub fn start(&self, amazons: usize) -> Position<C> {
        let (width, height) = (self.width, self.height);
        let (x, y) = ((width - 1) / 3, (height - 1) / 3);
        let home_pair = [(x, 0), (width - 1 - x, 0)];
        let edge_pair = [(0, y), (width - 1, y)];
        let mut squares = Vec::new();
        if amazons % 2 == 1 {
            squares.push(((width - 1) / 2, 0));
            squares.extend(edge_pair);
            squares.extend(home_pair);
        } else {
            squares.extend(home_pair);
            squares.extend(edge_pair);
        }
        for up in 0..height / 2 {
            for inwards in 0..width.div_ceil(2) {
                squares.extend([(inwards, up), (width - 1 - inwards, up)]);
            }
        }
        let mut sides = [C::default(); 2];
        for (column, up) in squares {
            if sides[0].count() as usize == amazons {
                break;
            }
            let cell = (height - 1 - up) * width + column;
            sides[0].insert(cell);
            sides[1].insert(width * height - 1 - cell);
        }
        assert_eq!(sides[0].count() as usize, amazons, "no room for {amazons} amazons a side");
        Position { sides, arrows: C::default(), mover: 0, stage: Stage::Choose }
    }

    /// Columns of the board.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows of the board.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Calls `each` with every cell a queen on `from` reaches, ray by ray, nearest first.
    #[inline]
    pub fn for_each_reached(&self, blocked: C, from: u16, mut each: impl FnMut(u16)) {
        for (delta, room) in self.deltas.iter().zip(self.room[usize::from(from)]) {
            let mut cell = from;
            for _ in 0..room {
                cell = cell.wrapping_add_signed(*delta);
                if blocked.contains(cell) {
                    break;
                }
                each(cell);
            }
        }
    }

    /// Whether this amazon has somewhere to go. It can then always shoot: back where it came from.
    #[inline]
    pub fn can_move(&self, blocked: C, amazon: u16) -> bool {
        !(self.neighbours[usize::from(amazon)] & !blocked).is_empty()
    }
}

impl<C: Cells> Rules for Amazons<C> {
    type Position = Position<C>;
    type Action = Cell;

    fn seats(&self) -> u16 {
        2
    }

    fn turn(&self, position: &Position<C>) -> Turn {
        let blocked = position.blocked();
        let can_go_on = position.stage != Stage::Choose
            || position.sides[position.mover()].iter().any(|amazon| self.can_move(blocked, amazon));
        if can_go_on { Turn::Player(Seat(u16::from(position.mover))) } else { Turn::Over }
    }

    fn actions(&self, position: &Position<C>, out: &mut Vec<Cell>) {
        let blocked = position.blocked();
        match position.stage {
            Stage::Choose => {
                let amazons = position.sides[position.mover()].iter();
                out.extend(amazons.filter(|amazon| self.can_move(blocked, *amazon)).map(Cell));
            }
            Stage::Move { from: stand } | Stage::Shoot { to: stand, .. } => {
                self.for_each_reached(blocked, stand, |cell| out.push(Cell(cell)));
            }
        }
    }

    fn play(&self, position: &mut Position<C>, action: Cell) {
        let Cell(cell) = action;
        match position.stage {
            Stage::Choose => position.stage = Stage::Move { from: cell },
            Stage::Move { from } => {
                let side = &mut position.sides[usize::from(position.mover)];
                side.remove(from);
                side.insert(cell);
                position.stage = Stage::Shoot { from, to: cell };
            }
            Stage::Shoot { .. } => {
                position.arrows.insert(cell);
                position.mover ^= 1;
                position.stage = Stage::Choose;
            }
        }
    }

    fn payoff(&self, position: &Position<C>, seat: Seat) -> f32 {
        match self.turn(position) {
            // A player to move who cannot has lost.
            Turn::Over if seat.0 == u16::from(position.mover) => -1.0,
            Turn::Over => 1.0,
            _ => 0.0,
        }
    }

    fn mid_turn(&self, position: &Position<C>) -> bool {
        position.stage != Stage::Choose
    }

    fn bound(&self, position: &Position<C>) -> Option<u64> {
        // Every turn burns one square.
        Some(u64::from(self.width * self.height) - u64::from(position.blocked().count()))
    }

    fn options(&self) -> Options {
        // The number of amazons is a fact of the start position, which a record keeps anyway.
        Options::none().with("size", format!("{}x{}", self.width, self.height))
    }
}

impl<C: Cells> Symmetry for Amazons<C> {
    fn symmetries(&self) -> usize {
        self.images.len()
    }

    fn image(&self, which: usize, position: &Position<C>) -> Position<C> {
        let map = &self.images[which];
        let cell = |cell: u16| map[usize::from(cell)];
        let set = |cells: C| {
            let mut image = C::default();
            cells.iter().for_each(|from| image.insert(cell(from)));
            image
        };
        Position {
            sides: position.sides.map(set),
            arrows: set(position.arrows),
            mover: position.mover,
            stage: match position.stage {
                Stage::Choose => Stage::Choose,
                Stage::Move { from } => Stage::Move { from: cell(from) },
                Stage::Shoot { from, to } => Stage::Shoot { from: cell(from), to: cell(to) },
            },
        }
    }

    fn image_of_action(&self, which: usize, action: Cell) -> Cell {
        Cell(self.images[which][usize::from(action.0)])
    }
}

/// The eight symmetries of the square, or the four of the rectangle; the identity first.
fn images(width: u16, height: u16) -> Box<[Box<[u16]>]> {
    let transposes = if width == height { 2 } else { 1 };
    let mut images = Vec::new();
    for transpose in 0..transposes {
        for (flip_rows, flip_columns) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            let image = |cell: u16| {
                let (mut row, mut column) = (cell / width, cell % width);
                if flip_rows {
                    row = height - 1 - row;
                }
                if flip_columns {
                    column = width - 1 - column;
                }
                if transpose == 1 {
                    std::mem::swap(&mut row, &mut column);
                }
                row * width + column
            };
            images.push((0..width * height).map(image).collect());
        }
    }
    images.into()
}

impl<C: Cells> Heuristics for Amazons<C> {
    const GENERIC_ENGINES: bool = false;
}
