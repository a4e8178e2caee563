//! The board for screens.

use crate::game::{Notation, Rules, Seat, Show, Turn};
use crate::view::{Token, View};

use super::position::{Action, Breakthrough, Position, cells};

impl Show for Breakthrough {
    fn view(&self, position: &Position) -> View {
        let mut view = View::board(self.rows, self.columns);
        view.row_labels = (1..=self.rows).rev().map(|rank| rank.to_string()).collect();
        view.column_labels =
            (0..self.columns).map(|file| char::from(b'a' + file as u8).to_string()).collect();
        for (side, text, symbol) in [(0, "W", '○'), (1, "B", '●')] {
            let name = self.seat_name(Seat(side));
            let set = position.pieces[usize::from(side)];
            for cell in cells(set) {
                view.square(cell).token = Some(Token {
                    seat: Some(Seat(side)),
                    text: text.to_owned(),
                    symbol: Some(symbol),
                    name: format!("{name} piece"),
                    count: None,
                });
            }
            view.panel(Seat(side), format!("{name} pieces"), set.count_ones());
        }
        view.status = match (self.turn(position), self.winner(position)) {
            (Turn::Player(seat), _) => format!("{} to move", self.seat_name(seat)),
            (_, Some(winner)) if position.pieces[usize::from(1 - winner)] == 0 => {
                format!("{} wins: no enemy is left", self.seat_name(Seat(winner)))
            }
            (_, winner) => {
                let name = self.seat_name(Seat(winner.unwrap_or(0)));
                format!("{name} wins: a piece has crossed the board")
            }
        };
        view
    }

    fn path(&self, _: &Position, Action { from, to }: Action) -> Vec<u16> {
        vec![from, to]
    }
}
