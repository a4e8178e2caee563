//! What In-Trap knows beyond its rules: what a position looks worth, and the `heuristic` agent.

use skirmish_rules::cells::Cells;
use skirmish_rules::games::in_trap::{Action, InTrap, Position, SPAWNER};
use skirmish_rules::{Random, Rules, Seat};

use crate::agent::{Agent, Allowance, Stop, Thought};
use crate::tree::{Judge, MOST};

/// Judges positions of In-Trap.
#[derive(Clone, Copy, Debug)]
pub struct Sight;

/// A piece on the board. Everything else is measured by it.
const PIECE: i32 = 100;
/// A point of mana: five buy a piece, which then still has to come into play.
const MANA: i32 = 14;
/// Mana beyond this buys nothing that can be placed soon.
const USEFUL_MANA: u32 = 20;
/// A move more to choose from.
const FREEDOM: i32 = 2;
/// An enemy piece that could be captured at once, for the mover and for the other.
const THREAT: [i32; 2] = [35, 15];
/// The enemy spawner under attack, the other player to move: it has to be answered.
const SPAWNER_THREAT: i32 = 60;

impl<C: Cells, const ROOM: usize> Judge<InTrap<C, ROOM>> for Sight {
    fn evaluate(&self, game: &InTrap<C, ROOM>, position: &Position<C, ROOM>) -> i32 {
        let mover = position.mover();
        let other = Seat(1 - mover.0);
        let spawner = |seat| position.square_of(seat, SPAWNER);

        // The mover takes the spawner if it can: the game is over.
        let mine = game.threatened_by(position, mover);
        if spawner(other).is_some_and(|cell| mine.contains(cell)) {
            return MOST;
        }
        let theirs = game.threatened_by(position, other);
        let mut value = THREAT[0] * mine.count() as i32 - THREAT[1] * theirs.count() as i32;
        if spawner(mover).is_some_and(|cell| theirs.contains(cell)) {
            value -= SPAWNER_THREAT;
        }
        let army = |seat: Seat| {
            PIECE * position.occupied(seat).count() as i32
                + MANA * position.mana(seat).min(USEFUL_MANA) as i32
                + FREEDOM * game.freedom(position, seat) as i32
        };
        value + army(mover) - army(other)
    }

    fn loudness(
        &self,
        game: &InTrap<C, ROOM>,
        position: &Position<C, ROOM>,
        action: Action,
    ) -> i32 {
        let captured = game.captures(position, action);
        let enemy = Seat(1 - position.mover().0);
        let ends = position.square_of(enemy, SPAWNER).is_some_and(|cell| captured.contains(cell));
        if ends { 10_000 } else { 100 * captured.count() as i32 }
    }

    fn code(&self, action: Action) -> u32 {
        u32::from(action.code())
    }

    fn scale(&self) -> f32 {
        400.0
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
