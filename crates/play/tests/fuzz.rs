//! The trace reader, fed with damaged games.
//!
//! The law: no panic, no endless loop, no memory without bound. A line is verified, or it is an
//! error with its file, its line and what was wrong. All draws come from printed seeds.

use std::io::{Cursor, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use skirmish_play::record::Record;
use skirmish_play::trace::{Report, TraceError, verify_lines};
use skirmish_rules::Random;

const FILES: [&str; 4] = ["watch-your-back", "in-trap", "game17", "amazons"];

/// The first games of a file, cut after a few moves: short enough to damage thousands of times.
fn short_games(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/{name}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let shorten = |(number, line): (usize, &str)| {
        let mut game: Value = serde_json::from_str(line).unwrap();
        let moves = 2 + 4 * number;
        for (key, length) in [("moves", moves), ("positions", moves + 1), ("turns", moves)] {
            if let Some(list) = game.get_mut(key).and_then(Value::as_array_mut) {
                list.truncate(length);
            }
        }
        if number % 2 == 0 {
            game.as_object_mut().unwrap().remove("winner");
            game.as_object_mut().unwrap().remove("scores");
        }
        game
    };
    text.lines().take(6).enumerate().map(shorten).collect()
}

fn verify(bytes: &[u8]) -> Result<Report, TraceError> {
    let outcome = verify_lines(Path::new("fuzz.jsonl"), &mut Cursor::new(bytes));
    if let Err(error) = &outcome {
        reads_well(error);
    }
    outcome
}

/// What a refusal owes the reader: where, what, and not a page of it.
fn reads_well(error: &TraceError) {
    assert!(error.to_string().starts_with("fuzz.jsonl:1: "), "{error}");
    for text in [Some(&error.message), error.hint.as_ref()].into_iter().flatten() {
        assert!(!text.trim().is_empty(), "{error}");
        assert!(text.chars().count() < 1_000, "{} signs: {error}", text.chars().count());
        assert!(!text.contains(['\n', '\r', '\0']), "{error}");
        assert!(!text.ends_with('.'), "{error}");
    }
}

fn draw<'a, T>(items: &'a [T], random: &mut Random) -> &'a T {
    &items[random.below(items.len() as u32) as usize]
}

const SEASONING: [&str; 36] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\",
    "\\u0000",
    "\\ud800",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e999",
    "1e5",
    "0.5",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "é",
    "🦀",
    "\0",
    "\u{7f}",
    "pass",
    "none",
    "WWWWWWWW",
    " ",
    "*",
    "SP1",
    "over",
];

/// Bytes with a few small accidents; not always UTF-8 any more.
fn spoil(line: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let length = bytes.len() as u32;
        let (a, b) = (random.below(length + 1) as usize, random.below(length + 1) as usize);
        let part = a.min(b)..a.max(b).min(a.min(b) + 20);
        match random.below(8) {
            0 => drop(bytes.drain(part)),
            1 => {
                let copy = bytes[part].to_vec();
                bytes.splice(b..b, copy);
            }
            2 if a < bytes.len() && b < bytes.len() => bytes.swap(a, b),
            3 => bytes.truncate(a.max(bytes.len() / 2)),
            4 if a < bytes.len() => bytes[a] = random.word() as u8,
            _ => drop(bytes.splice(a..a, draw(&SEASONING, random).bytes())),
        }
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

/// A perft table may ask for a count that takes years; that is no fault of the reader.
fn is_hard_work(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let depth = text.split(';').nth(1).and_then(|depth| depth.trim().parse::<u32>().ok());
    !text.trim_start().starts_with('{') && depth.is_some_and(|depth| depth > 2)
}

#[test]
fn a_damaged_line_is_verified_or_refused() {
    let seeds = 0..4;
    println!("seeds {seeds:?}");
    let (mut sound, mut different, mut refused) = (0, 0, 0);
    for name in FILES {
        let games: Vec<String> = short_games(name).iter().map(Value::to_string).collect();
        for seed in seeds.clone() {
            let mut random = Random::seeded(seed);
            for _ in 0..800 {
                match verify(&spoil(draw::<String>(&games, &mut random), &mut random)) {
                    Ok(report) if report.mismatches == 0 => sound += 1,
                    Ok(_) => different += 1,
                    Err(_) => refused += 1,
                }
            }
        }
    }
    println!("{sound} without a difference, {different} different, {refused} refused");
    assert!(sound > 50 && different > 50 && refused > 1_000);
}

/// Every node of a JSON value, by its path.
fn paths(value: &Value, path: &str, out: &mut Vec<String>) {
    out.push(path.to_owned());
    match value {
        Value::Array(list) => {
            for (index, item) in list.iter().enumerate() {
                paths(item, &format!("{path}/{index}"), out);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                paths(item, &format!("{path}/{key}"), out);
            }
        }
        _ => {}
    }
}

/// Something that may stand where something else belongs.
fn anything(random: &mut Random) -> Value {
    let numbers = [0, 1, 2, 3, 5, 8, 19, 20, 21, 64, 127, 128, 192, 255, 256, 65_535, 65_536];
    match random.below(12) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.word()),
        3 => json!(-i64::from(random.below(3))),
        4 => json!([0.5, 2.0, 1e300, 4_294_967_295.0][random.below(4) as usize]),
        5..8 => json!(draw(&numbers, random)),
        8 => json!(draw(&SEASONING, random)),
        9 => json!([]),
        10 => json!({}),
        _ => json!([anything(random), anything(random)]),
    }
}

