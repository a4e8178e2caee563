//! stub
use pyo3::prelude::*;

/// The native half of the package.
#[pymodule]
mod _native {
    use super::*;
    /// The version.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
