//! `skirmish game17` as the users of the original tool know it: commands, flags, files, JSON.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{said, skirmish};
use serde_json::Value;

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What the original does with a game: the board, and every change in it.
fn squares_at_the_end(text: &str) -> BTreeMap<u64, u64> {
    let game: Value = serde_json::from_str(text).unwrap();
    let mut owners: Vec<Vec<u64>> = serde_json::from_value(game["owners"].clone()).unwrap();
    let mut numbers: Vec<Vec<u64>> = serde_json::from_value(game["numbers"].clone()).unwrap();
    let pieces: u64 = numbers.iter().flatten().sum();
    let mut round = 0;
    for diff in game["diffs"].as_array().unwrap() {
        assert!(diff["round"].as_u64().unwrap() >= round && diff["owner"].is_u64());
        round = diff["round"].as_u64().unwrap();
        for (board, changes) in [(&mut owners, &diff["owners"]), (&mut numbers, &diff["numbers"])] {
            for change in changes.as_array().unwrap() {
                let [row, column, value] =
                    [0, 1, 2].map(|place| change[place].as_u64().unwrap() as usize);
                assert_ne!(board[row][column], value as u64, "only what changed is listed");
                board[row][column] = value as u64;
            }
        }
        assert_eq!(numbers.iter().flatten().sum::<u64>(), pieces, "no piece is lost");
    }
    let mut squares = BTreeMap::new();
    owners.iter().flatten().for_each(|owner| *squares.entry(*owner).or_default() += 1);
    squares
}

/// The lines of a table: what stands first, and the rest.
fn rows(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().skip(1);
    let split = |line: &str| {
        let (name, rest) = line.split_once("  ").or(line.split_once(' ')).unwrap();
        (name.to_owned(), rest.trim().to_owned())
    };
    lines.map(split).collect()
}

#[test]
fn a_ranking_leaves_the_files_of_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let rank = ["game17", "rank", "-g", "12", "-s", "6", "-r", "20", "-t", "-1", "--seed", "3"];
    let players = ["zombie", "marshal", "zombie", "hunter", "results"];
    said(skirmish(here).args(rank).args(["-T", "1"]).args(players), 0);
    assert_eq!(
        read(here, "players.txt"),
        "zombie is player 1\nmarshal is player 2\nzombie is player 3\nhunter is player 4\n"
    );
    let results = here.join("results");
    assert_eq!(read(&results, "players_that_failed_on_import.txt"), "\n");

    // The summary counts the wins that the games show.
    let mut wins = BTreeMap::new();
    for game in 0..12 {
        let text = read(&results, &format!("battle-royale-{game}.json"));
        let squares = squares_at_the_end(&text);
        let most = squares.values().max().unwrap();
        for (owner, _) in squares.iter().filter(|(_, squares)| *squares == most) {
            *wins.entry(*owner).or_insert(0) += 1;
        }
        said(skirmish(&results).args(["replay", &format!("battle-royale-{game}.json")]), 0);
    }
    assert!(!results.join("battle-royale-12.json").exists());
    let summary = read(&results, "battle-royale-summary.txt");
    assert!(summary.starts_with("  games won"), "{summary}");
    let mut groups: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (player, rest) in rows(&summary) {
        let won: u64 = rest.split_whitespace().next().unwrap().parse().unwrap();
        assert_eq!(won, *wins.get(&player.parse().unwrap()).unwrap_or(&0), "{summary}");
        groups.entry(won).or_default().push(player);
    }
    assert_eq!(rows(&summary).len(), 5, "a T800 plays too");

    // Those that tie have met, and every agent has a rank.
    for (place, group) in groups.values().rev().enumerate() {
        let suffix = if place == 0 { String::new() } else { format!("-{place}") };
        let names =
            [format!("round-robin{suffix}.txt"), format!("round-robin-summary{suffix}.txt")];
        for name in &names {
            assert_eq!(results.join(name).exists(), group.len() > 1, "{name}: {groups:?}");
        }
        for (number, first) in group.iter().enumerate() {
            for second in &group[number + 1..] {
                squares_at_the_end(&read(&results, &format!("{first} vs {second}.json")));
            }
        }
    }
    let ranks = read(&results, "ranks.txt");
    let ranked: Vec<String> = rows(&ranks)
        .iter()
        .flat_map(|(_, players)| players.split(", ").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut sorted = ranked.clone();
    sorted.sort();
    assert_eq!(sorted, ["1", "2", "3", "4", "5"], "{ranks}");
    assert_eq!(ranked[0], "2", "the marshal is the best of these: {ranks}");

    // The same seed, the same games; only the times differ.
    let players = ["zombie", "marshal", "zombie", "hunter", "again"];
    said(skirmish(here).args(rank).args(["-T", "1"]).args(players), 0);
    assert_eq!(ranks, read(&here.join("again"), "ranks.txt"));
    let game = "battle-royale-7.json";
    assert_eq!(read(&results, game), read(&here.join("again"), game));
}

