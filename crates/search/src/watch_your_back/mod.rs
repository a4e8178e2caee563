//! What Watch Your Back! knows beyond its rules: the evaluation of positions while placing, while
//! moving and as a shrink comes near, and the `mirror` agent.

pub mod endings;

use skirmish_rules::Rules;
use skirmish_rules::games::watch_your_back::{
    Action, Kind, Phase, Position, SHRINK_TURNS, WatchYourBack,
};

use crate::agent::{Agent, Allowance, Stop, Thought};
use crate::alphabeta;
use crate::tree::{Evaluator, Tree, WIN};
use endings::Fate;

/// Evaluates positions of Watch Your Back!
#[derive(Clone, Copy, Debug)]
pub struct WatchYourBackEvaluator;

/// A piece, to those who need a round number: what a capture is worth trying for.
const PIECE: i32 = 100;

/// What to look at in a position, and what it is worth. A hundred is one unit of log-odds.
///
struct Weights {
    /// A piece, wherever it stands.
    piece: i32,
    /// More for a piece off the rim.
    off_rim: i32,
    /// More for a piece on a corner of the smallest board, which goes with the second shrink.
    last_corner: i32,
    /// More for a piece on one of the eight edge squares of the smallest board.
    last_edge: i32,
    /// More for a piece on one of the four squares in the middle.
    middle: i32,
    /// Ten times the difference in pieces over their sum and two.
    share: i32,
    /// An enemy piece that the mover can take at once.
    prey: i32,
    /// A piece of the mover's that the enemy could take at once if it had the turn.
    in_danger: i32,
    /// A piece flanked on one side, and nothing yet on the other.
    half_flanked: i32,
    /// Two pieces of one side next to each other.
    pair: i32,
    /// A square to go to.
    reach: i32,
    /// To be the one to move.
    tempo: i32,
}

/// Fitted by logistic regression to 490,000 positions of 2,400 games of alpha-beta against itself at
/// 4,000 nodes a turn, 2 to 11 random placements first and one move in sixty random; small weights
/// of either sign set to 0. A first fit, to games of an evaluation that counted pieces and rings of
/// squares, beat that one with 86 % of 40 games, and this second fit the first with 56 % of 100, at
/// 10,000 nodes. What both say: hold the middle. Most games are blockades until the second shrink,
/// and then only what stands on the twelve squares left counts.
const STAGES: [Weights; 3] = [
    // Placing.
    Weights {
        piece: 42,
        off_rim: 10,
        last_corner: 17,
        last_edge: 33,
        middle: 63,
        share: 0,
        prey: 36,
        in_danger: 16,
        half_flanked: 7,
        pair: -11,
        reach: 2,
        tempo: 31,
    },
    // Moving on the whole board.
    Weights {
        piece: -68,
        off_rim: 8,
        last_corner: 32,
        last_edge: 41,
        middle: 49,
        share: 238,
        prey: 6,
        in_danger: 4,
        half_flanked: 0,
        pair: 0,
        reach: 6,
        tempo: 0,
    },
    // Moving on the smaller boards.
    Weights {
        piece: -50,
        off_rim: 0,
        last_corner: 55,
        last_edge: 69,
        middle: 96,
        share: 229,
        prey: 8,
        in_danger: 6,
        half_flanked: 12,
        pair: -27,
        reach: 5,
        tempo: 3,
    },
];
/// From this many turns before a shrink, pieces that would be lost to it count less and less.
const SHADOW: i32 = 32;
/// What a piece has lost of its worth when the shrink takes it on the very next turn. Fitted with the
/// rest: 45 before the first shrink, 57 before the second.
const DOOMED: i32 = 52;

const OFF_RIM: u64 = 0x007e_7e7e_7e7e_7e00;
const LAST_CORNERS: u64 = 1 << 18 | 1 << 21 | 1 << 42 | 1 << 45;
const LAST_EDGES: u64 = 0x0000_1824_2418_0000;
const MIDDLE: u64 = 0x0000_0018_1800_0000;

/// Squares lost to each shrink: the rim and the new corners.
const LOST: [u64; 2] =
    [!OFF_RIM | 1 << 9 | 1 << 14 | 1 << 49 | 1 << 54, !0x0000_3c3c_3c3c_0000 | LAST_CORNERS];

/// How much a quiet turn may change the evaluation: the margin of futility pruning.
const MARGIN: i32 = 110;

impl Evaluator<WatchYourBack> for WatchYourBackEvaluator {
    fn evaluate(&self, _: &WatchYourBack, position: &Position) -> i32 {
        evaluate(position)
    }

    fn tacticality(&self, _: &WatchYourBack, position: &Position, action: Action) -> i32 {
        gain(position, action)
    }

