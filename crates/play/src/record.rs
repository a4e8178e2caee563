//! A game as it is kept: one JSON object that replays exactly, without any random generator.
//!
//! The events are stored, not the seed that led to them: a record outlives every change of a
//! generator or an agent.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use skirmish_rules::error::ErrorKind;
pub use skirmish_rules::table::Roll;
use skirmish_rules::table::Table;
use skirmish_rules::{Choice, Ending, Error, Options, Random, Result, Seat, Setup, Turn, open};

use crate::agent_spec::AgentSpec;
use crate::faults::Fault;
use crate::limits::Limits;

/// The version of the record's shape that this code writes.
pub const FORMAT: u32 = 1;

/// One game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The version of this shape.
    pub format: u32,
    /// Which game it is.
    pub game: String,
    /// Its options, settled.
    pub options: Options,
    /// The position it started from.
    pub start: String,
    /// Who sat where; seats that nature plays may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<Participant>,
    /// The seed it was played with: a note, not needed to replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// How it ended; `None` for a game that was not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Outcome>,
    /// What the agents could use, where a referee watched over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What the agents did that they must not do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// Who sat in a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Participant {
    /// The seat.
    pub seat: Seat,
    /// The line that names the agent: `alphabeta:depth=4`.
    pub agent: String,
    /// What it calls itself.
    pub name: String,
    /// Which version of it played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Participant {
    /// Whether one of our own engines sits here, rather than a person or a program.
    pub fn is_built_in(&self) -> bool {
        matches!(self.agent.parse(), Ok(AgentSpec::BuiltIn(_)))
    }
}

/// Something that happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Event {
    /// A player took a turn.
    Move {
        /// Its place among the events.
        ply: u32,
        /// Who took it.
        seat: Seat,
        /// The whole turn.
        #[serde(rename = "move")]
        text: String,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time_ms: Option<f64>,
        /// The CPU time it took, where that was measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cpu_ms: Option<f64>,
        /// What the agent had to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        info: Option<serde_json::Value>,
    },
    /// Nature rolled.
    Chance {
        /// Its place among the events.
        ply: u32,
        /// The roll.
        chance: Roll,
    },
}

/// Why a game ended: by its rules, or by what someone did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// By the game's own winning condition.
    Normal,
    /// By the limit on the number of moves.
    MoveLimit,
    /// Because no player can ever move again.
    Deadlock,
    /// An agent chose a turn the rules forbid.
    IllegalMove,
    /// An agent took too long.
    Timeout,
    /// An agent took too much memory.
    Memory,
    /// An agent's program ended or did not start.
    Crash,
    /// An agent did not keep to the protocol.
    Protocol,
    /// A player gave up.
    Resigned,
    /// The players agreed on a draw.
    Agreed,
    /// The game was ended from outside, undecided.
    Interrupted,
}

impl Termination {
    /// Whether the rules themselves ended the game.
    pub fn is_by_the_rules(self) -> bool {
        matches!(self, Termination::Normal | Termination::MoveLimit | Termination::Deadlock)
    }

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::MoveLimit => "move-limit",
            Termination::Deadlock => "deadlock",
            Termination::IllegalMove => "illegal-move",
            Termination::Timeout => "timeout",
            Termination::Memory => "memory",
            Termination::Crash => "crash",
            Termination::Protocol => "protocol",
            Termination::Resigned => "resigned",
            Termination::Agreed => "agreed",
            Termination::Interrupted => "interrupted",
        }
    }
}

impl From<Ending> for Termination {
    fn from(ending: Ending) -> Termination {
        match ending {
            Ending::Normal => Termination::Normal,
            Ending::MoveLimit => Termination::MoveLimit,
            Ending::Deadlock => Termination::Deadlock,
        }
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// What it was worth to each seat.
    pub payoffs: Vec<f32>,
    /// Why it ended.
    pub termination: Termination,
    /// The same in a sentence.
    pub sentence: String,
    /// What the game counts for each seat that has any of it: squares in Game 17.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "numbered_by_text"
    )]
    pub scores: Option<BTreeMap<u16, u32>>,
}

