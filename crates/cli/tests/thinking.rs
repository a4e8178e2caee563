//! The commands that think, end to end: agents, match, analyse, solve.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json as value};

fn skirmish(line: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("skirmish"));
    command.args(line).assert()
}

fn json(line: &[&str]) -> Value {
    let output = skirmish(line).success().get_output().stdout.clone();
    serde_json::from_slice(&output).expect("one JSON object")
}

fn stderr(outcome: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&outcome.get_output().stderr).into_owned()
}

#[test]
fn every_agent_is_listed_with_what_it_plays() {
    let agents = json(&["agents", "--json"]);
    let names: Vec<&str> =
        agents.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    for name in
        ["random", "greedy", "negamax", "alphabeta", "mcts", "mirror", "heuristic", "marshal"]
    {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn a_match_is_the_same_for_the_same_seed_and_nodes() {
    let play = |concurrency: &str| {
        let mut played = json(&[
            "match",
            "in-trap",
            "alphabeta",
            "mcts",
            "--nodes",
            "300",
            "--games",
            "4",
            "--seed",
            "7",
            "--concurrency",
            concurrency,
            "--json",
        ]);
        for agent in played["agents"].as_array_mut().unwrap() {
            agent["milliseconds_per_turn"] = Value::Null;
            agent["nodes_per_second"] = Value::Null;
        }
        played
    };
    let (once, again) = (play("1"), play("2"));
    assert_eq!(once, again);
    assert_eq!(once["agents"][0]["games"], 4);
    let pair = &once["pairs"][0];
    let games = ["wins", "draws", "losses"].map(|key| pair[key].as_u64().unwrap());
    assert_eq!(games.iter().sum::<u64>(), 4);
    assert!(pair["elo_low"].as_f64().unwrap() <= pair["elo"].as_f64().unwrap());
}

#[test]
fn every_agent_finishes_a_game_of_everything_it_plays() {
    let agents = json(&["agents", "--json"]);
    for agent in agents.as_array().unwrap() {
        let name = agent["name"].as_str().unwrap();
        let mut games: Vec<&str> =
            agent["games"].as_array().unwrap().iter().map(|game| game.as_str().unwrap()).collect();
        if games.is_empty() {
            games = vec!["watch-your-back", "in-trap", "amazons"];
        }
        for game in games {
            let line = if name == "negamax" { "negamax:depth=1" } else { name };
            let mut arguments = vec!["match", game, line];
            match game {
                "game17" => arguments.extend(["zombie", "--size", "5", "--rounds", "12"]),
                "amazons" => arguments.extend(["random", "--size", "5"]),
                _ => arguments.push("random"),
            }
            arguments.extend(["--games", "2", "--nodes", "60", "--json"]);
            let played = json(&arguments);
            assert_eq!(played["bugs"].as_array().unwrap().len(), 0, "{name} at {game}: {played}");
        }
    }
}

#[test]
fn records_of_a_match_replay_and_can_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    skirmish(&[
        "match",
        "amazons",
        "greedy",
        "random",
        "--size",
        "5",
        "--games",
        "2",
        "--records",
        path,
    ])
    .success();
    let record = folder.path().join("000001.json");
    let text = std::fs::read_to_string(&record).unwrap();
    let kept: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(kept["seats"][0]["agent"], "greedy");
    assert_eq!(kept["format"], 1);
    assert!(kept["events"].as_array().unwrap().len() > 5);

    let record = record.to_str().unwrap();
    let judged = json(&["analyse", "amazons", "--record", record, "--nodes", "50", "--json"]);
    let turns = judged["turns"].as_array().unwrap();
    assert_eq!(turns.len(), kept["events"].as_array().unwrap().len());
    assert!(turns.iter().all(|turn| (0.0..=2.0).contains(&turn["loss"].as_f64().unwrap())));

    let one =
        json(&["analyse", "amazons", "--record", record, "--ply", "3", "--nodes", "50", "--json"]);
    let same = json(&["analyse", record, "--turn", "4", "--nodes", "50", "--json"]);
    assert_eq!((&same["lines"], &same["turn"]), (&one["lines"], &value!(4)));
    assert_eq!(same["played"], kept["events"][3]["move"]);
    for (wrong, message) in [
        (&["--turn", "99"][..], "there is no turn 99"),
        (&["--size", "5"], "a recorded game has its own options"),
        (&["--game", "2"], "there is no game 2"),
    ] {
        let refused = skirmish(&[&["analyse", record], wrong].concat()).code(2);
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
    }
    let refused = skirmish(&["analyse", "amazons", "--turn", "4"]).code(2);
    assert!(stderr(&refused).contains("`--turn` belongs to a recorded game"));
    assert_eq!(one["lines"][0]["turns"][0].as_str().unwrap().matches('/').count(), 1);
    let refused = skirmish(&["analyse", "in-trap", "--record", record]).code(2);
    assert!(stderr(&refused).contains("is a game of `amazons`, not of `in-trap`"));
}

#[test]
fn the_mistakes_of_a_game_come_first_with_the_command_that_shows_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let play = ["match", "in-trap", "greedy", "random", "--nodes", "20", "--games", "1"];
    skirmish(&[&play[..], &["--opening", "0", "--records", &path("my games")]].concat()).success();
    let file = path("my games/000001.json");
    let page = path("page.html");
    let judge = ["analyse", &file, "--agent", "alphabeta:depth=1"];
    let outcome = skirmish(&[&judge[..], &["--html", &page]].concat()).success();
    let told = String::from_utf8_lossy(&outcome.get_output().stdout).into_owned();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "In-Trap: greedy – random", "{told}");
    let better: Vec<f64> = (lines.iter())
        .filter_map(|line| line.split_once(" was better by "))
        .map(|(_, loss)| loss.parse().unwrap())
        .collect();
    assert!(!better.is_empty() && better.is_sorted_by(|one, next| one >= next), "{told}");
    let command = lines.iter().find(|line| line.contains("skirmish replay '")).expect(&told);
    let table = lines.iter().position(|line| line.trim_start().starts_with("turn  player"));
    let first = lines.iter().position(|line| line == command);
    assert!(first < table && table.is_some(), "{told}");
    // The command does what it says: the turn that is shown is the one that was told.
    let number = command.rsplit(' ').next().unwrap();
    let shown = skirmish(&["replay", &file, "--turn", number]).success();
    let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    let mistake = lines[first.unwrap() - 2];
    let played = mistake.split_once(" played ").expect(mistake).1;
    assert!(mistake.starts_with(&format!("turn {number}: ")), "{mistake}");
    assert!(shown.contains(&format!(": {played}\n")), "{shown}");

    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("id=\"player\"") && html.contains("id=\"replays\""), "the viewer");
    assert!(html.matches("was better by").count() >= better.len(), "all of them");
    let refused = skirmish(&[&judge[..], &["--html", &page]].concat()).code(2);
    assert!(stderr(&refused).contains("exists already") && stderr(&refused).contains("--force"));
    skirmish(&[&judge[..], &["--html", &page, "--force"]].concat()).success();
}

