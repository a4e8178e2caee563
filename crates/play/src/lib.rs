//! The live game, and what is kept of it.
//!
//! * [`record`] — one JSON object per game that replays exactly, without any random generator
//! * [`replay`] — a recorded game, to look at turn by turn
//! * [`analysis`] — what an agent thinks of a position or a game
//! * [`agent_spec`] — the line of text that names an agent of any kind
//! * [`faults`], [`limits`] — what agents may use, and what happens when they go wrong
//! * [`game17_json`] — the JSON of the original Game 17 tool
//! * [`trace`] — games played by other people's programs, replayed through our rules and compared

pub mod agent_spec;
pub mod analysis;
pub mod faults;
pub mod game17_json;
pub mod limits;
pub mod record;
pub mod replay;
pub mod trace;
