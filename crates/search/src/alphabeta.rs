//! Alpha-beta search: iterative deepening with aspiration windows, a transposition table, move
//! ordering by tacticality, killer moves and the history heuristic, principal variation search with
//! null windows, late move reductions, and a quiescence search of tactical moves. Where the game says
//! how much a quiet turn may change the evaluation (`margin`), futility pruning and reverse futility
//! pruning apply near the horizon.
//!
//! With `quiescence`, `reductions`, `margin` and `width` off it computes exactly what minimax does;
//! the tests check that.

use std::sync::Arc;

use crate::agent::{Allowance, Budget, Stop};
use crate::minimax::{depth_after, end_value};
use crate::transposition::{Bound, Found, Table};
use crate::tree::{MOST, Outcome, PROVEN, Tree, WIN};

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Follow tactical moves beyond the horizon: the quiescence search.
    pub quiescence: bool,
    /// Late move reductions: search late quiet moves less deeply at first.
    pub reductions: bool,
    /// Use the transposition table.
    pub table: bool,
    /// Look only at this many moves of each position, the best by evaluation; 0 for all.
    pub width: usize,
    /// How much a quiet turn may change the evaluation: the margin of futility pruning and of
    /// reverse futility pruning. 0 turns both off.
    pub margin: i32,
    /// Late quiet moves are searched ln(place) · ln(depth) · `growth` turns less; with 0, one turn
    /// less from the fifth move and two from the seventeenth.
    pub growth: f32,
    /// Use the exact endgame values the game knows ([`Tree::known`]) instead of searching on.
    pub endings: bool,
    /// How many threads search together.
    pub threads: usize,
    /// How many best lines to find.
    pub lines: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            quiescence: true,
            reductions: true,
            table: true,
            width: 0,
            margin: 0,
            growth: 0.0,
            endings: true,
            threads: 1,
            lines: 1,
        }
    }
}

/// A line of play and its value for the mover of the root.
#[derive(Clone, PartialEq, Debug)]
pub struct RootLine<M> {
    /// The moves.
    pub moves: Vec<M>,
    /// The value.
    pub value: i32,
    /// How many whole turns ahead it was searched.
    pub depth: u32,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Searched<M> {
    /// The best lines, best first: at least one.
    pub lines: Vec<RootLine<M>>,
    /// Positions looked at by all threads.
    pub nodes: u64,
}

/// No search goes deeper.
pub const DEEPEST: u32 = 100;
/// The most moves in a row that the quiescence search follows.
const QUIESCENCE_PLIES: u32 = 12;
/// Half the width of the first aspiration window around the last value.
const ASPIRATION: i32 = 60;
/// Reverse futility pruning applies up to this many turns above the horizon: a position evaluated
/// above beta by the margin for each turn left is cut.
const REVERSE_FUTILITY_DEPTH: u32 = 3;
/// Futility pruning applies up to this many turns above the horizon: in a position evaluated below
/// alpha by the margin for each turn left, quiet moves are not tried.
const FUTILITY_DEPTH: u32 = 2;
/// The size of the table of late move reductions, by depth and by place in the move order.
const REDUCTIONS: usize = 64;

/// Searches `state` within the allowance.
///
/// # Panics
/// If the game is over.
pub fn search<T: Tree>(
    tree: &T,
    state: &T::State,
    settings: &Settings,
    table: &Arc<Table>,
    allowance: &Allowance,
    stop: &Stop,
) -> Searched<T::Move> {
    if settings.threads <= 1 {
        let budget = Budget::new(allowance, stop);
        let mut searcher = Searcher::new(tree, settings, table, budget);
        let lines = searcher.deepen(state, allowance.depth.unwrap_or(DEEPEST), 0);
        return Searched { lines, nodes: searcher.budget.nodes };
    }
    // Lazy SMP: every thread searches the same tree, and they share the transposition table only.
    // The first thread decides; the others end when it does.
    let share = Allowance {
        nodes: allowance.nodes.map(|nodes| nodes.div_ceil(settings.threads as u64)),
        ..*allowance
    };
    let finished = Stop::new();
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..settings.threads)
            .map(|number| {
                let (share, finished) = (&share, &finished);
                scope.spawn(move || {
                    let budget = Budget::new(share, finished);
                    let mut searcher = Searcher::new(tree, settings, table, budget);
                    searcher.is_helper = true;
                    searcher.deepen(state, share.depth.unwrap_or(DEEPEST), number as u32 % 2);
                    searcher.budget.nodes
                })
            })
            .collect();
        let budget = Budget::new(&share, stop);
        let mut searcher = Searcher::new(tree, settings, table, budget);
        let lines = searcher.deepen(state, share.depth.unwrap_or(DEEPEST), 0);
        finished.stop();
        let helped: u64 = helpers.into_iter().map(|helper| helper.join().unwrap_or(0)).sum();
        Searched { lines, nodes: searcher.budget.nodes + helped }
    })
}

