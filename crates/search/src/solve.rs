//! Who wins, for certain, where that can be found out.
//!
//! Amazons has a solver of its own ([`mod@crate::amazons::solve`]); other two-player games are searched
//! deeper and deeper until the win is seen to the end.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use skirmish_rules::cells::Wide;
use skirmish_rules::games::amazons::{Amazons, Stage};
use skirmish_rules::{Game, Result, Seat, Turn};

use crate::agent::{Allowance, Stop};
use crate::amazons::solve::{LineEnd, SolveLimits};
use crate::amazons::{Board, solve as amazons};
use crate::roster::Roster;

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

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict<A> {
    /// Who wins; `None` if a limit was reached first.
    pub winner: Option<Seat>,
    /// Positions looked at.
    pub nodes: u64,
    /// A line of best play: every turn of the winner keeps the win.
    pub line: Vec<A>,
    /// Whether the line ends with the game; otherwise with a position that counting decides.
    pub line_is_complete: bool,
}

/// Finds out who wins a game of skill for two.
pub fn solve<G: Game>(
    name: &str,
    game: &G,
    position: &G::Position,
    limits: &Limits,
    stop: &Stop,
) -> Result<Verdict<G::Action>> {
    if game.turn(position) == Turn::Over {
        let winner = (0..2).map(Seat).find(|seat| game.payoff(position, *seat) > 0.0);
        return Ok(Verdict { winner, nodes: 0, line: vec![], line_is_complete: true });
    }
    if let Some(verdict) = solve_by_itself(game, position, limits, stop) {
        return Ok(*verdict.downcast().expect("its own actions"));
    }

    // Everything that guesses or leaves out is off: what is proven then is proven.
    let spec = "alphabeta:quiescence=off,reductions=off,memory=256".parse()?;
    let mut searcher = Roster::built_in().agent(&spec, name, game, 0)?;
    let allowance = Allowance { time: limits.time, nodes: limits.nodes, depth: Some(100) };
    let thought = searcher.choose(game, position, &allowance, stop);
    let best = thought.lines.first().filter(|line| line.proven);
    let Turn::Player(mover) = game.turn(position) else {
        return Ok(Verdict { winner: None, nodes: 0, line: vec![], line_is_complete: false });
    };
    Ok(Verdict {
        winner: best.map(|line| if line.value > 0.0 { mover } else { Seat(1 - mover.0) }),
        nodes: thought.nodes,
        line: best.map_or_else(Vec::new, |line| line.actions.clone()),
        line_is_complete: best.is_some(),
    })
}

/// The verdict of a game's own solver, with its type put aside: compiled here, once.
fn solve_by_itself(
    game: &dyn Any,
    position: &dyn Any,
    limits: &Limits,
    stop: &Stop,
) -> Option<Box<dyn Any>> {
    macro_rules! amazons_on {
        ($($cells:ty),+) => {
            $(if let Some(game) = game.downcast_ref::<Amazons<$cells>>() {
                let position = position.downcast_ref().expect("its own position");
                return Some(Box::new(solve_amazons(game, position, limits, stop)));
            })+
        };
    }
    amazons_on!(u64, u128, Wide<11>);
    None
}

/// More empty squares than this are not tried.
const MOST_EMPTY: u32 = 100;

fn solve_amazons<C: Board>(
    game: &Amazons<C>,
    position: &skirmish_rules::games::amazons::Position<C>,
    limits: &Limits,
    stop: &Stop,
) -> Verdict<skirmish_rules::games::amazons::Cell> {
    let cells = u32::from(game.width()) * u32::from(game.height());
    if position.stage() != Stage::Choose || cells - position.blocked().count() > MOST_EMPTY {
        // A turn that has been begun is not the solver's business, and a large empty board is beyond
        // it: one of its nodes would already outlast any limit.
        return Verdict { winner: None, nodes: 0, line: vec![], line_is_complete: false };
    }
    let enough = AtomicBool::new(false);
    let finished = AtomicBool::new(false);
    let deadline = limits.time.map(|time| Instant::now() + time);
    std::thread::scope(|scope| {
        // The solver asks a switch, not a clock: somebody has to watch the time for it.
        scope.spawn(|| {
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
                nodes: limits.nodes.unwrap_or(u64::MAX),
                stop: Some(&enough),
                entries: 1 << (bytes / 16).max(1).ilog2(),
            },
        );
        finished.store(true, Ordering::Relaxed);
        Verdict {
            winner: solved.winner.map(|side| Seat(side as u16)),
            nodes: solved.nodes,
            line: solved.line.concat(),
            line_is_complete: solved.line_end == LineEnd::GameOver,
        }
    })
}
