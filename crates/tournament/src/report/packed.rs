//! A game as a page plays it: boards that were worked out here, so that the page knows no rule.

use std::collections::HashMap;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use skirmish_rules::view::{Frame, Panel, Square};
use skirmish_rules::{Result, Seat, View};

use skirmish_play::analysis::Annotation;
use skirmish_play::record::Record;
use skirmish_play::replay::Replay;

/// Everything the page needs to play a game. Squares that look alike are written once.
#[derive(Serialize)]
struct PackedReplay {
    title: String,
    ending: Option<String>,
    rows: u16,
    columns: u16,
    wraps: bool,
    /// The seats that someone holds: the others are grey.
    players: Vec<Seat>,
    row_labels: Vec<String>,
    column_labels: Vec<String>,
    /// Every look that a square has in this game.
    looks: Vec<Square>,
    /// The look of each square at the start.
    start: Vec<usize>,
    frames: Vec<Step>,
}

/// A board as the difference to the one before.
#[derive(Serialize)]
struct Step {
    ply: usize,
    caption: String,
    status: String,
    /// What the player said it thought of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<String>,
    /// What an agent that judged the game has to say about the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake: Option<String>,
    /// Square and look in turn.
    changes: Vec<usize>,
    /// The squares that the turn changed, to be pointed out.
    changed: Vec<u16>,
    /// Facts beside the board, where they are not those of the board before.
    #[serde(skip_serializing_if = "Option::is_none")]
    panels: Option<Vec<Panel>>,
}

/// A game, packed: deflated JSON in Base64, which a page unpacks when someone wants to see it.
pub(super) fn packed(record: Record, mistakes: &[Annotation]) -> Result<String> {
    let players = record.seats.iter().map(|player| player.seat).collect();
    let replay = Replay::of_record(record)?;
    let frames = replay.frames()?;
    let packed = pack(&replay, &frames, players, mistakes);
    let json = serde_json::to_vec(&packed).expect("boards are plain data");
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(&json).expect("memory can be written to");
    Ok(STANDARD.encode(encoder.finish().expect("memory can be written to")))
}

fn pack(
    replay: &Replay,
    frames: &[Frame],
    players: Vec<Seat>,
    mistakes: &[Annotation],
) -> PackedReplay {
    let mut looks = Looks::default();
    let first = &frames[0].view;
    let start = first.squares.iter().map(|square| looks.number(square)).collect();
    let mut steps = Vec::with_capacity(frames.len());
    let mut before: Option<&View> = None;
    for frame in frames {
        let view = &frame.view;
        let mut changes = Vec::new();
        if let Some(before) = before {
            for (cell, (old, new)) in before.squares.iter().zip(&view.squares).enumerate() {
                if old != new {
                    changes.extend([cell, looks.number(new)]);
                }
            }
        }
        let is_news = before.is_none_or(|before| before.panels != view.panels);
        let mistake = mistakes.iter().find(|judged| judged.mistake && judged.turn == frame.turn);
        steps.push(Step {
            thought: replay.thought(frame.turn).map(ToString::to_string),
            mistake: mistake.map(|judged| {
                format!("a mistake: {} was better by {:.2}", judged.best, judged.loss)
            }),
            ply: frame.ply,
            caption: frame.caption.clone(),
            status: view.status.clone(),
            changes,
            changed: frame.changed.clone(),
            panels: is_news.then(|| view.panels.clone()),
        });
        before = Some(view);
    }
    PackedReplay {
        title: replay.title.clone(),
        ending: replay.ending.clone(),
        rows: first.rows,
        columns: first.columns,
        wraps: first.wraps,
        players,
        row_labels: first.row_labels.clone(),
        column_labels: first.column_labels.clone(),
        looks: looks.looks,
        start,
        frames: steps,
    }
}

/// The looks of squares, each with a number.
#[derive(Default)]
struct Looks {
    looks: Vec<Square>,
    numbers: HashMap<String, usize>,
}