/// A result that is certain, with best play up to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Proof<M> {
    /// How the game ends for the mover.
    pub outcome: Outcome,
    /// Best play: every move of the winner keeps the win, and in a draw every move keeps the draw.
    pub line: Vec<M>,
    /// Whether the line goes on to the end of the game.
    pub is_whole: bool,
}

/// What [`prove`] found, and the positions it looked at.
pub struct Proved<M> {
    /// The proof; `None` if a limit was reached first.
    pub proof: Option<Proof<M>>,
    /// Positions looked at.
    pub nodes: u64,
    /// Whether the limit was one of the allowance's, and not the [`DEEPEST`] turns.
    pub is_cut_off: bool,
}

/// Finds out how the game ends from `state` with best play, searching deeper and deeper.
///
/// # Panics
/// If the game is over.
pub fn prove<T: Tree>(
    tree: &T,
    state: &T::State,
    table: &Arc<Table>,
    allowance: &Allowance,
    stop: &Stop,
) -> Proved<T::Move> {
    let settings = Settings { quiescence: false, reductions: false, ..Settings::default() };
    let budget = Budget::new(allowance, stop);
    let mut searcher = Searcher::new(tree, &settings, table, budget);
    let proof = searcher.prove(state);
    Proved { proof, nodes: searcher.budget.nodes, is_cut_off: searcher.budget.exhausted }
}

struct Searcher<'a, T: Tree> {
    tree: &'a T,
    settings: &'a Settings,
    table: &'a Table,
    budget: Budget,
    /// Killer moves: per ply, the last two quiet moves that caused a beta cutoff there.
    killers: Vec<[u32; 2]>,
    /// History heuristic: beta cutoffs by quiet moves, weighted by depth, by player and move code.
    history: Box<[[i32; HISTORY]; 2]>,
    /// Late move reductions in turns, by depth and place.
    reductions: Box<[[u8; REDUCTIONS]; REDUCTIONS]>,
    /// Lists of moves to reuse.
    spare: Vec<Vec<(T::Move, i32)>>,
    /// The root is known to be drawn: what is left is to give the opponent chances to go wrong, so
    /// draws are searched like anything else and only wins and losses are taken as known.
    plays_on: bool,
    /// Whether it is a helper thread, which only fills the table until the first thread ends.
    is_helper: bool,
    /// Nothing is estimated: a game that goes on beyond the horizon counts as lost for this player.
    /// Whatever this player gets is certain then.
    pessimist: Option<u8>,
}

const HISTORY: usize = 1 << 12;
const NO_MOVE: u32 = u32::MAX;

/// The window of values that matter, for the mover.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

/// The position being searched, but for the position itself.
#[derive(Clone, Copy)]
struct Here {
    key: u64,
    mover: u8,
    depth: u32,
    ply: u32,
    /// Futility pruning: quiet moves cannot bring it up to alpha.
    is_futile: bool,
}

