//! `skirmish completions`: scripts that teach a shell our commands.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Done;
use crate::output::Output;

/// Print a completion script for a shell.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish completions bash > ~/.local/share/bash-completion/completions/skirmish
  skirmish completions zsh > ~/.zfunc/_skirmish
  skirmish completions fish > ~/.config/fish/completions/skirmish.fish")]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let mut script = Vec::new();
    let mut command = crate::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "skirmish", &mut script);
    output.write_all(&script)?;
    Ok(())
}
