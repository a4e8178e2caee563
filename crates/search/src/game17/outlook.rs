//! What to expect of a square until the mover's next turn.
//!
//! Every opponent moves once before then, in the turn order. A zombie's pieces come with chance
//! one quarter each, and pieces that come too few join the owner of the square. So a stack that
//! stays among zombies is fed by them, unless too many come at once.

use skirmish_rules::games::game17::{Direction, Game17, Position};
use skirmish_rules::{Rules, Seat};

use super::marshal::Weights;

/// Stacks up to this size are looked up; larger ones are worked out each time.
const REMEMBERED: usize = 64;

/// Zombie armies up to this size have their chances tabled.
const TABLED: usize = 48;

/// What a square is worth beyond its worth early on falls by this factor with each turn left:
/// squares are counted at the end only, and few change hands in the very last turns. A guess.
const SQUARE_FADE: f32 = 0.5;

/// With so many turns left a piece is worth half of what it is worth early on. Pieces are worth
/// nothing in the end, but until then they are what squares are taken with. A guess.
const PIECE_RISE: f32 = 2.0;

/// Chances of arrivals from an army of zombies, each piece with chance one quarter.
pub(super) struct Arrivals {
    /// `[army][arrivals]`: the chance of exactly so many.
    exactly: Vec<[f32; TABLED + 1]>,
}

impl Arrivals {
    pub(super) fn new() -> Arrivals {
        let mut exactly = vec![[0.0; TABLED + 1]; TABLED + 1];
        exactly[0][0] = 1.0;
        for army in 1..=TABLED {
            for count in 0..=army {
                let comes = if count > 0 { exactly[army - 1][count - 1] } else { 0.0 };
                exactly[army][count] = 0.25 * comes + 0.75 * exactly[army - 1][count];
            }
        }
        Arrivals { exactly }
    }

    /// The chance that `standing` pieces lose their square to an army of zombies, and how many
    /// pieces they gain on average if they do not.
    fn meet(&self, army: u32, standing: f32) -> (f32, f32) {
        let army_size = army as f32;
        if army as usize > TABLED {
            // Close enough to a normal distribution, whose tail is nearly logistic.
            let deviation = (army_size * 3.0 / 16.0).sqrt();
            let beyond = (standing - army_size / 4.0) / deviation;
            let lost = 1.0 / (1.0 + (1.702 * beyond).exp());
            return (lost, (army_size / 4.0).min(standing));
        }
        let chances = &self.exactly[army as usize];
        let whole = (standing as usize).min(army as usize);
        let (mut kept, mut gained) = (0.0, 0.0);
        for (count, chance) in chances[..=whole].iter().enumerate() {
            // Equals toss a coin, except on an empty square, which any piece that comes takes.
            let tossed = count > 0 && count == standing as usize;
            let chance = if tossed { chance / 2.0 } else { *chance };
            kept += chance;
            gained += chance * count as f32;
        }
        (1.0 - kept, if kept > 0.0 { gained / kept } else { 0.0 })
    }
}

/// An army that may reach a square before the mover's next turn: all stacks of one owner around it.
#[derive(Clone, Copy, Default)]
struct Army {
    /// How many turns from now it moves.
    delay: u16,
    owner: u16,
    is_zombie: bool,
    strength: u32,
}

/// The armies around a square: four at most.
#[derive(Clone, Copy, Default)]
struct Armies {
    list: [Army; 4],
    count: usize,
}

/// The outlook of every square for the mover.
pub(super) struct Outlook<'a> {
    game: &'a Game17,
    arrivals: &'a Arrivals,
    weights: &'a Weights,
    pub(super) mover: u16,
    pub(super) owners: &'a [u16],
    pub(super) numbers: &'a [u16],
    /// For each owner, how many turns from now it moves; `None` if not before the game ends.
    delays: Vec<Option<u16>>,
    /// Armies around each square, in the order they move.
    armies: Vec<Armies>,
    /// Steps from each square to the border of the mover's land; 0 along it and outside.
    depths: Vec<f32>,
    /// The mover's pieces around each square, once there is a plan.
    support: Vec<f32>,
    /// What one square is worth.
    square: f32,
    /// What one piece is worth.
    piece: f32,
    /// By square and pieces: the value of holding it with so many, NaN if not yet worked out.
    remembered: Vec<f32>,
}

