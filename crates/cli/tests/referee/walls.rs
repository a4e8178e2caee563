//! Nothing of an agent runs outside the sandbox: not while its interpreter is looked for, not while
//! the host for Python agents starts, not in a dry run.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// A folder of agents, and beside it the mark that code of theirs leaves where it runs outside.
struct Trap {
    _around: TempDir,
    folder: PathBuf,
    mark: PathBuf,
}

impl Trap {
    fn new() -> Trap {
        let around = TempDir::new().unwrap();
        let path = around.path().canonicalize().unwrap();
        let (folder, mark) = (path.join("agents"), path.join("ran-outside"));
        std::fs::create_dir(&folder).unwrap();
        Trap { _around: around, folder, mark }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Python that leaves the mark where it can, and then fails.
    fn python(&self) -> String {
        let mark = self.mark.display();
        format!(
            "try: open('{mark}', 'w').close()\nexcept OSError: pass\nraise RuntimeError('mine')\n"
        )
    }

    /// A program that leaves the mark, and answers like a Python.
    fn program(&self, name: &str) {
        let mark = self.mark.display();
        let answer =
            r#"{"executable": "/bin/true", "version": [3, 12], "folders": [], "user_base": null}"#;
        self.write(name, &format!("#!/bin/sh\n: > '{mark}'\necho '{answer}'\n"));
        self.executable(name);
    }

    fn executable(&self, name: &str) {
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.folder.join(name), mode).unwrap();
    }

    /// A virtual environment around the system's Python, with code that runs when it starts.
    fn environment(&self, name: &str) {
        let python = system_python();
        let (major, minor) = (3, python.1);
        self.write(&format!("{name}/bin/activate"), "");
        symlink(&python.0, self.folder.join(name).join("bin/python")).unwrap();
        let home = python.0.parent().unwrap().display();
        self.write(&format!("{name}/pyvenv.cfg"), &format!("home = {home}\n"));
        let packages = format!("{name}/lib/python{major}.{minor}/site-packages");
        self.write(&format!("{packages}/sitecustomize.py"), &self.python());
        let mark = self.mark.display();
        self.write(&format!("{packages}/a.pth"), &format!("import os; open('{mark}', 'w')\n"));
    }

    /// Runs our program in the agents' folder, with these variables on top.
    fn skirmish(&self, arguments: &[&str], variables: &[(&str, String)]) -> (i32, String) {
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("skirmish"))
            .args(arguments)
            .current_dir(&self.folder)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(!self.mark.exists(), "{arguments:?} {variables:?} ran it outside\n{told}");
        (output.status.code().unwrap(), told)
    }
}

/// The Python the tests run with, and its minor version.
fn system_python() -> (PathBuf, u32) {
    let question = "import os, sys; print(os.path.realpath(sys.executable), sys.version_info[1])";
    let output = std::process::Command::new("python3").args(["-c", question]).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let (path, minor) = told.trim().rsplit_once(' ').unwrap();
    (path.into(), minor.parse().unwrap())
}

/// Modules that Python, our question to it or the host might import.
const SHADOWS: &[&str] = &[
    "json",
    "os",
    "site",
    "sys",
    "random",
    "copy",
    "typing",
    "numpy",
    "re",
    "inspect",
    "operator",
    "traceback",
    "linecache",
    "tokenize",
    "types",
    "importlib",
    "encodings",
    "codecs",
    "io",
    "abc",
    "enum",
    "collections",
    "functools",
    "secrets",
    "threading",
    "sitecustomize",
    "usercustomize",
    "string",
    "hashlib",
    "bisect",
    "math",
    "warnings",
    "contextlib",
    "dis",
    "ast",
    "token",
];

const PLAYER: &str = "def choose(state):\n    return state.legal[0]\n";
const MOVER: &str = "def make_moves(owner, rounds_left, owners, numbers):\n    return []\n";