/// Keys of JSON objects are text, and stay so where serde looks ahead.
fn numbered_by_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<BTreeMap<u16, u32>>, D::Error> {
    let Some(scores) = Option::<BTreeMap<String, u32>>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let numbered =
        |(seat, score): (String, u32)| Ok((seat.parse().map_err(D::Error::custom)?, score));
    scores.into_iter().map(numbered).collect::<std::result::Result<_, _>>().map(Some)
}

impl Record {
    /// Whether a fault has cost this seat the game.
    pub fn has_forfeited(&self, seat: Seat) -> bool {
        self.faults.iter().any(|fault| fault.seat == seat && fault.cost == "game")
    }

    /// Begins a record of the game on this table.
    pub fn begin(table: &dyn Table, seed: Option<u64>) -> Record {
        Record {
            format: FORMAT,
            game: table.entry().name.to_owned(),
            options: table.options(),
            start: table.position(),
            seats: Vec::new(),
            seed,
            events: Vec::new(),
            result: None,
            limits: None,
            faults: Vec::new(),
        }
    }

    /// Plays a random game to its end, or for `most` turns, and records it.
    pub fn random(table: &mut dyn Table, choice: Choice, most: u64, seed: u64) -> Result<Record> {
        let mut random = Random::seeded(seed);
        let mut record = Record::begin(table, Some(seed));
        for _ in 0..most {
            if table.turn() == Turn::Over {
                break;
            }
            let played = table.play_randomly(choice, &mut random)?;
            record.push_move(played.seat, played.text);
            played.rolls.into_iter().for_each(|roll| record.push_roll(roll));
        }
        record.finish(table);
        Ok(record)
    }

    /// How many turns were taken.
    pub fn turns(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Move { .. })).count()
    }

    /// The number of the turn that comes after `ply` events, counted from 1 as people count.
    pub fn turn_of(&self, ply: usize) -> usize {
        let before = self.events.iter().take(ply);
        1 + before.filter(|event| matches!(event, Event::Move { .. })).count()
    }

    /// How many events happened before turn `turn`, counted from 1; for the turn after the last, all
    /// of them. `None` for any other number.
    pub fn ply_before(&self, turn: usize) -> Option<usize> {
        let events = self.events.iter().enumerate();
        let mut moves = events.filter(|(_, event)| matches!(event, Event::Move { .. }));
        match moves.nth(turn.checked_sub(1)?) {
            Some((ply, _)) => Some(ply),
            None => (turn == self.turns() + 1).then_some(self.events.len()),
        }
    }

    /// Adds a turn.
    pub fn push_move(&mut self, seat: Seat, text: String) {
        let ply = self.events.len() as u32;
        self.events.push(Event::Move { ply, seat, text, time_ms: None, cpu_ms: None, info: None });
    }

    /// Adds a roll.
    pub fn push_roll(&mut self, chance: Roll) {
        let ply = self.events.len() as u32;
        self.events.push(Event::Chance { ply, chance });
    }

    /// Notes how the game ended, if it has.
    pub fn finish(&mut self, table: &dyn Table) {
        self.result = table.ending().map(|ending| Outcome {
            payoffs: table.payoffs(),
            termination: ending.into(),
            sentence: table.view().status,
            scores: table.scores(),
        });
    }

    /// A walk through the game, from its start.
    pub fn walk(&self) -> Result<Walk<'_>> {
        if self.format != FORMAT {
            let message =
                format!("the record has format {}, this program reads {FORMAT}", self.format);
            return Err(Error::new(ErrorKind::Unreadable, message));
        }
        let mut unused = Random::seeded(0);
        let setup =
            Setup { options: &self.options, position: Some(&self.start), random: &mut unused };
        Ok(Walk { record: self, table: open(&self.game, setup)?, ply: 0 })
    }

    /// The game after its first `plies` events.
    pub fn replay(&self, plies: usize) -> Result<Box<dyn Table>> {
        let mut walk = self.walk()?;
        while walk.ply < plies {
            if walk.step()?.is_none() {
                break;
            }
        }
        Ok(walk.table)
    }
}

