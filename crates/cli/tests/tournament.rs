//! Tournaments as people run them, and as life treats them: killed, interrupted, out of disk, with
//! damaged files, in parts, with hostile agents. Nothing may be lost, nothing played twice, and the
//! table must be the one of a tournament that nothing happened to.

#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use skirmish_play::record::Record;
use skirmish_rules::Random;
use tempfile::TempDir;

/// What a run of the binary came to.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("skirmish"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env_remove("CLICOLOR_FORCE").env_remove("RAYON_NUM_THREADS");
    command
}

fn finish(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    finish(start(command(folder, arguments)))
}

fn tournament(folder: &Path, arguments: &[&str]) -> Ran {
    run(folder, &[&["tournament"], arguments].concat())
}

/// A run that goes well.
#[track_caller]
fn played(folder: &Path, arguments: &[&str]) -> Ran {
    let ran = tournament(folder, arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}\n{}\n{}", ran.stdout, ran.stderr);
    ran
}

/// A run that is refused: what is said.
#[track_caller]
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let ran = tournament(folder, arguments);
    assert_eq!(ran.code, Some(2), "{arguments:?}\n{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("error: "), "{}", ran.stderr);
    ran.stderr
}

/// The lines of `games.jsonl`, by key: what was played, without what clocks say. Every line must be
/// a record that replays, and no game may be there twice.
fn games(folder: &Path) -> BTreeMap<String, (Value, Vec<String>)> {
    let text = std::fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let mut games = BTreeMap::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let record: Record = serde_json::from_str(line).unwrap();
        record.replay(usize::MAX).unwrap();
        let moves = value["events"].as_array().unwrap().iter();
        let moves = moves.map(|event| format!("{}{}", event["move"], event["chance"])).collect();
        let key = value["tournament"]["key"].as_str().unwrap().to_owned();
        let result = value["tournament"]["points"].clone();
        assert!(games.insert(key, (result, moves)).is_none(), "a game was played twice");
    }
    games
}

fn table(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("standings.csv")).unwrap()
}

/// Both folders hold the same games and the same table.
#[track_caller]
fn assert_same(one: &Path, other: &Path) {
    let (one_games, other_games) = (games(one), games(other));
    assert_eq!(
        one_games.keys().collect::<BTreeSet<_>>(),
        other_games.keys().collect::<BTreeSet<_>>()
    );
    assert!(one_games == other_games, "a game went differently");
    assert_eq!(table(one), table(other));
}

fn seed() -> u64 {
    let given = std::env::var("SKIRMISH_TEST_SEED").ok().and_then(|text| text.parse().ok());
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = given.unwrap_or_else(|| u64::from(now().subsec_nanos()));
    println!("SKIRMISH_TEST_SEED={seed}");
    seed
}

const SWISS: &str = "
game = \"watch-your-back\"
format = \"swiss\"
rounds = 5
games = 20
agents = [\"random\", \"random\", \"greedy\", \"random\", \"random\", \"random\", \"greedy\"]
seed = 3
";

#[test]
fn a_tournament_killed_at_twenty_moments_ends_as_if_it_had_not_been() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    std::fs::write(here.join("swiss.toml"), SWISS).unwrap();
    let whole = played(here, &["swiss.toml", "--out", "whole"]);
    let total = std::fs::metadata(here.join("whole/games.jsonl")).unwrap().len();

    let mut random = Random::seeded(seed());
    let arguments = ["tournament", "swiss.toml", "--out", "killed"];
    let mut kills = 0;
    for moment in 1..=20 {
        // Spread over the tournament: when so much is written, and a moment later.
        let target = total * moment / 21 + u64::from(random.below((total / 42) as u32));
        let delay = Duration::from_micros(u64::from(random.below(20_000)));
        let mut child = start(command(here, &arguments));
        loop {
            let written = std::fs::metadata(here.join("killed/games.jsonl"));
            let is_there = written.is_ok_and(|metadata| metadata.len() >= target);
            if is_there || child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(delay);
        child.kill().unwrap();
        let ran = finish(child);
        kills += u32::from(ran.code.is_none());
    }
    println!("{kills} runs were killed before their end");
    let numbers = |name: &str| -> Vec<u64> {
        let text = std::fs::read_to_string(here.join(name).join("games.jsonl")).unwrap();
        let number = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["tournament"]["number"].as_u64().unwrap()
        };
        text.lines().map(number).collect()
    };
    assert!(kills > 5, "only {kills} runs were killed in the middle");
    let last = played(here, &["swiss.toml", "--out", "killed"]);
    assert_eq!(last.stdout, whole.stdout);
    assert_same(&here.join("killed"), &here.join("whole"));
    // In the end the games are in the order of the schedule.
    assert!(numbers("killed").into_iter().eq(1..=300));
}

