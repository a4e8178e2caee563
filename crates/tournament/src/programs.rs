//! Which version of someone's program played: a student may hand in another one in the middle of a
//! tournament, and the table should not hide that.

use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use skirmish_sandbox::AgentSpec;

/// No more of a file than this is looked at.
const MOST_BYTES: u64 = 16 << 20;

/// A few letters that change when the agent's own file does; nothing for built-in agents, and where
/// there is no file.
pub(crate) fn fingerprint(who: &AgentSpec) -> Option<String> {
    let names: Vec<String> = match who {
        AgentSpec::BuiltIn(_) | AgentSpec::Human => return None,
        AgentSpec::Python { module, .. } => {
            // A dotted name, after a folder or not.
            let inside = match module.rsplit_once('/') {
                Some((folder, name)) => format!("{folder}/{}", name.replace('.', "/")),
                None => module.replace('.', "/"),
            };
            let candidates = [
                module.clone(),
                format!("{module}.py"),
                format!("{module}/__init__.py"),
                format!("{inside}.py"),
            ];
            candidates.into_iter().filter(|name| Path::new(name).is_file()).take(1).collect()
        }
        AgentSpec::Command(words) => {
            words.iter().filter(|word| Path::new(word).is_file()).cloned().collect()
        }
    };
    let mut hash = Sha256::new();
    for name in &names {
        let mut bytes = Vec::new();
        std::fs::File::open(name).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        hash.update(&bytes);
    }
    let letters = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    (!names.is_empty()).then(|| letters(&hash.finalize()[..6]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_has_another_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.py");
        let print = |line: String| fingerprint(&line.parse().unwrap());
        let python = format!("python:{}", folder.path().join("agent").display());
        assert_eq!(print(python.clone()), None);
        std::fs::write(&path, "one").unwrap();
        let one = print(python.clone());
        assert_eq!(one, print(format!("cmd:python3 {}", path.display())));
        std::fs::write(&path, "two").unwrap();
        assert!(one.is_some() && print(python) != one);
        assert_eq!(print("random".to_owned()), None);
    }
}
