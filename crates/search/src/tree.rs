//! What a search walks: a game as it looks to a two-player search.
//!
//! A [`Tree`] is the game with what the search needs to know beyond the rules: the evaluation of a
//! position, which moves are tactical, which to try first. A move of the tree may be one action
//! ([`Steps`], for any game) or a whole turn (Amazons): the searches do not care.

use std::fmt::Debug;

use skirmish_rules::game::hash_of;
use skirmish_rules::{Game, Rules, Seat, Turn};

/// A won game is worth this much, less one for every move it takes to get there.
pub const WIN: i32 = 1_000_000;
/// Values beyond this are wins or losses that have been seen to the end.
pub const PROVEN: i32 = WIN - 10_000;
/// No evaluation of a position goes beyond this.
pub const MOST: i32 = 100_000;

/// How a finished game ended for one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Won.
    Win,
    /// Neither.
    Draw,
    /// Lost.
    Loss,
}

impl Outcome {
    /// The same for the other player.
    #[must_use]
    pub fn reversed(self) -> Outcome {
        match self {
            Outcome::Win => Outcome::Loss,
            Outcome::Draw => Outcome::Draw,
            Outcome::Loss => Outcome::Win,
        }
    }
}

/// A two-player game as a search sees it. Players are 0 and 1.
pub trait Tree: Clone + Send + Sync {
    /// One moment of the game.
    type State: Clone + Send + Sync;
    /// One move.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Whose move it is; `None` when the game is over.
    fn mover(&self, state: &Self::State) -> Option<u8>;
    /// How the game ended for `player`; asked only when it is over.
    fn outcome(&self, state: &Self::State, player: u8) -> Outcome;
    /// Appends every move, in a stable order.
    fn moves(&self, state: &Self::State, out: &mut Vec<Self::Move>);
    /// Plays a move.
    fn play(&self, state: &mut Self::State, mv: Self::Move);
    /// A guess at what the state is worth to its mover, within ±[`MOST`]. A square, a piece or
    /// whatever the game is about is worth about 100.
    fn evaluate(&self, state: &Self::State) -> i32;
    /// A hash that equal states share.
    fn key(&self, state: &Self::State) -> u64;
    /// The move as a number below 2³⁰, for the order in which moves are tried: a clash costs a bad
    /// first move to try, never a wrong result.
    fn code(&self, mv: Self::Move) -> u32;

    /// How tactical a move is: 0 for a quiet move, more for captures. Tactical moves are tried first,
    /// and followed by the quiescence search.
    fn tacticality(&self, state: &Self::State, mv: Self::Move) -> i32 {
        let _ = (state, mv);
        0
    }
    /// Appends every move with its tacticality, in a stable order.
    fn ranked(&self, state: &Self::State, out: &mut Vec<(Self::Move, i32)>) {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        out.extend(moves.into_iter().map(|mv| (mv, self.tacticality(state, mv))));
    }
    /// Appends the moves with a tacticality above 0, each with it, in a stable order.
    fn tactical_moves(&self, state: &Self::State, out: &mut Vec<(Self::Move, i32)>) {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        let ranked = moves.into_iter().map(|mv| (mv, self.tacticality(state, mv)));
        out.extend(ranked.filter(|(_, tacticality)| *tacticality > 0));
    }
    /// What the state is worth to its mover for certain, where that has been worked out beforehand:
    /// 0 for a draw, [`WIN`] less the moves to the end for a win, and the reverse for a loss.
    fn known(&self, state: &Self::State) -> Option<i32> {
        let _ = state;
        None
    }
    /// Whether a whole turn has been completed in `state` (depth counts whole turns).
    fn is_between_turns(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }
    /// Whether moves `depth` turns above the horizon are worth ranking by [`Tree::best_moves`]
    /// instead of by what refuted something elsewhere.
    fn is_worth_ranking(&self, depth: u32) -> bool {
        let _ = depth;
        false
    }
    /// Turns a difference in value into a chance to win between -1 and 1.
    fn squash(&self, value: i32) -> f32 {
        squash(value, 300.0)
    }
    /// How alpha-beta does best here, by our matches.
    fn alphabeta_settings(&self) -> crate::alphabeta::Settings {
        crate::alphabeta::Settings::default()
    }
    /// How Monte Carlo tree search does best here, by our matches.
    fn mcts_settings(&self) -> crate::mcts::Settings {
        crate::mcts::Settings::default()
    }
    /// Moves sorted by what they look worth to the mover, best first, the rest dropped; for searches
    /// that cannot afford all of them. Values are for the mover.
    fn best_moves(&self, state: &Self::State, most: usize) -> Vec<(Self::Move, i32)> {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        let mover = self.mover(state);
        let mut valued: Vec<(Self::Move, i32)> = moves
            .into_iter()
            .map(|mv| {
                let mut next = state.clone();
                self.play(&mut next, mv);
                (mv, self.value_for(&next, mover.unwrap_or(0)))
            })
            .collect();
        valued.sort_by_key(|(_, value)| -value);
        valued.truncate(most);
        valued
    }

