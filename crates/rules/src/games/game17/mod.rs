//! Game 17: a free-for-all on a board without edges, with one owner per square at the start.
//!
//! * `position.rs` — the rules: orders, arrivals, tosses, the end
//! * `notation.rs` — turns and positions as text
//! * `show.rs` — the board for screens
//! * `random.rs` — zombies, and whole games between them
//!
//! Every owner is a seat, whether a player holds it or a zombie.

mod notation;
mod position;
mod random;
mod show;
#[cfg(test)]
mod tests;

pub use position::{Action, Direction, Game17, MOST_PIECES, MOST_SIZE, Order, Position, RawOrder};

use serde_json::Value;

use crate::error::{Error, Result};
use crate::game::Notation;
use crate::registry::{Entry, Seating, Visitor};
use crate::setup::{OptionSpec, Setup, bad_value};

/// The most rounds a game may have.
const MOST_ROUNDS: u32 = 10_000;

static RULES: &str = include_str!("../../../../../docs/game17.md");

/// Game 17 on boards of every size.
#[derive(Clone, Copy, Debug)]
pub struct Family;

impl crate::registry::Family for Family {
    const ENTRY: Entry = Entry {
        name: "game17",
        title: "Game 17",
        summary: "a free-for-all of up to 400 armies on a board without edges; zombies included",
        rules: || RULES,
        options: &[
            OptionSpec {
                name: "size",
                value: "N",
                help: "squares along each side of the board, 1 to 20; a position brings its own",
                default: "14",
                is_file: false,
            },
            OptionSpec {
                name: "rounds",
                value: "N",
                help: "rounds to play at most, 0 to 10000",
                default: "50",
                is_file: false,
            },
            OptionSpec {
                name: "players",
                value: "OWNERS",
                help: "owners held by players: `0,5,17`, `none` or `all`; the others are zombies",
                default: "none",
                is_file: false,
            },
        ],
        seating: Seating::FreeForAll,
        has_chance: true,
        players_option: Some("players"),
        empty_turn: Some("-"),
        // The original tool lets a player that fails sit out the turn.
        faults_skip_a_turn: true,
        ..Entry::DEFAULT
    };

    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        let size = match (setup.options.get("size"), setup.position) {
            // The position says how large the board is, so it need not be said twice.
            (None, Some(text)) => notation::size_of(text)?,
            _ => setup.options.whole("size", 1..=MOST_SIZE.into(), 14)? as u16,
        };
        let rounds = setup.options.whole("rounds", 0..=MOST_ROUNDS, 50)?;
        let players = players(setup.options.get("players"), size * size)?;
        let game = Game17::new(size, rounds, &players);
        let start = match setup.position {
            Some(text) => game.read_position(text)?,
            None => game.start(setup.random),
        };
        Ok(visitor.visit(Self::ENTRY, game, start))
    }
}

/// Reads the option `players`: a list of different owners below `owners`.
fn players(value: Option<&Value>, owners: u16) -> Result<Vec<u16>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let wrong = || -> Error {
        bad_value("players", value).hint(format!(
            "`players` is `none`, `all`, or different owners from 0 to {}, as in `0,5,17`",
            owners - 1
        ))
    };
    let below = |number: Option<u64>| -> Result<u16> {
        let owner = number.and_then(|number| u16::try_from(number).ok());
        owner.filter(|owner| *owner < owners).ok_or_else(wrong)
    };
    let mut players: Vec<u16> = match value {
        Value::Null => Vec::new(),
        Value::Number(number) => vec![below(number.as_u64())?],
        Value::Array(list) => {
            list.iter().map(|owner| below(owner.as_u64())).collect::<Result<_>>()?
        }
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "none" | "" => Vec::new(),
            "all" => (0..owners).collect(),
            list => list
                .split(',')
                .map(|owner| below(owner.trim().parse().ok()))
                .collect::<Result<_>>()?,
        },
        _ => return Err(wrong()),
    };
    players.sort_unstable();
    if players.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(wrong());
    }
    Ok(players)
}
