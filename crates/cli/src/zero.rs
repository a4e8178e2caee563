//! `skirmish zero`: networks that learn by playing against themselves.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use skirmish_zero::net::Net;
use skirmish_zero::nets::{SHIPPED, find};
use skirmish_zero::{open, report};

use crate::Done;
use crate::output::{Fault, Output, note};
use crate::setup::GameArguments;

/// Train networks, watch them learn, look into what they learned from.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish zero train amazons --size 8 --minutes 25 --out runs/eight
  skirmish zero train amazons --size 8 --minutes 25 --out runs/eight --resume
  skirmish zero report runs/eight               a page with all curves
  skirmish zero inspect runs/eight/games/0000.shard
  skirmish zero nets                            the networks that ship
  skirmish match amazons --size 8 zero mcts --time 0.5s --games 20

Training needs the Python package `skirmish` with its extra `train`, and is meant for a machine with \
a GPU; docs/learning.md describes every step.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: ZeroCommand,
}

#[derive(Subcommand, Debug)]
enum ZeroCommand {
    Train(Train),
    Report(Report),
    Inspect(Inspect),
    Nets(Nets),
}

/// Train a network by self-play.
#[derive(Args, Debug)]
#[command(after_help = "\
The run is kept in a folder: settings, log, checkpoints, networks and games. Killed at any moment, it \
goes on with --resume and has lost the last minutes at most. Anything after `--` is handed to the \
trainer: `skirmish zero train amazons --out runs/x -- --channels 96 --blocks 8`; \
`python -m skirmish.zero.train --help` lists it all.

The Python to use is $SKIRMISH_PYTHON, or else `python3` on the path.")]
struct Train {
    #[command(flatten)]
    game: GameArguments,
    /// Minutes to train, everything included.
    #[arg(long, value_name = "MINUTES", default_value_t = 25.0, value_parser = minutes)]
    minutes: f64,
    /// The folder of the run.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Go on with the run in that folder.
    #[arg(long)]
    resume: bool,
    /// Start from the weights of this network: a file, or one that ships.
    #[arg(long, value_name = "NET")]
    from: Option<String>,
    /// More settings for the trainer.
    #[arg(last = true, value_name = "SETTINGS")]
    rest: Vec<String>,
}

/// Draw a page about a run: Elo, losses, speeds, the family of networks.
#[derive(Args, Debug)]
struct Report {
    /// The folder of the run.
    run: PathBuf,
    /// Where to write the page; `report.html` (or `.svg`) in the folder if left out.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw one picture instead, Elo against minutes, as SVG.
    #[arg(long)]
    svg: bool,
}

/// Look into a shard of games, or into a network.
#[derive(Args, Debug)]
struct Inspect {
    /// Shards (`games/*.shard` of a run) or networks (`*.safetensors`, or the name of one that ships).
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON: one object per file.
    #[arg(long)]
    json: bool,
}

/// List the networks that ship.
#[derive(Args, Debug)]
struct Nets {
    /// Print JSON: a list of what each file says about itself.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    match &arguments.command {
        ZeroCommand::Train(arguments) => train(arguments),
        ZeroCommand::Report(arguments) => write_report(arguments, output),
        ZeroCommand::Inspect(arguments) => inspect(arguments, output),
        ZeroCommand::Nets(arguments) => nets(arguments, output),
    }
}

/// More than nothing, and less than a month.
fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.1..=43_200.0).contains(&minutes) => Ok(minutes),
        _ => Err("minutes are a number from 0.1 to 43200".to_owned()),
    }
}

fn train(arguments: &Train) -> Done {
    let python = std::env::var_os("SKIRMISH_PYTHON").unwrap_or_else(|| "python3".into());
    let named = python.to_string_lossy().into_owned();
    let options = arguments.game.options()?;
    // A game no network plays is told here, before anything is started.
    open::open_window(&arguments.game.game, &json!(options).to_string(), 1)?;
    if arguments.game.position.is_some() {
        return Err(Fault::unusable("training starts from the game's own start")
            .or_hint("leave out `--position`"));
    }

    // 1. Is there a trainer?
    let found = Command::new(&python)
        // `-P`: no module of the working folder stands in for one of the library's.
        .args(["-P", "-c", "import skirmish.zero, jax, optax, safetensors"])
        .output()
        .map_err(|error| {
            Fault::unusable(format!("cannot start `{named}`: {error}"))
                .or_hint("install Python 3.11 or newer, or name it in $SKIRMISH_PYTHON")
        })?;
    if !found.status.success() {
        let said = String::from_utf8_lossy(&found.stderr);
        let last = said.lines().last().unwrap_or("no reason given").to_owned();
        return Err(Fault::unusable(format!("`{named}` cannot train: {last}")).or_hint(
            "from the project's folder: `pip install './python[train]'`, and for a GPU \
             `pip install 'jax[cuda13]'`; docs/learning.md describes every step",
        ));
    }

    // 2. It takes over, with its own display and its own handling of signals.
    let mut command = Command::new(&python);
    command.args(["-P", "-m", "skirmish.zero.train", "--game", &arguments.game.game]);
    command.arg("--options").arg(json!(options).to_string());
    command.arg("--minutes").arg(arguments.minutes.to_string());
    command.arg("--seed").arg(arguments.game.seed.to_string());
    command.arg("--out").arg(&arguments.out);
    if arguments.resume {
        command.arg("--resume");
    }
    let shipped;
    if let Some(from) = &arguments.from {
        command.arg("--from");
        match SHIPPED.iter().find(|net| net.name == from) {
            // The trainer reads files: one that ships is written out beside the run.
            Some(net) => {
                shipped = arguments.out.join("from.safetensors");
                std::fs::create_dir_all(&arguments.out)
                    .and_then(|()| std::fs::write(&shipped, net.bytes))
                    .map_err(|error| unusable_file(&shipped, &error))?;
                command.arg(&shipped);
            }
            None => {
                command.arg(from);
            }
        }
    }
    command.args(&arguments.rest);
    let status = command
        .status()
        .map_err(|error| Fault::unusable(format!("cannot start `{named}`: {error}")))?;
    if status.success() { Ok(()) } else { Err(Fault::No) }
}

