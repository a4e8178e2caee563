//! What In-Trap knows beyond its rules: the evaluation of positions, and the `heuristic` agent.

use skirmish_rules::cells::Cells;
use skirmish_rules::games::in_trap::{Action, InTrap, MOST_PIECES, Pieces, Position, SPAWNER};
use skirmish_rules::{Random, Rules, Seat};

use crate::agent::{Agent, Allowance, Stop, Thought};
use crate::alphabeta;
use crate::tree::{Evaluator, MOST, Steps};

/// Evaluates positions of In-Trap.
#[derive(Clone, Copy, Debug)]
pub struct InTrapEvaluator {
    /// What each piece is worth on the board, by its number in the set.
    worth: [i32; MOST_PIECES],
}

// A hundred is one unit of log-odds. The numbers were fitted by logistic regression to 84,000
// positions of 1,500 games of alpha-beta against itself at 3,000 nodes a turn, one move in forty
// random. Against the evaluation that played those games (every piece 100): 93 % of 200 games at
// 10,000 nodes.

/// What the standard pieces are worth: the two that mirror each other are worth the same.
const STANDARD: [i32; 9] = [0, 72, 73, 46, 62, 50, 78, 26, 26];
/// What any other piece is worth: for each square it passes on its moves, and for each move. This
/// gives the standard ones within a dozen of what was fitted, but for the Dasher.
const BY_SHAPE: [i32; 2] = [7, 4];
/// A point of mana: five buy a piece, which then still has to come into play.
const MANA: i32 = 14;
/// Mana beyond this buys nothing that can be placed soon.
const USEFUL_MANA: u32 = 20;
/// A move more to choose from.
const FREEDOM: i32 = 2;
/// An enemy piece that could be captured at once, for the mover and for the other.
const THREAT: [i32; 2] = [28, 15];
/// The spawner under attack: it has to be answered.
const SPAWNER_THREAT: i32 = 40;
/// A square beside the enemy spawner where it would be captured.
const SIEGE: i32 = 5;
/// To be the one to move.
const TEMPO: i32 = 15;

/// How much a quiet turn may change the evaluation: the margin of futility pruning.
const MARGIN: i32 = 110;

impl InTrapEvaluator {
    /// For games with these pieces.
    pub fn new(pieces: &Pieces) -> InTrapEvaluator {
        let mut worth = [0; MOST_PIECES];
        if pieces.is_standard() {
            worth[..STANDARD.len()].copy_from_slice(&STANDARD);
            return InTrapEvaluator { worth };
        }
        for (worth, piece) in worth.iter_mut().zip(pieces.list()).skip(SPAWNER + 1) {
            *worth = worth_by_shape(&piece.distances);
        }
        InTrapEvaluator { worth }
    }
}

/// What a piece with these distances is worth.
fn worth_by_shape(distances: &[u32]) -> i32 {
    let moves = distances.iter().filter(|distance| **distance > 0);
    // Going around more than once passes nothing new.
    let passed: u32 = moves.clone().map(|distance| (distance - 1).min(20)).sum();
    BY_SHAPE[0] * passed as i32 + BY_SHAPE[1] * moves.count() as i32
}

/// The game with its evaluator.
pub fn tree<C: Cells, const ROOM: usize>(
    game: InTrap<C, ROOM>,
) -> Steps<InTrap<C, ROOM>, InTrapEvaluator> {
    let evaluator = InTrapEvaluator::new(game.pieces());
    Steps::new(game, evaluator)
}

