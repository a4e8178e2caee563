//! Networks that evaluate positions, on the CPU.
//!
//! A [`Net`] is the weights as a file keeps them. A [`Tower`] is a net made ready for one size of
//! board, and answers many rows at once, fast. [`mod@reference`] says what the answers are, one
//! multiplication after the other, and the tests hold the tower against it.
//!
//! Inside, in reading order:
//!
//! | file | what lives there |
//! |---|---|
//! | `file.rs` | the net file: its description, the one list of tensors, the checks |
//! | `reference.rs` | the network by its definition |
//! | `tower.rs` | the network as it is run: layers, buffers, passes |
//! | `winograd.rs` | 3×3 convolutions with a quarter of the multiplications |
//! | `matrix.rs` | the multiplications, done in registers |
//! | `level.rs` | run-time choice of vector instructions |

mod file;
mod level;
mod matrix;
pub mod reference;
mod tower;
mod winograd;

pub(crate) use file::read_at_most;
pub use file::{About, Net};
pub use tower::Tower;
