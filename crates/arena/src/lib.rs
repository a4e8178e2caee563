//! Games as they are kept and compared.
//!
//! * [`record`] — one JSON object per game that replays exactly, without any random generator
//! * [`trace`] — games played by other people's programs, replayed through our rules and compared
//!
//! Matches, the referee and tournaments will live here too.

pub mod record;
pub mod trace;
