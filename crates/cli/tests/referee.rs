//! The referee among agents of all sorts: honest ones, starters, and those that mean harm. Each
//! hostile agent must be contained and named, and the game beside it must not notice.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use skirmish_arena::record::{Event, Record, Termination};
use skirmish_arena::referee::{
    Answer, Cost, Happening, Kind, Launcher, Limits, Person, Referee, Refereed, Sandbox, Settings,
    Who,
};
use skirmish_rules::table::Table;
use skirmish_rules::{Options, Random, Seat, Setup, open};
use skirmish_search::{Allowance, Stop};
use tempfile::TempDir;

/// Nobody: a game without people never asks.
struct Nobody;
impl Person for Nobody {
    fn ask(&mut self, _: &dyn Table, _: Seat) -> Answer {
        Answer::Interrupt
    }
}

fn settings() -> Settings {
    Settings {
        limits: Limits { cpu_s: 20.0, cpu_move_s: 10.0, wall_s: 120.0, ..Limits::default() },
        cost: None,
        sandbox: Sandbox::On,
        allowance: Allowance { time: Some(Duration::from_millis(1)), ..Allowance::default() },
        seed: 1,
        python: None,
        python_kind: None,
        readable: Vec::new(),
        stop: Stop::new(),
        launcher: Launcher::at(assert_cmd::cargo::cargo_bin!("skirmish")),
    }
}

fn table(game: &str, options: &Options) -> Box<dyn Table> {
    let mut random = Random::seeded(1);
    open(game, Setup { options, position: None, random: &mut random }).unwrap()
}

fn play(game: &str, options: &Options, agents: &[&str], settings: Settings) -> Refereed {
    let agents = agents.iter().map(|line| line.parse::<Who>().unwrap()).collect();
    let mut table = table(game, options);
    let refereed = Referee::new(agents, settings)
        .play(table.as_mut(), 0, &mut Nobody, &mut |_, _| {})
        .unwrap();
    // Whatever happened, there is a record, it replays, and it reads back.
    let text = serde_json::to_string(&refereed.record).unwrap();
    let read: Record = serde_json::from_str(&text).unwrap();
    assert_eq!(read, refereed.record);
    let replayed = read.replay(usize::MAX).unwrap();
    assert_eq!(replayed.position(), table.position());
    refereed
}

fn duel(agents: &[&str], settings: Settings) -> Refereed {
    play("watch-your-back", &Options::none(), agents, settings)
}

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agents");
    folder.canonicalize().unwrap().join(name).to_string_lossy().into_owned()
}

/// The starter agent in Rust, which cargo builds with the tests when all of them are run.
fn compiled() -> String {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let path: PathBuf = folder.join("examples/agent");
    static BUILT: std::sync::Once = std::sync::Once::new();
    BUILT.call_once(|| {
        if !path.is_file() {
            let arguments = ["build", "-p", "skirmish-cli", "--example", "agent"];
            std::process::Command::new(env!("CARGO")).args(arguments).status().unwrap();
        }
    });
    assert!(path.is_file(), "`cargo build --example agent` makes {}", path.display());
    format!("cmd:{}", path.display())
}

fn assert_clean(refereed: &Refereed) {
    let Refereed { record, .. } = refereed;
    assert_eq!(record.faults, [], "{:?}", record.result);
    assert!(record.result.is_some());
}

/// An agent that speaks the protocol itself, with `{}` where it does its mischief when first asked.
const RAW: &str = "
import json, os, signal, socket, sys, time
def say(text):
    sys.stdout.write(text + '\\n')
    sys.stdout.flush()
sys.stdin.readline()
say('{\"type\": \"ready\", \"name\": \"raw\", \"wants\": [\"legal\"]}')
ask = json.loads(sys.stdin.readline())
def play(ask):
    say(json.dumps({'type': 'play', 'ply': ask['ply'], 'move': ask['legal'][0]}))
";

/// Runs one raw agent as White against `random`, and returns how it was called out.
fn hostile(mischief: &str, change: impl FnOnce(&mut Settings)) -> (Kind, String, Refereed) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    std::fs::write(&path, format!("{RAW}\n{mischief}\n")).unwrap();
    let mut settings = settings();
    change(&mut settings);
    let line = format!("cmd:python3 '{}'", path.display());
    let refereed = duel(&[&line, "random"], settings);
    let fault = refereed.record.faults.first().expect("called out").clone();
    assert_eq!((fault.seat, fault.cost.as_str()), (Seat(0), "game"), "{}", fault.sentence);
    assert!(fault.sentence.starts_with("white ("), "{}", fault.sentence);
    let result = refereed.record.result.as_ref().unwrap();
    assert_eq!(result.payoffs, [-1.0, 1.0]);
    assert_eq!(result.termination, fault.kind.termination());
    assert_eq!(result.sentence, fault.sentence);
    (fault.kind, fault.sentence, refereed)
}

#[track_caller]
fn is(found: &(Kind, String, Refereed), kind: Kind, words: &str) {
    assert_eq!(found.0, kind, "{}\n{:?}", found.1, found.2.logs);
    assert!(found.1.contains(words), "{}", found.1);
}

#[test]
fn who_thinks_too_long_is_stopped_by_the_clock_it_cannot_reach() {
    let quick = |settings: &mut Settings| settings.limits.cpu_move_s = 0.2;
    let loops = hostile("while True: pass", quick);
    is(&loops, Kind::Timeout, "s of CPU for this turn, 0.2 s are allowed");
    let total = hostile("while True: pass", |settings| {
        (settings.limits.cpu_s, settings.limits.cpu_move_s) = (0.2, 10.0);
    });
    is(&total, Kind::Timeout, "s of CPU in this game, 0.2 s are allowed");
    let own_clock = "
time.time = time.process_time = time.perf_counter = time.monotonic = lambda: 0.0
while True: pass";
    is(&hostile(own_clock, quick), Kind::Timeout, "of CPU");
    let deaf = "
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)
while True: pass";
    is(&hostile(deaf, quick), Kind::Timeout, "of CPU");
    // It also works in the opponent's time, and that counts.
    let ponders = "play(ask)\nwhile True: pass";
    is(&hostile(ponders, quick), Kind::Timeout, "of CPU");
}

