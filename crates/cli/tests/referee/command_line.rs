//! The commands as people run them: what is printed, kept and refused.

use super::*;

#[test]
fn a_person_is_refused_clearly_shown_the_choices_and_heard() {
    let here = Path::new(".");
    let typed = "?\nspawn fl north\nmove sp upwards\nMOVE sp  N\nquit\n";
    let arguments = ["referee", "in-trap", "human", "random", "--ascii"];
    let (code, stdout, _) = skirmish(here, &arguments, typed);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("8 turns: "), "{stdout}");
    assert!(stdout.contains("not played: illegal turn `spawn fl north` for player 1"), "{stdout}");
    assert!(stdout.contains("not played: ") && stdout.contains("upwards"), "{stdout}");
    assert!(stdout.contains("turn 1: player 1 plays move SP north"), "{stdout}");
    assert!(stdout.contains("turn 2: player 2 plays "), "{stdout}");
    assert!(stdout.ends_with("winner: none, the game is not over\n"), "{stdout}");

    let arguments = ["match", "amazons", "human", "greedy", "--size", "4"];
    let (code, stdout, _) = skirmish(here, &arguments, "resign\n");
    assert_eq!(code, 0);
    assert!(stdout.ends_with("winner: black\n"), "{stdout}");
}

#[test]
fn a_program_that_was_renamed_is_still_its_own_launcher() {
    let folder = TempDir::new().unwrap();
    let renamed = folder.path().join("arena-0.1");
    std::fs::copy(assert_cmd::cargo::cargo_bin!("skirmish"), &renamed).unwrap();
    let agent = format!("python:{}", example("random-player.py"));
    let commands: [&[&str]; 2] = [
        &["referee", "watch-your-back", &agent, "random"],
        &["tournament", "--game", "watch-your-back", "--games", "2", "--agents", &agent, "random"],
    ];
    for arguments in commands {
        let mut command = std::process::Command::new(&renamed);
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        assert!(!told.contains("fault"), "{arguments:?}: {told}");
    }
}

#[test]
fn the_referee_tells_the_game_and_keeps_it_with_the_logs() {
    let folder = TempDir::new().unwrap();
    let agent = format!("python:{}", example("greedy-player.py"));
    let found = settings().launcher.probe().unwrap();
    let complete = found.iter().all(|protection| protection.holds);
    let arguments = [
        "referee",
        "watch-your-back",
        &agent,
        "random",
        "-t",
        "120",
        "-s",
        "100",
        "-d",
        "0",
        "--sandbox",
        if complete { "strict" } else { "on" },
        "--record",
        "game.json",
        "--ascii",
    ];
    let (code, stdout, stderr) = skirmish(folder.path(), &arguments, "");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("sandbox: protected: "), "{stderr}");
    assert!(stdout.contains("turn 1: white plays "), "{stdout}");
    assert!(stdout.contains("clock: white used "), "{stdout}");
    assert!(stdout.lines().last().unwrap().starts_with("winner: "), "{stdout}");
    let text = std::fs::read_to_string(folder.path().join("game.json")).unwrap();
    let record: Record = serde_json::from_str(&text).unwrap();
    assert_eq!(record.limits.unwrap().memory_mb, 100);
    assert_eq!(record.seats[0].name, "greedy-player");
    let log = std::fs::read_to_string(folder.path().join("game.seat-0.stderr.txt")).unwrap();
    assert!(log.contains("after 0 turns I play"), "{log}");
}

#[test]
fn a_check_says_what_is_wrong_and_exits_with_it() {
    let folder = TempDir::new().unwrap();
    let good = format!("python:{}", example("native.py"));
    let arguments = ["check", "in-trap", &good, "--games", "1"];
    let (code, stdout, _) = skirmish(folder.path(), &arguments, "");
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.ends_with("ready to play\n"), "{stdout}");
    std::fs::write(folder.path().join("bad.py"), "def choose(state): return 'e2e4'").unwrap();
    let arguments = ["check", "in-trap", "python:bad.py", "--games", "1", "--json"];
    let (code, stdout, _) = skirmish(folder.path(), &arguments, "");
    assert_eq!(code, 1, "{stdout}");
    let trials: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(trials[0]["outcome"], "failed");
    assert!(trials[0]["found"].as_str().unwrap().starts_with("illegal-move at turn 1"), "{stdout}");
}

