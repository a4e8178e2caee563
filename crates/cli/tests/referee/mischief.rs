//! Agents that mean harm, each contained and named.

use super::*;

#[test]
fn who_thinks_too_long_is_stopped_by_the_clock_it_cannot_reach() {
    let quick = |settings: &mut Settings| settings.limits.cpu_move_s = 0.2;
    let loops = hostile("while True: pass", quick);
    is(&loops, FaultKind::Timeout, "s of CPU for this turn, 0.2 s are allowed");
    let total = hostile("while True: pass", |settings| {
        (settings.limits.cpu_s, settings.limits.cpu_move_s) = (0.2, 10.0);
    });
    is(&total, FaultKind::Timeout, "s of CPU in this game, 0.2 s are allowed");
    let own_clock = "
time.time = time.process_time = time.perf_counter = time.monotonic = lambda: 0.0
while True: pass";
    is(&hostile(own_clock, quick), FaultKind::Timeout, "of CPU");
    let deaf = "
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)
while True: pass";
    is(&hostile(deaf, quick), FaultKind::Timeout, "of CPU");
    // It also works in the opponent's time, and that counts.
    let ponders = "play(ask)\nwhile True: pass";
    is(&hostile(ponders, quick), FaultKind::Timeout, "of CPU");
}

#[test]
fn who_sleeps_is_stopped_by_the_wall() {
    let short = |settings: &mut Settings| settings.limits.wall_s = 0.5;
    is(&hostile("time.sleep(1e6)", short), FaultKind::Timeout, "within 0.5 s on the wall");
    let half = "sys.stdout.write('{\"type\": \"pl'); sys.stdout.flush(); time.sleep(1e6)";
    is(&hostile(half, short), FaultKind::Timeout, "within 0.5 s on the wall");
}

#[test]
fn who_takes_too_much_memory_is_stopped() {
    let small = |settings: &mut Settings| settings.limits.memory_mb = 64;
    // At once: refused by the system. Little by little: seen by the referee.
    is(&hostile("x = bytearray(10 << 30)\nplay(ask)", small), FaultKind::Memory, "MemoryError");
    let grows = "x = []\nwhile True: x.append(bytearray(1 << 20))";
    is(&hostile(grows, small), FaultKind::Memory, "64 MiB are allowed");
}

#[test]
fn who_starts_processes_cannot() {
    is(&hostile("os.fork()\nplay(ask)", |_| {}), FaultKind::Crash, "PermissionError");
    let bomb = "
while True:
    try: os.fork()
    except OSError as error: break
sys.exit(7)";
    is(&hostile(bomb, |_| {}), FaultKind::Crash, "exit code 7");
    is(
        &hostile("import subprocess\nsubprocess.run(['/bin/true'])", |_| {}),
        FaultKind::Crash,
        "Permission",
    );
}

#[test]
fn who_starts_threads_without_end_is_stopped() {
    let bomb = "
import threading
threading.stack_size(65536)
while True: threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()";
    is(&hostile(bomb, |_| {}), FaultKind::Crash, "threads, 512 are allowed");
    // Also while others think.
    let later = "
import threading
threading.stack_size(65536)
play(ask)
for _ in range(2000): threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
sys.stdin.readline()
play(json.loads(sys.stdin.readline()))";
    is(&hostile(later, |_| {}), FaultKind::Crash, "threads, 512 are allowed");
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
    let refereed = module(&[("it.py", player)], &settings());
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
    is(&found, FaultKind::Timeout, "of CPU for this turn");
    // One after the other, none of them waited for: the system forgets them, we do not.
    let forgotten = "
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(4):
    if os.fork() == 0:
        while time.process_time() < 0.15: pass
        os._exit(0)
    time.sleep(0.3)
time.sleep(1e6)";
    is(&hostile(forgotten, allowed), FaultKind::Timeout, "of CPU for this turn");
    let too_many = "
for _ in range(8):
    if os.fork() == 0: time.sleep(1e6)
time.sleep(1e6)";
    is(&hostile(too_many, allowed), FaultKind::Crash, "processes, 4 are allowed");
    // Without a sandbox nothing keeps it from starting others, but it is seen.
    let free = |settings: &mut Settings| settings.sandbox = Sandbox::Off;
    let hides = "
if os.fork() == 0: time.sleep(1e6)
time.sleep(1e6)";
    is(&hostile(hides, free), FaultKind::Crash, "runs 2 processes, 1 is allowed");
}