/// The table of late move reductions in turns, by depth and place.
fn reductions(settings: &Settings) -> Box<[[u8; REDUCTIONS]; REDUCTIONS]> {
    let mut less = Box::new([[0; REDUCTIONS]; REDUCTIONS]);
    if !settings.reductions {
        return less;
    }
    for (depth, row) in less.iter_mut().enumerate() {
        for (place, less) in row.iter_mut().enumerate() {
            *less = if settings.growth > 0.0 {
                // Neither the first two moves nor the last turn can be searched less.
                let logs = (depth.max(1) as f32).ln() * (place.max(1) as f32).ln();
                if place >= 2 { (logs * settings.growth) as u8 } else { 0 }
            } else if depth >= 3 {
                u8::from(place >= 4) + u8::from(place >= 16)
            } else {
                0
            };
        }
    }
    less
}

impl<'a, T: Tree> Searcher<'a, T> {
    fn new(tree: &'a T, settings: &'a Settings, table: &'a Arc<Table>, budget: Budget) -> Self {
        Searcher {
            tree,
            settings,
            table,
            budget,
            killers: vec![[NO_MOVE; 2]; 4 * DEEPEST as usize],
            history: Box::new([[0; HISTORY]; 2]),
            reductions: reductions(settings),
            spare: Vec::new(),
            plays_on: false,
            is_helper: false,
            pessimist: None,
        }
    }

    /// The outcome for the mover of `state`, with best play to the end of the game.
    fn prove(&mut self, state: &T::State) -> Option<Proof<T::Move>> {
        let (outcome, mut line, mut depth) = self.prove_from(state, 1)?;
        let first = self.tree.mover(state)?;
        let mut state = state.clone();
        let mut played = 0;
        loop {
            for mv in &line[played..] {
                self.tree.play(&mut state, *mv);
                depth = depth_after(self.tree, &state, depth).max(1);
            }
            played = line.len();
            let Some(mover) = self.tree.mover(&state) else {
                return Some(Proof { outcome, line, is_whole: true });
            };
            // The table cuts lines short: what follows is proven again, most of it from the table.
            let expected = if mover == first { outcome } else { outcome.reversed() };
            match self.prove_from(&state, depth) {
                Some((outcome, rest, deeper)) if outcome == expected => {
                    line.extend(rest);
                    depth = deeper;
                }
                _ => return Some(Proof { outcome, line, is_whole: false }),
            }
        }
    }

    /// The outcome for the mover of `state`, with some moves of best play and the depth it took.
    fn prove_from(&mut self, state: &T::State, from: u32) -> Option<(Outcome, Vec<T::Move>, u32)> {
        let mover = self.tree.mover(state)?;
        for depth in from..=DEEPEST {
            self.pessimist = Some(mover);
            let safe = self.root(state, depth, None, &[])?;
            if safe.depth < depth || self.budget.exhausted {
                return None;
            }
            match safe.value {
                value if value >= PROVEN => return Some((Outcome::Win, safe.moves, depth)),
                value if value <= -PROVEN => return Some((Outcome::Loss, safe.moves, depth)),
                value if value < 0 => continue,
                _ => {}
            }
            // The mover has at least a draw. If the opponent has one as well, it is a draw.
            self.pessimist = Some(1 - mover);
            let theirs = self.root(state, depth, None, &[])?;
            if theirs.depth < depth || self.budget.exhausted {
                return None;
            }
            if theirs.value <= 0 {
                return Some((Outcome::Draw, safe.moves, depth));
            }
        }
        None
    }

    /// What is at the horizon is worth so much to its mover.
    fn at_the_horizon(&self, state: &T::State, mover: u8) -> i32 {
        match self.pessimist {
            None => self.tree.evaluate(state),
            Some(player) if player == mover => -MOST,
            Some(_) => MOST,
        }
    }

