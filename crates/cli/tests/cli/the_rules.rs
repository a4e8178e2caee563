use super::*;

#[test]
fn are_a_page_for_every_game() {
    for name in GAMES {
        let page = printed(&["rules", name]);
        assert!(page.starts_with("# "), "{name}: {page}");
        assert!(page.lines().count() > 2, "{name} has more than a title");
        assert_eq!(printed(&["rules", name, "--markdown"]), page);
    }
}

#[test]
fn of_an_unknown_game_are_not_known() {
    let (error, hint) = refused(2, &["rules", "in trap"]);
    assert_eq!(error, "unknown game `in trap`");
    assert!(hint.unwrap().starts_with("did you mean `in-trap`? known games: "));
}

/// Runs a command whose stdout is a terminal of so many columns, and returns what it shows there.
#[cfg(unix)]
fn on_a_terminal(command: &mut Command, columns: u16) -> String {
    let size = nix::pty::Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let nix::pty::OpenptyResult { master, slave } = nix::pty::openpty(&size, None).unwrap();
    let reader = std::thread::spawn(move || {
        let (mut shown, mut bytes) = (Vec::new(), [0; 4_096]);
        let mut terminal = std::fs::File::from(master);
        // When the last program has left the terminal, reading from it fails on Linux.
        while let Ok(count @ 1..) = terminal.read(&mut bytes) {
            shown.extend_from_slice(&bytes[..count]);
        }
        String::from_utf8(shown).unwrap().replace("\r\n", "\n")
    });
    let mut child = command.env("TERM", "xterm").stdout(Stdio::from(slave)).spawn().unwrap();
    // Its stdout is the last copy of the terminal's end on our side.
    command.stdout(Stdio::null());
    let status = child.wait().unwrap();
    let shown = reader.join().unwrap();
    assert!(status.success(), "{shown}");
    shown
}

#[cfg(unix)]
fn rules_on_a_terminal(pager: &str, columns: u16, arguments: &[&str]) -> String {
    let mut command = command();
    command.env("PAGER", pager).env("LC_ALL", "C.UTF-8").env("NO_COLOR", "1");
    on_a_terminal(command.args(["rules"]).args(arguments), columns)
}

#[cfg(unix)]
#[test]
fn on_a_terminal_are_wrapped_to_its_width_with_tables_drawn() {
    for columns in [60, 90] {
        for name in GAMES {
            let page = rules_on_a_terminal("", columns, &[name]);
            let has_table = printed(&["rules", name, "--markdown"]).contains("|---");
            assert!(page.contains("│") == has_table && !page.contains("|---"), "{name}: {page}");
            // Code keeps its lines; prose and tables keep to the window.
            let too_wide = |line: &&str| {
                line.chars().count() > usize::from(columns) && !line.starts_with("    ")
            };
            let wide: Vec<&str> = page.lines().filter(too_wide).collect();
            assert!(wide.is_empty(), "{name}: {wide:#?}");
        }
    }
    let prose = |columns| rules_on_a_terminal("cat", columns, &["amazons"]);
    assert!(prose(60).lines().count() > prose(90).lines().count());
}

#[cfg(unix)]
#[test]
fn are_paged_on_a_terminal_only() {
    let page = rules_on_a_terminal("sed 's/^/pager: /'", 80, &["game17"]);
    assert!(page.lines().all(|line| line.starts_with("pager: ")), "{page}");
    assert!(page.contains("pager: Game 17\n"), "{page}");
    // A pager that leaves early is how people end reading, and no error.
    assert_eq!(rules_on_a_terminal("head -n 1", 80, &["game17"]), "Game 17\n");
    // A pager that cannot be started is reported by the shell, and the page is shown without it.
    assert!(rules_on_a_terminal("/no/such/pager", 80, &["game17"]).starts_with("Game 17\n"));

    let piped = command().env("PAGER", "sed 's/^/pager: /'").args(["rules", "game17"]).output();
    assert!(piped.unwrap().stdout.starts_with(b"# Game 17\n"));
}

#[cfg(unix)]
#[test]
fn keep_to_ascii_where_the_terminal_does() {
    assert!(rules_on_a_terminal("", 80, &["amazons", "--ascii"]).is_ascii());
    let mut command = command();
    command.env("PAGER", "").env("LC_ALL", "C").args(["rules", "amazons"]);
    let page = on_a_terminal(&mut command, 80);
    assert!(page.is_ascii() && page.contains("+---"), "{page}");
    // Asked for, the drawing is made in a pipe too, at the usual width.
    let page = printed(&["rules", "amazons", "--ascii"]);
    assert!(page.is_ascii() && page.contains("+---"), "{page}");
    assert!(page.lines().all(|line| line.len() <= 80), "{page}");
}