#[test]
fn a_check_tells_equal_failures_once_with_the_position_and_the_command() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("bad.py"), "def choose(state): return 'e2e4'").unwrap();
    let loud = "import sys\nfor line in sys.stdin: print('hello', flush=True)\n";
    std::fs::write(folder.path().join("loud.py"), loud).unwrap();
    let check = |agent: &str| {
        let arguments = ["check", "in-trap", agent, "--games", "2", "--memory", "300"];
        let (code, stdout, _) = skirmish(folder.path(), &arguments, "");
        assert_eq!(code, 1, "{stdout}");
        stdout
    };
    let stdout = check("python:bad.py");
    assert_eq!(stdout.matches(" failed like this: ").count(), 1, "{stdout}");
    assert_eq!(stdout.matches("  advice: ").count(), 1, "{stdout}");
    assert!(stdout.contains("`state.legal`"), "{stdout}");
    assert!(stdout.contains("  in: game 1 as player 1; game 2 as player 1; "), "{stdout}");
    let start = "....,SP2,./....../....../....../....../.,SP1,.... 1 4,5 0";
    assert!(stdout.contains(&format!("  position: {start}\n")), "{stdout}");
    let command = stdout.lines().find_map(|line| line.strip_prefix("  reproduce: ")).unwrap();
    assert_eq!(command, "skirmish referee in-trap python:bad.py random --seed 0 --memory 300");
    // The command does what it says.
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let (code, stdout, _) = skirmish(folder.path(), &words, "");
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("cannot read the turn `e2e4`"), "{stdout}");

    // A program hears nothing of Python.
    let stdout = check("cmd:python3 loud.py");
    assert!(stdout.contains("one JSON object a line"), "{stdout}");
    assert!(!stdout.contains("Python") && !stdout.contains("state."), "{stdout}");
    assert!(
        stdout.contains("reproduce: skirmish referee in-trap 'cmd:python3 loud.py' "),
        "{stdout}"
    );
}

#[test]
fn an_agent_that_is_not_there_is_an_error_before_anything_is_played() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("mine.py"), "def choose(state): return state.legal[0]")
        .unwrap();
    let class = "class tournament:\n    pass\n";
    std::fs::write(folder.path().join("other.py"), class).unwrap();
    std::fs::write(
        folder.path().join("class.toml"),
        "game = \"in-trap\"\n[[agents]]\nspec = \"random\"\n[[agents]]\nspec = \"python:none.py\"\n",
    )
    .unwrap();
    for (agent, missing) in [
        ("python:none.py", "there is no file `none.py`"),
        ("python:none.module", "no module of that name"),
        ("cmd:./none --fast", "there is no program `./none`"),
        ("python:mine.py:Nobody", "holds no `Nobody`"),
        ("python:other.py", "holds no `choose(state)`"),
    ] {
        for command in [
            &["match", "in-trap", agent, "random", "--games", "2"][..],
            &["match", "in-trap", "random", agent, "--games", "2"],
            &["referee", "in-trap", "random", agent],
            &["check", "in-trap", agent],
            &["tournament", "--game", "in-trap", "--agents", "random", agent, "--out", "class"],
        ] {
            let (code, stdout, stderr) = skirmish(folder.path(), command, "");
            assert_eq!(code, 2, "{command:?}\n{stdout}{stderr}");
            assert!(stderr.contains(missing) && stderr.contains("hint: "), "{command:?}: {stderr}");
            assert_eq!(stdout, "", "{command:?}");
        }
    }
    let (code, _, stderr) = skirmish(folder.path(), &["match", "in-trap", "mine.py", "random"], "");
    assert_eq!(code, 2);
    assert!(stderr.contains("hint: did you mean `python:mine.py`?"), "{stderr}");
    let (code, _, stderr) =
        skirmish(folder.path(), &["game17", "rank", "cmd:./none", "hunter", "results"], "");
    assert_eq!(code, 2);
    assert!(stderr.contains("there is no program `./none`"), "{stderr}");
    // An agent that is there and crashes has lost its games; that is no error of ours.
    std::fs::write(folder.path().join("crash.py"), "1 / 0").unwrap();
    let arguments = ["match", "in-trap", "python:crash.py", "random", "--games", "2"];
    assert_eq!(skirmish(folder.path(), &arguments, "").0, 0);
}

