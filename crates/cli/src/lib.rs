//! The `skirmish` command. Each subcommand is one file; this one puts them together.

mod agents;
mod analyse;
mod bench;
mod check;
mod completions;
mod dashboard;
mod demo;
mod export;
mod game17;
mod games;
mod interrupt;
mod legal;
mod live;
mod markdown;
mod matches;
mod output;
mod pager;
mod perft;
mod playouts;
mod progress;
mod referee;
mod replay;
mod rules;
mod setup;
mod show;
mod solve;
mod stub;
mod tournament;
mod verify;
mod zero;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use skirmish_search::Roster;

use output::{Fault, Output};

/// One fast, friendly arena for four board games of small armies.
#[derive(Parser, Debug)]
#[command(
    name = "skirmish",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  skirmish demo                                 a random game of each, drawn here
  skirmish rules amazons                        how a game is played
  skirmish show amazons --size 6 --moves 'b1-b4/e4; e6-e5/c3'
  skirmish legal watch-your-back                what may be played
  skirmish perft amazons --depth 2              4307152
  skirmish playouts in-trap --games 100000      random games, and how fast
  skirmish replay games/amazons.json            a recorded game, turn by turn
  skirmish tournament class.toml                rank any number of agents

Exit codes: 0 all well; 1 the answer is no (a mismatch, an illegal move); 2 the input or the \
command line could not be used. Data goes to stdout, everything else to stderr."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// When to use colours.
    #[arg(long, alias = "colour", global = true, value_name = "WHEN", default_value_t = clap::ColorChoice::Auto)]
    color: clap::ColorChoice,
}

#[derive(Subcommand, Debug)]
enum Command {
    Demo(demo::Arguments),
    Games(games::Arguments),
    Rules(rules::Arguments),
    Show(show::Arguments),
    Legal(legal::Arguments),
    Perft(perft::Arguments),
    Verify(verify::Arguments),
    Playouts(playouts::Arguments),
    Agents(agents::Arguments),
    Match(matches::Arguments),
    Tournament(Box<tournament::Arguments>),
    Merge(tournament::MergeArguments),
    Referee(referee::Arguments),
    Check(check::Arguments),
    Replay(replay::Arguments),
    Export(export::Arguments),
    Analyse(analyse::Arguments),
    Game17(game17::Arguments),
    Solve(solve::Arguments),
    Zero(zero::Arguments),
    Bench(bench::Arguments),
    Completions(completions::Arguments),
}

/// Runs the command line and says how it went.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    // We are the launcher of an agent: nothing else may come first.
    #[cfg(target_os = "linux")]
    if let [_, word, description] = &arguments[..]
        && word == skirmish_sandbox::WORD
    {
        output::note(format_args!(
            "launcher: {}",
            skirmish_sandbox::launch(&description.to_string_lossy())
        ));
        return ExitCode::from(125);
    }
    if arguments.get(1).is_some_and(|word| word == stub::WORD) {
        stub::run(arguments.get(2).is_some_and(|word| word == "once"));
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout and are no error; a closed pipe is none either.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match arguments.color {
        clap::ColorChoice::Auto => {}
        clap::ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        clap::ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
    let mut output = Output::stdout();
    let done = match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments, &mut output),
        Command::Games(arguments) => games::run(&arguments, &mut output),
        Command::Rules(arguments) => rules::run(&arguments, &mut output),
        Command::Show(arguments) => show::run(&arguments, &mut output),
        Command::Legal(arguments) => legal::run(&arguments, &mut output),
        Command::Perft(arguments) => perft::run(&arguments, &mut output),
        Command::Verify(arguments) => verify::run(&arguments, &mut output),
        Command::Playouts(arguments) => playouts::run(&arguments, &mut output),
        Command::Agents(arguments) => agents::run(&arguments, &mut output),
        Command::Analyse(arguments) => analyse::run(&arguments, &mut output),
        Command::Match(arguments) => matches::run(&arguments, &mut output),
        Command::Tournament(arguments) => tournament::run(&arguments, &mut output),
        Command::Merge(arguments) => tournament::merge(&arguments, &mut output),
        Command::Referee(arguments) => referee::run(&arguments, &mut output),
        Command::Check(arguments) => check::run(&arguments, &mut output),
        Command::Replay(arguments) => replay::run(&arguments, &mut output),
        Command::Export(arguments) => export::run(&arguments, &mut output),
        Command::Game17(arguments) => game17::run(&arguments, &mut output),
        Command::Solve(arguments) => solve::run(&arguments, &mut output),
        Command::Zero(arguments) => zero::run(&arguments, &mut output),
        Command::Bench(arguments) => bench::run(&arguments, &mut output),
        Command::Completions(arguments) => completions::run(&arguments, &mut output),
    };
    match done.and_then(|()| Ok(output.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => fault.report(),
    }
}

/// Every agent that can be named on the command line.
const ROSTER: Roster = skirmish_zero::roster();

/// The result of a subcommand.
type Done = Result<(), Fault>;
