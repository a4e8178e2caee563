use super::*;

/// Closes stdout at once, or after the first line, and expects a quiet end.
fn is_no_error(arguments: &[&str], lines_read: usize) {
    let mut child = command()
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for _ in 0..lines_read {
        reader.read_line(&mut line).unwrap();
    }
    drop(reader);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0), "{arguments:?}: {stderr}");
    assert_eq!(stderr, "", "{arguments:?}");
}

#[test]
fn is_no_error_of_anybodys() {
    for arguments in [
        &["legal", "amazons", "--size", "20"][..],
        &["legal", "amazons", "--size", "20", "--json"],
        &["demo", "--games", "in-trap"],
        &["games"],
        &["games", "--json"],
        &["rules", "game17"],
        &["show", "amazons"],
        &["show", "game17", "--size", "20", "--json"],
        &["completions", "bash"],
        &["--help"],
        &["show", "--help"],
    ] {
        is_no_error(arguments, 0);
    }
    is_no_error(&["legal", "amazons", "--size", "20"], 1);
    is_no_error(&["completions", "zsh"], 1);
}

#[cfg(unix)]
#[test]
fn for_everything_that_is_said_is_no_error_either() {
    for line in [
        "perft amazons --size 4 --depth 1",
        "perft amazons --size 4 --depth 1 --divide",
        "demo --games in-trap",
        "playouts in-trap --games 10",
    ] {
        // The exit code is kept beside the pipe, which belongs to a reader that reads nothing.
        let folder = TempDir::new().unwrap();
        let code = folder.path().join("code");
        let binary: PathBuf = assert_cmd::cargo::cargo_bin!("skirmish").into();
        let script = format!(
            "{{ sleep 0.2; '{}' {line} 2>&1; echo $? > '{}'; }} | true",
            binary.display(),
            code.display()
        );
        Command::new("sh").args(["-c", &script]).status().unwrap();
        assert_eq!(std::fs::read_to_string(code).unwrap(), "0\n", "{line}");
    }
}