/// Whether a process runs that has this text in its command line, and is no launcher any more.
fn is_running(text: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(text)
            && line.starts_with('/')
            && !line.contains("__jail")
            && !line.contains("referee\0")
    })
}

#[test]
fn an_interrupted_game_leaves_its_record() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    std::fs::write(&path, format!("{RAW}\nplay(ask)\ntime.sleep(1e6)\n")).unwrap();
    let settings = settings();
    let stop = settings.stop.clone();
    let line = format!("cmd:python3 '{}'", path.display());
    let table = table("watch-your-back", &Options::none());
    let mut referee = referee(&[&line, "random"], table.as_ref(), &settings);
    // Ctrl-C is pressed after two turns, while the agent sleeps.
    let mut watcher = |_: &Session, update: &Update| {
        if matches!(update.what, Change::Event(Event::Move { ply: 1, .. })) {
            let stop = stop.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                stop.stop();
            });
        }
    };
    let (mut session, _) = referee.open(table);
    let refereed = referee.play(&mut session, Seeds::of(1), &mut watcher).unwrap();
    let record = refereed.record;
    assert_eq!((record.events.len(), record.faults.len()), (2, 0));
    let result = record.result.unwrap();
    assert_eq!((result.termination, result.payoffs), (Termination::Interrupted, vec![0.0, 0.0]));
}

#[test]
fn a_game_interrupted_while_its_agents_start_is_nobodys_fault() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("slow.py");
    std::fs::write(&path, "import time\ntime.sleep(1e6)").unwrap();
    let settings = settings();
    let stop = settings.stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stop.stop();
    });
    let refereed = duel(&[&format!("python:{}", path.display()), "random"], &settings);
    assert_clean(&refereed);
    assert_eq!(refereed.record.result.unwrap().termination, Termination::Interrupted);
}

