//! The networks that ship, and how an agent's line names one.

use std::any::Any;
use std::path::Path;

use rayon::prelude::*;
use skirmish_rules::error::quote;
use skirmish_rules::games::amazons::Amazons;
use skirmish_rules::games::in_trap::InTrap;
use skirmish_rules::games::watch_your_back::WatchYourBack;
use skirmish_rules::{Error, ErrorKind, Result};
use skirmish_search::roster::{AgentFactory, Description, ErasedAgent, Plays, erase};
use skirmish_search::{Allowance, Roster, Spec};

use crate::agent::{Network, Settings, Zero};
use crate::encoding::{Encode, Shape};
use crate::net::{Net, Tower};
use crate::search;

/// A network that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name: `net=amazons-8x8`.
    pub name: &'static str,
    /// The game it plays.
    pub game: &'static str,
    /// The board it was trained on, rows by columns.
    pub board: (usize, usize),
    /// The file.
    pub bytes: &'static [u8],
}

macro_rules! shipped {
    ($($name:literal, $game:literal, $board:expr;)*) => {
        &[$(Shipped {
            name: $name,
            game: $game,
            board: $board,
            bytes: include_bytes!(concat!("../../../nets/", $name, ".safetensors")),
        }),*]
    };
}

/// The networks that ship. They are part of the program, so there is nothing to download or to find.
/// A `static`: a constant's bytes would be in the program once for each crate that names it.
pub static SHIPPED: &[Shipped] = shipped! {
    "amazons-6x6", "amazons", (6, 6);
    "amazons-8x8", "amazons", (8, 8);
    "amazons-10x10", "amazons", (10, 10);
    "in-trap", "in-trap", (6, 6);
    "watch-your-back", "watch-your-back", (8, 8);
};

/// The network that ships for this game, trained on this board or one as near to it as there is.
pub fn shipped(game: &str, shape: &Shape) -> Option<&'static Shipped> {
    let distance =
        |net: &&Shipped| net.board.0.abs_diff(shape.height) + net.board.1.abs_diff(shape.width);
    SHIPPED.iter().filter(|net| net.game == game).min_by_key(distance)
}

/// Every agent there is: the built-in ones, and `zero`.
pub const fn roster() -> Roster {
    Roster::with(FACTORIES)
}

const FACTORIES: &[AgentFactory] = &[AgentFactory {
    description: Description {
        name: "zero",
        plays: Plays::Only(&["watch-your-back", "in-trap", "amazons"]),
        summary: "a network that learned from games against itself, and a tree search it guides",
        settings: "net (a file; the one that ships for the game if left out), visits, time, threads, \
                   batch, exploration, memory (MiB), reuse, share",
    },
    build,
}];

fn build(spec: &Spec, game: &dyn Any, _seed: u64) -> Result<Option<ErasedAgent>> {
    macro_rules! learned {
        ($($type:ty => $name:literal),+ $(,)?) => {
            $(if let Some(game) = game.downcast_ref::<$type>() {
                return Ok(Some(erase::<$type>(Box::new(agent(spec, $name, game)?))));
            })+
        };
    }
    learned!(
        Amazons<u64> => "amazons",
        Amazons<u128> => "amazons",
        InTrap<u64, 9> => "in-trap",
        WatchYourBack => "watch-your-back",
    );
    Err(Error::new(ErrorKind::Option, "no network plays the game with these options").hint(
        "networks play in-trap on up to 8×8 with up to 9 pieces, and amazons on up to 128 squares",
    ))
}

