//! The real binary, for tests of its own files.

use std::path::Path;

use assert_cmd::Command;

/// `skirmish`, started in a folder.
pub(crate) fn skirmish(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("skirmish").unwrap();
    command.current_dir(folder);
    command
}

/// What it printed and what it told, when it ends with this code.
pub(crate) fn said(command: &mut Command, code: i32) -> (String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    (out, err)
}
