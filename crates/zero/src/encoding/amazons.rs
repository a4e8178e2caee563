//! Amazons for networks: three actions a turn, each a square, so the policy is one plane.
//!
//! Beside the pieces the network is shown who is nearer to what, which the classical evaluation
//! knows anyway: a small network would need most of its depth to find it out.

use skirmish_rules::Seat;
use skirmish_rules::cpu::{Work, boosted};
use skirmish_rules::games::amazons::{Amazons, Cell, Position, Stage};
use skirmish_search::amazons::{Board, Counter, analyse, separated};

use super::{Encode, Image, Shape, Writer, cells_of, unmoved};

const PLANES: usize = 16;
const SCALARS: usize = 11;

/// Steps of search spent on one region to count the turns left in it.
const COUNTING: u64 = 400;
/// The same where a turn is to be chosen, once.
const CLOSING: u64 = 20_000;

struct Row<'a, C> {
    game: &'a Amazons<C>,
    position: &'a Position<C>,
    row: &'a mut [u8],
}

impl<C: Board> Work for Row<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Row { game, position, row } = self;
        let shape = game.shape();
        let mut writer = Writer::new(&shape, row);
        let (me, them) = (position.mover(), 1 - position.mover());
        let known = analyse(game, position);
        let blocked = position.blocked();

        let (stand, left) = match position.stage() {
            Stage::Choose => (None, None),
            Stage::Move { from } => (Some(from), None),
            Stage::Shoot { from, to } => (Some(to), Some(from)),
        };
        let mut targets = C::default();
        match stand {
            Some(stand) => game.for_each_reached(blocked, stand, |cell| targets.insert(cell)),
            None => position
                .amazons(me)
                .iter()
                .filter(|amazon| game.can_move(blocked, *amazon))
                .for_each(|amazon| targets.insert(amazon)),
        }
        for set in [position.amazons(me), position.amazons(them), position.arrows()] {
            writer.squares(set.iter());
        }
        writer.squares(stand.into_iter());
        writer.squares(left.into_iter());
        for set in [
            targets,
            known.reached_at_once[me],
            known.reached_at_once[them],
            known.nearer_by_queen[me],
            known.nearer_by_queen[them],
            known.tied_by_queen,
            known.nearer_by_king[me],
            known.nearer_by_king[them],
            known.tied_by_king,
            known.own[me],
            known.own[them],
        ] {
            writer.squares(set.iter());
        }

        for is_stage in [stand.is_none(), stand.is_some() && left.is_none(), left.is_some()] {
            writer.scalar(f32::from(u8::from(is_stage)));
        }
        let cells = shape.cells() as f32;
        writer.scalar(1.0 - blocked.count() as f32 / cells);
        writer.scalar(known.terms.open as f32 / (8.0 * cells));
        writer.signed(known.value_for_mover as f32, 150.0);
        let [queens, influence, kings, king_influence, freedom, ..] = known.terms.features(me);
        writer.signed(queens, 8.0);
        writer.signed(influence, 8.0);
        writer.signed(kings, 8.0);
        writer.signed(king_influence, 8.0);
        writer.signed(freedom, 1.0);
        writer.finish(&shape);
    }
}

impl<C: Board> Encode for Amazons<C> {
    const STOPS_WHEN_SETTLED: bool = true;

    fn shape(&self) -> Shape {
        Shape {
            height: usize::from(self.height()),
            width: usize::from(self.width()),
            planes: PLANES,
            scalars: SCALARS,
            policy_planes: 1,
            wraps: false,
        }
    }

    fn encode(&self, position: &Position<C>, row: &mut [u8]) {
        boosted(Row { game: self, position, row });
    }

    fn index(&self, _: &Position<C>, action: Cell) -> u16 {
        action.0
    }

    /// Where no empty square can be walked to by both sides the rest is counting.
    fn settled(&self, position: &Position<C>) -> Option<f32> {
        if position.stage() != Stage::Choose || separated(self, position).is_none() {
            return None;
        }
        let count = Counter::new(self, COUNTING).count(self, position);
        let winner = count.winner(position.mover())?;
        Some(if winner == 0 { 1.0 } else { -1.0 })
    }

    fn closing_turn(&self, position: &Position<C>) -> Option<Vec<Cell>> {
        if position.stage() != Stage::Choose || separated(self, position).is_none() {
            return None;
        }
        let turn = Counter::new(self, CLOSING).filling_turn(self, position)?;
        Some(turn.to_vec())
    }

    fn ownership(&self, position: &Position<C>, seat: Seat, out: &mut [f32]) {
        let own = analyse(self, position).own;
        for (side, value) in [(seat.index(), 1.0), (1 - seat.index(), -1.0)] {
            own[side].iter().for_each(|cell| out[usize::from(cell)] = value);
        }
    }

    fn margin(&self, position: &Position<C>, seat: Seat) -> f32 {
        let count = |side: usize| Counter::new(self, COUNTING).count(self, position).sides[side];
        let (me, them) = (count(seat.index()), count(1 - seat.index()));
        let cells = self.shape().cells() as f32;
        ((me.lower as f32 - them.lower as f32) * 4.0 / cells).clamp(-1.0, 1.0)
    }

    fn images(&self) -> Vec<Image> {
        let (height, width) = (usize::from(self.height()), usize::from(self.width()));
        let mut images = Vec::new();
        for transpose in [false, true] {
            if transpose && height != width {
                continue;
            }
            for (rows, columns) in [(false, false), (false, true), (true, false), (true, true)] {
                let cells = cells_of(height, width, |row, column| {
                    let row = if rows { height - 1 - row } else { row };
                    let column = if columns { width - 1 - column } else { column };
                    if transpose { (column, row) } else { (row, column) }
                });
                images.push(Image {
                    policy: cells.clone(),
                    cells,
                    planes: unmoved(PLANES),
                    scalars: unmoved(SCALARS),
                });
            }
        }
        images
    }

    fn images_of(&self, _: &Position<C>) -> usize {
        skirmish_rules::game::Symmetry::symmetries(self)
    }
}