#[test]
fn modules_named_like_those_of_the_library_neither_run_outside_nor_break_the_host() {
    let trap = Trap::new();
    for name in SHADOWS {
        let as_package = ["encodings", "collections", "json"].contains(name);
        let file = if as_package { format!("{name}/__init__.py") } else { format!("{name}.py") };
        trap.write(&file, &trap.python());
    }
    trap.write("it.py", PLAYER);
    trap.write("mover.py", MOVER);
    trap.write(
        "class.toml",
        "game = \"in-trap\"\nformat = \"round-robin\"\ngames = 2\n\
         agents = [\"random\", \"python:it.py\"]\n",
    );
    let here = trap.folder.display().to_string();
    let commands: [&[&str]; 6] = [
        &["check", "in-trap", "python:it.py", "--games", "1"],
        &["referee", "in-trap", "python:it.py", "random", "-q"],
        &["referee", "in-trap", "cmd:python3 ../agents/it.py", "random", "-q"],
        &["match", "in-trap", "python:it.py", "random", "--games", "2"],
        &["tournament", "class.toml", "--dry-run"],
        &["tournament", "class.toml", "--quiet"],
    ];
    for arguments in commands {
        for path in ["".to_owned(), ".".to_owned(), format!(":{here}")] {
            let (_, told) = trap.skirmish(arguments, &[("PYTHONPATH", path.clone())]);
            let is_hosted = !arguments.iter().any(|word| word.starts_with("cmd:"));
            assert!(!is_hosted || !told.contains("mine"), "{arguments:?} {path:?}\n{told}");
            assert!(!is_hosted || !told.contains("not start"), "{arguments:?} {path:?}\n{told}");
            let _ = std::fs::remove_dir_all(trap.folder.join("class"));
        }
    }
    let out = trap.folder.join("out").display().to_string();
    let rank = ["game17", "rank", "mover.py", "hunter", "--out", &out, "--size", "3"];
    let (_, told) = trap.skirmish(&rank, &[]);
    assert!(!told.contains("mine"), "{told}");
}

#[test]
fn a_student_whose_own_modules_have_names_of_the_library_plays_with_them() {
    // Its own, as where Python runs in its folder; what the host has loaded already is the library's.
    let colorsys = ("colorsys.py", "def rank(turns): return sorted(turns)[0]\n");
    let player = "import colorsys\ndef choose(state): return colorsys.rank(state.legal)\n";
    assert_clean(&module(&[("it.py", player), colorsys], &settings()));
    // The agent itself may be called like a module that it needs.
    for name in ["random.py", "json.py", "copy.py", "typing.py", "inspect.py"] {
        let player = "import random\ndef choose(state): return random.choice(state.legal)\n";
        assert_clean(&module(&[(name, player)], &settings()));
    }
    let stub = ("numpy.py", "number = 1\n");
    let player = "import numpy\ndef choose(state): return state.legal[0]\n";
    assert_clean(&module(&[("it.py", player), stub], &settings()));
}

#[test]
fn programs_of_an_agent_are_not_asked_which_python_they_are() {
    let trap = Trap::new();
    trap.write("agent.py", PLAYER);
    trap.program("python3");
    trap.program("python");
    trap.program("tools/python3");
    trap.program("other");
    symlink(trap.folder.join("other"), trap.folder.join("python3.12")).unwrap();
    symlink("/bin/sh", trap.folder.join("python3.11")).unwrap();
    let here = trap.folder.display().to_string();
    let lines = [
        format!("#!{here}/python3"),
        format!("#!{here}/python3.12"),
        format!("#!/usr/../{here}/python3"),
        "#!./python3".to_owned(),
        "#!python3".to_owned(),
        "#!tools/python3".to_owned(),
        format!("#!{here}/env python3"),
        format!("#!/usr/bin/env {here}/python3"),
        "#!/usr/bin/env ./python3".to_owned(),
        "#!/usr/bin/env python3".to_owned(),
        format!("#!/usr/bin/env -S {here}/python3 -u"),
        format!("#! {here}/tools/python3 -u"),
        "#!/usr/bin/env python3.12".to_owned(),
    ];
    trap.program("env");
    let usual = std::env::var("PATH").unwrap();
    let paths = [usual.clone(), format!(":.:{here}:{usual}")];
    for line in &lines {
        trap.write("script", &format!("{line}\nprint()\n"));
        trap.executable("script");
        for path in &paths {
            let path = [("PATH", path.clone())];
            trap.skirmish(&["referee", "in-trap", "cmd:./script", "random", "-q"], &path);
        }
    }
    let dry = ["tournament", "--game", "in-trap", "--dry-run", "--agents", "random"];
    let named = [
        "cmd:./python3 agent.py",
        "cmd:./python3.12 agent.py",
        "cmd:./tools/python3 agent.py",
        "cmd:python3 agent.py",
        "cmd:./script",
        "python:agent.py",
    ];
    for line in named {
        for path in &paths {
            let path = [("PATH", path.clone())];
            trap.skirmish(&[&dry[..], &[line]].concat(), &path);
            trap.skirmish(&["check", "in-trap", line, "--games", "1"], &path);
        }
    }
}