#[cfg(target_os = "linux")]
#[test]
fn python_players_are_ranked_banned_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).unwrap();
    // Takes what stands next to it, whenever it is stronger.
    write(
        "greedy.py",
        "def make_moves(owner, rounds_left, owners, numbers):\n\
         \x20   size, moves = len(owners), []\n\
         \x20   for i in range(size):\n\
         \x20       for j in range(size):\n\
         \x20           if owners[i][j] == owner and numbers[i][j] > 0:\n\
         \x20               moves.append(((i, j), 'n', int(numbers[i][j])))\n\
         \x20   return moves\n",
    );
    write(
        "advanced.py",
        "def get_mover(owner, owners, numbers, turn_order, num_rounds):\n\
         \x20   return lambda owners, numbers: []\n",
    );
    write("broken.py", "import no_such_module_anywhere\n");
    write(
        "slow.py",
        "import time\n\
         def make_moves(owner, rounds_left, owners, numbers):\n\
         \x20   start = time.process_time()\n\
         \x20   while time.process_time() - start < 0.2: pass\n\
         \x20   return []\n",
    );
    let rank = ["game17", "rank", "-g", "2", "-s", "4", "-r", "4", "--seed", "8", "-t", "0.05"];
    let players = ["greedy.py", "broken.py", "slow.py", "advanced.py", "zombie", "results"];
    let (_, told) = said(skirmish(here).args(rank).args(players), 0);
    assert!(told.contains("Player 2 failed to load:"), "{told}");
    let results = here.join("results");
    assert_eq!(read(&results, "players_that_failed_on_import.txt"), "2\n");
    let summary = read(&results, "battle-royale-summary.txt");
    let numbers: Vec<String> = rows(&summary).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, ["1", "3", "4", "5"], "{summary}");
    assert!(rows(&summary)[1].1.starts_with("banned"), "{summary}");
    let ranks = rows(&read(&results, "ranks.txt"));
    assert_eq!(ranks.last().unwrap().1, "3", "the banned come last");
    // After its ban it is a zombie: its square is played on.
    let second: Value = serde_json::from_str(&read(&results, "battle-royale-1.json")).unwrap();
    let players: Vec<&String> = second["players"].as_object().unwrap().keys().collect();
    assert_eq!(players, ["1", "4", "5"]);

    // Alone against zombies; the table has tabs.
    let vs = ["game17", "vs-zombies", "-g", "3", "-s", "3", "-r", "5", "--time_threshold", "1"];
    said(skirmish(here).args(vs).args(["greedy.py", "broken.py", "hunter", "alone"]), 0);
    let table = read(&here.join("alone"), "vs-zombies.txt");
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[0], ["player", "num_wins", "max_time"]);
    assert_eq!((lines[1][0], lines[2][0], lines.len()), ("1", "3", 3), "{table}");
    assert!(
        lines[1..]
            .iter()
            .all(|line| line[1].parse::<u32>().unwrap() <= 3
                && line[2].parse::<f64>().unwrap() >= 0.0)
    );
    assert_eq!(read(&here.join("alone"), "players_that_failed_on_import.txt"), "2\n");
}