/// A walk through a recorded game: everything that looks at a record event by event walks like this.
pub struct Walk<'a> {
    record: &'a Record,
    table: Box<dyn Table>,
    ply: usize,
}

impl<'a> Walk<'a> {
    /// Goes on from a table that has seen the first `ply` events.
    pub fn from(record: &'a Record, table: Box<dyn Table>, ply: usize) -> Walk<'a> {
        Walk { record, table, ply }
    }

    /// The table after the events so far.
    pub fn table(&self) -> &dyn Table {
        self.table.as_ref()
    }

    /// How many events have happened.
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// Plays the next event; `None` at the end. An event the rules forbid is an error with its place.
    pub fn step(&mut self) -> Result<Option<&'a Event>> {
        let ply = self.ply;
        self.advance().map_err(|error| error.within(format_args!("ply {ply}")))
    }

    /// The same, with errors that do not say their place.
    pub fn advance(&mut self) -> Result<Option<&'a Event>> {
        let Some(event) = self.record.events.get(self.ply) else { return Ok(None) };
        apply_event(self.table.as_mut(), self.ply, event)?;
        self.ply += 1;
        Ok(Some(event))
    }
}

/// Plays event number `place` on the table, if the rules allow it.
pub(crate) fn apply_event(table: &mut dyn Table, place: usize, event: &Event) -> Result<()> {
    let illegal = |message: String| Err(Error::new(ErrorKind::Illegal, message));
    let (Event::Move { ply, .. } | Event::Chance { ply, .. }) = event;
    if *ply as usize != place {
        return illegal(format!("the event is numbered {ply}"));
    }
    match event {
        Event::Move { seat, text, .. } => {
            if table.turn() != Turn::Player(*seat) {
                return illegal(format!("it is not the turn of seat {seat}"));
            }
            table.play(text)?;
        }
        Event::Chance { chance, .. } => {
            if table.turn() != (Turn::Chance { sides: chance.sides }) {
                return illegal(format!("no event with {} sides is pending", chance.sides));
            }
            table.settle(chance.roll)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use skirmish_rules::{Games, Registry};

    #[test]
    fn a_record_of_any_game_replays_to_the_equal_position() {
        for entry in Games::ENTRIES {
            for seed in 0..5 {
                println!("{} seed {seed}", entry.name);
                let mut random = Random::seeded(seed);
                let options = Options::none();
                let setup = Setup { options: &options, position: None, random: &mut random };
                let mut table = open(entry.name, setup).unwrap();
                let choice = table.choices()[0];
                let record = Record::random(table.as_mut(), choice, 2_000, seed).unwrap();

                let text = serde_json::to_string(&record).unwrap();
                let read: Record = serde_json::from_str(&text).unwrap();
                assert_eq!(read, record);
                let replayed = read.replay(usize::MAX).unwrap();
                assert_eq!(replayed.position(), table.position());
                assert_eq!(replayed.key(), table.key());
                assert_eq!(replayed.payoffs(), record.result.unwrap().payoffs);
            }
        }
    }

    #[test]
    fn a_spoilt_record_is_refused_at_its_ply() {
        let mut random = Random::seeded(1);
        let options = Options::none().with("size", 6);
        let setup = Setup { options: &options, position: None, random: &mut random };
        let mut table = open("amazons", setup).unwrap();
        let record = Record::random(table.as_mut(), Choice::TwoStage, 10, 1).unwrap();

        let mut wrong_seat = record.clone();
        wrong_seat.events.remove(0);
        let error = wrong_seat.replay(usize::MAX).err().unwrap();
        assert_eq!(error.message, "ply 0: the event is numbered 1");

        let mut wrong_move = record.clone();
        wrong_move.events[4] = Event::Move {
            ply: 4,
            seat: Seat(0),
            text: "a1-a1/a1".to_owned(),
            time_ms: None,
            cpu_ms: None,
            info: None,
        };
        let error = wrong_move.replay(usize::MAX).err().unwrap();
        assert!(error.message.starts_with("ply 4: illegal turn `a1-a1/a1`"), "{error}");

        let future = Record { format: 99, ..record };
        assert!(future.replay(0).err().unwrap().message.contains("format 99"));
    }
}
