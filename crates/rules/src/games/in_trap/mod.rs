//! In-Trap: a duel of leaping pieces on a board without edges.
//!
//! * [`pieces`] — what the pieces are called, cost and do: data from a file
//! * [`position`] — the position, the actions and the rules
//! * `leaps` — where pieces land and what they pass, worked out once
//! * `notation`, `show`, `symmetry`, `random` — text, screens, boards that look alike, and speed

pub mod pieces;
pub mod position;

mod leaps;
mod notation;
mod random;
mod show;
mod symmetry;
#[cfg(test)]
mod tests;

use crate::cells::{Cells, Wide};
use crate::error::Result;
use crate::game::Notation;
use crate::registry::{Entry, Visitor};
use crate::setup::{OptionSpec, Setup};

pub use pieces::{MOST_PIECES, Piece, Pieces};
pub use position::{Action, InTrap, Position, SIZES, SPAWNER, USUAL_MOVE_LIMIT, USUAL_SIZE};

use position::MOST_MOVE_LIMIT;

/// Room for the standard pieces. Larger sets share the room for the largest: the positions are
/// longer to copy, and nothing else.
const SMALL_ROOM: usize = 9;

static RULES: &str = include_str!("../../../../../docs/in-trap.md");

/// In-Trap on every size of board, with every set of pieces.
#[derive(Clone, Copy, Debug)]
pub struct Family;

impl crate::registry::Family for Family {
    const ENTRY: Entry = Entry {
        name: "in-trap",
        title: "In-Trap",
        summary: "spawn pieces, leap over the enemy's and trap the spawner, on a board that wraps",
        rules: || RULES,
        options: &[
            OptionSpec {
                name: "size",
                value: "N",
                help: "squares along each side of the board, 4 to 20",
                default: "6",
                is_file: false,
            },
            OptionSpec {
                name: "pieces",
                value: "FILE",
                help: "a JSON file with the pieces each player has, the spawner first",
                default: "the standard nine",
                is_file: true,
            },
            OptionSpec {
                name: "move_limit",
                value: "N|none",
                help: "moves of both players together after which the game is a draw",
                default: "200",
                is_file: false,
            },
        ],
        empty_turn: Some("pass"),
        ..Entry::DEFAULT
    };

    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        let size = setup.options.whole("size", SIZES, USUAL_SIZE)? as u16;
        let move_limit =
            setup.options.limit("move_limit", 1..=MOST_MOVE_LIMIT, Some(USUAL_MOVE_LIMIT))?;
        let pieces = match setup.options.get("pieces") {
            None => Pieces::standard(),
            Some(file) => Pieces::read(file).map_err(|error| error.within("option `pieces`"))?,
        };
        let is_small_board = usize::from(size * size) <= <u64 as Cells>::ROOM;
        let is_small_set = pieces.list().len() <= SMALL_ROOM;
        let table = Table { size, pieces, move_limit, position: setup.position };
        match (is_small_board, is_small_set) {
            (true, true) => table.lay::<u64, SMALL_ROOM, V>(visitor),
            (true, false) => table.lay::<u64, MOST_PIECES, V>(visitor),
            (false, true) => table.lay::<Wide<7>, SMALL_ROOM, V>(visitor),
            (false, false) => table.lay::<Wide<7>, MOST_PIECES, V>(visitor),
        }
    }
}

/// A game with its settings read and its types not yet chosen.
struct Table<'a> {
    size: u16,
    pieces: Pieces,
    move_limit: Option<u32>,
    position: Option<&'a str>,
}

impl Table<'_> {
    fn lay<C: Cells, const ROOM: usize, V: Visitor>(self, visitor: V) -> Result<V::Output> {
        let game = InTrap::<C, ROOM>::new(self.size, self.pieces, self.move_limit);
        let start = match self.position {
            Some(text) => game.read_position(text)?,
            None => game.start(),
        };
        Ok(visitor.visit(<Family as crate::registry::Family>::ENTRY, game, start))
    }
}