#[test]
fn every_format_goes_on_after_ctrl_c_and_ends_with_the_same_table() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let formats: [(&str, &[&str]); 5] = [
        ("round-robin", &["--games", "60"]),
        ("gauntlet", &["--games", "60"]),
        ("knockout", &["--games", "60"]),
        ("swiss", &["--games", "60"]),
        ("ladder", &["--games", "200"]),
    ];
    for (format, more) in formats {
        let agents: &[&str] = match format {
            "ladder" => &["--agents", "random", "random"],
            _ => &["--agents", "random", "greedy", "random", "random"],
        };
        let base = ["--game", "watch-your-back", "--format", format];
        let (whole, part) = (format!("{format}-whole"), format!("{format}-part"));
        let with = |out: &str, quiet: &[&str]| -> Vec<String> {
            let all = [&base[..], more, agents, &["--out", out], quiet].concat();
            all.into_iter().map(str::to_owned).collect()
        };
        let arguments = with(&whole, &["--concurrency", "2"]);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let expected = played(here, &arguments);

        let arguments = with(&part, &["--concurrency", "1"]);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let child = start(command(here, &[&["tournament"], &arguments[..]].concat()));
        while std::fs::metadata(here.join(&part).join("games.jsonl")).map_or(0, |file| file.len())
            == 0
        {
            std::thread::sleep(Duration::from_micros(100));
        }
        let id = child.id().to_string();
        let signal = if format == "swiss" { "-TERM" } else { "-INT" };
        Command::new("kill").args([signal, &id]).status().unwrap();
        let stopped = finish(child);
        // It may have been done just before.
        if stopped.code != Some(0) {
            assert_eq!(stopped.code, Some(1), "{stopped:?}");
            assert!(stopped.stderr.contains("the same command goes on"), "{}", stopped.stderr);
        }
        let last = played(here, &arguments);
        assert_eq!(last.stdout, expected.stdout, "{format}");
        assert_same(&here.join(&whole), &here.join(&part));
    }
}

const SMALL: [&str; 10] = [
    "--game",
    "watch-your-back",
    "--agents",
    "random",
    "greedy",
    "random",
    "--games",
    "6",
    "--seed",
    "5",
];

fn small(folder: &Path, more: &[&str]) -> Ran {
    played(folder, &[&SMALL[..], more].concat())
}

