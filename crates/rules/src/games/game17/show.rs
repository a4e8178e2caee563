//! The board for screens: who owns what, how many stand where, who leads, what is being decided.

use super::position::{Action, Game17, Position};
use crate::game::{Notation, Rules, Seat, Show, Turn};
use crate::view::{Mark, Token, View};

/// No more leaders than this are named; at the start all owners lead.
const MOST_NAMED: usize = 4;

impl Show for Game17 {
    fn view(&self, position: &Position) -> View {
        let size = self.size();
        let mut view = View::board(size, size);
        view.wraps = true;
        view.players = Some(self.players().iter().copied().map(Seat).collect());
        for (cell, (owner, number)) in position.owners().iter().zip(position.numbers()).enumerate()
        {
            let square = view.square(cell as u16);
            let seat = Seat(*owner);
            square.owner = Some(seat);
            square.token = (*number > 0).then(|| Token {
                seat: Some(seat),
                text: format!("{owner}:{number}"),
                symbol: None,
                name: format!("{} of {}", counted(*number, "piece"), self.seat_name(seat)),
                count: Some(u32::from(*number)),
            });
        }
        // The squares the orders so far come from; while a toss is due, the one it decides.
        for order in position.orders() {
            view.square(order.cell).mark = Some(Mark::Chosen);
        }
        if let Some(cell) = position.tossed_for() {
            for order in position.orders() {
                view.square(order.cell).mark = None;
            }
            view.square(cell).mark = Some(Mark::Chosen);
        }

        let begun = self.rounds().min(position.round() + 1);
        view.panel(None, "round", format!("{begun} of {}", self.rounds()));
        view.panel(None, "owners left", self.scores(position).len());
        let (leaders, squares) = leaders(self, position);
        view.panel(None, "leading", format!("{leaders} with {squares}"));
        let pieces = position.pieces();
        for player in self.players() {
            let index = usize::from(*player);
            let held = counted(position.squares()[index], "square");
            let army = counted(pieces[index], "piece");
            view.panel(Seat(*player), self.seat_name(Seat(*player)), format!("{held}, {army}"));
        }

        view.status = match self.turn(position) {
            Turn::Player(seat) => {
                let kind = if self.is_zombie(seat) { " (a zombie)" } else { "" };
                let held = counted(position.squares()[seat.index()], "square");
                let army = counted(pieces[seat.index()], "piece");
                format!("{}{kind} to move, with {held} and {army}", self.seat_name(seat))
            }
            Turn::Chance { .. } => {
                let cell = position.tossed_for().expect("a toss is due");
                let owner = Seat(position.owners()[usize::from(cell)]);
                let mover = Seat(position.mover().expect("the game goes on"));
                format!(
                    "a coin decides between {} and {} for square {},{}",
                    self.seat_name(owner),
                    self.seat_name(mover),
                    cell / size,
                    cell % size
                )
            }
            Turn::Over => {
                let early = position.round() < self.rounds();
                let end =
                    if early { "one owner has all the pieces" } else { "all rounds are played" };
                format!("{end}: {leaders} won with {squares}")
            }
        };
        view
    }

    fn path(&self, _: &Position, action: Action) -> Vec<u16> {
        match action {
            Action::End => Vec::new(),
            Action::Order(order) => {
                vec![order.cell, self.neighbour(order.cell, order.direction)]
            }
        }
    }
}

/// Who has the most squares, and how many.
fn leaders(game: &Game17, position: &Position) -> (String, String) {
    let scores = game.scores(position);
    let most = scores.iter().map(|(_, squares)| *squares).max().expect("every square is owned");
    let leaders: Vec<Seat> =
        scores.iter().filter(|(_, squares)| *squares == most).map(|(seat, _)| *seat).collect();
    let names: Vec<String> = leaders.iter().map(|seat| game.seat_name(*seat)).collect();
    match &names[..] {
        [one] => (one.clone(), counted(most, "square")),
        [some @ .., last] if names.len() <= MOST_NAMED => {
            (format!("{} and {last}", some.join(", ")), format!("{} each", counted(most, "square")))
        }
        _ => (counted(names.len() as u32, "owner"), format!("{} each", counted(most, "square"))),
    }
}

fn counted(count: impl Into<u32>, noun: &str) -> String {
    let count = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
