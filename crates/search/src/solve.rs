//! How a game ends with best play, for certain, where that can be found out.
//!
//! Amazons has a solver of its own ([`mod@crate::amazons::solve`]); in other games of skill for two
//! the end is searched for deeper and deeper ([`alphabeta::prove`]).

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use skirmish_rules::cells::Wide;
use skirmish_rules::error::quote;
use skirmish_rules::games::amazons::{Amazons, Stage};
use skirmish_rules::{Error, ErrorKind, Game, Games, Options, Registry, Result, Rules, Seat, Turn};

use crate::agent::{Allowance, Stop};
use crate::alphabeta;
use crate::amazons::solve::{LineEnd, SolveLimits};
use crate::amazons::{Board, solve as amazons};
use crate::roster::{TreeVisitor, with_tree};
use crate::transposition::Table;
use crate::tree::{MoveMapping, Outcome};

/// When to give up.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Limits {
    /// Positions to look at, at most.
    pub nodes: Option<u64>,
    /// Time to take, at most.
    pub time: Option<Duration>,
    /// Bytes for tables; 256 MiB if not said.
    pub bytes: Option<usize>,
}

/// How a game ends with best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solution {
    /// This seat wins.
    Win(Seat),
    /// Both can hold a draw.
    Draw,
    /// That was not found out.
    Unknown(Why),
}

/// Why a position was not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The limit on positions was reached.
    Nodes,
    /// The limit on time was reached.
    Time,
    /// The board is too large, or the game too long, for the solver.
    TooLarge,
    /// It was stopped from outside.
    Interrupted,
}

impl Why {
    /// A word for it: `nodes`, `time`, `too-large` or `interrupted`.
    pub fn name(self) -> &'static str {
        match self {
            Why::Nodes => "nodes",
            Why::Time => "time",
            Why::TooLarge => "too-large",
            Why::Interrupted => "interrupted",
        }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict<A> {
    /// How the game ends.
    pub solution: Solution,
    /// Positions looked at.
    pub nodes: u64,
    /// A line of best play: every turn of the winner keeps the win, every turn of a draw the draw.
    pub line: Vec<A>,
    /// Whether the line goes on to the end of the game. It may not where a limit was reached while
    /// it was written down.
    pub line_is_complete: bool,
}

impl<A> Verdict<A> {
    fn unknown(why: Why, nodes: u64) -> Verdict<A> {
        let solution = Solution::Unknown(why);
        Verdict { solution, nodes, line: vec![], line_is_complete: false }
    }
}

/// Finds out how a game of skill for two ends with best play.
pub fn solve<G: Game>(
    name: &str,
    game: &G,
    position: &G::Position,
    limits: &Limits,
    stop: &Stop,
) -> Result<Verdict<G::Action>> {
    let refused = |what: &str| Error::new(ErrorKind::Option, format!("{} {what}", quote(name)));
    if game.seats() != 2 {
        return Err(refused("cannot be solved: it is not a game for two"));
    }
    if Games::entry(name).is_ok_and(|entry| entry.has_chance) {
        return Err(refused("cannot be solved: it is a game of chance"));
    }
    if game.turn(position) == Turn::Over {
        let winner = (0..2).map(Seat).find(|seat| game.payoff(position, *seat) > 0.0);
        let solution = winner.map_or(Solution::Draw, Solution::Win);
        return Ok(Verdict { solution, nodes: 0, line: vec![], line_is_complete: true });
    }
    let verdict = erased(name, game, position, &|| game.options(), limits, stop)?;
    let verdict = verdict.and_then(|verdict| verdict.downcast().ok());
    verdict.map(|verdict| *verdict).ok_or_else(|| refused("cannot be solved"))
}

/// The verdict with its type put aside: compiled here, once.
fn erased(
    name: &str,
    game: &dyn Any,
    position: &dyn Any,
    options: &dyn Fn() -> Options,
    limits: &Limits,
    stop: &Stop,
) -> Result<Option<Box<dyn Any>>> {
    macro_rules! amazons_on {
        ($($cells:ty),+) => {
            $(if let Some(game) = game.downcast_ref::<Amazons<$cells>>() {
                let position = position.downcast_ref().expect("its own position");
                return Ok(Some(Box::new(solve_amazons(game, position, limits, stop)?)));
            })+
        };
    }
    amazons_on!(u64, u128, Wide<11>);

    struct Prove<'a>(&'a dyn Any, &'a Limits, &'a Stop);
    impl TreeVisitor for Prove<'_> {
        type Output = Option<Box<dyn Any>>;
        fn visit<G: Game, T: MoveMapping<G> + 'static>(
            self,
            tree: T,
            _: &'static str,
        ) -> Self::Output {
            let Prove(position, limits, stop) = self;
            Some(Box::new(prove::<G, T>(&tree, position.downcast_ref()?, limits, stop)))
        }
    }
    Ok(with_tree(name, game, options, Prove(position, limits, stop))?.flatten())
}

