//! Who wins, for certain: a proof search for small boards and late positions.
//!
//! The search is depth-first proof-number search. Three things make it quick:
//!
//! * **What is settled is taken off the board.** A part of the board with amazons of one side only
//!   is worth a whole number of turns to that side, and of two such numbers only the difference
//!   matters. What is left is the contested part and one number, and many positions become one.
//! * **One entry for positions that look alike.** Keys do not depend on how the board is turned, nor
//!   on which colour is to move.
//! * **Counting ends it early.** When what one side is sure of outweighs what the other can hope
//!   for, the position is decided: see [`super::regions`].

use std::sync::atomic::{AtomicBool, Ordering};

use skirmish_rules::games::amazons::{Amazons, Cell, Position, Stage};
use skirmish_rules::{Random, Rules, Symmetry, Turn};

use super::board::Board;
use super::evaluate::{self, terms_of, usual_weights, win_chance};
use super::regions::{Counter, Field, Region, WholeTurn};

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct SolveLimits<'a> {
    /// Positions to expand at most.
    pub nodes: u64,
    /// Set from elsewhere to stop early.
    pub stop: Option<&'a AtomicBool>,
    /// Entries of the transposition table, 16 bytes each; rounded up to a power of two.
    pub entries: usize,
}

impl Default for SolveLimits<'_> {
    fn default() -> Self {
        SolveLimits { nodes: u64::MAX, stop: None, entries: 1 << 22 }
    }
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// With the end of the game: the loser cannot move.
    GameOver,
    /// With a position that counting decides, where a limit was reached while the rest was written
    /// down: the winner fills its own cells and has turns enough.
    Counted,
    /// Before the game is decided: the limits were reached while the line was written down.
    Cut,
}

/// What the solver found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// Who wins, 0 white or 1 black; `None` when a limit was reached first.
    pub winner: Option<usize>,
    /// Whether that is the side to move.
    pub mover_wins: Option<bool>,
    /// Positions expanded.
    pub nodes: u64,
    /// A line of best play: every turn of the winner keeps the win, the loser resists where the
    /// proof was hardest.
    pub line: Vec<WholeTurn>,
    /// How the line ends.
    pub line_end: LineEnd,
}

/// Finds out who wins.
///
/// # Panics
/// If a turn has been begun.
pub fn solve<C: Board>(
    game: &Amazons<C>,
    position: &Position<C>,
    limits: &SolveLimits<'_>,
) -> Solved {
    assert_eq!(position.stage(), Stage::Choose, "a turn has been begun");
    let mut solver = Solver::new(game, limits);
    let node = solver.node(position);
    let mover_wins = solver.prove(&node);
    let mover = position.mover();
    let winner = mover_wins.map(|wins| if wins { mover } else { 1 - mover });
    let (line, line_end) = match winner {
        Some(winner) => solver.line(position, winner),
        None => (Vec::new(), LineEnd::Cut),
    };
    Solved { winner, mover_wins, nodes: solver.nodes, line, line_end }
}

/// A position without its settled parts, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node<C> {
    mine: C,
    theirs: C,
    /// The empty cells of the contested parts. Everything else is wall.
    empty: C,
    /// Turns the mover has in settled parts, less those of the opponent.
    ahead: i32,
}

/// How hard it is to prove that the mover wins, and to disprove it: 0 is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

/// Impossible to prove.
const NEVER: u32 = (1 << 24) - 1;
const WON: Numbers = Numbers { proof: 0, disproof: NEVER };
const LOST: Numbers = Numbers { proof: NEVER, disproof: 0 };

impl Numbers {
    fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    /// Proof number, disproof number (24 bits each) and the work behind them (16 bits).
    packed: u64,
}

/// A bounded memory of what is known, in buckets of four.
struct Table {
    entries: Vec<[Entry; 4]>,
}

impl Table {
    fn new(entries: usize) -> Table {
        let buckets = (entries / 4).max(1).next_power_of_two();
        Table { entries: vec![[Entry::default(); 4]; buckets] }
    }

    fn bucket(&self, key: u64) -> usize {
        (key >> 20) as usize & (self.entries.len() - 1)
    }

    fn get(&self, key: u64) -> Option<(Numbers, u16)> {
        let bucket = &self.entries[self.bucket(key)];
        let entry = bucket.iter().find(|entry| entry.key == key && entry.packed != 0)?;
        let (proof, disproof) = (entry.packed >> 40, (entry.packed >> 16) & u64::from(NEVER));
        let numbers = Numbers { proof: proof as u32, disproof: disproof as u32 };
        Some((numbers, entry.packed as u16))
    }

