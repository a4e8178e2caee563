//! Learning by self-play: networks that judge positions, and what it takes to ask and to train
//! them.

pub mod net;