#[test]
fn damaged_files_are_repaired_and_nothing_is_lost() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let whole = small(here, &["--out", "whole"]);
    let copy = |name: &str| {
        let to = here.join(name);
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(here.join("whole")).unwrap().flatten() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        to
    };
    let repaired = |name: &str, words: &[&str]| {
        let ran = small(here, &["--out", name]);
        assert_eq!(ran.stdout, whole.stdout, "{name}");
        for word in words {
            assert!(ran.stderr.contains(word), "{name}: {}", ran.stderr);
        }
        assert_same(&here.join(name), &here.join("whole"));
        // The second time there is nothing left to repair.
        let ran = small(here, &["--out", name]);
        assert!(!ran.stderr.contains("repaired"), "{name}: {}", ran.stderr);
        assert_eq!(ran.stdout, whole.stdout, "{name}");
    };

    // 1. The index is gone, or no database.
    std::fs::remove_file(copy("no-index").join("tournament.db")).unwrap();
    repaired("no-index", &["18 finished games were missing and were added"]);
    std::fs::write(copy("bad-index").join("tournament.db"), "no database".repeat(100)).unwrap();
    repaired("bad-index", &["was damaged and is made anew"]);

    // 2. Half a line at the end, of a game that was being written.
    let path = copy("torn").join("games.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"tournament\":{\"key\":\"12").unwrap();
    repaired("torn", &["half a game"]);

    // 3. The end of the file is missing: some games have to be played again.
    let path = copy("cut").join("games.jsonl");
    let length = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length / 2).unwrap();
    repaired("cut", &["half a game", "played again"]);

    // 4. A byte in the middle is not what it was.
    let path = copy("flipped").join("games.jsonl");
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(length / 2)).unwrap();
    file.write_all(b"\x00").unwrap();
    repaired("flipped", &["1 damaged line was moved to games.damaged.jsonl", "it is played again"]);
    assert!(here.join("flipped/games.damaged.jsonl").exists());

    // 5. Everything but the games is gone.
    let bare = copy("bare");
    for name in ["tournament.db", "tournament.json", "standings.csv", "report.html", "lock"] {
        std::fs::remove_file(bare.join(name)).unwrap();
    }
    repaired("bare", &["18 finished games"]);

    // 6. The settings cannot be read: that is not guessed at.
    std::fs::write(copy("unknown").join("tournament.json"), "{").unwrap();
    let error = refused(here, &[&SMALL[..], &["--out", "unknown"]].concat());
    assert!(error.contains("tournament.json: is damaged"), "{error}");
    assert!(error.contains("hint: remove that file"), "{error}");
}

#[test]
fn other_settings_are_refused_by_name_and_harmless_ones_are_not() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let text = |seed: u32, games: u32, concurrency: u32, third: &str| {
        format!(
            "game = \"watch-your-back\"\nformat = \"round-robin\"\ngames = {games}\nseed = {seed}\n\
             agents = [\"random\", \"greedy\", {third}]\nconcurrency = {concurrency}\nout = \"out\"\n"
        )
    };
    let write = |text: String| std::fs::write(here.join("it.toml"), text).unwrap();
    write(text(1, 2, 1, "\"random\""));
    let first = played(here, &["it.toml"]);
    write(text(1, 2, 2, "\"random\""));
    let second = played(here, &["it.toml", "--concurrency", "1", "--pin"]);
    assert_eq!(first.stdout, second.stdout);

    // More games are a longer tournament that holds the shorter one.
    let before = games(&here.join("out"));
    write(text(1, 4, 1, "\"random\""));
    let longer = played(here, &["it.toml"]);
    assert!(longer.stderr.contains("6 games are kept already"), "{}", longer.stderr);
    let after = games(&here.join("out"));
    assert_eq!(after.len(), 12);
    assert!(before.iter().all(|(key, game)| after[key] == *game));
    played(here, &["it.toml", "--out", "at-once"]);
    assert_same(&here.join("out"), &here.join("at-once"));

    write(text(2, 2, 1, "{ spec = \"random:\", name = \"other\" }"));
    let error = refused(here, &["it.toml"]);
    assert!(error.contains("was begun with other settings"), "{error}");
    assert!(error.contains("`seed` was 1, is now 2"), "{error}");
    assert!(error.contains("`games` was 4, is now 2"), "{error}");
    assert!(error.contains("`agents[2].name` was \"random 2\", is now \"other\""), "{error}");
    assert!(error.contains("hint: put the settings back"), "{error}");
}

