//! Pictures of Amazons.

use crate::cells::Cells;
use crate::game::{Rules, Seat, Show, Turn};
use crate::view::{Ground, Mark, Token, View};

use super::position::{Amazons, Cell, Position, Stage};

/// A burning square is drawn as a wall, which is what it is to both sides.
const ARROW: char = '■';

impl<C: Cells> Show for Amazons<C> {
    fn view(&self, position: &Position<C>) -> View {
        let mut view = View::board(self.height, self.width);
        view.row_labels = (1..=self.height).rev().map(|rank| rank.to_string()).collect();
        view.column_labels =
            (0..self.width).map(|file| char::from(b'a' + file as u8).to_string()).collect();
        for (side, (text, symbol, name)) in
            [("Q", '♕', "white amazon"), ("q", '♛', "black amazon")].into_iter().enumerate()
        {
            view.explain(Seat(side as u16), text, symbol, name);
            for cell in position.sides[side].iter() {
                view.square(cell).token = Some(Token {
                    seat: Some(Seat(side as u16)),
                    text: text.to_owned(),
                    symbol: Some(symbol),
                    name: name.to_owned(),
                    count: None,
                });
            }
        }
        view.explain(None, "*", ARROW, "arrow");
        for cell in position.arrows.iter() {
            let square = view.square(cell);
            square.ground = Ground::Blocked;
            square.token = Some(Token {
                seat: None,
                text: "*".to_owned(),
                symbol: Some(ARROW),
                name: "arrow".to_owned(),
                count: None,
            });
        }
        let chosen = match position.stage {
            Stage::Choose => vec![],
            Stage::Move { from } => vec![from],
            Stage::Shoot { from, to } => vec![from, to],
        };
        for cell in chosen {
            view.square(cell).mark = Some(Mark::Chosen);
        }
        view.panel(None, "arrows", position.arrows.count());
        let side = ["white", "black"][position.mover()];
        let other = ["black", "white"][position.mover()];
        view.status = match (self.turn(position), position.stage) {
            (Turn::Over, _) => format!("{other} wins: {side} cannot move"),
            (_, Stage::Choose) => format!("{side} to choose an amazon"),
            (_, Stage::Move { from }) => {
                format!("{side} to move the amazon on {}", self.cell_name(from))
            }
            (_, Stage::Shoot { to, .. }) => format!("{side} to shoot from {}", self.cell_name(to)),
        };
        view
    }

    fn path(&self, _: &Position<C>, action: Cell) -> Vec<u16> {
        vec![action.0]
    }
}