    fn code(&self, action: Action) -> u32 {
        u32::from(action.code())
    }

    fn key(&self, _: &WatchYourBack, position: &Position) -> u64 {
        key(position)
    }

    fn ranked(&self, _: &WatchYourBack, position: &Position, out: &mut Vec<(Action, i32)>) {
        ranked(position, out);
    }

    fn tactical_moves(&self, _: &WatchYourBack, position: &Position, out: &mut Vec<(Action, i32)>) {
        tactical_moves(position, out);
    }

    fn known(&self, game: &WatchYourBack, position: &Position) -> Option<i32> {
        known(game, position)
    }

    fn scale(&self) -> f32 {
        // Values are log-odds in hundredths, and twice a chance less one is this hyperbolic tangent.
        200.0
    }

    fn alphabeta_settings(&self) -> alphabeta::Settings {
        // At 20,000 nodes against neither, where late moves are reduced by one turn and two: 54 % of
        // 180 games. Growth of 0.4 instead: 52 % of 80. Growth without the margin: 44.5 % of 100.
        alphabeta::Settings { margin: MARGIN, growth: 0.67, ..alphabeta::Settings::default() }
    }
}

/// The evaluation of a position for its mover.
#[inline]
fn evaluate(position: &Position) -> i32 {
    let weights = match (position.phase(), position.shrinks()) {
        (Phase::Placing, _) => &STAGES[0],
        (_, 0) => &STAGES[1],
        _ => &STAGES[2],
    };
    let (mine, theirs) = (position.mover(), 1 - position.mover());
    let count = |set: u64| set.count_ones() as i32;
    let difference =
        |set: u64| count(position.pieces(mine) & set) - count(position.pieces(theirs) & set);
    let all = count(position.pieces(mine) | position.pieces(theirs));
    let ahead = difference(u64::MAX);
    let mut value = weights.tempo
        + weights.piece * ahead
        + 10 * weights.share * ahead / (all + 2)
        + weights.off_rim * difference(OFF_RIM)
        + weights.last_corner * difference(LAST_CORNERS)
        + weights.last_edge * difference(LAST_EDGES)
        + weights.middle * difference(MIDDLE);
    if let Some((lost, weight)) = shadow(position) {
        value -= weight * difference(lost);
    }
    let (my_reach, their_reach) = (position.reach(mine), position.reach(theirs));
    value += weights.reach * (count(my_reach) - count(their_reach));
    value += weights.prey * count(position.exposed(theirs, my_reach));
    value -= weights.in_danger * count(position.exposed(mine, their_reach));
    value += weights.half_flanked
        * (count(position.exposed(theirs, position.empty()))
            - count(position.exposed(mine, position.empty())));
    value
        + weights.pair * (count_pairs(position.pieces(mine)) - count_pairs(position.pieces(theirs)))
}

/// Neighbours in rows and columns.
fn count_pairs(pieces: u64) -> i32 {
    const LEFT_COLUMN: u64 = 0x0101_0101_0101_0101;
    let beside = pieces & pieces << 1 & !LEFT_COLUMN;
    let below = pieces & pieces << 8;
    (beside.count_ones() + below.count_ones()) as i32
}

/// [`Rules::key`] mixes every field on its own; two multiplications do.
#[inline]
fn key(position: &Position) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ ((product >> 64) as u64)
    };
    // The shrinks follow from the turn, and the phase takes the bit above all turns.
    let placing = u64::from(position.phase() == Phase::Placing);
    let count = u64::from(position.turn()) | placing << 32;
    let white = fold(position.pieces(0) ^ 0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);
    fold(
        position.pieces(1) ^ white ^ 0xa076_1d64_78bd_642f,
        (count ^ white).wrapping_mul(0xe703_7ed1_a0b4_28db) | 1,
    )
}

/// Every action with what it wins and loses. Only where something can die it is worth a closer look.
#[inline]
fn ranked(position: &Position, out: &mut Vec<(Action, i32)>) {
    let side = position.mover();
    let lively = position.kill_squares(side) | position.death_squares(side);
    position.each_action(|action| {
        let is_lively = lively >> action.to() & 1 != 0;
        out.push((action, if is_lively { gain(position, action) } else { 0 }));
    });
}

/// The actions that kill more than they lose.
#[inline]
fn tactical_moves(position: &Position, out: &mut Vec<(Action, i32)>) {
    let kills = position.kill_squares(position.mover());
    if kills != 0 {
        position.each_action_into(kills, |action| {
            let gain = gain(position, action);
            if gain > 0 {
                out.push((action, gain));
            }
        });
    }
}

