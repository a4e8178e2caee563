//! People at the keyboard, and the files their games are kept in.

use super::*;

/// Runs the binary with something typed, in a folder and a state folder of its own.
fn typed(folder: &TempDir, arguments: &[&str], lines: &str) -> Ran {
    let mut child = command()
        .args(arguments)
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

fn record(folder: &TempDir, name: &str) -> Record {
    let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn moves(record: &Record) -> Vec<String> {
    use skirmish_play::record::Event;
    let text = |event: &Event| match event {
        Event::Move { text, .. } => Some(text.clone()),
        Event::Chance { .. } => None,
    };
    record.events.iter().filter_map(text).collect()
}

#[test]
fn every_game_of_a_match_hears_its_own_lines_and_has_its_own_number() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "match",
        "watch-your-back",
        "human",
        "random",
        "--games",
        "2",
        "--records",
        "games",
        "--opening",
        "2",
        "--seed",
        "3",
    ];
    // All of it is typed before the first question: the second game must not lose its first line.
    let ran = typed(&folder, &arguments, "resign\n? 3\n3,4\nresign\n");
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    let (first, second) =
        (record(&folder, "games/000001.json"), record(&folder, "games/000002.json"));
    assert_eq!(moves(&first).len(), 2, "the opening, then the person resigns");
    assert_eq!(moves(&first), moves(&second)[..2], "a pair has one opening");
    assert!(moves(&second).contains(&"3,4".to_owned()), "{:?}", moves(&second));
    let human = |record: &Record| {
        record.seats.iter().find(|player| player.agent == "human").unwrap().seat.0
    };
    assert_eq!((human(&first), human(&second)), (0, 1), "both colours");
    assert!(ran.stdout.contains("winner: black"), "{}", ran.stdout);
}

