//! Who is nearer to what: a fast guess at the winner, after Lieberum (2005).
//!
//! Every empty cell is measured four times, by the queen moves and the king moves each side needs to
//! come there. The nearer side will probably own the cell. Counting cells that way is right late
//! in the game and crude early, so smooth versions and the freedom of the single amazons join in,
//! and how much each counts depends on how much the two sides still share.
//!
//! The weights come from games, by logistic regression on who won, so a value is at the same time
//! the log-odds of winning: see [`win_chance`].

use skirmish_rules::cpu::Work;
use skirmish_rules::games::amazons::{Amazons, Position, Stage};

use super::board::{Board, Ground, with_ground};

/// No value is beyond this.
pub const LIMIT: i32 = 9_000;

/// How many numbers describe a position.
pub const FEATURES: usize = 7;

/// What the evaluation is made of: positive numbers are good for white, except `open`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Terms {
    /// Cells white is nearer to by queen moves, less those black is nearer to.
    pub queen_territory: i32,
    /// Cells both reach in equally many queen moves.
    pub queen_ties: i32,
    /// The smooth version: the sum of 2^(1-distance) over white's queen distances, less black's, in
    /// 64ths of a cell.
    pub queen_influence: i32,
    /// Cells white is nearer to by king moves, less those black is nearer to.
    pub king_territory: i32,
    /// Cells both reach in equally many king moves.
    pub king_ties: i32,
    /// The smooth version: the sum of how much nearer white is by king moves, where a distance
    /// counts as at most seven.
    pub king_influence: i32,
    /// The sum of 2^-|difference of the queen distances| over all cells both reach, in 8ths of a
    /// cell: many while the sides are entangled, 0 when every cell is one side's alone.
    pub open: i32,
    /// The freedom of white's amazons less that of black's, each squeezed so that the last bit of
    /// it counts most: an enclosed amazon is punished. In 64ths of an amazon.
    pub freedom: i32,
    /// The same without the squeeze.
    pub mobility: i32,
    /// The number of cells, for scale.
    pub cells: i32,
}

/// Weights by phase: each feature's worth at evenly spaced phases from "nothing shared" to
/// "everything shared".
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(pub [[f32; FEATURES]; KNOTS]);

/// Phases between which the weights are interpolated.
pub const KNOTS: usize = 5;

impl Terms {
    /// The phase as a place among the knots.
    #[inline(always)]
    fn phase(&self) -> f32 {
        // At the start about three quarters of the cells count as shared.
        let phase = self.open as f32 * (KNOTS - 1) as f32 / (8.0 * 0.75 * self.cells as f32);
        phase.min((KNOTS - 1) as f32 - 0.001)
    }

    /// The features in the order of the weights, for the side to move (0 white, 1 black).
    #[inline(always)]
    pub fn features(&self, mover: usize) -> [f32; FEATURES] {
        let sign = [1.0, -1.0][mover & 1];
        [
            sign * self.queen_territory as f32,
            sign * self.queen_influence as f32 / 64.0,
            sign * self.king_territory as f32,
            sign * self.king_influence as f32 / 6.0,
            sign * self.freedom as f32 / 64.0,
            sign * self.mobility as f32 / 64.0,
            1.0,
        ]
    }

    /// Which knots of the weights the position lies between, and how far it is from the lower.
    #[inline(always)]
    pub fn knot(&self) -> (usize, f32) {
        let phase = self.phase();
        let knot = (phase as usize).min(KNOTS - 2);
        (knot, phase - knot as f32)
    }

    /// The value for the side to move.
    #[inline(always)]
    pub fn value(&self, mover: usize, weights: &Weights) -> i32 {
        let features = self.features(mover);
        let (knot, part) = self.knot();
        let (low, high) = (&weights.0[knot], &weights.0[knot + 1]);
        let mut value = 0.0;
        for index in 0..FEATURES {
            value += features[index] * (low[index] + part * (high[index] - low[index]));
        }
        (value as i32).clamp(-LIMIT, LIMIT)
    }
}

/// The chance to win that goes with a value: 100 are one unit of log-odds.
pub fn win_chance(value: i32) -> f32 {
    1.0 / (1.0 + (-value as f32 / 100.0).exp())
}

