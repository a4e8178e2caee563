//! Plain minimax: the truth that faster searches are held against, and the `negamax` agent.

use crate::agent::Budget;
use crate::tree::{Outcome, Tree, WIN};

/// What a finished game is worth to `player` after `ply` moves: sooner wins are worth more.
#[inline]
pub(crate) fn end_value<T: Tree>(tree: &T, state: &T::State, player: u8, ply: u32) -> i32 {
    match tree.outcome(state, player) {
        Outcome::Win => WIN - ply as i32,
        Outcome::Draw => 0,
        Outcome::Loss => ply as i32 - WIN,
    }
}

/// The depth left after a move: it counts whole turns.
#[inline]
pub(crate) fn depth_after<T: Tree>(tree: &T, next: &T::State, depth: u32) -> u32 {
    if tree.is_between_turns(next) { depth - 1 } else { depth }
}

/// The value of `state` for its mover, `depth` whole turns ahead, by looking at everything.
///
/// # Panics
/// If the game is over.
pub fn minimax<T: Tree>(tree: &T, state: &T::State, depth: u32, ply: u32) -> i32 {
    let mover = tree.mover(state).expect("minimax is asked while the game goes on");
    if depth == 0 {
        return tree.evaluate(state);
    }
    let mut moves = Vec::new();
    tree.moves(state, &mut moves);
    let value = |mv| {
        let mut next = state.clone();
        tree.play(&mut next, mv);
        match tree.mover(&next) {
            None => end_value(tree, &next, mover, ply + 1),
            Some(other) => {
                let value = minimax(tree, &next, depth_after(tree, &next, depth), ply + 1);
                if other == mover { value } else { -value }
            }
        }
    };
    moves.into_iter().map(value).max().expect("a player to move has a move")
}

/// Minimax with nothing but the cut that cannot change its result. Within the window the value is
/// exact. `None` when the budget runs out.
pub(crate) fn negamax<T: Tree>(
    tree: &T,
    state: &T::State,
    depth: u32,
    mut alpha: i32,
    beta: i32,
    ply: u32,
    budget: &mut Budget,
) -> Option<i32> {
    if !budget.spend(256) {
        return None;
    }
    let mover = tree.mover(state).expect("asked while the game goes on");
    if depth == 0 {
        return Some(tree.evaluate(state));
    }
    let mut moves = Vec::new();
    tree.moves(state, &mut moves);
    let mut best = -WIN;
    for mv in moves {
        let mut next = state.clone();
        tree.play(&mut next, mv);
        let value = match tree.mover(&next) {
            None => end_value(tree, &next, mover, ply + 1),
            Some(other) => {
                let depth = depth_after(tree, &next, depth);
                if other == mover {
                    negamax(tree, &next, depth, alpha, beta, ply + 1, budget)?
                } else {
                    -negamax(tree, &next, depth, -beta, -alpha, ply + 1, budget)?
                }
            }
        };
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    Some(best)
}
