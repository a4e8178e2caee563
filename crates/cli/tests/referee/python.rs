//! Starter agents, and Python agents as their authors wrote them.

use super::*;

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
            assert_clean(&play(game, &plain, &agents, &settings()));
        }
    }
    let small = Options::none().with("size", 5);
    assert_clean(&play("amazons", &small, &[&python("native.py"), &compiled()], &settings()));
    let four = Options::none().with("size", 4).with("players", vec![0, 1, 2, 3]);
    let (basic, advanced) = (python("game17_basic.py"), python("game17_advanced.py"));
    let native = python("native.py");
    assert_clean(&play("game17", &four, &[&basic, &advanced, &native, "hunter"], &settings()));
    // Not every machine has node.
    if std::process::Command::new("node").arg("--version").output().is_ok() {
        assert_clean(&duel(&[&node, &python("greedy-player.py")], &settings()));
    }
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
    let refereed = module(&files, &settings());
    // Three rows down the column are free for certain to be played or refused by the rules alone.
    let fault = &refereed.record.faults[0];
    assert_eq!(fault.kind, FaultKind::IllegalMove, "{}\n{}", fault.sentence, refereed.logs[0].1);
    assert!(fault.ply >= 2, "{}", fault.sentence);
    assert!(refereed.logs[0].1.contains("noise"), "prints are kept in the log");
}

#[test]
fn python_players_that_fail_are_named_and_the_reason_is_kept() {
    let cases = [
        (
            "class Player:\n    def __init__(self, colour): 1 / 0",
            FaultKind::Crash,
            "ZeroDivisionError",
        ),
        (
            "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return 'x'",
            FaultKind::IllegalMove,
            "returned `'x'`, which is not a turn: a square is `(x, y)`",
        ),
        (
            // The board in place of a square, which someone's helper returned.
            "class Player:\n    def __init__(self, c): pass\n    def action(self, t): \
             return (3, 3), [['X'] * 8] * 8",
            FaultKind::IllegalMove,
            "which is not a turn",
        ),
        (
            "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return input()",
            FaultKind::Crash,
            "EOFError",
        ),
        (
            "class Player:\n    def __init__(self, c): pass",
            FaultKind::Crash,
            "no attribute 'action'",
        ),
        (
            "import no_such_module",
            FaultKind::StartFailure,
            "`--python PATH` names a Python that has `no_such_module`",
        ),
        ("def (", FaultKind::StartFailure, "SyntaxError"),
        ("x = 1", FaultKind::StartFailure, "holds no `choose(state)` and no `class Player`"),
        ("def choose(state):\n    return bytearray(10 << 30)", FaultKind::Memory, "MemoryError"),
        ("def choose(state):\n    raise SystemExit(5)", FaultKind::Crash, "exit code 5"),
        ("def choose(state):\n    return 'pass'", FaultKind::IllegalMove, "not allowed"),
    ];
    for (text, kind, words) in cases {
        let refereed = module(&[("it.py", text)], &settings());
        let fault = &refereed.record.faults[0];
        assert_eq!(fault.kind, kind, "{text}\n{}", fault.sentence);
        assert!(fault.sentence.contains(words), "{text}\n{}", fault.sentence);
    }
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
    assert_clean(&play("game17", &options, &lines, &Settings { python, ..settings() }));
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
        assert_clean(&play("in-trap", &Options::none(), &agents, &Settings { seed, ..settings() }));
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
    assert_clean(&duel(&[&by_path, "random"], &settings()));
    // A package in a package, which imports itself by its full name and looks up to its parent.
    let inner = package.join("agent");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("__init__.py"), "").unwrap();
    let absolute = "from team.rules import first\nfrom ..rules import first as same\n\
                    def choose(state): return first(state.legal)";
    std::fs::write(inner.join("player.py"), absolute).unwrap();
    let deep = format!("python:{}", inner.join("player.py").display());
    assert_clean(&duel(&[&deep, "random"], &settings()));
    // By dotted name from the working folder, and without its ending, as the course does.
    for name in ["python:team.player", "python:team/player"] {
        let ran =
            skirmish(folder.path(), &["referee", "watch-your-back", name, "random", "-q"], "");
        assert!(ran.1.contains("(normal)"), "{name}: {ran:?}");
    }
}

/// What an agent written to the end of a line into a file does in a game.
fn written(game: &str, options: &Options, code: &str, other: &str) -> Refereed {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("agent.py");
    std::fs::write(&path, code).unwrap();
    play(game, options, &[&format!("python:{}", path.display()), other], &settings())
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