#[test]
fn two_processes_do_not_share_a_folder_and_a_killed_one_leaves_it() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    // Equal agents: this takes far longer than the test.
    let arguments = [
        "--game",
        "watch-your-back",
        "--format",
        "ladder",
        "--agents",
        "random",
        "random",
        "--games",
        "1000000",
        "--out",
        "out",
    ];
    let mut first = start(command(here, &[&["tournament"], &arguments[..]].concat()));
    while !here.join("out/games.jsonl").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let error = refused(here, &arguments);
    assert!(
        error.contains(&format!("process {} is at work in this folder", first.id())),
        "{error}"
    );
    assert!(error.contains("hint: "), "{error}");
    first.kill().unwrap();
    first.wait().unwrap();
    // Free at once.
    let mut third = start(command(here, &[&["tournament"], &arguments[..]].concat()));
    let before = std::fs::metadata(here.join("out/games.jsonl")).unwrap().len();
    while std::fs::metadata(here.join("out/games.jsonl")).unwrap().len() <= before {
        assert!(third.try_wait().unwrap().is_none(), "it goes on");
        std::thread::sleep(Duration::from_millis(1));
    }
    third.kill().unwrap();
    third.wait().unwrap();
}

#[test]
fn a_full_disk_stops_it_in_words_and_it_goes_on_when_there_is_room() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let whole = small(here, &["--out", "whole"]);
    // No file may grow beyond 64 KiB, as if the disk were full: the games alone need more.
    let binary = assert_cmd::cargo::cargo_bin!("skirmish");
    let line = format!(
        "trap '' XFSZ; ulimit -f 64; exec '{}' tournament {} --out full",
        binary.display(),
        SMALL.join(" ")
    );
    let output = Command::new("bash").args(["-c", &line]).current_dir(here).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("error: ") && stderr.contains("cannot"), "{stderr}");
    assert!(stderr.contains("hint: make room on the disk"), "{stderr}");
    let kept = std::fs::read_to_string(here.join("full/games.jsonl")).unwrap().lines().count();
    println!("{kept} games fitted");
    assert!(kept < 18);
    let last = small(here, &["--out", "full"]);
    assert_eq!(last.stdout, whole.stdout);
    assert_same(&here.join("full"), &here.join("whole"));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    std::fs::write(here.join("file"), "").unwrap();
    for out in ["file", "file/below", "/proc/self/skirmish"] {
        let error = refused(here, &[&SMALL[..], &["--out", out]].concat());
        assert!(error.contains("cannot make the folder"), "{error}");
    }
    let closed = here.join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o555)).unwrap();
    // Nothing is closed to root.
    if std::fs::write(closed.join("try"), "").is_err() {
        let error = refused(here, &[&SMALL[..], &["--out", "closed"]].concat());
        assert!(error.contains("hint: choose a folder that can be written"), "{error}");
    }
}

#[test]
fn shards_put_together_are_the_whole() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let formats: [&[&str]; 2] = [
        &SMALL,
        &[
            "--game",
            "game17",
            "--option",
            "size=5",
            "--format",
            "free-for-all",
            "--agents",
            "hunter",
            "random",
            "marshal",
            "--seats",
            "2",
            "--games",
            "9",
            "--nodes",
            "20",
        ],
    ];
    for (number, base) in formats.into_iter().enumerate() {
        let whole = format!("whole-{number}");
        let expected = played(here, &[base, &["--out", &whole]].concat());
        let parts = format!("parts-{number}");
        let mut shards = Vec::new();
        for shard in 1..=3 {
            let part = format!("{shard}/3");
            played(here, &[base, &["--out", &parts, "--shard", &part, "--quiet"]].concat());
            shards.push(format!("{parts}/shard-{shard}-of-3"));
        }
        let merged = format!("merged-{number}");
        let two = run(here, &["merge", &merged, &shards[0], &shards[1]]);
        assert_eq!(two.code, Some(1), "{two:?}");
        assert!(two.stderr.contains("are missing"), "{}", two.stderr);
        // A part that is given twice is taken once.
        let all = run(here, &["merge", &merged, &shards[0], &shards[2], &shards[1], &shards[1]]);
        assert_eq!(all.code, Some(0), "{all:?}");
        assert_eq!(all.stdout, expected.stdout);
        assert_same(&here.join(&whole), &here.join(&merged));
        // The merged folder is a tournament like any other.
        let again = played(here, &[base, &["--out", &merged]].concat());
        assert_eq!(again.stdout, expected.stdout);
    }

    let other = run(here, &["merge", "mixed", "parts-0/shard-1-of-3", "parts-1/shard-1-of-3"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("are not parts of one tournament"), "{}", other.stderr);
    let error = refused(here, &[&SMALL[..], &["--format", "swiss", "--shard", "1/2"]].concat());
    assert!(error.contains("a swiss tournament cannot be played in parts"), "{error}");
    let error = run(here, &["merge", "mixed", "nothing-here"]);
    assert_eq!(error.code, Some(2));
    assert!(error.stderr.contains("hint: a folder of a tournament"), "{}", error.stderr);
}

