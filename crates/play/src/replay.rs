//! A game to look at: turn by turn, whatever it was kept in.
//!
//! Records and journals of this program, and games of the original Game 17 tool, which
//! [`crate::files`] reads. Turn N is the Nth turn of the game, and the board of turn N is the one
//! after it, coin tosses and all.

use std::path::Path;

use skirmish_rules::table::Table;
use skirmish_rules::view::Frame;
use skirmish_rules::{Result, Seat, View};

use crate::faults::harmless;
use crate::files::{self, Game};
use crate::game17_json::{Boards, Diffs};
use crate::record::{Event, Record, Walk};
use crate::thought::Thought;

/// A position is kept every so many turns, and found again from there.
const STRIDE: usize = 64;
/// Sentences of records are cut after so many characters.
const LONGEST_SENTENCE: usize = 1_000;
/// Names of players are cut after so many characters.
const LONGEST_NAME: usize = 60;
/// Turns longer than this are counted instead of written out.
const LONGEST_TURN: usize = 48;

/// A game to look at.
pub struct Replay {
    /// What was played, and by whom.
    pub title: String,
    /// How it ended, in a sentence; nothing where that is not known.
    pub ending: Option<String>,
    turns: Vec<Taken>,
    source: Source,
}

/// One turn.
struct Taken {
    /// How many events have happened after it.
    ply: usize,
    caption: String,
    /// Who took it, where that is known.
    seat: Option<Seat>,
    /// What its player said it thought.
    thought: Option<Thought>,
}

impl Taken {
    fn start() -> Taken {
        Taken { ply: 0, caption: "the start".to_owned(), seat: None, thought: None }
    }
}

enum Source {
    Record { record: Box<Record>, kept: Vec<Box<dyn Table>> },
    Diffs { diffs: Diffs, boards: Boards },
}

impl Replay {
    /// Reads a game from a file. `game` says which one where the file holds many.
    pub fn open(path: &Path, game: Option<usize>) -> Result<Replay> {
        let replay = Replay::of(files::read_game(path, game)?);
        replay.map_err(|error| error.within(path.display()))
    }

    /// Reads a game from text.
    pub fn read(text: &str, game: Option<usize>) -> Result<Replay> {
        Replay::of(files::game_in(text, game)?)
    }

    fn of(game: Game) -> Result<Replay> {
        match game {
            Game::Record(record) => Replay::of_record(*record),
            Game::Diffs(diffs) => Replay::of_diffs(*diffs),
        }
    }

    /// A record of this program. It is replayed once, so that a damaged one is found out here.
    pub fn of_record(record: Record) -> Result<Replay> {
        let mut walk = record.walk()?;
        let title = title(walk.table(), &record);
        let mut turns = vec![Taken::start()];
        let mut kept = vec![walk.table().fork()];
        while let Some(event) = walk.step()? {
            match event {
                Event::Move { seat, text, info, .. } => {
                    // Everything before this turn is settled.
                    let caption = caption(walk.table(), *seat, text);
                    let thought = info.as_ref().and_then(Thought::read);
                    turns.push(Taken { ply: walk.ply(), caption, seat: Some(*seat), thought });
                }
                Event::Chance { .. } => {
                    if let Some(turn) = turns.last_mut() {
                        turn.ply = walk.ply();
                    }
                }
            }
            let is_settled = !matches!(record.events.get(walk.ply()), Some(Event::Chance { .. }));
            if is_settled && (turns.len() - 1).is_multiple_of(STRIDE) && turns.len() > 1 {
                kept.push(walk.table().fork());
            }
        }
        drop(walk);
        let ending =
            record.result.as_ref().map(|result| harmless(&result.sentence, LONGEST_SENTENCE));
        Ok(Replay {
            title,
            ending,
            turns,
            source: Source::Record { record: Box::new(record), kept },
        })
    }

    /// A game of the original Game 17 tool.
    pub fn of_diffs(diffs: Diffs) -> Result<Replay> {
        let boards = diffs.boards()?;
        let mut turns = vec![Taken::start()];
        for (ply, diff) in diffs.diffs.iter().enumerate() {
            let who = diffs.players.iter().flatten().find(|(owner, _)| **owner == diff.owner);
            let name = who.map_or(String::new(), |(_, name)| format!(" ({name})"));
            let caption = format!(
                "round {}, owner {}{name}: {} changed hands",
                diff.round + 1,
                diff.owner,
                match diff.owners.len() {
                    1 => "1 square".to_owned(),
                    count => format!("{count} squares"),
                }
            );
            turns.push(Taken { ply: ply + 1, caption, seat: None, thought: None });
        }
        let size = diffs.owners.len();
        let ending = boards.view(&diffs, diffs.diffs.len())?.status;
        let names = || diffs.players.iter().flatten().map(|(_, name)| name.as_str());
        let title = match names().count() {
            0 => format!("Game 17 on {size}×{size}"),
            count => format!("Game 17: {}", some(names(), count)),
        };
        Ok(Replay { title, ending: Some(ending), turns, source: Source::Diffs { diffs, boards } })
    }

