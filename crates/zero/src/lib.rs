//! Agents that learn.
//!
//! A network says of a position what it is worth and which actions look good; a tree search guided by
//! it plays better than the network alone; and the network learns from the games the search plays
//! against itself. Here is everything but the learning, which is Python's (`python/skirmish/zero`).
//!
//! * [`encoding`] — games as a network sees them
//! * [`mod@search`], [`gumbel`] — the tree search, and how self-play spends its simulations
//! * [`pool`] — thousands of games at once, evaluated in batches
//! * [`net`] — networks on the CPU
//! * [`nets`] — the networks that ship
//! * [`mod@agent`] — the agent that plays with a network: `zero:visits=400` wherever agents are named
//! * [`shard`], [`window`] — games on disk, and the samples to learn from
//! * [`report`] — a training run as a page
//! * [`mod@open`] — pools and windows by the name of the game, for bindings

pub mod agent;
pub mod answer;
pub mod encoding;
pub mod gumbel;
pub mod net;
pub mod nets;
pub mod open;
pub mod pool;
pub mod report;
pub mod search;
pub mod shard;
#[cfg(test)]
mod tests;
pub mod window;

pub use nets::roster;