#[test]
fn a_dry_run_tells_the_schedule_and_plays_nothing() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let ran = played(here, &[&SMALL[..], &["--dry-run", "--out", "out"]].concat());
    assert!(ran.stdout.contains("     1  round 1    opening 0     "), "{}", ran.stdout);
    assert!(ran.stdout.contains("18 games, about "), "{}", ran.stdout);
    assert!(ran.stdout.contains("measured on game 1"), "{}", ran.stdout);
    assert!(!here.join("out").exists());
    let ran = played(here, &[&SMALL[..], &["--dry-run", "--json", "--format", "swiss"]].concat());
    let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&plan["total"], plan["games"].as_array().unwrap().len()), (&Value::from(12), 6));
}

#[test]
fn the_same_from_a_file_and_from_flags_as_json_and_as_a_table() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    std::fs::create_dir(here.join("inner")).unwrap();
    let text = "game = \"watch-your-back\"\nformat = \"round-robin\"\ngames = 6\nseed = 5\n\
                agents = [\"random\", \"greedy\", \"random\"]\n";
    std::fs::write(here.join("inner/it.toml"), text).unwrap();
    let flags = small(here, &["--out", "flags"]);
    // Paths of a settings file start from its folder.
    let file = played(here, &["inner/it.toml"]);
    assert_eq!(file.stdout, flags.stdout);
    assert_same(&here.join("inner/it"), &here.join("flags"));
    let json = small(here, &["--out", "flags", "--json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["games"], 18);
    assert_eq!(json["standings"][0]["rank"], 1);
    assert_eq!(json["is_complete"], true);
    assert_eq!(json["cross_table"][0][0], Value::Null);
    assert!(here.join("flags/report.html").exists());

    std::fs::write(here.join("bad.toml"), format!("{text}rouns = 3\n")).unwrap();
    let error = refused(here, &["bad.toml"]);
    assert!(error.contains("bad.toml: line 6: there is no setting `rouns`"), "{error}");
    assert!(error.contains("hint: did you mean `rounds`?"), "{error}");
    let error = refused(here, &["missing.toml"]);
    assert!(error.contains("missing.toml: cannot open"), "{error}");
    let error = refused(here, &["--game", "amazons", "--agents", "random", "nobody"]);
    assert!(error.contains("nobody"), "{error}");
}

#[test]
fn openings_come_from_a_list_where_one_is_given() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let starts = ["3q/4/4/Q3 w", "q3/4/4/3Q w"];
    let text = format!(
        "game = \"amazons\"\nformat = \"round-robin\"\ngames = 6\nagents = [\"random\", \"greedy\"]\n\
         [openings]\npositions = [\"{}\", \"{}\"]\n[options]\nsize = 4\n",
        starts[0], starts[1]
    );
    std::fs::write(here.join("it.toml"), &text).unwrap();
    played(here, &["it.toml"]);
    let lines = std::fs::read_to_string(here.join("it/games.jsonl")).unwrap();
    let mut begun: BTreeMap<String, u32> = BTreeMap::new();
    for line in lines.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        *begun.entry(record.start).or_default() += 1;
    }
    assert_eq!(begun.into_values().collect::<Vec<_>>(), [4, 2]);
    let text = text.replace(starts[1], "nonsense");
    std::fs::write(here.join("bad.toml"), text).unwrap();
    let error = refused(here, &["bad.toml"]);
    assert!(error.contains("position 2 of the openings"), "{error}");
}