impl<C: Cells, const ROOM: usize> Evaluator<InTrap<C, ROOM>> for InTrapEvaluator {
    fn evaluate(&self, game: &InTrap<C, ROOM>, position: &Position<C, ROOM>) -> i32 {
        let mover = position.mover();
        let other = Seat(1 - mover.0);
        let (Some(home), Some(target)) =
            (position.square_of(mover, SPAWNER), position.square_of(other, SPAWNER))
        else {
            return 0;
        };
        // The mover takes the spawner if it can: the game is over.
        let (my_control, my_freedom) = game.control(position, mover);
        if my_control.contains(target) {
            return MOST;
        }
        let (their_control, their_freedom) = game.control(position, other);
        let army = |seat: Seat| {
            let worth: i32 = (SPAWNER + 1..game.pieces().list().len().min(ROOM))
                .filter(|piece| position.square_of(seat, *piece).is_some())
                .map(|piece| self.worth[piece])
                .sum();
            worth + MANA * position.mana(seat).min(USEFUL_MANA) as i32
        };
        let count = |set: C| set.count() as i32;
        let mut value = TEMPO + army(mover) - army(other);
        value += FREEDOM * (my_freedom as i32 - their_freedom as i32);
        value += THREAT[0] * count(my_control & position.occupied(other));
        value -= THREAT[1] * count(their_control & position.occupied(mover));
        value += SIEGE * count(my_control & game.beside(target));
        value -= SIEGE * count(their_control & game.beside(home));
        if their_control.contains(home) {
            value -= SPAWNER_THREAT;
        }
        value
    }

    fn tacticality(
        &self,
        game: &InTrap<C, ROOM>,
        position: &Position<C, ROOM>,
        action: Action,
    ) -> i32 {
        let captured = game.captures(position, action);
        let enemy = Seat(1 - position.mover().0);
        tacticality(captured, position.square_of(enemy, SPAWNER))
    }

    fn ranked(
        &self,
        game: &InTrap<C, ROOM>,
        position: &Position<C, ROOM>,
        out: &mut Vec<(Action, i32)>,
    ) {
        let target = position.square_of(Seat(1 - position.mover().0), SPAWNER);
        game.each_action(position, |action, captured| {
            out.push((action, tacticality(captured, target)));
        });
    }

    fn code(&self, action: Action) -> u32 {
        u32::from(action.code())
    }

    fn scale(&self) -> f32 {
        // Values are log-odds in hundredths, and twice a chance less one is this hyperbolic tangent.
        200.0
    }

    fn alphabeta_settings(&self) -> alphabeta::Settings {
        // At 20,000 nodes against neither, where late moves are reduced by one turn and two: 58 % of
        // 320 games. Growth of 0.4 instead: 56 % of 160. Growth without the margin: 52 % of 200.
        alphabeta::Settings { margin: MARGIN, growth: 0.67, ..alphabeta::Settings::default() }
    }
}

/// A capture by what it takes; `target` is the enemy spawner.
#[inline]
fn tacticality<C: Cells>(captured: C, target: Option<u16>) -> i32 {
    if captured.is_empty() {
        0
    } else if target.is_some_and(|cell| captured.contains(cell)) {
        10_000
    } else {
        100 * captured.count() as i32
    }
}

/// One ply by the original's idea: own and enemy pieces, attacks on the spawners, mana. The small
/// random ranges are part of it; they break ties.
pub(crate) struct Heuristic {
    pub(crate) random: Random,
}

impl<C: Cells, const ROOM: usize> Agent<InTrap<C, ROOM>> for Heuristic {
    fn choose(
        &mut self,
        game: &InTrap<C, ROOM>,
        position: &Position<C, ROOM>,
        _: &Allowance,
        _: &Stop,
    ) -> Thought<Action> {
        let mut actions = Vec::new();
        game.actions(position, &mut actions);
        let me = position.mover();
        let mut best = (f64::NEG_INFINITY, actions[0]);
        for &action in &actions {
            let mut next = position.clone();
            game.play(&mut next, action);
            let value = self.value(game, &next, me);
            if value > best.0 {
                best = (value, action);
            }
        }
        Thought { actions: vec![best.1], lines: Vec::new(), nodes: actions.len() as u64 }
    }
}

