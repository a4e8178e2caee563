//! The vocabulary every game is written in.
//!
//! A value that implements [`Rules`] is one game with its options settled: "Amazons on 10×10",
//! "In-Trap with these pieces". It is immutable and shared. A *position* is one moment of one
//! game: small, cheap to clone, and free of history, clocks and random generators. An *action* is
//! the smallest decision a player takes; a *turn* is the run of actions one player takes before
//! another player or chance decides (three in Amazons, a list of orders in Game 17, one elsewhere).
//!
//! Beside [`Rules`] stand small traits, one per customer: [`Notation`] for text, [`Show`] for
//! screens, [`Turns`] for counting whole turns, [`Playout`] for random games, [`Symmetry`] for
//! boards that look alike and [`Heuristics`] for engines. Most of their methods have defaults;
//! [`Game`] is all of them together.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::setup::Options;
use crate::view::View;

pub use crate::perft::Turns;
pub use crate::playout::Playout;

/// A place at the table, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seat(pub u16);

impl Seat {
    /// The seat as an index into a list with one entry per seat.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Who decides next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The player in this seat chooses an action.
    Player(Seat),
    /// Nature draws a whole number below `sides`, each equally likely.
    Chance {
        /// How many outcomes there are; always at least 2.
        sides: u16,
    },
    /// No player: the game has ended.
    Over,
}

/// Why a game that was played by the rules has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// By the game's own winning condition.
    Normal,
    /// By the limit on the number of moves.
    MoveLimit,
    /// Because no player can ever move again.
    Deadlock,
}

/// The rules of one game, with its options settled.
pub trait Rules: Clone + Debug + Send + Sync + 'static {
    /// One moment of a game. Equal positions have equal futures under the same rules.
    type Position: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// The smallest decision a player takes.
    type Action: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// How many seats the table has.
    fn seats(&self) -> u16;

    /// Who decides next.
    fn turn(&self, position: &Self::Position) -> Turn;

    /// Appends every legal action, in an order fixed by the position alone.
    ///
    /// Nothing unless [`Rules::turn`] names a player; at least one when it does.
    fn actions(&self, position: &Self::Position, out: &mut Vec<Self::Action>);

    /// Plays one of [`Rules::actions`]. Anything else may panic or leave a position that no game
    /// reaches, but is never undefined behaviour: text from outside goes through
    /// [`crate::table::Table`], which checks.
    fn play(&self, position: &mut Self::Position, action: Self::Action);

    /// What the finished game is worth to `seat`, from -1 to 1; 0 while it goes on.
    fn payoff(&self, position: &Self::Position, seat: Seat) -> f32;

    /// What the game counts for a seat, where it counts something: squares in Game 17.
    fn score(&self, position: &Self::Position, seat: Seat) -> Option<u32> {
        let _ = (position, seat);
        None
    }

    /// Settles the event that [`Turn::Chance`] announced. Games of pure skill keep the default.
    fn settle(&self, position: &mut Self::Position, roll: u16) {
        let _ = position;
        panic!("this game has no chance events, got a roll of {roll}");
    }

    /// Whether the player to move has begun a turn and not finished it, or its dice are still
    /// rolling. Games whose turns are one action keep the default.
    fn mid_turn(&self, position: &Self::Position) -> bool {
        let _ = position;
        false
    }

    /// Whether `action` is one of [`Rules::actions`]; override where looking is cheaper.
    fn is_legal(&self, position: &Self::Position, action: Self::Action) -> bool {
        let mut legal = Vec::new();
        self.actions(position, &mut legal);
        legal.contains(&action)
    }

    /// Why the game has ended. Meaningful only when [`Rules::turn`] is [`Turn::Over`].
    fn ending(&self, position: &Self::Position) -> Ending {
        let _ = position;
        Ending::Normal
    }

    /// No game from `position` lasts longer than this many whole turns; `None` where no limit is
    /// set.
    fn bound(&self, position: &Self::Position) -> Option<u64>;

    /// A hash for transposition tables: equal positions have equal keys.
    fn key(&self, position: &Self::Position) -> u64 {
        hash_of(position)
    }

    /// Every option of these rules, settled, as a record keeps them: opening the game again with
    /// them gives equal rules.
    fn options(&self) -> Options;

    /// Whether nature plays this seat rather than a player (Game 17's zombies).
    fn is_zombie(&self, seat: Seat) -> bool {
        let _ = seat;
        false
    }
}

