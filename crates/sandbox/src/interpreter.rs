//! Which Python runs an agent, found without running anything an agent may have written.
//!
//! A Python is looked at, not asked: where its library lies follows from where it lies itself, and a
//! virtual environment names the Python it is made of. Only where that says nothing (a shim that
//! starts one of several Pythons) is a program started outside the sandbox, and only one that the
//! person at the keyboard has chosen: by `--python`, or by its place on the PATH. It runs in the root
//! folder, in a clean environment, isolated from everything but its own library.
//!
//! What lies in the agent's folder is never started, whatever has named it, and neither is what the
//! agent names, be it by the first line of a script or by a link.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use serde::Deserialize;

/// A Python that can run an agent.
#[derive(Clone, Debug)]
pub(crate) struct Python {
    /// The file to execute, inside the sandbox.
    pub(crate) executable: PathBuf,
    /// The folders modules come from.
    pub(crate) readable: Vec<PathBuf>,
    /// Where the person's own packages lie.
    pub(crate) user_base: Option<PathBuf>,
    /// The 11 of Python 3.11, or less where several share a library.
    pub(crate) minor: u32,
}

/// Who has named a Python: what it may read, and whether it may be asked, depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum NamedBy {
    /// The person at the keyboard.
    Person,
    /// The agent's own files.
    Agent,
}

/// What is printed by a Python that has to be asked.
#[derive(Clone, Debug, Deserialize)]
struct Told {
    executable: PathBuf,
    version: (u32, u32),
    folders: Vec<PathBuf>,
}

const QUESTION: &str = "import json, os, sys
folders = [sys.prefix, sys.exec_prefix, getattr(sys, 'base_prefix', sys.prefix)]
folders += [os.path.dirname(os.path.realpath(sys.executable)), os.path.dirname(sys.executable)]
print(json.dumps({'executable': sys.executable, 'version': list(sys.version_info[:2]),
                  'folders': folders + sys.path}))";

/// What tools that choose between several Pythons go by.
const CHOOSERS: [&str; 8] = [
    "HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "ASDF_PYTHON_VERSION",
    "MISE_DATA_DIR",
    "MISE_PYTHON_VERSION",
];

/// The folders that only the system's administrator fills.
const SYSTEM: [&str; 3] = ["/usr/bin", "/usr/local/bin", "/bin"];

/// The Python for Python agents: the one that was asked for, that of the active virtual environment,
/// or the first on the PATH.
pub(crate) fn chosen(asked: Option<&str>, folder: &Path) -> Result<Python, String> {
    type Known = HashMap<(Option<String>, PathBuf), Result<Python, String>>;
    // Looking may take longer than a game.
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let key = (asked.map(str::to_owned), folder.to_owned());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(key).or_insert_with(|| find(asked, folder)).clone()
}

fn find(asked: Option<&str>, folder: &Path) -> Result<Python, String> {
    let environment = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let environment = environment.filter(|folder| folder.is_absolute());
    let candidates: Vec<PathBuf> = match asked {
        Some(asked) if asked.contains('/') => std::path::absolute(asked).into_iter().collect(),
        Some(asked) => on_path(asked).collect(),
        None => (environment.into_iter().map(|folder| folder.join("bin/python")))
            .chain(on_path("python3"))
            .chain(on_path("python"))
            .collect(),
    };
    let mut trouble = asked.map_or("no Python was found".to_owned(), |asked| {
        format!("the Python `{asked}` cannot be found")
    });
    for candidate in candidates.iter().filter(|candidate| candidate.is_file()) {
        match look(candidate, folder, NamedBy::Person) {
            Ok(python) => return Ok(python),
            Err(error) => trouble = error,
        }
    }
    Err(format!("was not started: {trouble}; `--python PATH` names one"))
}

/// The Python that a command (`python3 agent.py`) or the first line of a script names; `None` where it
/// is not certain that there is one, and it has to be run like any other program.
pub(crate) fn named(name: &str, folder: &Path, by: NamedBy) -> Option<Python> {
    if name.contains('/') {
        let path = std::path::absolute(name).ok().filter(|path| path.is_file())?;
        return look(&path, folder, by).ok();
    }
    on_path(name).find_map(|path| look(&path, folder, NamedBy::Person).ok())
}