    /// Like [`Tree::best_moves`], where the game has a cheaper way that is likely to find the best
    /// ones; and whether any may be missing.
    fn likely_moves(&self, state: &Self::State, most: usize) -> (Vec<(Self::Move, i32)>, bool) {
        let moves = self.best_moves(state, most);
        let is_partial = moves.len() >= most;
        (moves, is_partial)
    }

    /// The value of the state for `player`: exact if the game is over, else the evaluation.
    fn value_for(&self, state: &Self::State, player: u8) -> i32 {
        match self.mover(state) {
            Some(mover) if mover == player => self.evaluate(state),
            Some(_) => -self.evaluate(state),
            None => match self.outcome(state, player) {
                Outcome::Win => WIN,
                Outcome::Draw => 0,
                Outcome::Loss => -WIN,
            },
        }
    }
}

/// A value between -1 and 1: `scale` is worth about three quarters of a win.
pub fn squash(value: i32, scale: f32) -> f32 {
    if value.abs() >= PROVEN {
        return value.signum() as f32;
    }
    (value as f32 / scale).tanh() * 0.98
}

/// How the moves of a tree map to the actions of its game.
pub trait MoveMapping<G: Rules>: Tree {
    /// The state of a position.
    fn state(&self, position: &G::Position) -> Self::State;
    /// The actions of a move.
    fn actions(&self, mv: Self::Move, out: &mut Vec<G::Action>);
}

/// A static evaluation and what else a game knows beyond its rules, for [`Steps`].
pub trait Evaluator<G: Rules>: Clone + Send + Sync {
    /// A guess at what the position is worth to its mover; see [`Tree::evaluate`].
    fn evaluate(&self, game: &G, position: &G::Position) -> i32;
    /// See [`Tree::tacticality`].
    fn tacticality(&self, game: &G, position: &G::Position, action: G::Action) -> i32;
    /// The action as a number; see [`Tree::code`].
    fn code(&self, action: G::Action) -> u32;
    /// Three quarters of a win, in the units of [`Evaluator::evaluate`].
    fn scale(&self) -> f32 {
        300.0
    }
    /// A hash that equal positions share, where the game can be faster than [`Rules::key`].
    fn key(&self, game: &G, position: &G::Position) -> u64 {
        game.key(position)
    }
    /// See [`Tree::ranked`].
    fn ranked(&self, game: &G, position: &G::Position, out: &mut Vec<(G::Action, i32)>) {
        let mut actions = Vec::new();
        game.actions(position, &mut actions);
        out.extend(
            actions.into_iter().map(|action| (action, self.tacticality(game, position, action))),
        );
    }
    /// See [`Tree::tactical_moves`].
    fn tactical_moves(&self, game: &G, position: &G::Position, out: &mut Vec<(G::Action, i32)>) {
        let first = out.len();
        self.ranked(game, position, out);
        let mut place = 0;
        out.retain(|(_, tacticality)| {
            place += 1;
            place <= first || *tacticality > 0
        });
    }
    /// See [`Tree::known`].
    fn known(&self, game: &G, position: &G::Position) -> Option<i32> {
        let _ = (game, position);
        None
    }
    /// See [`Tree::alphabeta_settings`].
    fn alphabeta_settings(&self) -> crate::alphabeta::Settings {
        crate::alphabeta::Settings::default()
    }
    /// See [`Tree::mcts_settings`].
    fn mcts_settings(&self) -> crate::mcts::Settings {
        crate::mcts::Settings::default()
    }
}

/// Any two-player game, one action a move.
#[derive(Clone, Debug)]
pub struct Steps<G, J> {
    game: G,
    evaluator: J,
}

