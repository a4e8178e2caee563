//! Which program is started to become an agent.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use skirmish_rules::{Error, ErrorKind, Result};

use crate::jail::{Protection, WORD};

/// The environment variable that names a launcher.
pub const LAUNCHER_VARIABLE: &str = "SKIRMISH_LAUNCHER";
/// The program that is a launcher and nothing else.
const LAUNCHER: &str = "skirmish-launcher";
/// The program that is one among other things.
const PROGRAM: &str = "skirmish";

/// The program that confines itself and becomes an agent: it hands what follows `__jail` on its
/// command line to [`super::launch`]. `skirmish` does, and so does the small `skirmish-launcher`, for
/// processes that are something else, such as Python.
#[derive(Clone, Debug)]
pub struct Launcher {
    pub(crate) program: PathBuf,
    pub(crate) words: Vec<OsString>,
}

impl Launcher {
    /// The first of these:
    ///
    /// 1. `given`, where a path is given;
    /// 2. the one that the environment variable `SKIRMISH_LAUNCHER` names;
    /// 3. the program that is running, if it is `skirmish`: the two are of one version for certain;
    /// 4. `skirmish-launcher` in the folder of the program that is running.
    ///
    /// A path that was asked for and is no file is an error, not passed over.
    pub fn find(given: Option<&Path>) -> Result<Launcher> {
        let named = std::env::var_os(LAUNCHER_VARIABLE).filter(|path| !path.is_empty());
        let running = std::env::current_exe().unwrap_or_default();
        find_launcher(given, named.as_deref().map(Path::new), &running).map(Launcher::at)
    }

    /// The program that is running, whatever it is called: for programs that are launchers too, and
    /// know it.
    pub fn own() -> Result<Launcher> {
        let running = std::env::current_exe().map_err(|error| {
            Error::new(ErrorKind::Unreadable, format!("cannot find our own program: {error}"))
        })?;
        Ok(Launcher::at(running))
    }

    /// This program.
    pub fn at(program: impl Into<PathBuf>) -> Launcher {
        Launcher { program: program.into(), words: vec![WORD.into()] }
    }

    /// Which protections hold on this machine, by trying.
    pub fn probe(&self) -> std::result::Result<Vec<Protection>, String> {
        let output = Command::new(&self.program)
            .args(&self.words)
            .arg("--probe")
            .current_dir("/")
            .env_clear()
            .output()
            .map_err(|error| format!("cannot start the launcher: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("cannot read what the launcher found: {error}"))
    }
}

/// [`Launcher::find`], for a program that is `running` with `named` in its environment.
fn find_launcher(given: Option<&Path>, named: Option<&Path>, running: &Path) -> Result<PathBuf> {
    let missing = |message: String| {
        Error::new(ErrorKind::Unreadable, message).hint(format!(
            "give the path of `{LAUNCHER}`, or set {LAUNCHER_VARIABLE} to it; \
             `cargo build --release -p skirmish-sandbox` makes it"
        ))
    };
    if let Some(path) = given.or(named) {
        return match path.is_file() {
            true => Ok(path.to_owned()),
            false => Err(missing(format!("no launcher at `{}`", path.display()))),
        };
    }
    if running.file_stem().is_some_and(|name| name == PROGRAM) {
        return Ok(running.to_owned());
    }
    let beside = running.with_file_name(LAUNCHER);
    if beside.is_file() {
        return Ok(beside);
    }
    Err(missing(format!("no `{LAUNCHER}` beside `{}`", running.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_is_looked_for_in_the_order_that_is_promised() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            path
        };
        let (given, named) = (file("given"), file("named"));
        let (skirmish, python) = (file("skirmish"), file("python3"));
        let find = |given: Option<&Path>, named: Option<&Path>, running: &Path| {
            find_launcher(given, named, running)
        };
        // Nothing but the program that is running.
        assert_eq!(find(None, None, &skirmish).unwrap(), skirmish);
        let error = find(None, None, &python).unwrap_err();
        assert!(error.hint.is_some_and(|hint| hint.contains(LAUNCHER_VARIABLE)));
        // One beside it.
        let beside = file(LAUNCHER);
        assert_eq!(find(None, None, &python).unwrap(), beside);
        assert_eq!(find(None, None, &skirmish).unwrap(), skirmish);
        // One that was asked for.
        assert_eq!(find(None, Some(&named), &skirmish).unwrap(), named);
        assert_eq!(find(Some(&given), Some(&named), &skirmish).unwrap(), given);
        // A mistake in what was asked for is told.
        let missing = folder.path().join("missing");
        for (given, named) in [(Some(&*missing), Some(&*named)), (None, Some(&*missing))] {
            let error = find(given, named, &skirmish).unwrap_err();
            assert!(error.to_string().contains("missing"), "{error}");
        }
    }
}
