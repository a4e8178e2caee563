//! The line that names what sits in a seat: a built-in agent, any program, a Python module, or
//! the person at the keyboard.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use skirmish_rules::error::quote;
use skirmish_rules::{Error, ErrorKind, Result};
use skirmish_search::Spec;

/// What is to sit in a seat. It reads and writes as one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgentSpec {
    /// One of our own: `alphabeta:depth=4`.
    BuiltIn(Spec),
    /// Any program that speaks the agent protocol: `cmd:./agent --fast`.
    Command(Vec<String>),
    /// A Python file or module, and the object in it: `python:agents/greedy.py:Player`.
    Python {
        /// A path, or the name of a module in the working folder.
        module: String,
        /// Which object of it plays.
        name: Option<String>,
    },
    /// The person at the keyboard.
    Human,
}

impl FromStr for AgentSpec {
    type Err = Error;

    fn from_str(line: &str) -> Result<AgentSpec> {
        let wrong = |message: String, hint: &str| {
            Err(Error::new(ErrorKind::Option, message).hint(hint.to_owned()))
        };
        let line = line.trim();
        if line.eq_ignore_ascii_case("human") {
            return Ok(AgentSpec::Human);
        }
        if let Some(rest) = line.strip_prefix("cmd:") {
            let Some(words) = split(rest) else {
                return wrong(
                    format!("the agent {} has a quotation mark too few", quote(line)),
                    "quote as in a shell: `cmd:'my agent' --level 3`",
                );
            };
            if words.is_empty() {
                return wrong(
                    format!("the agent {} names no program", quote(line)),
                    "a program reads like `cmd:./my-agent --flag`",
                );
            }
            return Ok(AgentSpec::Command(words));
        }
        if let Some(rest) = line.strip_prefix("python:") {
            let rest = rest.trim();
            if rest.is_empty() {
                return wrong(
                    format!("the agent {} names no module", quote(line)),
                    "a Python agent reads like `python:agents/greedy.py` or `python:agents.py:Greedy`",
                );
            }
            let (module, name) = match rest.rsplit_once(':') {
                Some((module, name)) if is_identifier(name) && !module.is_empty() => {
                    (module.to_owned(), Some(name.to_owned()))
                }
                _ => (rest.to_owned(), None),
            };
            return Ok(AgentSpec::Python { module, name });
        }
        if let Some(meant) = meant(line) {
            return wrong(
                format!("{} names no built-in agent", quote(line)),
                &format!("did you mean {}?", quote(&meant)),
            );
        }
        Ok(AgentSpec::BuiltIn(line.parse()?))
    }
}

impl AgentSpec {
    /// The same with the files it names found from this folder rather than from the working folder.
    /// What is not there stays as it is, and so do programs that are named without a slash: those are
    /// on the PATH.
    #[must_use]
    pub fn within(&self, folder: &Path) -> AgentSpec {
        let inside = |name: &str| folder.join(name).to_string_lossy().into_owned();
        match self {
            AgentSpec::BuiltIn(spec) => AgentSpec::BuiltIn(spec.within(folder)),
            // A file, or a dotted name that is looked for there.
            AgentSpec::Python { module, name } => {
                AgentSpec::Python { module: inside(module), name: name.clone() }
            }
            AgentSpec::Command(words) => {
                let word = |(place, word): (usize, &String)| {
                    let is_file =
                        if place == 0 { word.contains('/') } else { folder.join(word).exists() };
                    if is_file { inside(word) } else { word.clone() }
                };
                AgentSpec::Command(words.iter().enumerate().map(word).collect())
            }
            AgentSpec::Human => AgentSpec::Human,
        }
    }
}

/// What was probably meant by a line that names a file without saying how to run it.
fn meant(line: &str) -> Option<String> {
    // Settings may hold paths, so only the name counts: `zero:net=nets/mine.net` is one of ours.
    let name = line.split(':').next().unwrap_or(line);
    let is_python = !name.contains(' ') && name.ends_with(".py");
    let is_program = name.contains(['/', '\\', '.', ' ']);
    match (is_python, is_program) {
        (true, _) => Some(format!("python:{line}")),
        (false, true) => Some(format!("cmd:{line}")),
        (false, false) => None,
    }
}

