//! The launcher as a program of its own, for processes that are not `skirmish`: see
//! [`skirmish_sandbox::Launcher::find`].

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let error = match &arguments[..] {
        [word, description] if word == skirmish_sandbox::WORD => {
            skirmish_sandbox::launch(description)
        }
        _ => "skirmish-launcher is started by a referee, not by hand".to_owned(),
    };
    eprintln!("launcher: {error}");
    ExitCode::from(skirmish_sandbox::FAILED)
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("other people's programs are confined on Linux only");
    ExitCode::FAILURE
}
