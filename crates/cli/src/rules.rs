//! `skirmish rules`: a game's rules as a page in the terminal.
//!
//! The pages are written to be read as they are, in 80 columns; all that is left to do is to turn
//! Markdown's marks into type. (A library for that was tried: it brought a sixth of the build with
//! it.)

use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::Args;
use skirmish_rules::{Games, Registry};

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
    } else {
        output.write_all(typeset(page).as_bytes())?;
    }
    Ok(())
}

const HEADING: Style =
    Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::BrightYellow)));
const CODE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::BrightCyan)));
const STRONG: Style = Style::new().bold();

/// A page of Markdown as a terminal shows it.
fn typeset(page: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            text.push_str(&format!("    {CODE}{line}{CODE:#}"));
        } else if line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim();
            text.push_str(&format!("{HEADING}{heading}{HEADING:#}"));
        } else if line.starts_with('|') && line.chars().all(|c| "|-: ".contains(c)) {
            // The rule under the heading of a table.
            text.push_str(&"─".repeat(line.chars().count()));
        } else {
            let bullet = line.trim_start().starts_with("- ");
            let line = if bullet { line.replacen("- ", "• ", 1) } else { line.to_owned() };
            text.push_str(&spans(&line));
        }
        text.push('\n');
    }
    text
}

/// One line with its `code` and **strong** parts styled.
fn spans(line: &str) -> String {
    let mut text = String::new();
    for (place, part) in line.split('`').enumerate() {
        // Between an odd and an even backtick stands code, and nothing in it is a mark.
        if place % 2 == 1 {
            text.push_str(&format!("{CODE}{part}{CODE:#}"));
            continue;
        }
        for (place, part) in part.split("**").enumerate() {
            if place % 2 == 1 {
                text.push_str(&format!("{STRONG}{part}{STRONG:#}"));
            } else {
                text.push_str(part);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_typeset_without_marks_left_over() {
        for entry in Games::ENTRIES {
            let page = anstream::adapter::strip_str(&typeset(entry.rules)).to_string();
            assert!(!page.contains("```") && !page.contains("**"), "{}", entry.name);
            assert!(!page.lines().any(|line| line.starts_with('#')), "{}", entry.name);
            assert!(page.contains(entry.title), "{}", entry.name);
        }
        assert_eq!(
            anstream::adapter::strip_str(&typeset("## A `b` **c**\n- d\n```\n**x**\n```"))
                .to_string(),
            "A `b` **c**\n• d\n    **x**\n"
        );
    }
}