#[test]
fn who_sleeps_is_stopped_by_the_wall() {
    let short = |settings: &mut Settings| settings.limits.wall_s = 0.5;
    is(&hostile("time.sleep(1e6)", short), Kind::Timeout, "within 0.5 s on the wall");
    let half = "sys.stdout.write('{\"type\": \"pl'); sys.stdout.flush(); time.sleep(1e6)";
    is(&hostile(half, short), Kind::Timeout, "within 0.5 s on the wall");
}

#[test]
fn who_takes_too_much_memory_is_stopped() {
    let small = |settings: &mut Settings| settings.limits.memory_mb = 64;
    // At once: refused by the system. Little by little: seen by the referee.
    is(&hostile("x = bytearray(10 << 30)\nplay(ask)", small), Kind::Memory, "MemoryError");
    let grows = "x = []\nwhile True: x.append(bytearray(1 << 20))";
    is(&hostile(grows, small), Kind::Memory, "64 MiB are allowed");
}

#[test]
fn who_starts_processes_cannot() {
    is(&hostile("os.fork()\nplay(ask)", |_| {}), Kind::Crash, "PermissionError");
    let bomb = "
while True:
    try: os.fork()
    except OSError as error: break
sys.exit(7)";
    is(&hostile(bomb, |_| {}), Kind::Crash, "exit code 7");
    is(
        &hostile("import subprocess\nsubprocess.run(['/bin/true'])", |_| {}),
        Kind::Crash,
        "Permission",
    );
}

#[test]
fn who_starts_threads_without_end_is_stopped() {
    let bomb = "
import threading
threading.stack_size(65536)
while True: threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()";
    is(&hostile(bomb, |_| {}), Kind::Crash, "threads, 512 are allowed");
    // Also while others think.
    let later = "
import threading
threading.stack_size(65536)
play(ask)
for _ in range(2000): threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
sys.stdin.readline()
play(json.loads(sys.stdin.readline()))";
    is(&hostile(later, |_| {}), Kind::Crash, "threads, 512 are allowed");
}

#[test]
fn a_constructor_is_on_the_clock_from_its_first_moment() {
    let player = "
import time
class Player:
    def __init__(self, colour):
        self.begun = time.process_time()
        while time.process_time() - self.begun < 0.2: pass
    def action(self, turns): return (3, 3)
    def update(self, action): raise ValueError
";
    let refereed = module(&[("it.py", player)], settings());
    let Event::Move { cpu_ms: Some(charged), .. } = &refereed.record.events[0] else { panic!() };
    assert!(*charged >= 200.0, "{charged} ms");
}

#[test]
fn where_processes_are_allowed_their_time_counts_and_they_end_with_the_game() {
    let allowed = |settings: &mut Settings| {
        settings.limits.processes = 4;
        settings.limits.cpu_move_s = 0.3;
    };
    let hides = "
if os.fork() == 0:
    while True: pass
time.sleep(1e6)";
    let found = hostile(hides, allowed);
    is(&found, Kind::Timeout, "of CPU for this turn");
    // One after the other, none of them waited for: the system forgets them, we do not.
    let forgotten = "
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(4):
    if os.fork() == 0:
        while time.process_time() < 0.15: pass
        os._exit(0)
    time.sleep(0.3)
time.sleep(1e6)";
    is(&hostile(forgotten, allowed), Kind::Timeout, "of CPU for this turn");
    let too_many = "
for _ in range(8):
    if os.fork() == 0: time.sleep(1e6)
time.sleep(1e6)";
    is(&hostile(too_many, allowed), Kind::Crash, "processes, 4 are allowed");
    // Without a sandbox nothing keeps it from starting others, but it is seen.
    let free = |settings: &mut Settings| settings.sandbox = Sandbox::Off;
    let hides = "
if os.fork() == 0: time.sleep(1e6)
time.sleep(1e6)";
    is(&hostile(hides, free), Kind::Crash, "runs 2 processes, 1 is allowed");
}

#[test]
fn who_reaches_outside_its_folder_touches_nothing() {
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let reads = format!("sys.stderr.write(open('{}').read())", secret.display());
    let found = hostile(&reads, |_| {});
    is(&found, Kind::Crash, "PermissionError");
    let writes = format!("open('{}', 'w').write('gone')", secret.display());
    is(&hostile(&writes, |_| {}), Kind::Crash, "PermissionError");
    let removes = format!("os.remove('{}')", secret.display());
    is(&hostile(&removes, |_| {}), Kind::Crash, "PermissionError");
    let before = std::fs::metadata(&secret).unwrap();
    for change in [
        "os.chmod(it, 0o777)",
        "os.utime(it, (0, 0))",
        "os.chown(it, 1, 1)",
        "os.setxattr(it, 'user.x', b'x')",
        "os.truncate(it, 0)",
        "os.rename(it, it + 'x')",
        "os.fchmod(os.open('/usr/bin/env', os.O_RDONLY), 0o777)",
    ] {
        let changes = format!("it = '{}'\n{change}", secret.display());
        let found = hostile(&changes, |_| {});
        is(&found, Kind::Crash, "PermissionError");
    }
    let after = std::fs::metadata(&secret).unwrap();
    assert_eq!(after.permissions(), before.permissions());
    assert_eq!(after.modified().unwrap(), before.modified().unwrap());
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    is(&hostile("open('it.py', 'a').write('#')", |_| {}), Kind::Crash, "PermissionError");
    is(&hostile("os.listdir('/')", |_| {}), Kind::Crash, "PermissionError");
    // Its scratch folder is its own, and is gone afterwards.
    let scratch = "
path = os.path.join(os.environ['TMPDIR'], 'x')
open(path, 'w').write('fine')
sys.stderr.write(path)
sys.exit(3)";
    let (_, _, refereed) = hostile(scratch, |_| {});
    let path = refereed.logs[0].1.trim().to_owned();
    assert!(path.ends_with("/x") && !Path::new(&path).parent().unwrap().exists(), "{path}");
}