    fn put(&mut self, key: u64, numbers: Numbers, work: u16) {
        let packed =
            u64::from(numbers.proof) << 40 | u64::from(numbers.disproof) << 16 | u64::from(work);
        let index = self.bucket(key);
        let bucket = &mut self.entries[index];
        // Its own place, an empty one, or that of the entry that cost least.
        let place = bucket.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
            let work = |place: &usize| match bucket[*place].packed {
                0 => -1,
                packed => i32::from(packed as u16),
            };
            (0..4).min_by_key(work).unwrap_or(0)
        });
        bucket[place] = Entry { key, packed };
    }
}

/// Work on a scale of sixteen steps to each doubling, so that it fits its field.
fn work_of(nodes: u64) -> u16 {
    (16.0 * ((nodes + 1) as f32).log2()) as u16
}

#[derive(Clone, Copy)]
struct Child<C> {
    key: u64,
    node: Node<C>,
    /// What to believe while the table has nothing.
    guess: Numbers,
}

struct Solver<'a, C> {
    game: &'a Amazons<C>,
    limits: SolveLimits<'a>,
    counter: Counter<C>,
    table: Table,
    /// A random word for each kind of cell (mover's, opponent's, empty), cell and symmetry.
    words: Vec<[[u64; 8]; 3]>,
    nodes: u64,
}

/// The largest number a guess gives. On the 5×4 board: 4 takes 135 thousand nodes, 16 takes 85, 64
/// takes 63.
const GUESS: f32 = 64.0;

/// Steps for one region: regions met in a search are small, and met again and again.
const REGION_BUDGET: u64 = 300;

