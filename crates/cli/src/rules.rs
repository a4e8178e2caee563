//! `skirmish rules`: a game's rules as a page in the terminal.

use std::io::Write;

use clap::Args;
use skirmish_rules::{Games, Registry};

use crate::Done;
use crate::markdown::typeset;
use crate::output::Output;
use crate::pager;

/// Show the rules of a game.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish rules amazons
  skirmish rules game17 --markdown > rules.md

On a terminal the page is shown with the pager named by $PAGER, or with `less`. `PAGER=cat` shows \
it without one.")]
pub(crate) struct Arguments {
    /// The game; `skirmish games` lists them.
    game: String,
    /// Print the page's Markdown as it is (the default where stdout is not a terminal).
    #[arg(long, conflicts_with = "ascii")]
    markdown: bool,
    /// Draw tables and lists with plain characters only.
    #[arg(long)]
    ascii: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let page = (Games::entry(&arguments.game)?.rules)();
    // `--ascii` says how to draw the page, so it is drawn, in a pipe too.
    if arguments.markdown || !(arguments.ascii || output.is_terminal()) {
        output.write_all(page.as_bytes())?;
        return Ok(());
    }
    let look = output.look(arguments.ascii);
    pager::show(&typeset(page, look.width, look.ascii), output)
}
