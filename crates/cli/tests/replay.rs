//! `skirmish replay` and `skirmish export` as people run them, on a terminal and without one.

mod common;

use std::path::PathBuf;

use common::{said, skirmish};

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
        let (start, _) = said(skirmish(&games).args(["replay", &file, "--ply", "0"]), 0);
        assert!(start.contains("ply 0: the start"), "{start}");
        let (text, _) = said(skirmish(&games).args(["export", &file, "--text"]), 0);
        assert_eq!(text, all, "the same words");
    }
    let (_, error) = said(skirmish(&games).args(["replay", "amazons.json", "--ply", "9999"]), 2);
    assert!(error.contains("no ply 9999") && error.contains("hint:"), "{error}");
    let (_, error) = said(skirmish(&games).args(["replay", "nothing.json"]), 2);
    assert!(error.contains("nothing.json: cannot read"), "{error}");
}

#[test]
fn pictures_are_written_where_they_are_wanted() {
    let (_folder, games) = games();
    let (svg, _) =
        said(skirmish(&games).args(["export", "in-trap.json", "--svg", "--ply", "9"]), 0);
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

/// A real terminal: the screen comes up, takes keys, and leaves everything as it was.
#[cfg(unix)]
#[test]
fn the_screen_works_on_a_terminal() {
    use std::io::{Read, Write};
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
        .args(["replay", "amazons.json", "--ply", "3"])
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
