//! Games to look at: records, lists of them, the JSON of the original Game 17 tool; and pictures of
//! them, held against golden files.

use skirmish_play::game17_json::{Diff, Diffs};
use skirmish_play::record::{Outcome, Record, Termination};
use skirmish_play::replay::Replay;
use skirmish_render::picture::{Animation, picture, sheet, svg};
use skirmish_rules::{Options, Random, Setup, Turn, open};

fn random_game(game: &str, options: &Options, turns: u64) -> Record {
    let mut random = Random::seeded(7);
    let mut table = open(game, Setup { options, position: None, random: &mut random }).unwrap();
    let choice = table.choices()[0];
    Record::random(table.as_mut(), choice, turns, 7).unwrap()
}

const GAMES: [&str; 4] = ["watch-your-back", "game17", "in-trap", "amazons"];

fn small(game: &str) -> Record {
    let mut options = Options::none();
    match game {
        "amazons" => options.set("size", 6),
        "game17" => {
            options.set("size", 4);
            options.set("players", vec![0, 5]);
        }
        _ => {}
    }
    random_game(game, &options, 40)
}

#[test]
fn every_frame_is_the_board_after_that_many_turns() {
    for game in GAMES {
        let record = small(game);
        let replay = Replay::of_record(record.clone()).unwrap();
        assert_eq!(replay.plies(), record.events.len());
        for turn in 0..=replay.turns() {
            let frame = replay.frame(turn).unwrap();
            let table = record.replay(frame.ply).unwrap();
            assert!(!matches!(table.turn(), Turn::Chance { .. }), "{game}: a toss is left open");
            assert_eq!(frame.view, table.view(), "{game}, turn {turn}");
            assert_eq!(replay.turn_at(frame.ply), turn);
            assert!(turn > 0 || frame.changed.is_empty());
        }
        // Beyond the end is the end.
        assert_eq!(
            replay.frame(replay.turns() + 5).unwrap(),
            replay.frame(replay.turns()).unwrap()
        );
    }
}

/// Long enough that positions are found again from those that were kept.
#[test]
fn long_games_are_found_again_from_anywhere() {
    let record = random_game("game17", &Options::none(), 500);
    let replay = Replay::of_record(record.clone()).unwrap();
    for turn in [0, 63, 64, 65, 128, 300, 499, 500] {
        let frame = replay.frame(turn).unwrap();
        assert_eq!(frame.view, record.replay(frame.ply).unwrap().view(), "turn {turn}");
    }
}

#[test]
fn files_with_one_game_or_many_are_read() {
    let records = GAMES.map(|game| serde_json::to_string(&small(game)).unwrap());
    for text in &records {
        assert!(Replay::read(text, None).is_ok());
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        assert!(Replay::read(&pretty, None).is_ok(), "over many lines");
    }
    let many = records.join("\n") + "\n";
    assert_eq!(Replay::read(&many, Some(4)).unwrap().title, "Game of the Amazons");
    for (game, message) in [(None, "holds 4 games"), (Some(5), "no game 5"), (Some(0), "no game 0")]
    {
        let error = Replay::read(&many, game).err().unwrap();
        assert!(error.message.contains(message) && error.hint.is_some(), "{error}");
    }
    // Things said about a game do not matter.
    let wrapped = format!("{{\"number\":3,\"record\":{}}}", records[0]);
    assert!(Replay::read(&wrapped, None).is_ok());
}

