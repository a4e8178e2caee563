//! Long text on a terminal goes through the reader's pager.

use std::io::{ErrorKind, Write};
use std::process::{Child, Command, Stdio};

use crate::Done;
use crate::output::{Output, note};

/// Shows a text: page by page on a terminal, as it is everywhere else.
pub(crate) fn show(text: &str, output: &mut Output) -> Done {
    let text = if output.has_colour() {
        text.to_owned()
    } else {
        anstream::adapter::strip_str(text).to_string()
    };
    if output.is_terminal()
        && let Some(pager) = start()
        && finish(pager, &text)
    {
        return Ok(());
    }
    output.write_all(text.as_bytes())?;
    Ok(())
}

/// Starts `$PAGER`, or `less` if there is one; an empty `$PAGER` and `cat` ask for none.
fn start() -> Option<Child> {
    let spawn = |command: &mut Command| {
        // Without these `less` would print colours as codes; a choice of the user's stands.
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        command.stdin(Stdio::piped()).spawn()
    };
    let Ok(pager) = std::env::var("PAGER") else {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        return if is_dumb { None } else { spawn(Command::new("less").arg("-FRX")).ok() };
    };
    let pager = pager.trim();
    if matches!(pager, "" | "cat") {
        return None;
    }
    // The shell reads the line, as it does for every program that knows `$PAGER`.
    let started = if cfg!(windows) {
        spawn(Command::new("cmd").args(["/C", pager]))
    } else {
        spawn(Command::new("sh").args(["-c", pager]))
    };
    started
        .inspect_err(|error| note(format_args!("cannot start the pager `{pager}`: {error}")))
        .ok()
}

/// Exit code of a shell that could not find or could not run its command.
const NOT_STARTED: [Option<i32>; 2] = [Some(126), Some(127)];

/// Hands the text over and waits until the reader has left. Whether there was a pager at all.
fn finish(mut pager: Child, text: &str) -> bool {
    // An interrupt is the pager's to handle. Ending here would leave it behind the shell's prompt.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default());
    if let Some(mut pipe) = pager.stdin.take()
        && let Err(error) = pipe.write_all(text.as_bytes())
        && error.kind() != ErrorKind::BrokenPipe
    {
        note(format_args!("cannot write to the pager: {error}"));
    }
    pager.wait().is_ok_and(|status| !NOT_STARTED.contains(&status.code()))
}