/// The agent a line asks for.
fn agent<G: Encode>(spec: &Spec, name: &str, game: &G) -> Result<Zero<G>> {
    spec.allow(&[
        "net",
        "visits",
        "nodes",
        "time",
        "threads",
        "batch",
        "exploration",
        "memory",
        "reuse",
        "share",
    ])?;
    let shape = game.shape();
    let net = match spec.text("net") {
        Some(named) => find(named, name)?,
        None => {
            let net = shipped(name, &shape).ok_or_else(|| {
                Error::new(ErrorKind::Option, format!("no network ships for {}", quote(name)))
                    .hint("name one: `zero:net=FILE`; `skirmish zero train` makes them")
            })?;
            Net::from_bytes(net.bytes)?
        }
    };
    let usual = Settings::default();
    let threads = spec.whole("threads", 256)?.unwrap_or(1) as usize;
    let visits = match spec.whole("visits", u64::MAX)? {
        None => spec.whole("nodes", u64::MAX)?,
        visits => visits,
    };
    let exploration = spec.decimal("exploration", 100.0)?.map(|value| value as f32);
    let settings = Settings {
        own: Allowance { time: spec.time("time")?, nodes: visits, depth: None },
        batch: spec.whole("batch", 4_096)?.map_or(usual.batch * threads, |batch| batch as usize),
        search: search::Settings {
            exploration: exploration.unwrap_or(usual.search.exploration),
            shares: spec.switch("share")?.unwrap_or(usual.search.shares),
            ..usual.search
        },
        bytes: spec.whole("memory", 1 << 14)?.map_or(usual.bytes, |mib| (mib as usize) << 20),
        reuse: spec.switch("reuse")?.unwrap_or(usual.reuse),
    };
    let tower = ready(&net, name, &shape, settings.batch.div_ceil(threads))?;
    Ok(Zero::new(settings, Box::new(Towers { towers: vec![tower; threads], shape })))
}

/// The network a line names: one that ships, or a file.
pub fn find(named: &str, game: &str) -> Result<Net> {
    if let Some(net) = SHIPPED.iter().find(|net| net.name == named) {
        return Net::from_bytes(net.bytes);
    }
    if Path::new(named).exists() {
        return Net::read(named).map_err(|error| error.within(named));
    }
    let names: Vec<&str> =
        SHIPPED.iter().filter(|net| net.game == game).map(|net| net.name).collect();
    Err(Error::new(ErrorKind::Option, format!("there is no network {}", quote(named)))
        .hint(format!("`net` is a file, or one that ships: {}", names.join(", "))))
}

/// The network made ready for a game, if it can play it, to be asked so many rows at a time.
pub fn ready(net: &Net, name: &str, shape: &Shape, batch: usize) -> Result<Tower> {
    let about = net.about();
    let wrong = |what: String| Error::new(ErrorKind::Option, what);
    if about.game != name {
        return Err(wrong(format!(
            "the network plays {}, not {}",
            quote(&about.game),
            quote(name)
        )));
    }
    let made = about.shape;
    let is_alike = (made.planes, made.scalars, made.policy_planes, made.wraps)
        == (shape.planes, shape.scalars, shape.policy_planes, shape.wraps);
    if !is_alike {
        return Err(wrong(format!(
            "the network was made for another encoding: {} planes, {} scalars and {} planes of \
             policy, not {}, {} and {}",
            made.planes,
            made.scalars,
            made.policy_planes,
            shape.planes,
            shape.scalars,
            shape.policy_planes
        ))
        .hint("train it again with this version"));
    }
    Tower::for_batches(net, shape.height, shape.width, batch)
}

/// A network on several threads.
struct Towers {
    towers: Vec<Tower>,
    shape: Shape,
}

impl Network for Towers {
    fn evaluate(&mut self, rows: &[u8], answers: &mut [f32]) {
        let (row, answer) = (self.shape.row_bytes(), self.shape.answer());
        let count = rows.len() / row;
        let threads = self.towers.len().min(count);
        if threads <= 1 {
            self.towers[0].evaluate(rows, answers);
            return;
        }
        let share = count.div_ceil(threads);
        self.towers
            .par_iter_mut()
            .zip(rows.par_chunks(share * row))
            .zip(answers.par_chunks_mut(share * answer))
            .for_each(|((tower, rows), answers)| tower.evaluate(rows, answers));
    }
}