#[test]
fn who_fills_its_scratch_folder_leaves_none_behind() {
    let folder = TempDir::new().unwrap();
    // Folders nested deeper than the referee may open files, and one that nobody may enter.
    let nests = "
os.chdir(os.environ['TMPDIR'])
os.mkdir('locked', 0)
for _ in range(300): os.mkdir('d'); os.chdir('d')
sys.exit(3)";
    std::fs::write(folder.path().join("it.py"), format!("{RAW}\n{nests}\n")).unwrap();
    let line = "ulimit -n 128; exec \"$0\" referee watch-your-back 'cmd:python3 it.py' random -q";
    let child = std::process::Command::new("sh")
        .args(["-c", line])
        .arg(assert_cmd::cargo::cargo_bin!("skirmish"))
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let prefix = format!("skirmish-{}-", child.id());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("ended with exit code 3"), "{told}");
    let left = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(&prefix)), "{left:?}");
}

#[test]
fn who_looks_for_the_network_finds_none() {
    for kind in ["SOCK_STREAM", "SOCK_DGRAM"] {
        let mischief = format!("socket.socket(socket.AF_INET, socket.{kind})\nplay(ask)");
        is(&hostile(&mischief, |_| {}), Kind::Crash, "PermissionError");
    }
}

#[test]
fn who_attacks_others_hits_nobody() {
    let kills = "
for target in (os.getppid(), 1, -1, 0):
    try:
        os.kill(target, signal.SIGKILL)
        sys.exit(0)
    except PermissionError: pass
sys.exit(9)";
    is(&hostile(kills, |_| {}), Kind::Crash, "exit code 9");
    is(&hostile("os.setsid()", |_| {}), Kind::Crash, "PermissionError");
    is(&hostile("os.setuid(os.getuid())", |_| {}), Kind::Crash, "PermissionError");
    is(&hostile("os.sched_setaffinity(os.getppid(), {0})", |_| {}), Kind::Crash, "PermissionError");
    let by_files = "
import fcntl
ends = os.pipe()
fcntl.fcntl(ends[0], 10, signal.SIGKILL)";
    is(&hostile(by_files, |_| {}), Kind::Crash, "PermissionError");
    // Cutting the tie to the referee, and memory that would stay when it is gone.
    let outlives = "
import ctypes
system = ctypes.CDLL(None)
assert system.prctl(1, 0) == -1
assert system.shmget(4711, 4096, 0o1600) == system.semget(4711, 1, 0o1600) == -1
assert system.msgget(4711, 0o1600) == -1
sys.exit(9)";
    is(&hostile(outlives, |_| {}), Kind::Crash, "exit code 9");
    is(&hostile("os.memfd_create('x')", |_| {}), Kind::Crash, "PermissionError");
}

#[test]
fn who_dies_is_named_with_its_last_words() {
    is(&hostile("sys.exit(3)", |_| {}), Kind::Crash, "ended with exit code 3");
    is(&hostile("os.abort()", |_| {}), Kind::Crash, "signal 6 (SIGABRT)");
    let found = hostile("1 / 0", |_| {});
    is(&found, Kind::Crash, "exit code 1; its last words: ZeroDivisionError: division by zero");
    assert!(found.2.record.faults[0].log_tail.contains("Traceback"));
    let huge = "sys.setrecursionlimit(50000)
def deep(n): raise ValueError('x' * 100000) if n == 0 else deep(n - 1)
deep(900)";
    let found = hostile(huge, |_| {});
    is(&found, Kind::Crash, "exit code 1");
    assert!(found.1.len() < 1_000 && found.2.record.faults[0].log_tail.len() < 4_000);
}

#[test]
fn who_breaks_the_protocol_is_told_how() {
    let silent = "os.close(1); sys.stdout = None; time.sleep(1e6)";
    is(&hostile(silent, |_| {}), Kind::Protocol, "closed its output");
    is(&hostile("say('hello')", |_| {}), Kind::Protocol, "`hello`, which is not JSON");
    is(&hostile("say('[' * 100000)", |_| {}), Kind::Protocol, "not a JSON object");
    let deep = "say('{\"type\": ' + '[' * 100000)";
    is(&hostile(deep, |_| {}), Kind::Protocol, "no reply");
    let latin = "sys.stdout.buffer.write(b'\\xff\\xfe{}\\n'); sys.stdout.flush(); time.sleep(1e6)";
    is(&hostile(latin, |_| {}), Kind::Protocol, "not JSON");
    let other = "ask['ply'] = 6\nplay(ask)";
    is(&hostile(other, |_| {}), Kind::Protocol, "answered for ply 6, asked for ply 0");
    let floods = "while True: sys.stdout.write('x' * 65536)";
    is(&hostile(floods, |_| {}), Kind::Protocol, "more than 1 MiB");
    let chatters = "while True: sys.stderr.write('x' * 65536)";
    let little = |settings: &mut Settings| settings.limits.output_mb = 8;
    let found = hostile(chatters, little);
    is(&found, Kind::Protocol, "more than 8 MiB to its log");
    assert!(found.2.logs[0].1.len() < 2 << 20, "only the ends of a log are kept");
    // Files count as what it writes too, in folders as well.
    let hoards = "
os.mkdir(os.environ['TMPDIR'] + '/deep')
for number in range(10000):
    with open(os.environ['TMPDIR'] + '/deep/%d' % number, 'w') as file: file.write('x' * 65536)
play(ask)
time.sleep(1e6)";
    is(&hostile(hoards, little), Kind::Protocol, "more than 8 MiB into its scratch folder");
    // Two answers to one question: the second comes before it is asked.
    let early = "play(ask)\nplay(ask)\nsys.stdin.readline()\nsys.stdin.readline()\ntime.sleep(1e6)";
    let found = hostile(early, |_| {});
    assert_eq!(found.0, Kind::Protocol, "{}", found.1);
}