impl<'a> Outlook<'a> {
    /// The outlook in a position between turns or inside one, before any plan.
    pub(super) fn new(
        game: &'a Game17,
        position: &'a Position,
        arrivals: &'a Arrivals,
        weights: &'a Weights,
    ) -> Outlook<'a> {
        let cells = position.owners().len();
        let place = usize::from(position.place().expect("the game goes on"));
        let turn_order = position.turn_order();
        let mover = turn_order[place];
        let turns_left = game.rounds() - 1 - position.round();
        let mut delays = vec![None; cells];
        for (other, owner) in turn_order.iter().enumerate() {
            if other > place {
                delays[usize::from(*owner)] = Some((other - place) as u16);
            } else if other < place && turns_left > 0 {
                delays[usize::from(*owner)] = Some((cells + other - place) as u16);
            }
        }
        let left = turns_left as f32;
        let mut outlook = Outlook {
            game,
            arrivals,
            weights,
            mover,
            owners: position.owners(),
            numbers: position.numbers(),
            delays,
            armies: vec![Armies::default(); cells],
            depths: vec![0.0; cells],
            support: vec![0.0; cells],
            square: weights.square + (1.0 - weights.square) * SQUARE_FADE.powf(left),
            piece: left / (left + PIECE_RISE),
            remembered: Vec::new(),
        };
        outlook.look_far();
        outlook.look_near(&vec![0; cells]);
        outlook
    }

    /// Measures how deep inside the mover's land each square lies.
    fn look_far(&mut self) {
        let cells = self.owners.len();
        let mut queue: Vec<usize> =
            (0..cells).filter(|cell| self.owners[*cell] != self.mover).collect();
        let mut steps = vec![u16::MAX; cells];
        for cell in &queue {
            steps[*cell] = 0;
        }
        let mut next = 0;
        while next < queue.len() {
            let cell = queue[next];
            next += 1;
            for direction in Direction::ALL {
                let near = usize::from(self.game.neighbour(cell as u16, direction));
                if steps[near] == u16::MAX {
                    steps[near] = steps[cell] + 1;
                    queue.push(near);
                }
            }
        }
        for (depth, steps) in self.depths.iter_mut().zip(steps) {
            // Where everything is the mover's, no way leads anywhere.
            *depth = if steps == u16::MAX { 0.0 } else { f32::from(steps.saturating_sub(1)) };
        }
    }

    /// Lists the armies around each square, given the pieces the mover plans to have on each.
    ///
    /// Those on squares the plan takes for certain are not among them, and its pieces next to a
    /// square stand ready to take it back.
    pub(super) fn look_near(&mut self, force: &[u16]) {
        let cells = self.owners.len();
        self.remembered.clear();
        self.remembered.resize(cells * REMEMBERED, f32::NAN);
        for cell in 0..cells {
            let armies = &mut self.armies[cell];
            armies.count = 0;
            let mut support = 0;
            for direction in Direction::ALL {
                let near = usize::from(self.game.neighbour(cell as u16, direction));
                let owner = self.owners[near];
                if owner == self.mover || force[near] > self.numbers[near] {
                    support += u32::from(force[near]);
                    continue;
                }
                let strength = u32::from(self.numbers[near]);
                if strength == 0 {
                    continue;
                }
                let Some(delay) = self.delays[usize::from(owner)] else { continue };
                let known = armies.list[..armies.count].iter_mut();
                match known.into_iter().find(|army| army.owner == owner) {
                    Some(army) => army.strength += strength,
                    None => {
                        let is_zombie = self.game.is_zombie(Seat(owner));
                        armies.list[armies.count] = Army { delay, owner, is_zombie, strength };
                        armies.count += 1;
                    }
                }
            }
            self.support[cell] = support as f32;
            armies.list[..armies.count].sort_unstable_by_key(|army| army.delay);
        }
    }

    /// Whether neither this square nor one next to it can be reached by another player.
    pub(super) fn is_inside(&self, cell: u16) -> bool {
        self.depths[usize::from(cell)] >= 2.0
    }

    /// The smallest `force` that may be worth something on a square.
    pub(super) fn least_force(&self, cell: u16) -> u16 {
        let cell = usize::from(cell);
        if self.owners[cell] == self.mover { 0 } else { self.numbers[cell] }
    }

    /// What a square is worth to the mover with this `force`: the pieces that stay or arrive.
    pub(super) fn worth(&mut self, cell: u16, force: u16) -> f32 {
        let index = usize::from(cell);
        let standing = self.numbers[index];
        if self.owners[index] == self.mover {
            self.held(cell, force)
        } else if force < standing || force == 0 {
            0.0
        } else {
            let mut worth = self.held(cell, force + standing);
            if !self.game.is_zombie(Seat(self.owners[index])) {
                worth += self.weights.rivalry * (self.square + self.piece * f32::from(standing));
            }
            if force > standing { worth } else { worth / 2.0 }
        }
    }

    /// What a square is worth to the mover who has it with this many pieces.
    fn held(&mut self, cell: u16, pieces: u16) -> f32 {
        let place = usize::from(cell) * REMEMBERED + usize::from(pieces);
        if usize::from(pieces) >= REMEMBERED {
            return self.work_out(cell, pieces);
        }
        if self.remembered[place].is_nan() {
            self.remembered[place] = self.work_out(cell, pieces);
        }
        self.remembered[place]
    }

    /// Follows the armies around the square in the order they move, with average gains.
    fn work_out(&self, cell: u16, pieces: u16) -> f32 {
        let weights = self.weights;
        let cell = usize::from(cell);
        let mut standing = f32::from(pieces);
        let mut kept = 1.0;
        let mut penalty = 0.0;
        let Armies { list, count } = &self.armies[cell];
        for army in &list[..*count] {
            if army.is_zombie {
                let (lost, gained) = self.arrivals.meet(army.strength, standing);
                kept *= 1.0 - lost;
                standing += gained;
            } else {
                let strength = army.strength as f32;
                let lost = if standing < 1.0 {
                    weights.stroll
                } else if strength > standing {
                    weights.attack
                } else if strength == standing {
                    weights.attack / 2.0
                } else {
                    0.0
                };
                // A player who would lose the square again at once is less likely to attack.
                let deterred = self.support[cell] > strength + standing;
                let lost = if deterred { lost * (1.0 - weights.deterrence) } else { lost };
                penalty += kept * lost * (self.square + self.piece * standing);
                kept *= 1.0 - lost;
            }
        }
        let useful = standing * (1.0 - weights.depth * self.depths[cell]).max(0.0);
        kept * (self.square + self.piece * useful) - weights.rivalry * penalty
    }
}
