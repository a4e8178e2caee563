//! The search for the best use of all stacks together.
//!
//! The worth of a turn is the sum over squares of what each is worth with the pieces that stay
//! or arrive there. Stacks share squares, so their orders are chosen together: first attacks that
//! pool pieces from several sides, then small changes to one stack at a time, as long as any helps.

use skirmish_rules::games::game17::{Direction, Game17, Order};

use super::outlook::Outlook;

/// Staying is a fifth way to go, after the four directions.
const STAY: usize = 4;

/// Sweeps of small changes over all stacks; nearly always fewer are enough.
const SWEEPS: usize = 8;

/// An attack is put together in at most about so many steps, however large it is.
const HANDFULS: u16 = 32;

/// A change must gain at least this much, so that rounding errors do not count as gains.
const LEAST_GAIN: f32 = 1e-4;

/// Piece counts worth a try whatever the board looks like.
const COUNTS: [u16; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/// A stack of the mover's and what becomes of it.
struct Stack {
    cell: u16,
    /// The squares it reaches, itself last.
    to: [u16; 5],
    /// How many pieces go to each.
    sent: [u16; 5],
}

/// What to do with every stack.
pub(super) struct Plan {
    stacks: Vec<Stack>,
    /// The stack on each square, if it is one of ours.
    stack_at: Vec<Option<usize>>,
    /// By square: pieces of ours that stay or arrive there.
    force: Vec<u16>,
}

impl Plan {
    /// All pieces stay, but for the orders that were chosen before.
    ///
    /// Orders ascend, so stacks up to the last one with an order have nothing left to decide.
    pub(super) fn new(game: &Game17, outlook: &Outlook<'_>, chosen: &[Order]) -> Plan {
        let cells = outlook.owners.len();
        let mut plan =
            Plan { stacks: Vec::new(), stack_at: vec![None; cells], force: vec![0; cells] };
        let first_free = chosen.last().map_or(0, |order| usize::from(order.cell) + 1);
        for cell in 0..cells {
            let pieces = outlook.numbers[cell];
            if outlook.owners[cell] != outlook.mover || pieces == 0 {
                continue;
            }
            plan.force[cell] += pieces;
            if cell < first_free {
                continue;
            }
            let [north, south, east, west] =
                Direction::ALL.map(|direction| game.neighbour(cell as u16, direction));
            plan.stack_at[cell] = Some(plan.stacks.len());
            plan.stacks.push(Stack {
                cell: cell as u16,
                to: [north, south, east, west, cell as u16],
                sent: [0, 0, 0, 0, pieces],
            });
        }
        for order in chosen {
            plan.force[usize::from(order.cell)] -= order.count;
            plan.force[usize::from(game.neighbour(order.cell, order.direction))] += order.count;
        }
        plan
    }

    /// Changes the plan for the better, until nothing tried helps.
    pub(super) fn improve(&mut self, game: &Game17, outlook: &mut Outlook<'_>) {
        self.pool(game, outlook);
        // A stack is looked at again only if something changed on a square it reaches.
        let mut stale = vec![true; self.stacks.len()];
        for _ in 0..SWEEPS {
            let mut changed = false;
            for index in 0..self.stacks.len() {
                if !std::mem::take(&mut stale[index]) {
                    continue;
                }
                let Some(ends) = self.improve_stack(index, outlook) else { continue };
                changed = true;
                for end in ends {
                    let around = Direction::ALL.map(|direction| game.neighbour(end, direction));
                    for cell in around.into_iter().chain([end]) {
                        if let Some(stack) = self.stack_at[usize::from(cell)] {
                            stale[stack] = true;
                        }
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// By square: pieces of the mover's that stay or arrive there.
    pub(super) fn force(&self) -> &[u16] {
        &self.force
    }

    /// The worth of the whole plan.
    pub(super) fn worth(&self, outlook: &mut Outlook<'_>) -> f32 {
        (0..self.force.len()).map(|cell| outlook.worth(cell as u16, self.force[cell])).sum()
    }

    /// Appends the orders of the plan, in the order of a turn.
    pub(super) fn write(&self, orders: &mut Vec<Order>) {
        for stack in &self.stacks {
            for direction in Direction::ALL {
                let count = stack.sent[direction as usize];
                if count > 0 {
                    orders.push(Order { cell: stack.cell, direction, count });
                }
            }
        }
    }

    /// Attacks with just enough pieces from all sides, the most rewarding attack first.
    fn pool(&mut self, game: &Game17, outlook: &mut Outlook<'_>) {
        let mut attacks: Vec<(f32, u16)> = Vec::new();
        for cell in 0..self.force.len() as u16 {
            if outlook.owners[usize::from(cell)] == outlook.mover {
                continue;
            }
            let gain = self.attack(game, cell, outlook, false);
            if gain > 0.0 {
                attacks.push((gain, cell));
            }
        }
        attacks.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, cell) in attacks {
            self.attack(game, cell, outlook, true);
        }
    }

    /// What attacking `cell` with one piece more than stands there gains; done if `commit` is set
    /// and it gains something. Pieces come a few at a time
    /// from where they are missed least.
    fn attack(&mut self, game: &Game17, cell: u16, outlook: &mut Outlook<'_>, commit: bool) -> f32 {
        let target = usize::from(cell);
        let sources: [Option<(usize, usize)>; 4] = Direction::ALL.map(|direction| {
            let from = game.neighbour(cell, direction);
            let stack = self.stack_at[usize::from(from)]?;
            let side = self.stacks[stack].to.iter().position(|to| *to == cell)?;
            Some((stack, side))
        });
        let needed = (outlook.numbers[target] + 1).saturating_sub(self.force[target]);
        let available: u32 = sources
            .iter()
            .flatten()
            .map(|(stack, _)| u32::from(self.stacks[*stack].sent[STAY]))
            .sum();
        if needed == 0 || available < u32::from(needed) {
            return 0.0;
        }
        let mut gain = -outlook.worth(cell, self.force[target]);
        let mut drawn = [0u16; 4];
        let handful = needed.div_ceil(HANDFULS);
        let mut missing = needed;
        while missing > 0 {
            let mut best: Option<(f32, usize, u16)> = None;
            for (number, source) in sources.iter().enumerate() {
                let Some((stack, _)) = *source else { continue };
                let stack = &self.stacks[stack];
                let count = handful.min(missing).min(stack.sent[STAY]);
                if count == 0 {
                    continue;
                }
                let force = self.force[usize::from(stack.cell)];
                let loss =
                    outlook.worth(stack.cell, force) - outlook.worth(stack.cell, force - count);
                if best.is_none_or(|(least, ..)| loss < least) {
                    best = Some((loss, number, count));
                }
            }
            let Some((loss, number, count)) = best else { break };
            let (stack, side) = sources[number].expect("only real sources were looked at");
            self.shift(stack, STAY, side, count);
            drawn[number] += count;
            missing -= count;
            gain -= loss;
        }
        gain += outlook.worth(cell, self.force[target]);
        if !commit || gain <= 0.0 {
            for (number, count) in drawn.into_iter().enumerate() {
                if let Some((stack, side)) = sources[number] {
                    self.shift(stack, side, STAY, count);
                }
            }
        }
        gain
    }

    /// Makes the best single change to a stack, and says between which squares, if there was one.
    fn improve_stack(&mut self, index: usize, outlook: &mut Outlook<'_>) -> Option<[u16; 2]> {
        let mut best = (LEAST_GAIN, 0, 0, 0);
        let Stack { cell, to, sent } = self.stacks[index];
        let is_inside = outlook.is_inside(cell);
        for from in 0..5 {
            if sent[from] == 0 {
                continue;
            }
            let source = to[from];
            let source_force = self.force[usize::from(source)];
            let source_worth = outlook.worth(source, source_force);
            for (towards, &goal) in to.iter().enumerate() {
                if goal == source {
                    continue;
                }
                let goal_force = self.force[usize::from(goal)];
                let goal_worth = outlook.worth(goal, goal_force);
                // Fewer than these are only lost.
                let too_few = outlook.least_force(goal);
                let mut consider = |count: u16, outlook: &mut Outlook<'_>| {
                    if count == 0 || count > sent[from] || goal_force + count < too_few {
                        return;
                    }
                    let gain = outlook.worth(source, source_force - count) - source_worth
                        + outlook.worth(goal, goal_force + count)
                        - goal_worth;
                    if gain > best.0 {
                        best = (gain, from, towards, count);
                    }
                };
                consider(sent[from], outlook);
                if is_inside {
                    // No opponent reaches the squares around: what is best for one piece is for all.
                    continue;
                }
                for count in COUNTS {
                    consider(count, outlook);
                }
                consider(sent[from] - 1, outlook);
                consider(sent[from] / 2, outlook);
                let standing = outlook.numbers[usize::from(goal)];
                consider((standing + 1).saturating_sub(goal_force), outlook);
            }
        }
        let (_, from, towards, count) = best;
        if count == 0 {
            return None;
        }
        self.shift(index, from, towards, count);
        Some([to[from], to[towards]])
    }

    fn shift(&mut self, stack: usize, from: usize, towards: usize, count: u16) {
        let stack = &mut self.stacks[stack];
        stack.sent[from] -= count;
        stack.sent[towards] += count;
        self.force[usize::from(stack.to[from])] -= count;
        self.force[usize::from(stack.to[towards])] += count;
    }
}