    /// The key of a state in the table: what was found as a pessimist holds for that player only.
    #[inline]
    fn key(&self, state: &T::State) -> u64 {
        let salt = match self.pessimist {
            None => 0,
            Some(0) => 0x9e37_79b9_7f4a_7c15,
            Some(_) => 0xd6e8_feb8_6659_fd93,
        };
        self.tree.key(state) ^ salt
    }

    /// Searches deeper and deeper. Always gives at least one line, however small the budget.
    fn deepen(&mut self, state: &T::State, deepest: u32, offset: u32) -> Vec<RootLine<T::Move>> {
        let mut moves = Vec::new();
        self.tree.moves(state, &mut moves);
        let wanted = self.settings.lines.clamp(1, moves.len());
        self.plays_on = self.settings.endings && self.tree.known(state) == Some(0);
        // Before the first iteration ends there is at least a legal move.
        let mut lines = vec![RootLine { moves: vec![moves[0]], value: 0, depth: 0 }];
        for depth in 1..=deepest.min(DEEPEST) {
            let mut found: Vec<RootLine<T::Move>> = Vec::new();
            for number in 0..wanted {
                let guess = lines.get(number).map(|line| line.value).filter(|_| depth > 2);
                let taken: Vec<T::Move> = found.iter().map(|line| line.moves[0]).collect();
                let Some(line) = self.root(state, depth + offset, guess, &taken) else { break };
                found.push(line);
            }
            // An iteration that was cut off still counts for the lines it completed, if they are at
            // least as good as what was known: the best move of the last one is searched first.
            let complete = found.len() == wanted;
            if complete || (!found.is_empty() && wanted == 1) {
                lines = found;
            }
            if !complete || self.budget.exhausted {
                break;
            }
            lines.sort_by_key(|line| -line.value);
            // The next iteration costs several times this one: it would not come to its end. A helper
            // has something to give even then.
            let late = !self.is_helper && self.budget.time_used() > 0.5;
            let decided = lines[0].value.abs() >= PROVEN && wanted == 1;
            if late || decided || (moves.len() == 1 && depth >= 4) {
                break;
            }
        }
        lines
    }

    /// One iteration at the root. `None` if the budget ran out before any move was finished.
    fn root(
        &mut self,
        state: &T::State,
        depth: u32,
        guess: Option<i32>,
        taken: &[T::Move],
    ) -> Option<RootLine<T::Move>> {
        let mut margin = ASPIRATION;
        let mut window = match guess {
            Some(value) if value.abs() < PROVEN => {
                Window { alpha: value - margin, beta: value + margin }
            }
            _ => Window { alpha: -WIN, beta: WIN },
        };
        loop {
            let mut line = Vec::new();
            let value = self.root_once(state, depth, window, taken, &mut line);
            let Some(value) = value else {
                // Cut off: what has been found counts only if it raised the window's floor. Its value
                // is what the last iteration knew: of this one nothing is certain.
                return (!line.is_empty()).then_some(RootLine {
                    moves: line,
                    value: guess.filter(|value| value.abs() < PROVEN).unwrap_or(0),
                    depth: depth - 1,
                });
            };
            if value <= window.alpha && window.alpha > -WIN {
                window.alpha = if margin > 500 { -WIN } else { value - margin };
            } else if value >= window.beta && window.beta < WIN {
                window.beta = if margin > 500 { WIN } else { value + margin };
            } else {
                return Some(RootLine { moves: line, value, depth });
            }
            margin *= 4;
        }
    }

    fn root_once(
        &mut self,
        state: &T::State,
        depth: u32,
        window: Window,
        taken: &[T::Move],
        line: &mut Vec<T::Move>,
    ) -> Option<i32> {
        let mover = self.tree.mover(state).expect("searched while the game goes on");
        let key = self.key(state);
        let hinted = self.find(key).map_or(NO_MOVE, |found| found.best);
        let mut moves = self.ordered(state, mover, depth, 0, hinted);
        moves.retain(|(mv, _)| !taken.contains(mv));
        let here = Here { key, mover, depth, ply: 0, is_futile: false };
        let value = self.try_moves(state, here, window, &mut moves, line);
        self.spare.push(moves);
        value
    }