/// Everything the evaluation knows about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation<C> {
    /// The value for the side to move, as [`evaluate`] gives it.
    pub value_for_mover: i32,
    /// What it is made of.
    pub terms: Terms,
    /// The cells each side (0 white, 1 black) is nearer to by queen moves.
    pub nearer_by_queen: [C; 2],
    /// The cells both reach in equally many queen moves.
    pub tied_by_queen: C,
    /// The cells each side is nearer to by king moves.
    pub nearer_by_king: [C; 2],
    /// The cells both reach in equally many king moves.
    pub tied_by_king: C,
    /// The cells only this side can ever reach as things stand.
    pub own: [C; 2],
    /// The cells each side reaches with its next move.
    pub reached_at_once: [C; 2],
    /// Every amazon, white's first, with the freedom of its next moves: 0 is walled in, 40 is
    /// little, 300 is plenty.
    pub freedom: Vec<(u16, u32)>,
}

/// The sets a flood leaves behind.
#[derive(Clone, Copy, Default)]
pub(super) struct Flood<C> {
    nearer: [C; 2],
    tied: C,
    reached: [C; 2],
    /// The first layer of `reached`.
    at_once: [C; 2],
}

/// How freely an amazon with these moves can go on: cells it reaches count by the empty cells
/// around them, four times within a king's step, twice within two.
#[inline(always)]
pub(super) fn freedom<C: Board, const WIDTH: u32, const STEPS: usize>(
    ground: &Ground<C, WIDTH, STEPS>,
    liberties: &[C; 4],
    amazon: C,
    moves: C,
) -> u32 {
    let sum = |cells: C| {
        (cells & liberties[0]).count()
            + 2 * (cells & liberties[1]).count()
            + 4 * (cells & liberties[2]).count()
            + 8 * (cells & liberties[3]).count()
    };
    let near = ground.around(amazon);
    let middle = ground.around(near);
    // Near cells are in all three sets, so they count four times, middle ones twice.
    2 * sum(moves & near) + sum(moves & middle) + sum(moves)
}

/// The worth of an amazon's freedom, in 64ths: steep where it is little. A steeper squeeze (10
/// for 40) beside this one scored 51.5 ± 1.6 % in 800 games, which is within chance.
#[inline(always)]
pub(super) fn squeeze(freedom: u32) -> i32 {
    (64 * freedom / (freedom + 40)) as i32
}

/// The distances of both sides to everything, reduced to what the evaluation needs of them.
#[inline(always)]
fn flood<C: Board, const WIDTH: u32, const STEPS: usize>(
    ground: &Ground<C, WIDTH, STEPS>,
    amazons: [C; 2],
    mut each_amazon: impl FnMut(C, u32),
) -> (Terms, [Flood<C>; 2]) {
    let mut terms = Terms::default();

    // 1. The moves of every amazon: its freedom, and together the first layer of queen moves.
    let liberties = ground.liberties();
    let mut queen = Flood::<C>::default();
    for (side, mut rest) in amazons.into_iter().enumerate() {
        let (mut total, mut plain) = (0, 0);
        while let Some(cell) = rest.first() {
            let amazon = C::single(cell);
            rest &= !amazon;
            let moves = ground.queens(amazon) & ground.empty;
            queen.reached[side] |= moves;
            let freedom = freedom(ground, &liberties, amazon, moves);
            each_amazon(amazon, freedom);
            total += squeeze(freedom);
            plain += freedom as i32;
        }
        terms.mobility += if side == 0 { plain } else { -plain };
        terms.freedom += if side == 0 { total } else { -total };
    }

    let floods = spread(ground, amazons, queen.reached, &mut terms);
    (terms, floods)
}

