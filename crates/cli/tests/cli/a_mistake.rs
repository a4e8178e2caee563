use super::*;

#[test]
fn in_a_move_is_told_with_its_place() {
    let moves = "b1-b4/e4; e6-e5/b4";
    let (error, hint) = refused(1, &["show", "amazons", "--size", "6", "--moves", moves]);
    assert_eq!(error, "move 2: illegal turn `e6-e5/b4` for black: `b4` is not in line with `e5`");
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
        let known = GAMES.join(", ");
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