#[test]
fn who_writes_for_the_terminal_does_not_reach_it() {
    let found = hostile("sys.stderr.write('\\x1b[2J\\x1b]0;mine\\x07bye')\nsys.exit(4)", |_| {});
    is(&found, Kind::Crash, "exit code 4; its last words: \u{fffd}[2J");
    assert!(!found.2.record.faults[0].log_tail.contains('\x1b'));
    // The log itself is kept as it is: it is a file.
    assert!(found.2.logs[0].1.contains('\x1b'));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    let name = "
import sys
sys.stdin.readline()
print('{\"type\": \"ready\", \"name\": \"' + '\\\\u001b[2J' + 'x' * 100000 + '\"}', flush=True)
";
    std::fs::write(&path, name).unwrap();
    let refereed = duel(&[&format!("cmd:python3 '{}'", path.display()), "random"], settings());
    let name = &refereed.record.seats[0].name;
    assert!(name.starts_with("\u{fffd}[2Jxxx") && name.chars().count() == 40, "{name}");
}

#[test]
fn who_does_not_start_loses_with_a_reason() {
    let refereed = duel(&["cmd:./no-such-program", "random"], settings());
    let fault = &refereed.record.faults[0];
    assert_eq!(fault.kind, Kind::StartFailure);
    assert!(fault.sentence.contains("no program `./no-such-program`"), "{}", fault.sentence);
    let result = refereed.record.result.unwrap();
    assert_eq!((result.termination, result.payoffs), (Termination::Crash, vec![-1.0, 1.0]));

    let refereed = duel(&["random", "cmd:false"], settings());
    let fault = &refereed.record.faults[0];
    assert_eq!((fault.kind, fault.seat), (Kind::StartFailure, Seat(1)));
    assert!(fault.sentence.contains("exit code 1 before it was ready"), "{}", fault.sentence);
    let both = duel(&["cmd:false", "cmd:false"], settings());
    assert_eq!(both.record.result.unwrap().payoffs, [-1.0, -1.0]);
}

#[test]
fn a_game_beside_a_hostile_one_does_not_notice() {
    let agent = compiled();
    let alone = duel(&[&agent, &agent], settings());
    assert_clean(&alone);
    let beside = std::thread::scope(|scope| {
        let hostile = scope.spawn(|| {
            for mischief in [
                "x = []\nwhile True: x.append(bytearray(1 << 20))",
                "while True: pass",
                "while True: sys.stderr.write('x' * 65536)",
                "while True: sys.stdout.write('x' * 65536)",
                "while True:\n    try: os.fork()\n    except OSError: time.sleep(1e-6)",
                "for target in range(2, 100000):\n    try: os.kill(target, 9)\n    except OSError: pass",
            ] {
                hostile(mischief, |settings| {
                    settings.limits.memory_mb = 128;
                    settings.limits.cpu_move_s = 0.3;
                });
            }
        });
        let mut games = Vec::new();
        while games.len() < 5 || !hostile.is_finished() {
            games.push(duel(&[&agent, &agent], settings()));
        }
        hostile.join().unwrap();
        games
    });
    for game in beside {
        assert_clean(&game);
        assert_eq!(game.record.result, alone.record.result);
        assert_eq!(game.record.events.len(), alone.record.events.len());
    }
}

#[test]
fn every_starter_agent_plays_a_clean_game() {
    let plain = Options::none();
    let python = |name: &str| format!("python:{}", example(name));
    let node = format!("cmd:node '{}'", example("agent.js"));
    let games = [
        ("watch-your-back", python("native.py")),
        ("watch-your-back", python("random-player.py")),
        ("watch-your-back", python("greedy-player.py")),
        ("watch-your-back", python("minimax-player.py")),
        ("watch-your-back", python("mirror-player.py")),
        ("watch-your-back", compiled()),
        ("in-trap", python("native.py")),
        ("in-trap", python("in_trap_agents.py:RandomAgent")),
        ("in-trap", python("in_trap_agents.py:HeuristicAgent")),
        ("in-trap", python("in_trap_agents.py:NegamaxAgent")),
        ("in-trap", compiled()),
    ];
    for (game, agent) in games {
        for agents in [[agent.as_str(), "random"], ["random", agent.as_str()]] {
            println!("{game} {agents:?}");
            assert_clean(&play(game, &plain, &agents, settings()));
        }
    }
    let small = Options::none().with("size", 5);
    assert_clean(&play("amazons", &small, &[&python("native.py"), &compiled()], settings()));
    let four = Options::none().with("size", 4).with("players", vec![0, 1, 2, 3]);
    let (basic, advanced) = (python("game17_basic.py"), python("game17_advanced.py"));
    let native = python("native.py");
    assert_clean(&play("game17", &four, &[&basic, &advanced, &native, "hunter"], settings()));
    // Not every machine has node.
    if std::process::Command::new("node").arg("--version").output().is_ok() {
        assert_clean(&duel(&[&node, &python("greedy-player.py")], settings()));
    }
}

