use super::*;

fn standard() -> Value {
    let text = include_str!("../../../rules/src/games/in_trap/pieces.json");
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
    let same = printed_json(&["playouts", "in-trap", "--games", "50", "--pieces", &same, "--json"]);
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
        ("{}".to_owned(), "the pieces are an object, not a list", "a pieces file is a JSON list"),
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
