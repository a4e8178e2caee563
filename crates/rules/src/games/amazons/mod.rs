//! The Game of the Amazons: move like a queen, then shoot an arrow that blocks a square for good.
//!
//! * [`position`] — the rules, three actions to a turn: amazon, square, arrow
//! * [`lines`] — the board as rows, columns and diagonals, for counting fast
//! * [`random`] — random games
//! * [`notation`], [`show`] — text and pictures
//! * [`mailbox`] — a plain second implementation: differential oracle and yardstick

pub mod lines;
pub mod mailbox;
pub mod notation;
pub mod position;
pub mod random;
pub mod show;
#[cfg(test)]
mod tests;

pub use position::{Amazons, Cell, Position, Stage};

use serde_json::Value;

use crate::cells::{Cells, Wide};
use crate::error::Result;
use crate::registry::{Entry, Visitor};
use crate::setup::{OptionSpec, Setup, bad_value};

/// Boards have at most this many rows and columns: the files are the letters `a` to `z`.
pub const LONGEST_SIDE: u16 = 26;

static RULES: &str = include_str!("../../../../../docs/amazons.md");

/// The game, ready to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Family;

impl crate::registry::Family for Family {
    const ENTRY: Entry = Entry {
        name: "amazons",
        title: "Game of the Amazons",
        summary: "move like a queen, then shoot; who cannot move loses",
        rules: || RULES,
        options: &[
            OptionSpec {
                name: "size",
                value: "COLUMNSxROWS",
                help: "size of the board, `8` or `9x7`, from 2 to 26 each way",
                default: "10x10",
                is_file: false,
            },
            OptionSpec {
                name: "amazons",
                value: "N",
                help: "amazons of each side",
                default: "4, fewer on boards too small for them",
                is_file: false,
            },
        ],
        ..Entry::DEFAULT
    };

    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        let asked = match setup.options.get("size") {
            Some(value) => Some(read_size(value)?),
            None => None,
        };
        let (width, height) = match (setup.position, asked) {
            (Some(text), _) => notation::board_size(text)?,
            (None, Some(size)) => size,
            (None, None) => (10, 10),
        };
        if let Some((columns, rows)) = asked.filter(|asked| *asked != (width, height)) {
            let value = Value::from(format!("{columns}x{rows}"));
            return Err(bad_value("size", &value)
                .hint(format!("the position has {width} columns and {height} rows")));
        }
        let cells = usize::from(width) * usize::from(height);
        if cells <= u64::ROOM {
            open_as::<u64, V>(width, height, &setup, visitor)
        } else if cells <= u128::ROOM {
            open_as::<u128, V>(width, height, &setup, visitor)
        } else {
            open_as::<Wide<11>, V>(width, height, &setup, visitor)
        }
    }
}

fn open_as<C: Cells, V: Visitor>(
    width: u16,
    height: u16,
    setup: &Setup<'_>,
    visitor: V,
) -> Result<V::Output> {
    use crate::game::Notation as _;
    use crate::registry::Family as _;

    let game = Amazons::<C>::new(width, height);
    let start = match setup.position {
        Some(text) => {
            let position = game.read_position(text)?;
            if let Some(value) = setup.options.get("amazons") {
                check_amazons(value, &position)?;
            }
            position
        }
        None => {
            let most = u32::from(width) * u32::from(height / 2);
            let usual = usual_amazons(width, height);
            let amazons = setup.options.whole("amazons", 0..=most, usual)?;
            game.start(amazons as usize)
        }
    };
    Ok(visitor.visit(Family::ENTRY, game, start))
}

/// With a position given, the number of amazons is a fact of the position: an option that says
/// otherwise is a mistake worth telling.
fn check_amazons<C: Cells>(value: &Value, position: &Position<C>) -> Result<()> {
    let counts = [0, 1].map(|side| position.amazons(side).count());
    let given = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    if counts.iter().all(|count| Some(u64::from(*count)) == given) {
        return Ok(());
    }
    let [white, black] = counts;
    Err(bad_value("amazons", value)
        .hint(format!("the position has {white} white and {black} black amazons")))
}

fn usual_amazons(width: u16, height: u16) -> u32 {
    if width >= 4 && height >= 4 {
        4
    } else if width >= 3 {
        2
    } else {
        1
    }
}

fn read_size(value: &Value) -> Result<(u16, u16)> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_lowercase(),
        _ => String::new(),
    };
    let (columns, rows) = text.split_once(['x', '×']).unwrap_or((&text, &text));
    let side = |text: &str| {
        let side = text.trim().parse::<u16>().ok();
        side.filter(|side| (2..=LONGEST_SIDE).contains(side))
    };
    match (side(columns), side(rows)) {
        (Some(columns), Some(rows)) => Ok((columns, rows)),
        _ => Err(bad_value("size", value).hint(format!(
            "`size` is a number like `8`, or columns and rows like `9x7`, each from 2 to \
             {LONGEST_SIDE}"
        ))),
    }
}
