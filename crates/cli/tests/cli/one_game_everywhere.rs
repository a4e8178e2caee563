//! Equal seeds and node budgets give equal games, whatever drives them.

use super::*;

/// A game of the four, with options, two agents, and whether all agents share one board.
const MATCHES: [(&str, &[&str], [&str; 2], bool); 4] = [
    ("watch-your-back", &[], ["alphabeta", "mcts"], false),
    ("game17", &["--size", "5", "--rounds", "6"], ["hunter", "random"], true),
    ("in-trap", &[], ["mcts", "greedy"], false),
    ("amazons", &["--size", "6"], ["mcts", "alphabeta"], false),
];

fn records(folder: &Path) -> Vec<String> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap().trim_end().to_owned()).collect()
}

#[test]
fn a_match_a_referee_and_a_tournament_play_byte_identical_games() {
    for (game, options, [first, second], is_shared) in MATCHES {
        println!("{game}");
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let common = ["--nodes", "60", "--seed", "7"];
        let [m, t, o, r] = ["m", "t", "o", "r.json"].map(path);

        let arguments =
            [&["match", game, first, second, "--games", "4", "--records", &m], options, &common]
                .concat();
        printed(&[&arguments[..], &["--opening", "2"]].concat());
        let matched = records(&folder.path().join("m"));
        assert_eq!(matched.len(), 4);

        // As a tournament, with the games in whatever order they end.
        let list: Vec<String> = options
            .chunks(2)
            .map(|pair| format!("{} = {}", pair[0].trim_start_matches('-'), pair[1]))
            .collect();
        let format = if is_shared { "free-for-all" } else { "round-robin" };
        let settings = format!(
            "game = \"{game}\"\nagents = [\"{first}\", \"{second}\"]\nformat = \"{format}\"\n\
             games = 4\nseed = 7\n[options]\n{}\n[openings]\nplies = 2\n[limits]\nnodes = 60\n",
            list.join("\n")
        );
        let toml = file(&folder, "t.toml", settings);
        let run = ["tournament", &toml, "--out", &t, "--concurrency", "2", "--json"];
        printed(&run);
        let lines = std::fs::read_to_string(folder.path().join("t/games.jsonl")).unwrap();
        // A line is a record with what the tournament adds in front of it.
        let tournament: Vec<String> = lines
            .lines()
            .map(|line| {
                let mut game: Value = serde_json::from_str(line).unwrap();
                let game = game.as_object_mut().unwrap();
                game.shift_remove("tournament");
                let record = game.shift_remove("record");
                serde_json::to_string(&record.unwrap_or(Value::Object(game.clone()))).unwrap()
            })
            .collect();
        // Who sits where is drawn in a free-for-all; the same at the same seats is the same game.
        let seats = |record: &str| {
            let record: Record = serde_json::from_str(record).unwrap();
            record.seats
        };
        let equal =
            (tournament.iter().zip(&matched)).filter(|(one, other)| seats(one) == seats(other));
        let equal: Vec<_> = equal.collect();
        assert!(equal.len() == 4 || is_shared && !equal.is_empty(), "{game}: {}", equal.len());
        for (one, other) in equal {
            assert!(one == other, "{game}\n{one}\n{other}");
        }

        // The first game of a match without an opening is the referee's.
        let arguments =
            [&["match", game, first, second, "--games", "2", "--records", &o], options, &common]
                .concat();
        printed(&[&arguments[..], &["--opening", "0"]].concat());
        let arguments =
            [&["referee", game, first, second, "--record", &r], options, &common].concat();
        printed(&arguments);
        let refereed = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
        assert_eq!(refereed.trim_end(), records(&folder.path().join("o"))[0], "{game}");
        let printed_record =
            printed(&[&["referee", game, first, second, "--json"], options, &common].concat());
        assert_eq!(printed_record, refereed, "{game}");
    }
}

#[test]
fn what_an_engine_thought_is_kept_with_each_turn_and_no_integer_is_too_large() {
    let arguments = ["referee", "in-trap", "mcts", "alphabeta", "--nodes", "300", "--json"];
    let record = printed_json(&[&arguments[..], &["--seed", "9007199254740991"]].concat());
    let events = record["events"].as_array().unwrap();
    let thought = |seat: u64| {
        let mut own = events.iter().filter(|event| event["seat"] == seat);
        own.next().unwrap()["info"].clone()
    };
    let (mcts, alphabeta) = (thought(0), thought(1));
    assert!(mcts["visits"].as_u64().unwrap() > 0, "{mcts}");
    assert!(alphabeta["depth"].as_u64().unwrap() > 0, "{alphabeta}");
    for info in [&mcts, &alphabeta] {
        assert!((-1.0..=1.0).contains(&info["value"].as_f64().unwrap()), "{info}");
        assert!(info["nodes"].as_u64().unwrap() > 0, "{info}");
    }
    let own = events.iter().find(|event| event["seat"] == 0).unwrap();
    assert_eq!(mcts["pv"][0], own["move"], "the line begins with the turn that was played");
    let ran = run(&[&arguments[..], &["--seed", "9007199254740992"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("--seed"), "{}", ran.stderr);
}