/// The rest of [`flood`]: `reached` is what the amazons of each side reach in one queen move. The
/// terms of distance are added to `terms`.
#[inline(always)]
pub(super) fn spread<C: Board, const WIDTH: u32, const STEPS: usize>(
    ground: &Ground<C, WIDTH, STEPS>,
    amazons: [C; 2],
    reached: [C; 2],
    terms: &mut Terms,
) -> [Flood<C>; 2] {
    // 2. King moves, layer by layer, both sides in step. A sum of differences is a difference of
    // sums: layer by layer, count what is reached so far.
    let mut king = Flood::<C> {
        reached: [ground.kings(amazons[0]), ground.kings(amazons[1])],
        ..Flood::default()
    };
    let mut new = king.reached;
    let mut layer = 1;
    loop {
        king.nearer[0] |= new[0] & !king.reached[1];
        king.nearer[1] |= new[1] & !king.reached[0];
        king.tied |= new[0] & new[1];
        if layer < 7 {
            terms.king_influence += king.reached[0].count() as i32 - king.reached[1].count() as i32;
        }
        for (new, reached) in new.iter_mut().zip(king.reached) {
            *new = ground.kings(reached) & !reached;
        }
        if (new[0] | new[1]).is_empty() {
            break;
        }
        king.reached = [king.reached[0] | new[0], king.reached[1] | new[1]];
        layer += 1;
    }
    // The last layer stands for all that would follow: both floods have come to rest.
    let rest = king.reached[0].count() as i32 - king.reached[1].count() as i32;
    terms.king_influence += (6 - layer).max(0) * rest;
    terms.king_territory = king.nearer[0].count() as i32 - king.nearer[1].count() as i32;
    terms.king_ties = king.tied.count() as i32;

    // 3. Queen moves likewise. The last three layers are kept: cells whose distances differ by more
    // hardly count as shared. Queens and kings get to the same cells in the end, so the flood is
    // over as soon as it has come there: the last layer need not be looked for in vain.
    let mut queen = Flood::<C> { reached, at_once: reached, ..Flood::default() };
    let mut new = queen.reached;
    let mut before = [[C::default(); 3]; 2];
    let mut worth = 64;
    loop {
        let shared = new[0] & new[1];
        queen.nearer[0] |= new[0] & !queen.reached[1];
        queen.nearer[1] |= new[1] & !queen.reached[0];
        queen.tied |= shared;
        terms.queen_influence += worth * (new[0].count() as i32 - new[1].count() as i32);
        let mut open = 8 * shared.count();
        for (age, part) in [4, 2, 1].into_iter().enumerate() {
            // The two sets are disjoint: a cell is in one layer of each side.
            open += part * ((new[0] & before[1][age]) | (new[1] & before[0][age])).count();
        }
        terms.open += open as i32;
        if queen.reached == king.reached {
            break;
        }
        // Loops, where `map` would do: a closure need not be inlined, and only inlined code is
        // boosted.
        for side in 0..2 {
            before[side] = [new[side], before[side][0], before[side][1]];
            new[side] = C::default();
            if queen.reached[side] != king.reached[side] {
                new[side] = ground.queens(queen.reached[side]) & !queen.reached[side];
            }
        }
        queen.reached = [queen.reached[0] | new[0], queen.reached[1] | new[1]];
        worth /= 2;
    }
    terms.queen_territory = queen.nearer[0].count() as i32 - queen.nearer[1].count() as i32;
    terms.queen_ties = queen.tied.count() as i32;
    [queen, king]
}

/// A position as the evaluation sees it: who stands where, and which cells are blocked.
#[derive(Clone, Copy, Debug)]
pub struct Field<C> {
    /// The amazons of each side, white's first.
    pub amazons: [C; 2],
    /// The amazons and the arrows.
    pub blocked: C,
}

impl<C: Board> Field<C> {
    #[inline]
    fn of(position: &Position<C>) -> Field<C> {
        debug_assert_eq!(position.stage(), Stage::Choose, "the evaluation knows whole turns only");
        Field { amazons: [position.amazons(0), position.amazons(1)], blocked: position.blocked() }
    }
}

/// The value of a position for the side to move, at most [`LIMIT`] either way, between turns only.
///
/// It is in hundredths: late in the game one cell more is worth somewhat over a hundred, early a
/// tenth of that, in proportion to what it does for the chance to win.
pub fn evaluate<C: Board>(game: &Amazons<C>, position: &Position<C>) -> i32 {
    let terms = terms(game, position);
    terms.value(position.mover(), usual_weights(terms.cells))
}

/// Appends the value of every position for the side to move there.
pub fn evaluate_all<C: Board>(game: &Amazons<C>, positions: &[Position<C>], values: &mut Vec<i32>) {
    let mut fields = Vec::with_capacity(TOGETHER);
    let mut terms = [Terms::default(); TOGETHER];
    for part in positions.chunks(TOGETHER) {
        fields.clear();
        fields.extend(part.iter().map(Field::of));
        C::find_terms((game.width(), game.height()), &fields, &mut terms[..part.len()]);
        values.extend(
            part.iter()
                .zip(&terms)
                .map(|(position, terms)| terms.value(position.mover(), usual_weights(terms.cells))),
        );
    }
}

/// Positions that are evaluated in one call.
const TOGETHER: usize = 32;

/// What a position is made of.
pub fn terms<C: Board>(game: &Amazons<C>, position: &Position<C>) -> Terms {
    terms_of((game.width(), game.height()), &Field::of(position))
}

/// What a field is made of, on a board with so many columns and rows.
pub(super) fn terms_of<C: Board>(size: (u16, u16), field: &Field<C>) -> Terms {
    let mut terms = [Terms::default()];
    C::find_terms(size, std::slice::from_ref(field), &mut terms);
    terms[0]
}

/// Everything the evaluation knows about a position. The value is meant for positions between turns;
/// within a turn it is what the board as it stands looks worth.
pub fn analyse<C: Board>(game: &Amazons<C>, position: &Position<C>) -> Evaluation<C> {
    C::analyse(game, position)
}

