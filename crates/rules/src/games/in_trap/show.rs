//! The board as a picture: pieces with their signs, and mana, waiting pieces and the move count
//! beside it.

use super::position::{Action, InTrap, Position, SPAWNER};
use crate::cells::Cells;
use crate::game::{Notation, Rules, Seat, Show, Turn};
use crate::view::{Token, View};

impl<C: Cells, const ROOM: usize> Show for InTrap<C, ROOM> {
    fn view(&self, position: &Self::Position) -> View {
        let mut view = View::board(self.size, self.size);
        view.wraps = true;
        for player in 0..2 {
            let seat = Seat(player as u16);
            let name = self.seat_name(seat);
            for (piece, cell) in self.standing(position, player) {
                view.square(cell).token = Some(Token {
                    seat: Some(seat),
                    text: format!("{}{}", piece.display, player + 1),
                    symbol: None,
                    name: format!("{name}'s {}", piece.name),
                    count: None,
                });
            }
            view.panel(seat, format!("{name} mana"), position.mana(seat));
            view.panel(seat, format!("{name} off the board"), self.waiting(position, seat));
        }
        for piece in self.pieces.list() {
            view.explain(None, piece.display.to_string(), None, piece.name.to_string());
        }
        for number in 0..2 {
            let (seat, sign) = (Seat(number), self.pieces.list()[SPAWNER].display.to_string());
            let meaning = format!("{}'s", self.seat_name(seat));
            view.explain(seat, format!("{sign}{}", number + 1), None, meaning);
        }
        let played = match self.move_limit {
            Some(limit) => format!("{} of {limit}", position.moves),
            None => position.moves.to_string(),
        };
        view.panel(None, "moves played", played);
        view.status = self.status(position);
        view
    }

    fn path(&self, position: &Self::Position, action: Action) -> Vec<u16> {
        if action.is_pass() {
            return Vec::new();
        }
        let (origin, target) = self.squares(position, action);
        vec![origin, target]
    }
}

impl<C: Cells, const ROOM: usize> InTrap<C, ROOM> {
    /// A player's pieces off the board with what they cost: `FL 5, JP 5`.
    fn waiting(&self, position: &Position<C, ROOM>, seat: Seat) -> String {
        let pieces = self.pieces.list().iter().enumerate();
        let waiting: Vec<String> = pieces
            .filter(|(number, _)| position.square_of(seat, *number).is_none())
            .map(|(_, piece)| format!("{} {}", piece.display, piece.cost))
            .collect();
        if waiting.is_empty() { "none".to_owned() } else { waiting.join(", ") }
    }

    fn status(&self, position: &Position<C, ROOM>) -> String {
        if let Turn::Player(seat) = self.turn(position) {
            let name = self.seat_name(seat);
            return if self.legal(position).count() == 0 {
                format!("{name} can neither spawn nor move and has to pass")
            } else {
                format!("{name} to spawn or move a piece")
            };
        }
        let loser = (0..2).map(Seat).find(|seat| position.square_of(*seat, SPAWNER).is_none());
        match loser {
            Some(loser) => {
                let winner = Seat(1 - loser.0);
                let (winner, loser) = (self.seat_name(winner), self.seat_name(loser));
                format!("{winner} has captured {loser}'s spawner and won")
            }
            None => format!("a draw: no spawner has fallen in {} moves", position.moves),
        }
    }
}
