use serde_json::json;
use skirmish_rules::table::open;
use skirmish_rules::{Options, Random, Seat, Setup};

use super::*;
use crate::summary::{Analysed, Entrant, Moment, Pairing, Score, SeatTaken, Usage};
use skirmish_play::analysis::Annotation;
use skirmish_play::record::{Participant, Record};

const HOSTILE: &str = "</script><script>alert('x')</script><img src=x onerror=alert(1)>";

fn game_of(number: u64, record: Option<Record>) -> GamePlayed {
    let seat = |place: usize, points: f64| SeatTaken {
        agent: place,
        seat: Seat(place as u16),
        name: ["white", "black"][place].to_owned(),
        points,
        score: None,
        stderr: String::new(),
    };
    GamePlayed {
        number,
        round: 1,
        seats: vec![seat(0, 1.0), seat(1, 0.0)],
        seconds: 0.5,
        plies: 12,
        turns: 12,
        termination: "timeout".to_owned(),
        sentence: HOSTILE.to_owned(),
        overloaded: true,
        record,
        mistakes: vec![Annotation {
            ply: 4,
            turn: 5,
            seat: Seat(1),
            text: HOSTILE.to_owned(),
            best: "a1-a2/a3".to_owned(),
            value: 0.1,
            own_value: None,
            loss: 0.45,
            mistake: true,
        }],
    }
}

fn line(agent: usize, rating: f64) -> Standing {
    let result = Came::Points {
        draws: 1,
        losses: 2,
        score: 2.5,
        byes: 1.0,
        buchholz: Some(7.5),
        sonneborn_berger: None,
        reached: None,
    };
    Standing {
        rank: agent as u32 + 1,
        agent,
        games: 4,
        wins: 1,
        result,
        rating: Some(Estimate { value: rating, low: rating - 90.0, high: rating + 90.0 }),
        superiority: Some(0.93),
        faults: agent as u64,
        usage: Usage { turns: 40, mean_ms: 1.25, worst_ms: 120.0, is_cpu: true, memory_mb: None },
        mistakes: Some(Mistakes { mistakes: 3, turns: 40 }),
    }
}

fn summary() -> Summary {
    let options = Options::none();
    let mut random = Random::seeded(3);
    let setup = Setup { options: &options, position: None, random: &mut random };
    let mut table = open("amazons", setup).unwrap();
    let choice = table.choices()[0];
    let record = Record::random(table.as_mut(), choice, 10, 3).unwrap();
    let met = Score { wins: 1, draws: 1, losses: 2, both_forfeited: 0, elo: None };
    Summary {
        title: format!("Class of {HOSTILE}"),
        game: "amazons".to_owned(),
        game_title: "Game of the Amazons".to_owned(),
        options,
        format: "swiss".to_owned(),
        format_sentence: "Swiss system".to_owned(),
        is_free_for_all: false,
        seed: 42,
        settings: json!({"title": HOSTILE}),
        version: "1".to_owned(),
        started: Some("2026-05-01T22:10:05.5Z".to_owned()),
        finished: Some("2026-05-02T06:10:05Z".to_owned()),
        game_seconds: 3725.0,
        is_complete: false,
        planned: Some(12),
        verdict: None,
        sprt: None,
        agents: ["one", HOSTILE]
            .map(|name| Entrant { name: name.to_owned(), spec: format!("cmd:{name}") })
            .to_vec(),
        standings: vec![line(0, 35.0), line(1, -35.0)],
        cross_table: vec![vec![None, Some(met)], vec![Some(met), None]],
        history: vec![
            Moment { games: 1, ratings: vec![Some(0.0), None] },
            Moment { games: 4, ratings: vec![Some(35.0), Some(-35.0)] },
        ],
        rounds: vec![Round {
            number: 1,
            name: "round 1".to_owned(),
            pairings: vec![Pairing {
                first: 0,
                second: 1,
                first_score: 1.5,
                second_score: 0.5,
                winner: None,
                both_out: false,
                note: None,
            }],
            byes: vec![1],
            withdrawn: vec![0],
        }],
        games: vec![game_of(1, Some(record)), game_of(2, None)],
        faults: vec![FaultNoted {
            agent: 1,
            game: 1,
            ply: 7,
            turn: 8,
            kind: "timeout".to_owned(),
            sentence: "it took too long.".to_owned(),
            cost: "game".to_owned(),
            stderr: HOSTILE.to_owned(),
            overloaded: true,
        }],
        overload: vec![HOSTILE.to_owned()],
        analysed: Some(Analysed { agent: "mcts".to_owned(), games: 2 }),
        notes: vec![format!("{HOSTILE} changed")],
    }
}