impl<G: Game, J: Evaluator<G>> Steps<G, J> {
    /// The game with an evaluator of its positions.
    pub fn new(game: G, evaluator: J) -> Steps<G, J> {
        Steps { game, evaluator }
    }
}

impl<G: Game, J: Evaluator<G>> Tree for Steps<G, J> {
    type State = G::Position;
    type Move = G::Action;

    #[inline]
    fn mover(&self, state: &G::Position) -> Option<u8> {
        match self.game.turn(state) {
            Turn::Player(seat) => Some(seat.0 as u8),
            Turn::Chance { .. } => {
                unreachable!("the roster offers searches to games of skill only")
            }
            Turn::Over => None,
        }
    }

    fn outcome(&self, state: &G::Position, player: u8) -> Outcome {
        match self.game.payoff(state, Seat(u16::from(player))) {
            payoff if payoff > 0.0 => Outcome::Win,
            payoff if payoff < 0.0 => Outcome::Loss,
            _ => Outcome::Draw,
        }
    }

    #[inline]
    fn moves(&self, state: &G::Position, out: &mut Vec<G::Action>) {
        self.game.actions(state, out);
    }

    #[inline]
    fn play(&self, state: &mut G::Position, mv: G::Action) {
        self.game.play(state, mv);
    }

    #[inline]
    fn evaluate(&self, state: &G::Position) -> i32 {
        self.evaluator.evaluate(&self.game, state).clamp(-MOST, MOST)
    }

    #[inline]
    fn key(&self, state: &G::Position) -> u64 {
        self.evaluator.key(&self.game, state)
    }

    #[inline]
    fn code(&self, mv: G::Action) -> u32 {
        self.evaluator.code(mv)
    }

    #[inline]
    fn tacticality(&self, state: &G::Position, mv: G::Action) -> i32 {
        self.evaluator.tacticality(&self.game, state, mv)
    }

    #[inline]
    fn ranked(&self, state: &G::Position, out: &mut Vec<(G::Action, i32)>) {
        self.evaluator.ranked(&self.game, state, out);
    }

    #[inline]
    fn tactical_moves(&self, state: &G::Position, out: &mut Vec<(G::Action, i32)>) {
        self.evaluator.tactical_moves(&self.game, state, out);
    }

    #[inline]
    fn known(&self, state: &G::Position) -> Option<i32> {
        self.evaluator.known(&self.game, state)
    }

    fn alphabeta_settings(&self) -> crate::alphabeta::Settings {
        self.evaluator.alphabeta_settings()
    }

    fn mcts_settings(&self) -> crate::mcts::Settings {
        self.evaluator.mcts_settings()
    }

    fn is_between_turns(&self, state: &G::Position) -> bool {
        !self.game.mid_turn(state)
    }

    fn squash(&self, value: i32) -> f32 {
        squash(value, self.evaluator.scale())
    }
}

impl<G: Game, J: Evaluator<G>> MoveMapping<G> for Steps<G, J> {
    fn state(&self, position: &G::Position) -> G::Position {
        position.clone()
    }

    fn actions(&self, mv: G::Action, out: &mut Vec<G::Action>) {
        out.push(mv);
    }
}

/// What the game itself says ([`skirmish_rules::Heuristics`]): for games that this crate knows
/// nothing about.
#[derive(Clone, Copy, Debug)]
pub struct OwnHeuristics {
    has_estimate: bool,
}

impl OwnHeuristics {
    /// Those of a game with this start.
    pub fn new<G: Game>(game: &G, start: &G::Position) -> OwnHeuristics {
        OwnHeuristics { has_estimate: game.estimate(start, Seat(0)).is_some() }
    }

    /// Whether the game has a rule of thumb. Searches see wins, draws and losses only where not.
    pub fn has_estimate(self) -> bool {
        self.has_estimate
    }
}

/// An estimate of three quarters of a win, in the units of [`Tree::evaluate`]: fine enough to tell
/// estimates apart by a thousandth.
const ESTIMATE_SCALE: f32 = 1_000.0;

impl<G: Game> Evaluator<G> for OwnHeuristics {
    fn evaluate(&self, game: &G, position: &G::Position) -> i32 {
        if !self.has_estimate {
            return 0;
        }
        let Turn::Player(seat) = game.turn(position) else { return 0 };
        // The reverse of `squash`, so that what agents tell is what the game said.
        let estimate = game.estimate(position, seat).unwrap_or(0.0);
        ((estimate / 0.98).clamp(-0.999, 0.999).atanh() * ESTIMATE_SCALE) as i32
    }