    /// The value of `state` for its mover. `None` once the budget is used up.
    fn node(
        &mut self,
        state: &T::State,
        depth: u32,
        mut window: Window,
        ply: u32,
        line: &mut Vec<T::Move>,
    ) -> Option<i32> {
        line.clear();
        let mover = self.tree.mover(state).expect("searched while the game goes on");

        // Step 1. What is known needs no search; then the horizon.
        if let Some(value) = self.known(state, ply) {
            return self.budget.spend(512).then_some(value);
        }
        if depth == 0 || ply >= 4 * DEEPEST - 1 {
            return if self.settings.quiescence {
                self.quiescence(state, window, ply, QUIESCENCE_PLIES)
            } else {
                self.budget.spend(512).then(|| self.at_the_horizon(state, mover))
            };
        }
        if !self.budget.spend(512) {
            return None;
        }

        // Step 2. The transposition table: a deep enough entry cuts, but only in a null window, so
        // that the principal variation stays whole.
        let key = self.key(state);
        let found = self.find(key);
        if let Some(found) = found
            && u32::from(found.depth) >= depth
            && window.beta - window.alpha == 1
        {
            let value = from_table(found.value, ply);
            let cuts = match found.bound {
                Bound::Exact => true,
                Bound::Lower => value >= window.beta,
                Bound::Upper => value <= window.alpha,
            };
            if cuts {
                return Some(value);
            }
        }

        // Step 3. Mate distance pruning: a sooner win found elsewhere cannot be improved here.
        window.beta = window.beta.min(WIN - ply as i32 - 1);
        if window.alpha >= window.beta {
            return Some(window.beta);
        }

        // Step 4. Near the horizon, if the evaluation is far from the null window: reverse futility
        // pruning above it, futility pruning (quiet moves are not tried) below it.
        let mut is_futile = false;
        if self.settings.margin > 0
            && depth <= REVERSE_FUTILITY_DEPTH
            && window.beta - window.alpha == 1
            && window.beta.abs().max(window.alpha.abs()) < PROVEN
        {
            let evaluation = self.tree.evaluate(state);
            let margin = self.settings.margin * depth as i32;
            if evaluation - margin >= window.beta {
                return Some(evaluation);
            }
            is_futile = depth <= FUTILITY_DEPTH && evaluation + margin <= window.alpha;
        }

        // Step 5. Move ordering.
        let hinted = found.map_or(NO_MOVE, |found| found.best);
        let mut moves = self.ordered(state, mover, depth, ply, hinted);
        let here = Here { key, mover, depth, ply, is_futile };
        let value = self.try_moves(state, here, window, &mut moves, line);
        self.spare.push(moves);
        value
    }

    fn find(&self, key: u64) -> Option<Found> {
        self.settings.table.then(|| self.table.find(key)).flatten()
    }

    /// What the game knows of a position to its end, wins counted from the root.
    #[inline]
    fn known(&self, state: &T::State, ply: u32) -> Option<i32> {
        if !self.settings.endings {
            return None;
        }
        let value = self.tree.known(state)?;
        (value != 0 || !self.plays_on).then(|| from_table(value, ply))
    }