/// Text for moves and positions. Whatever is written here reads back to the equal thing.
pub trait Notation: Rules {
    /// One line that says everything about the position.
    fn write_position(&self, position: &Self::Position) -> String;

    /// Reads what [`Notation::write_position`] writes. The result is a position the rules can play
    /// from: impossible ones are refused.
    fn read_position(&self, text: &str) -> Result<Self::Position>;

    /// Appends the text of one action, so that the texts of a turn's actions, joined, are the text
    /// of the turn.
    fn write_action(&self, position: &Self::Position, action: Self::Action, out: &mut String);

    /// Reads the rest of a turn, leniently: any case, extra spaces, other spellings people use.
    /// The actions are readable, not yet known to be legal. A turn that is only begun is fine.
    fn read_turn(&self, position: &Self::Position, text: &str) -> Result<Vec<Self::Action>>;

    /// Why `action`, which is not legal here, is not: the end of a sentence.
    fn objection(&self, position: &Self::Position, action: Self::Action) -> String;

    /// What to call a seat: `white`, `player 1`, `owner 17`.
    fn seat_name(&self, seat: Seat) -> String;
}

/// What a screen needs: the board as a picture made of data, and the way to point at a choice.
pub trait Show: Rules {
    /// The board and everything beside it.
    fn view(&self, position: &Self::Position) -> View;

    /// The squares to point at, in order, to choose this action (indices into [`View::squares`]).
    fn path(&self, position: &Self::Position, action: Self::Action) -> Vec<u16>;
}

/// Ways to turn or shift the board that leave the game the same. Number 0 is the identity.
pub trait Symmetry: Rules {
    /// How many there are; 1 where the rules single out every direction.
    fn symmetries(&self) -> usize {
        1
    }

    /// The position seen through symmetry `which`.
    fn image(&self, which: usize, position: &Self::Position) -> Self::Position {
        debug_assert_eq!(which, 0);
        position.clone()
    }

    /// The action seen through symmetry `which`.
    fn image_of_action(&self, which: usize, action: Self::Action) -> Self::Action {
        debug_assert_eq!(which, 0);
        action
    }
}

/// What a game tells the engines that work for every game of skill for two. With the defaults they
/// see nothing but wins, draws and losses.
pub trait Heuristics: Rules {
    /// Whether those engines are compiled for this game. Games with engines of their own say no, and
    /// so do games that no such engine can play, for many players or with chance events.
    const GENERIC_ENGINES: bool = true;

    /// A rule of thumb: what the position looks worth to `seat`, from -1 (lost) to 1 (won). Asked
    /// for the player to move only. A game that has one gives it for every position.
    fn estimate(&self, position: &Self::Position, seat: Seat) -> Option<f32> {
        let _ = (position, seat);
        None
    }

    /// Whether an action changes much at once, as a capture does. Such actions are tried first, and
    /// followed beyond the depth of a search.
    fn is_tactical(&self, position: &Self::Position, action: Self::Action) -> bool {
        let _ = (position, action);
        false
    }
}

/// A complete game: everything the platform needs, implemented in the game's own folder.
pub trait Game: Rules + Notation + Show + Turns + Playout + Symmetry + Heuristics {}

impl<G: Rules + Notation + Show + Turns + Playout + Symmetry + Heuristics> Game for G {}

/// A hash of any value, for [`Rules::key`] and the like: quick, and the same in every run.
pub fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = KeyHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A quick hasher for [`Rules::key`]: multiply and fold, one word at a time. Not for hash tables
/// that face hostile input.
#[derive(Default)]
struct KeyHasher(u64);

impl KeyHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15)
            .wrapping_mul(0xd6e8_feb8_6659_fd93_a076_1d64_78bd_642f);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, n: u8) {
        self.mix(u64::from(n));
    }
    fn write_u16(&mut self, n: u16) {
        self.mix(u64::from(n));
    }
    fn write_u32(&mut self, n: u32) {
        self.mix(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }
    fn write_u128(&mut self, n: u128) {
        self.mix(n as u64);
        self.mix((n >> 64) as u64);
    }
    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }
    fn finish(&self) -> u64 {
        // One more round, so that the low bits depend on every bit of the last word.
        let mut last = KeyHasher(self.0);
        last.mix(0);
        last.0
    }
}
