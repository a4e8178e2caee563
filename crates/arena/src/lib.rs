//! Games as they are kept and compared.
//!
//! * [`analysis`] — what an agent thinks of a position or a game
//! * [`contest`] — agents playing many games against each other
//! * [`film`] — a recorded game, to look at turn by turn
//! * [`game17`] — Game 17 as the users of the original tool know it
//! * [`picture`] — boards as SVG and GIF
//! * [`ratings`] — who is how strong, and how sure that is
//! * [`record`] — one JSON object per game that replays exactly, without any random generator
//! * [`referee`] — one game between anybody's agents: limits, sandbox, faults as results
//! * [`tournament`] — many games between any number of agents, kept so that nothing is lost
//! * [`trace`] — games played by other people's programs, replayed through our rules and compared

pub mod analysis;
pub mod contest;
pub mod film;
pub mod game17;
pub mod picture;
pub mod ratings;
pub mod record;
pub mod referee;
pub mod tournament;
pub mod trace;
