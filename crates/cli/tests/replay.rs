//! `skirmish replay` and `skirmish export` as people run them, on a terminal and without one.

mod common;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use common::{said, skirmish};
use serde_json::{Value, json};
use skirmish_play::record::Record;
use skirmish_play::session::{Session, Terms};

/// A folder with a random game of each.
fn games() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    said(skirmish(folder.path()).args(["demo", "--seed", "5", "--records", "games"]), 0);
    let games = folder.path().join("games");
    (folder, games)
}

#[test]
fn a_game_is_told_where_there_is_no_terminal() {
    let (_folder, games) = games();
    for game in ["watch-your-back", "game17", "in-trap", "amazons"] {
        let file = format!("{game}.json");
        let (last, _) = said(skirmish(&games).args(["replay", &file]), 0);
        let (all, _) = said(skirmish(&games).args(["replay", &file, "--all"]), 0);
        assert!(all.ends_with(last.split_once("\n\n").unwrap().1), "{last}");
        let (start, _) = said(skirmish(&games).args(["replay", &file, "--turn", "0"]), 0);
        assert!(start.contains("turn 0: the start"), "{start}");
        let (text, _) = said(skirmish(&games).args(["export", &file, "--text"]), 0);
        assert_eq!(text, all, "the same words");
    }
    let (_, error) = said(skirmish(&games).args(["replay", "amazons.json", "--turn", "9999"]), 2);
    assert!(error.contains("no turn 9999") && error.contains("hint: the game has"), "{error}");
    let (_, error) = said(skirmish(&games).args(["replay", "amazons.json", "--ply", "9999"]), 2);
    assert!(error.contains("no ply 9999") && error.contains("hint:"), "{error}");
    let (_, error) = said(skirmish(&games).args(["replay", "nothing.json"]), 2);
    assert!(error.contains("nothing.json: cannot read"), "{error}");
}

#[test]
fn pictures_are_written_where_they_are_wanted() {
    let (_folder, games) = games();
    let (svg, _) =
        said(skirmish(&games).args(["export", "in-trap.json", "--svg", "--turn", "9"]), 0);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    said(skirmish(&games).args(["export", "in-trap.json", "-o", "page.svg"]), 0);
    let page = std::fs::read_to_string(games.join("page.svg")).unwrap();
    assert!(page.matches("<g transform").count() > 10, "a page has many boards");
    let make = ["export", "amazons.json", "--every", "9", "--delay", "50", "-o", "moving.gif"];
    let (_, told) = said(skirmish(&games).args(make), 0);
    let bytes = std::fs::read(games.join("moving.gif")).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
    let mut delays = Vec::new();
    while let Some(frame) = decoder.next_frame_info().unwrap() {
        delays.push(frame.delay);
    }
    assert!(told.contains(&format!("{} pictures", delays.len())), "{told}");
    assert!(delays.len() > 5 && delays[..delays.len() - 1].iter().all(|delay| *delay == 5));
    for (wrong, message) in [
        (vec!["export", "amazons.json"], "no format was chosen"),
        (vec!["export", "amazons.json", "-o", "game.png"], "`.png` is not supported"),
        (vec!["export", "amazons.json", "--svg", "--gif"], "cannot be used with"),
        (vec!["export", "amazons.json", "-o", "no/such/folder.svg"], "cannot write"),
    ] {
        let (_, error) = said(skirmish(&games).args(wrong), 2);
        assert!(error.contains(message), "{error}");
    }
}

