//! Pools and windows by the name of the game, for those who do not know its type.

use std::any::Any;

use serde_json::Value;
use skirmish_rules::error::quote;
use skirmish_rules::games::amazons::Amazons;
use skirmish_rules::games::in_trap::InTrap;
use skirmish_rules::games::watch_your_back::WatchYourBack;
use skirmish_rules::{
    Entry, Error, ErrorKind, Game, Games, Options, Random, Registry, Result, Setup, Turn, Visitor,
};

use crate::encoding::{Encode, Shape};
use crate::pool::{Pool, Settings};
use crate::shard::unpack;
use crate::window::{Added, Window};

/// A pool of a game whose type is not known.
pub trait AnyPool: Send {
    /// See [`Pool::shape`].
    fn shape(&self) -> Shape;
    /// See [`Pool::rows`].
    fn rows(&self) -> usize;
    /// See [`Pool::set_simulations`].
    fn set_simulations(&mut self, full: usize, fast: usize) -> Result<()>;
    /// See [`Pool::step`].
    fn step(&mut self, answers: Option<&[u16]>, rows: &mut [u8], nets: &mut [u8]) -> Result<()>;
    /// See [`Pool::take_games`].
    fn take_games(&mut self) -> Vec<u8>;
    /// See [`Pool::statistics`].
    fn statistics(&mut self) -> Value;
    /// See [`Pool::results`].
    fn results(&self) -> Value;
}

impl<G: Encode> AnyPool for Pool<G> {
    fn shape(&self) -> Shape {
        self.shape()
    }
    fn rows(&self) -> usize {
        self.rows()
    }
    fn set_simulations(&mut self, full: usize, fast: usize) -> Result<()> {
        self.set_simulations(full, fast)
    }
    fn step(&mut self, answers: Option<&[u16]>, rows: &mut [u8], nets: &mut [u8]) -> Result<()> {
        self.step(answers, rows, nets)
    }
    fn take_games(&mut self) -> Vec<u8> {
        self.take_games()
    }
    fn statistics(&mut self) -> Value {
        self.statistics()
    }
    fn results(&self) -> Value {
        self.results()
    }
}

/// A replay window of a game whose type is not known.
pub trait AnyWindow: Send + Sync {
    /// What goes into the network and what comes out.
    fn shape(&self) -> Shape;
    /// See [`Window::add`].
    fn add(&mut self, bytes: &[u8]) -> Result<Added>;
    /// See [`Window::len`].
    fn len(&self) -> usize;
    /// Whether the window is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// See [`Window::set_capacity`].
    fn set_capacity(&mut self, capacity: usize);
    /// See [`Window::sample`]; an error where that panics.
    fn sample(&self, seed: u64, rows: &mut [u8], targets: &mut [u16]) -> Result<()>;
}

impl<G: Encode> AnyWindow for Window<G> {
    fn shape(&self) -> Shape {
        self.shape()
    }
    fn add(&mut self, bytes: &[u8]) -> Result<Added> {
        self.add(bytes)
    }
    fn len(&self) -> usize {
        self.len()
    }
    fn set_capacity(&mut self, capacity: usize) {
        self.set_capacity(capacity);
    }
    fn sample(&self, seed: u64, rows: &mut [u8], targets: &mut [u16]) -> Result<()> {
        let (row, target) = (self.shape().row_bytes(), self.shape().target());
        if self.is_empty() {
            return Err(Error::new(ErrorKind::Option, "the window is empty"));
        }
        if !rows.len().is_multiple_of(row) || targets.len() != rows.len() / row * target {
            return Err(Error::new(
                ErrorKind::Option,
                format!(
                    "the buffers have room for {} and {} samples",
                    rows.len() as f64 / row as f64,
                    targets.len() as f64 / target as f64
                ),
            ));
        }
        self.sample(seed, rows, targets);
        Ok(())
    }
}

/// Something to be done with a game that a network can learn.
pub trait Learner {
    /// What comes of it.
    type Output;
    /// Does it.
    fn meet<G: Encode>(self, entry: Entry, game: G, start: G::Position) -> Result<Self::Output>;
}