fn prove<G: Rules, T: MoveMapping<G>>(
    tree: &T,
    position: &G::Position,
    limits: &Limits,
    stop: &Stop,
) -> Verdict<G::Action> {
    let state = tree.state(position);
    let table = Arc::new(Table::with_bytes(limits.bytes.unwrap_or(256 << 20)));
    let allowance = Allowance { time: limits.time, nodes: limits.nodes, depth: None };
    let proved = alphabeta::prove(tree, &state, &table, &allowance, stop);
    let Some(proof) = proved.proof else {
        let why = match () {
            () if stop.is_stopped() => Why::Interrupted,
            () if !proved.is_cut_off => Why::TooLarge,
            () if limits.nodes.is_some_and(|most| proved.nodes >= most) => Why::Nodes,
            () => Why::Time,
        };
        return Verdict::unknown(why, proved.nodes);
    };
    let mover = u16::from(tree.mover(&state).expect("solved while the game goes on"));
    let mut line = Vec::new();
    proof.line.iter().for_each(|mv| tree.actions(*mv, &mut line));
    Verdict {
        solution: match proof.outcome {
            Outcome::Win => Solution::Win(Seat(mover)),
            Outcome::Loss => Solution::Win(Seat(1 - mover)),
            Outcome::Draw => Solution::Draw,
        },
        nodes: proved.nodes,
        line,
        line_is_complete: proof.is_whole,
    }
}

/// Boards with more empty squares than this are not tried: one node would outlast any limit.
const MOST_EMPTY: u32 = 100;

fn solve_amazons<C: Board>(
    game: &Amazons<C>,
    position: &skirmish_rules::games::amazons::Position<C>,
    limits: &Limits,
    stop: &Stop,
) -> Result<Verdict<skirmish_rules::games::amazons::Cell>> {
    if position.stage() != Stage::Choose {
        return Err(Error::new(ErrorKind::Position, "the position is inside a turn")
            .hint("only positions between turns are solved"));
    }
    let cells = u32::from(game.width()) * u32::from(game.height());
    if cells - position.blocked().count() > MOST_EMPTY {
        return Ok(Verdict::unknown(Why::TooLarge, 0));
    }
    let enough = AtomicBool::new(false);
    let finished = AtomicBool::new(false);
    let deadline = limits.time.map(|time| Instant::now() + time);
    let most_nodes = limits.nodes.unwrap_or(u64::MAX);
    let solved = std::thread::scope(|scope| {
        // The solver reads a switch, not a clock, so a thread watches the time for it.
        let watch = scope.spawn(|| {
            while !finished.load(Ordering::Relaxed) {
                let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                if late || stop.is_stopped() {
                    enough.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(Duration::from_millis(5));
            }
        });
        let bytes = limits.bytes.unwrap_or(256 << 20);
        let solved = amazons::solve(
            game,
            position,
            &SolveLimits {
                nodes: most_nodes,
                stop: Some(&enough),
                entries: 1 << (bytes / 16).max(1).ilog2(),
            },
        );
        finished.store(true, Ordering::Relaxed);
        watch.thread().unpark();
        solved
    });
    let Some(winner) = solved.winner else {
        let why = match () {
            () if stop.is_stopped() => Why::Interrupted,
            () if solved.nodes >= most_nodes => Why::Nodes,
            () => Why::Time,
        };
        return Ok(Verdict::unknown(why, solved.nodes));
    };
    Ok(Verdict {
        solution: Solution::Win(Seat(winner as u16)),
        nodes: solved.nodes,
        line: solved.line.concat(),
        line_is_complete: solved.line_end == LineEnd::GameOver,
    })
}
