//! The binary: a thin skin over the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    skirmish_cli::run(std::env::args_os())
}