fn gain(position: &Position, action: Action) -> i32 {
    let (killed, lost) = position.losses(position.mover(), action);
    PIECE * (killed as i32 - lost as i32)
}

/// What an ending on the smallest board comes to.
#[inline]
fn known(game: &WatchYourBack, position: &Position) -> Option<i32> {
    if position.shrinks() < 2 {
        return None;
    }
    // A win that the limit on turns cuts off is a draw: the loser can hold out that long.
    let left = game.move_limit().map_or(u32::MAX, |limit| limit - position.turn());
    Some(match endings::fate(position) {
        Fate::Win(turns) if turns <= left => WIN - turns as i32,
        Fate::Loss(turns) if turns <= left => turns as i32 - WIN,
        _ => 0,
    })
}

/// The squares the coming shrink takes, and how much a piece there has lost of its worth already.
fn shadow(position: &Position) -> Option<(u64, i32)> {
    if position.phase() != Phase::Moving {
        return None;
    }
    let shrinks = usize::from(position.shrinks());
    let left = *SHRINK_TURNS.get(shrinks)? as i32 - position.turn() as i32;
    (left <= SHADOW).then(|| (LOST[shrinks], DOOMED * (SHADOW + 1 - left) / (SHADOW + 1)))
}

/// Black answers White's placement with its point reflection, as the original's best agent does,
/// while that is sound; the rest is left to a search.
pub(crate) struct Mirror<T> {
    pub(crate) tree: T,
    pub(crate) rest: Box<dyn Agent<WatchYourBack>>,
    /// The position after our last turn: what White added since is its placement.
    pub(crate) seen: Position,
}

/// How much worse than the best placement, by evaluation, the mirrored one may be.
const PRICE_OF_SYMMETRY: i32 = 60;

