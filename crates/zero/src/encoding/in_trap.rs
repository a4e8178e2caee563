//! In-Trap for networks, on a board without edges.
//!
//! A move is told by the square the piece leaves and the direction, a spawn by the piece and the
//! square it appears on. No piece appears on the spawner's own square, so that index is the pass.

use skirmish_rules::cells::Cells;
use skirmish_rules::games::in_trap::{Action, InTrap, Position, SPAWNER};
use skirmish_rules::{Seat, Symmetry};
use skirmish_search::in_trap::InTrapEvaluator;
use skirmish_search::tree::Evaluator;

use super::{Encode, Image, Shape, Writer};

const DIRECTIONS: usize = 8;
/// Planes beside those of the pieces.
const BESIDE: usize = 8;
/// Scalars beside those of the pieces.
const SCALARS: usize = 8;
/// Mana is shown up to this.
const MOST_MANA: f32 = 24.0;

impl<C: Cells, const ROOM: usize> Encode for InTrap<C, ROOM> {
    const STOPS_WHEN_SETTLED: bool = false;

    fn shape(&self) -> Shape {
        let pieces = self.pieces().list().len();
        Shape {
            height: usize::from(self.size()),
            width: usize::from(self.size()),
            planes: 2 * pieces + BESIDE,
            scalars: SCALARS + 4 * pieces,
            policy_planes: DIRECTIONS + pieces - 1,
            wraps: true,
        }
    }

    fn encode(&self, position: &Position<C, ROOM>, row: &mut [u8]) {
        let shape = self.shape();
        let mut writer = Writer::new(&shape, row);
        let seats = [position.mover(), Seat(1 - position.mover().0)];
        let pieces = 0..self.pieces().list().len();
        for seat in seats {
            for piece in pieces.clone() {
                writer.squares(position.square_of(seat, piece).into_iter());
            }
        }
        let control = seats.map(|seat| self.control(position, seat).0);
        let [mine, theirs] = seats.map(|seat| position.occupied(seat));
        let beside = seats.map(|seat| {
            position.square_of(seat, SPAWNER).map_or(C::default(), |square| self.beside(square))
        });
        for set in [
            mine,
            theirs,
            control[0],
            control[1],
            control[0] & theirs,
            control[1] & mine,
            beside[0],
            beside[1],
        ] {
            writer.squares(set.iter());
        }

        for seat in seats {
            let mana = position.mana(seat) as f32;
            writer.scalar(mana / MOST_MANA);
            writer.scalar(mana / 6.0);
        }
        // The limit on moves, from afar and close by.
        let left = self.move_limit().map(|limit| limit.saturating_sub(position.moves()) as f32);
        writer.scalar(left.map_or(1.0, |left| left / 200.0));
        writer.scalar(left.map_or(1.0, |left| left / 20.0));
        writer.scalar(f32::from(u8::from(control[0].meets(beside[1]))));
        let evaluator = InTrapEvaluator::new(self.pieces());
        writer.signed(evaluator.evaluate(self, position) as f32, 200.0);
        for seat in seats {
            for piece in pieces.clone() {
                let in_hand = position.square_of(seat, piece).is_none();
                let cost = self.pieces().list()[piece].cost;
                writer.scalar(f32::from(u8::from(in_hand)));
                writer.scalar(f32::from(u8::from(in_hand && cost <= position.mana(seat))));
            }
        }
        writer.finish(&shape);
    }

    fn index(&self, position: &Position<C, ROOM>, action: Action) -> u16 {
        let cells = self.size() * self.size();
        let spawner = position.square_of(position.mover(), SPAWNER);
        if action.is_pass() {
            return DIRECTIONS as u16 * cells + spawner.unwrap_or(0);
        }
        let (from, to) = self.squares(position, action);
        if position.square_of(position.mover(), action.piece()).is_some() {
            action.direction() as u16 * cells + from
        } else {
            (DIRECTIONS - 1 + action.piece()) as u16 * cells + to
        }
    }

    /// A mover who can capture the enemy spawner wins.
    fn settled(&self, position: &Position<C, ROOM>) -> Option<f32> {
        let mover = position.mover();
        let target = position.square_of(Seat(1 - mover.0), SPAWNER)?;
        let (control, _) = self.control(position, mover);
        control.contains(target).then_some(if mover.0 == 0 { 1.0 } else { -1.0 })
    }

    fn ownership(&self, position: &Position<C, ROOM>, seat: Seat, out: &mut [f32]) {
        for (seat, value) in [(seat, 1.0), (Seat(1 - seat.0), -1.0)] {
            position.occupied(seat).iter().for_each(|cell| out[usize::from(cell)] = value);
        }
    }

    fn margin(&self, position: &Position<C, ROOM>, seat: Seat) -> f32 {
        let count = |seat| position.occupied(seat).count() as f32;
        ((count(seat) - count(Seat(1 - seat.0))) / 6.0).clamp(-1.0, 1.0)
    }

    /// The shifts, and the mirrors that exchange pieces, taken from the rules: what a symmetry does
    /// to a square, a piece and a direction is read off positions and actions.
    fn images(&self) -> Vec<Image> {
        let shape = self.shape();
        let (cells, pieces) = (shape.cells() as u16, self.pieces().list().len());
        (0..self.symmetries())
            .map(|which| {
                let turned = |action: Action| self.image_of_action(which, action);
                let squares: Vec<u16> =
                    (0..cells).map(|cell| self.image_of_square(which, cell)).collect();
                let piece = |piece: usize| turned(Action::new(piece, 0)).piece() as u16;
                let direction =
                    |direction: usize| turned(Action::new(SPAWNER, direction)).direction() as u16;
                let count = pieces as u16;
                let mut planes: Vec<u16> = Vec::new();
                let mut scalars: Vec<u16> = (0..SCALARS as u16).collect();
                for side in 0..2 {
                    planes.extend((0..pieces).map(|number| side * count + piece(number)));
                    let first = SCALARS as u16 + side * 2 * count;
                    for number in 0..pieces {
                        scalars.extend([0, 1].map(|half| first + 2 * piece(number) + half));
                    }
                }
                planes.extend(2 * count..2 * count + BESIDE as u16);
                let mut policy = Vec::new();
                for number in 0..DIRECTIONS {
                    let first = direction(number) * cells;
                    policy.extend(squares.iter().map(|square| first + square));
                }
                for number in SPAWNER + 1..pieces {
                    let first = (DIRECTIONS as u16 - 1 + piece(number)) * cells;
                    policy.extend(squares.iter().map(|square| first + square));
                }
                Image { cells: squares, planes, scalars, policy }
            })
            .collect()
    }

    fn images_of(&self, _: &Position<C, ROOM>) -> usize {
        self.symmetries()
    }
}
