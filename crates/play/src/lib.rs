//! The live game, and what is kept of it.
//!
//! * [`session`] — the live game: commands in, numbered updates out
//! * [`player`], [`engine`] — what sits in a seat; the built-in agents
//! * [`driver`] — plays a session to its end, asking its players
//! * [`referee`] — one game after the other between the same players
//! * [`journal`] — a live game on disk, update by update
//! * [`seeding`] — what a game draws at random, and from where
//! * [`record`] — one JSON object per game that replays exactly, without any random generator
//! * [`files`] — games in files and folders: one bounded reader for every command
//! * [`thought`] — what a player said it thought, as a screen may show it
//! * [`replay`] — a recorded game, to look at turn by turn
//! * [`analysis`] — what an agent thinks of a position or a game
//! * [`agent_spec`] — the line of text that names an agent of any kind
//! * [`faults`], [`limits`] — what agents may use, and what happens when they go wrong
//! * [`game17_json`] — the JSON of the original Game 17 tool
//! * [`trace`] — games played by other people's programs, replayed through our rules and compared

pub mod agent_spec;
pub mod analysis;
pub mod driver;
pub mod engine;
pub mod faults;
pub mod files;
pub mod game17_json;
pub mod journal;
pub mod limits;
pub mod player;
pub mod record;
pub mod referee;
pub mod replay;
pub mod seeding;
pub mod session;
pub mod thought;
pub mod trace;