/// Writes a module into a folder of its own and referees it as White.
fn module(files: &[(&str, &str)], settings: Settings) -> Refereed {
    let folder = TempDir::with_prefix("two words ").unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join(files[0].0);
    duel(&[&format!("python:{}", path.display()), "random"], settings)
}

#[test]
fn old_style_python_players_run_as_they_are() {
    // Prints, helpers by bare name, data files beside the module, `is` on the colour, lists and
    // floats as coordinates, a hyphen in the name, a space in the folder.
    let player = "
import json, os, sys
import helper
class Player:
    def __init__(self, colour):
        self.white = colour is 'white'
        assert self.white
        self.data = json.load(open('data.json'))
        self.turns = []
    def action(self, turns):
        print('a lot ' * 1000)
        sys.stdout.write('{\"type\": \"play\"}\\n')
        os.write(1, b'noise\\n')
        assert turns == 2 * len(self.turns)
        self.turns.append(turns)
        return helper.place(self.data['column'], len(self.turns))
    def update(self, action):
        assert type(action) is tuple and type(action[0]) is int, action
";
    let helper = "
import importlib
def place(column, turns):
    return [float(column), turns - 1]
";
    let files =
        [("old-player.py", player), ("helper.py", helper), ("data.json", "{\"column\": 3}")];
    let refereed = module(&files, settings());
    // Three rows down the column are free for certain to be played or refused by the rules alone.
    let fault = &refereed.record.faults[0];
    assert_eq!(fault.kind, Kind::IllegalMove, "{}\n{}", fault.sentence, refereed.logs[0].1);
    assert!(fault.ply >= 2, "{}", fault.sentence);
    assert!(refereed.logs[0].1.contains("noise"), "prints are kept in the log");
}

#[test]
fn python_players_that_fail_are_named_and_the_reason_is_kept() {
    let cases = [
        ("class Player:\n    def __init__(self, colour): 1 / 0", Kind::Crash, "ZeroDivisionError"),
        (
            "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return 'x'",
            Kind::IllegalMove,
            "returned `'x'`, which is not a turn: a square is `(x, y)`",
        ),
        (
            // The board in place of a square, which somebody's helper returned.
            "class Player:\n    def __init__(self, c): pass\n    def action(self, t): \
             return (3, 3), [['X'] * 8] * 8",
            Kind::IllegalMove,
            "which is not a turn",
        ),
        (
            "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return input()",
            Kind::Crash,
            "EOFError",
        ),
        ("class Player:\n    def __init__(self, c): pass", Kind::Crash, "no attribute 'action'"),
        (
            "import no_such_module",
            Kind::StartFailure,
            "`--python PATH` names a Python that has `no_such_module`",
        ),
        ("def (", Kind::StartFailure, "SyntaxError"),
        ("x = 1", Kind::StartFailure, "holds no `choose(state)` and no `class Player`"),
        ("def choose(state):\n    return bytearray(10 << 30)", Kind::Memory, "MemoryError"),
        ("def choose(state):\n    raise SystemExit(5)", Kind::Crash, "exit code 5"),
        ("def choose(state):\n    return 'pass'", Kind::IllegalMove, "not allowed"),
    ];
    for (text, kind, words) in cases {
        let refereed = module(&[("it.py", text)], settings());
        let fault = &refereed.record.faults[0];
        assert_eq!(fault.kind, kind, "{text}\n{}", fault.sentence);
        assert!(fault.sentence.contains(words), "{text}\n{}", fault.sentence);
    }
}

#[test]
fn a_fault_costs_what_the_settings_say() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    let line = format!("python:{}", path.display());
    // Game 17: the turn is lost, the game goes on.
    let options = Options::none().with("size", 3).with("rounds", 3).with("players", vec![0, 1]);
    std::fs::write(&path, "def make_moves(*all): 1 / 0").unwrap();
    let refereed = play("game17", &options, &[&line, "zombie"], settings());
    let faults = &refereed.record.faults;
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.cost == "turn"));
    assert_eq!(refereed.record.result.unwrap().termination, Termination::Normal);
    // A direction in upper case is no direction in a raw value.
    std::fs::write(&path, "def make_moves(o, r, owners, n): return [((0, 0), 'N', 0)]").unwrap();
    let refereed = play("game17", &options, &[&line, "zombie"], settings());
    assert!(refereed.record.faults.iter().all(|fault| fault.kind == Kind::IllegalMove));
    // Disqualified in a game of many: no more turns, and the worst result.
    let lose = Settings { cost: Some(Cost::Lose), ..settings() };
    let refereed = play("game17", &options, &[&line, "zombie"], lose);
    assert_eq!(refereed.record.faults.len(), 1);
    assert_eq!(refereed.record.result.unwrap().payoffs[0], -1.0);

    // Asked again: the second answer counts.
    let stubborn = "
asked = 0
def choose(state):
    global asked
    asked += 1
    return 'nonsense' if asked % 2 else state.legal[0]
";
    std::fs::write(&path, stubborn).unwrap();
    let retry = Settings { cost: Some(Cost::Retry(2)), ..settings() };
    let refereed = duel(&[&line, "random"], retry);
    assert!(refereed.record.faults.iter().all(|fault| fault.cost == "nothing"));
    assert_eq!(refereed.record.result.unwrap().termination, Termination::Normal);
    // What was refused, or never answered, has not been played.
    let keeps_count = "