/// Programs of this name in the folders of the PATH, as absolute paths: what is relative, or empty,
/// would mean whatever folder one happens to be in.
pub(crate) fn on_path(program: &str) -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let program = program.to_owned();
    let found = folders.into_iter().filter(|folder| folder.is_absolute());
    found.map(move |folder| folder.join(&program)).filter(|path| path.is_file())
}

/// Looks at a Python, and asks it only where looking does not do and it may be asked.
fn look(path: &Path, folder: &Path, by: NamedBy) -> Result<Python, String> {
    let shown = path.display();
    let real = path
        .canonicalize()
        .map_err(|error| format!("the Python `{shown}` cannot be found: {error}"))?;
    match installed(path, &real, folder, by) {
        Some(python) => of_age(&shown.to_string(), (3, python.minor)).map(|()| python),
        None if may_be_asked(path, &real, folder, by) => ask(path, folder),
        None => Err(format!("`{shown}` is no Python that could be told apart without running it")),
    }
}

fn of_age(shown: &str, version: (u32, u32)) -> Result<(), String> {
    if version >= (3, 6) {
        return Ok(());
    }
    let (major, minor) = version;
    Err(format!("the Python `{shown}` is {major}.{minor}, 3.6 is the oldest"))
}

/// Works out where the library of a Python lies from where it lies itself: nothing is run.
fn installed(path: &Path, real: &Path, folder: &Path, by: NamedBy) -> Option<Python> {
    let environment = environment_around(path);
    let mut base = real.to_owned();
    if let Some(environment) = &environment
        && environment.canonicalize().is_ok_and(|environment| real.starts_with(environment))
    {
        // A copy: which Python it was made of stands in its settings.
        base = home_of(environment)?.join("python3").canonicalize().ok()?;
    }
    let (prefix, libraries) = libraries_of(&base)?;
    let minor = libraries.iter().filter_map(|library| minor_of(library)).min()?;

    let mut readable = vec![base.parent()?.to_owned()];
    readable.extend(path.parent().map(Path::to_owned));
    if is_wide(&prefix) {
        readable.extend(libraries.iter().cloned());
    } else {
        readable.push(prefix);
    }
    let mut packages: Vec<PathBuf> =
        libraries.iter().map(|library| library.join("site-packages")).collect();
    let mut user_base = None;
    match environment {
        // A script may name any environment there is, but that opens none.
        Some(environment) if by == NamedBy::Person || environment.starts_with(folder) => {
            let names = libraries.iter().filter_map(|library| library.file_name());
            packages
                .extend(names.map(|name| environment.join("lib").join(name).join("site-packages")));
            readable.push(environment);
        }
        Some(_) => {}
        None => {
            user_base = user_base_of_the_person();
            let names = libraries.iter().filter_map(|library| library.file_name());
            let own = user_base.iter().flat_map(|base| {
                names.clone().map(|name| base.join("lib").join(name).join("site-packages"))
            });
            let own: Vec<PathBuf> = own.filter(|packages| packages.is_dir()).collect();
            readable.extend(own.iter().cloned());
            packages.extend(own);
        }
    }
    for packages in packages.iter().filter(|packages| !packages.starts_with(folder)) {
        readable.extend(linked_from(packages));
    }
    let executable = path.to_owned();
    Some(Python { executable, readable, user_base, minor })
}

/// The virtual environment a Python is part of: Python itself looks in these two places.
fn environment_around(path: &Path) -> Option<PathBuf> {
    let beside = path.parent()?;
    let around = [Some(beside), beside.parent()].into_iter().flatten();
    around.into_iter().find(|folder| folder.join("pyvenv.cfg").is_file()).map(Path::to_owned)
}

/// The folder of the Python that a virtual environment was made with.
fn home_of(environment: &Path) -> Option<PathBuf> {
    let text = beginning(&environment.join("pyvenv.cfg"), 1 << 16)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let home = text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "home").then(|| PathBuf::from(value.trim()))
    })?;
    home.is_absolute().then_some(home)
}

/// The library of a Python program, beside the folder it lies in; nothing where it is no program, or
/// another one.
fn libraries_of(program: &Path) -> Option<(PathBuf, Vec<PathBuf>)> {
    if beginning(program, 4)? != b"\x7fELF" {
        return None;
    }
    let prefix = program.parent()?.parent()?.to_owned();
    let found = ["lib", "lib64"].iter().flat_map(|lib| {
        std::fs::read_dir(prefix.join(lib))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
    });
    let mut libraries: Vec<PathBuf> =
        found.filter(|path| minor_of(path).is_some() && path.join("os.py").is_file()).collect();
    libraries.sort();
    // A full name says which one it is: `python3.11`.
    let name = program.file_name();
    if libraries.iter().any(|library| library.file_name() == name) {
        libraries.retain(|library| library.file_name() == name);
    } else if name.is_some_and(|name| name.to_string_lossy().starts_with("python2")) {
        return None;
    }
    (!libraries.is_empty()).then_some((prefix, libraries))
}

