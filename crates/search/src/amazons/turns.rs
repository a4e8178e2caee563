//! Amazons as a search sees it: whole turns, evaluated by territory.

use skirmish_rules::games::amazons::{Amazons, Cell, Position, Stage};
use skirmish_rules::perft::walk_turns;
use skirmish_rules::{Rules, Turn};

use super::rank::{rank, rank_likely};
use super::{Board, Counter, evaluate, separated};
use crate::agent::{Agent, Allowance, Line, Stop, Thought};
use crate::alphabeta;
use crate::mcts;
use crate::tree::{MoveMapping, Outcome, Tree, squash};

/// A whole turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Where the amazon stood.
    pub from: u16,
    /// Where it went.
    pub to: u16,
    /// What it burnt.
    pub arrow: u16,
}

/// Amazons, one whole turn a move.
#[derive(Clone, Debug)]
pub struct Turns<C> {
    game: Amazons<C>,
}

impl<C: Board> Turns<C> {
    /// The game on this board.
    pub fn new(game: Amazons<C>) -> Turns<C> {
        Turns { game }
    }
}

impl<C: Board> Tree for Turns<C> {
    type State = Position<C>;
    type Move = Move;

    fn mover(&self, state: &Position<C>) -> Option<u8> {
        let mover = state.mover();
        let blocked = state.blocked();
        let can_move =
            state.amazons(mover).iter().any(|amazon| self.game.can_move(blocked, amazon));
        can_move.then_some(mover as u8)
    }

    fn outcome(&self, state: &Position<C>, player: u8) -> Outcome {
        // A player who cannot move has lost.
        if state.mover() == usize::from(player) { Outcome::Loss } else { Outcome::Win }
    }

    fn moves(&self, state: &Position<C>, out: &mut Vec<Move>) {
        let blocked = state.blocked();
        for from in state.amazons(state.mover()).iter() {
            let mut vacated = blocked;
            vacated.remove(from);
            self.game.for_each_reached(blocked, from, |to| {
                // The amazon itself never stands in the way of its own arrow.
                self.game.for_each_reached(vacated, to, |arrow| out.push(Move { from, to, arrow }));
            });
        }
    }

    fn play(&self, state: &mut Position<C>, mv: Move) {
        self.game.play(state, Cell(mv.from));
        self.game.play(state, Cell(mv.to));
        self.game.play(state, Cell(mv.arrow));
    }

    fn evaluate(&self, state: &Position<C>) -> i32 {
        evaluate(&self.game, state)
    }

    fn key(&self, state: &Position<C>) -> u64 {
        self.game.key(state)
    }

    fn code(&self, mv: Move) -> u32 {
        u32::from(mv.from) << 20 | u32::from(mv.to) << 10 | u32::from(mv.arrow)
    }

    fn is_worth_ranking(&self, depth: u32) -> bool {
        // A position has hundreds of turns: ranking them all costs as much as searching them one
        // turn ahead, and pays as soon as the search goes further than that.
        depth >= 2
    }

    fn best_moves(&self, state: &Position<C>, most: usize) -> Vec<(Move, i32)> {
        let mut ranked = rank(&self.game, state);
        ranked.truncate(most);
        ranked
    }

    fn likely_moves(&self, state: &Position<C>, most: usize) -> (Vec<(Move, i32)>, bool) {
        rank_likely(&self.game, state, most)
    }

    fn squash(&self, value: i32) -> f32 {
        squash(value, SCALE)
    }

    fn alphabeta_settings(&self) -> alphabeta::Settings {
        alphabeta::Settings { quiescence: false, width: 12, ..alphabeta::Settings::default() }
    }

    fn mcts_settings(&self) -> mcts::Settings {
        // At 800 simulations a turn on 10×10, 40 or 50 games each, ± 8 %: widening 1 scored 66 % against
        // 0.5 and 70 % against 2, exploration 0.2 scored 62 % against 0.3 and, at a widening of 0.5,
        // 62 % against 0.1, minimax 0.5 there 58 % against 0.8.
        mcts::Settings {
            exploration: 0.2,
            widening: 1.0,
            minimax: 0.5,
            most_moves: 60,
            ..mcts::Settings::default()
        }
    }
}

/// Plays the endgame: once no square can be reached by both sides, each side only fills its own
/// territory, and a turn that wastes no square is found by counting. Until then `rest` chooses.
pub(crate) struct EndgameAgent<C> {
    counter: Counter<C>,
    rest: Box<dyn Agent<Amazons<C>>>,
    lines: usize,
    /// Whether it ends games by counting; otherwise it only completes turns that have been begun.
    counts: bool,
}

/// Steps the counting may take for one region.
const COUNTING: u64 = 20_000;

impl<C: Board> EndgameAgent<C> {
    pub(crate) fn new(
        game: &Amazons<C>,
        rest: Box<dyn Agent<Amazons<C>>>,
        counts: bool,
    ) -> EndgameAgent<C> {
        EndgameAgent { counter: Counter::new(game, COUNTING), rest, lines: 1, counts }
    }

    /// The rest of a turn that has been begun, by what it looks worth: the searches know whole turns
    /// only.
    fn complete(&self, game: &Amazons<C>, position: &Position<C>) -> Thought<Cell> {
        let mut lines: Vec<Line<Cell>> = Vec::new();
        walk_turns(game, position, &mut Vec::new(), &mut |actions, after| {
            let over = game.turn(after) == Turn::Over;
            let value = if over { 1.0 } else { -squash(evaluate(game, after), SCALE) };
            let actions = actions.to_vec();
            lines.push(Line { actions, value, visits: None, depth: Some(1), proven: over });
        });
        lines.sort_by(|a, b| b.value.total_cmp(&a.value));
        let nodes = lines.len() as u64;
        let actions = lines[0].actions.clone();
        lines.truncate(self.lines.max(1));
        Thought { actions, lines, nodes }
    }
}

impl<C: Board> Agent<Amazons<C>> for EndgameAgent<C> {
    fn choose(
        &mut self,
        game: &Amazons<C>,
        position: &Position<C>,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<Cell> {
        if position.stage() != Stage::Choose {
            return self.complete(game, position);
        }
        let is_filling = self.counts && self.lines == 1 && separated(game, position).is_some();
        if is_filling && let Some(turn) = self.counter.filling_turn(game, position) {
            let winner = self.counter.count(game, position).winner(position.mover());
            let line = Line {
                actions: turn.to_vec(),
                value: match winner {
                    Some(winner) if winner == position.mover() => 1.0,
                    Some(_) => -1.0,
                    None => squash(evaluate(game, position), SCALE),
                },
                visits: None,
                depth: None,
                proven: winner.is_some(),
            };
            return Thought { actions: turn.to_vec(), lines: vec![line], nodes: 1 };
        }
        self.rest.choose(game, position, allowance, stop)
    }

    fn set_lines(&mut self, lines: usize) {
        self.lines = lines;
        self.rest.set_lines(lines);
    }
}

/// Values are log-odds in hundredths, and twice a chance less one is a hyperbolic tangent of half
/// of them.
const SCALE: f32 = 200.0;

impl<C: Board> MoveMapping<Amazons<C>> for Turns<C> {
    fn state(&self, position: &Position<C>) -> Position<C> {
        *position
    }

    fn actions(&self, mv: Move, out: &mut Vec<Cell>) {
        out.extend([mv.from, mv.to, mv.arrow].map(Cell));
    }
}