asked = 0
class Player:
    def __init__(self, colour): self.turns = -2
    def action(self, turns):
        global asked
        asked += 1
        if asked % 3 == 1: raise ValueError('not today')
        if asked % 3 == 2: return [(0, 0)]
        assert turns == (self.turns + 2) % 24, (turns, self.turns)
        self.turns = turns
        return (1 + turns // 2 % 6, turns // 12)
    def update(self, action): pass
";
    std::fs::write(&path, keeps_count).unwrap();
    let retry = Settings { cost: Some(Cost::Retry(2)), ..settings() };
    let refereed = duel(&[&line, "random"], retry);
    let last = refereed.record.faults.last().unwrap();
    assert!(!last.sentence.contains("AssertionError"), "{}", last.sentence);
    assert!(last.ply > 4, "{}", last.sentence);
    let remembers = "
asked = 0
def choose(state):
    global asked
    asked += 1
    assert len(state.moves) == state.ply, (state.moves, state.ply)
    if asked % 3 == 1: raise ValueError('not today')
    return 'nonsense' if asked % 3 == 2 else state.legal[0]
";
    std::fs::write(&path, remembers).unwrap();
    let retry = Settings { cost: Some(Cost::Retry(2)), ..settings() };
    let refereed = duel(&[&line, "random"], retry);
    assert_eq!(refereed.record.result.unwrap().termination, Termination::Normal);
    std::fs::write(&path, "def choose(state): return 'nonsense'").unwrap();
    let refereed = duel(&[&line, "random"], Settings { cost: Some(Cost::Retry(2)), ..settings() });
    let costs: Vec<&str> = refereed.record.faults.iter().map(|fault| fault.cost.as_str()).collect();
    assert_eq!(costs, ["nothing", "nothing", "game"]);
}

#[test]
fn game17_players_that_lean_on_their_package_run_without_it() {
    let has_numpy = std::process::Command::new("python3").args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        println!("no numpy here: nothing to see");
        return;
    }
    let folder = TempDir::new().unwrap();
    let modules = [
        "
from game17.zombie import make_moves as zombie
def make_moves(owner, rounds_left, owners, numbers):
    moves = zombie(owner, rounds_left, owners, numbers)
    owners[:], numbers[:] = 0, 0
    return moves",
        "
from game17.zombie import make_moves as zombie
def make_moves(owner, owners, numbers):
    return zombie(owner, owners, numbers)",
        "
import numpy as np
from game17 import find_owned_pieces, destination
def get_mover(owner=None, owners=None, numbers=None, turn_order=None, num_rounds=None):
    assert owners.shape == numbers.shape and len(turn_order) == owners.size
    def move(owners, numbers):
        return [(row[:2], 'e', row[2]) for row in find_owned_pieces(owner, owners, numbers)]
    return move",
    ];
    let options = Options::none().with("size", 4).with("players", vec![0, 1, 2]);
    let mut lines = Vec::new();
    for (number, text) in modules.iter().enumerate() {
        let path = folder.path().join(format!("player-{number}.py"));
        std::fs::write(&path, text).unwrap();
        lines.push(format!("python:{}", path.display()));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let python = Some("python3".to_owned());
    assert_clean(&play("game17", &options, &lines, Settings { python, ..settings() }));
}

/// Turns of about a millisecond, with the agent's own reading of its clock in `info`, and `{}` where
/// it does something beside.
const WORKS: &str = "
import json, os, sys, time
said = None
def say(message):
    sys.stdout.write(json.dumps(message) + '\\n')
    sys.stdout.flush()
def work():
    before = time.process_time()
    while time.process_time() - before < 0.001: pass
def clock():
    return time.process_time()
{}
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'start':
        say({'type': 'ready', 'wants': ['legal', 'quiet']})
        said = clock()
    elif message['type'] == 'choose':
        work()
        now = clock()
        used, said = now - said, now
        say({'type': 'play', 'ply': message['ply'], 'move': message['legal'][0],
             'info': {'ms': used * 1000}})
";

/// Plays such an agent with every core busy with something else, twice over. Returns by how many
/// milliseconds each turn was charged wrongly, in order of size, and the game.
fn on_a_busy_machine(beside: &str, settings: Settings) -> (Vec<f64>, Refereed) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("works.py");
    std::fs::write(&path, WORKS.replacen("{}", beside, 1)).unwrap();
    let line = format!("cmd:python3 '{}'", path.display());
    let stop = std::sync::atomic::AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let refereed = std::thread::scope(|scope| {
        for _ in 0..2 * cores {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let refereed = duel(&[&line, "random"], settings);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        refereed
    });
    let mut off = Vec::new();
    for event in &refereed.record.events {
        if let Event::Move { cpu_ms: Some(charged), info: Some(info), .. } = event {
            off.push((charged - info["ms"].as_f64().unwrap()).abs());
        }
    }
    off.sort_by(f64::total_cmp);
    (off, refereed)
}

#[test]
fn an_honest_agent_is_charged_what_it_used_also_on_a_busy_machine() {
    let (off, refereed) = on_a_busy_machine("", settings());
    assert_clean(&refereed);
    assert!(off.len() > 20);
    // What it does between reading its own clock and falling asleep is its time as well, and now and
    // then the system does something on its behalf there.
    let (median, most) = (off[off.len() / 2], off[off.len() * 95 / 100]);
    println!("typically off by {median} ms, 95 % by less than {most} ms");
    assert!(median < 0.1 && most < 0.2, "typically off by {median} ms, 95 % within {most} ms");
}

#[test]
fn an_honest_agent_is_not_lost_to_a_busy_machine() {
    // It has to wait for 30 ms in each turn, as on a machine with much else to do, and is allowed 20
    // of CPU: whoever judged by the wall would stop it in its first turn.
    let waits = "
work_only = work
def work():
    work_only()
    time.sleep(0.03)
";
    let limits = Limits { cpu_move_s: 0.02, wall_s: 600.0, ..settings().limits };
    let (_, refereed) = on_a_busy_machine(waits, Settings { limits, ..settings() });
    assert_clean(&refereed);
    let slow =
        |event: &&Event| matches!(event, Event::Move { time_ms: Some(ms), .. } if *ms > 20.0);
    assert!(refereed.record.events.iter().filter(slow).count() > 20);
}

