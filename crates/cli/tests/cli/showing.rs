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

Q white amazon   q black amazon   * arrow   . empty

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
            "legend",
            "panels",
            "status",
        ];
        let shown_keys: Vec<String> =
            keys(view).into_iter().filter(|key| *key != "players").map(str::to_owned).collect();
        assert_eq!(shown_keys, expected, "{name}");
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
    let arguments = ["--position", "0:8,3:4/1:4,2:4 0,3,2,1 0 0", "--moves", "0,0:e4", "--json"];
    let shown = printed_json(&[&["show", "game17"], &arguments[..]].concat());
    assert_eq!(shown["turn"], json!({"who": "chance", "sides": 2}));
}

#[test]
fn every_board_says_what_its_signs_mean() {
    for (name, signs) in [
        ("amazons", "♕ white amazon   ♛ black amazon   ■ arrow   · empty\n"),
        ("watch-your-back", "○ white   ● black   ✕ corner   · empty\n"),
        ("in-trap", "SP Spawner   FL Flier   JP Jumper"),
        ("game17", "owner, and below it the pieces   · no pieces\n"),
    ] {
        let stdout = printed(&["show", name]);
        assert!(stdout.contains(signs), "{stdout}");
    }
}

#[test]
fn the_usual_boards_fit_into_eighty_columns() {
    for name in GAMES {
        let stdout = printed(&["show", name]);
        let board = stdout.lines().filter(|line| !line.starts_with("position: "));
        let wide: Vec<&str> = board.filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{name}: {wide:#?}");
    }
    let stdout = printed(&["show", "game17", "--players", "3,17,101"]);
    assert!(stdout.contains("A owner 3   B owner 17   C owner 101"), "{stdout}");
    let board = stdout.split("position: ").next().unwrap();
    assert!(board.contains("A4") && !board.contains("3:4"), "{stdout}");
}