#[test]
fn whatever_agents_say_stays_text() {
    let page = page(&summary());
    assert!(!page.contains("<img"), "an element out of an agent's words");
    let scripts = page.matches("<script").count();
    assert_eq!(scripts, 2, "the replays and our own script");
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn the_page_tells_everything_without_its_script() {
    let page = page(&summary());
    for text in [
        "2½",
        "7½",
        "35 <span class=\"interval\">(-55 to 125)",
        "93 %",
        "1–1–2",
        "Round 1",
        "1½ : ½",
        "bye",
        "withdrawn",
        "1 h 2 min",
        "2 of 12",
        "2026-05-01 22:10:05",
        "Not finished",
        "overloaded",
        "1 × timeout",
        "it took too long; it cost the game.",
        "7.5",
        "#game-1-turn-5",
        "Game 1, turn 5",
        "Game 1, turn 8",
        "was better by 0.45",
        "data-watch=\"1\"",
        "skirmish replay games.jsonl",
        "Seed 42",
    ] {
        assert!(page.contains(text), "{text} is missing in\n{page}");
    }
    assert!(!page.contains("data-watch=\"2\""), "a game without a record cannot be watched");
}

#[test]
fn a_page_of_nothing_and_one_of_a_free_for_all_are_whole() {
    let nothing = Summary {
        agents: Vec::new(),
        standings: Vec::new(),
        cross_table: Vec::new(),
        history: Vec::new(),
        rounds: Vec::new(),
        games: Vec::new(),
        faults: Vec::new(),
        overload: Vec::new(),
        notes: Vec::new(),
        is_complete: true,
        ..summary()
    };
    let html = page(&nothing);
    assert!(html.contains("None yet.") && html.contains("None: every agent"), "{html}");

    let some = Estimate { value: 0.25, low: 0.2, high: 0.3 };
    let places = |agent| Standing {
        result: Came::Places { squares: some, place: some, win_rate: some },
        ..line(agent, 0.0)
    };
    let royale = Summary {
        is_free_for_all: true,
        cross_table: Vec::new(),
        standings: vec![places(0), places(1)],
        ..summary()
    };
    let html = page(&royale);
    assert!(html.contains("25 <span class=\"interval\">(20 to 30)"), "{html}");
    assert!(!html.contains("Who beat whom"));
    for html in [page(&nothing), html] {
        // The script may speak of such numbers; what is told may not.
        let told = html.split("<script>").next().unwrap_or_default();
        assert!(!told.contains("NaN") && !told.contains("inf "), "{html}");
    }
}

#[test]
fn one_game_is_a_page() {
    let mut random = Random::seeded(3);
    let options = Options::none().with("size", 6);
    let setup = Setup { options: &options, position: None, random: &mut random };
    let mut table = open("amazons", setup).unwrap();
    let choice = table.choices()[0];
    let mut record = Record::random(table.as_mut(), choice, 8, 3).unwrap();
    for seat in 0..2 {
        let name = HOSTILE.to_owned();
        let player =
            Participant { seat: Seat(seat), agent: "cmd:x".to_owned(), name, version: None };
        record.seats.push(player);
    }
    let turns: Vec<Annotation> = (1..=8)
        .map(|turn| Annotation {
            turn,
            loss: turn as f32 / 10.0,
            mistake: turn > 5,
            own_value: Some(0.25),
            ..game_of(1, None).mistakes.remove(0)
        })
        .collect();
    let page = game_page(OneGame { number: 3, record: &record, agent: "mcts", turns: &turns });
    let page = page.unwrap();
    assert!(!page.contains("<img") && page.matches("<script").count() == 2);
    let places = ["Turn 8", "Turn 7", "Turn 6"].map(|text| page.find(text).expect(text));
    assert!(places.is_sorted(), "the worst mistake comes first");
    for text in ["data-watch=\"3\"", "#game-3-turn-8", "+0.25", "\"3\":\"", "data-alone"] {
        assert!(page.contains(text), "{text} is missing in {page}");
    }
    let quiet = OneGame { number: 1, record: &record, agent: "mcts", turns: &[] };
    assert!(game_page(quiet).unwrap().contains("None that cost"));
}

#[test]
fn points_and_spans_read_as_people_write_them() {
    for (value, shown) in [(0.0, "0"), (0.5, "½"), (2.5, "2½"), (3.0, "3"), (0.333, "0.33")] {
        assert_eq!(points(value), shown);
    }
    for (seconds, shown) in [(0.04, "0.0 s"), (75.0, "1 min 15 s"), (3725.0, "1 h 2 min")] {
        assert_eq!(span(seconds), shown);
    }
}
