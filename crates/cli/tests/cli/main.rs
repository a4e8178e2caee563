//! The real binary, run as people and scripts run it: what it prints, where, and how it exits.

mod a_closed_pipe;
mod a_mistake;
mod colour;
mod counting;
mod help;
mod legal;
mod one_game_everywhere;
mod people;
mod pieces_of_ones_own;
mod random_games;
mod showing;
mod the_list_of_games;
mod the_rules;
mod the_size_of_the_program;
mod verifying;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use skirmish_play::record::Record;
use skirmish_rules::{Games, Registry};
use tempfile::TempDir;

/// Every game there is.
const GAMES: [&str; Games::ENTRIES.len()] = {
    let mut names = [""; Games::ENTRIES.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = Games::ENTRIES[place].name;
        place += 1;
    }
    names
};

/// What a run of the binary came to.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn command() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("skirmish"));
    // Games that are not over are kept there: not in the state folder of the one who runs the tests.
    command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RAYON_NUM_THREADS"] {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str]) -> Ran {
    let output = command().args(arguments).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran {
        code: output.status.code().expect("the binary exits by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The output of a run that goes well.
fn printed(arguments: &[&str]) -> String {
    let Ran { code, stdout, stderr } = run(arguments);
    assert_eq!(code, 0, "{arguments:?}\n{stdout}\n{stderr}");
    stdout
}

/// The one line of JSON of a run that goes well.
fn printed_json(arguments: &[&str]) -> Value {
    let stdout = printed(arguments);
    assert_eq!(stdout.lines().count(), 1, "{arguments:?}\n{stdout}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{stdout}"))
}

/// What is said on stderr by a run that fails: the error, and the hint if there is one.
fn refused(code: i32, arguments: &[&str]) -> (String, Option<String>) {
    let ran = run(arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout, "", "{arguments:?}: errors go to stderr");
    let mut lines = ran.stderr.lines();
    let error = lines.next().and_then(|line| line.strip_prefix("error: "));
    let error = error.unwrap_or_else(|| panic!("{arguments:?}: {}", ran.stderr)).to_owned();
    let hint = lines.next().map(|line| {
        line.strip_prefix("hint: ").unwrap_or_else(|| panic!("{arguments:?}: {line}")).to_owned()
    });
    assert_eq!(lines.next(), None, "{arguments:?}: {}", ran.stderr);
    // The house style of messages.
    for text in [Some(&error), hint.as_ref()].into_iter().flatten() {
        assert!(!text.ends_with('.'), "{arguments:?}: {text}");
        assert!(!text.starts_with(|c: char| c.is_ascii_uppercase()), "{arguments:?}: {text}");
    }
    (error, hint)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn file(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn oracle(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../play/tests/data");
    folder.join(name).to_str().unwrap().to_owned()
}

/// Changes only when behaviour does: a commit that changes it says why.
const SIGNATURE: u64 = 3_363_518_983;

#[test]
fn the_bench_answers_as_it_always_did() {
    let stdout = printed(&["bench", "--quick"]);
    assert_eq!(stdout.lines().last(), Some(format!("signature: {SIGNATURE}").as_str()), "{stdout}");
}

#[test]
fn one_path_of_the_bench_may_be_run_alone() {
    let benched = printed_json(&["bench", "--quick", "--only", "watch-your-back perft", "--json"]);
    assert_eq!(keys(&benched), ["signature", "bit_instructions", "paths"]);
    let paths = benched["paths"].as_array().unwrap();
    assert_eq!(paths.len(), 1);
    assert_eq!((&paths[0]["work"], &paths[0]["unit"]), (&json!(92_342), &json!("leaves")));
    assert_eq!(keys(&paths[0]), ["name", "unit", "work", "per_cpu_second", "answer"]);
}

#[test]
#[cfg(target_os = "linux")]
fn the_bench_times_the_referee_and_holds_it_to_its_results() {
    let benched = printed_json(&["bench", "--quick", "--only", "refereed", "--json"]);
    let referee = &benched["referee"];
    assert_eq!(keys(referee), ["games", "games_per_second", "cpu_us_per_turn", "answer"]);
    assert_eq!((&referee["games"], &referee["answer"]), (&json!(20), &json!("5018861f9e7c7a83")));
}

#[test]
fn the_demo_plays_a_game_of_each() {
    let stdout = printed(&["demo", "--ascii"]);
    for title in Games::ENTRIES.iter().map(|entry| entry.title) {
        assert!(stdout.lines().any(|line| line.starts_with(title)), "{title}\n{stdout}");
    }
    assert_eq!(stdout.matches("at the end:").count(), GAMES.len());
    assert_eq!(stdout, printed(&["demo", "--ascii"]), "the same seed plays the same games");
    let one = printed(&["demo", "--ascii", "--games", "in-trap", "--seed", "3"]);
    assert!(one.starts_with("In-Trap"), "{one}");
    assert_eq!(one.matches("at the end:").count(), 1);
}

#[test]
fn the_records_of_the_demo_replay() {
    let folder = TempDir::new().unwrap();
    let records = folder.path().join("new/records");
    let ran = run(&["demo", "--records", records.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("wrote ").count(), GAMES.len(), "{}", ran.stderr);
    for name in GAMES {
        let text = std::fs::read_to_string(records.join(format!("{name}.json"))).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        for key in ["format", "game", "options", "start", "seed", "events", "result"] {
            assert!(!value[key].is_null(), "{name} has no `{key}`");
        }
        let record: Record = serde_json::from_str(&text).unwrap();
        let table = record.replay(usize::MAX).unwrap();
        assert_eq!(table.payoffs(), record.result.unwrap().payoffs, "{name}");
    }
}
