//! The native half of the Python package: `skirmish._native`.
//!
//! Thin on purpose. Games, searches and samples are `skirmish-zero`'s; here they meet Python's
//! buffers. Buffers are filled by copying from memory of our own: Python may look at its memory at
//! any time, so lending it to other threads would need `unsafe`, and copying a batch takes a tenth
//! of a millisecond where playing it takes several.

// PyO3 makes buffers and hands them over: there is nothing to borrow them from.
#![allow(clippy::needless_pass_by_value)]

mod ratings;

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use skirmish_rules::Error;
use skirmish_zero::encoding::Shape;
use skirmish_zero::open::{self, AnyPool, AnyWindow};

/// An error of ours as Python shows it, with its hint on a line of its own.
fn raise(error: &Error) -> PyErr {
    PyValueError::new_err(match &error.hint {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    })
}

fn shape_json(shape: Shape) -> PyResult<String> {
    serde_json::to_string(&shape).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The value behind the lock. A panic is raised in Python as an exception of its own; a caller that
/// continues after it gets the value as it is.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory a pool's rows are written to before Python gets them.
struct Buffers {
    answers: Vec<u16>,
    rows: Vec<u8>,
    nets: Vec<u8>,
}

/// Many games at once: see `skirmish_zero::pool`.
///
/// The lock on the pool is taken only while the GIL is released: otherwise a thread that steps the pool
/// and another that takes its games could deadlock.
#[pyclass(frozen)]
struct Pool {
    pool: Mutex<Box<dyn AnyPool>>,
    /// Used only by the thread that steps.
    buffers: Mutex<Buffers>,
    shape: Shape,
    rows: usize,
}

impl Pool {
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut dyn AnyPool) -> R + Send) -> R {
        py.detach(|| work(lock(&self.pool).as_mut()))
    }
}

#[pymethods]
impl Pool {
    #[new]
    fn new(py: Python<'_>, game: &str, options_json: &str, settings_json: &str) -> PyResult<Pool> {
        let pool = py
            .detach(|| open::open_pool(game, options_json, settings_json))
            .map_err(|error| raise(&error))?;
        let (shape, rows) = (pool.shape(), pool.rows());
        let buffers = Buffers {
            answers: vec![0; rows * shape.answer()],
            rows: vec![0; rows * shape.row_bytes()],
            nets: vec![0; rows],
        };
        Ok(Pool { pool: Mutex::new(pool), buffers: Mutex::new(buffers), shape, rows })
    }

    /// What goes into the network and what comes out, as JSON.
    fn shape(&self) -> PyResult<String> {
        shape_json(self.shape)
    }

    /// Rows per batch.
    #[getter]
    fn rows(&self) -> usize {
        self.rows
    }

    /// Changes how many simulations full and fast searches make, from the next search on.
    fn set_simulations(&self, py: Python<'_>, full: usize, fast: usize) -> PyResult<()> {
        self.with(py, |pool| pool.set_simulations(full, fast)).map_err(|error| raise(&error))
    }

    /// Puts the answers (halves as 16-bit words; None the first time) to the last rows into the
    /// trees, and fills `rows` and `nets` with the next.
    #[pyo3(signature = (answers, rows, nets))]
    fn step(
        &self,
        py: Python<'_>,
        answers: Option<PyBuffer<u16>>,
        rows: PyBuffer<u8>,
        nets: PyBuffer<u8>,
    ) -> PyResult<()> {
        let Ok(mut buffers) = self.buffers.try_lock() else {
            return Err(PyValueError::new_err("two threads step one pool at once"));
        };
        let Buffers { answers: kept, rows: next, nets: owners } = &mut *buffers;
        for (name, buffer, needed) in [("rows", &rows, next.len()), ("nets", &nets, owners.len())] {
            fits(name, buffer.item_count(), needed)?;
        }
        if let Some(answers) = &answers {
            fits("answers", answers.item_count(), kept.len())?;
            answers.copy_to_slice(py, kept)?;
        }
        let given = answers.is_some().then_some(&**kept);
        self.with(py, |pool| pool.step(given, next, owners)).map_err(|error| raise(&error))?;
        rows.copy_from_slice(py, next)?;
        nets.copy_from_slice(py, owners)
    }