#[test]
fn a_program_that_changes_in_the_middle_is_told() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let anna = agent(here, "anna", "def choose(state): return state.legal[0]");
    let text = |games: u32| {
        format!(
            "game = \"in-trap\"\nformat = \"round-robin\"\ngames = {games}\nout = \"out\"\n\
             agents = [{anna}, \"random\"]\n[limits]\ncpu_s = 60\n"
        )
    };
    std::fs::write(here.join("it.toml"), text(2)).unwrap();
    let ran = played(here, &["it.toml"]);
    assert!(!ran.stderr.contains("changed"), "{}", ran.stderr);
    agent(here, "anna", "def choose(state): return state.legal[-1]");
    std::fs::write(here.join("it.toml"), text(4)).unwrap();
    let ran = played(here, &["it.toml"]);
    assert!(ran.stderr.contains("note: the program of anna changed"), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 games by version"), "{}", ran.stderr);
}

/// A Python agent with something in the way.
#[test]
fn mistakes_are_found_once_and_told_in_the_report() {
    let home = TempDir::new().unwrap();
    let folder = home.path();
    let ask = ["--game", "in-trap", "--agents", "random", "greedy", "--games", "4", "--out", "out"];
    played(folder, &ask);
    let without = std::fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(!without.contains("id=\"mistakes\""));
    let before = table(&folder.join("out"));

    let judge = [&ask[..], &["--analyse", "alphabeta:depth=1"]].concat();
    played(folder, &judge);
    let kept = || std::fs::read_to_string(folder.join("out/analysis.jsonl")).unwrap();
    let first = kept();
    assert_eq!(first.lines().count(), 4);
    let judged: Vec<Value> =
        first.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mistakes: usize =
        judged.iter().map(|game| game["mistakes"].as_array().unwrap().len()).sum();
    assert!(mistakes > 0, "random play is full of mistakes: {first}");
    let page = std::fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert_eq!(page.matches("was better by").count(), mistakes);
    assert_eq!(table(&folder.join("out")), before, "judging changes no result");

    // The four random turns of the opening belong to no player.
    for (line, game) in
        std::fs::read_to_string(folder.join("out/games.jsonl")).unwrap().lines().zip(1..)
    {
        let record: Value = serde_json::from_str(line).unwrap();
        let key = &record["tournament"]["key"];
        let judged = judged.iter().find(|judged| judged["key"] == *key).unwrap();
        let turns: u64 =
            judged["turns"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(turns, record["events"].as_array().unwrap().len() as u64 - 4, "game {game}");
        assert!(
            judged["mistakes"]
                .as_array()
                .unwrap()
                .iter()
                .all(|turn| turn["ply"].as_u64() >= Some(4))
        );
    }

    // Asked again, nothing is judged twice; half a line is.
    played(folder, &judge);
    assert_eq!(kept(), first);
    std::fs::write(folder.join("out/analysis.jsonl"), &first[..first.len() - 20]).unwrap();
    played(folder, &judge);
    assert_eq!(kept().lines().last(), first.lines().last());

    // Who cannot judge is refused before anything is played.
    let random = [&ask[..], &["--analyse", "random"]].concat();
    assert!(refused(folder, &random).contains("has nothing to say"));
    let royale = ["--game", "game17", "--agents", "zombie", "hunter", "--format", "free-for-all"];
    let royale = [&royale[..], &["--out", "royale", "--analyse", "mcts"]].concat();
    assert!(refused(folder, &royale).contains("Game 17 cannot be judged"));
    assert!(!folder.join("royale").exists());
}

#[test]
fn a_program_that_is_not_there_is_refused_before_the_first_game() {
    let home = TempDir::new().unwrap();
    let ask =
        |agent| ["--game", "in-trap", "--games", "2", "--out", "out", "--agents", "random", agent];
    for agent in ["python:students/dora.py", "cmd:./no-such-program"] {
        let said = refused(home.path(), &ask(agent));
        assert!(said.contains("was not started") && said.contains("hint: "), "{said}");
        assert!(!home.path().join("out").exists());
    }
}

#[test]
fn a_settings_file_without_end_is_refused() {
    let home = TempDir::new().unwrap();
    assert!(refused(home.path(), &["/dev/zero"]).contains("larger than 1 MiB"));
}

#[test]
fn games_played_again_elsewhere_are_the_same_games() {
    let home = TempDir::new().unwrap();
    let ask = ["--game", "in-trap", "--games", "4", "--agents", "random", "heuristic"];
    played(home.path(), &[&ask[..], &["--out", "one"]].concat());
    played(home.path(), &[&ask[..], &["--out", "two"]].concat());
    let ran = run(home.path(), &["merge", "both", "one", "two"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_same(&home.path().join("one"), &home.path().join("both"));
}

fn agent(folder: &Path, name: &str, text: &str) -> String {
    let own = folder.join(name);
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("agent.py"), text).unwrap();
    format!("{{ spec = \"python:{name}/agent.py\", name = \"{name}\" }}")
}

#[test]
fn a_class_with_hostile_agents_ends_with_a_table_and_every_fault_is_named() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let honest = "def choose(state): return state.legal[len(state.legal) // 2]";
    let hostile = [
        ("looper", "def choose(state):\n    while True: pass", "timeout"),
        (
            "crasher",
            "import sys\ndef choose(state):\n    print('oh no', file=sys.stderr)\n    1 / 0",
            "crash",
        ),
        ("cheater", "def choose(state): return 'a1-z9'", "illegal-move"),
        ("importer", "import nothing_like_this", "start-failure"),
        (
            "hog",
            "def choose(state):\n    x = bytearray(2 << 30)\n    return state.legal[0]",
            "memory",
        ),
        ("quitter", "import os\ndef choose(state): os._exit(3)", "crash"),
    ];
    let mut agents = vec![
        "\"greedy\"".to_owned(),
        agent(here, "anna", honest),
        agent(here, "ben", "def choose(state): return state.legal[0]"),
        agent(here, "carl", "def choose(state): return state.legal[-1]"),
    ];
    for (name, text, _) in hostile {
        agents.push(agent(here, name, text));
    }
    let text = format!(
        "game = \"watch-your-back\"\nformat = \"swiss\"\nrounds = 4\ngames = 2\nseed = 1\nout = \"out\"\n\
         agents = [{}]\n[limits]\ncpu_s = 5.0\ncpu_move_s = 0.3\nmemory_mb = 200\n",
        agents.join(", ")
    );
    std::fs::write(here.join("class.toml"), text).unwrap();
    let child = start(command(here, &["tournament", "class.toml", "--json"]));
    let id = child.id();
    let ran = finish(child);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["is_complete"], true);
    assert_eq!(summary["games"], summary["planned"]);

    // 1. A sensible table: who plays by the rules is before all who do not.
    let names: Vec<&str> = summary["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            summary["agents"][row["agent"].as_u64().unwrap() as usize]["name"].as_str().unwrap()
        })
        .collect();
    println!("{names:?}");
    let is_honest = |name: &&str| ["greedy", "anna", "ben", "carl"].contains(name);
    assert!(names[..4].iter().all(is_honest), "{names:?}");
    let left = summary["standings"].as_array().unwrap().iter();
    let left =
        left.filter(|row| row["reached"].as_str().is_some_and(|text| text.contains("withdrawn")));
    assert!(left.count() > 0, "no one was sent home");

    // 2. Every fault is named, and no one is blamed who did nothing.
    let faults = summary["faults"].as_array().unwrap();
    for (number, name) in ["greedy", "anna", "ben", "carl"].iter().enumerate() {
        assert!(faults.iter().all(|fault| fault["agent"] != number), "{name}: {faults:?}");
    }
    for (place, (name, _, kind)) in hostile.iter().enumerate() {
        let own: Vec<&Value> = faults.iter().filter(|fault| fault["agent"] == place + 4).collect();
        assert!(!own.is_empty(), "{name} was not called out");
        assert!(own.iter().all(|fault| fault["kind"] == *kind), "{name}: {own:?}");
        assert!(own.iter().all(|fault| fault["sentence"].as_str().unwrap().len() > 10), "{own:?}");
    }
    let said = faults.iter().any(|fault| fault["stderr"].as_str().unwrap().contains("oh no"));
    assert!(said, "stderr is kept: {faults:?}");

    // 3. The machine is clean.
    let here = here.to_string_lossy().into_owned();
    let left = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&here))
    });
    assert!(!left, "a process is left");
    let scratch = format!("skirmish-{id}-");
    let left = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let left =
        left.filter(|entry| entry.file_name().to_string_lossy().starts_with(&scratch)).count();
    assert_eq!(left, 0, "scratch folders are left");
}

