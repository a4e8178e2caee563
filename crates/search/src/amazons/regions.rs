//! Counting: how many turns each side still has where the other cannot come.
//!
//! Late in the game the board falls apart into regions with amazons of one side each. There a turn
//! is a matter of not wasting cells, and the side with more turns left wins. Even before that, what
//! each side is sure of and what the other can get at most may decide the game.
//!
//! Two numbers are counted for each side:
//!
//! * **At least.** The side's own cells are those it can walk to and the opponent cannot. Whatever
//!   the opponent does, the side can fill them, provided that an amazon whose square keeps the
//!   opponent out (a *guard*) leaves it only to burn it. What such a filling yields is guaranteed.
//! * **At most.** If the opponent keeps to the filling above, the side never gets beyond the cells
//!   it can walk to now, its own amazons stepping aside. Filling all of them without a waste, and
//!   with no amazon in the way, is the best it can hope for.
//!
//! Filling is a puzzle for one player. Every turn burns one cell, so the number of turns is the
//! number of empty cells less those wasted (left where no amazon can come). The search asks for
//! fillings that waste nothing, then one cell, then two, until one is found or the budget ends.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use skirmish_rules::games::amazons::{Amazons, Cell, Position, Stage};

use super::board::{Board, Shape};

/// A whole turn: amazon, square, arrow.
pub type WholeTurn = [Cell; 3];

/// How many more turns a side can make.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// It can make this many whatever the opponent does.
    pub lower: u32,
    /// It cannot make more than this many against the opponent's best filling.
    pub upper: u32,
}

/// How many more turns each side can make: 0 white, 1 black.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// The bounds of white and black.
    pub sides: [Bounds; 2],
}

impl Count {
    /// Who wins with this side to move, 0 white or 1 black, where the bounds decide.
    pub fn winner(&self, mover: usize) -> Option<usize> {
        let [mine, theirs] = [self.sides[mover], self.sides[1 - mover]];
        // The mover runs out first when both have equally many turns.
        if mine.lower > theirs.upper {
            Some(mover)
        } else if theirs.lower >= mine.upper {
            Some(1 - mover)
        } else {
            None
        }
    }

    /// Whether both counts are exact.
    pub fn is_exact(&self) -> bool {
        self.sides.iter().all(|side| side.lower == side.upper)
    }
}

/// Cells one side alone fills.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Region<C> {
    /// Whose it is: 0 white, 1 black.
    pub side: usize,
    /// The empty cells to fill.
    pub empty: C,
    /// The side's amazons beside them.
    pub amazons: C,
    /// Those of the amazons that keep the opponent out: they may leave their square only to burn it.
    pub guards: C,
}

/// A position whose empty cells each belong to one side.
#[derive(Clone, Debug)]
pub struct Separated<C> {
    /// The regions, white's first.
    pub regions: Vec<Region<C>>,
}

/// The cells that still matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field<C> {
    pub(super) amazons: [C; 2],
    pub(super) empty: C,
}

/// What is known about filling one region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filling {
    pub(super) bounds: Bounds,
    /// The first turn of the best filling found, if there is a turn at all.
    pub(super) first: Option<[u16; 3]>,
}

/// Counts regions and remembers them, for searches that meet the same region again and again.
#[derive(Clone, Debug)]
pub struct Counter<C> {
    pub(super) shape: Shape<C>,
    known: HashMap<(C, C, C), Filling, Quick>,
    /// Steps of search one region may take before its bounds are left open.
    budget: u64,
}

