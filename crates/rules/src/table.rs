//! A game in progress, without its types.
//!
//! Commands, pages, terminals and Python see this one object-safe face of every game: text,
//! numbers and views. It is also the checked door: text from outside comes in here and nowhere
//! else, and a bad line leaves the game as it was.

use std::any::Any;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result, quote};
use crate::game::{Ending, Game, Seat, Turn};
use crate::games::Games;
use crate::playout::Choice;
use crate::random::Random;
use crate::registry::{Entry, Registry, Visitor};
use crate::setup::{Options, Setup};
use crate::view::View;

/// Something the player to move may choose next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// Its text, as [`Table::step`] takes it.
    pub text: String,
    /// The squares to point at, in order, to choose it.
    pub path: Vec<u16>,
}

/// A turn that was played: what a record keeps of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// Who played it.
    pub seat: Seat,
    /// The whole turn in its one canonical spelling.
    pub text: String,
    /// The chance events that followed, in order.
    pub rolls: Vec<Roll>,
}

/// A chance event and how it fell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Roll {
    /// How many outcomes there were.
    pub sides: u16,
    /// Which it was.
    pub roll: u16,
}

/// A game in progress.
pub trait Table: Send + Sync {
    /// Which game this is.
    fn entry(&self) -> Entry;
    /// Its options, settled.
    fn options(&self) -> Options;
    /// How many seats the table has.
    fn seats(&self) -> u16;
    /// What to call a seat.
    fn seat_name(&self, seat: Seat) -> String;
    /// Whether nature plays this seat.
    fn is_zombie(&self, seat: Seat) -> bool;

    /// Who decides next.
    fn turn(&self) -> Turn;
    /// Whether a turn is begun and not finished.
    fn mid_turn(&self) -> bool;
    /// What may be chosen next, step by step.
    fn steps(&self) -> Vec<Step>;
    /// Every legal whole turn, or `None` where a game's turns cannot be listed.
    fn turns(&self) -> Option<Vec<String>>;

    /// Plays one of [`Table::steps`].
    fn step(&mut self, text: &str) -> Result<()>;
    /// Plays the rest of the turn, all of it or nothing. Returns its canonical spelling.
    fn play(&mut self, text: &str) -> Result<String>;
    /// Settles the chance event that [`Table::turn`] announced.
    fn settle(&mut self, roll: u16) -> Result<()>;
    /// Plays one random turn, chance events included.
    fn play_randomly(&mut self, choice: Choice, random: &mut Random) -> Result<Played>;
    /// The ways of choosing at random this game offers, the usual one first.
    fn choices(&self) -> &'static [Choice];

    /// The position as one line of text.
    fn position(&self) -> String;
    /// The board as data to draw.
    fn view(&self) -> View;
    /// What the game is worth to each seat; zeros while it goes on.
    fn payoffs(&self) -> Vec<f32>;
    /// What the game counts for each seat that has any of it, where it counts something.
    fn scores(&self) -> Option<BTreeMap<u16, u32>>;
    /// Why the game has ended, once it has.
    fn ending(&self) -> Option<Ending>;
    /// A hash that equal positions share.
    fn key(&self) -> u64;
    /// An independent copy.
    fn fork(&self) -> Box<dyn Table>;
    /// The start of one more game like this one, with whatever the game draws at random drawn anew.
    /// Asked of a table at its start.
    fn fresh_start(&self, random: &mut Random) -> Box<dyn Table>;
    /// Whether the player to move has an action that ends the game in its favour.
    fn can_win_at_once(&self) -> bool;
    /// The table with its types, for those who know them: an [`Open`].
    fn as_any(&self) -> &dyn Any;
}

/// Opens a game of Skirmish.
pub fn open(name: &str, setup: Setup<'_>) -> Result<Box<dyn Table>> {
    open_from::<Games>(name, setup)
}

/// Opens a game of any registry.
pub fn open_from<R: Registry>(name: &str, setup: Setup<'_>) -> Result<Box<dyn Table>> {
    struct Erase;
    impl Visitor for Erase {
        type Output = Box<dyn Table>;
        fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
            Box::new(Open::new(entry, game, start))
        }
    }
    R::open(name, setup, Erase)
}