#[test]
fn an_environment_in_the_agents_folder_runs_inside_only() {
    let trap = Trap::new();
    trap.environment("venv");
    trap.write("src/agent.py", PLAYER);
    trap.write("agent.py", PLAYER);
    let venv = trap.folder.join("venv").display().to_string();
    let path = format!("{venv}/bin:{}", std::env::var("PATH").unwrap());
    let (venv, path) = ([("VIRTUAL_ENV", venv)], [("PATH", path)]);
    for agent in ["python:agent.py", "python:src/agent.py"] {
        let named = ["--python", "venv/bin/python"];
        let check = ["check", "in-trap", agent, "--games", "1"];
        trap.skirmish(&[&check[..], &named].concat(), &[]);
        trap.skirmish(&check, &venv);
        trap.skirmish(&check, &path);
    }
    let line = "cmd:venv/bin/python agent.py";
    trap.skirmish(&["referee", "in-trap", line, "random", "-q"], &[]);
    // And it does run there: without the two traps, the agent plays.
    for name in ["sitecustomize.py", "a.pth"] {
        let packages = format!("venv/lib/python3.{}/site-packages", system_python().1);
        std::fs::remove_file(trap.folder.join(packages).join(name)).unwrap();
    }
    let check = ["check", "in-trap", "python:agent.py", "--games", "1"];
    let (code, told) = trap.skirmish(&check, &venv);
    assert_eq!(code, 0, "{told}");
}

#[test]
fn a_link_among_the_temporary_files_has_nothing_removed() {
    let around = TempDir::new().unwrap();
    let (temporary, victim) = (around.path().join("tmp"), around.path().join("victim"));
    std::fs::create_dir_all(victim.join("inner")).unwrap();
    std::fs::create_dir(&temporary).unwrap();
    std::fs::write(victim.join("inner/thesis"), "").unwrap();
    std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o750)).unwrap();
    // The number of a process there never is.
    for letters in ["x", "aaaaaa", "aaaaaaaaaaaa"] {
        symlink(&victim, temporary.join(format!("skirmish-999999999-{letters}"))).unwrap();
    }
    let trap = Trap::new();
    trap.write("it.py", PLAYER);
    let variables = [("TMPDIR", temporary.display().to_string())];
    let (code, told) =
        trap.skirmish(&["referee", "in-trap", "python:it.py", "random", "-q"], &variables);
    assert_eq!(code, 0, "{told}");
    assert!(victim.join("inner/thesis").exists());
    assert_eq!(victim.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 3, "only the links are left");
}

#[test]
fn the_next_referee_sweeps_what_a_killed_one_has_left_and_spares_who_is_at_work() {
    let around = TempDir::new().unwrap();
    let folders = || -> Vec<PathBuf> {
        let left = std::fs::read_dir(around.path()).unwrap().flatten();
        left.map(|entry| entry.path()).filter(|path| path.join("agent").is_dir()).collect()
    };
    let trap = Trap::new();
    trap.write("it.py", PLAYER);
    trap.write("sleeper.py", "import time\ntime.sleep(1e6)\n");
    let sleeper = |temporary: &Path| {
        std::process::Command::new(assert_cmd::cargo::cargo_bin!("skirmish"))
            .args(["referee", "in-trap", "cmd:python3 sleeper.py", "random", "-q"])
            .current_dir(&trap.folder)
            .env("TMPDIR", temporary)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let wait_for = |number: usize| {
        while folders().len() != number {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let mut killed = sleeper(around.path());
    wait_for(1);
    let left = folders();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(left[0].exists());
    let mut at_work = sleeper(around.path());
    while left[0].exists() || folders().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let variables = [("TMPDIR", around.path().display().to_string())];
    let (code, told) =
        trap.skirmish(&["referee", "in-trap", "python:it.py", "random", "-q"], &variables);
    assert_eq!((code, folders().len()), (0, 1), "{told}");
    at_work.kill().unwrap();
    at_work.wait().unwrap();
}
