//! `skirmish rules`: a game's rules as a page in the terminal.

use std::io::Write;

use clap::Args;
use skirmish_rules::{Games, Registry};
use termimad::MadSkin;

use crate::Done;
use crate::output::Output;

/// Show the rules of a game.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  skirmish rules amazons\n  skirmish rules game17 --markdown > rules.md"
)]
pub(crate) struct Arguments {
    /// The game; `skirmish games` lists them.
    game: String,
    /// Print the page's Markdown as it is (the default where stdout is not a terminal).
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let page = Games::entry(&arguments.game)?.rules;
    if arguments.markdown || !output.is_terminal() {
        output.write_all(page.as_bytes())?;
        return Ok(());
    }
    /// Longer lines are hard to read.
    const WIDEST: usize = 100;
    let skin = if output.has_colour() { MadSkin::default() } else { MadSkin::no_style() };
    let (width, _) = termimad::terminal_size();
    let width = usize::from(width).clamp(20, WIDEST);
    write!(output, "{}", skin.text(page, Some(width)))?;
    Ok(())
}