/// Opens a game that networks play. **A new game that is to be learned is one more line here.**
pub fn open<L: Learner>(name: &str, options: &Options, learner: L) -> Result<L::Output> {
    struct Meet<L>(L);
    impl<L: Learner> Visitor for Meet<L> {
        type Output = Result<L::Output>;
        fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
            macro_rules! learned {
                ($($type:ty),+ $(,)?) => {
                    $(if let Some(game) = (&game as &dyn Any).downcast_ref::<$type>()
                        && let Some(start) = (&start as &dyn Any).downcast_ref()
                    {
                        return self.0.meet::<$type>(entry, game.clone(), Clone::clone(start));
                    })+
                };
            }
            if game.turn(&start) == Turn::Over {
                return Err(Error::new(ErrorKind::Position, "the game is over before it begins"));
            }
            learned!(Amazons<u64>, Amazons<u128>, InTrap<u64, 9>, WatchYourBack);
            let hint = "networks play watch-your-back, in-trap on up to 8×8 with up to 9 pieces, and \
                        amazons on up to 128 squares";
            Err(Error::new(
                ErrorKind::Option,
                format!("no network plays {} with these options", quote(entry.name)),
            )
            .hint(hint))
        }
    }
    let mut random = Random::seeded(0);
    let setup = Setup { options, position: None, random: &mut random };
    Games::open(name, setup, Meet(learner))?
}

fn read_options(json: &str) -> Result<Options> {
    let wrong = |what: String| Error::new(ErrorKind::Option, what);
    let value: Value =
        serde_json::from_str(json).map_err(|error| wrong(format!("the options: {error}")))?;
    let Value::Object(entries) = value else {
        return Err(wrong(format!("the options are {}, not an object", quote(json))));
    };
    let mut options = Options::none();
    for (name, value) in entries {
        options.set(&name, value);
    }
    Ok(options)
}

/// A pool of the named game. Options and settings are JSON objects.
pub fn open_pool(game: &str, options: &str, settings: &str) -> Result<Box<dyn AnyPool>> {
    struct OpenPool(Settings);
    impl Learner for OpenPool {
        type Output = Box<dyn AnyPool>;
        fn meet<G: Encode>(
            self,
            entry: Entry,
            game: G,
            start: G::Position,
        ) -> Result<Self::Output> {
            Ok(Box::new(Pool::new(entry.name, game, start, self.0)?))
        }
    }
    let settings: Settings = serde_json::from_str(settings).map_err(|error| {
        Error::new(ErrorKind::Option, format!("the settings of the pool: {error}"))
    })?;
    open(game, &read_options(options)?, OpenPool(settings))
}

/// A replay window of the named game, with room for `capacity` samples.
pub fn open_window(game: &str, options: &str, capacity: usize) -> Result<Box<dyn AnyWindow>> {
    struct OpenWindow(usize);
    impl Learner for OpenWindow {
        type Output = Box<dyn AnyWindow>;
        fn meet<G: Encode>(self, _: Entry, game: G, _: G::Position) -> Result<Self::Output> {
            Ok(Box::new(Window::new(game, self.0)))
        }
    }
    open(game, &read_options(options)?, OpenWindow(capacity))
}

/// No shard is larger: the trainer begins a new one after 8 MiB.
const MOST_SHARD: u64 = 1 << 30;

/// [`inspect`] for a file.
pub fn inspect_file(path: &std::path::Path) -> Result<Value> {
    let bytes = crate::net::read_at_most(path, MOST_SHARD)
        .map_err(|error| Error::new(ErrorKind::Unreadable, format!("cannot read it: {error}")))?;
    inspect(&bytes)
}

/// A shard in words: how many games, how they ended, how much there is to learn.
pub fn inspect(bytes: &[u8]) -> Result<Value> {
    let unpacked = unpack(bytes)?;
    let games = &unpacked.games;
    let count = |result: f32| games.iter().filter(|game| game.result == result).count();
    let ends = |end| games.iter().filter(|game| game.end == end).count();
    let samples: usize = games.iter().map(|game| game.searches.len()).sum();
    let actions: usize = games.iter().map(|game| game.actions.len()).sum();
    Ok(serde_json::json!({
        "games": games.len(),
        "samples": samples,
        "actions": actions,
        "first_player_wins": count(1.0),
        "draws": count(0.0),
        "second_player_wins": count(-1.0),
        "over": ends(crate::shard::End::Over),
        "settled": ends(crate::shard::End::Settled),
        "resigned": ends(crate::shard::End::Resigned),
        "torn_bytes": unpacked.torn,
    }))
}