impl<T> Agent<WatchYourBack> for Mirror<T>
where
    T: Tree<State = Position, Move = Action>,
{
    fn choose(
        &mut self,
        game: &WatchYourBack,
        position: &Position,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<Action> {
        let reflected = self.reflected(position);
        let mut thought = match reflected {
            Some(action) => Thought::simple(vec![action]),
            None => self.rest.choose(game, position, allowance, stop),
        };
        thought.nodes += 1;
        self.seen = *position;
        for action in &thought.actions {
            game.play(&mut self.seen, *action);
        }
        thought
    }

    fn set_lines(&mut self, lines: usize) {
        self.rest.set_lines(lines);
    }
}

impl<T: Tree<State = Position, Move = Action>> Mirror<T> {
    /// The point reflection of White's last placement, if it may and should be played.
    fn reflected(&self, position: &Position) -> Option<Action> {
        if position.phase() != Phase::Placing || position.mover() != 1 {
            return None;
        }
        let added = position.pieces(0) & !self.seen.pieces(0);
        if added.count_ones() != 1 {
            return None;
        }
        let answer = Action::place(63 - added.trailing_zeros() as u16);
        // Sound means: legal, no piece given away, and nothing much better to be had.
        let best = self.tree.best_moves(position, usize::MAX);
        let &(_, value) = best.iter().find(|(action, _)| *action == answer)?;
        let sound = answer.kind() == Kind::Place
            && best[0].1 - value <= PRICE_OF_SYMMETRY
            && position.losses(1, answer).1 == 0;
        sound.then_some(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::transposition::Table;
    use crate::tree::{PROVEN, Steps};
    use skirmish_rules::{Choice, Notation, Playout, Random, Turn};

    fn game() -> WatchYourBack {
        WatchYourBack::new(Some(512))
    }

    fn read(text: &str) -> Position {
        game().read_position(text).expect("a position")
    }

    /// The first move of the best line and its value, searched so many turns deep.
    fn best(position: &Position, depth: u32) -> (Action, i32) {
        let tree = Steps::new(game(), WatchYourBackEvaluator);
        let allowance = Allowance { depth: Some(depth), ..Allowance::default() };
        let table = Arc::new(Table::with_bytes(1 << 20));
        let settings = WatchYourBackEvaluator.alphabeta_settings();
        let found = alphabeta::search(&tree, position, &settings, &table, &allowance, &Stop::new());
        (found.lines[0].moves[0], found.lines[0].value)
    }

    fn written(position: &Position, action: Action) -> String {
        let mut text = String::new();
        game().write_action(position, action, &mut text);
        text
    }

    /// Random positions while the game goes on.
    fn positions(count: u64) -> impl Iterator<Item = Position> {
        (0..count).filter_map(|seed| {
            let mut random = Random::seeded(seed);
            let mut position = Position::start();
            let turns = u64::from(random.below(220));
            game().playout(&mut position, Choice::Turns, turns, &mut random);
            (game().turn(&position) != Turn::Over).then_some(position)
        })
    }

    #[test]
    fn fast_lists_agree_with_plain_ones() {
        let tree = Steps::new(game(), WatchYourBackEvaluator);
        for position in positions(3_000) {
            let mut actions = Vec::new();
            game().actions(&position, &mut actions);
            let plain: Vec<(Action, i32)> =
                actions.iter().map(|mv| (*mv, tree.tacticality(&position, *mv))).collect();
            let mut fast = Vec::new();
            ranked(&position, &mut fast);
            assert_eq!(fast, plain, "{position:?}");
            let mut fast = Vec::new();
            tactical_moves(&position, &mut fast);
            let mut plain: Vec<_> =
                plain.into_iter().filter(|(_, tacticality)| *tacticality > 0).collect();
            fast.sort();
            plain.sort();
            assert_eq!(fast, plain, "{position:?}");
        }
    }

    #[test]
    fn positions_that_differ_have_keys_that_differ() {
        let mut seen = std::collections::HashMap::new();
        for position in positions(3_000) {
            let other = *seen.entry(key(&position)).or_insert(position);
            assert_eq!(other, position);
        }
    }

    #[test]
    fn a_piece_in_the_middle_is_worth_more_than_one_on_the_rim() {
        let middle = read("X6X/8/8/3W4/8/8/4B3/X6X placing 2");
        let rim = read("X6X/8/8/W7/8/8/4B3/X6X placing 2");
        assert!(evaluate(&middle) > evaluate(&rim));
    }

    #[test]
    fn a_placement_beside_an_enemy_and_a_free_square_is_worse_than_a_safe_one() {
        // Black to place: the white piece next to it can be flanked from the other side.
        let exposed = read("X6X/8/8/3WB3/8/8/8/X6X placing 3");
        let safe = read("X6X/8/8/3W4/4B3/8/8/X6X placing 3");
        assert!(evaluate(&exposed) > evaluate(&safe));
    }

    #[test]
    fn a_piece_on_the_doomed_ring_loses_worth_as_the_shrink_comes() {
        let at = |turn: u32| {
            let text = format!("X6X/8/8/W2WW3/3BBB2/8/8/X6X moving {turn}");
            evaluate(&read(&text))
        };
        assert!(at(100) > at(110) && at(110) > at(126));
    }

    #[test]
    fn search_finds_a_win_in_two_moves() {
        let mut found = 0;
        let is_late = |position: &Position| {
            position.phase() == Phase::Moving
                && position.pieces(1 - position.mover()).count_ones() <= 3
        };
        for position in positions(6_000).filter(is_late) {
            let (action, value) = best(&position, 4);
            if value == WIN - 3 {
                let mut after = position;
                game().play(&mut after, action);
                // Whatever the enemy does, the win is there.
                let truth = crate::minimax::minimax(
                    &Steps::new(game(), WatchYourBackEvaluator),
                    &after,
                    2,
                    1,
                );
                assert_eq!(truth, 3 - WIN, "{}", written(&position, action));
                found += 1;
            }
        }
        assert!(found > 0);
    }

    #[test]
    fn a_won_ending_is_seen_at_once_and_played_out() {
        let mut random = Random::seeded(9);
        let mut played = 0;
        while played < 20 {
            let pieces = [random.word() & random.word(), random.word() & random.word()];
            let mut position = Position::on_smallest_board(pieces);
            if game().turn(&position) == Turn::Over {
                continue;
            }
            let Fate::Win(turns) = endings::fate(&position) else { continue };
            assert_eq!(best(&position, 1).1, WIN - turns as i32);
            for _ in 0..turns {
                let (action, value) = best(&position, 1);
                assert!(value.abs() >= PROVEN);
                game().play(&mut position, action);
            }
            assert_eq!(game().turn(&position), Turn::Over);
            assert_eq!(game().payoff(&position, skirmish_rules::Seat(0)), 1.0);
            played += 1;
        }
    }

    #[test]
    fn a_win_that_the_limit_cuts_off_is_a_draw() {
        let mut random = Random::seeded(10);
        let (position, turns) = loop {
            let pieces = [random.word() & random.word(), random.word() & random.word()];
            let position = Position::on_smallest_board(pieces);
            if game().turn(&position) != Turn::Over
                && let Fate::Win(turns) = endings::fate(&position)
                && turns >= 3
            {
                break (position, turns);
            }
        };
        let in_time = WatchYourBack::new(Some(SHRINK_TURNS[1] + turns));
        let too_late = WatchYourBack::new(Some(SHRINK_TURNS[1] + turns - 1));
        assert_eq!(known(&in_time, &position), Some(WIN - turns as i32));
        assert_eq!(known(&too_late, &position), Some(0));
    }
}