#[test]
fn who_reaches_outside_its_folder_touches_nothing() {
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let reads = format!("sys.stderr.write(open('{}').read())", secret.display());
    let found = hostile(&reads, |_| {});
    is(&found, FaultKind::Crash, "PermissionError");
    let writes = format!("open('{}', 'w').write('gone')", secret.display());
    is(&hostile(&writes, |_| {}), FaultKind::Crash, "PermissionError");
    let removes = format!("os.remove('{}')", secret.display());
    is(&hostile(&removes, |_| {}), FaultKind::Crash, "PermissionError");
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
        is(&found, FaultKind::Crash, "PermissionError");
    }
    let after = std::fs::metadata(&secret).unwrap();
    assert_eq!(after.permissions(), before.permissions());
    assert_eq!(after.modified().unwrap(), before.modified().unwrap());
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    is(&hostile("open('it.py', 'a').write('#')", |_| {}), FaultKind::Crash, "PermissionError");
    is(&hostile("os.listdir('/')", |_| {}), FaultKind::Crash, "PermissionError");
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
    // Folders nested deeper than the referee may open files, and one that no one may enter.
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
        is(&hostile(&mischief, |_| {}), FaultKind::Crash, "PermissionError");
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
    is(&hostile(kills, |_| {}), FaultKind::Crash, "exit code 9");
    is(&hostile("os.setsid()", |_| {}), FaultKind::Crash, "PermissionError");
    is(&hostile("os.setuid(os.getuid())", |_| {}), FaultKind::Crash, "PermissionError");
    is(
        &hostile("os.sched_setaffinity(os.getppid(), {0})", |_| {}),
        FaultKind::Crash,
        "PermissionError",
    );
    let by_files = "
import fcntl
ends = os.pipe()
fcntl.fcntl(ends[0], 10, signal.SIGKILL)";
    is(&hostile(by_files, |_| {}), FaultKind::Crash, "PermissionError");
    // Cutting the tie to the referee, and memory that would stay when it is gone.
    let outlives = "
import ctypes
system = ctypes.CDLL(None)
assert system.prctl(1, 0) == -1
assert system.shmget(4711, 4096, 0o1600) == system.semget(4711, 1, 0o1600) == -1
assert system.msgget(4711, 0o1600) == -1
sys.exit(9)";
    is(&hostile(outlives, |_| {}), FaultKind::Crash, "exit code 9");
    is(&hostile("os.memfd_create('x')", |_| {}), FaultKind::Crash, "PermissionError");
}

#[test]
fn who_dies_is_named_with_its_last_words() {
    is(&hostile("sys.exit(3)", |_| {}), FaultKind::Crash, "ended with exit code 3");
    is(&hostile("os.abort()", |_| {}), FaultKind::Crash, "signal 6 (SIGABRT)");
    let found = hostile("1 / 0", |_| {});
    is(
        &found,
        FaultKind::Crash,
        "exit code 1; its last words: ZeroDivisionError: division by zero",
    );
    assert!(found.2.record.faults[0].log_tail.contains("Traceback"));
    let huge = "sys.setrecursionlimit(50000)
def deep(n): raise ValueError('x' * 100000) if n == 0 else deep(n - 1)
deep(900)";
    let found = hostile(huge, |_| {});
    is(&found, FaultKind::Crash, "exit code 1");
    assert!(found.1.len() < 1_000 && found.2.record.faults[0].log_tail.len() < 4_000);
}

