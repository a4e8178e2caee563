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
        assert_eq!(lines[3], "verified 260 games, 17,793 positions, 0 mismatches");
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
    assert_eq!(lines[2], "verified 1 game, 2 positions, 1 mismatch");

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

/// A short game of Amazons as a record, with these changes.
fn record_of(change: impl Fn(&mut Value)) -> String {
    let mut record = json!({
        "format": 1,
        "game": "amazons",
        "options": {"size": "4x4", "amazons": 2},
        "start": "1qq1/4/4/1QQ1 w",
        "events": [
            {"ply": 0, "seat": 0, "move": "c1-d2/d1"},
            {"ply": 1, "seat": 1, "move": "c4-d3/d4"},
        ],
        "result": {"payoffs": [-1.0, 1.0], "termination": "timeout", "sentence": "too slow"},
        "faults": [{"ply": 2, "seat": 0, "kind": "timeout", "sentence": "too slow", "cost": "game"}],
    });
    change(&mut record);
    format!("{record}\n")
}

#[test]
fn a_record_is_held_against_the_rules_event_by_event() {
    let folder = TempDir::new().unwrap();
    let found = |record: String| {
        let path = file(&folder, "record.json", record);
        let ran = run(&["verify", &path, "--json"]);
        let found: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        assert_eq!(ran.code, i32::from(found["mismatches"] != json!(0)));
        (found["first"].clone(), found["positions"].clone())
    };
    assert_eq!(found(record_of(|_| {})), (json!([]), json!(3)));

    let (first, positions) = found(record_of(|record| {
        record["events"][1]["move"] = json!("a1-a2/a1");
    }));
    assert_eq!((&first[0]["ply"], &first[0]["what"]), (&json!(1), &json!("event")));
    assert_eq!((&first[0]["expected"], positions), (&json!("a1-a2/a1"), json!(2)));

    // What people agree on is a draw, and needs no fault.
    let agreed = |payoffs: Value| {
        found(record_of(|record| {
            record["faults"] = json!([]);
            record["result"]["termination"] = json!("agreed");
            record["result"]["payoffs"] = payoffs.clone();
        }))
    };
    assert_eq!(agreed(json!([0.0, 0.0])), (json!([]), json!(3)));
    assert_eq!(agreed(json!([1.0, -1.0])).0[0]["what"], json!("payoffs"));

    // A game that someone is said to have lost by a fault that no one made.
    let (first, _) = found(record_of(|record| record["faults"] = json!([])));
    assert_eq!((&first[0]["ply"], &first[0]["what"]), (&json!(2), &json!("termination")));
    assert_eq!(first[0]["found"], json!("no such fault"));
    let (first, _) = found(record_of(|record| record["result"]["termination"] = json!("normal")));
    assert_eq!(
        (&first[0]["what"], &first[0]["found"]),
        (&json!("termination"), &json!("\"none\""))
    );
}