/// A quick hasher for sets of cells: multiply and fold. No attacker can choose the keys.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct QuickHasher(u64);
type Quick = BuildHasherDefault<QuickHasher>;

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        let product =
            u128::from(self.0 ^ n ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
    fn write_u128(&mut self, n: u128) {
        self.write_u64(n as u64);
        self.write_u64((n >> 64) as u64);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Regions remembered before the memory is emptied: some tens of megabytes.
const MOST_KNOWN: usize = 1 << 18;

impl<C: Board> Counter<C> {
    /// A counter for this board that spends at most `budget` steps on one region.
    pub fn new(game: &Amazons<C>, budget: u64) -> Counter<C> {
        let shape = Shape::new(u32::from(game.width()), u32::from(game.height()));
        Counter { shape, known: HashMap::default(), budget }
    }

    /// The cells this side can walk to, all amazons standing still.
    fn reached(&self, field: &Field<C>, side: usize) -> C {
        self.shape.flood(field.amazons[side], field.empty)
    }

    /// The regions of one side within `cells`, which must be empty. Amazons join what lies on either
    /// side of them: one of them can fill both.
    fn regions_of(&self, field: &Field<C>, side: usize, cells: C, guards: C) -> Vec<Region<C>> {
        let amazons = field.amazons[side];
        let mut rest = cells;
        let mut regions = Vec::new();
        while let Some(cell) = rest.first() {
            let whole = self.shape.flood(C::single(cell), cells | amazons) | C::single(cell);
            rest &= !whole;
            regions.push(Region {
                side,
                empty: whole & cells,
                amazons: whole & amazons,
                guards: whole & guards,
            });
        }
        regions
    }

    /// The regions where this side cannot be disturbed.
    fn own_regions(&self, field: &Field<C>, side: usize, reached: &[C; 2]) -> Vec<Region<C>> {
        let theirs = reached[1 - side];
        let own = reached[side] & !theirs;
        // An amazon beside a cell the opponent can come to keeps the opponent out.
        let guards = field.amazons[side] & self.shape.around(theirs | field.amazons[1 - side]);
        self.regions_of(field, side, own, guards)
    }

    /// How many turns each side can still make.
    pub fn count(&mut self, game: &Amazons<C>, position: &Position<C>) -> Count {
        self.count_field(game, &self.field(position))
    }

    fn field(&self, position: &Position<C>) -> Field<C> {
        let amazons = [position.amazons(0), position.amazons(1)];
        Field { amazons, empty: self.shape.full & !position.blocked() }
    }

    pub(super) fn count_field(&mut self, game: &Amazons<C>, field: &Field<C>) -> Count {
        let reached = [0, 1].map(|side| self.reached(field, side));
        let mut count = Count::default();
        for side in 0..2 {
            let bounds = &mut count.sides[side];
            for region in self.own_regions(field, side, &reached) {
                bounds.lower += self.fill(game, &region).bounds.lower;
            }
            for region in self.regions_of(field, side, reached[side], C::default()) {
                // Where the opponent joins in there is no telling how well it can be filled.
                bounds.upper += if region.empty.meets(reached[1 - side]) {
                    region.empty.count()
                } else {
                    self.fill(game, &region).bounds.upper
                };
            }
        }
        count
    }

    /// The winner by counting with side 0 to move and `ahead` turns more elsewhere, if the bounds
    /// decide.
    pub(super) fn winner_of_field(
        &mut self,
        game: &Amazons<C>,
        field: &Field<C>,
        ahead: i32,
    ) -> Option<usize> {
        // 1. Most positions are far from decided, and counting whole cells shows it: neither
        // side has more turns than own cells, and neither can be denied the shared cells by counting.
        let reached = [0, 1].map(|side| self.reached(field, side));
        let shared = (reached[0] & reached[1]).count().cast_signed();
        let own = [0, 1].map(|side| (reached[side] & !reached[1 - side]).count().cast_signed());
        if own[0] + ahead <= shared && own[1] - ahead < shared {
            return None;
        }
        // 2. The bounds.
        let mut count = self.count_field(game, field);
        let settled = usize::from(ahead < 0);
        count.sides[settled].lower += ahead.unsigned_abs();
        count.sides[settled].upper += ahead.unsigned_abs();
        count.winner(0)
    }

    /// The turns one region yields.
    pub fn count_region(&mut self, game: &Amazons<C>, region: &Region<C>) -> Bounds {
        self.fill(game, region).bounds
    }

    /// A turn of the side to move that fills its own cells and wastes as little as is known to be
    /// possible; `None` where it has no cells of its own to fill.
    ///
    /// # Panics
    /// If a turn has been begun.
    pub fn filling_turn(&mut self, game: &Amazons<C>, position: &Position<C>) -> Option<WholeTurn> {
        assert_eq!(position.stage(), Stage::Choose, "a turn has been begun");
        let field = self.field(position);
        let reached = [0, 1].map(|side| self.reached(&field, side));
        let regions = self.own_regions(&field, position.mover(), &reached);
        // The region with most turns left: if a count is off there is the most room to mend it.
        let mut best = None;
        for region in &regions {
            let filling = self.fill(game, region);
            if let Some(first) = filling.first
                && best.is_none_or(|(lower, _)| filling.bounds.lower > lower)
            {
                best = Some((filling.bounds.lower, first));
            }
        }
        best.map(|(_, first)| first.map(Cell))
    }

    pub(super) fn fill(&mut self, game: &Amazons<C>, region: &Region<C>) -> Filling {
        let key = (region.empty, region.amazons, region.guards);
        if let Some(filling) = self.known.get(&key) {
            return *filling;
        }
        let filling = self.search(game, region);
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(key, filling);
        filling
    }

    fn search(&self, game: &Amazons<C>, region: &Region<C>) -> Filling {
        // 1. Cells no amazon can come to are lost from the start.
        let state = Fill { empty: region.empty, amazons: region.amazons, guards: region.guards };
        let reachable = self.shape.flood(state.amazons, state.empty);
        let cells = reachable.count();
        let state = Fill { empty: reachable, ..state };
        let mut search = FillSearch {
            game,
            shape: self.shape,
            steps_left: self.budget,
            failed: HashSet::default(),
            line: Vec::new(),
            best: 0,
            first: None,
        };
        // 2. Allow no waste, then one cell, and so on. The first success is the exact number.
        for waste in 0..=cells {
            search.failed.clear();
            match search.go(state, waste) {
                Some(true) => {
                    let turns = search.best;
                    debug_assert_eq!(turns, cells - waste);
                    return Filling {
                        bounds: Bounds { lower: turns, upper: turns },
                        first: search.first,
                    };
                }
                Some(false) => {}
                // 3. Out of steps: less waste is impossible, and the longest filling met is real.
                None => {
                    return Filling {
                        bounds: Bounds { lower: search.best, upper: cells - waste },
                        first: search.first,
                    };
                }
            }
        }
        Filling { bounds: Bounds::default(), first: None }
    }
}

/// The state of a filling.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Fill<C> {
    empty: C,
    amazons: C,
    guards: C,
}

struct FillSearch<'a, C> {
    game: &'a Amazons<C>,
    shape: Shape<C>,
    steps_left: u64,
    /// States from which the waste now allowed is not enough. The empty cells tell how much has
    /// been wasted before, so the state says it all.
    failed: HashSet<(Fill<C>, u32), Quick>,
    line: Vec<[u16; 3]>,
    /// Turns of the longest filling met, and its first turn.
    best: u32,
    first: Option<[u16; 3]>,
}

