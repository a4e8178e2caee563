//! From the line that names an external agent to the program that is run: which file, in which
//! folder, and what it has to be able to read.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};

use serde::Deserialize;
use serde_json::json;

use crate::process::Program;

/// The Python side of `python:` agents: it loads somebody's module and speaks the protocol for it.
const HOST: &str = include_str!("host.py");

/// What a Python installation says about itself.
#[derive(Clone, Debug, Deserialize)]
struct Python {
    executable: PathBuf,
    version: (u32, u32),
    folders: Vec<PathBuf>,
    user_base: Option<String>,
}

/// Asks for the real interpreter (a shim is a script that starts others, which agents may not) and
/// for all folders modules come from.
const QUESTION: &str = "import json, os, site, sys
folders = [sys.prefix, sys.exec_prefix, getattr(sys, 'base_prefix', sys.prefix)]
folders += [p for p in sys.path if p and os.path.isabs(p)]
folders += [os.path.dirname(os.path.realpath(sys.executable)), os.path.dirname(sys.executable)]
print(json.dumps({'executable': sys.executable, 'version': list(sys.version_info[:2]),
                  'folders': folders, 'user_base': getattr(site, 'USER_BASE', None)}))";

/// What is known of each Python that was asked for: asking takes longer than a game.
type Known = HashMap<Option<String>, Result<Python, String>>;

fn python(asked: Option<&str>) -> Result<Python, String> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let key = asked.map(str::to_owned);
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.entry(key).or_insert_with(|| find_python(asked)).clone()
}

fn find_python(asked: Option<&str>) -> Result<Python, String> {
    let environment =
        std::env::var_os("VIRTUAL_ENV").map(|folder| PathBuf::from(folder).join("bin/python"));
    let candidates: Vec<PathBuf> = match asked {
        Some(asked) => vec![PathBuf::from(asked)],
        None => environment.into_iter().chain(["python3".into(), "python".into()]).collect(),
    };
    let mut trouble = "no Python was found".to_owned();
    for candidate in candidates {
        let output = Command::new(&candidate).args(["-c", QUESTION]).output();
        let name = candidate.display();
        match output {
            Err(error) => trouble = format!("the Python `{name}` cannot be started: {error}"),
            Ok(output) => match serde_json::from_slice::<Python>(&output.stdout) {
                Ok(found) if found.version >= (3, 6) => return Ok(found),
                Ok(found) => {
                    let (major, minor) = found.version;
                    trouble = format!("the Python `{name}` is {major}.{minor}, 3.6 is the oldest");
                }
                Err(_) => trouble = format!("`{name}` does not answer as a Python does"),
            },
        }
    }
    Err(format!("was not started: {trouble}; `--python PATH` names one"))
}

/// Threads of numerical libraries only get in each other's way here, and reserve memory.
const ONE_THREAD: [&str; 4] =
    ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"];