#[test]
fn helpers_of_an_agent_are_charged_exactly_too() {
    // The work is done by a child, which tells what it has used; its parent only waits.
    let helper = "
ask, tell = os.pipe(), os.pipe()
if os.fork() == 0:
    while os.read(ask[0], 1):
        work()
        os.write(tell[1], ('%020d' % (time.process_time() * 1e9)).encode())
    os._exit(0)
helped = 0.0
def work():
    global helped
    os.write(ask[1], b'x')
    helped = int(os.read(tell[0], 20)) / 1e9
def clock():
    return time.process_time() + helped
";
    let limits = Limits { processes: 2, ..settings().limits };
    let (off, refereed) = on_a_busy_machine(helper, Settings { limits, ..settings() });
    assert_clean(&refereed);
    let (median, most) = (off[off.len() / 2], off[off.len() * 95 / 100]);
    println!("typically off by {median} ms, 95 % by less than {most} ms");
    assert!(off.len() > 20 && median < 0.3, "typically off by {median} ms");
}

#[test]
fn an_agent_that_allows_it_plays_many_games_in_one_process() {
    let agent = compiled();
    let agents = vec![agent.parse().unwrap(), agent.parse().unwrap()];
    let mut referee = Referee::new(agents, settings());
    let mut lengths = Vec::new();
    for game in 0..20 {
        let mut table = table("watch-your-back", &Options::none());
        let refereed = referee.play(table.as_mut(), game, &mut Nobody, &mut |_, _| {}).unwrap();
        assert_clean(&refereed);
        lengths.push(refereed.record.events.len());
    }
    lengths.sort_unstable();
    lengths.dedup();
    assert!(lengths.len() > 5, "every game has a seed of its own");
}

#[test]
fn an_agent_that_leaves_though_it_said_it_would_stay_is_started_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    let leaves = "
import json, sys
def say(message): print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'start': say({'type': 'ready', 'wants': ['legal'], 'reuse': True})
    if message['type'] == 'choose':
        say({'type': 'play', 'ply': message['ply'], 'move': message['legal'][0]})
    if message['type'] == 'end': sys.exit(1)
";
    std::fs::write(&path, leaves).unwrap();
    let line = format!("cmd:python3 '{}'", path.display());
    let agents = vec![line.parse().unwrap(), "random".parse().unwrap()];
    let mut referee = Referee::new(agents, settings());
    for game in 0..3 {
        let mut table = table("watch-your-back", &Options::none());
        let refereed = referee.play(table.as_mut(), game, &mut Nobody, &mut |_, _| {}).unwrap();
        assert_clean(&refereed);
    }
}

#[test]
fn every_protection_that_this_kernel_has_is_found_to_hold() {
    let found = Launcher::at(assert_cmd::cargo::cargo_bin!("skirmish")).probe().unwrap();
    assert_eq!(found.len(), 4);
    // Seccomp is in every kernel these tests run on; Landlock may be switched off.
    for protection in &found[1..] {
        assert!(protection.holds, "{}", protection.name);
    }
}

#[test]
fn the_environment_of_in_trap_agents_knows_the_rules() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    // The host is the main module: its environment is held against the list of legal turns, and
    // a move on it against the position that follows.
    let agent = "
import copy, random
import __main__ as host
REUSE = True
expected = None
def choose(state):
    global expected
    env = host.InTrap(state.position, host.PIECES)
    moves = {}
    for piece in env.pieces[1:]:
        for kind in (1, 2):
            for direction in env.direction_list:
                if env.check_move(kind, piece['id'], direction):
                    text = host.in_trap_text((kind, piece['id'], direction), env)
                    moves[text] = (kind, piece['id'], direction)
    assert sorted(moves) == sorted(state.legal), (sorted(moves), sorted(state.legal))
    if state.moves and expected is not None:
        after = copy.deepcopy(expected)
        theirs = {host.in_trap_text((k, p['id'], d), after): (k, p['id'], d)
                  for p in after.pieces[1:] for k in (1, 2) for d in after.direction_list
                  if after.check_move(k, p['id'], d)}
        assert after.move(*theirs[state.moves[-1]])
        assert repr(after) == repr(env) and after.mana == env.mana, (after, env)
        assert after.n_turns == env.n_turns == len(state.moves) + 1
    # What agents of the original call and read beside.
    assert env.check_move(2, 1, 'nowhere', error_message=True) is False
    assert not copy.deepcopy(env).move(1, 1, 'N', True, True)
    off = [piece['id'] for piece in env.pieces[1:] if piece['position'] == (-1, -1)]
    assert all(isinstance(env.check_capture(2, piece, 'N'), list) for piece in off)
    chosen = random.choice(state.legal)
    expected = copy.deepcopy(env)
    assert expected.move(*moves[chosen])
    return chosen
";
    std::fs::write(&path, agent).unwrap();
    let line = format!("python:{}", path.display());
    for seed in 0..4 {
        println!("seed {seed}");
        let agents = [line.as_str(), "random"];
        assert_clean(&play("in-trap", &Options::none(), &agents, Settings { seed, ..settings() }));
    }
}