#[test]
fn a_game_with_something_else_in_one_place_is_verified_or_refused() {
    let seeds = 0..4;
    println!("seeds {seeds:?}");
    let (mut sound, mut different, mut refused) = (0, 0, 0);
    for name in FILES {
        for game in short_games(name) {
            let mut all = Vec::new();
            paths(&game, "", &mut all);
            for seed in seeds.clone() {
                let mut random = Random::seeded(seed);
                for _ in 0..100 {
                    let mut damaged = game.clone();
                    for _ in 0..=random.below(2) {
                        // Few paths are near the root, and most settings stand there.
                        let near = random.below(2) == 0;
                        let path = (0..20)
                            .map(|_| draw(&all, &mut random))
                            .find(|path| !near || path.matches('/').count() <= 2)
                            .unwrap_or(&all[1]);
                        if let Some(node) = damaged.pointer_mut(path) {
                            *node = anything(&mut random);
                        }
                    }
                    let line = damaged.to_string();
                    if is_hard_work(line.as_bytes()) {
                        continue;
                    }
                    match verify(line.as_bytes()) {
                        Ok(report) if report.mismatches == 0 => sound += 1,
                        Ok(_) => different += 1,
                        Err(_) => refused += 1,
                    }
                }
            }
        }
    }
    println!("{sound} without a difference, {different} different, {refused} refused");
    assert!(sound > 50 && different > 50 && refused > 1_000);
}

#[test]
fn a_damaged_line_of_a_perft_table_is_counted_or_refused() {
    let seeds = 0..4;
    println!("seeds {seeds:?}");
    let lines = ["1qq1/4/4/1QQ1 w ; 2 ; 6544", "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w ; 1 ; 1232"];
    let (mut counted, mut refused) = (0, 0);
    for seed in seeds {
        let mut random = Random::seeded(seed);
        for _ in 0..2_000 {
            let line = lines[random.below(2) as usize];
            let line = spoil(line, &mut random);
            if is_hard_work(&line) {
                continue;
            }
            match verify(&line) {
                Ok(_) => counted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    println!("{counted} counted, {refused} refused");
    assert!(counted > 50 && refused > 1_000);
}

#[test]
fn a_megabyte_of_anything_is_no_trouble_as_a_line() {
    let bricks = [
        "a",
        "0",
        "9",
        " ",
        "/",
        ",",
        ";",
        ";;;",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "\\",
        "{\"a\":",
        "[[],",
        "é",
        "10/",
        "Q",
        "null,",
        "\u{1f980}",
        "#",
        "-",
        "\0",
    ];
    for brick in bricks {
        let wall = brick.repeat((1 << 20) / brick.len());
        let quoted = Value::from(wall.as_str());
        for line in [
            wall.clone(),
            format!("{{{wall}"),
            format!("{{\"game\":{quoted}}}"),
            format!("{{\"game\":\"amazons\",\"start\":{quoted},\"moves\":[]}}"),
            format!("{{\"game\":\"amazons\",\"moves\":[{quoted}]}}"),
            format!("{{\"game\":\"in-trap\",\"moves\":[{quoted}]}}"),
            format!("{{\"game\":\"watch-your-back\",\"moves\":[{quoted}]}}"),
            format!("{{\"game\":\"watch-your-back\",\"winner\":{quoted},\"moves\":[]}}"),
            format!("{{\"game\":\"watch-your-back\",\"winner\":{wall}}}"),
            format!("{{\"game\":\"in-trap\",{quoted}:[]}}"),
            format!("{wall} ; 1 ; 2"),
            format!("1qq1/4/4/1QQ1 w ; 1 ; {wall}"),
        ] {
            let _ = verify(line.as_bytes());
        }
        // Where any JSON may stand, it may be deep or wide.
        let mut game = short_games("game17").remove(0);
        game["turns"][0]["moves"] = quoted;
        let _ = verify(game.to_string().as_bytes());
        game["turns"][0]["moves"] = json!("@");
        let _ = verify(game.to_string().replace("\"@\"", &wall).as_bytes());
    }
    for depth in [100, 200, 500_000] {
        let nest = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let mut game = short_games("game17").remove(0);
        game["turns"][0]["moves"] = json!("@");
        let outcome = verify(game.to_string().replace("\"@\"", &nest).as_bytes());
        assert_eq!(outcome.is_ok(), depth < 120, "{depth}: {outcome:?}");
    }
}

#[test]
fn a_damaged_record_is_replayed_or_refused() {
    let seeds = 0..4;
    println!("seeds {seeds:?}");
    let options = skirmish_rules::Options::none().with("size", 4);
    let (mut replayed, mut refused) = (0, 0);
    for seed in seeds {
        for name in ["amazons", "game17", "in-trap"] {
            let mut random = Random::seeded(seed);
            let setup =
                skirmish_rules::Setup { options: &options, position: None, random: &mut random };
            let mut table = skirmish_rules::open(name, setup).unwrap();
            let choice = table.choices()[0];
            let record = Record::random(table.as_mut(), choice, 12, seed).unwrap();
            let text = serde_json::to_string(&record).unwrap();
            for _ in 0..500 {
                let spoilt = spoil(&text, &mut random);
                let Ok(record) = serde_json::from_slice::<Record>(&spoilt) else {
                    refused += 1;
                    continue;
                };
                match record.replay(usize::MAX) {
                    Ok(_) => replayed += 1,
                    Err(error) => {
                        assert!(!error.message.contains('\n'), "{error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    println!("{replayed} replayed, {refused} refused");
    assert!(replayed > 50 && refused > 500);
}