    /// Searches the moves in order and notes the outcome in the table.
    fn try_moves(
        &mut self,
        state: &T::State,
        here: Here,
        window: Window,
        moves: &mut [(T::Move, i32)],
        line: &mut Vec<T::Move>,
    ) -> Option<i32> {
        let Here { key, mover, depth, ply, is_futile } = here;
        let Window { mut alpha, beta } = window;
        let mut best = -WIN;
        let mut best_move = NO_MOVE;
        let mut below = Vec::new();
        // A null window needs no principal variation, and keeping one costs an allocation.
        let wants_line = ply == 0 || beta - alpha > 1;
        for index in 0..moves.len() {
            // Step 6. Selection sort, one move at a time: sorting all of them is wasted after a cutoff.
            bring_best_forward(&mut moves[index..]);
            let (mv, rank) = moves[index];
            if is_futile && index > 0 && rank < KILLER_RANK {
                // Futility pruning: the moves that follow are quiet as well.
                best = best.max(alpha);
                break;
            }
            let mut next = state.clone();
            self.tree.play(&mut next, mv);
            below.clear();

            let value = match self.tree.mover(&next) {
                None => {
                    self.budget.spend(512);
                    end_value(self.tree, &next, mover, ply + 1)
                }
                Some(other) => {
                    let same = other == mover;
                    let full = depth_after(self.tree, &next, depth);
                    // Step 7. Late move reductions, for quiet moves only.
                    let less = if full < depth && rank < KILLER_RANK {
                        let most = REDUCTIONS - 1;
                        u32::from(self.reductions[most.min(depth as usize)][most.min(index)])
                    } else {
                        0
                    };
                    let reduced = full.saturating_sub(less);
                    if index == 0 {
                        self.child(&next, same, full, Window { alpha, beta }, ply, &mut below)?
                    } else {
                        // Step 8. Principal variation search: all moves but the first are expected
                        // to fail low in a null window; those that do not are searched again.
                        let null = Window { alpha, beta: alpha + 1 };
                        let mut value = self.child(&next, same, reduced, null, ply, &mut below)?;
                        if value > alpha && reduced < full {
                            value = self.child(&next, same, full, null, ply, &mut below)?;
                        }
                        if value > alpha && value < beta {
                            let rest = Window { alpha, beta };
                            value = self.child(&next, same, full, rest, ply, &mut below)?;
                        }
                        value
                    }
                }
            };
            if value > best {
                best = value;
                if value > alpha || best_move == NO_MOVE {
                    best_move = self.tree.code(mv);
                }
                if value > alpha {
                    alpha = value;
                    if wants_line {
                        line.clear();
                        line.push(mv);
                        line.append(&mut below);
                    }
                }
            }
            // Step 9. Beta cutoff.
            if alpha >= beta {
                if rank < TACTICAL_RANK {
                    self.remember(mover, self.tree.code(mv), depth, ply);
                }
                break;
            }
        }
        if self.settings.table {
            let bound = if best >= beta {
                Bound::Lower
            } else if best > window.alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let found = Found {
                value: to_table(best, ply),
                bound,
                depth: depth.min(255) as u8,
                best: best_move & 0x3fff_ffff,
            };
            self.table.store(key, found);
        }
        Some(best)
    }

    /// The value of a position after a move, for the player who moved.
    fn child(
        &mut self,
        next: &T::State,
        same_mover: bool,
        depth: u32,
        window: Window,
        ply: u32,
        line: &mut Vec<T::Move>,
    ) -> Option<i32> {
        if same_mover {
            self.node(next, depth, window, ply + 1, line)
        } else {
            let mirrored = Window { alpha: -window.beta, beta: -window.alpha };
            self.node(next, depth, mirrored, ply + 1, line).map(|value| -value)
        }
    }

