//! Watch Your Back!: place twelve fighters, then move and jump; a piece flanked on opposite sides
//! dies; the board shrinks twice.
//!
//! * [`position`] — the rules
//! * [`moves`] — actions and how they are listed, fast
//! * [`notation`], [`show`] — text and pictures

pub mod moves;
pub mod notation;
pub mod position;
pub mod show;
#[cfg(test)]
mod tests;

pub use moves::{Action, Kind};
pub use position::{Phase, Position, SHRINK_TURNS, WatchYourBack};

use crate::error::Result;
use crate::game::Notation;
use crate::registry::{Entry, Visitor};
use crate::setup::{OptionSpec, Setup};

static RULES: &str = include_str!("../../../../../docs/watch-your-back.md");

/// The game, ready to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Family;

impl crate::registry::Family for Family {
    const ENTRY: Entry = Entry {
        name: "watch-your-back",
        title: "Watch Your Back!",
        summary: "place twelve fighters, then flank the enemy's on a board that shrinks twice",
        rules: || RULES,
        options: &[OptionSpec {
            name: "move_limit",
            value: "N|none",
            help: "moving turns after which the game is a draw",
            default: "512",
            is_file: false,
        }],
        empty_turn: Some("pass"),
        ..Entry::DEFAULT
    };

    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        let limit = setup.options.limit("move_limit", 1..=1_000_000, Some(512))?;
        let game = WatchYourBack::new(limit);
        let start = match setup.position {
            Some(text) => game.read_position(text)?,
            None => Position::start(),
        };
        Ok(visitor.visit(Self::ENTRY, game, start))
    }
}
