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
    let (turns, total): (Vec<&str>, Vec<&str>) = one.lines().partition(|line| line.contains(':'));
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
    let expected = ["game", "position", "depth", "leaves", "cpu_seconds", "leaves_per_cpu_second"];
    assert_eq!(keys(&found), expected);
    let found =
        printed_json(&["perft", "in-trap", "--depth", "1", "--divide", "--threads", "2", "--json"]);
    assert_eq!(found["divide"][0], json!({"turn": "move SP northwest", "leaves": 1}));
}