/// Starts the binary on a game in which the agent sleeps in its second turn, waits until the first is
/// on disk, sends the signal, and returns the exit code and the record that is left.
fn interrupted_by(signal: &str) -> (Option<i32>, Record, TempDir) {
    let folder = TempDir::new().unwrap();
    let agent = "
import time
def choose(state):
    if state.ply > 0: time.sleep(1e6)
    print('I shall fall asleep')
    return state.legal[0]
";
    std::fs::write(folder.path().join("it.py"), agent).unwrap();
    let arguments =
        ["referee", "watch-your-back", "python:it.py", "random", "--record", "game.json"];
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("skirmish"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let read = || {
        let text = std::fs::read_to_string(folder.path().join("game.json")).unwrap_or_default();
        // While the game goes on its journal is in the file; then its record.
        match skirmish_play::journal::record_of(&text) {
            Some(journal) => journal.ok(),
            None => serde_json::from_str::<Record>(&text).ok(),
        }
    };
    // Long enough for any machine.
    for _ in 0..6_000 {
        if read().is_some_and(|record| !record.events.is_empty()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let code = child.wait().unwrap().code();
    (code, read().expect("there is a record"), folder)
}

#[test]
fn a_record_is_left_whatever_ends_the_referee() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let (code, record, folder) = interrupted_by(signal);
        assert_eq!(code, Some(0), "{signal}");
        let result = record.result.clone().unwrap();
        assert_eq!(result.termination, Termination::Interrupted, "{signal}");
        assert!(!record.events.is_empty() && record.faults.is_empty(), "{signal}: {record:?}");
        assert!(record.replay(usize::MAX).is_ok());
        let log = std::fs::read_to_string(folder.path().join("game.seat-0.stderr.txt")).unwrap();
        assert!(log.contains("asleep"), "{signal}: {log}");
    }
    // No one can hear this one; what was played until then is there.
    let (_, record, _) = interrupted_by("-KILL");
    assert!(record.result.is_none() && !record.events.is_empty());
    assert_eq!(record.seats.len(), 2);
    assert!(record.replay(usize::MAX).is_ok());
    // Nor is it lost where no one listens.
    let folder = TempDir::new().unwrap();
    let arguments = ["referee", "in-trap", "random", "random", "--record", "game.json"];
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("skirmish"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait().unwrap();
    let text = std::fs::read_to_string(folder.path().join("game.json")).unwrap();
    let record: Record = serde_json::from_str(&text).unwrap();
    assert_eq!(record.result.unwrap().termination, Termination::Normal);
}

#[test]
fn a_record_that_cannot_be_written_is_told_before_the_game() {
    let arguments = ["referee", "in-trap", "random", "random", "--record", "no/such/folder/x.json"];
    let (code, stdout, stderr) = skirmish(Path::new("."), &arguments, "");
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("no/such/folder/x.json: cannot write"), "{stderr}");
}

#[test]
fn a_quiet_game_still_tells_of_faults() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("it.py"), "def make_moves(*all): 1 / 0").unwrap();
    let arguments = ["referee", "game17", "python:it.py", "zombie", "--size", "3", "-q"];
    let (code, stdout, _) = skirmish(folder.path(), &arguments, "");
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.starts_with("fault: owner 0 (it) failed: ZeroDivisionError"), "{stdout}");
}

#[test]
fn agents_end_when_their_referee_is_killed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sleeper.py");
    std::fs::write(&path, "import time\nwhile True: time.sleep(1000)").unwrap();
    let path = path.to_string_lossy().into_owned();
    let mut referee = std::process::Command::new(assert_cmd::cargo::cargo_bin!("skirmish"))
        .args(["referee", "watch-your-back", &format!("cmd:python3 {path}"), "random", "-q"])
        .env("XDG_STATE_HOME", folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let wait_until = |wanted: bool| {
        // Long enough for any machine; usually a few milliseconds.
        for _ in 0..6_000 {
            if is_running(&path) == wanted {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    };
    assert!(wait_until(true), "the agent runs");
    referee.kill().unwrap();
    referee.wait().unwrap();
    assert!(wait_until(false), "and ends with its referee");
}

#[test]
fn a_match_keeps_what_agents_wrote_to_stderr_beside_the_record() {
    let folder = TempDir::new().unwrap();
    let agent = folder.path().join("chatty.py");
    let code = "import sys\ndef choose(state):\n    print('thinking', file=sys.stderr)\n    return state.legal[0]\n";
    std::fs::write(&agent, code).unwrap();
    let records = folder.path().join("records");
    assert_cmd::cargo::cargo_bin_cmd!("skirmish")
        .args(["match", "in-trap", "random"])
        .arg(format!("python:{}", agent.display()))
        .args(["--games", "2", "--seed", "1", "--records"])
        .arg(&records)
        .assert()
        .success();
    for (number, seat) in [(1, 1), (2, 0)] {
        let log = records.join(format!("{number:06}.seat-{seat}.stderr.txt"));
        let log = std::fs::read_to_string(&log).unwrap();
        assert!(log.lines().count() > 1 && log.lines().all(|line| line == "thinking"), "{log}");
        assert!(!records.join(format!("{number:06}.seat-{}.stderr.txt", 1 - seat)).exists());
    }
}