pub(super) struct FindTerms<'a, C> {
    pub(super) size: (u16, u16),
    pub(super) fields: &'a [Field<C>],
    pub(super) terms: &'a mut [Terms],
}

impl<C: Board> Work for FindTerms<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (width, height) = self.size;
        for (field, terms) in self.fields.iter().zip(self.terms) {
            *terms = with_ground!(C, width, height, field.blocked, |ground| {
                flood(&ground, field.amazons, |_, _| {}).0
            });
            terms.cells = i32::from(width) * i32::from(height);
        }
    }
}

pub(super) struct Analyse<'a, C> {
    pub(super) game: &'a Amazons<C>,
    pub(super) position: &'a Position<C>,
}

impl<C: Board> Work for Analyse<'_, C> {
    type Output = Evaluation<C>;
    #[inline(always)]
    fn run(self) -> Evaluation<C> {
        let Analyse { game, position } = self;
        let amazons = [position.amazons(0), position.amazons(1)];
        let mut freedom = Vec::new();
        let each = |amazon: C, free| freedom.extend(amazon.first().map(|cell| (cell, free)));
        let blocked = position.blocked();
        let (mut terms, [queen, king]) =
            with_ground!(C, game.width(), game.height(), blocked, |ground| flood(
                &ground, amazons, each
            ));
        terms.cells = i32::from(game.width()) * i32::from(game.height());
        Evaluation {
            value_for_mover: terms.value(position.mover(), usual_weights(terms.cells)),
            terms,
            nearer_by_queen: queen.nearer,
            tied_by_queen: queen.tied,
            nearer_by_king: king.nearer,
            tied_by_king: king.tied,
            own: [queen.reached[0] & !queen.reached[1], queen.reached[1] & !queen.reached[0]],
            reached_at_once: queen.at_once,
            freedom,
        }
    }
}

/// The weights for a board with this many cells. Each set is better at home, on openings that had no
/// part in fitting: on 8×8 its own scores 53.9 ± 1.6 % (800 games at one ply), on 10×10 its own
/// 56.4 ± 2.2 % (500 games). Sizes between and beyond were not played.
#[inline(always)]
pub fn usual_weights(cells: i32) -> &'static Weights {
    if cells <= 81 { &EIGHT } else { &TEN }
}

/// The weights for boards around 8×8.
///
/// Set by logistic regression on who won: three rounds of 6,000 games the evaluation played against
/// itself at one ply, with 4 % random turns. The fit had one feature more, the cells out of the
/// opponent's reach; its weight was struck out afterwards, not fitted again (without it: 48.5 ±
/// 1.5 %). On fresh openings these weights beat ones set by hand after Lieberum 69.5 ± 1.5 % at one
/// ply (800 games) and 76.7 ± 2.5 % at two (240 games, the best 12 turns searched). Two further
/// rounds of fitting were no better: 46.2 and 46.9 ± 1.6 %.
///
/// Leaving a feature out and fitting the rest again, 800 games at one ply each, ± 1.6 %: squeezed
/// freedom 34.8 %, king influence 44.6 %, king territory 46.2 %, queen territory 47.4 %, plain
/// mobility 47.9 %, queen influence 48.8 %; the last three are within chance. Ties got next to no
/// weight and were dropped without a match of their own.
pub static EIGHT: Weights = Weights([
    [67.7, 10.6, 70.0, 13.8, 17.9, 8.7, -70.4],
    [18.1, -15.2, 11.9, 27.0, 56.2, -23.6, 73.0],
    [13.4, -11.4, 4.3, 20.8, 178.5, -33.8, 43.4],
    [-7.1, 17.2, 0.0, 7.4, 197.1, -12.2, 43.3],
    [0.4, 0.3, 0.8, 3.6, 14.8, 3.2, -6.0],
]);

/// The weights for boards around 10×10.
///
/// Set like those for 8×8, by rounds of 2,000 and 3,000 games. On fresh openings they beat weights
/// set by hand 75.8 ± 2.2 % at one ply (400 games). The last round scored 53.3 ± 3.0 % against the
/// one it began from, which is within chance.
pub static TEN: Weights = Weights([
    [43.8, 3.0, 36.8, 15.0, 69.9, 19.4, -43.0],
    [11.8, -6.5, 6.4, 5.1, 67.1, 5.3, 73.8],
    [8.2, -10.9, 2.0, 11.3, 182.1, -9.5, 33.7],
    [3.5, -4.4, 1.2, 2.1, 206.7, -9.2, 34.9],
    [0.4, -2.5, 0.0, -1.5, 73.4, 5.0, 9.7],
]);