fn python_environment(python: &Python) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> =
        ONE_THREAD.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect();
    variables.push(("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()));
    variables.push(("PYTHONIOENCODING".to_owned(), "utf-8:backslashreplace".to_owned()));
    let path = std::env::var("PYTHONPATH").ok();
    variables.extend(path.map(|path| ("PYTHONPATH".to_owned(), path)));
    // Its home is the scratch folder, which would hide what the person has installed.
    variables.extend(python.user_base.clone().map(|base| ("PYTHONUSERBASE".to_owned(), base)));
    variables
}

/// The program for a Python agent.
pub(crate) fn for_python(
    module: &str,
    name: Option<&str>,
    kind: Option<&str>,
    asked: Option<&str>,
) -> Result<Program, String> {
    let python = python(asked)?;
    let (folder, target) = locate(module)?;
    let target = json!({"target": target, "name": name, "kind": kind, "shown": module});
    let mut readable = python.folders.clone();
    readable.extend(outermost_package(&folder));
    Ok(Program {
        path: python.executable.clone(),
        arguments: vec!["-B".to_owned(), "-c".to_owned(), HOST.to_owned(), target.to_string()],
        folder,
        readable,
        environment: python_environment(&python),
    })
}

/// The package around a folder that is itself part of one: modules of it import each other.
fn outermost_package(folder: &Path) -> Option<PathBuf> {
    let packages = folder.ancestors().take_while(|folder| folder.join("__init__.py").is_file());
    packages.last().map(Path::to_owned)
}

/// The folder a module lives in and what to import there: a file, or a dotted name.
fn locate(module: &str) -> Result<(PathBuf, String), String> {
    let path = Path::new(module);
    // People leave `.py` away, as the course's referee has them do.
    let with_suffix = PathBuf::from(format!("{module}.py"));
    for path in [path, &with_suffix] {
        if path.is_file() {
            let path = path.canonicalize().map_err(|error| format!("cannot be found: {error}"))?;
            let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
            return Ok((folder, path.to_string_lossy().into_owned()));
        }
    }
    if path.join("__init__.py").is_file() {
        let path = path.canonicalize().map_err(|error| format!("cannot be found: {error}"))?;
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        return Ok((folder, name.unwrap_or_default()));
    }
    // A dotted name, from the working folder.
    let inside = module.replace('.', "/");
    let exists = Path::new(&format!("{inside}.py")).is_file()
        || Path::new(&inside).join("__init__.py").is_file();
    if exists && !module.contains('/') {
        let folder = std::env::current_dir().map_err(|error| error.to_string())?;
        return Ok((folder, module.to_owned()));
    }
    Err(format!("was not started: there is no file `{module}`, and no module of that name here"))
}

/// The program for a command.
pub(crate) fn for_command(words: &[String]) -> Result<Program, String> {
    let asked = &words[0];
    let arguments = words[1..].to_vec();
    let found = find(asked).ok_or_else(|| {
        format!("was not started: there is no program `{asked}`, here or on the PATH")
    })?;
    let folder = own_folder(asked, &found, &arguments)?;
    let mut arguments = absolute(arguments);
    // Python by its name, or by the first line of a script: which one that is must be found out here,
    // since looking for it takes processes and folders that agents do not have.
    let interpreter = if is_python(&found) {
        Some(asked.clone())
    } else {
        let interpreter = first_line(&found).filter(|word| is_python(Path::new(word)));
        if interpreter.is_some() {
            arguments.insert(0, found.to_string_lossy().into_owned());
        }
        interpreter
    };
    if let Some(python) = interpreter.and_then(|name| python(Some(&name)).ok()) {
        let environment = python_environment(&python);
        let (path, readable) = (python.executable, python.folders);
        return Ok(Program { path, arguments, folder, readable, environment });
    }
    // The program itself, and what it is a link to.
    let mut readable = vec![found.clone()];
    readable.extend(found.canonicalize());
    Ok(Program { path: found, arguments, folder, readable, environment: vec![] })
}

fn is_python(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == "python"
}

/// The interpreter a script names in its first line, where it gives it no flags.
fn first_line(script: &Path) -> Option<String> {
    let mut beginning = Vec::new();
    std::fs::File::open(script).ok()?.take(200).read_to_end(&mut beginning).ok()?;
    let line = beginning.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let words: Vec<&str> = std::str::from_utf8(line).ok()?.split_whitespace().collect();
    match words[..] {
        [program] => Some(program.to_owned()),
        [env, program] if env.ends_with("/env") => Some(program.to_owned()),
        _ => None,
    }
}

/// Arguments that name files are made to name them from everywhere: the agent runs in its own
/// folder, not in ours.
fn absolute(arguments: Vec<String>) -> Vec<String> {
    let found = |argument: &String| {
        let path = Path::new(argument);
        (path.is_relative() && path.exists()).then(|| path.canonicalize().ok()).flatten()
    };
    let name = |argument: String| match found(&argument) {
        Some(path) => path.to_string_lossy().into_owned(),
        None => argument,
    };
    arguments.into_iter().map(name).collect()
}

fn find(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return std::path::absolute(program).ok().filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Where an agent lives: beside its program if that was named by a path, or else beside the first
/// argument that is a file. An interpreter without a file has nothing of its own.
fn own_folder(asked: &str, found: &Path, arguments: &[String]) -> Result<PathBuf, String> {
    let file = arguments.iter().map(Path::new).find(|path| path.is_file());
    let place = if asked.contains('/') && !is_system(found) { Some(found) } else { file };
    let Some(place) = place else { return Ok(PathBuf::from("/usr")) };
    let place = place.canonicalize().map_err(|error| format!("was not started: {error}"))?;
    Ok(place.parent().unwrap_or(Path::new("/")).to_owned())
}

/// An agent may read its folder, so that must not be one with everything in it.
pub(crate) fn in_a_folder_of_its_own(program: Program) -> Result<Program, String> {
    let home =
        std::env::var_os("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
    let is_wide = home.is_some_and(|home| home.starts_with(&program.folder))
        || program.folder == Path::new("/")
        || std::env::temp_dir().canonicalize().is_ok_and(|folder| folder == program.folder);
    if is_wide {
        return Err(format!(
            "was not started: all of `{}` would be open to it; move it into a folder of its own, or \
             do without the sandbox",
            program.folder.display()
        ));
    }
    Ok(program)
}

fn is_system(path: &Path) -> bool {
    ["/usr", "/bin", "/sbin", "/lib"].iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = for_command(&["./no-such-agent".to_owned()]).unwrap_err();
        assert!(error.contains("`./no-such-agent`"), "{error}");
        let error = locate("no/such.py").unwrap_err();
        assert!(error.contains("`no/such.py`"), "{error}");
    }

    #[test]
    fn nobody_is_given_the_whole_disk_to_read() {
        let program = |folder: &Path| Program {
            path: PathBuf::from("/bin/true"),
            arguments: vec![],
            folder: folder.to_owned(),
            readable: vec![],
            environment: vec![],
        };
        assert!(in_a_folder_of_its_own(program(Path::new("/"))).is_err());
        let own = tempfile::tempdir().unwrap();
        assert!(in_a_folder_of_its_own(program(&own.path().canonicalize().unwrap())).is_ok());
    }

    #[test]
    fn an_interpreter_runs_in_the_folder_of_its_script() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("my agent.sh");
        std::fs::write(&script, "").unwrap();
        let program =
            for_command(&["sh".to_owned(), script.to_string_lossy().into_owned()]).unwrap();
        assert_eq!(program.folder, folder.path().canonicalize().unwrap());
        assert!(program.path.is_absolute());
    }

    #[test]
    fn a_python_script_runs_with_the_python_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("my agent");
        let named = |line: &str| {
            std::fs::write(&script, line).unwrap();
            let words = [script.to_string_lossy().into_owned(), "--fast".to_owned()];
            for_command(&words).unwrap()
        };
        let program = named("#!/usr/bin/env python3\nprint()\n");
        assert_eq!(program.arguments, [script.to_string_lossy().as_ref(), "--fast"]);
        assert!(program.path.is_absolute() && program.path != script, "{:?}", program.path);
        for other in ["#!/bin/sh\n", "#!/usr/bin/env -S python3 -u\n", "\u{7f}ELF", ""] {
            let program = named(other);
            assert_eq!((program.path, program.arguments.len()), (script.clone(), 1), "{other}");
        }
    }

    #[test]
    fn a_module_is_found_by_path_with_and_without_its_ending() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        std::fs::write(home.join("greedy-agent-5.py"), "").unwrap();
        for name in ["greedy-agent-5.py", "greedy-agent-5"] {
            let asked = home.join(name);
            let (found, target) = locate(&asked.to_string_lossy()).unwrap();
            assert_eq!(found, home);
            assert!(target.ends_with("greedy-agent-5.py"));
        }
    }
}