#[test]
fn a_game_of_the_original_tool_is_not_analysed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("battle.json");
    std::fs::write(&file, r#"{"owners": [[0]], "numbers": [[1]], "diffs": []}"#).unwrap();
    let refused = skirmish(&["analyse", file.to_str().unwrap()]).code(2);
    assert!(stderr(&refused).contains("a game of the original Game 17 tool"));
    skirmish(&["demo", "--seed", "5", "--records", folder.path().to_str().unwrap()]).success();
    let refused = skirmish(&["analyse", folder.path().join("game17.json").to_str().unwrap()]);
    assert!(stderr(&refused.code(2)).contains("`game17` cannot be analysed"));
}

#[test]
fn an_analysis_tells_lines_stages_and_where_to_point() {
    let analysis =
        json(&["analyse", "amazons", "--size", "6", "--nodes", "200", "--lines", "2", "--json"]);
    assert_eq!(analysis["lines"].as_array().unwrap().len(), 2);
    assert_eq!(analysis["stages"].as_array().unwrap().len(), 3, "amazon, square, arrow");
    assert_eq!(analysis["path"].as_array().unwrap().len(), 3);
    let share: f64 = analysis["stages"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|choice| choice["share"].as_f64().unwrap())
        .sum();
    assert!((0.99..=1.01).contains(&share), "four amazons share all visits: {share}");

    let deep = json(&[
        "analyse",
        "watch-your-back",
        "--moves",
        "3,3; 4,4",
        "--agent",
        "alphabeta",
        "--depth",
        "2",
        "--json",
    ]);
    assert_eq!(deep["lines"][0]["depth"], 2);
    assert_eq!(deep["lines"].as_array().unwrap().len(), 3);

    let begun = json(&[
        "analyse",
        "amazons",
        "--position",
        "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w b1-b4/",
        "--nodes",
        "50",
        "--json",
    ]);
    let arrow = begun["lines"][0]["turns"][0].as_str().unwrap();
    assert!(arrow.len() == 2 && begun["path"].as_array().unwrap().len() == 1, "{begun}");

    let small =
        json(&["analyse", "amazons", "--size", "4", "--amazons", "2", "--nodes", "50", "--json"]);
    assert_eq!(small["solved"], "white", "the published result");

    let drawn = skirmish(&["analyse", "in-trap", "--nodes", "500", "--ascii"]).success();
    let text = String::from_utf8_lossy(&drawn.get_output().stdout).into_owned();
    assert!(text.contains('[') && text.contains("player 1 by best"), "{text}");
}