#[test]
fn modules_are_found_by_name_and_in_packages() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("team");
    std::fs::create_dir(&package).unwrap();
    std::fs::write(package.join("__init__.py"), "").unwrap();
    std::fs::write(package.join("rules.py"), "def first(legal): return legal[0]").unwrap();
    let relative = "from .rules import first\ndef choose(state): return first(state.legal)";
    std::fs::write(package.join("player.py"), relative).unwrap();
    // By path, with a relative import inside.
    let by_path = format!("python:{}", package.join("player.py").display());
    assert_clean(&duel(&[&by_path, "random"], settings()));
    // A package in a package, which imports itself by its full name and looks up to its parent.
    let inner = package.join("agent");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("__init__.py"), "").unwrap();
    let absolute = "from team.rules import first\nfrom ..rules import first as same\n\
                    def choose(state): return first(state.legal)";
    std::fs::write(inner.join("player.py"), absolute).unwrap();
    let deep = format!("python:{}", inner.join("player.py").display());
    assert_clean(&duel(&[&deep, "random"], settings()));
    // By dotted name from the working folder, and without its ending, as the course does.
    for name in ["python:team.player", "python:team/player"] {
        let ran =
            skirmish(folder.path(), &["referee", "watch-your-back", name, "random", "-q"], "");
        assert!(ran.1.contains("(normal)"), "{name}: {ran:?}");
    }
}

/// Runs the binary in a folder with something typed: its exit code, stdout and stderr.
fn skirmish(folder: &Path, arguments: &[&str], typed: &str) -> (i32, String, String) {
    use std::io::Write;
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("skirmish"))
        .args(arguments)
        .current_dir(folder)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // A run that reads nothing may have ended already.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_person_is_refused_clearly_shown_the_choices_and_heard() {
    let here = Path::new(".");
    let typed = "?\nspawn fl north\nmove sp upwards\nMOVE sp  N\nquit\n";
    let arguments = ["referee", "in-trap", "human", "random", "--ascii"];
    let (code, stdout, _) = skirmish(here, &arguments, typed);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("8 turns: "), "{stdout}");
    assert!(stdout.contains("no: illegal turn `spawn fl north` for player 1"), "{stdout}");
    assert!(stdout.contains("no: ") && stdout.contains("upwards"), "{stdout}");
    assert!(stdout.contains("turn 0: player 1 plays move SP north"), "{stdout}");
    assert!(stdout.contains("turn 1: player 2 plays "), "{stdout}");
    assert!(stdout.ends_with("winner: nobody, the game is not over\n"), "{stdout}");

    let arguments = ["match", "amazons", "human", "greedy", "--size", "4"];
    let (code, stdout, _) = skirmish(here, &arguments, "resign\n");
    assert_eq!(code, 0);
    assert!(stdout.ends_with("winner: black\n"), "{stdout}");
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
    assert!(stdout.contains("turn 0: white plays "), "{stdout}");
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
    assert!(trials[0]["found"].as_str().unwrap().starts_with("illegal-move at ply 0"), "{stdout}");
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
    let agents = vec![format!("cmd:python3 '{}'", path.display()).parse().unwrap()];
    let agents = [agents, vec!["random".parse().unwrap()]].concat();
    let mut table = table("watch-your-back", &Options::none());
    // Somebody presses Ctrl-C after two turns, while the agent sleeps.
    let mut watcher = |_: &dyn Table, what: Happening<'_>| {
        if matches!(what, Happening::Event { event: Event::Move { ply: 1, .. }, .. }) {
            let stop = stop.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                stop.stop();
            });
        }
    };
    let refereed =
        Referee::new(agents, settings).play(table.as_mut(), 0, &mut Nobody, &mut watcher).unwrap();
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
    let refereed = duel(&[&format!("python:{}", path.display()), "random"], settings);
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
        serde_json::from_str::<Record>(&text).ok()
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
    // Nobody can hear this one; what was played until then is there.
    let (_, record, _) = interrupted_by("-KILL");
    assert!(record.result.is_none() && !record.events.is_empty());
    assert_eq!(record.seats.len(), 2);
    assert!(record.replay(usize::MAX).is_ok());
    // Nor is it lost where nobody listens.
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
    for (number, seat) in [(0, 1), (1, 0)] {
        let log = records.join(format!("{number:06}.seat-{seat}.stderr.txt"));
        let log = std::fs::read_to_string(&log).unwrap();
        assert!(log.lines().count() > 1 && log.lines().all(|line| line == "thinking"), "{log}");
        assert!(!records.join(format!("{number:06}.seat-{}.stderr.txt", 1 - seat)).exists());
    }
}

/// What an agent written to the end of a line into a file does in a game.
fn written(game: &str, options: &Options, code: &str, other: &str) -> Refereed {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("agent.py");
    std::fs::write(&path, code).unwrap();
    play(game, options, &[&format!("python:{}", path.display()), other], settings())
}

#[test]
fn what_the_original_tools_look_for_comes_before_our_own_kind() {
    // `choose` is a helper here, and must not be taken for an agent.
    let player = "
import random
def choose(options): return options[0]
class Player:
    def __init__(self, colour): pass
    def action(self, turns): raise RuntimeError('asked as a Player')
    def update(self, action): pass
";
    let refereed = written("watch-your-back", &Options::none(), player, "random");
    let sentence = refereed.record.result.unwrap().sentence;
    assert!(sentence.contains("asked as a Player"), "{sentence}");

    let mut options = Options::none();
    options.set("size", 4);
    options.set("rounds", 2);
    options.set("players", vec![0, 1]);
    let both = "
def make_moves(owner, rounds_left, owners, numbers): raise RuntimeError('the basic one')
def get_mover(owner, owners, numbers, turn_order, num_rounds): raise RuntimeError('the other')
";
    let refereed = written("game17", &options, both, "zombie");
    assert!(refereed.record.faults[0].sentence.contains("the basic one"));
    // The original calls by name, in whatever order the author has them.
    let named = "
def get_mover(num_rounds, turn_order, **board):
    assert num_rounds == 2 and board['owners'].shape == (4, 4) and board['owner'] == 0
    return lambda owners, numbers: []
";
    let refereed = written("game17", &options, named, "zombie");
    assert_eq!(refereed.record.faults, []);
}
