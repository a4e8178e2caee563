//! The real binary, run as people and scripts run it: what it prints, where, and how it exits.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use skirmish_arena::record::Record;
use tempfile::TempDir;

const GAMES: [&str; 4] = ["watch-your-back", "game17", "in-trap", "amazons"];

/// What a run of the binary came to.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn command() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("skirmish"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RAYON_NUM_THREADS"] {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str]) -> Ran {
    let output = command().args(arguments).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran {
        code: output.status.code().expect("the binary exits by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The output of a run that goes well.
fn printed(arguments: &[&str]) -> String {
    let Ran { code, stdout, stderr } = run(arguments);
    assert_eq!(code, 0, "{arguments:?}\n{stdout}\n{stderr}");
    stdout
}

/// The one line of JSON of a run that goes well.
fn printed_json(arguments: &[&str]) -> Value {
    let stdout = printed(arguments);
    assert_eq!(stdout.lines().count(), 1, "{arguments:?}\n{stdout}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{stdout}"))
}

/// What is said on stderr by a run that fails: the error, and the hint if there is one.
fn refused(code: i32, arguments: &[&str]) -> (String, Option<String>) {
    let ran = run(arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout, "", "{arguments:?}: errors go to stderr");
    let mut lines = ran.stderr.lines();
    let error = lines.next().and_then(|line| line.strip_prefix("error: "));
    let error = error.unwrap_or_else(|| panic!("{arguments:?}: {}", ran.stderr)).to_owned();
    let hint = lines.next().map(|line| {
        line.strip_prefix("hint: ").unwrap_or_else(|| panic!("{arguments:?}: {line}")).to_owned()
    });
    assert_eq!(lines.next(), None, "{arguments:?}: {}", ran.stderr);
    // The house style of messages.
    for text in [Some(&error), hint.as_ref()].into_iter().flatten() {
        assert!(!text.ends_with('.'), "{arguments:?}: {text}");
        assert!(!text.starts_with(|c: char| c.is_ascii_uppercase()), "{arguments:?}: {text}");
    }
    (error, hint)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn file(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn oracle(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arena/tests/data");
    folder.join(name).to_str().unwrap().to_owned()
}

mod the_list_of_games {
    use super::*;

    #[test]
    fn names_every_game_and_its_options() {
        let stdout = printed(&["games"]);
        for name in GAMES {
            assert!(stdout.lines().any(|line| line.starts_with(name)), "{stdout}");
        }
        for option in ["--size", "--rounds", "--players", "--pieces FILE", "--move-limit"] {
            assert!(stdout.contains(option), "{option}\n{stdout}");
        }
    }

    #[test]
    fn is_the_same_as_json() {
        let list = printed_json(&["games", "--json"]);
        let names: Vec<&str> =
            list.as_array().unwrap().iter().filter_map(|game| game["name"].as_str()).collect();
        assert_eq!(names, GAMES);
        assert_eq!(keys(&list[0]), ["name", "title", "summary", "options"]);
        assert_eq!(keys(&list[1]["options"][0]), ["name", "value", "help", "default", "is_file"]);
    }
}

mod the_rules {
    use super::*;

    #[test]
    fn are_a_page_for_every_game() {
        for name in GAMES {
            let page = printed(&["rules", name]);
            assert!(page.starts_with("# "), "{name}: {page}");
            assert!(page.len() > 1_000, "{name}");
            assert_eq!(printed(&["rules", name, "--markdown"]), page);
        }
    }

    #[test]
    fn of_an_unknown_game_are_not_known() {
        let (error, hint) = refused(2, &["rules", "in trap"]);
        assert_eq!(error, "unknown game `in trap`");
        assert!(hint.unwrap().starts_with("did you mean `in-trap`? known games: "));
    }
}

mod showing {
    use super::*;

    #[test]
    fn amazons_draws_files_and_ranks() {
        let expected = "
   a  b  c  d
4  .  q  q  .  4
3  .  .  .  Q  3
2  .  .  .  *  2
1  .  Q  .  .  1
   a  b  c  d

arrows: 1
black to choose an amazon
position: 1qq1/3Q/3*/1Q2 b
";
        let stdout = printed(&["show", "amazons", "--position", "1qq1/4/4/1QQ1 w", "--ascii"]);
        assert!(stdout.contains("white to choose an amazon"), "{stdout}");
        let start = ["--position", "1qq1/4/4/1QQ1 w", "--ascii", "--moves", "c1-d2/d1"];
        let stdout = printed(&[&["show", "amazons"], &start[..]].concat());
        assert!(stdout.ends_with("position: 1qq1/4/3Q/1Q1* b\n"), "{stdout}");
        let position = ["--position", "1qq1/3Q/3*/1Q2 b", "--ascii"];
        assert_eq!(printed(&[&["show", "amazons"], &position[..]].concat()), &expected[1..]);
    }

    #[test]
    fn watch_your_back_draws_corners_and_pieces() {
        let stdout = printed(&["show", "watch-your-back", "--ascii", "--moves", "3,2; 3,3"]);
        let rows: Vec<&str> = stdout.lines().collect();
        assert_eq!(rows[0], "   0  1  2  3  4  5  6  7");
        assert_eq!(rows[1], "0  X  .  .  .  .  .  .  X  0");
        assert_eq!(rows[3], "2  .  .  .  W  .  .  .  .  2");
        assert_eq!(rows[4], "3  .  .  .  B  .  .  .  .  3");
        assert_eq!(rows.last().unwrap(), &"position: X6X/8/3W4/3B4/8/8/8/X6X placing 2");
    }

    #[test]
    fn in_trap_draws_signs_and_mana() {
        let moves = "move SP north; spawn FL south";
        let stdout = printed(&["show", "in-trap", "--ascii", "--moves", moves]);
        assert!(stdout.contains("1    .    .    .    .  FL2    .  1\n"), "{stdout}");
        assert!(stdout.contains("4    .  SP1    .    .    .    .  4\n"), "{stdout}");
        assert!(stdout.contains("player 1 mana: 5\n"), "{stdout}");
        assert!(stdout.contains("player 2 mana: 1\n"), "{stdout}");
        assert!(stdout.ends_with(" 1 5,1 2\n"), "{stdout}");
    }

    #[test]
    fn game17_draws_owners_and_stacks() {
        let position = "0:8,3:4/1:4,2:4 0,3,2,1 0 0";
        let show = |moves: &str| {
            printed(&["show", "game17", "--position", position, "--ascii", "--moves", moves])
        };
        let stdout = show("-");
        assert!(stdout.contains("0  0:8  3:4  0\n1  1:4  2:4  1\n"), "{stdout}");
        assert!(stdout.ends_with("position: 0:8,3:4/1:4,2:4 0,3,2,1 0 1\n"), "{stdout}");
        // Four against four: a coin decides, and `roll` says how it fell.
        let stdout = show("0,0:e4; roll 1");
        assert!(stdout.ends_with("position: 0:4,0:8/1:4,2:4 0,3,2,1 0 2\n"), "{stdout}");
        let stdout = show("0,0:e4; roll 0");
        assert!(stdout.ends_with("position: 0:4,3:8/1:4,2:4 0,3,2,1 0 1\n"), "{stdout}");
        let arguments = ["--position", position, "--moves", "0,0:e4; -"];
        let (error, hint) = refused(1, &[&["show", "game17"], &arguments[..]].concat());
        assert_eq!(error, "move 2: a chance event comes before `-`");
        assert_eq!(hint.unwrap(), "settle it with `roll 0` or `roll 1`");
    }

    #[test]
    fn without_ascii_uses_symbols() {
        assert!(printed(&["show", "amazons"]).contains('♕'));
        assert!(printed(&["show", "watch-your-back"]).contains('✕'));
        for name in GAMES {
            assert!(printed(&["show", name, "--ascii"]).is_ascii(), "{name}");
        }
    }

    #[test]
    fn the_same_seed_deals_the_same_board() {
        let deal = |seed: &str| printed(&["show", "game17", "--size", "3", "--seed", seed]);
        assert_eq!(deal("7"), deal("7"));
        assert_ne!(deal("7"), deal("8"));
    }

    #[test]
    fn as_json_has_the_documented_keys() {
        for name in GAMES {
            let shown = printed_json(&["show", name, "--json"]);
            let expected = ["game", "options", "position", "turn", "payoffs", "view"];
            assert_eq!(keys(&shown), expected, "{name}");
            assert_eq!(shown["game"], name);
            assert_eq!(keys(&shown["turn"]), ["who", "seat", "name"], "{name}");
            assert_eq!(shown["turn"]["who"], "player");
            let view = &shown["view"];
            let expected = [
                "rows",
                "columns",
                "wraps",
                "row_labels",
                "column_labels",
                "squares",
                "panels",
                "status",
            ];
            assert_eq!(keys(view), expected, "{name}");
            let squares = view["squares"].as_array().unwrap().len() as u64;
            let area = view["rows"].as_u64().unwrap() * view["columns"].as_u64().unwrap();
            assert_eq!(squares, area, "{name}");
            // What was shown can be shown again.
            let position = shown["position"].as_str().unwrap();
            let again = printed_json(&["show", name, "--json", "--position", position]);
            assert_eq!(again["view"], *view, "{name}");
        }
    }

    #[test]
    fn a_finished_game_as_json_says_who_won() {
        let shown = printed_json(&["show", "amazons", "--position", "Q*/*q w", "--json"]);
        assert_eq!(shown["turn"], json!({"who": "over"}));
        assert_eq!(shown["payoffs"], json!([-1.0, 1.0]));
        let arguments =
            ["--position", "0:8,3:4/1:4,2:4 0,3,2,1 0 0", "--moves", "0,0:e4", "--json"];
        let shown = printed_json(&[&["show", "game17"], &arguments[..]].concat());
        assert_eq!(shown["turn"], json!({"who": "chance", "sides": 2}));
    }
}

mod a_mistake {
    use super::*;

    #[test]
    fn in_a_move_is_told_with_its_place() {
        let moves = "b1-b4/e4; e6-e5/b4";
        let (error, hint) = refused(1, &["show", "amazons", "--size", "6", "--moves", moves]);
        assert_eq!(
            error,
            "move 2: illegal turn `e6-e5/b4` for black: `b4` is not in line with `e5`"
        );
        assert!(hint.unwrap().contains("`skirmish legal`"));
        let (error, _) = refused(1, &["show", "in-trap", "--moves", "spawn FL north"]);
        assert!(error.ends_with("`FL` costs 5 mana and 4 are left"), "{error}");
        let (error, _) = refused(1, &["legal", "watch-your-back", "--moves", "3,7"]);
        assert_eq!(error, "move 1: illegal turn `3,7` for white: white places on rows 0 to 5");
        let (error, _) =
            refused(1, &["show", "amazons", "--position", "Q*/*q w", "--moves", "a1-a2/a1"]);
        assert_eq!(error, "move 1: the game is over");
    }

    #[test]
    fn in_the_text_of_a_move_is_told_with_the_right_form() {
        for (game, text, form) in [
            ("amazons", "hello!", "a turn reads like `d1-d7/g7`"),
            ("watch-your-back", "9,9", "squares go from `0,0` to `7,7`"),
            ("in-trap", "jump FL", "a turn is `spawn PIECE direction`"),
            ("game17", "up", "an order is `row,column:`"),
        ] {
            let (error, hint) = refused(2, &["show", game, "--moves", text]);
            assert!(error.starts_with("move 1: "), "{error}");
            assert!(hint.as_ref().unwrap().contains(form), "{hint:?}");
        }
    }

    #[test]
    fn in_the_name_of_a_game_is_told_with_what_was_meant() {
        for arguments in [
            &["show", "amazon"][..],
            &["legal", "amazon"],
            &["perft", "amazon", "--depth", "1"],
            &["playouts", "amazon"],
            &["rules", "amazon"],
            &["demo", "--games", "amazon"],
        ] {
            let (error, hint) = refused(2, arguments);
            assert_eq!(error, "unknown game `amazon`");
            let known = "watch-your-back, game17, in-trap, amazons";
            assert_eq!(hint.unwrap(), format!("did you mean `amazons`? known games: {known}"));
        }
    }

    #[test]
    fn in_an_option_is_told_with_what_it_may_be() {
        for (arguments, error, hint) in [
            (
                &["show", "amazons", "--rounds", "3"][..],
                "`amazons` has no option `rounds`",
                "`amazons` has the options size, amazons",
            ),
            (
                &["show", "amazons", "--size", "9by7"],
                "option `size` cannot be `9by7`",
                "`size` is a number like `8`, or columns and rows like `9x7`, each from 2 to 26",
            ),
            (
                &["show", "game17", "--size", "21"],
                "option `size` cannot be `21`",
                "`size` is a whole number from 1 to 20",
            ),
            (
                &["show", "watch-your-back", "--move-limit", "0"],
                "option `move_limit` cannot be `0`",
                "`move_limit` is a whole number from 1 to 1000000, or `none`",
            ),
            (
                &["show", "game17", "--size", "2", "--players", "0,4"],
                "option `players` cannot be `0,4`",
                "`players` is `none`, `all`, or different owners from 0 to 3, as in `0,5,17`",
            ),
        ] {
            assert_eq!(refused(2, arguments), (error.to_owned(), Some(hint.to_owned())));
        }
    }

    #[test]
    fn in_the_command_line_is_told_by_its_parser() {
        for arguments in [
            &["show", "amazons", "--colour-of-the-sky", "blue"][..],
            &["show"],
            &["shew", "amazons"],
            &["perft", "amazons"],
            &["perft", "amazons", "--depth", "many"],
            &["show", "amazons", "--seed", "-1"],
            &["verify"],
            &["playouts", "amazons", "--choice", "wisely"],
        ] {
            let ran = run(arguments);
            assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
            assert_eq!(ran.stdout, "");
            assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
            assert!(ran.stderr.contains("--help"), "{}", ran.stderr);
        }
    }

    #[test]
    fn in_a_position_is_told_with_its_place_and_the_right_form() {
        for (game, position, error, form) in [
            (
                "amazons",
                "3q2q3/10/10/q8q/10/10/Q8Q/10/3Q2Q w",
                "row 9 from the top, `3Q2Q`, has 7 squares where 10 belong",
                "a position reads like `3q2q3/10/",
            ),
            (
                "watch-your-back",
                "X6X/8/8/8/8/8/X6X placing 0",
                "the board has 7 rows where 8 belong",
                "a position reads like `X6X/8/",
            ),
            (
                "in-trap",
                "....,SP2,./....../....../....../....../.,SP1,.... 3 4,5 0",
                "the player to move is `3`",
                "the player to move is `1` or `2`",
            ),
            (
                "game17",
                "0:4,3:4/1:4 0,3,2,1 0 0",
                "row 1 of the position has 1 squares, but the board has 2 columns",
                "a position is `SQUARES TURN-ORDER ROUND PLACE`",
            ),
        ] {
            let (found, hint) = refused(2, &["show", game, "--position", position]);
            assert_eq!(found, error);
            assert!(hint.as_ref().unwrap().starts_with(form), "{hint:?}");
        }
    }
}

mod legal {
    use super::*;

    #[test]
    fn turns_are_as_many_as_the_rules_say() {
        for (arguments, count) in [
            (&["legal", "amazons"][..], 2_176),
            (&["legal", "amazons", "--size", "6"], 544),
            (&["legal", "watch-your-back"], 46),
            (&["legal", "in-trap"], 8),
            (&["legal", "amazons", "--steps"], 4),
            (&["legal", "game17", "--size", "3"], 17),
            (&["legal", "amazons", "--position", "Q*/*q w"], 0),
        ] {
            assert_eq!(printed(arguments).lines().count(), count, "{arguments:?}");
        }
    }

    #[test]
    fn turns_can_be_played_as_they_are_listed() {
        let listed = printed(&["legal", "amazons", "--size", "4"]);
        for turn in listed.lines().step_by(17) {
            printed(&["show", "amazons", "--size", "4", "--moves", turn]);
        }
    }

    #[test]
    fn steps_as_json_point_at_squares() {
        let found = printed_json(&["legal", "amazons", "--size", "4", "--steps", "--json"]);
        assert_eq!(keys(&found), ["game", "options", "position", "turn", "steps"]);
        assert_eq!(found["steps"][0], json!({"text": "a2-", "path": [8]}));
        let found = printed_json(&["legal", "watch-your-back", "--json"]);
        assert_eq!(keys(&found), ["game", "options", "position", "turn", "turns", "steps"]);
        assert_eq!(found["turns"].as_array().unwrap().len(), 46);
    }
}

mod counting {
    use super::*;

    /// The count alone on the last line, and nothing before it.
    fn perft(arguments: &[&str]) -> u64 {
        let stdout = printed(&[&["perft"], arguments].concat());
        stdout.trim_end_matches('\n').parse().unwrap_or_else(|_| panic!("{arguments:?}: {stdout}"))
    }

    #[test]
    fn agrees_with_the_published_table() {
        let table = std::fs::read_to_string(oracle("amazons.perft.txt")).unwrap();
        let mut lines = 0;
        for line in table.lines() {
            let fields: Vec<&str> = line.split(';').map(str::trim).collect();
            let leaves: u64 = fields[2].parse().unwrap();
            if leaves < 500_000 {
                let found = perft(&["amazons", "--position", fields[0], "--depth", fields[1]]);
                assert_eq!(found, leaves, "{line}");
                lines += 1;
            }
        }
        assert_eq!(lines, 14);
    }

    #[test]
    fn works_for_every_game() {
        // White has 46 squares; 32 of them are also Black's, who has 46 as well.
        assert_eq!(perft(&["watch-your-back", "--depth", "2"]), 32 * 45 + 14 * 46);
        // Only the second player can pay for a piece: eight of them, onto eight squares.
        assert_eq!(perft(&["in-trap", "--depth", "2"]), 8 * (8 + 8 * 8));
        assert_eq!(perft(&["game17", "--depth", "1"]), 74);
        assert_eq!(perft(&["amazons", "--depth", "0"]), 1);
        assert_eq!(perft(&["amazons", "--position", "Q*/*q w", "--depth", "3"]), 0);
    }

    #[test]
    fn divided_adds_up_on_any_number_of_threads() {
        let divide = |threads: &str| {
            let four = ["amazons", "--size", "4x4", "--amazons", "2", "--depth", "2"];
            printed(&[&["perft"], &four[..], &["--divide", "--threads", threads]].concat())
        };
        let one = divide("1");
        assert_eq!(one, divide("2"));
        let (turns, total): (Vec<&str>, Vec<&str>) =
            one.lines().partition(|line| line.contains(':'));
        assert_eq!(total, [*one.lines().last().as_ref().unwrap()]);
        assert_eq!(turns.len(), 100);
        let below: u64 =
            turns.iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
        assert_eq!(below.to_string(), total[0]);
        assert_eq!(below, 6_544);
    }

    #[test]
    fn as_json_has_the_documented_keys() {
        let found = printed_json(&["perft", "amazons", "--size", "4", "--depth", "1", "--json"]);
        let expected =
            ["game", "position", "depth", "leaves", "cpu_seconds", "leaves_per_cpu_second"];
        assert_eq!(keys(&found), expected);
        let found = printed_json(&[
            "perft",
            "in-trap",
            "--depth",
            "1",
            "--divide",
            "--threads",
            "2",
            "--json",
        ]);
        assert_eq!(found["divide"][0], json!({"turn": "move SP northwest", "leaves": 1}));
    }
}

mod verifying {
    use super::*;

    #[test]
    fn several_files_ends_with_one_total() {
        let folder = TempDir::new().unwrap();
        let table = file(&folder, "table.txt", "# counts\n1qq1/4/4/1QQ1 w ; 2 ; 6544\n");
        let files = [oracle("in-trap.jsonl.gz"), oracle("amazons.jsonl.gz"), table];
        for threads in ["1", "2"] {
            let arguments = ["verify", &files[0], &files[1], &files[2], "--threads", threads];
            let stdout = printed(&arguments);
            let lines: Vec<&str> = stdout.lines().collect();
            assert_eq!(lines.len(), 4, "{stdout}");
            assert!(lines[0].ends_with(": 200 games, 14,553 positions, 0 mismatches"), "{stdout}");
            assert!(lines[1].ends_with(": 60 games, 3,240 positions, 0 mismatches"), "{stdout}");
            assert!(lines[2].ends_with(": 1 perft count, 0 mismatches"));
            assert_eq!(lines[3], "verified 260 games, 17793 positions, 0 mismatches");
        }
    }

    #[test]
    fn a_mismatch_exits_with_1_and_says_where() {
        let folder = TempDir::new().unwrap();
        let game = r#"{"game":"amazons","start":"1qq1/4/4/1QQ1 w","moves":["c1-d2/d1"],
            "positions":[{"legal_count":100},{"fen":"1qq1/4/3Q/1Q1* w"}]}"#
            .replace('\n', "");
        let path = file(&folder, "games.jsonl", format!("{game}\n"));
        let ran = run(&["verify", &path]);
        assert_eq!(ran.code, 1);
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(lines[0], format!("{path}: 1 game, 2 positions, 1 mismatch"));
        let difference = "expected \"1qq1/4/3Q/1Q1* w\", found \"1qq1/4/3Q/1Q1* b\"";
        assert_eq!(lines[1], format!("{path}:1: ply 1: fen: {difference}"));
        assert_eq!(lines[2], "verified 1 games, 2 positions, 1 mismatches");

        let json = run(&["verify", &path, "--json"]);
        assert_eq!(json.code, 1);
        let found: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(keys(&found), ["games", "positions", "counts", "mismatches", "first"]);
        let first = &found["first"][0];
        assert_eq!(keys(first), ["file", "line", "ply", "what", "expected", "found"]);
        assert_eq!(
            (&first["line"], &first["ply"], &first["what"]),
            (&json!(1), &json!(1), &json!("fen"))
        );
    }

    #[test]
    fn what_cannot_be_read_exits_with_2_and_says_where() {
        let folder = TempDir::new().unwrap();
        let cut = file(&folder, "cut.jsonl", "\n{\"game\":\"amazons\",\"moves\":[\"d1-d7");
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&b"# nothing but remarks here\n".repeat(1_000)).unwrap();
        let packed = packed.finish().unwrap();
        let cut_gzip = file(&folder, "cut.jsonl.gz", &packed[..packed.len() / 2]);
        let missing = folder.path().join("missing.jsonl").to_str().unwrap().to_owned();
        let chess = file(&folder, "chess.jsonl", "{\"game\":\"chess\"}\n");
        for (path, place, what) in [
            (&cut, ":2: ", "the line is cut in the middle"),
            (&cut_gzip, ":", "cannot read"),
            (&missing, ": ", "cannot open"),
            (&chess, ":1: ", "a trace of the unknown game `chess`"),
        ] {
            let (error, _) = refused(2, &["verify", path]);
            assert!(error.starts_with(&format!("{path}{place}")), "{error}");
            assert!(error.contains(what), "{error}");
        }
        // A sound file before it is told, and the total is not: there is none.
        let sound = file(&folder, "sound.txt", "1qq1/4/4/1QQ1 w ; 1 ; 100\n");
        let ran = run(&["verify", &sound, &cut]);
        assert_eq!(ran.code, 2);
        assert!(!ran.stdout.contains("verified"), "{}", ran.stdout);
    }
}

mod random_games {
    use super::*;

    #[test]
    fn are_the_same_on_any_number_of_threads() {
        for name in GAMES {
            let play = |threads: &str| {
                let mut arguments = vec!["playouts", name, "--games", "200", "--seed", "5"];
                if name == "game17" {
                    arguments.extend(["--size", "5"]);
                }
                arguments.extend(["--threads", threads, "--json"]);
                printed_json(&arguments)
            };
            let (one, two) = (play("1"), play("2"));
            let expected = [
                "game",
                "options",
                "choice",
                "seed",
                "games",
                "turns",
                "shortest",
                "longest",
                "mean_length",
                "results",
                "endings",
                "cpu_seconds",
                "games_per_cpu_second",
                "turns_per_cpu_second",
                "checksum",
            ];
            assert_eq!(keys(&one), expected);
            for key in ["games", "turns", "shortest", "longest", "results", "endings", "checksum"] {
                assert_eq!(one[key], two[key], "{name}: {key}");
            }
            assert_eq!(one["games"], 200);
        }
    }

    #[test]
    fn are_drawn_in_the_way_that_is_asked_for_and_printed() {
        let checksum = |choice: &str| {
            let arguments =
                ["playouts", "amazons", "--size", "5", "--games", "50", "--choice", choice];
            let stdout = printed(&arguments);
            let first = format!("50 random games of amazons, choice by {choice}, seed 0");
            assert_eq!(stdout.lines().next(), Some(first.as_str()));
            stdout.lines().last().unwrap().to_owned()
        };
        let mut checksums = ["steps", "two-stage", "turns"].map(checksum);
        checksums.sort();
        assert!(checksums.iter().all(|line| line.starts_with("checksum ")), "{checksums:?}");
        assert!(checksums.windows(2).all(|pair| pair[0] != pair[1]), "{checksums:?}");
        let usual = printed(&["playouts", "amazons", "--size", "5", "--games", "1"]);
        assert!(usual.contains("choice by two-stage"), "{usual}");
    }

    #[test]
    fn by_a_choice_the_game_does_not_offer_are_refused() {
        let (error, hint) = refused(2, &["playouts", "in-trap", "--choice", "two-stage"]);
        assert_eq!(error, "`in-trap` cannot be played by the choice `two-stage`");
        assert_eq!(hint.unwrap(), "it offers steps, turns");
    }

    #[test]
    fn may_be_none_and_may_be_cut_short() {
        let none = printed_json(&["playouts", "in-trap", "--games", "0", "--json"]);
        assert_eq!((&none["games"], &none["turns"]), (&json!(0), &json!(0)));
        let arguments = ["--games", "10", "--most-turns", "5", "--json"];
        let short = printed_json(&[&["playouts", "watch-your-back"], &arguments[..]].concat());
        assert_eq!(short["results"], json!({"unfinished": 10}));
        assert_eq!(short["turns"], 50);
    }
}

/// Changes only when behaviour does: a commit that changes it says why.
const SIGNATURE: u64 = 3_363_518_983;

#[test]
fn the_bench_answers_as_it_always_did() {
    let stdout = printed(&["bench", "--quick"]);
    assert_eq!(stdout.lines().last(), Some(format!("signature: {SIGNATURE}").as_str()), "{stdout}");
}

#[test]
fn one_path_of_the_bench_may_be_run_alone() {
    let benched = printed_json(&["bench", "--quick", "--only", "watch-your-back perft", "--json"]);
    assert_eq!(keys(&benched), ["signature", "bit_instructions", "paths"]);
    let paths = benched["paths"].as_array().unwrap();
    assert_eq!(paths.len(), 1);
    assert_eq!((&paths[0]["work"], &paths[0]["unit"]), (&json!(92_342), &json!("leaves")));
    assert_eq!(keys(&paths[0]), ["name", "unit", "work", "per_cpu_second", "answer"]);
}

#[test]
#[cfg(target_os = "linux")]
fn the_bench_times_the_referee_and_holds_it_to_its_results() {
    let benched = printed_json(&["bench", "--quick", "--only", "refereed", "--json"]);
    let referee = &benched["referee"];
    assert_eq!(keys(referee), ["games", "games_per_second", "cpu_us_per_turn", "answer"]);
    assert_eq!((&referee["games"], &referee["answer"]), (&json!(20), &json!("cbb03fd6fb7a9192")));
}

#[test]
fn the_demo_plays_a_game_of_each() {
    let stdout = printed(&["demo", "--ascii"]);
    for title in ["Watch Your Back!", "Game 17", "In-Trap", "Game of the Amazons"] {
        assert!(stdout.lines().any(|line| line.starts_with(title)), "{title}\n{stdout}");
    }
    assert_eq!(stdout.matches("at the end:").count(), 4);
    assert_eq!(stdout, printed(&["demo", "--ascii"]), "the same seed plays the same games");
    let one = printed(&["demo", "--ascii", "--games", "in-trap", "--seed", "3"]);
    assert!(one.starts_with("In-Trap"), "{one}");
    assert_eq!(one.matches("at the end:").count(), 1);
}

#[test]
fn the_records_of_the_demo_replay() {
    let folder = TempDir::new().unwrap();
    let records = folder.path().join("new/records");
    let ran = run(&["demo", "--records", records.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("wrote ").count(), 4, "{}", ran.stderr);
    for name in GAMES {
        let text = std::fs::read_to_string(records.join(format!("{name}.json"))).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        for key in ["format", "game", "options", "start", "seed", "events", "result"] {
            assert!(!value[key].is_null(), "{name} has no `{key}`");
        }
        let record: Record = serde_json::from_str(&text).unwrap();
        let table = record.replay(usize::MAX).unwrap();
        assert_eq!(table.payoffs(), record.result.unwrap().payoffs, "{name}");
    }
}

mod help {
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
}

mod a_closed_pipe {
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
}

mod pieces_of_ones_own {
    use super::*;

    fn standard() -> Value {
        let text = include_str!("../../rules/src/games/in_trap/pieces.json");
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn are_read_from_a_file() {
        let folder = TempDir::new().unwrap();
        let mut pieces = standard();
        pieces.as_array_mut().unwrap().truncate(2);
        pieces[1]["display"] = json!("Ä");
        pieces[1]["cost"] = json!(1);
        let path = file(&folder, "pieces.json", pieces.to_string());
        let listed = printed(&["legal", "in-trap", "--pieces", &path]);
        assert_eq!(listed.lines().filter(|line| line.starts_with("spawn Ä ")).count(), 8);
        let shown = printed_json(&["show", "in-trap", "--pieces", &path, "--json"]);
        assert_eq!(shown["options"]["pieces"], pieces);
        let same = file(&folder, "standard.json", standard().to_string());
        let plain = printed(&["playouts", "in-trap", "--games", "50", "--json"]);
        let plain: Value = serde_json::from_str(&plain).unwrap();
        let same =
            printed_json(&["playouts", "in-trap", "--games", "50", "--pieces", &same, "--json"]);
        assert_eq!(same["checksum"], plain["checksum"]);
    }

    #[test]
    fn that_are_wrong_are_refused_with_what_and_where() {
        let folder = TempDir::new().unwrap();
        let with = |path: &str, value: Value| {
            let mut pieces = standard();
            *pieces.pointer_mut(path).unwrap() = value;
            pieces.to_string()
        };
        for (content, error, hint) in [
            (
                with("/2/cost", json!(-5)),
                "option `pieces`: piece 3 (`Jumper`): `cost` is `-5`",
                "a cost is a whole number from 0 to 1000000",
            ),
            (
                with("/1/display", json!("F L")),
                "option `pieces`: piece 2 (`Flier`): `display` is `F L`",
                "a sign has 1 to 8 characters",
            ),
            (
                with("/3/display", json!("SP")),
                "piece 4 (`Dasher`): `display` is `SP`, and so is that of piece 1",
                "every piece needs a sign of its own",
            ),
            (
                with("/4/movement/1", json!([1, 0])),
                "row 2 of `movement` has 2 entries, not 3 numbers",
                "`movement` is three rows of three distances",
            ),
            (
                "{}".to_owned(),
                "the pieces are an object, not a list",
                "a pieces file is a JSON list",
            ),
            ("[]".to_owned(), "there are 0 pieces in the list", "a set has 1 to 64 pieces"),
        ] {
            let path = file(&folder, "wrong.json", content);
            let (found, found_hint) = refused(2, &["show", "in-trap", "--pieces", &path]);
            assert!(found.contains(error), "{found}");
            let found_hint = found_hint.expect("what would be right");
            assert!(found_hint.contains(hint), "{found_hint}");
        }
        let path = file(&folder, "cut.json", "[{\"name\": \"Spaw");
        let (error, _) = refused(2, &["show", "in-trap", "--pieces", &path]);
        assert!(error.starts_with(&format!("{path}: not JSON: ")), "{error}");
        let missing = folder.path().join("none.json").to_str().unwrap().to_owned();
        let (error, _) = refused(2, &["show", "in-trap", "--pieces", &missing]);
        assert!(error.starts_with(&format!("{missing}: cannot open: ")), "{error}");
        let large = file(&folder, "large.json", " ".repeat((1 << 20) + 1));
        let (error, _) = refused(2, &["show", "in-trap", "--pieces", &large]);
        assert_eq!(error, format!("{large}: is larger than 1 MiB"));
        let (error, _) = refused(2, &["show", "amazons", "--pieces", &large]);
        assert_eq!(error, "`amazons` has no option `pieces`");
    }
}

mod colour {
    use super::*;

    const ESCAPE: char = '\u{1b}';

    #[test]
    fn is_used_when_asked_for_and_not_in_a_pipe() {
        for arguments in [&["show", "amazons"][..], &["games"], &["demo", "--games", "in-trap"]] {
            let with = |when: &str| printed(&[arguments, &["--color", when]].concat());
            assert!(with("always").contains(ESCAPE), "{arguments:?}");
            assert!(!with("never").contains(ESCAPE), "{arguments:?}");
            assert!(!with("auto").contains(ESCAPE), "{arguments:?}");
            assert!(!printed(arguments).contains(ESCAPE), "{arguments:?}");
        }
        assert!(!run(&["show", "amazon"]).stderr.contains(ESCAPE));
        assert!(run(&["show", "amazon", "--color", "always"]).stderr.contains(ESCAPE));
        assert!(!printed(&["show", "amazons", "--json", "--color", "always"]).contains(ESCAPE));
    }

    #[test]
    fn tells_nothing_that_plain_text_does_not() {
        let plain = printed(&["show", "game17", "--size", "3", "--color", "never"]);
        let coloured = printed(&["show", "game17", "--size", "3", "--color", "always"]);
        let mut stripped = String::new();
        let mut in_escape = false;
        for sign in coloured.chars() {
            match (in_escape, sign) {
                (false, ESCAPE) => in_escape = true,
                (false, sign) => stripped.push(sign),
                (true, 'm') => in_escape = false,
                (true, _) => {}
            }
        }
        assert_eq!(stripped, plain);
    }
}
