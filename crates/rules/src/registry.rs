//! The one list of games.
//!
//! Everything that works for every game — the commands, the laws, perft, random games, the screens
//! — reaches the games through a [`Registry`] and a [`Visitor`], so that a new game is one folder
//! and one line in the list at the bottom of this file.

use crate::error::{Error, ErrorKind, Result, nearest, quote};
use crate::game::Game;
use crate::setup::{OptionSpec, Setup};

/// One game with all its options: what its folder exports.
pub trait Family {
    /// What describes the game without opening it.
    const ENTRY: Entry;

    /// Opens the game and hands its rules and start to the visitor. A game may pick among several
    /// concrete types here, say by the size of the board.
    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output>;
}

/// What describes a game without opening it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in commands, files and records: `amazons`.
    pub name: &'static str,
    /// Its name for people: `Game of the Amazons`.
    pub title: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Its rules, a page of Markdown.
    pub rules: &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
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

games! {
    /// The games of Skirmish. **A new game is one more line here.**
    #[derive(Clone, Copy, Debug)]
    pub struct Games:
        crate::games::watch_your_back::Family,
        crate::games::game17::Family,
        crate::games::in_trap::Family,
        crate::games::amazons::Family,
}
