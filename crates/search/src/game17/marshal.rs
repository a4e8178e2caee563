//! The marshal: our strongest player.
//!
//! A turn is planned by what each square will be worth when the mover's next turn comes (see
//! `outlook.rs` and `plan.rs`). Against zombies that is nearly all there is to know. Other players
//! answer, so against them several plans, made in different tempers, are tried out: the
//! turns of all opponents are played, players assumed to be marshals, and the plan that leaves the
//! most wins.

use skirmish_rules::games::game17::{Action, Game17, Order, Position};
use skirmish_rules::{Random, Rules, Seat, Turn};

use super::outlook::{Arrivals, Outlook};
use super::plan::Plan;

/// How much a marshal thinks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How often each plan is tried out against the other players; 0 plays the first plan.
    ///
    /// The time a turn takes is in proportion to it; only zombies and tosses differ from one
    /// trial to the next, so more than a few gain little.
    pub trials: u32,
}

impl Default for Settings {
    /// One trial: two trials won no more games (200 duels between marshals, 200 battles of 8).
    fn default() -> Settings {
        Settings { trials: 1 }
    }
}

/// What a marshal believes. Values are in pieces, early in the game.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    /// A square, as long as the end is far.
    pub(super) square: f32,
    /// The part of a piece's worth lost with each step it is away from the border of one's land.
    pub(super) depth: f32,
    /// The chance that a player takes a weaker stack it can reach.
    pub(super) attack: f32,
    /// The chance that a player takes an empty square it can reach.
    pub(super) stroll: f32,
    /// The part of those attacks that are not made where they would be answered with a larger one.
    pub(super) deterrence: f32,
    /// How much a loss to another player counts beyond the loss itself, and a gain likewise.
    pub(super) rivalry: f32,
}

/// Set in coarse steps by matches between marshals without trials, one against one and in battles
/// of 8, 400 games a value. The chances of attacks follow what was counted in such games: 0.3 to
/// 0.6 for empty squares, 0.6 to 1 for others. Against zombies none of them matters much.
const WEIGHTS: Weights =
    Weights { square: 0.1, depth: 0.005, attack: 0.8, stroll: 0.5, deterrence: 0.7, rivalry: 0.0 };

/// Tempers that see other plans: bold, fearful, wary of tricks, reckless, envious, marching,
/// greedy for land, and stubborn. With the first six a marshal won 70 % of 200 duels against one
/// without trials, with all eight 76 %.
const TEMPERS: [Weights; 8] = [
    Weights { attack: 0.5, ..WEIGHTS },
    Weights { attack: 1.0, ..WEIGHTS },
    Weights { deterrence: 0.0, ..WEIGHTS },
    Weights { attack: 0.3, stroll: 0.2, ..WEIGHTS },
    Weights { rivalry: 0.5, ..WEIGHTS },
    Weights { depth: 0.03, ..WEIGHTS },
    Weights { square: 0.5, ..WEIGHTS },
    Weights { attack: 0.6, stroll: 0.8, deterrence: 1.0, ..WEIGHTS },
];

/// A player that plans whole turns.
pub struct Marshal {
    settings: Settings,
    arrivals: Arrivals,
}

impl Marshal {
    /// A marshal with these settings.
    pub fn new(settings: Settings) -> Marshal {
        Marshal { settings, arrivals: Arrivals::new() }
    }

    /// Appends the marshal's orders in the mover's place.
    ///
    /// Where orders were chosen before, those go on from the square after the last one. Nothing is
    /// remembered from one turn to the next: the same position, settings and state of `random`
    /// give the same orders.
    ///
    /// # Panics
    /// If no player is to move.
    pub fn orders(
        &mut self,
        game: &Game17,
        position: &Position,
        random: &mut Random,
        orders: &mut Vec<Order>,
    ) {
        let Turn::Player(Seat(mover)) = game.turn(position) else { panic!("no player is to move") };
        let (first, _) = self.plan(game, position, &WEIGHTS);
        let mut plans = vec![first];
        let is_rival = |owner: &u16| *owner != mover && position.squares()[usize::from(*owner)] > 0;
        if self.settings.trials > 0 && game.players().iter().any(is_rival) {
            for temper in &TEMPERS {
                let (plan, _) = self.plan(game, position, temper);
                if !plans.contains(&plan) {
                    plans.push(plan);
                }
            }
        }
        let best = if plans.len() > 1 { self.best(game, position, &plans, random) } else { 0 };
        orders.append(&mut plans[best]);
    }

    /// The best turn these weights see, and what it is worth.
    fn plan(&self, game: &Game17, position: &Position, weights: &Weights) -> (Vec<Order>, f32) {
        let mut outlook = Outlook::new(game, position, &self.arrivals, weights);
        let mut plan = Plan::new(game, &outlook, position.orders());
        plan.improve(game, &mut outlook);
        // Once more, knowing which enemies will be gone and where help is at hand. A third time
        // changes hardly anything.
        outlook.look_near(plan.force());
        plan.improve(game, &mut outlook);
        let mut orders = Vec::new();
        plan.write(&mut orders);
        (orders, plan.worth(&mut outlook))
    }

    /// The index of the plan that turns out best.
    fn best(
        &self,
        game: &Game17,
        position: &Position,
        plans: &[Vec<Order>],
        random: &mut Random,
    ) -> usize {
        let seed = random.word();
        let mut best = (f32::NEG_INFINITY, 0);
        for (index, plan) in plans.iter().enumerate() {
            let trials = u64::from(self.settings.trials);
            // Every plan meets the same luck, as far as the turns stay the same.
            let values = (0..trials)
                .map(|trial| self.try_out(game, position, plan, &mut Random::stream(seed, trial)));
            let value = values.sum();
            if value > best.0 {
                best = (value, index);
            }
        }
        best.1
    }

    /// What the mover has at the next turn, or at the end, after this plan.
    fn try_out(
        &self,
        game: &Game17,
        position: &Position,
        plan: &[Order],
        random: &mut Random,
    ) -> f32 {
        let mover = position.mover().expect("a player is to move");
        let mut position = position.clone();
        let mut orders = plan.to_vec();
        loop {
            for order in orders.drain(..) {
                game.play(&mut position, Action::Order(order));
            }
            game.play(&mut position, Action::End);
            while position.is_tossing() {
                game.settle(&mut position, random.below(2) as u16);
            }
            let squares = position.squares()[usize::from(mover)];
            match position.mover() {
                _ if squares == 0 => return 0.0,
                Some(owner) if owner == mover => return self.plan(game, &position, &WEIGHTS).1,
                Some(owner) if game.is_zombie(Seat(owner)) => {
                    game.zombie_orders(&position, random, &mut orders);
                }
                Some(_) => orders = self.plan(game, &position, &WEIGHTS).0,
                None => {
                    // A win counts as much as a whole board, so that it outweighs all else.
                    let most = position.squares().iter().max();
                    let won = most == Some(&squares);
                    let prize = if won { position.owners().len() as f32 } else { 0.0 };
                    return f32::from(squares) + prize;
                }
            }
        }
    }
}
