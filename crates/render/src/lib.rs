//! Boards and charts for people: SVG, GIF, and pages that stand alone.
//!
//! * [`picture`] — a board as a scene of plain shapes, and that as SVG or GIF
//! * [`page`] — the frame of a page that needs nothing from elsewhere
//! * [`chart`] — charts as SVG
//! * [`number`] — numbers as people read them

pub mod chart;
pub mod number;
pub mod page;
pub mod picture;

pub use chart::{Bar, Chart, Curve, bars};
pub use number::{short, thousands};
pub use page::{Document, escape};