    /// How many turns were taken. There is one frame more.
    pub fn turns(&self) -> usize {
        self.turns.len() - 1
    }

    /// How many events happened.
    pub fn plies(&self) -> usize {
        self.turns.last().map_or(0, |turn| turn.ply)
    }

    /// The turn that event `ply` belongs to: the frame in which so many events have happened, or,
    /// within the coin tosses of a turn, the turn itself.
    pub fn turn_at(&self, ply: usize) -> usize {
        self.turns.partition_point(|turn| turn.ply < ply).min(self.turns())
    }

    /// What turn `turn` was, in a line.
    pub fn caption(&self, turn: usize) -> &str {
        &self.turns[turn.min(self.turns())].caption
    }

    /// What the player of turn `turn` said it thought.
    pub fn thought(&self, turn: usize) -> Option<&Thought> {
        self.turns.get(turn)?.thought.as_ref()
    }

    /// Who took turn `turn`, where that is known.
    pub fn seat(&self, turn: usize) -> Option<Seat> {
        self.turns.get(turn)?.seat
    }

    /// The board after `turn` turns, or at the end where there were fewer.
    pub fn frame(&self, turn: usize) -> Result<Frame> {
        let turn = turn.min(self.turns());
        let view = self.view(turn)?;
        let changed = match turn {
            0 => Vec::new(),
            _ => changes(&self.view(turn - 1)?, &view),
        };
        let Taken { ply, caption, .. } = &self.turns[turn];
        Ok(Frame { turn, ply: *ply, caption: caption.clone(), view, changed })
    }

    /// All boards in order, the start first. Cheaper than one [`Replay::frame`] after the other.
    pub fn frames(&self) -> Result<Vec<Frame>> {
        let mut frames: Vec<Frame> = Vec::with_capacity(self.turns.len());
        let mut walk = match &self.source {
            Source::Record { record, .. } => Some(record.walk()?),
            Source::Diffs { .. } => None,
        };
        for (turn, Taken { ply, caption, .. }) in self.turns.iter().enumerate() {
            let view = match &mut walk {
                Some(walk) => {
                    while walk.ply() < *ply {
                        walk.step()?;
                    }
                    self.ended(turn, walk.table().view())
                }
                None => self.view(turn)?,
            };
            let changed =
                frames.last().map_or_else(Vec::new, |before| changes(&before.view, &view));
            frames.push(Frame { turn, ply: *ply, caption: caption.clone(), view, changed });
        }
        Ok(frames)
    }

    /// The last board of a game that was ended by something other than its rules says by what.
    fn ended(&self, turn: usize, mut view: View) -> View {
        if let (Source::Record { record, .. }, true) = (&self.source, turn == self.turns())
            && let Some(result) = &record.result
            && !result.termination.is_by_the_rules()
        {
            view.status = harmless(&result.sentence, LONGEST_SENTENCE);
        }
        view
    }

    fn view(&self, turn: usize) -> Result<View> {
        match &self.source {
            Source::Record { record, kept } => {
                let start = turn / STRIDE * STRIDE;
                let table = kept[turn / STRIDE].fork();
                let mut walk = Walk::from(record, table, self.turns[start].ply);
                while walk.ply() < self.turns[turn].ply {
                    walk.step()?;
                }
                Ok(self.ended(turn, walk.table().view()))
            }
            Source::Diffs { diffs, boards } => boards.view(diffs, turn),
        }
    }
}

/// Who plays what: `Amazons: mcts – alphabeta`.
fn title(table: &dyn Table, record: &Record) -> String {
    let title = table.entry().title;
    let name = |seat: Seat| {
        let player = record.seats.iter().find(|player| player.seat == seat);
        player.map_or_else(|| table.seat_name(seat), |player| harmless(&player.name, LONGEST_NAME))
    };
    if record.seats.is_empty() {
        title.to_owned()
    } else if table.seats() == 2 {
        format!("{title}: {} – {}", name(Seat(0)), name(Seat(1)))
    } else {
        let names = record.seats.iter().map(|player| player.name.as_str());
        format!("{title}: {}", some(names, record.seats.len()))
    }
}

/// The first few names.
fn some<'a>(names: impl Iterator<Item = &'a str>, count: usize) -> String {
    let first: Vec<String> = names.take(4).map(|name| harmless(name, LONGEST_NAME)).collect();
    first.join(", ") + if count > 4 { ", …" } else { "" }
}

fn caption(table: &dyn Table, seat: Seat, text: &str) -> String {
    let name = table.seat_name(seat);
    if text.chars().count() <= LONGEST_TURN {
        format!("{name}: {text}")
    } else {
        format!("{name}: {} orders", text.split_whitespace().count())
    }
}

/// The squares that look different.
fn changes(before: &View, after: &View) -> Vec<u16> {
    let squares = before.squares.iter().zip(&after.squares).enumerate();
    squares
        .filter(|(_, (before, after))| {
            (&before.token, before.owner, before.ground)
                != (&after.token, after.owner, after.ground)
        })
        .map(|(cell, _)| cell as u16)
        .collect()
}