impl<C: Board> FillSearch<'_, C> {
    /// Whether the state can be filled leaving at most `waste` cells; `None` when out of steps.
    fn go(&mut self, state: Fill<C>, waste: u32) -> Option<bool> {
        if self.line.len() as u32 > self.best {
            self.best = self.line.len() as u32;
            self.first = self.line.first().copied();
        }
        if state.empty.count() <= waste {
            return Some(true);
        }
        if self.failed.contains(&(state, waste)) {
            return Some(false);
        }
        if self.steps_left == 0 {
            return None;
        }
        self.steps_left -= 1;

        // 1. Every turn with what it leaves.
        let blocked = !state.empty;
        let mut turns = Vec::new();
        for from in state.amazons.iter() {
            let guard = state.guards.contains(from);
            self.game.for_each_reached(blocked, from, |to| {
                let mut arrows = blocked;
                arrows.remove(from);
                arrows.insert(to);
                self.game.for_each_reached(arrows, to, |arrow| {
                    // Left open, a guard's square would let the opponent in.
                    if guard && arrow != from {
                        return;
                    }
                    let mut next = state;
                    next.amazons.remove(from);
                    next.amazons.insert(to);
                    next.guards.remove(from);
                    next.empty.insert(from);
                    next.empty.remove(to);
                    next.empty.remove(arrow);
                    let left = next.empty.count();
                    next.empty = self.shape.flood(next.amazons, next.empty);
                    let lost = left - next.empty.count();
                    if lost > waste {
                        return;
                    }
                    // 2. Dead ends first: fill where few cells are around, stand where many are.
                    let narrow = (self.shape.around(C::single(arrow)) & next.empty).count();
                    let room = (self.shape.around(C::single(to)) & next.empty).count();
                    turns.push((
                        lost * 64 + narrow * 4 + 8 - room.min(8),
                        [from, to, arrow],
                        next,
                        lost,
                    ));
                });
            });
        }
        turns.sort_unstable_by_key(|turn| (turn.0, turn.1));
        for (_, turn, next, lost) in turns {
            self.line.push(turn);
            let filled = self.go(next, waste - lost);
            self.line.pop();
            if filled != Some(false) {
                return filled;
            }
        }
        self.failed.insert((state, waste));
        Some(false)
    }
}

/// Steps spent on one region where the caller does not say.
pub const USUAL_BUDGET: u64 = 2_000;

/// The regions of a position where no empty cell can be walked to by both sides; `None` where there
/// is one.
pub fn separated<C: Board>(game: &Amazons<C>, position: &Position<C>) -> Option<Separated<C>> {
    let counter = Counter::new(game, 0);
    let field = counter.field(position);
    let reached = [0, 1].map(|side| counter.reached(&field, side));
    if reached[0].meets(reached[1]) {
        return None;
    }
    let regions =
        [0, 1].into_iter().flat_map(|side| counter.own_regions(&field, side, &reached)).collect();
    Some(Separated { regions })
}

/// How many turns each side can still make, with the usual budget for each region.
pub fn count<C: Board>(game: &Amazons<C>, position: &Position<C>) -> Count {
    Counter::new(game, USUAL_BUDGET).count(game, position)
}

/// A turn for the side to move that wastes nothing of its own cells, as far as the usual budget
/// can tell; `None` where it has none to fill.
pub fn filling_turn<C: Board>(game: &Amazons<C>, position: &Position<C>) -> Option<WholeTurn> {
    Counter::new(game, USUAL_BUDGET).filling_turn(game, position)
}
