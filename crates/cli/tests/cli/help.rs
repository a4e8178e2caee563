use super::*;

/// The subcommands, as the help lists them.
fn subcommands() -> Vec<String> {
    let help = printed(&["--help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<String> = listed
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    for name in ["games", "rules", "show", "legal", "perft", "verify", "playouts", "bench"] {
        assert!(names.iter().any(|found| found == name), "{name}\n{help}");
    }
    names
}

#[test]
fn has_examples_everywhere() {
    for name in subcommands() {
        let help = printed(&[&name, "--help"]);
        assert!(help.contains("Examples:\n  skirmish "), "{name}\n{help}");
        assert_eq!(printed(&["help", &name]), help);
    }
}

#[test]
fn documents_the_exit_codes() {
    let help = printed(&["--help"]);
    assert!(help.contains("Examples:"), "{help}");
    assert!(help.contains("Exit codes: 0 "), "{help}");
}

#[test]
fn is_what_one_gets_for_nothing() {
    let ran = run(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("Usage: skirmish"), "{}", ran.stderr);
}

#[test]
fn knows_its_version() {
    assert_eq!(printed(&["--version"]), format!("skirmish {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completes_every_subcommand_in_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for name in subcommands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        assert!(script.contains("move-limit"), "{shell}");
    }
}