/// A typed game behind the [`Table`] face.
#[derive(Clone, Debug)]
pub struct Open<G: Game> {
    entry: Entry,
    game: std::sync::Arc<G>,
    position: G::Position,
}

impl<G: Game> Open<G> {
    /// Puts a position on the table.
    pub fn new(entry: Entry, game: G, position: G::Position) -> Open<G> {
        Open { entry, game: std::sync::Arc::new(game), position }
    }

    /// The typed position.
    pub fn typed(&self) -> (&G, &G::Position) {
        (&self.game, &self.position)
    }

    fn mover(&self) -> Result<Seat> {
        match self.game.turn(&self.position) {
            Turn::Player(seat) => Ok(seat),
            Turn::Chance { sides } => Err(Error::new(
                ErrorKind::NotAPlayersTurn,
                format!("no player is to move: a chance event with {sides} sides comes first"),
            )),
            Turn::Over => Err(Error::new(ErrorKind::NotAPlayersTurn, "the game is over")),
        }
    }

    fn legal(&self) -> Vec<G::Action> {
        let mut actions = Vec::new();
        self.game.actions(&self.position, &mut actions);
        actions
    }

    /// The text of one step by itself. A step that adds nothing to the text of its turn (the end
    /// of a list of orders) is a full stop.
    fn step_text(&self, action: G::Action) -> String {
        let mut text = String::new();
        self.game.write_action(&self.position, action, &mut text);
        match text.trim_start() {
            "" => ".".to_owned(),
            text => text.to_owned(),
        }
    }
}

impl<G: Game> Table for Open<G> {
    fn entry(&self) -> Entry {
        self.entry
    }

    fn options(&self) -> Options {
        self.game.options()
    }

    fn seats(&self) -> u16 {
        self.game.seats()
    }

    fn seat_name(&self, seat: Seat) -> String {
        self.game.seat_name(seat)
    }

    fn is_zombie(&self, seat: Seat) -> bool {
        self.game.is_zombie(seat)
    }

    fn turn(&self) -> Turn {
        self.game.turn(&self.position)
    }

    fn mid_turn(&self) -> bool {
        self.game.mid_turn(&self.position)
    }

    fn steps(&self) -> Vec<Step> {
        let describe = |action| Step {
            text: self.step_text(action),
            path: self.game.path(&self.position, action),
        };
        self.legal().into_iter().map(describe).collect()
    }

    fn turns(&self) -> Option<Vec<String>> {
        if !G::LISTED {
            return None;
        }
        let mut turns = Vec::new();
        self.game.for_each_turn(&self.position, &mut |actions, _| {
            let mut position = self.position.clone();
            let mut text = String::new();
            for &action in actions {
                self.game.write_action(&position, action, &mut text);
                self.game.play(&mut position, action);
            }
            turns.push(text);
        });
        turns.dedup();
        Some(turns)
    }

    fn step(&mut self, text: &str) -> Result<()> {
        let seat = self.mover()?;
        let wanted = text.trim();
        let found = self.legal().into_iter().find(|&action| self.step_text(action) == wanted);
        match found {
            Some(action) => {
                self.game.play(&mut self.position, action);
                Ok(())
            }
            None => Err(Error::new(
                ErrorKind::Illegal,
                format!("illegal step {} for {}", quote(wanted), self.game.seat_name(seat)),
            )),
        }
    }

    fn play(&mut self, text: &str) -> Result<String> {
        let seat = self.mover()?;
        let actions = self.game.read_turn(&self.position, text)?;
        let mut position = self.position.clone();
        let mut spelling = String::new();
        let mut played = 0;
        for action in actions {
            let still_choosing = played == 0
                || (self.game.mid_turn(&position)
                    && matches!(self.game.turn(&position), Turn::Player(_)));
            if !still_choosing || !self.game.is_legal(&position, action) {
                let reason = if still_choosing {
                    self.game.objection(&position, action)
                } else {
                    "it goes on after the turn is complete".to_owned()
                };
                let name = self.game.seat_name(seat);
                return Err(Error::new(
                    ErrorKind::Illegal,
                    format!("illegal turn {} for {name}: {reason}", quote(text.trim())),
                ));
            }
            self.game.write_action(&position, action, &mut spelling);
            self.game.play(&mut position, action);
            played += 1;
        }
        let begun =
            self.game.mid_turn(&position) && matches!(self.game.turn(&position), Turn::Player(_));
        if begun || played == 0 {
            let message = format!("the turn {} is not complete", quote(text.trim()));
            return Err(Error::new(ErrorKind::Unfinished, message));
        }
        self.position = position;
        Ok(spelling.trim_start().to_owned())
    }