/// The 11 of `lib/python3.11`.
fn minor_of(library: &Path) -> Option<u32> {
    let name = library.file_name()?.to_str()?;
    name.strip_prefix("python3.")?.trim_end_matches('t').parse().ok()
}

/// Whether a prefix holds much beside Python: the root of the disk, a home.
fn is_wide(prefix: &Path) -> bool {
    let home = std::env::var_os("HOME").and_then(|home| PathBuf::from(home).canonicalize().ok());
    prefix.parent().is_none() || home.is_some_and(|home| home.starts_with(prefix))
}

fn user_base_of_the_person() -> Option<PathBuf> {
    let told = std::env::var_os("PYTHONUSERBASE").map(PathBuf::from);
    let usual = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local"));
    told.filter(|base| base.is_absolute()).or_else(usual)
}

/// Folders that packages were linked from (`pip install -e`). Lines that are code are not for us.
fn linked_from(packages: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(packages).into_iter().flatten().flatten().map(|file| file.path());
    let files = files.filter(|file| file.extension().is_some_and(|ending| ending == "pth"));
    let texts = files.filter_map(|file| beginning(&file, 1 << 16));
    let lines = texts.flat_map(|text| {
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().map(|line| PathBuf::from(line.trim())).collect::<Vec<_>>()
    });
    lines.filter(|path| path.is_absolute() && path.is_dir() && !is_wide(path)).collect()
}

