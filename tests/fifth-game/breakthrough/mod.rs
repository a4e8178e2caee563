//! Breakthrough: be the first to walk a piece across the board.
//!
//! * `position` — the rules, and a rule of thumb for the engines
//! * `notation`, `show` — text and pictures

mod notation;
mod position;
mod show;
#[cfg(test)]
mod tests;

pub use position::{Action, Breakthrough, Position};

use serde_json::Value;

use crate::error::Result;
use crate::game::Notation as _;
use crate::registry::{Entry, Visitor};
use crate::setup::{OptionSpec, Setup, bad_value};

static RULES: &str = include_str!("../../../../../docs/breakthrough.md");

/// The game, ready to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Family;

impl crate::registry::Family for Family {
    const ENTRY: Entry = Entry {
        name: "breakthrough",
        title: "Breakthrough",
        summary: "be the first to walk a piece across the board",
        rules: || RULES,
        options: &[OptionSpec {
            name: "size",
            value: "COLUMNSxROWS",
            help: "size of the board, `8` or `6x7`, from 2 to 8 columns and 4 to 8 rows",
            default: "8x8",
            is_file: false,
        }],
        ..Entry::DEFAULT
    };

    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        let (columns, rows) = match setup.options.get("size") {
            Some(value) => read_size(value)?,
            None => (8, 8),
        };
        let game = Breakthrough::new(columns, rows);
        let start = match setup.position {
            Some(text) => game.read_position(text)?,
            None => game.start(),
        };
        Ok(visitor.visit(Self::ENTRY, game, start))
    }
}

fn read_size(value: &Value) -> Result<(u16, u16)> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_lowercase(),
        _ => String::new(),
    };
    let (columns, rows) = text.split_once('x').unwrap_or((&text, &text));
    let side = |text: &str, least: u16| {
        text.trim().parse::<u16>().ok().filter(|side| (least..=8).contains(side))
    };
    match (side(columns, 2), side(rows, 4)) {
        (Some(columns), Some(rows)) => Ok((columns, rows)),
        _ => Err(bad_value("size", value).hint(
            "`size` is a number like `8`, or columns and rows like `6x7`: 2 to 8 columns, 4 to 8 rows",
        )),
    }
}