    fn tacticality(&self, game: &G, position: &G::Position, action: G::Action) -> i32 {
        i32::from(game.is_tactical(position, action))
    }

    fn code(&self, action: G::Action) -> u32 {
        (hash_of(&action) >> 34) as u32
    }

    fn scale(&self) -> f32 {
        ESTIMATE_SCALE
    }

    fn mcts_settings(&self) -> crate::mcts::Settings {
        let usual = crate::mcts::Settings::default();
        if self.has_estimate {
            return usual;
        }
        // Without an estimate all moves look alike: none is put off, and random games to the end
        // tell what a position is worth.
        crate::mcts::Settings {
            leaf: crate::mcts::Leaf::Playout,
            plies: 2_000,
            exploration: 1.0,
            widening: 1e6,
            ..usual
        }
    }
}

/// A tree written down: `(WIN (3 -2))`, for testing searches exactly.
///
/// A leaf is a number (what it looks worth to the player who moves there), or `W`, `D`, `L`: over,
/// won, drawn or lost for the first player. A node is its children in parentheses, the players
/// taking turns; `=( … )` is a node where the same player moves again.
#[cfg(test)]
pub(crate) mod written {
    use super::{Outcome, Tree};

    #[derive(Clone, Debug)]
    pub(crate) enum Node {
        Over(Outcome),
        Guess(i32),
        Inner { again: bool, children: Vec<usize> },
    }

    #[derive(Clone, Debug)]
    pub(crate) struct Written {
        pub(crate) nodes: Vec<Node>,
    }

    /// Which node, and who moves there.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct At {
        node: usize,
        mover: u8,
    }

    impl Written {
        pub(crate) fn read(text: &str) -> (Written, At) {
            let spaced = text.replace("=(", " =( ").replace('(', " ( ").replace("= (", "=(");
            let spaced = spaced.replace(')', " ) ");
            let mut words = spaced.split_whitespace();
            let mut tree = Written { nodes: vec![] };
            let first = words.next().expect("a tree is not empty");
            let root = tree.read_node(first, &mut words);
            (tree, At { node: root, mover: 0 })
        }

        fn read_node<'a>(
            &mut self,
            word: &'a str,
            words: &mut impl Iterator<Item = &'a str>,
        ) -> usize {
            let node = match word {
                "W" => Node::Over(Outcome::Win),
                "D" => Node::Over(Outcome::Draw),
                "L" => Node::Over(Outcome::Loss),
                "(" | "=(" => {
                    let mut children = Vec::new();
                    loop {
                        match words.next().expect("a node is closed") {
                            ")" => break,
                            child => children.push(self.read_node(child, words)),
                        }
                    }
                    Node::Inner { again: word == "=(", children }
                }
                number => Node::Guess(number.parse().expect("a leaf is a number")),
            };
            self.nodes.push(node);
            self.nodes.len() - 1
        }
    }

    impl Tree for Written {
        type State = At;
        type Move = usize;

        fn mover(&self, state: &At) -> Option<u8> {
            match self.nodes[state.node] {
                Node::Over(_) => None,
                _ => Some(state.mover),
            }
        }
        fn outcome(&self, state: &At, player: u8) -> Outcome {
            match (&self.nodes[state.node], player) {
                (Node::Over(outcome), 0) => *outcome,
                (Node::Over(outcome), _) => outcome.reversed(),
                _ => unreachable!("asked only at the end"),
            }
        }
        fn moves(&self, state: &At, out: &mut Vec<usize>) {
            match &self.nodes[state.node] {
                Node::Inner { children, .. } => out.extend(0..children.len()),
                // A guess is a leaf for as long as the search does not look beyond it.
                _ => out.push(0),
            }
        }
        fn play(&self, state: &mut At, mv: usize) {
            let Node::Inner { again, children } = &self.nodes[state.node] else { return };
            let again = *again;
            state.node = children[mv];
            state.mover ^= u8::from(!again);
        }
        fn evaluate(&self, state: &At) -> i32 {
            match self.nodes[state.node] {
                Node::Guess(value) => value,
                _ => 0,
            }
        }
        fn key(&self, state: &At) -> u64 {
            (state.node as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }
        fn code(&self, mv: usize) -> u32 {
            mv as u32
        }
    }
}