#[test]
fn who_breaks_the_protocol_is_told_how() {
    let silent = "os.close(1); sys.stdout = None; time.sleep(1e6)";
    is(&hostile(silent, |_| {}), FaultKind::Protocol, "closed its output");
    is(&hostile("say('hello')", |_| {}), FaultKind::Protocol, "`hello`, which is not JSON");
    is(&hostile("say('[' * 100000)", |_| {}), FaultKind::Protocol, "not a JSON object");
    let deep = "say('{\"type\": ' + '[' * 100000)";
    is(&hostile(deep, |_| {}), FaultKind::Protocol, "no reply");
    let latin = "sys.stdout.buffer.write(b'\\xff\\xfe{}\\n'); sys.stdout.flush(); time.sleep(1e6)";
    is(&hostile(latin, |_| {}), FaultKind::Protocol, "not JSON");
    let other = "ask['ply'] = 6\nplay(ask)";
    is(&hostile(other, |_| {}), FaultKind::Protocol, "answered for ply 6, asked for ply 0");
    let floods = "while True: sys.stdout.write('x' * 65536)";
    is(&hostile(floods, |_| {}), FaultKind::Protocol, "more than 1 MiB");
    let chatters = "while True: sys.stderr.write('x' * 65536)";
    let little = |settings: &mut Settings| settings.limits.output_mb = 8;
    let found = hostile(chatters, little);
    is(&found, FaultKind::Protocol, "more than 8 MiB to its log");
    assert!(found.2.logs[0].1.len() < 2 << 20, "only the ends of a log are kept");
    // Files count as what it writes too, in folders as well.
    let hoards = "
os.mkdir(os.environ['TMPDIR'] + '/deep')
for number in range(10000):
    with open(os.environ['TMPDIR'] + '/deep/%d' % number, 'w') as file: file.write('x' * 65536)
play(ask)
time.sleep(1e6)";
    is(&hostile(hoards, little), FaultKind::Protocol, "more than 8 MiB into its scratch folder");
    // Two answers to one question: the second comes before it is asked.
    let early = "play(ask)\nplay(ask)\nsys.stdin.readline()\nsys.stdin.readline()\ntime.sleep(1e6)";
    let found = hostile(early, |_| {});
    assert_eq!(found.0, FaultKind::Protocol, "{}", found.1);
}

#[test]
fn who_writes_for_the_terminal_does_not_reach_it() {
    let found = hostile("sys.stderr.write('\\x1b[2J\\x1b]0;mine\\x07bye')\nsys.exit(4)", |_| {});
    is(&found, FaultKind::Crash, "exit code 4; its last words: \u{fffd}[2J");
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
    let refereed = duel(&[&format!("cmd:python3 '{}'", path.display()), "random"], &settings());
    let name = &refereed.record.seats[0].name;
    assert!(name.starts_with("\u{fffd}[2Jxxx") && name.chars().count() == 40, "{name}");
}

#[test]
fn who_does_not_start_loses_with_a_reason() {
    let refereed = duel(&["cmd:./no-such-program", "random"], &settings());
    let fault = &refereed.record.faults[0];
    assert_eq!(fault.kind, FaultKind::StartFailure);
    assert!(fault.sentence.contains("no program `./no-such-program`"), "{}", fault.sentence);
    let result = refereed.record.result.unwrap();
    assert_eq!((result.termination, result.payoffs), (Termination::Crash, vec![-1.0, 1.0]));

    let refereed = duel(&["random", "cmd:false"], &settings());
    let fault = &refereed.record.faults[0];
    assert_eq!((fault.kind, fault.seat), (FaultKind::StartFailure, Seat(1)));
    assert!(fault.sentence.contains("exit code 1 before it was ready"), "{}", fault.sentence);
    let both = duel(&["cmd:false", "cmd:false"], &settings());
    assert_eq!(both.record.result.unwrap().payoffs, [-1.0, -1.0]);
}

#[test]
fn a_game_beside_a_hostile_one_does_not_notice() {
    let agent = compiled();
    let alone = duel(&[&agent, &agent], &settings());
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
            games.push(duel(&[&agent, &agent], &settings()));
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
fn every_protection_that_this_kernel_has_is_found_to_hold() {
    let found = Launcher::at(assert_cmd::cargo::cargo_bin!("skirmish")).probe().unwrap();
    assert_eq!(found.len(), 4);
    // Seccomp is in every kernel these tests run on; Landlock may be switched off.
    for protection in &found[1..] {
        assert!(protection.holds, "{}", protection.name);
    }
}