#[test]
fn a_single_game_is_shown_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let single = ["game17", "single", "-s", "3", "-r", "2", "--seed", "4", "-o", "game.json"];
    let (shown, _) = said(skirmish(here).args(single).args(["hunter", "zombie"]), 0);
    assert!(shown.starts_with("let's go\n"), "{shown}");
    assert!(shown.contains("round 0, player ") && shown.contains(" squares\n"), "{shown}");
    let (game, times) = shown.rsplit_once("\n\n").unwrap();
    assert!(times.trim_start().starts_with("times") && times.lines().count() == 3, "{times}");
    let (replayed, _) = said(skirmish(here).args(["game17", "replay", "game.json"]), 0);
    assert_eq!(replayed.trim_end(), game);
    // The table at the end is what the original counts.
    let squares = squares_at_the_end(&read(here, "game.json"));
    let (_, table) = replayed.rsplit_once("squares\n").unwrap();
    let counted: BTreeMap<u64, u64> = table
        .lines()
        .map(|line| {
            let mut words = line.split_whitespace().map(|word| word.parse().unwrap());
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect();
    assert_eq!(counted, squares);
    // Counts are in lines of their own, or in place of owners that have colours.
    let (counts, _) = said(skirmish(here).args(["game17", "replay", "-c", "game.json"]), 0);
    assert!(counts.contains("\n  4  4  4\n"), "{counts}");
    let colours = ["game17", "replay", "-c", "game.json", "1:red", "2:#3366cc"];
    let (coloured, _) = said(skirmish(here).args(colours).args(["--color", "always"]), 0);
    assert!(coloured.contains("\u{1b}[") && coloured.contains(";48;2;255;0;0m"), "{coloured}");
}

/// A game as Python's `json.dump` writes it, with nothing in it but what the original knows.
#[test]
fn old_games_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let old = r#"{"owners": [[2, 0], [1, 3]], "numbers": [[4, 4], [4, 4]], "diffs": [{"round": 0,
        "owner": 1, "owners": [[0, 0, 1]], "numbers": [[0, 0, 8], [1, 0, 0]]}, {"round": 0, "owner": 3,
        "owners": [], "numbers": []}]}"#;
    std::fs::write(here.join("battle-royale-0.json"), old).unwrap();
    let (shown, _) = said(skirmish(here).args(["game17", "replay", "battle-royale-0.json"]), 0);
    assert_eq!(
        shown,
        "let's go\n  2  0\n  1  3\n\nround 0, player 1\n  1  0\n  1  3\n\n\
         round 0, player 3\n  1  0\n  1  3\n\n   squares\n0        1\n1        2\n3        1\n"
    );
    let (told, _) = said(skirmish(here).args(["replay", "battle-royale-0.json"]), 0);
    assert!(told.contains("all rounds are played: owner 1 won with 2 squares"), "{told}");
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (arguments, message) in [
        (vec!["rank", "nobody.py", "results"], "nobody.py: there is no such file"),
        (vec!["rank", "no-such-agent", "results"], "no-such-agent"),
        (
            vec!["rank", "-s", "2", "zombie", "zombie", "zombie", "zombie", "results"],
            "4 players for 4",
        ),
        (vec!["single", "-s", "40"], "40 × 40"),
        (vec!["replay", "nothing.json"], "nothing.json: cannot read"),
        (vec!["single", "human"], "people cannot play here"),
    ] {
        let (_, error) = said(skirmish(here).arg("game17").args(&arguments), 2);
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
    std::fs::write(here.join("bad.json"), "{\"owners\": 3}").unwrap();
    let (_, error) = said(skirmish(here).args(["game17", "replay", "bad.json"]), 2);
    assert!(error.contains("not a game of Game 17") && error.contains("hint:"), "{error}");
    std::fs::write(here.join("game.json"), r#"{"owners":[[0]],"numbers":[[4]],"diffs":[]}"#)
        .unwrap();
    let (_, error) = said(skirmish(here).args(["game17", "replay", "game.json", "1:nocolour"]), 2);
    assert!(error.contains("no colour that is known"), "{error}");
}

#[test]
fn a_competition_has_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let (_, told) =
        said(skirmish(folder.path()).args(["game17", "rank", "-g", "0", "zombie", "out"]), 2);
    assert!(told.contains("-g"), "{told}");
    assert!(!folder.path().join("out").exists());
}