    /// Quiescence search: only tactical moves are followed, and the mover may always stand pat.
    fn quiescence(&mut self, state: &T::State, window: Window, ply: u32, left: u32) -> Option<i32> {
        if !self.budget.spend(512) {
            return None;
        }
        let Window { mut alpha, beta } = window;
        if let Some(value) = self.known(state, ply) {
            return Some(value);
        }
        let mut best = self.tree.evaluate(state);
        if best >= beta || left == 0 {
            return Some(best);
        }
        alpha = alpha.max(best);
        let mover = self.tree.mover(state).expect("searched while the game goes on");
        let mut moves = self.spare.pop().unwrap_or_default();
        moves.clear();
        self.tree.tactical_moves(state, &mut moves);
        for index in 0..moves.len() {
            bring_best_forward(&mut moves[index..]);
            let mut next = state.clone();
            self.tree.play(&mut next, moves[index].0);
            let value = match self.tree.mover(&next) {
                None => end_value(self.tree, &next, mover, ply + 1),
                Some(other) if other == mover => {
                    self.quiescence(&next, Window { alpha, beta }, ply + 1, left - 1)?
                }
                Some(_) => {
                    let mirrored = Window { alpha: -beta, beta: -alpha };
                    -self.quiescence(&next, mirrored, ply + 1, left - 1)?
                }
            };
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.spare.push(moves);
        Some(best)
    }

    /// The moves with a rank each; the higher, the sooner they are tried.
    fn ordered(
        &mut self,
        state: &T::State,
        mover: u8,
        depth: u32,
        ply: u32,
        hinted: u32,
    ) -> Vec<(T::Move, i32)> {
        let mut moves = self.spare.pop().unwrap_or_default();
        moves.clear();
        if self.settings.width > 0 || self.tree.is_worth_ranking(depth) {
            let most = if self.settings.width > 0 { self.settings.width } else { usize::MAX };
            let best = self.tree.best_moves(state, most);
            // Values as ranks: below the hinted move, above nothing.
            moves.extend(best.into_iter().map(|(mv, value)| {
                let hint = if self.tree.code(mv) == hinted { HINT_RANK } else { 0 };
                (mv, value.clamp(-WIN, WIN) + hint)
            }));
            return moves;
        }
        self.tree.ranked(state, &mut moves);
        let killers = self.killers[ply as usize];
        let history = &self.history[usize::from(mover)];
        for (mv, rank) in &mut moves {
            let code = self.tree.code(*mv);
            *rank = if code == hinted {
                HINT_RANK
            } else {
                match *rank {
                    tacticality if tacticality > 0 => {
                        TACTICAL_RANK + tacticality.min(TACTICAL_RANK / 2)
                    }
                    tacticality if tacticality < 0 => tacticality.max(-TACTICAL_RANK),
                    _ if code == killers[0] => KILLER_RANK + 1,
                    _ if code == killers[1] => KILLER_RANK,
                    _ => history[code as usize % HISTORY],
                }
            };
        }
        moves
    }

    /// Notes a quiet move that caused a beta cutoff, as a killer move and in the history.
    fn remember(&mut self, mover: u8, code: u32, depth: u32, ply: u32) {
        let killers = &mut self.killers[ply as usize];
        if killers[0] != code {
            *killers = [code, killers[0]];
        }
        let counts = &mut self.history[usize::from(mover)];
        let count = &mut counts[code as usize % HISTORY];
        *count += (depth * depth) as i32;
        if *count >= KILLER_RANK {
            counts.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

const HINT_RANK: i32 = 1 << 24;
const TACTICAL_RANK: i32 = 1 << 20;
const KILLER_RANK: i32 = 1 << 18;

fn bring_best_forward<M>(moves: &mut [(M, i32)]) {
    let mut best = 0;
    for index in 1..moves.len() {
        if moves[index].1 > moves[best].1 {
            best = index;
        }
    }
    moves.swap(0, best);
}

/// In the table a win is counted from the position, in the search from the root.
fn to_table(value: i32, ply: u32) -> i32 {
    match value {
        value if value >= PROVEN => value + ply as i32,
        value if value <= -PROVEN => value - ply as i32,
        value => value,
    }
}

fn from_table(value: i32, ply: u32) -> i32 {
    match value {
        value if value >= PROVEN => value - ply as i32,
        value if value <= -PROVEN => value + ply as i32,
        value => value,
    }
}