    fn settle(&mut self, roll: u16) -> Result<()> {
        let Turn::Chance { sides } = self.game.turn(&self.position) else {
            return Err(Error::new(ErrorKind::Illegal, "there is no chance event to settle"));
        };
        if roll >= sides {
            let message = format!("a roll of {roll} is not below the {sides} sides of this event");
            return Err(Error::new(ErrorKind::Illegal, message));
        }
        self.game.settle(&mut self.position, roll);
        Ok(())
    }

    fn play_randomly(&mut self, choice: Choice, random: &mut Random) -> Result<Played> {
        let seat = self.mover()?;
        if !G::CHOICES.contains(&choice) {
            let offered: Vec<&str> = G::CHOICES.iter().map(|choice| choice.name()).collect();
            let message = format!("`{}` does not offer the choice `{choice}`", self.entry.name);
            return Err(Error::option(message).hint(format!("it offers {}", offered.join(", "))));
        }
        let before = self.position.clone();
        let (mut chosen, mut rolls) = (Vec::new(), Vec::new());
        self.game.random_turn(&mut self.position, choice, random, &mut chosen, &mut rolls);
        let mut text = String::new();
        let mut position = before;
        for action in chosen {
            self.game.write_action(&position, action, &mut text);
            self.game.play(&mut position, action);
        }
        // The sides of a roll are a fact of the position it is rolled in.
        let mut settled = Vec::with_capacity(rolls.len());
        for roll in rolls {
            if let Turn::Chance { sides } = self.game.turn(&position) {
                settled.push(Roll { sides, roll });
                self.game.settle(&mut position, roll);
            }
        }
        let trimmed = text.trim_start();
        let text = if trimmed.len() == text.len() { text } else { trimmed.to_owned() };
        Ok(Played { seat, text, rolls: settled })
    }

    fn choices(&self) -> &'static [Choice] {
        G::CHOICES
    }

    fn position(&self) -> String {
        self.game.write_position(&self.position)
    }

    fn view(&self) -> View {
        self.game.view(&self.position)
    }

    fn payoffs(&self) -> Vec<f32> {
        (0..self.game.seats()).map(|seat| self.game.payoff(&self.position, Seat(seat))).collect()
    }

    fn scores(&self) -> Option<BTreeMap<u16, u32>> {
        let seats = 0..self.game.seats();
        let scores: Option<Vec<(u16, u32)>> =
            seats.map(|seat| Some((seat, self.game.score(&self.position, Seat(seat))?))).collect();
        Some(scores?.into_iter().filter(|(_, score)| *score > 0).collect())
    }

    fn ending(&self) -> Option<Ending> {
        (self.turn() == Turn::Over).then(|| self.game.ending(&self.position))
    }

    fn key(&self) -> u64 {
        self.game.key(&self.position)
    }

    fn fork(&self) -> Box<dyn Table> {
        Box::new(self.clone())
    }

    fn fresh_start(&self, random: &mut Random) -> Box<dyn Table> {
        let position = self.game.fresh_start(&self.position, random);
        Box::new(Open { entry: self.entry, game: self.game.clone(), position })
    }

    fn can_win_at_once(&self) -> bool {
        let Turn::Player(seat) = self.game.turn(&self.position) else { return false };
        self.legal().into_iter().any(|action| {
            let mut next = self.position.clone();
            self.game.play(&mut next, action);
            self.game.turn(&next) == Turn::Over && self.game.payoff(&next, seat) > 0.0
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