fn is_identifier(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentSpec::BuiltIn(spec) => spec.fmt(f),
            AgentSpec::Human => f.write_str("human"),
            AgentSpec::Python { module, name } => {
                write!(f, "python:{module}")?;
                name.as_ref().map_or(Ok(()), |name| write!(f, ":{name}"))
            }
            AgentSpec::Command(words) => {
                f.write_str("cmd:")?;
                for (place, word) in words.iter().enumerate() {
                    f.write_str(if place == 0 { "" } else { " " })?;
                    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
                    if !word.is_empty() && word.chars().all(plain) {
                        f.write_str(word)?;
                    } else {
                        write!(f, "'{}'", word.replace('\'', "'\\''"))?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl AgentSpec {
    /// What to call it until it has introduced itself.
    pub fn short(&self) -> String {
        let stem = |path: &str| {
            let path = path.trim_end_matches('/');
            let file = path.rsplit('/').next().unwrap_or(path);
            file.strip_suffix(".py").unwrap_or(file).to_owned()
        };
        match self {
            AgentSpec::BuiltIn(spec) => spec.name.clone(),
            AgentSpec::Human => "human".to_owned(),
            AgentSpec::Python { module, name } => name.clone().unwrap_or_else(|| stem(module)),
            // An interpreter's name says little: `node agent.js` is the agent `agent.js`.
            AgentSpec::Command(words) => {
                let script =
                    words[1..].iter().find(|word| word.contains('.') && !word.starts_with('-'));
                stem(script.unwrap_or(&words[0]))
            }
        }
    }
}

/// Words as a shell splits them: spaces separate, quotation marks and backslashes keep together.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        letter => word.push(letter),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => word.push(letters.next()?),
                        letter => word.push(letter),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_reads_back_to_the_equal_agent() {
        for line in [
            "alphabeta:depth=4",
            "human",
            "cmd:./my-agent --flag=1 a:b",
            "cmd:'my agents/it is mine' 'don'\\''t'",
            "python:agents/greedy-agent-5.py",
            "python:my agents/all.py:HeuristicAgent",
            "python:package.module",
        ] {
            let who: AgentSpec = line.parse().unwrap();
            assert_eq!(who.to_string(), line);
            assert_eq!(who.to_string().parse::<AgentSpec>().unwrap(), who);
        }
    }

    #[test]
    fn a_command_is_split_as_a_shell_splits_it() {
        let words = |line: &str| match line.parse::<AgentSpec>().unwrap() {
            AgentSpec::Command(words) => words,
            other => panic!("{other:?}"),
        };
        assert_eq!(words("cmd: node  agent.js"), ["node", "agent.js"]);
        assert_eq!(words("cmd:\"a \\\"b\" c\\ d ''"), ["a \"b", "c d", ""]);
    }

    #[test]
    fn a_line_without_a_program_is_refused() {
        for line in ["cmd:", "cmd:  ", "cmd:'half", "python:", ""] {
            assert!(line.parse::<AgentSpec>().is_err(), "{line}");
        }
    }

    #[test]
    fn a_file_without_its_kind_gets_a_suggestion() {
        for (line, meant) in [
            ("mine.py", "python:mine.py"),
            ("agents/mine.py:Player", "python:agents/mine.py:Player"),
            ("./prog", "cmd:./prog"),
            ("./prog --fast", "cmd:./prog --fast"),
            ("node agent.js", "cmd:node agent.js"),
            ("agent.exe", "cmd:agent.exe"),
        ] {
            let error = line.parse::<AgentSpec>().unwrap_err();
            assert_eq!(error.message, format!("`{line}` names no built-in agent"));
            assert_eq!(error.hint.unwrap(), format!("did you mean `{meant}`?"));
            assert!(meant.parse::<AgentSpec>().is_ok(), "{meant}");
        }
        for line in ["zero:net=nets/a.net", "alphabeta:time=0.2s,threads=2", "greedy"] {
            assert!(matches!(line.parse::<AgentSpec>(), Ok(AgentSpec::BuiltIn(_))), "{line}");
        }
    }

    #[test]
    fn a_module_and_the_object_in_it_are_told_apart() {
        let read = |line: &str| match line.parse::<AgentSpec>().unwrap() {
            AgentSpec::Python { module, name } => (module, name),
            other => panic!("{other:?}"),
        };
        assert_eq!(read("python:a/b.py:Agent"), ("a/b.py".to_owned(), Some("Agent".to_owned())));
        assert_eq!(read("python:a:b/c d.py"), ("a:b/c d.py".to_owned(), None));
    }
}