/// The Nth turn of a record, as text.
fn turn_of(record: &Value, turn: usize) -> String {
    let events = record["events"].as_array().unwrap();
    let moves: Vec<&Value> = events.iter().filter_map(|event| event.get("move")).collect();
    moves[turn - 1].as_str().unwrap().to_owned()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_turn_has_one_number_everywhere() {
    let (_folder, games) = games();
    for game in ["watch-your-back", "in-trap", "amazons"] {
        let file = format!("{game}.json");
        let played = turn_of(&read(&games.join(&file)), 7);
        let seven = "turn 7: ".to_owned();
        for show in [&["replay"][..], &["export", "--text"]] {
            let (shown, _) = said(skirmish(&games).args(show).args([&file, "--turn", "7"]), 0);
            let line = shown.lines().find(|line| line.starts_with(&seven)).expect(&shown);
            assert!(line.ends_with(&format!(": {played}")), "{line}: {played}");
        }
        let (picture, _) =
            said(skirmish(&games).args(["export", "--svg", &file, "--turn", "7"]), 0);
        assert!(picture.contains(">turn 7<"), "{picture}");
        let agent = ["--agent", "alphabeta:depth=1"];
        let (one, _) =
            said(skirmish(&games).args(["analyse", &file, "--turn", "7"]).args(agent), 0);
        let first = one.lines().next().unwrap();
        assert!(first.starts_with("before turn 7, in which "), "{first}");
        assert!(first.ends_with(&format!("played {played}")), "{first}");
        let (all, _) = said(skirmish(&games).args(["analyse", &file, "--json"]).args(agent), 0);
        let all: Value = serde_json::from_str(&all).unwrap();
        let turn = &all["turns"][6];
        assert_eq!((&turn["turn"], &turn["ply"]), (&json!(7), &json!(6)));
        assert_eq!(turn["move"].as_str(), Some(&played[..]));
    }
    // The tosses of Game 17 are no turns.
    let record = read(&games.join("game17.json"));
    let events = record["events"].as_array().unwrap();
    let toss = events.iter().position(|event| event.get("chance").is_some()).expect("a toss");
    let turn = 1 + events[..toss].iter().filter(|event| event.get("move").is_some()).count();
    let number = turn.to_string();
    let (shown, _) = said(skirmish(&games).args(["replay", "game17.json", "--turn", &number]), 0);
    let place = format!("turn {turn}: ");
    let line = shown.lines().find(|line| line.starts_with(&place)).expect(&shown);
    let played = turn_of(&record, turn);
    assert!(line.ends_with(&played) || line.ends_with("orders"), "{line}: {played}");
}

#[test]
fn a_folder_is_listed_and_opened() {
    let (_folder, games) = games();
    std::fs::write(games.join("notes.json"), "{\"not\": \"a game\"}").unwrap();
    std::fs::write(games.join("cut.json"), "{\"events\": 5}").unwrap();
    let (list, notes) = said(skirmish(&games).args(["replay", "."]), 0);
    let rows: Vec<&str> = list.lines().collect();
    assert_eq!(rows.len(), 5, "{list}");
    for (row, name) in rows[1..].iter().zip(["amazons", "game17", "in-trap", "watch-your-back"]) {
        assert!(row.contains(&format!("{name}.json")), "{row}");
    }
    assert!(notes.contains("passed over: ./cut.json: not a record"), "{notes}");
    assert!(!notes.contains("notes.json"), "{notes}");
    let (json, _) = said(skirmish(&games).args(["replay", ".", "--json"]), 0);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json[2]["number"], &json[2]["file"]), (&json!(3), &json!("in-trap.json")));
    let (plain, _) = said(skirmish(&games).args(["replay", "in-trap.json"]), 0);
    for name in ["3", "in-trap", "in-trap.json"] {
        let (shown, _) = said(skirmish(&games).args(["replay", ".", "--game", name]), 0);
        assert_eq!(shown, plain, "{name}");
    }
    let (_, error) = said(skirmish(&games).args(["replay", ".", "--game", "chess"]), 2);
    assert!(error.contains("no game `chess`") && error.contains("hint:"), "{error}");

    // Games that have numbers keep them: those of a match by their names, of a tournament by its own.
    let own = games.join("own");
    std::fs::create_dir(&own).unwrap();
    std::fs::copy(games.join("amazons.json"), own.join("000012.json")).unwrap();
    std::fs::copy(games.join("in-trap.json"), own.join("000007.json")).unwrap();
    let (json, _) = said(skirmish(&games).args(["replay", "own", "--json"]), 0);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json[0]["number"], &json[1]["number"]), (&json!(7), &json!(12)));
    let (shown, _) = said(skirmish(&games).args(["replay", "own", "--game", "7"]), 0);
    assert_eq!(shown, plain);
    std::fs::create_dir(games.join("empty")).unwrap();
    let (_, error) = said(skirmish(&games).args(["replay", "empty"]), 2);
    assert!(error.contains("no games") && error.contains("hint:"), "{error}");
}

