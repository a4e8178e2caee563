//! The one list of games.
//!
//! Everything that works for every game — the commands, the laws, perft, random games, the screens
//! — reaches the games through a [`Registry`] and a [`Visitor`], so that a new game is one folder
//! and one line in the list at the bottom of this file.

use crate::error::{Error, ErrorKind, Result, nearest, quote};
use crate::game::Game;
use crate::setup::{OptionSpec, Options, Setup};

pub use crate::games::Games;

/// One game with all its options: what its folder exports.
pub trait Family {
    /// What describes the game without opening it.
    const ENTRY: Entry;

    /// Opens the game and hands its rules and start to the visitor. A game may pick among several
    /// concrete types here, say by the size of the board.
    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output>;
}

/// How many players share a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seating {
    /// Two players, one against the other.
    Duel,
    /// Any number of players, each against all others.
    FreeForAll,
}

/// What describes a game without opening it. The facts after `options` have usual values, so a game
/// names only those that differ and takes the others from [`Entry::DEFAULT`].
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in commands, files and records: `amazons`.
    pub name: &'static str,
    /// Its name for people: `Game of the Amazons`.
    pub title: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Its rules, a page of Markdown: a function that answers with a `static`, so that the page is in
    /// a program once. The text of a constant is copied into every crate that uses the constant.
    pub rules: fn() -> &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// How many players share a board; usually two.
    pub seating: Seating,
    /// Whether chance events happen during a game ([`crate::Turn::Chance`]); usually not. A random
    /// start is not such an event. Engines that look ahead are offered to games of skill only.
    pub has_chance: bool,
    /// The option that lists the seats held by players, in games that have more seats than players.
    pub players_option: Option<&'static str>,
    /// The turn that does nothing, where the rules have one: `pass`. It need not be legal always.
    pub empty_turn: Option<&'static str>,
    /// Whether a fault of an agent usually costs it the turn ([`Entry::empty_turn`]) rather than
    /// the game.
    pub faults_skip_a_turn: bool,
    /// Random turns at the start of a game of a match, unless something else is asked for.
    pub opening_plies: u32,
    /// Whether random openings that let the player to move win at once are drawn again.
    pub openings_avoid_wins: bool,
}

impl Entry {
    /// The usual facts, to be completed with a name, a title, a summary, rules and options.
    pub const DEFAULT: Entry = Entry {
        name: "",
        title: "",
        summary: "",
        rules: || "",
        options: &[],
        seating: Seating::Duel,
        has_chance: false,
        players_option: None,
        empty_turn: None,
        faults_skip_a_turn: false,
        opening_plies: 4,
        openings_avoid_wins: true,
    };

    /// Gives the first `players` seats to players, in games that have an option for it and unless
    /// `options` says already which seats they hold.
    pub fn seat_players(&self, options: &mut Options, players: usize) {
        if let Some(name) = self.players_option
            && options.get(name).is_none()
        {
            options.set(name, (0..players).collect::<Vec<_>>());
        }
    }
}

/// Something to be done with a game whose type only the registry knows.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it, given the rules and the start position.
    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output;
}

/// A list of games.
pub trait Registry {
    /// The games, in the order they are listed.
    const ENTRIES: &'static [Entry];

    /// Opens the named game for the visitor.
    fn open<V: Visitor>(name: &str, setup: Setup<'_>, visitor: V) -> Result<V::Output>;

    /// The description of the named game.
    fn entry(name: &str) -> Result<Entry> {
        let found = Self::ENTRIES.iter().find(|entry| entry.name == name);
        found.copied().ok_or_else(|| unknown_game(name, Self::ENTRIES))
    }
}

/// The error for a name that is not in the list.
pub fn unknown_game(name: &str, known: &[Entry]) -> Error {
    let names: Vec<&str> = known.iter().map(|entry| entry.name).collect();
    let meant = match nearest(name, names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`? "),
        None => String::new(),
    };
    Error::new(ErrorKind::UnknownGame, format!("unknown game {}", quote(name)))
        .hint(format!("{meant}known games: {}", names.join(", ")))
}

/// Makes a [`Registry`] of the named [`Family`] types.
#[macro_export]
macro_rules! games {
    ($(#[$meta:meta])* $visibility:vis struct $registry:ident: $($family:ty),+ $(,)?) => {
        $(#[$meta])*
        $visibility struct $registry;

        impl $crate::registry::Registry for $registry {
            const ENTRIES: &'static [$crate::registry::Entry] =
                &[$(<$family as $crate::registry::Family>::ENTRY),+];

            fn open<V: $crate::registry::Visitor>(
                name: &str,
                setup: $crate::setup::Setup<'_>,
                visitor: V,
            ) -> $crate::error::Result<V::Output> {
                $(
                    let entry = <$family as $crate::registry::Family>::ENTRY;
                    if name == entry.name {
                        setup.check_names(entry.name, entry.options)?;
                        return <$family as $crate::registry::Family>::open(setup, visitor);
                    }
                )+
                Err($crate::registry::unknown_game(name, Self::ENTRIES))
            }
        }
    };
}
