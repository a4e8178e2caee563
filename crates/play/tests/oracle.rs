//! The oracle: games played and turns counted by programs that are not ours, and whether we would
//! notice if we differed.
//!
//! `data/` holds random and capture-greedy games of the original referees and of other people's
//! programs, chosen so that the rare rules occur, and a table of perft counts of Amazons.

use std::io::{BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use skirmish_play::trace::{Mismatch, Report, TraceError, verify, verify_lines};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn text_of(name: &str) -> String {
    let mut text = String::new();
    let file = std::fs::File::open(data(name)).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

/// Verifies text as if it were a file of this name.
fn verify_text(text: &str) -> Result<Report, TraceError> {
    verify_bytes(text.as_bytes())
}

fn verify_bytes(bytes: &[u8]) -> Result<Report, TraceError> {
    verify_lines(Path::new("games.jsonl"), &mut Cursor::new(bytes))
}

mod everything_in_the_data_is_reproduced {
    use super::*;

    fn holds(name: &str, games: u64, positions: u64) {
        let report = verify(&data(name), &|_| ()).unwrap();
        let first: Vec<String> = report.first.iter().map(Mismatch::to_string).collect();
        assert_eq!(report.mismatches, 0, "{first:#?}");
        assert_eq!((report.games, report.positions, report.counts), (games, positions, 0));
    }

    #[test]
    fn by_the_games_of_watch_your_back() {
        holds("watch-your-back.jsonl.gz", 300, 55_887);
    }

    #[test]
    fn by_the_games_of_in_trap() {
        holds("in-trap.jsonl.gz", 200, 14_553);
    }

    #[test]
    fn by_the_games_of_game17() {
        holds("game17.jsonl.gz", 56, 9_222);
    }

    #[test]
    fn by_the_games_of_amazons() {
        holds("amazons.jsonl.gz", 60, 3_240);
    }

    #[test]
    fn by_the_counts_of_amazons() {
        let report = verify(&data("amazons.perft.txt"), &|_| ()).unwrap();
        assert_eq!(report.first, []);
        assert_eq!((report.games, report.positions, report.counts), (0, 0, 23));
    }
}

/// The `number`-th game of a file, from 0.
fn game(name: &str, number: usize) -> Value {
    let text = text_of(&format!("{name}.jsonl.gz"));
    serde_json::from_str(text.lines().nth(number).expect("the file has so many games")).unwrap()
}

/// The `number`-th game cut after so many moves, so that tests stay quick.
fn short_game(name: &str, number: usize, moves: usize) -> Value {
    let mut game = game(name, number);
    for (key, length) in [("moves", moves), ("positions", moves + 1), ("turns", moves)] {
        if let Some(list) = game.get_mut(key).and_then(Value::as_array_mut) {
            list.truncate(length);
        }
    }
    let object = game.as_object_mut().unwrap();
    object.remove("winner");
    object.remove("scores");
    game
}

/// Puts a spoilt game on line 3, after a sound one and a remark, and expects exactly one mismatch.
fn notices(sound: &Value, spoil: impl FnOnce(&mut Value)) -> Mismatch {
    let mut spoilt = sound.clone();
    spoil(&mut spoilt);
    assert_ne!(&spoilt, sound, "nothing was spoilt");
    let report = verify_text(&format!("{sound}\n# a remark\n{spoilt}\n{sound}\n")).unwrap();
    let first: Vec<String> = report.first.iter().map(Mismatch::to_string).collect();
    assert_eq!(report.mismatches, 1, "{first:#?}");
    assert_eq!(report.games, 3);
    let mismatch = report.first.into_iter().next().unwrap();
    assert_eq!((mismatch.line, mismatch.file.to_str()), (3, Some("games.jsonl")));
    mismatch
}

/// Where the mismatch is and what differs.
fn place(mismatch: &Mismatch) -> (usize, &str) {
    (mismatch.ply.expect("a mismatch in a game has a ply"), mismatch.what.as_str())
}

mod a_difference_is_noticed_in_watch_your_back {
    use super::*;

    fn sound() -> Value {
        short_game("watch-your-back", 0, 60)
    }

    #[test]
    fn a_piece_that_stands_elsewhere() {
        let mismatch = notices(&sound(), |game| {
            let row = &mut game["positions"][5]["board"][7];
            assert_eq!(*row, "X------X");
            *row = json!("X--W---X");
        });
        assert_eq!(place(&mismatch), (5, "board"));
        assert!(mismatch.expected.contains("X--W---X"), "{mismatch}");
        assert!(!mismatch.found.contains("X--W---X"), "{mismatch}");
    }

    #[test]
    fn a_legal_move_that_is_missing() {
        let mut gone = Value::Null;
        let mismatch = notices(&sound(), |game| {
            gone = game["positions"][30]["legal"].as_array_mut().unwrap().remove(2);
        });
        assert_eq!(place(&mismatch), (30, "legal"));
        assert!(mismatch.found.contains(gone.as_str().unwrap()), "{mismatch}");
    }

    #[test]
    fn a_legal_move_too_many() {
        let mismatch = notices(&sound(), |game| {
            game["positions"][30]["legal"].as_array_mut().unwrap().push(json!("pass"));
        });
        assert_eq!(place(&mismatch), (30, "legal"));
    }

    #[test]
    fn another_player_to_move() {
        let mismatch = notices(&sound(), |game| game["positions"][4]["to_move"] = json!("black"));
        assert_eq!(place(&mismatch), (4, "to_move"));
        assert_eq!(
            (mismatch.expected.as_str(), mismatch.found.as_str()),
            ("\"black\"", "\"white\"")
        );
    }

    #[test]
    fn another_phase() {
        let mismatch = notices(&sound(), |game| game["positions"][24]["phase"] = json!("placing"));
        assert_eq!(place(&mismatch), (24, "phase"));
    }

    #[test]
    fn another_count_of_turns() {
        let mismatch = notices(&sound(), |game| game["positions"][60]["turn"] = json!(35));
        assert_eq!(place(&mismatch), (60, "turn"));
        assert_eq!((mismatch.expected.as_str(), mismatch.found.as_str()), ("35", "36"));
    }

    #[test]
    fn another_winner() {
        let whole = game("watch-your-back", 0);
        let end = whole["moves"].as_array().unwrap().len();
        for other in ["white", "black", "draw"].map(Value::from).into_iter().chain([Value::Null]) {
            if whole["winner"] != other {
                let mismatch = notices(&whole, |game| game["winner"] = other);
                assert_eq!(place(&mismatch), (end, "winner"));
            }
        }
    }

    #[test]
    fn a_game_that_should_be_over_and_is_not() {
        let mismatch = notices(&sound(), |game| game["winner"] = json!("white"));
        assert_eq!(place(&mismatch), (60, "winner"));
        assert_eq!(mismatch.found, "null");
    }

    #[test]
    fn an_illegal_move() {
        let mismatch = notices(&sound(), |game| game["moves"][3] = json!("0,0"));
        assert_eq!(place(&mismatch), (3, "move"));
        assert_eq!(mismatch.expected, "`0,0`");
        assert_eq!(mismatch.found, "illegal turn `0,0` for black: `0,0` is a corner");
    }

    #[test]
    fn a_move_after_the_end() {
        let whole = game("watch-your-back", 0);
        let end = whole["moves"].as_array().unwrap().len();
        let mismatch = notices(&whole, |game| {
            game["moves"].as_array_mut().unwrap().push(json!("pass"));
            game.as_object_mut().unwrap().remove("positions");
        });
        assert_eq!(place(&mismatch), (end, "move"));
        assert_eq!(mismatch.found, "the game is over");
    }

    #[test]
    fn in_a_game_that_starts_elsewhere() {
        let whole = sound();
        let at = 40;
        let from = &whole["positions"][at];
        let mut later = whole.clone();
        for key in ["moves", "positions"] {
            later[key].as_array_mut().unwrap().drain(..at);
        }
        later["start"] = json!({
            "board": from["board"], "phase": from["phase"], "turn": from["turn"]
        });
        let report = verify_text(&later.to_string()).unwrap();
        assert_eq!((report.games, report.positions, report.mismatches), (1, 21, 0));
        let mismatch = notices(&later, |game| game["positions"][3]["turn"] = json!(0));
        assert_eq!(place(&mismatch), (3, "turn"));
        let mismatch = notices(&later, |game| game["moves"][0] = json!("0,1-0,3"));
        assert_eq!(place(&mismatch), (0, "move"));
    }
}

mod a_difference_is_noticed_in_in_trap {
    use super::*;

    fn sound() -> Value {
        short_game("in-trap", 0, 40)
    }

    #[test]
    fn a_piece_that_stands_elsewhere() {
        let mismatch = notices(&sound(), |game| game["positions"][0]["board"][3][3] = json!("FL1"));
        assert_eq!(place(&mismatch), (0, "board"));
    }

    #[test]
    fn other_mana() {
        let mismatch = notices(&sound(), |game| game["positions"][7]["mana"][1] = json!(99));
        assert_eq!(place(&mismatch), (7, "mana"));
        assert!(mismatch.expected.ends_with(",99]"), "{mismatch}");
    }

    #[test]
    fn another_player_to_move() {
        let mismatch = notices(&sound(), |game| game["positions"][7]["to_move"] = json!(1));
        assert_eq!(place(&mismatch), (7, "to_move"));
    }

    #[test]
    fn a_legal_move_that_is_missing() {
        let sound = sound();
        let positions = sound["positions"].as_array().unwrap();
        let listed = positions.iter().rposition(|moment| moment["legal"].is_array());
        let ply = listed.expect("some positions list their legal moves");
        let mismatch = notices(&sound, |game| {
            game["positions"][ply]["legal"].as_array_mut().unwrap().remove(0);
        });
        assert_eq!(place(&mismatch), (ply, "legal"));
    }

    #[test]
    fn another_winner() {
        let whole = game("in-trap", 0);
        let end = whole["moves"].as_array().unwrap().len();
        for other in 0..3 {
            if whole["winner"] != json!(other) {
                let mismatch = notices(&whole, |game| game["winner"] = json!(other));
                assert_eq!(place(&mismatch), (end, "winner"));
            }
        }
    }

    #[test]
    fn an_illegal_move() {
        let mismatch = notices(&sound(), |game| game["moves"][0] = json!("spawn FL north"));
        assert_eq!(place(&mismatch), (0, "move"));
        assert_eq!(
            mismatch.found,
            "illegal turn `spawn FL north` for player 1: `FL` costs 5 mana and 4 are left"
        );
    }
}

mod a_difference_is_noticed_in_game17 {
    use super::*;

    fn sound() -> Value {
        short_game("game17", 0, 30)
    }

    /// The first turn from which the predicate holds.
    fn turn_with(game: &Value, wanted: impl Fn(&Value) -> bool) -> usize {
        game["turns"].as_array().unwrap().iter().position(wanted).expect("there is such a turn")
    }

    fn has_entries(turn: &Value, key: &str) -> bool {
        turn[key].as_array().is_some_and(|list| !list.is_empty())
    }

    #[test]
    fn a_square_that_went_to_somebody_else() {
        let sound = sound();
        let turn = turn_with(&sound, |turn| has_entries(turn, "owners"));
        let mismatch = notices(&sound, |game| {
            let owner = &mut game["turns"][turn]["owners"][0][2];
            *owner = json!((owner.as_u64().unwrap() + 1) % 9);
        });
        assert_eq!(place(&mismatch), (turn, "owners"));
    }

    #[test]
    fn a_change_of_owner_that_is_not_listed() {
        // The third turn takes a square by outnumbering it, so no toss could explain it away.
        let mismatch = notices(&sound(), |game| {
            assert_eq!(game["turns"][1]["owners"], json!([[1, 1, 3]]));
            game["turns"][1]["owners"] = json!([]);
        });
        assert_eq!(place(&mismatch), (1, "owners"));
        assert_eq!((mismatch.expected.as_str(), mismatch.found.as_str()), ("[]", "[[1,1,3]]"));
    }

    #[test]
    fn another_number_of_pieces() {
        let mismatch = notices(&sound(), |game| game["turns"][0]["numbers"][0][2] = json!(6));
        assert_eq!(place(&mismatch), (0, "numbers"));
        assert!(mismatch.expected.starts_with("[[1,0,6]"), "{mismatch}");
        assert!(mismatch.found.starts_with("[[1,0,5]"), "{mismatch}");
    }

    #[test]
    fn another_round() {
        let mismatch = notices(&sound(), |game| game["turns"][3]["round"] = json!(1));
        assert_eq!(place(&mismatch), (3, "round"));
    }

    #[test]
    fn another_mover() {
        let mismatch = notices(&sound(), |game| game["turns"][3]["owner"] = json!(7));
        assert_eq!(place(&mismatch), (3, "owner"));
    }

    #[test]
    fn a_turn_that_was_skipped_and_should_count() {
        let mismatch = notices(&sound(), |game| game["turns"][2]["skipped"] = json!(true));
        assert_eq!(place(&mismatch), (2, "the turn"));
        assert_eq!((mismatch.expected.as_str(), mismatch.found.as_str()), ("skipped", "accepted"));
    }

    #[test]
    fn a_turn_that_counts_and_should_be_skipped() {
        let number = (0..56)
            .find(|number| {
                let game = game("game17", *number);
                game["turns"].as_array().unwrap().iter().any(|turn| turn["skipped"] == true)
            })
            .expect("some turns are skipped");
        let whole = game("game17", number);
        let turn = turn_with(&whole, |turn| turn["skipped"] == true);
        let mismatch = notices(&whole, |game| game["turns"][turn]["skipped"] = json!(false));
        assert_eq!(place(&mismatch), (turn, "the turn"));
        assert_eq!(mismatch.expected, "accepted");
        assert!(mismatch.found.starts_with("rejected: "), "{mismatch}");
    }

    #[test]
    fn an_order_that_is_no_order_at_all() {
        for nonsense in [
            json!("north"),
            json!([[1, 1, "s"]]),
            json!([[1, 1, "S", 2]]),
            json!([[1, 1, "s", -1]]),
            json!([[1, 1, "s", 0.5]]),
            json!([[1, 3, "s", 1]]),
            json!([[1, -1, "s", 1]]),
            json!([[1, 1, "s", 5]]),
            json!([[0, 0, "s", 0]]),
            json!([[1, 1, "s", 1e300]]),
            json!([[1, 1, "s", 18_446_744_073_709_551_615_u64]]),
            Value::Null,
        ] {
            let mismatch = notices(&sound(), |game| game["turns"][0]["moves"] = nonsense);
            assert_eq!(place(&mismatch), (0, "the turn"));
            assert_eq!(mismatch.expected, "accepted");
            assert!(mismatch.found.starts_with("rejected: "), "{mismatch}");
        }
    }

    #[test]
    fn another_score() {
        let whole = game("game17", 0);
        let end = whole["turns"].as_array().unwrap().len();
        let mismatch = notices(&whole, |game| {
            let scores = game["scores"].as_object_mut().unwrap();
            let first = scores.keys().next().unwrap().clone();
            scores[&first] = json!(scores[&first].as_u64().unwrap() + 1);
        });
        assert_eq!(place(&mismatch), (end, "scores"));
        let mismatch = notices(&whole, |game| {
            game["scores"].as_object_mut().unwrap().insert("5".to_owned(), json!(0));
        });
        assert_eq!(place(&mismatch), (end, "scores"));
    }

    #[test]
    fn a_game_that_should_go_on_and_is_over() {
        let whole = game("game17", 0);
        let end = whole["turns"].as_array().unwrap().len();
        let mismatch = notices(&whole, |game| {
            let turns = game["turns"].as_array_mut().unwrap();
            turns.push(turns[0].clone());
        });
        assert_eq!(place(&mismatch), (end, "the game"));
        assert_eq!(mismatch.found, "it is over");
    }
}

mod a_difference_is_noticed_in_amazons {
    use super::*;

    fn sound() -> Value {
        short_game("amazons", 0, 30)
    }

    #[test]
    fn an_arrow_that_stands_elsewhere() {
        let mismatch = notices(&sound(), |game| {
            let fen = &mut game["positions"][1]["fen"];
            *fen = json!(fen.as_str().unwrap().replace("/*6Q2/", "/1*5Q2/"));
        });
        assert_eq!(place(&mismatch), (1, "fen"));
        assert!(mismatch.expected.contains("/1*5Q2/"), "{mismatch}");
    }

    #[test]
    fn another_number_of_turns() {
        let mismatch = notices(&sound(), |game| game["positions"][5]["legal_count"] = json!(1643));
        assert_eq!(place(&mismatch), (5, "legal_count"));
        assert_eq!((mismatch.expected.as_str(), mismatch.found.as_str()), ("1643", "1644"));
    }

    #[test]
    fn another_winner() {
        let whole = game("amazons", 0);
        let end = whole["moves"].as_array().unwrap().len();
        for other in [json!("first"), json!("second"), Value::Null] {
            if whole["winner"] != other {
                let mismatch = notices(&whole, |game| game["winner"] = other);
                assert_eq!(place(&mismatch), (end, "winner"));
            }
        }
    }

    #[test]
    fn an_illegal_move() {
        let mismatch = notices(&sound(), |game| game["moves"][1] = json!("g10-h8/g3"));
        assert_eq!(place(&mismatch), (1, "move"));
        assert!(mismatch.found.contains("illegal turn `g10-h8/g3` for black"), "{mismatch}");
    }

    #[test]
    fn another_count_in_a_perft_table() {
        let report = verify_text("# counts\n1qq1/4/4/1QQ1 w ; 2 ; 6543\n").unwrap();
        assert_eq!((report.counts, report.mismatches), (1, 1));
        let expected = "games.jsonl:2: leaves at depth 2 of 1qq1/4/4/1QQ1 w: expected 6543, found \
                        6544";
        assert_eq!(report.first[0].to_string(), expected);
    }
}

#[test]
fn a_key_that_is_absent_is_not_compared() {
    for name in ["watch-your-back", "in-trap", "game17", "amazons"] {
        let whole = game(name, 0);
        let plies = ["moves", "turns"].iter().find_map(|key| whole[*key].as_array()).unwrap().len();
        let check = |bare: &Value| {
            let report = verify_text(&bare.to_string()).unwrap();
            assert_eq!((report.games, report.mismatches), (1, 0), "{name}");
            assert_eq!(report.positions, plies as u64 + 1, "{name}");
        };
        let required: &[&str] = match name {
            "game17" => &["game", "board_size", "num_rounds", "turn_order", "owners", "numbers"],
            _ => &["game"],
        };
        let optional: Vec<String> = whole
            .as_object()
            .unwrap()
            .keys()
            .filter(|key| !["moves", "turns"].contains(&key.as_str()))
            .filter(|key| !required.contains(&key.as_str()))
            .cloned()
            .collect();
        // Each optional key of the game left out, one at a time and all together.
        for key in &optional {
            let mut bare = whole.clone();
            bare.as_object_mut().unwrap().remove(key);
            if name != "amazons" || key != "start" {
                check(&bare);
            }
        }
        let mut bare = whole.clone();
        for key in optional.iter().filter(|key| *key != "start") {
            bare.as_object_mut().unwrap().remove(key);
        }
        check(&bare);
        // Each key of every position or turn left out.
        let list = if name == "game17" { "turns" } else { "positions" };
        let keys: Vec<String> = whole[list][0].as_object().unwrap().keys().cloned().collect();
        for key in keys.iter().filter(|key| *key != "moves") {
            // Without its changes of owners a turn does not say how its tosses fell.
            if key == "owners" {
                continue;
            }
            let mut bare = whole.clone();
            for moment in bare[list].as_array_mut().unwrap() {
                moment.as_object_mut().unwrap().remove(key);
            }
            check(&bare);
        }
    }
}

#[test]
fn many_differences_are_counted_and_the_first_are_kept() {
    let mut spoilt = short_game("amazons", 0, 30);
    for moment in spoilt["positions"].as_array_mut().unwrap() {
        moment["fen"] = json!("nothing of the kind");
    }
    let report = verify_text(&format!("{spoilt}\n{spoilt}\n")).unwrap();
    assert_eq!(report.mismatches, 62);
    assert_eq!(report.first.len(), Report::SHOWN);
    let plies: Vec<usize> = report.first.iter().filter_map(|mismatch| mismatch.ply).collect();
    assert_eq!(plies, (0..Report::SHOWN).collect::<Vec<_>>());
}

#[test]
fn empty_lines_remarks_and_windows_line_ends_are_passed_over() {
    let sound = short_game("in-trap", 1, 5);
    let report = verify_text(&format!("\r\n# remark\r\n{sound}\r\n   \n{sound}")).unwrap();
    assert_eq!((report.games, report.positions, report.mismatches), (2, 12, 0));
    assert_eq!(verify_text("").unwrap(), Report::default());
}

/// What was wrong with the last of these lines, which all others lead up to.
fn unreadable(bytes: &[u8]) -> TraceError {
    let error = verify_bytes(bytes).expect_err("this cannot be read");
    assert_eq!(error.file, Path::new("games.jsonl"));
    error
}

#[test]
fn a_line_that_cannot_be_read_is_an_error_with_its_place() {
    let sound = short_game("in-trap", 1, 5).to_string();
    let cut = &sound[..sound.len() / 2];
    let wyb = |change: &dyn Fn(&mut Value)| {
        let mut game = short_game("watch-your-back", 0, 3);
        change(&mut game);
        game.to_string()
    };
    let game17 = |change: &dyn Fn(&mut Value)| {
        let mut game = short_game("game17", 0, 3);
        change(&mut game);
        game.to_string()
    };
    let elsewhere = |start: Value| wyb(&|game| game["start"] = start.clone());
    let board = json!(["X------X", "-", "-", "-", "-", "-", "-", "-"]);
    let empty = || {
        let mut rows = vec!["--------"; 8];
        rows[0] = "X------X";
        rows[7] = "X------X";
        rows
    };
    let cases: Vec<(String, &str)> = vec![
        (cut.to_owned(), "the line is cut in the middle"),
        ("{\"game\":\"in-trap\",}".to_owned(), "not JSON: trailing comma at column 19"),
        ("hello".to_owned(), "neither a trace nor a perft count: `hello`"),
        ("[1,2]".to_owned(), "neither a trace nor a perft count: `[1,2]`"),
        ("{}".to_owned(), "not a trace of this game: missing field `game`"),
        ("{\"game\":7}".to_owned(), "not a trace of this game: invalid type"),
        ("{\"game\":\"chess\",\"moves\":[]}".to_owned(), "a trace of the unknown game `chess`"),
        ("{\"game\":\"amazons\"}".to_owned(), "not a trace of this game: missing field `moves`"),
        (wyb(&|game| game["moves"] = json!("3,2")), "not a trace of this game: invalid type"),
        (wyb(&|game| game["moves"][1] = json!(32)), "not a trace of this game: invalid type"),
        (
            wyb(&|game| game["positions"][0]["turn"] = json!(-1)),
            "not a trace of this game: invalid value",
        ),
        (
            wyb(&|game| drop(game["positions"].as_array_mut().unwrap().pop())),
            "`positions` has 3 entries where 4 belong after 3 moves",
        ),
        (
            elsewhere(json!({"board": board, "phase": "placing", "turn": 0})),
            "`start` has 15 squares where 64 belong",
        ),
        (
            elsewhere(json!({"board": empty(), "phase": "resting", "turn": 0})),
            "`start` has the phase `resting`",
        ),
        (
            elsewhere(json!({"board": empty(), "phase": "placing", "turn": u32::MAX})),
            "4294967295 placements are too many",
        ),
        (
            elsewhere(json!({"board": empty(), "phase": "moving", "turn": 0})),
            "the game is over in this position",
        ),
        (game17(&|game| game["board_size"] = json!(0)), "the board size is 0"),
        (game17(&|game| game["board_size"] = json!(4)), "`owners` is not 4 rows of 4 numbers"),
        (game17(&|game| game["owners"][0][0] = json!(9)), "the owner `9` of square `0,0`"),
        (game17(&|game| game["turn_order"][0] = json!(3)), "owner `3` is twice in the turn order"),
        (game17(&|game| game["numbers"][0][0] = json!(65_535)), "there are 65567 pieces"),
        (
            "{\"game\":\"amazons\",\"start\":\"Q1/q w\",\"moves\":[]}".to_owned(),
            "row 2 from the top, `q`, has 1 squares where 2 belong",
        ),
        ("1qq1/4/1QQ1 w ; x ; 3".to_owned(), "the depth `x` is not a number up to 12"),
        ("1qq1/4/1QQ1 w ; 1 ; -3".to_owned(), "the count `-3` is not a number"),
        ("1qq1/4/1QQ1 w ; 1".to_owned(), "neither a trace nor a perft count"),
        ("1qq1/4/1QQ w ; 1 ; 3".to_owned(), "row 3 from the top, `1QQ`, has 3 squares"),
    ];
    for (line, expected) in cases {
        let error = unreadable(format!("{sound}\n\n{line}\n{sound}\n").as_bytes());
        assert_eq!(error.line, Some(3), "{error}");
        assert!(error.message.starts_with(expected), "{error}\n(expected: {expected})");
        let shown = error.to_string();
        assert!(shown.starts_with("games.jsonl:3: "), "{shown}");
        assert!(!shown.ends_with('.'), "{shown}");
    }
    let error = unreadable(&[sound.as_bytes(), b"\n{\"game\":\"\xff\"}\n"].concat());
    assert_eq!(error.line, Some(2));
    assert!(error.message.starts_with("not UTF-8 text: "), "{error}");
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_its_name() {
    let missing = verify(Path::new("no/such/file.jsonl"), &|_| ()).unwrap_err();
    assert_eq!(missing.line, None);
    assert!(missing.to_string().starts_with("no/such/file.jsonl: cannot open: "), "{missing}");
    let folder = verify(&data(""), &|_| ()).unwrap_err();
    assert_eq!(folder.message, "is a folder, not a file");
}

/// A file of its own for one test, removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, bytes).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_gzip_file_may_have_several_parts_and_any_name() {
    let sound = short_game("in-trap", 1, 5);
    let pack = |text: String| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let bytes = [pack(format!("{sound}\n")), pack(format!("{sound}\n"))].concat();
    let file = Scratch::new("two parts", &bytes);
    let report = verify(&file.0, &|_| ()).unwrap();
    assert_eq!((report.games, report.mismatches), (2, 0));
}

#[test]
fn a_gzip_file_that_is_cut_off_is_an_error_at_the_line_it_breaks_off() {
    let whole = std::fs::read(data("amazons.jsonl.gz")).unwrap();
    let file = Scratch::new("cut.jsonl.gz", &whole[..whole.len() / 2]);
    let read = std::sync::atomic::AtomicU64::new(0);
    let note = |bytes| {
        read.store(bytes, std::sync::atomic::Ordering::Relaxed);
    };
    let error = verify(&file.0, &note).unwrap_err();
    let line = error.line.expect("the line it breaks off at");
    assert!((10..60).contains(&line), "{error}");
    assert!(error.message.starts_with("cannot read: "), "{error}");
    assert_eq!(error.hint.as_deref(), Some("is the file complete?"));
    assert_eq!(read.into_inner(), whole.len() as u64 / 2, "progress tells every byte");

    let mut spoilt = whole.clone();
    let middle = spoilt.len() / 2;
    spoilt[middle..middle + 64].fill(0xa5);
    let file = Scratch::new("spoilt.jsonl.gz", &spoilt);
    let error = verify(&file.0, &|_| ()).unwrap_err();
    assert!(error.line.is_some(), "{error}");
}

#[test]
fn a_line_beyond_all_measure_is_refused_before_it_fills_the_memory() {
    /// Blanks without end.
    struct Endless;
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(b' ');
            Ok(buffer.len())
        }
    }
    let error = verify_lines(Path::new("endless"), &mut BufReader::with_capacity(1 << 16, Endless))
        .unwrap_err();
    assert_eq!(error.to_string(), "endless:1: the line is longer than 64 MiB");
}