#[test]
fn every_reader_takes_a_journal_and_a_packed_file_and_no_device() {
    let (_folder, games) = games();
    let play = ["match", "in-trap", "greedy", "random", "--nodes", "20", "--games", "1"];
    said(skirmish(&games).args(play).args(["--opening", "0", "--records", "kept"]), 0);
    let text = std::fs::read_to_string(games.join("kept/000001.json")).unwrap();
    let record: Record = serde_json::from_str(&text).unwrap();
    let (_, updates) = Session::from_record(&record, &Terms::plain()).unwrap();
    let lines: Vec<String> =
        updates.iter().map(|update| serde_json::to_string(update).unwrap()).collect();
    // A kill leaves half a line behind.
    let journal = format!("{}\n{{\"update\":", lines.join("\n"));
    std::fs::write(games.join("game.journal"), &journal).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(journal.as_bytes()).unwrap();
    std::fs::write(games.join("game.journal.gz"), packed.finish().unwrap()).unwrap();

    let readers = [
        &["replay", "--all"][..],
        &["export", "--text"],
        &["analyse", "--agent", "alphabeta:depth=1"],
        &["verify"],
    ];
    for reader in readers {
        let answer = |file: &str| {
            let (told, _) = said(skirmish(&games).args(reader).arg(file), 0);
            told.replace(file, "FILE").replace("not finished", "FINISHED?")
        };
        let journal = answer("game.journal");
        assert_eq!(journal, answer("game.journal.gz"), "{reader:?}");
        if reader[0] == "verify" {
            let positions = 1 + record.events.len();
            let all = format!("{positions} positions, 0 mismatches");
            assert!(journal.contains(&all) && journal.contains("1 game"), "{journal}");
        }
        let turns = format!("turn {}", record.turns());
        assert!(reader[0] == "verify" || journal.contains(&turns) || reader[0] == "analyse");
        #[cfg(unix)]
        {
            let (_, error) = said(skirmish(&games).args(reader).arg("/dev/zero"), 2);
            assert!(error.contains("/dev/zero: is a device"), "{reader:?}: {error}");
        }
        let (_, error) = said(skirmish(&games).args(reader).arg("./nothing.json"), 2);
        assert!(error.contains("nothing.json: cannot "), "{reader:?}: {error}");
    }
    #[cfg(unix)]
    {
        let old = ["analyse", "in-trap", "--record", "/dev/zero"];
        let (_, error) = said(skirmish(&games).args(old), 2);
        assert!(error.contains("is a device"), "{error}");
    }
}

#[test]
fn what_players_thought_is_shown_and_believed_in_nothing() {
    let (_folder, games) = games();
    let mut record = read(&games.join("amazons.json"));
    record["events"][4]["info"] =
        json!({"value": 0.314, "visits": 1204, "pv": ["a1\u{1b}[2J\u{202e}", "b1"], "depth": []});
    record["events"][5]["info"] = json!({"value": "high", "pv": 7});
    std::fs::write(games.join("thought.json"), record.to_string()).unwrap();
    let show =
        |turn: &str| said(skirmish(&games).args(["replay", "thought.json", "--turn", turn]), 0).0;
    assert!(show("5").ends_with("thought: +0.31, 1,204 visits, best line a1[2J; b1\n"));
    assert!(!show("6").contains("thought"));
    let judge = ["analyse", "thought.json", "--agent", "alphabeta:depth=1"];
    let (all, _) = said(skirmish(&games).args(judge).arg("--json"), 0);
    let all: Value = serde_json::from_str(&all).unwrap();
    let own = all["turns"][4]["own_value"].as_f64().unwrap();
    assert!((own - 0.314).abs() < 1e-6, "the fifth turn is the first player's: {own}");
    assert!(all["turns"][5].get("own_value").is_none());
    let (told, _) = said(skirmish(&games).args(judge), 0);
    assert!(told.contains("own") && told.contains("+0.31"), "{told}");
}

/// A real terminal: the screen comes up, takes keys, and leaves everything as it was.
#[cfg(unix)]
#[test]
fn the_screen_works_on_a_terminal() {
    use std::io::Read;
    use std::process::Stdio;
    use std::sync::mpsc;

    let (_folder, games) = games();
    let size = nix::pty::Winsize { ws_row: 30, ws_col: 110, ws_xpixel: 0, ws_ypixel: 0 };
    let nix::pty::OpenptyResult { master, slave } = nix::pty::openpty(&size, None).unwrap();
    let before = nix::sys::termios::tcgetattr(&slave).unwrap().local_flags;
    let end = || Stdio::from(slave.try_clone().unwrap());
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("skirmish"))
        .current_dir(&games)
        .env("TERM", "xterm-256color")
        .args(["replay", "amazons.json", "--turn", "3"])
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap();

    // Everything it draws, as it comes, read the way a terminal does.
    let mut reader = std::fs::File::from(master.try_clone().unwrap());
    let (sender, drawn) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4_096];
        while let Ok(count) = reader.read(&mut bytes) {
            if count == 0 || sender.send(bytes[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut terminal = vt100::Parser::new(30, 110, 0);
    // A program that never shows these words ends the test.
    let mut until = |words: &str| {
        while !terminal.screen().contents().contains(words) {
            match drawn.recv_timeout(std::time::Duration::from_secs(120)) {
                Ok(bytes) => terminal.process(&bytes),
                Err(_) => panic!("never saw {words:?} in\n{}", terminal.screen().contents()),
            }
        }
        terminal.screen().alternate_screen()
    };
    let mut keys = std::fs::File::from(master);
    assert!(until("turn 3 of"), "it has a screen of its own");
    keys.write_all(b"g20\r").unwrap();
    until("turn 20 of");
    keys.write_all(b"?").unwrap();
    until("any key");
    keys.write_all(b"x\x1b[D").unwrap();
    until("turn 19 of");
    keys.write_all(b"q").unwrap();
    assert!(child.wait().unwrap().success());
    let after = nix::sys::termios::tcgetattr(&slave).unwrap();
    assert_eq!(after.local_flags, before, "the terminal is as it was");
}