#[test]
fn programs_that_cannot_be_imported_win_nothing_from_each_other() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    for name in ["anna.py", "ben.py"] {
        std::fs::write(here.join(name), "import no_such_module\n").unwrap();
    }
    let agents = ["python:anna.py", "python:ben.py", "random"];
    let json = |ran: &Ran| -> Value { serde_json::from_str(&ran.stdout).unwrap() };
    let of = |format: &str, game: &str, agents: &[&str]| {
        let out = format!("{format}-{game}-{}", agents.len());
        let words = ["--game", game, "--format", format, "--games", "2", "--json", "--out", &out];
        let words = [&words[..], &["--agents"], agents].concat();
        let summary = json(&played(here, &words));
        let csv = std::fs::read_to_string(here.join(&out).join("standings.csv")).unwrap();
        (summary, csv)
    };

    // 1. Every agent against every other: `random` has won its games, and no one else anything.
    for format in ["round-robin", "swiss"] {
        let (summary, csv) = of(format, "in-trap", &agents);
        for line in csv.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            assert!(cells[1] == "random" || (cells[4], cells[5]) == ("0", "0"), "{csv}");
        }
        assert_eq!(summary["verdict"], "random has won", "{csv}");
    }
    let (summary, _) = of("round-robin", "in-trap", &agents);
    for (row, column) in [(0, 1), (1, 0)] {
        let score = &summary["cross_table"][row][column];
        assert_eq!((&score["wins"], &score["both_forfeited"]), (&0.into(), &2.into()), "{score}");
        assert!(score["elo"].is_null());
    }

    // 2. Neither is crowned.
    let (summary, csv) = of("knockout", "in-trap", &agents[..2]);
    assert!(!csv.contains("champion"), "{csv}");
    assert!(summary["verdict"].as_str().unwrap().contains("no agent has won"), "{csv}");

    // 3. Nor is one of two in the game for many, whatever stands on the board.
    for format in ["round-robin", "free-for-all"] {
        let (summary, csv) = of(format, "game17", &agents[..2]);
        assert!(
            summary["standings"].as_array().unwrap().iter().all(|row| row["wins"] == 0),
            "{csv}"
        );
        assert!(
            summary["standings"].as_array().unwrap().iter().all(|row| row["rank"] == 1),
            "{csv}"
        );
    }
    let (summary, csv) =
        of("free-for-all", "game17", &["python:anna.py", "python:ben.py", "zombie"]);
    let rows = summary["standings"].as_array().unwrap();
    let name = |row: &Value| {
        summary["agents"][row["agent"].as_u64().unwrap() as usize]["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(name(&rows[0]), "zombie", "{csv}");
    assert!(rows[1..].iter().all(|row| row["wins"] == 0), "{csv}");
    assert!(rows[1..].iter().all(|row| row["squares"]["value"] == 0.0), "{csv}");

    // 4. Not in a match either.
    let ran = run(here, &["match", "in-trap", agents[0], agents[1], "--games", "2", "--json"]);
    let found = json(&ran);
    for row in found["agents"].as_array().unwrap() {
        assert_eq!(
            (&row["wins"], &row["losses"], &row["score"]),
            (&0.into(), &2.into(), &0.0.into())
        );
    }
    let pair = &found["pairs"][0];
    assert_eq!((&pair["wins"], &pair["losses"]), (&0.into(), &0.into()), "{pair}");
    assert_eq!((&pair["both_forfeited"], &pair["superiority"]), (&2.into(), &0.5.into()), "{pair}");
}
