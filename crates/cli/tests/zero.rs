//! `skirmish zero`, through the real binary.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use skirmish_zero::open::open_pool;

fn skirmish(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("skirmish").expect("the binary is built");
    command.args(arguments);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Games of a pool whose network knows nothing, as they lie in a shard.
fn shard() -> Vec<u8> {
    let settings = r#"{"games": 8, "simulations": 4, "fast_simulations": 2, "full_chance": 1.0}"#;
    let mut pool = open_pool("amazons", r#"{"size": "4x4"}"#, settings).unwrap();
    let (shape, count) = (pool.shape(), pool.rows());
    let mut rows = vec![0; count * shape.row_bytes()];
    let mut nets = vec![0; count];
    let answers = vec![0; count * shape.answer()];
    pool.step(None, &mut rows, &mut nets).unwrap();
    let mut games = Vec::new();
    for _ in 0..400 {
        pool.step(Some(&answers), &mut rows, &mut nets).unwrap();
        games.extend(pool.take_games());
    }
    games
}

#[test]
fn the_networks_that_ship_are_listed() {
    let found = skirmish(&["zero", "nets", "--json"]).assert().success();
    let nets: Vec<Value> = serde_json::from_slice(&found.get_output().stdout).unwrap();
    let names: Vec<&str> = nets.iter().filter_map(|net| net["name"].as_str()).collect();
    assert_eq!(
        names,
        ["amazons-6x6", "amazons-8x8", "amazons-10x10", "in-trap", "watch-your-back"]
    );
    for net in &nets {
        assert!(net["about"]["trained"]["minutes"].as_f64().unwrap() > 0.0, "{net}");
        assert!(net["about"]["trained"]["commit"].is_string(), "{net}");
    }
    skirmish(&["zero", "nets"]).assert().success();
}

#[test]
fn a_network_plays_a_match_the_same_way_twice() {
    let line = ["match", "amazons", "--size", "6", "zero:visits=40", "greedy", "--games", "2"];
    let play = || {
        let mut command = skirmish(&line);
        let found = command.args(["--json", "--seed", "3"]).assert().success();
        let result: Value = serde_json::from_slice(&found.get_output().stdout).unwrap();
        (result["agents"][0]["agent"].clone(), result["agents"][0]["score"].clone())
    };
    let first = play();
    assert_eq!(first.0, "zero:visits=40");
    assert_eq!(first, play());
}

#[test]
fn analysis_by_a_network_tells_the_three_stages_of_a_turn() {
    let found =
        skirmish(&["analyse", "amazons", "--size", "6", "--agent", "zero", "--nodes", "300"])
            .args(["--json", "--lines", "2"])
            .assert()
            .success();
    let result: Value = serde_json::from_slice(&found.get_output().stdout).unwrap();
    assert_eq!(result["stages"].as_array().unwrap().len(), 3, "{result}");
    let choices = result["stages"][1].as_array().unwrap();
    assert!(choices.len() > 1, "a stage offers choices: {result}");
    assert_eq!(result["lines"].as_array().unwrap().len(), 2);
}

#[test]
fn a_shard_and_a_network_can_be_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0001.shard");
    let bytes = shard();
    std::fs::write(&path, &bytes).unwrap();
    let inspect = |path: &Path| {
        let found = skirmish(&["zero", "inspect", "--json"]).arg(path).assert().success();
        let about: Value = serde_json::from_slice(&found.get_output().stdout).unwrap();
        (about["about"].clone(), text(&found.get_output().stderr))
    };
    let (about, said) = inspect(&path);
    let games = about["games"].as_u64().unwrap();
    assert!(games > 8 && about["samples"].as_u64().unwrap() > games, "{about}");
    assert_eq!((about["torn_bytes"].as_u64(), said.as_str()), (Some(0), ""));

    // A crash in the middle of writing: what came before is whole.
    std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    let (torn, said) = inspect(&path);
    assert!(torn["games"].as_u64().unwrap() < games);
    assert!(said.contains("torn"), "{said}");

    let (about, _) = inspect(Path::new("in-trap"));
    assert_eq!((about["game"].as_str(), about["channels"].as_u64()), (Some("in-trap"), Some(64)));
    skirmish(&["zero", "inspect", "nobody.safetensors"]).assert().code(2);
    // What is no file at all, or has no end.
    for odd in [folder.path(), Path::new("/dev/zero")] {
        let found = skirmish(&["zero", "inspect"]).arg(odd).assert().code(2);
        assert!(text(&found.get_output().stderr).contains("error:"), "{}", odd.display());
    }
}

#[test]
fn a_run_becomes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let log = r#"{"event":"progress","minutes":1,"games":10,"losses":{"policy":1.5}}
{"event":"gate","minutes":1,"net":1,"against":0,"games":200,"score":0.7,"error":0.06,"verdict":"promoted","elo":147,"elo_error":52}
"#;
    std::fs::write(folder.path().join("log.jsonl"), log).unwrap();
    std::fs::write(folder.path().join("settings.json"), r#"{"game":"in-trap"}"#).unwrap();
    let found = skirmish(&["zero", "report"]).arg(folder.path()).assert().success();
    let page = std::fs::read_to_string(text(&found.get_output().stdout).trim()).unwrap();
    assert!(page.contains("Learning in-trap") && page.contains("70.0 ± 6.0 %"), "{page}");
    let missing = skirmish(&["zero", "report", "no-such-run"]).assert().code(2);
    assert!(text(&missing.get_output().stderr).contains("hint: a run is a folder"));
}

#[test]
fn training_without_python_says_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let train = |game: &str, python: &str| {
        let found = skirmish(&["zero", "train", game, "--out"])
            .arg(folder.path().join("run"))
            .env("SKIRMISH_PYTHON", python)
            .assert()
            .code(2);
        text(&found.get_output().stderr)
    };
    let said = train("amazons", "no-such-python");
    assert!(said.contains("cannot start `no-such-python`") && said.contains("hint:"), "{said}");
    // Something that runs and is no Python with our package.
    let said = train("amazons", "false");
    assert!(said.contains("pip install"), "{said}");
    for minutes in ["nan", "-1", "0", "soon"] {
        let line = ["zero", "train", "amazons", "--out", "x", &format!("--minutes={minutes}")];
        let found = skirmish(&line).assert().code(2);
        assert!(text(&found.get_output().stderr).contains("from 0.1"), "{minutes}");
    }
    let said = train("game17", "no-such-python");
    assert!(said.contains("no network plays `game17`"), "{said}");
}