fn unusable_file(path: &Path, error: &std::io::Error) -> Fault {
    Fault::unusable(format!("{}: {error}", path.display()))
}

fn write_report(arguments: &Report, output: &mut Output) -> Done {
    let run = &arguments.run;
    let log = run.join("log.jsonl");
    let text = std::fs::read_to_string(&log).map_err(|error| {
        unusable_file(&log, &error).or_hint("a run is a folder made by `skirmish zero train`")
    })?;
    let settings = std::fs::read_to_string(run.join("settings.json")).unwrap_or_default();
    let settings: Value = serde_json::from_str(&settings).unwrap_or(Value::Null);
    let game = settings["game"].as_str().unwrap_or("a game");
    let name = run.file_name().map_or("run".into(), |name| name.to_string_lossy());
    let log = report::read_log(&text);
    let (drawn, file) = if arguments.svg {
        let picture = report::picture(&format!("{game}, {name}"), &log).ok_or_else(|| {
            Fault::unusable(format!("{}: nothing was measured yet", run.display()))
                .or_hint("a run is measured when its first network is judged")
        })?;
        (picture, "report.svg")
    } else {
        (report::page(&format!("Learning {game}: {name}"), &settings, &log), "report.html")
    };
    let out = arguments.out.clone().unwrap_or_else(|| run.join(file));
    std::fs::write(&out, drawn).map_err(|error| unusable_file(&out, &error))?;
    writeln!(output, "{}", out.display())?;
    Ok(())
}

fn inspect(arguments: &Inspect, output: &mut Output) -> Done {
    for file in &arguments.files {
        let named = file.to_string_lossy();
        let is_net =
            named.ends_with(".safetensors") || SHIPPED.iter().any(|net| net.name == named.as_ref());
        let about = if is_net {
            about(&find(&named, "")?)
        } else {
            let about = open::inspect_file(file).map_err(|error| error.within(file.display()))?;
            if about["torn_bytes"] != 0 {
                note(format_args!(
                    "{named}: the last {} bytes are torn, as a crash leaves them; the rest is whole",
                    about["torn_bytes"]
                ));
            }
            about
        };
        if arguments.json {
            output.json(&json!({"file": named, "about": about}))?;
            continue;
        }
        writeln!(output, "{named}")?;
        write_facts(output, &about, "  ")?;
    }
    Ok(())
}

fn about(net: &Net) -> Value {
    serde_json::to_value(net.about()).unwrap_or(Value::Null)
}

/// An object as lines of name and value.
fn write_facts(output: &mut Output, facts: &Value, indent: &str) -> std::io::Result<()> {
    let Value::Object(facts) = facts else { return writeln!(output, "{indent}{facts}") };
    for (name, value) in facts {
        let name = name.replace('_', " ");
        match value {
            Value::Object(_) => {
                writeln!(output, "{indent}{name}")?;
                write_facts(output, value, &format!("{indent}  "))?;
            }
            Value::String(text) => writeln!(output, "{indent}{name:20} {text}")?,
            value => writeln!(output, "{indent}{name:20} {value}")?,
        }
    }
    Ok(())
}

fn nets(arguments: &Nets, output: &mut Output) -> Done {
    if arguments.json {
        let list: skirmish_rules::Result<Vec<Value>> = SHIPPED
            .iter()
            .map(|net| Ok(json!({"name": net.name, "about": about(&Net::from_bytes(net.bytes)?)})))
            .collect();
        output.json(&list?)?;
        return Ok(());
    }
    for shipped in SHIPPED {
        let net = Net::from_bytes(shipped.bytes)?;
        let about = net.about();
        let trained = |name: &str| about.trained[name].as_f64().unwrap_or(0.0);
        let minutes = trained("minutes") + trained("minutes_before");
        writeln!(
            output,
            "{:18} {} blocks of {} channels, {minutes:.0} minutes of training, {:.1} MB",
            shipped.name,
            about.blocks,
            about.channels,
            shipped.bytes.len() as f64 / 1e6
        )?;
    }
    Ok(())
}