impl Looks {
    fn number(&mut self, square: &Square) -> usize {
        let name = serde_json::to_string(square).expect("squares are plain data");
        *self.numbers.entry(name).or_insert_with(|| {
            self.looks.push(square.clone());
            self.looks.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use serde_json::Value;
    use skirmish_rules::table::open;
    use skirmish_rules::{Games, Options, Random, Registry, Setup};

    use super::*;

    /// What the page does with a packed game, in other words.
    fn boards(packed: &str) -> Vec<(Vec<Value>, String)> {
        let bytes = STANDARD.decode(packed).unwrap();
        let mut json = String::new();
        flate2::read::DeflateDecoder::new(&bytes[..]).read_to_string(&mut json).unwrap();
        let packed: Value = serde_json::from_str(&json).unwrap();
        let mut now: Vec<usize> = serde_json::from_value(packed["start"].clone()).unwrap();
        let mut boards = Vec::new();
        for frame in packed["frames"].as_array().unwrap() {
            for change in frame["changes"].as_array().unwrap().chunks(2) {
                now[change[0].as_u64().unwrap() as usize] = change[1].as_u64().unwrap() as usize;
            }
            let squares = now.iter().map(|look| packed["looks"][*look].clone()).collect();
            boards.push((squares, frame["status"].as_str().unwrap().to_owned()));
        }
        boards
    }

    #[test]
    fn a_packed_game_shows_every_board_of_the_record() {
        for entry in Games::ENTRIES {
            let mut options = Options::none();
            entry.seat_players(&mut options, 2);
            let mut random = Random::seeded(7);
            let setup = Setup { options: &options, position: None, random: &mut random };
            let mut table = open(entry.name, setup).unwrap();
            let choice = table.choices()[0];
            let record = Record::random(table.as_mut(), choice, 60, 7).unwrap();
            let shown = boards(&packed(record.clone(), &[]).unwrap());
            let replay = Replay::of_record(record).unwrap();
            assert_eq!(shown.len(), replay.turns() + 1, "{}", entry.name);
            for (turn, (squares, status)) in shown.iter().enumerate() {
                let frame = replay.frame(turn).unwrap();
                let expected: Vec<Value> = (frame.view.squares.iter())
                    .map(|square| serde_json::to_value(square).unwrap())
                    .collect();
                assert_eq!(squares, &expected, "{} turn {turn}", entry.name);
                assert_eq!(status, &frame.view.status);
            }
        }
    }

    #[test]
    fn what_was_thought_of_a_turn_goes_along() {
        let options = Options::none().with("size", 6);
        let mut random = Random::seeded(7);
        let setup = Setup { options: &options, position: None, random: &mut random };
        let mut table = open("amazons", setup).unwrap();
        let choice = table.choices()[0];
        let mut record = Record::random(table.as_mut(), choice, 3, 7).unwrap();
        let skirmish_play::record::Event::Move { info, .. } = &mut record.events[1] else {
            panic!("a turn")
        };
        *info = Some(serde_json::json!({"value": 0.5, "depth": 3, "pv": ["a\u{1b}1", 5]}));
        let judged = Annotation {
            ply: 2,
            turn: 3,
            seat: Seat(0),
            text: "x".to_owned(),
            best: "y".to_owned(),
            value: 0.0,
            own_value: None,
            loss: 0.4,
            mistake: true,
        };
        let replay = Replay::of_record(record).unwrap();
        let packed = pack(&replay, &replay.frames().unwrap(), Vec::new(), &[judged]);
        let thoughts: Vec<Option<&str>> =
            packed.frames.iter().map(|step| step.thought.as_deref()).collect();
        assert_eq!(thoughts, [None, None, Some("+0.50, depth 3, best line a1"), None]);
        assert_eq!(packed.frames[3].mistake.as_deref(), Some("a mistake: y was better by 0.40"));
        assert!(packed.frames[2].mistake.is_none());
    }
}