#[test]
fn a_game_that_was_left_goes_on_and_is_never_overwritten() {
    let folder = TempDir::new().unwrap();
    let arguments = ["referee", "amazons", "human", "random", "--size", "6", "--record", "g.json"];
    let ran = typed(&folder, &arguments, "b1-b4/e4\nquit\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`skirmish referee --resume g.json` goes on with it"),
        "{}",
        ran.stderr
    );
    let left = record(&folder, "g.json");
    assert_eq!(left.events.len(), 2);

    // The same command again would begin another game: it says so and touches nothing.
    let ran = typed(&folder, &arguments, "quit\n");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("g.json: exists already"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(record(&folder, "g.json"), left);

    let ran = typed(&folder, &["referee", "--resume", "g.json"], "undo\nb1-b3/b1\nquit\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("the game goes on after turn 2"), "{}", ran.stdout);
    assert!(ran.stdout.contains("taken back to turn 0"), "{}", ran.stdout);
    let again = record(&folder, "g.json");
    assert_eq!(moves(&again)[0], "b1-b3/b1");
    assert_eq!((again.events.len(), &again.seats), (2, &left.seats));

    let forced = [&arguments[..], &["--force"]].concat();
    assert_eq!(typed(&folder, &forced, "quit\n").code, 0);
    assert_eq!(record(&folder, "g.json").events.len(), 0);
}

#[test]
fn a_game_without_a_file_of_its_own_is_kept_until_it_is_over() {
    let folder = TempDir::new().unwrap();
    let games = folder.path().join("state/skirmish/games");
    let ran = typed(&folder, &["referee", "watch-your-back", "human", "random"], "3,3\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let kept: Vec<PathBuf> =
        std::fs::read_dir(&games).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1);
    let path = kept[0].to_str().unwrap().to_owned();
    assert!(ran.stderr.contains(&path), "{}", ran.stderr);
    let ran = typed(&folder, &["referee", "--resume", &path], "resign\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("winner: black"), "{}", ran.stdout);
    // What is over is not gone on with.
    let ran = typed(&folder, &["referee", "--resume", &path], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the game is over: white has resigned"), "{}", ran.stderr);
    // A game between engines leaves nothing behind once it is over.
    let ran = typed(&folder, &["referee", "watch-your-back", "random", "random", "-q"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(&games).unwrap().count(), 1);
}

#[test]
#[cfg(unix)]
fn a_game_that_is_killed_goes_on_where_it_was() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("g.json");
    let mut child = command()
        .args(["referee", "watch-your-back", "human", "random", "--record", "g.json", "--quiet"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"3,3\n").unwrap();
    // Both turns are on disk while the person is asked again.
    let turns = || {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.lines().filter(|line| line.contains("\"move\"")).count()
    };
    while turns() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(stdin);
    let ran = typed(&folder, &["referee", "--resume", "g.json"], "resign\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let record = record(&folder, "g.json");
    assert_eq!((moves(&record).len(), moves(&record)[0].as_str()), (2, "3,3"));
    assert_eq!(record.result.unwrap().sentence, "white has resigned");
}

#[test]
fn json_is_the_only_thing_on_stdout_also_with_a_person() {
    let folder = TempDir::new().unwrap();
    let ran = typed(&folder, &["referee", "amazons", "human", "random", "--json"], "resign\n");
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{}", ran.stdout);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(record["result"]["termination"], "resigned");
    assert!(ran.stderr.contains("white> "), "the person is asked on stderr: {}", ran.stderr);
}

#[test]
fn a_person_of_game17_sees_what_the_zombies_have_done() {
    let folder = TempDir::new().unwrap();
    let arguments = ["referee", "game17", "human", "--size", "4", "--rounds", "3", "--seed", "2"];
    let ran = typed(&folder, &arguments, "-\n-\n-\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // The board before each question is the one the question is about: `show` draws the same.
    let games = folder.path().join("state/skirmish/games");
    let path = std::fs::read_dir(&games).unwrap().next().unwrap().unwrap().path();
    let record: Record = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let look = skirmish_rules::draw::Look::default();
    let mut walk = record.walk().unwrap();
    let mut asked = 0;
    loop {
        if walk.table().turn() == skirmish_rules::Turn::Player(record.seats[0].seat) {
            let board = skirmish_rules::draw::draw(&walk.table().view(), look);
            let rows: Vec<&str> = board.lines().skip(1).take(4).collect();
            assert!(ran.stdout.contains(&rows.join("\n")), "{board}\n{}", ran.stdout);
            asked += 1;
        }
        if walk.step().unwrap().is_none() {
            break;
        }
    }
    assert_eq!(asked, 3);
}

#[test]
fn waiting_times_and_limits_are_numbers_that_make_sense() {
    for wrong in
        [["-d", "nan"], ["-d", "-1"], ["--delay", "inf"], ["--cpu", "nan"], ["--wall", "0"]]
    {
        let arguments = ["referee", "amazons", "random", "random"];
        let ran = run(&[&arguments[..], &wrong].concat());
        assert_eq!(ran.code, 2, "{wrong:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(wrong[1]), "{}", ran.stderr);
    }
    let ran = printed(&[
        "referee", "amazons", "random", "random", "-q", "--size", "5", "--time", "1s", "--cpu",
        "1.5m",
    ]);
    assert!(ran.contains("winner: "), "{ran}");
}

#[test]
fn records_of_a_match_are_never_overwritten_unasked() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "match",
        "amazons",
        "random",
        "greedy",
        "--size",
        "4",
        "--games",
        "4",
        "--records",
        "games",
    ];
    let ran = typed(&folder, &arguments, "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let before = record(&folder, "games/000004.json");
    let other = [&arguments[..], &["--seed", "9"]].concat();
    let ran = typed(&folder, &other, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("000001.json: exists already"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`--force`"), "{}", ran.stderr);
    assert_eq!(record(&folder, "games/000004.json"), before);
    let ran = typed(&folder, &[&other[..], &["--force"]].concat(), "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_ne!(record(&folder, "games/000004.json"), before);
}

#[test]
fn a_journal_that_was_cut_before_the_start_goes_on() {
    let folder = TempDir::new().unwrap();
    let arguments = ["referee", "amazons", "random", "greedy", "--size", "4", "--record", "g.json"];
    // The journal of a game, cut where its players were seated and the game not begun.
    let journal = |seats: usize| {
        let begun = "{\"update\":0,\"type\":\"begun\",\"format\":1,\"game\":\"amazons\",\
                     \"options\":{\"size\":\"4x4\"},\"start\":\"1q1q/4/4/Q1Q1 w\",\
                     \"terms\":{\"seed\":0,\"policy\":\"lose\"}}\n"
            .to_owned();
        ["random", "greedy"].iter().take(seats).enumerate().fold(begun, |text, (seat, name)| {
            let number = seat + 1;
            text + &format!(
                "{{\"update\":{number},\"type\":\"seated\",\"player\":{{\"seat\":{seat},\
                 \"agent\":\"{name}\",\"name\":\"{name}\"}},\"grants_take_back\":true}}\n"
            )
        })
    };
    for seats in 0..=2 {
        file(&folder, "g.json", journal(seats));
        let resume = ["referee", "amazons", "random", "greedy", "--resume", "g.json", "-q"];
        let ran = typed(&folder, &resume, "");
        assert_eq!(ran.code, 0, "{seats}: {}\n{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("winner: "), "{}", ran.stdout);
    }
    let ran = typed(&folder, &[&arguments[..], &["--force"]].concat(), "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn a_refused_resume_leaves_the_file_as_it_was() {
    let folder = TempDir::new().unwrap();
    let arguments = ["referee", "amazons", "human", "random", "--size", "6", "--record", "g.json"];
    assert_eq!(typed(&folder, &arguments, "b1-b4/e4\nquit\n").code, 0);
    let before = std::fs::read_to_string(folder.path().join("g.json")).unwrap();
    for (wrong, words) in [
        (&["in-trap"][..], "holds a game of `amazons`, not of `in-trap`"),
        (&["amazons", "--size", "8"], "holds a game with another `size`"),
        (&["amazons", "greedy"], "1 agent for the 2 players"),
        (&["amazons", "greedy", "bogus"], "unknown agent"),
    ] {
        let ran = typed(&folder, &[&["referee", "--resume", "g.json"], wrong].concat(), "");
        assert_eq!(ran.code, 2, "{wrong:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{wrong:?}: {}", ran.stderr);
        let after = std::fs::read_to_string(folder.path().join("g.json")).unwrap();
        assert_eq!(after, before, "{wrong:?}");
    }
    // A link stays a link, and the game behind it goes on.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("g.json", folder.path().join("link.json")).unwrap();
        assert_eq!(typed(&folder, &["referee", "--resume", "link.json"], "resign\n").code, 0);
        assert!(folder.path().join("link.json").is_symlink());
        assert_eq!(record(&folder, "g.json").result.unwrap().sentence, "white has resigned");
    }
}

#[test]
fn a_line_that_is_not_text_is_refused_and_the_next_one_is_heard() {
    let folder = TempDir::new().unwrap();
    let arguments = ["referee", "amazons", "human", "greedy", "--size", "6", "--record", "g.json"];
    let mut child = command()
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"\xfc\nb1-b4/e4\nquit\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(moves(&record(&folder, "g.json"))[0], "b1-b4/e4");
}