fn beginning(path: &Path, most: u64) -> Option<Vec<u8>> {
    // What is no plain file may never end, or never begin.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether a program may be started outside the sandbox to say which Python it is.
fn may_be_asked(path: &Path, real: &Path, folder: &Path, by: NamedBy) -> bool {
    let Some(Ok(place)) = path.parent().map(Path::canonicalize) else { return false };
    if [&place, real, path].iter().any(|path| path.starts_with(folder))
        || path.components().any(|part| part == Component::ParentDir)
        || environment_around(path).is_some()
    {
        return false;
    }
    by == NamedBy::Person || SYSTEM.iter().any(|system| place == Path::new(system))
}

/// Asks a program which Python it is.
fn ask(path: &Path, folder: &Path) -> Result<Python, String> {
    let shown = path.display();
    let search = std::env::var_os("PATH").unwrap_or_default();
    let search = std::env::split_paths(&search).filter(|entry| {
        let real = entry.canonicalize();
        entry.is_absolute() && real.is_ok_and(|real| !real.starts_with(folder))
    });
    let search = std::env::join_paths(search).unwrap_or_else(|_| "/usr/bin:/bin".into());
    let kept = CHOOSERS.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let output = Command::new(path)
        .args(["-I", "-S", "-c", QUESTION])
        .current_dir("/")
        .env_clear()
        .envs(kept)
        .env("PATH", search)
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("the Python `{shown}` cannot be started: {error}"))?;
    let told: Told = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("`{shown}` does not answer as a Python does"))?;
    of_age(&shown.to_string(), told.version)?;
    // A shim: the Python it starts can be looked at.
    let real = told.executable.canonicalize().ok();
    if let Some(found) =
        real.and_then(|real| installed(&told.executable, &real, folder, NamedBy::Person))
    {
        return Ok(found);
    }
    let folders = told.folders.into_iter();
    let readable = folders.filter(|folder| folder.is_absolute() && folder.is_dir()).collect();
    let user_base = user_base_of_the_person();
    Ok(Python { executable: told.executable, readable, user_base, minor: told.version.1 })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A Python as it is installed, with nothing in it that runs.
    fn installation(prefix: &Path) -> PathBuf {
        let prefix = prefix.canonicalize().unwrap();
        for folder in ["bin", "lib/python3.11/site-packages", "lib/python3.9"] {
            std::fs::create_dir_all(prefix.join(folder)).unwrap();
        }
        std::fs::write(prefix.join("lib/python3.11/os.py"), "").unwrap();
        std::fs::write(prefix.join("bin/python3.11"), b"\x7fELF and more").unwrap();
        symlink("python3.11", prefix.join("bin/python3")).unwrap();
        prefix
    }

    fn seen(path: &Path, folder: &Path, by: NamedBy) -> Option<Python> {
        installed(path, &path.canonicalize().unwrap(), folder, by)
    }

    #[test]
    fn a_python_is_told_by_where_it_lies() {
        let (place, agents) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let prefix = installation(place.path());
        let found = seen(&prefix.join("bin/python3"), agents.path(), NamedBy::Person).unwrap();
        assert_eq!((found.minor, &found.executable), (11, &prefix.join("bin/python3")));
        assert!(found.readable.contains(&prefix));
        // A script of that name is none.
        std::fs::write(prefix.join("bin/python3.12"), "#!/bin/sh\n").unwrap();
        assert!(seen(&prefix.join("bin/python3.12"), agents.path(), NamedBy::Person).is_none());
        // Nor is a program without a library.
        std::fs::write(agents.path().join("python3"), b"\x7fELF").unwrap();
        assert!(seen(&agents.path().join("python3"), agents.path(), NamedBy::Person).is_none());
    }

    #[test]
    fn an_environment_is_read_and_opens_what_belongs_to_it() {
        let (place, agents) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let prefix = installation(place.path());
        let linked = tempfile::tempdir().unwrap();
        let venv = agents.path().join("venv");
        let packages = venv.join("lib/python3.11/site-packages");
        std::fs::create_dir_all(&packages).unwrap();
        std::fs::create_dir_all(venv.join("bin")).unwrap();
        let home = prefix.join("bin").display().to_string();
        std::fs::write(venv.join("pyvenv.cfg"), format!("version = 3.11\nhome = {home}\n"))
            .unwrap();
        let lines = format!("import evil\n{}\n/\nrelative\n", linked.path().display());
        std::fs::write(packages.join("a.pth"), lines).unwrap();
        symlink(prefix.join("bin/python3"), venv.join("bin/python")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let python = venv.join("bin/python");
        let opened = |folder: &Path, by| seen(&python, folder, by).unwrap().readable;
        let by_a_person = opened(elsewhere.path(), NamedBy::Person);
        for folder in [&prefix, &venv, &linked.path().to_owned()] {
            assert!(by_a_person.contains(folder), "{folder:?} in {by_a_person:?}");
        }
        assert!(!by_a_person.contains(&PathBuf::from("/")));
        // An agent opens neither the environments of others nor what its own one links to.
        let by_an_agent = opened(elsewhere.path(), NamedBy::Agent);
        assert!(by_an_agent.contains(&prefix) && !by_an_agent.contains(&venv));
        let inside = opened(agents.path(), NamedBy::Agent);
        assert!(inside.contains(&venv) && !inside.contains(&linked.path().to_owned()));
        // A copy says in its settings which Python it is.
        std::fs::remove_file(&python).unwrap();
        std::fs::write(&python, b"\x7fELF").unwrap();
        assert!(opened(agents.path(), NamedBy::Agent).contains(&prefix));
    }

    #[test]
    fn only_what_a_person_has_chosen_is_asked_and_nothing_in_the_agents_folder() {
        let agents = tempfile::tempdir().unwrap();
        let agents = agents.path().canonicalize().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let elsewhere = elsewhere.path().canonicalize().unwrap();
        let (own, other) = (agents.join("python3"), elsewhere.join("python3"));
        for path in [&own, &other] {
            std::fs::write(path, "#!/bin/sh\n").unwrap();
        }
        let asked =
            |path: &Path, by| may_be_asked(path, &path.canonicalize().unwrap(), &agents, by);
        assert!(asked(&other, NamedBy::Person) && !asked(&other, NamedBy::Agent));
        assert!(!asked(&own, NamedBy::Person) && !asked(&own, NamedBy::Agent));
        symlink(&other, agents.join("link")).unwrap();
        symlink(&own, elsewhere.join("link")).unwrap();
        symlink(&agents, elsewhere.join("folder")).unwrap();
        for path in [agents.join("link"), elsewhere.join("link"), elsewhere.join("folder/python3")]
        {
            assert!(!asked(&path, NamedBy::Person), "{path:?}");
        }
        assert!(asked(Path::new("/usr/bin/env"), NamedBy::Agent));
        let around = Path::new("/usr/bin").join("..").join("bin/env");
        assert!(!asked(&around, NamedBy::Agent));
    }
}
