//! The referee among agents of all sorts: honest ones, starters, and those that mean harm. Each
//! hostile agent must be contained and named, and the game beside it must not notice.

#![cfg(target_os = "linux")]

mod clock;
mod command_line;
mod mischief;
mod python;
mod walls;

use std::path::{Path, PathBuf};
use std::time::Duration;

use skirmish_play::record::{Event, Record, Termination};
use skirmish_play::referee::{Referee, Refereed};
use skirmish_play::seeding::Seeds;
use skirmish_play::session::{Change, Session, Update};
use skirmish_rules::table::Table;
use skirmish_rules::{Options, Random, Seat, Setup, open};
use skirmish_sandbox::{AgentSpec, FaultKind, FaultPolicy, Launcher, Limits, Sandbox, Settings};
use skirmish_search::{Allowance, Roster, Stop};
use tempfile::TempDir;

fn settings() -> Settings {
    Settings {
        roster: Roster::built_in(),
        limits: Limits { cpu_s: 20.0, cpu_move_s: 10.0, wall_s: 120.0, ..Limits::default() },
        cost: None,
        sandbox: Sandbox::On,
        allowance: Allowance { time: Some(Duration::from_millis(1)), ..Allowance::default() },
        seed: 1,
        python: None,
        python_kind: None,
        readable: Vec::new(),
        folder: None,
        stop: Stop::new(),
        launcher: Launcher::at(assert_cmd::cargo::cargo_bin!("skirmish")),
    }
}

fn table(game: &str, options: &Options) -> Box<dyn Table> {
    let mut random = Random::seeded(1);
    open(game, Setup { options, position: None, random: &mut random }).unwrap()
}

fn referee(agents: &[&str], table: &dyn Table, settings: &Settings) -> Referee {
    let agents: Vec<AgentSpec> = agents.iter().map(|line| line.parse().unwrap()).collect();
    skirmish_sandbox::referee(&agents, table, settings).unwrap()
}

/// Game number `game` of a referee's.
fn next_game(referee: &mut Referee, table: Box<dyn Table>, game: u64) -> Refereed {
    let (mut session, _) = referee.open(table);
    let seeds = Seeds { game, opening: game, ..Seeds::of(1) };
    referee.play(&mut session, seeds, &mut |_, _| {}).unwrap()
}

fn play(game: &str, options: &Options, agents: &[&str], settings: &Settings) -> Refereed {
    let table = table(game, options);
    let mut referee = referee(agents, table.as_ref(), settings);
    let (mut session, begun) = referee.open(table);
    let mut updates = vec![begun];
    let mut keep = |_: &Session, update: &Update| updates.push(update.clone());
    let refereed = referee.play(&mut session, Seeds::of(settings.seed), &mut keep).unwrap();
    // Its updates are the whole game.
    let again = Session::from_updates(&updates).unwrap();
    assert_eq!(again.snapshot(), session.snapshot());
    let table = session.table();
    // Whatever happened, there is a record, it replays, and it reads back.
    let text = serde_json::to_string(&refereed.record).unwrap();
    let read: Record = serde_json::from_str(&text).unwrap();
    assert_eq!(read, refereed.record);
    let replayed = read.replay(usize::MAX).unwrap();
    assert_eq!(replayed.position(), table.position());
    refereed
}

fn duel(agents: &[&str], settings: &Settings) -> Refereed {
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
fn hostile(mischief: &str, change: impl FnOnce(&mut Settings)) -> (FaultKind, String, Refereed) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    std::fs::write(&path, format!("{RAW}\n{mischief}\n")).unwrap();
    let mut settings = settings();
    change(&mut settings);
    let line = format!("cmd:python3 '{}'", path.display());
    let refereed = duel(&[&line, "random"], &settings);
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
fn is(found: &(FaultKind, String, Refereed), kind: FaultKind, words: &str) {
    assert_eq!(found.0, kind, "{}\n{:?}", found.1, found.2.logs);
    assert!(found.1.contains(words), "{}", found.1);
}

/// Writes a module into a folder of its own and referees it as White.
fn module(files: &[(&str, &str)], settings: &Settings) -> Refereed {
    let folder = TempDir::with_prefix("two words ").unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join(files[0].0);
    duel(&[&format!("python:{}", path.display()), "random"], settings)
}

#[test]
fn a_fault_costs_what_the_settings_say() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    let line = format!("python:{}", path.display());
    // Game 17: the turn is lost, the game goes on.
    let options = Options::none().with("size", 3).with("rounds", 3).with("players", vec![0, 1]);
    std::fs::write(&path, "def make_moves(*all): 1 / 0").unwrap();
    let refereed = play("game17", &options, &[&line, "zombie"], &settings());
    let faults = &refereed.record.faults;
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.cost == "turn"));
    assert_eq!(refereed.record.result.unwrap().termination, Termination::Normal);
    // A direction in upper case is no direction in a raw value.
    std::fs::write(&path, "def make_moves(o, r, owners, n): return [((0, 0), 'N', 0)]").unwrap();
    let refereed = play("game17", &options, &[&line, "zombie"], &settings());
    assert!(refereed.record.faults.iter().all(|fault| fault.kind == FaultKind::IllegalMove));
    // Disqualified in a game of many: no more turns, and the worst result.
    let lose = Settings { cost: Some(FaultPolicy::Lose), ..settings() };
    let refereed = play("game17", &options, &[&line, "zombie"], &lose);
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
    let retry = Settings { cost: Some(FaultPolicy::Retry(2)), ..settings() };
    let refereed = duel(&[&line, "random"], &retry);
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
    let retry = Settings { cost: Some(FaultPolicy::Retry(2)), ..settings() };
    let refereed = duel(&[&line, "random"], &retry);
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
    let retry = Settings { cost: Some(FaultPolicy::Retry(2)), ..settings() };
    let refereed = duel(&[&line, "random"], &retry);
    assert_eq!(refereed.record.result.unwrap().termination, Termination::Normal);
    std::fs::write(&path, "def choose(state): return 'nonsense'").unwrap();
    let refereed =
        duel(&[&line, "random"], &Settings { cost: Some(FaultPolicy::Retry(2)), ..settings() });
    let costs: Vec<&str> = refereed.record.faults.iter().map(|fault| fault.cost.as_str()).collect();
    assert_eq!(costs, ["nothing", "nothing", "game"]);
}

/// Runs the binary in a folder with something typed: its exit code, stdout and stderr.
fn skirmish(folder: &Path, arguments: &[&str], typed: &str) -> (i32, String, String) {
    use std::io::Write;
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("skirmish"))
        .args(arguments)
        .current_dir(folder)
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
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