    /// The games that ended since this was last asked, to be appended to a shard as they are.
    fn take_games<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let games = self.with(py, |pool| pool.take_games());
        PyBytes::new(py, &games)
    }

    /// Counts since this was last asked, as JSON.
    fn statistics(&self, py: Python<'_>) -> String {
        self.with(py, |pool| pool.statistics().to_string())
    }

    /// How a match stands, as JSON.
    fn results(&self, py: Python<'_>) -> String {
        self.with(py, |pool| pool.results().to_string())
    }
}

fn fits(name: &str, found: usize, needed: usize) -> PyResult<()> {
    if found == needed {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("`{name}` has room for {found} numbers, not {needed}")))
}

/// The samples of the latest games: see `skirmish_zero::window`.
#[pyclass(frozen)]
struct Window {
    window: Mutex<Box<dyn AnyWindow>>,
    shape: Shape,
}

#[pymethods]
impl Window {
    #[new]
    fn new(game: &str, options_json: &str, capacity: usize) -> PyResult<Window> {
        let window =
            open::open_window(game, options_json, capacity).map_err(|error| raise(&error))?;
        Ok(Window { shape: window.shape(), window: Mutex::new(window) })
    }

    /// What goes into the network and what comes out, as JSON.
    fn shape(&self) -> PyResult<String> {
        shape_json(self.shape)
    }

    /// Adds the games of a shard, whole or torn; answers how many games those are and how many
    /// samples they make.
    fn add(&self, py: Python<'_>, frames: &[u8]) -> PyResult<(usize, usize)> {
        let added = py.detach(|| lock(&self.window).add(frames)).map_err(|error| raise(&error))?;
        Ok((added.games, added.samples))
    }

    /// Samples in the window.
    #[getter]
    fn len(&self, py: Python<'_>) -> usize {
        py.detach(|| lock(&self.window).len())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.len(py)
    }

    /// Room for so many samples from now on; the oldest go first.
    fn set_capacity(&self, py: Python<'_>, capacity: usize) {
        py.detach(|| lock(&self.window).set_capacity(capacity));
    }

    /// Fills the buffers with `count` samples drawn at random, each turned at random.
    fn sample(
        &self,
        py: Python<'_>,
        count: usize,
        seed: u64,
        rows: PyBuffer<u8>,
        targets: PyBuffer<u16>,
    ) -> PyResult<()> {
        let shape = self.shape;
        fits("rows", rows.item_count(), count * shape.row_bytes())?;
        fits("targets", targets.item_count(), count * shape.target())?;
        let (found_rows, found_targets) = py
            .detach(|| {
                let mut rows = vec![0; count * shape.row_bytes()];
                let mut targets = vec![0; count * shape.target()];
                lock(&self.window).sample(seed, &mut rows, &mut targets)?;
                Ok((rows, targets))
            })
            .map_err(|error: Error| raise(&error))?;
        rows.copy_from_slice(py, &found_rows)?;
        targets.copy_from_slice(py, &found_targets)
    }
}

/// What is in a shard, as JSON: games, how they ended, how much there is to learn.
#[pyfunction]
fn inspect(py: Python<'_>, frames: &[u8]) -> PyResult<String> {
    let found = py.detach(|| open::inspect(frames)).map_err(|error| raise(&error))?;
    Ok(found.to_string())
}

/// The version of Skirmish.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The native half of the Python package `skirmish`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::ratings::{bradley_terry, elo_of, score_of, sprt, tally};
    #[pymodule_export]
    use super::{Pool, Window, inspect, version};
}
