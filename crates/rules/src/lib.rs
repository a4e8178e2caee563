//! The rules of Skirmish's games, and nothing else: no input or output, no clock, no threads, no
//! randomness but what the caller passes in.
//!
//! ```
//! use skirmish_rules::{Options, Random, Setup, Turn, open};
//!
//! let mut random = Random::seeded(7);
//! let options = Options::none().with("size", "6x6");
//! let setup = Setup { options: &options, position: None, random: &mut random };
//! let mut table = open("amazons", setup)?;
//!
//! assert_eq!(table.turns().map(|turns| turns.len()), Some(544));
//! table.play("b1-b4/e4")?;
//! assert!(matches!(table.turn(), Turn::Player(black) if table.seat_name(black) == "black"));
//! assert_eq!(table.position(), "1q2q1/q4q/1Q2*1/6/Q4Q/4Q1 b");
//! # Ok::<(), skirmish_rules::Error>(())
//! ```
//!
//! * [`game`] — the vocabulary: positions, actions, turns, seats
//! * [`mod@games`] — one folder per game
//! * [`registry`] — the one list of games
//! * [`table`] — a game in progress without its types, for every screen and binding
//! * [`view`] and [`draw`] — the board as data, and as text in the colours of [`palette`]
//! * [`laws`], [`perft`], [`playout`] — what every game is tested and measured by

pub mod cells;
pub mod cpu;
pub mod draw;
pub mod error;
pub mod game;
pub mod games;
pub mod laws;
pub mod palette;
pub mod perft;
pub mod playout;
pub mod random;
pub mod registry;
pub mod setup;
pub mod table;
pub mod view;

pub use error::{Error, ErrorKind, Result};
pub use game::{Ending, Game, Heuristics, Notation, Rules, Seat, Show, Symmetry, Turn};
pub use games::Games;
pub use perft::Turns;
pub use playout::{Choice, Playout};
pub use random::Random;
pub use registry::{Entry, Family, Registry, Seating, Visitor};
pub use setup::{OptionSpec, Options, Setup};
pub use table::{Step, Table, open};
pub use view::View;