#[test]
fn small_boards_are_solved_as_published() {
    let solved = json(&["solve", "amazons", "--size", "4x4", "--json"]);
    assert_eq!(solved["winner"], "second");
    assert!(!solved["line"].as_array().unwrap().is_empty());
    let solved = skirmish(&["solve", "amazons", "--size", "4", "--amazons", "2"]).success();
    let text = String::from_utf8_lossy(&solved.get_output().stdout).into_owned();
    assert!(text.starts_with("first player wins (white)"), "{text}");
    skirmish(&["solve", "amazons", "--size", "8", "--nodes", "10"]).code(1);
    skirmish(&["solve", "amazons", "--size", "26", "--nodes", "10"]).code(1);
    skirmish(&["solve", "watch-your-back", "--nodes", "100"]).code(1);
    skirmish(&["solve", "amazons", "--position", "1q/Q1 w a1-"]).code(2);
    let refused = skirmish(&["solve", "game17"]).code(2);
    assert!(stderr(&refused).contains("not a game for two"));
}

#[test]
fn a_mistaken_agent_line_costs_no_game() {
    for (line, message) in [
        ("alphabet", "unknown agent `alphabet`"),
        ("alphabeta:dept=3", "`alphabeta` has no setting `dept`"),
        ("alphabeta:time=soon", "`alphabeta` cannot have time=`soon`"),
        ("hunter", "`hunter` does not play `amazons`"),
    ] {
        let refused = skirmish(&["match", "amazons", line, "random"]).code(2);
        let told = stderr(&refused);
        assert!(told.contains(message) && told.contains("hint:"), "{line}: {told}");
    }
    skirmish(&["match", "game17", "hunter", "zombie", "--players", "0"]).code(2);
    skirmish(&["match", "amazons", "random", "greedy", "--position", "Q*/*q w"]).code(2);
    skirmish(&["match", "amazons", "random", "greedy", "--games", "0"]).code(2);
    let refused = skirmish(&["match", "amazons", "random"]).code(2);
    assert!(stderr(&refused).contains("needs two agents"));
    let nowhere = Path::new("/dev/null/records");
    let refused =
        skirmish(&["match", "amazons", "random", "greedy", "--records", nowhere.to_str().unwrap()]);
    assert!(stderr(&refused.code(2)).contains("cannot make the folder"));
}
