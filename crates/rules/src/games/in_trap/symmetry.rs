//! Boards that look alike. The board has no edges, so every shift leaves the game the same. Turning
//! or mirroring it does so too if for every piece there is one that leaps the turned way and costs
//! the same: with the standard pieces, the mirror that exchanges left and right.

use super::leaps::Distances;
use super::pieces::{DIRECTIONS, STEPS};
use super::position::{Action, InTrap, OFF, Position, SPAWNER};
use crate::cells::Cells;
use crate::game::Symmetry;

/// A way to turn or mirror the board that leaves the game the same.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    /// Rows and columns of the image, each as a sum of the old row and column with these signs.
    matrix: [[i32; 2]; 2],
    /// What becomes of each direction.
    directions: [u8; DIRECTIONS],
    /// What becomes of each piece.
    pieces: Vec<u8>,
}

/// The eight ways to turn and mirror a square, the identity first.
const MATRICES: [[[i32; 2]; 2]; 8] = [
    [[1, 0], [0, 1]],
    [[1, 0], [0, -1]],
    [[-1, 0], [0, 1]],
    [[-1, 0], [0, -1]],
    [[0, 1], [1, 0]],
    [[0, 1], [-1, 0]],
    [[0, -1], [1, 0]],
    [[0, -1], [-1, 0]],
];

/// The ways to turn the board for which these pieces have counterparts.
pub(super) fn turnings(pieces: &[Distances], costs: &[u32]) -> Vec<Turning> {
    MATRICES.into_iter().filter_map(|matrix| turning(matrix, pieces, costs)).collect()
}

fn turning(matrix: [[i32; 2]; 2], pieces: &[Distances], costs: &[u32]) -> Option<Turning> {
    let directions = STEPS.map(|(row, column)| {
        let image = turn(matrix, row, column);
        STEPS.iter().position(|step| *step == image).expect("steps turn into steps") as u8
    });
    let mut counterparts: Vec<u8> = Vec::with_capacity(pieces.len());
    for (number, distances) in pieces.iter().enumerate() {
        let leaps_the_turned_way = |other: &Distances| {
            (0..DIRECTIONS).all(|d| other[usize::from(directions[d])] == distances[d])
        };
        // Of pieces that are alike, the first goes to the first. The spawner, which decides the
        // game, has to stay itself.
        let counterpart = (0..pieces.len()).find(|&other| {
            (other == SPAWNER) == (number == SPAWNER)
                && costs[other] == costs[number]
                && leaps_the_turned_way(&pieces[other])
                && !counterparts.contains(&(other as u8))
        })?;
        counterparts.push(counterpart as u8);
    }
    Some(Turning { matrix, directions, pieces: counterparts })
}

fn turn(matrix: [[i32; 2]; 2], row: i32, column: i32) -> (i32, i32) {
    let along = |signs: [i32; 2]| signs[0] * row + signs[1] * column;
    (along(matrix[0]), along(matrix[1]))
}

impl<C: Cells, const ROOM: usize> InTrap<C, ROOM> {
    /// The square that symmetry `which` puts this one on.
    pub fn image_of_square(&self, which: usize, square: u16) -> u16 {
        let (turning, shift) = self.turning(which);
        let size = self.size;
        let (row, column) =
            turn(turning.matrix, i32::from(square / size), i32::from(square % size));
        let around =
            |along: i32, shift: u16| (along + i32::from(shift)).rem_euclid(i32::from(size)) as u16;
        around(row, shift / size) * size + around(column, shift % size)
    }

    /// Symmetries are numbered by turning, and for each turning by the square that square 0 is
    /// shifted to.
    fn turning(&self, which: usize) -> (&Turning, u16) {
        let squares = usize::from(self.size * self.size);
        (&self.turnings[which / squares], (which % squares) as u16)
    }
}

impl<C: Cells, const ROOM: usize> Symmetry for InTrap<C, ROOM> {
    fn symmetries(&self) -> usize {
        self.turnings.len() * usize::from(self.size * self.size)
    }

    fn image(&self, which: usize, position: &Self::Position) -> Self::Position {
        let (turning, _) = self.turning(which);
        let mut image =
            Position { cells: [[OFF; ROOM]; 2], occupied: [C::default(); 2], ..position.clone() };
        for player in 0..2 {
            for (piece, counterpart) in turning.pieces.iter().enumerate() {
                let cell = position.cells[player][piece];
                if cell != OFF {
                    let cell = self.image_of_square(which, cell);
                    image.place(player, usize::from(*counterpart), cell);
                }
            }
        }
        image
    }

    fn image_of_action(&self, which: usize, action: Action) -> Action {
        if action.is_pass() {
            return action;
        }
        let (turning, _) = self.turning(which);
        let direction = turning.directions[action.direction()];
        Action::new(usize::from(turning.pieces[action.piece()]), usize::from(direction))
    }
}
