//! On macOS a library with open symbols must say that the process loading it will close them.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