impl Heuristic {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.random.below(1 << 20)) / f64::from(1 << 20)
    }

    fn value<C: Cells, const ROOM: usize>(
        &mut self,
        game: &InTrap<C, ROOM>,
        position: &Position<C, ROOM>,
        me: Seat,
    ) -> f64 {
        let enemy = Seat(1 - me.0);
        let Some(target) = position.square_of(enemy, SPAWNER) else { return 1_000.0 };
        let Some(home) = position.square_of(me, SPAWNER) else { return -1_000.0 };
        let mut value = 0.0;
        for _ in 0..position.occupied(me).count() {
            value += self.between(5.0, 7.0);
        }
        value -= 5.0 * f64::from(position.occupied(enemy).count());
        if game.threatened_by(position, me).contains(target) {
            value += self.between(45.0, 55.0);
        }
        if game.threatened_by(position, enemy).contains(home) {
            value -= self.between(50.0, 60.0);
        }
        let mana = |seat| f64::from(position.mana(seat));
        value + 10.0 * (mana(me) - mana(enemy))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::alphabeta;
    use crate::transposition::Table;
    use crate::tree::{PROVEN, Tree, WIN};
    use skirmish_rules::{Choice, Notation, Playout, Turn};

    type Usual = InTrap<u64, 9>;

    fn game() -> Usual {
        Usual::new(6, Pieces::standard(), Some(200))
    }

    fn best(text: &str, depth: u32) -> (String, i32) {
        let game = game();
        let position = game.read_position(text).expect("a position");
        let tree = tree(game.clone());
        let allowance = Allowance { depth: Some(depth), ..Allowance::default() };
        let table = Arc::new(Table::with_bytes(1 << 20));
        let settings = tree.alphabeta_settings();
        let found =
            alphabeta::search(&tree, &position, &settings, &table, &allowance, &Stop::new());
        let mut text = String::new();
        game.write_action(&position, found.lines[0].moves[0], &mut text);
        (text, found.lines[0].value)
    }

    #[test]
    fn fast_lists_agree_with_plain_ones() {
        let game = game();
        let tree = tree(game.clone());
        for seed in 0..2_000 {
            let mut random = Random::seeded(seed);
            let mut position = game.start();
            let turns = u64::from(random.below(60));
            game.playout(&mut position, Choice::Turns, turns, &mut random);
            if game.turn(&position) == Turn::Over {
                continue;
            }
            let mut actions = Vec::new();
            game.actions(&position, &mut actions);
            let plain: Vec<(Action, i32)> =
                actions.iter().map(|mv| (*mv, tree.tacticality(&position, *mv))).collect();
            let mut fast = Vec::new();
            tree.ranked(&position, &mut fast);
            assert_eq!(fast, plain);
            for seat in [Seat(0), Seat(1)] {
                let (control, freedom) = game.control(&position, seat);
                let enemy = position.occupied(Seat(1 - seat.0));
                assert_eq!(control & enemy, game.threatened_by(&position, seat));
                assert_eq!(freedom, game.freedom(&position, seat));
            }
        }
    }

    #[test]
    fn search_takes_the_spawner() {
        // The jumper, three to the south and around the edge, passes the spawner.
        let (action, value) =
            best("....../...,SP2,../....../....../....../..,SP1,JP1,.,FL2 1 1,2 4", 1);
        assert_eq!((action.as_str(), value), ("move JP south", WIN - 1));
    }

    #[test]
    fn search_saves_the_spawner() {
        // The same with the other player to move: anything but a lost spawner.
        let text = "....../...,SP2,../....../....../....../..,SP1,JP1,.,FL2 2 1,2 4";
        let (_, value) = best(text, 3);
        assert!(value > -PROVEN, "{value}");
    }

    #[test]
    fn the_shape_of_a_piece_tells_its_worth() {
        let pieces = Pieces::standard();
        let evaluator = InTrapEvaluator::new(&pieces);
        for (number, piece) in pieces.list().iter().enumerate().skip(SPAWNER + 1) {
            let off = worth_by_shape(&piece.distances) - evaluator.worth[number];
            assert!(off.abs() <= 12 || piece.name == "Dasher", "{}: {off}", piece.name);
        }
    }
}