impl<'a, C: Board> Solver<'a, C> {
    fn new(game: &'a Amazons<C>, limits: &SolveLimits<'a>) -> Solver<'a, C> {
        let cells = game.width() * game.height();
        let mut random = Random::seeded(0x5eed_ab1e);
        let plain: Vec<[u64; 3]> =
            (0..cells).map(|_| std::array::from_fn(|_| random.word())).collect();
        let words = (0..cells)
            .map(|cell| {
                std::array::from_fn(|kind| {
                    std::array::from_fn(|which| {
                        // A rectangle has four symmetries: the other four places repeat them.
                        let which = which % game.symmetries();
                        let image = game.image_of_action(which, Cell(cell));
                        plain[usize::from(image.0)][kind]
                    })
                })
            })
            .collect();
        Solver {
            game,
            limits: *limits,
            counter: Counter::new(game, REGION_BUDGET),
            table: Table::new(limits.entries),
            words,
            nodes: 0,
        }
    }

    fn node(&mut self, position: &Position<C>) -> Node<C> {
        let mover = position.mover();
        let empty = self.counter.shape.full & !position.blocked();
        self.settle(Node {
            mine: position.amazons(mover),
            theirs: position.amazons(1 - mover),
            empty,
            ahead: 0,
        })
    }

    /// Takes the settled parts off the board.
    fn settle(&mut self, node: Node<C>) -> Node<C> {
        let all = node.mine | node.theirs | node.empty;
        let mut settled = node;
        let mut rest = all;
        while let Some(cell) = rest.first() {
            let part = self.counter.shape.flood(C::single(cell), all) | C::single(cell);
            rest &= !part;
            let empty = part & node.empty;
            let (mine, theirs) = (part & node.mine, part & node.theirs);
            if mine.is_empty() || theirs.is_empty() || empty.is_empty() {
                if !empty.is_empty() && !(mine | theirs).is_empty() {
                    // Filled by one side alone: a whole number of turns, if the count is exact.
                    let region =
                        Region { side: 0, empty, amazons: mine | theirs, guards: C::default() };
                    let bounds = self.counter.fill(self.game, &region).bounds;
                    if bounds.lower != bounds.upper {
                        continue;
                    }
                    let turns = bounds.lower.cast_signed();
                    settled.ahead += if theirs.is_empty() { turns } else { -turns };
                }
                settled.mine &= !part;
                settled.theirs &= !part;
                settled.empty &= !part;
            }
        }
        settled
    }

    /// The same for all positions that look alike: the smallest over the symmetries.
    fn key(&self, node: &Node<C>) -> u64 {
        let mut keys = [0; 8];
        for (kind, cells) in [node.mine, node.theirs, node.empty].into_iter().enumerate() {
            for cell in cells.iter() {
                let words = &self.words[usize::from(cell)][kind];
                for (key, word) in keys.iter_mut().zip(words) {
                    *key ^= word;
                }
            }
        }
        let least = keys.into_iter().min().unwrap_or(0);
        let mixed = (least ^ (node.ahead as u64)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }

    /// What can be said without searching.
    fn evaluate(&mut self, node: &Node<C>) -> Option<Numbers> {
        if (node.mine | node.theirs).is_empty() {
            return Some(if node.ahead > 0 { WON } else { LOST });
        }
        let field = Field { amazons: [node.mine, node.theirs], empty: node.empty };
        let winner = self.counter.winner_of_field(self.game, &field, node.ahead)?;
        Some(if winner == 0 { WON } else { LOST })
    }

    /// A guess at how hard the proof will be: little where the evaluation is sure.
    fn guess(&self, node: &Node<C>) -> Numbers {
        let field = evaluate::Field { amazons: [node.mine, node.theirs], blocked: !node.empty };
        let mut terms = terms_of((self.game.width(), self.game.height()), &field);
        terms.queen_territory += node.ahead;
        terms.king_territory += node.ahead;
        let chance = win_chance(terms.value(0, usual_weights(terms.cells)));
        Numbers {
            proof: 1 + (GUESS * (1.0 - chance)) as u32,
            disproof: 1 + (GUESS * chance) as u32,
        }
    }

    /// Every position one turn on, without repetitions. Stops at a won one.
    fn children(&mut self, node: &Node<C>) -> Vec<Child<C>> {
        // 1. The turns in the contested parts, seen by the opponent.
        let mut nodes = Vec::new();
        let blocked = !node.empty;
        for from in node.mine.iter() {
            self.game.for_each_reached(blocked, from, |to| {
                let mut arrows = blocked;
                arrows.remove(from);
                arrows.insert(to);
                self.game.for_each_reached(arrows, to, |arrow| {
                    let mut next = Node {
                        mine: node.theirs,
                        theirs: node.mine,
                        empty: node.empty,
                        ahead: -node.ahead,
                    };
                    next.theirs.remove(from);
                    next.theirs.insert(to);
                    next.empty.insert(from);
                    next.empty.remove(to);
                    next.empty.remove(arrow);
                    nodes.push(next);
                });
            });
        }
        // 2. One turn in the settled parts is like any other there.
        if node.ahead > 0 {
            nodes.push(Node {
                mine: node.theirs,
                theirs: node.mine,
                empty: node.empty,
                ahead: 1 - node.ahead,
            });
        }
        // 3. Settle, and keep one of each kind.
        let mut children = Vec::with_capacity(nodes.len());
        for next in nodes {
            let next = self.settle(next);
            children.push(Child { key: self.key(&next), node: next, guess: LOST });
        }
        children.sort_unstable_by_key(|child| child.key);
        children.dedup_by_key(|child| child.key);
        // 4. Evaluate those the table does not know.
        for child in &mut children {
            child.guess = match self.table.get(child.key) {
                Some((numbers, _)) => numbers,
                None => match self.evaluate(&child.node) {
                    Some(settled) => settled,
                    None => self.guess(&child.node),
                },
            };
            if child.guess.disproof == 0 {
                return vec![*child];
            }
        }
        children.retain(|child| child.guess.proof != 0);
        children
    }

    /// Whether the mover wins; `None` when a limit is reached.
    fn prove(&mut self, node: &Node<C>) -> Option<bool> {
        let key = self.key(node);
        let numbers = match self.evaluate(node) {
            Some(numbers) => numbers,
            None => self.search(node, key, Numbers { proof: NEVER, disproof: NEVER })?,
        };
        Some(numbers.proof == 0)
    }

    /// Searches until the numbers reach the limits or the node is settled. `None` when out of
    /// nodes.
    fn search(&mut self, node: &Node<C>, key: u64, limits: Numbers) -> Option<Numbers> {
        let begun = self.nodes;
        self.nodes += 1;
        if self.nodes > self.limits.nodes
            || self.limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
        {
            return None;
        }
        let mut children = self.children(node);
        loop {
            // 1. The mover wins if one child is lost for the opponent, and loses if all are won.
            let mut best = (NEVER, NEVER, 0);
            let mut second = NEVER;
            let (mut most, mut open) = (0, 0);
            for (index, child) in children.iter().enumerate() {
                let Numbers { proof, disproof } = child.guess;
                if proof == 0 {
                    continue;
                }
                most = most.max(proof);
                open += 1;
                if (disproof, proof) < (best.0, best.1) || open == 1 {
                    second = if open == 1 { NEVER } else { best.0 };
                    best = (disproof, proof, index);
                } else {
                    second = second.min(disproof);
                }
            }
            // Many children share what refutes them, so adding all would overrate the work. Tried
            // once on each board, against the sum with guesses up to 16: 5×5 took 2.0 M nodes and
            // 29 s for 0.9 M and 40 s, but 5×4 took 63 thousand for 7 thousand. The choice favours
            // the larger board.
            let disproof = if open == 0 { 0 } else { most + (open - 1) };
            let numbers = Numbers {
                proof: if open == 0 { NEVER } else { best.0 },
                disproof: if best.0 == 0 && open > 0 { NEVER } else { disproof.min(NEVER - 1) },
            };
            // 2. Done for now?
            if numbers.is_settled()
                || numbers.proof >= limits.proof
                || numbers.disproof >= limits.disproof
            {
                self.table.put(key, numbers, work_of(self.nodes - begun));
                return Some(numbers);
            }
            // 3. Go on with the most promising child, until another is clearly more so.
            let child = children[best.2];
            let child_limits = Numbers {
                disproof: limits.proof.min(second.saturating_add(1 + second / 4)).min(NEVER),
                proof: (limits.disproof - numbers.disproof + child.guess.proof).min(NEVER),
            };
            children[best.2].guess = self.search(&child.node, child.key, child_limits)?;
        }
    }

    /// A line of best play from a solved position.
    fn line(&mut self, position: &Position<C>, winner: usize) -> (Vec<WholeTurn>, LineEnd) {
        let mut position = *position;
        let mut line = Vec::new();
        let mut is_decided = false;
        loop {
            if self.game.turn(&position) == Turn::Over {
                return (line, LineEnd::GameOver);
            }
            let node = self.node(&position);
            is_decided |= self.evaluate(&node).is_some();
            let is_filling = is_decided && position.mover() != winner;
            // Once counting has decided, the loser makes the most of the cells that are its own.
            let filling = is_filling.then(|| self.counter.filling_turn(self.game, &position));
            let turn = filling.flatten().or_else(|| self.line_turn(&position, winner));
            let Some(turn) = turn else {
                let end = if is_decided { LineEnd::Counted } else { LineEnd::Cut };
                return (line, end);
            };
            turn.iter().for_each(|action| self.game.play(&mut position, *action));
            line.push(turn);
        }
    }

    /// The next turn of a line: the winner's must win, the loser's is the one that took most work.
    fn line_turn(&mut self, position: &Position<C>, winner: usize) -> Option<WholeTurn> {
        // 1. Every turn, with what is known of the position behind it.
        let blocked = position.blocked();
        let mut turns = Vec::new();
        for from in position.amazons(position.mover()).iter() {
            self.game.for_each_reached(blocked, from, |to| {
                let mut arrows = blocked;
                arrows.remove(from);
                arrows.insert(to);
                self.game.for_each_reached(arrows, to, |arrow| {
                    turns.push([from, to, arrow].map(Cell));
                });
            });
        }
        let mut known = Vec::new();
        for turn in turns {
            let mut next = *position;
            turn.iter().for_each(|action| self.game.play(&mut next, *action));
            let node = self.node(&next);
            let key = self.key(&node);
            let (numbers, work) = match self.evaluate(&node) {
                Some(numbers) => (numbers, 0),
                None => self.table.get(key).unwrap_or_else(|| (self.guess(&node), 0)),
            };
            known.push((numbers, work, turn, node));
        }
        // 2. The loser takes the one that cost most to refute.
        if position.mover() != winner {
            return known.iter().max_by_key(|known| known.1).map(|known| known.2);
        }
        // 3. The winner takes a proven one, or proves one again that the table has forgotten.
        known.sort_by_key(|(numbers, work, ..)| (numbers.disproof, u16::MAX - work));
        for (numbers, _, turn, node) in known {
            let loses =
                if numbers.is_settled() { numbers.disproof == 0 } else { !self.prove(&node)? };
            if loses {
                return Some(turn);
            }
        }
        None
    }
}