#[test]
fn what_is_no_game_is_refused_in_words() {
    let record = serde_json::to_value(small("amazons")).unwrap();
    let with = |key: &str, value: serde_json::Value| {
        let mut changed = record.clone();
        changed[key] = value;
        changed.to_string()
    };
    let mut events = record["events"].clone();
    events[3]["move"] = "a1-a1/a1".into();
    for (text, message) in [
        (String::new(), "not JSON"),
        ("{".to_owned(), "not JSON"),
        ("{}".to_owned(), "neither `events` nor `diffs`"),
        ("[1,2]".to_owned(), "neither"),
        (with("format", 9.into()), "format 9"),
        (with("game", "chess".into()), "chess"),
        (with("events", events), "ply 3"),
        (r#"{"owners":[],"numbers":[],"diffs":[]}"#.to_owned(), "not a square board"),
        (r#"{"owners":[[0,1]],"numbers":[[4,4]],"diffs":[]}"#.to_owned(), "not a square board"),
        (r#"{"owners":[[0]],"numbers":[[-4]],"diffs":[]}"#.to_owned(), "not a game of the original"),
        (
            r#"{"owners":[[0]],"numbers":[[4]],"diffs":[{"round":0,"owner":0,"owners":[[1,0,0]],"numbers":[]}]}"#
                .to_owned(),
            "changes 1,0",
        ),
    ] {
        let error = Replay::read(&text, None).err().expect(&text);
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

/// A game as the original tool writes it: nothing but the board and what changed.
fn old_game() -> Diffs {
    Diffs {
        owners: vec![vec![2, 0], vec![1, 3]],
        numbers: vec![vec![4, 4], vec![4, 4]],
        diffs: vec![
            Diff { round: 0, owner: 3, owners: vec![], numbers: vec![(1, 1, 3), (0, 1, 5)] },
            Diff {
                round: 0,
                owner: 1,
                owners: vec![(0, 0, 1)],
                numbers: vec![(1, 0, 0), (0, 0, 8)],
            },
            Diff { round: 1, owner: 3, owners: vec![], numbers: vec![(1, 1, 1), (0, 1, 7)] },
        ],
        num_rounds: None,
        turn_order: None,
        players: None,
    }
}

#[test]
fn games_of_the_original_tool_are_shown() {
    let text = serde_json::to_string(&old_game()).unwrap();
    assert!(!text.contains("num_rounds"), "nothing is added that was not there");
    let replay = Replay::read(&text, None).unwrap();
    assert_eq!((replay.turns(), replay.plies()), (3, 3));
    let frame = replay.frame(2).unwrap();
    assert_eq!(frame.caption, "round 1, owner 1: 1 square changed hands");
    assert_eq!(frame.changed, [0, 2]);
    assert_eq!(frame.view.squares[0].token.as_ref().unwrap().text, "1:8");
    assert_eq!(frame.view.squares[2].owner.unwrap().0, 1);
    assert!(frame.view.status.starts_with("owner 3"), "{}", frame.view.status);
    assert_eq!(replay.ending.unwrap(), "all rounds are played: owner 1 won with 2 squares");
}

#[test]
fn pictures_are_as_they_were() {
    for game in GAMES {
        let replay = Replay::of_record(small(game)).unwrap();
        let frame = replay.frame(30).unwrap();
        let drawn = svg(&picture(&replay.title, &frame));
        insta::assert_snapshot!(game, drawn);
    }
    let replay = Replay::of_diffs(old_game()).unwrap();
    let frames: Vec<_> = (0..=3).map(|turn| replay.frame(turn).unwrap()).collect();
    insta::assert_snapshot!(
        "sheet",
        sheet(&replay.title, replay.ending.as_ref().unwrap(), &frames)
    );
}

/// Every letter of a picture that is not ours is made harmless.
#[test]
fn names_of_agents_do_no_harm() {
    let mut record = small("amazons");
    record.seats.push(skirmish_play::record::Participant {
        seat: skirmish_rules::Seat(0),
        agent: "cmd:./x".to_owned(),
        name: "</text><script>alert(1)</script>\u{0}&\"".to_owned(),
        version: None,
    });
    let replay = Replay::of_record(record).unwrap();
    let drawn = svg(&picture(&replay.title, &replay.frame(3).unwrap()));
    assert!(drawn.contains("&lt;/text&gt;&lt;script&gt;") && !drawn.contains("<script"));
    assert!(!drawn.contains('\u{0}'));
}

#[test]
fn a_gif_holds_every_picture_and_only_what_changed() {
    let replay = Replay::of_record(small("in-trap")).unwrap();
    let scenes: Vec<_> =
        (0..=12).map(|turn| picture(&replay.title, &replay.frame(turn).unwrap())).collect();
    let mut bytes = Vec::new();
    let mut animation = Animation::begin(&mut bytes, &scenes).unwrap();
    for scene in &scenes {
        animation.add(scene, 10).unwrap();
    }
    // The same again: nothing changed, and still a picture.
    animation.add(&scenes[12], 50).unwrap();
    drop(animation);

    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(&bytes[..]).unwrap();
    let (width, height) = (decoder.width(), decoder.height());
    assert_eq!((width.into(), height.into()), (scenes[0].width.ceil(), scenes[0].height.ceil()));
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames.push((frame.width, frame.height, frame.delay, frame.buffer.to_vec()));
    }
    assert_eq!(frames.len(), 14);
    assert_eq!((frames[0].0, frames[0].1), (width, height), "the first is whole");
    assert_eq!((frames[13].0, frames[13].1, frames[13].2), (1, 1, 50));
    let paper = frames[0].3[0];
    assert!(frames[0].3.iter().any(|pixel| *pixel != paper), "something is drawn");
    let whole = usize::from(width) * usize::from(height);
    for (_, _, _, buffer) in &frames[1..13] {
        let new = buffer.iter().filter(|pixel| **pixel != 255).count();
        assert!(new > 0 && new < whole / 4, "{new} of {whole} pixels changed in one turn");
    }
}

#[test]
fn a_game_that_a_fault_ended_says_so_on_its_last_board() {
    let mut record = random_game("in-trap", &Options::none(), 3);
    record.result = Some(Outcome {
        payoffs: vec![1.0, -1.0],
        termination: Termination::Crash,
        sentence: "player 2 (agent) failed".to_owned(),
        scores: None,
    });
    let replay = Replay::of_record(record).unwrap();
    for (turn, frame) in replay.frames().unwrap().iter().enumerate() {
        assert_eq!(*frame, replay.frame(turn).unwrap());
        assert_eq!(frame.view.status == "player 2 (agent) failed", turn == 3);
    }
}
