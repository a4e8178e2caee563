//! Pictures of Watch Your Back!

use crate::game::{Ending, Rules, Seat, Show};
use crate::view::{Ground, Mark, Token, View};

use super::moves::{Action, Kind};
use super::position::{PLACEMENTS, Phase, Position, SHRINK_TURNS, WatchYourBack};

/// How many turns before a shrink the doomed squares are pointed out.
const WARNING_TURNS: u32 = 32;

impl Show for WatchYourBack {
    fn view(&self, position: &Position) -> View {
        let mut view = View::board(8, 8);
        let token = |seat: Option<u16>, text: &str, symbol, name: &str| Token {
            seat: seat.map(Seat),
            text: text.to_owned(),
            symbol: Some(symbol),
            name: name.to_owned(),
            count: None,
        };
        for cell in 0..64 {
            let square = view.square(cell);
            match position.square(cell) {
                'W' => square.token = Some(token(Some(0), "W", '○', "white piece")),
                'B' => square.token = Some(token(Some(1), "B", '●', "black piece")),
                'X' => {
                    square.ground = Ground::Blocked;
                    square.token = Some(token(None, "X", '✕', "corner"));
                }
                '#' => square.ground = Ground::Removed,
                _ => {}
            }
        }
        view.explain(Seat(0), "W", '○', "white");
        view.explain(Seat(1), "B", '●', "black");
        view.explain(None, "X", '✕', "corner");
        let next_shrink = SHRINK_TURNS.get(usize::from(position.shrinks)).copied();
        if position.phase == Phase::Moving
            && let Some(at) = next_shrink.filter(|at| at - position.turn <= WARNING_TURNS)
        {
            let smaller = Position { shrinks: position.shrinks + 1, ..*position };
            let doomed = position.field() & (!smaller.field() | smaller.corners());
            for cell in (0..64).filter(|cell| doomed & 1 << cell != 0) {
                view.square(cell).mark = Some(Mark::Doomed);
            }
            view.panel(None, "the board shrinks in", turns(at - position.turn));
        }
        for side in 0..2u16 {
            let name = ["white", "black"][usize::from(side)];
            let count = position.pieces(usize::from(side)).count_ones();
            view.panel(Seat(side), format!("{name} pieces"), count);
            if position.phase == Phase::Placing {
                let placed = (position.turn + 1 - u32::from(side)) / 2;
                view.panel(Seat(side), format!("{name} still to place"), PLACEMENTS / 2 - placed);
            }
        }
        let name = ["white", "black"][position.mover()];
        view.status = match position.phase {
            Phase::Placing => {
                format!("{name} to place piece {} of {}", position.turn / 2 + 1, PLACEMENTS / 2)
            }
            Phase::Moving if position.can_move(position.mover()) => {
                format!("{name} to move, turn {}", position.turn)
            }
            Phase::Moving => format!("{name} cannot move and must pass, turn {}", position.turn),
            Phase::Completed => self.verdict(position),
        };
        view
    }

    fn path(&self, _: &Position, action: Action) -> Vec<u16> {
        match action.kind() {
            Kind::Place => vec![action.to()],
            Kind::Move => vec![action.from(), action.to()],
            Kind::Pass => vec![],
        }
    }
}

impl WatchYourBack {
    fn verdict(&self, position: &Position) -> String {
        match (self.ending(position), self.payoff(position, Seat(0))) {
            (Ending::MoveLimit, _) => format!("draw: {} moving turns are over", position.turn),
            (Ending::Deadlock, _) => "draw: neither side will ever move again".to_owned(),
            (Ending::Normal, payoff) if payoff > 0.0 => {
                "white wins: black has fewer than two pieces left".to_owned()
            }
            (Ending::Normal, payoff) if payoff < 0.0 => {
                "black wins: white has fewer than two pieces left".to_owned()
            }
            (Ending::Normal, _) => "draw: both sides have fewer than two pieces left".to_owned(),
        }
    }
}

fn turns(count: u32) -> String {
    format!("{count} turn{}", if count == 1 { "" } else { "s" })
}
