//! From the line that names an external agent to the program that is run: which file, in which
//! folder, and what it has to be able to read.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::interpreter::{self, NamedBy, Python};
use crate::process::Program;

/// The Python side of `python:` agents: it loads someone's module and speaks the protocol for it.
const HOST: &str = include_str!("host.py");

/// Threads of numerical libraries only get in each other's way here, and reserve memory.
const ONE_THREAD: [&str; 4] =
    ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"];

fn python_environment(python: &Python, search: &[PathBuf]) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> =
        ONE_THREAD.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect();
    variables.push(("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()));
    variables.push(("PYTHONIOENCODING".to_owned(), "utf-8:backslashreplace".to_owned()));
    let search = std::env::join_paths(search).unwrap_or_default();
    variables.push(("PYTHONPATH".to_owned(), search.to_string_lossy().into_owned()));
    // Its home is the scratch folder, which would hide what the person has installed.
    let base = python.user_base.as_ref().map(|base| base.to_string_lossy().into_owned());
    variables.extend(base.map(|base| ("PYTHONUSERBASE".to_owned(), base)));
    variables
}

/// The folders of `PYTHONPATH`. What is relative, or empty, would mean the agent's folder.
fn python_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PYTHONPATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// The program for a Python agent.
pub(crate) fn for_python(
    module: &str,
    name: Option<&str>,
    kind: Option<&str>,
    asked: Option<&str>,
) -> Result<Program, String> {
    let (folder, target) = locate(module)?;
    let python = interpreter::chosen(asked, &folder)?;
    // What lies in the agent's folder is searched when the host has all it needs, and not before.
    let is_own = |entry: &PathBuf| entry.canonicalize().is_ok_and(|it| it.starts_with(&folder));
    let (own, search): (Vec<PathBuf>, Vec<PathBuf>) = python_path().into_iter().partition(is_own);
    let target =
        json!({"target": target, "name": name, "kind": kind, "shown": module, "path": own});
    let mut readable = python.readable.clone();
    readable.extend(search.iter().cloned());
    readable.extend(outermost_package(&folder));
    let mut arguments = vec!["-B".to_owned()];
    // Newer ones import a module before they run what they are given, and must not do so from here.
    if python.minor >= 11 {
        arguments.push("-P".to_owned());
    }
    arguments.extend(["-c".to_owned(), HOST.to_owned(), target.to_string()]);
    Ok(Program {
        path: python.executable.clone(),
        arguments,
        folder,
        readable,
        environment: python_environment(&python, &search),
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
    // A dotted name, from the working folder or the folder before it.
    let (folder, name) = module.rsplit_once('/').unwrap_or((".", module));
    let folder = std::path::absolute(format!("{folder}/")).map_err(|error| error.to_string())?;
    let inside = folder.join(name.replace('.', "/"));
    if inside.with_extension("py").is_file() || inside.join("__init__.py").is_file() {
        let folder = folder.canonicalize().map_err(|error| error.to_string())?;
        return Ok((folder, name.to_owned()));
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
    let python = if is_python(&found) {
        interpreter::named(asked, &folder, NamedBy::Person)
    } else {
        let name = first_line(&found).filter(|word| is_python(Path::new(word)));
        let python = name.and_then(|name| interpreter::named(&name, &folder, NamedBy::Agent));
        if python.is_some() {
            arguments.insert(0, found.to_string_lossy().into_owned());
        }
        python
    };
    if let Some(python) = python {
        let search = python_path();
        let environment = python_environment(&python, &search);
        let Python { executable: path, mut readable, .. } = python;
        readable.extend(search);
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
        [program] if program.starts_with('/') => Some(program.to_owned()),
        ["/usr/bin/env" | "/bin/env", program] if !program.contains('/') => {
            Some(program.to_owned())
        }
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
    interpreter::on_path(program).next()
}

/// Where an agent lives: beside its program if that was named by a path, or else beside the first
/// argument that is a file. An interpreter without a file has nothing of its own; a Python with one
/// is an interpreter wherever it lies.
fn own_folder(asked: &str, found: &Path, arguments: &[String]) -> Result<PathBuf, String> {
    let file = arguments.iter().map(Path::new).find(|path| path.is_file());
    let is_interpreter = is_system(found) || is_python(found) && file.is_some();
    let place = if asked.contains('/') && !is_interpreter { Some(found) } else { file };
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
