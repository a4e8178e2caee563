//! Text for Watch Your Back!: squares `x,y` with the column first and `0,0` at the top left.
//!
//! A placement is `3,2`, a move or jump `3,2-3,4`, a forfeit `pass`. A position reads like
//! `X6X/8/8/8/8/8/8/X6X placing 0`: rows from the top, digits for runs of empty squares, `W`, `B`,
//! `X` a corner, `#` a square that has been removed; then the phase, and the number of actions
//! taken in it.

use crate::error::{Error, Result, quote};
use crate::game::{Notation, Seat};

use super::moves::{Action, Kind};
use super::position::{MOST_TURNS, PLACEMENTS, Phase, Position, SHRINK_TURNS, WatchYourBack};

const EXAMPLE: &str = "a position reads like `X6X/8/8/8/8/8/8/X6X placing 0`";
const MOVES: &str = "a placement reads like `3,2`, a move like `3,2-3,4`, a forfeit `pass`";
/// Neither side ever has more pieces.
const MOST_PIECES: u32 = 12;

impl Position {
    /// What stands on a square: `W`, `B`, `X` a corner, `#` a removed square, `-` nothing.
    pub fn square(&self, square: u16) -> char {
        let bit = 1 << square;
        if self.pieces[0] & bit != 0 {
            'W'
        } else if self.pieces[1] & bit != 0 {
            'B'
        } else if self.corners() & bit != 0 {
            'X'
        } else if self.field() & bit == 0 {
            '#'
        } else {
            '-'
        }
    }
}

impl WatchYourBack {
    /// The position with these 64 squares (as [`Position::square`] names them), phase and count.
    /// Refuses what no game can reach by the counts and the shape of the board.
    pub fn position(&self, squares: &[char; 64], phase: Phase, turn: u32) -> Result<Position> {
        let shrinks =
            (0..3)
                .find(|shrinks| {
                    let empty = Position { shrinks: *shrinks, ..Position::start() };
                    squares.iter().enumerate().all(|(square, found)| {
                        match empty.square(square as u16) {
                            '-' => matches!(found, '-' | 'W' | 'B'),
                            other => *found == other,
                        }
                    })
                })
                .ok_or_else(|| {
                    Error::position("the corners and removed squares fit none of the three boards")
                    .hint("corners stand at 0,0 first, at 1,1 after the first shrink, at 2,2 after \
                           the second")
                })?;
        let pieces = ['W', 'B'].map(|name| {
            let squares = squares.iter().enumerate().filter(|(_, found)| **found == name);
            squares.fold(0, |set, (square, _)| set | 1 << square)
        });
        let position = Position { pieces, turn, shrinks, phase };
        self.check(&position)?;
        Ok(position)
    }

    fn check(&self, position: &Position) -> Result<()> {
        let Position { pieces, turn, shrinks, phase } = *position;
        if phase == Phase::Placing && turn >= PLACEMENTS {
            return Err(Error::position(format!(
                "{turn} placements are too many: after {PLACEMENTS} the moving phase begins"
            )));
        }
        if turn > MOST_TURNS {
            return Err(Error::position(format!(
                "{turn} moving turns are more than are ever counted, {MOST_TURNS}"
            )));
        }
        for (side, pieces) in pieces.iter().enumerate() {
            let name = side_name(side);
            let placed = match phase {
                // White places first, so it is ahead by one on odd counts.
                Phase::Placing => (turn + 1 - side as u32) / 2,
                _ => MOST_PIECES,
            };
            let count = pieces.count_ones();
            if count > placed {
                return Err(Error::position(format!(
                    "{name} has {count} pieces where it can have placed at most {placed}"
                )));
            }
        }
        if phase == Phase::Placing {
            if shrinks > 0 {
                return Err(Error::position("the board cannot have shrunk while placing"));
            }
            return Ok(());
        }
        let due = SHRINK_TURNS.iter().filter(|at| turn >= **at).count();
        // A game that was won on the very turn of a shrink keeps the larger board.
        let won_before_the_shrink = position.is_decided()
            && SHRINK_TURNS.contains(&turn)
            && usize::from(shrinks) + 1 == due;
        if usize::from(shrinks) != due && !won_before_the_shrink {
            return Err(Error::position(format!(
                "the board has shrunk {shrinks} times where {due} belong after {turn} moving turns"
            )));
        }
        match (self.is_completed(position), phase) {
            (true, Phase::Moving) => Err(Error::position("the game is over in this position")
                .hint("its phase is `completed`")),
            (false, Phase::Completed) => {
                Err(Error::position("the game is not over in this position")
                    .hint("its phase is `moving`"))
            }
            _ => Ok(()),
        }
    }
}

fn side_name(side: usize) -> &'static str {
    ["white", "black"][side]
}

/// The name of a square, column first.
pub(super) fn square_name(square: u16) -> String {
    format!("{},{}", square % 8, square / 8)
}

fn read_square(text: &str, whole: &str) -> Result<u16> {
    let coordinate = |text: &str| text.trim().parse::<u16>().ok().filter(|number| *number < 8);
    let square = text.trim().trim_start_matches('(').trim_end_matches(')');
    let read = square
        .split_once(',')
        .and_then(|(column, row)| Some((coordinate(column)?, coordinate(row)?)));
    match read {
        Some((column, row)) => Ok(8 * row + column),
        None => Err(Error::unreadable(format!("{} is not a square", quote(text.trim())))
            .within(format_args!("cannot read the move {}", quote(whole)))
            .hint(format!("squares go from `0,0` to `7,7`, column first; {MOVES}"))),
    }
}

impl Notation for WatchYourBack {
    fn write_position(&self, position: &Position) -> String {
        let mut text = String::new();
        for row in 0..8 {
            if row > 0 {
                text.push('/');
            }
            let mut run = 0;
            for square in 8 * row..8 * (row + 1) {
                match position.square(square) {
                    '-' => run += 1,
                    piece => {
                        if run > 0 {
                            text.push_str(&run.to_string());
                            run = 0;
                        }
                        text.push(piece);
                    }
                }
            }
            if run > 0 {
                text.push_str(&run.to_string());
            }
        }
        let phase = match position.phase {
            Phase::Placing => "placing",
            Phase::Moving => "moving",
            Phase::Completed => "completed",
        };
        format!("{text} {phase} {}", position.turn)
    }

    fn read_position(&self, text: &str) -> Result<Position> {
        let mut words = text.split_whitespace();
        let board = words.next().unwrap_or("");
        let rows = board.split('/').count();
        if rows != 8 {
            let message = format!("the board has {rows} rows where 8 belong");
            return Err(Error::position(message).hint(EXAMPLE));
        }
        let mut squares = ['-'; 64];
        for (number, row) in board.split('/').enumerate() {
            let mut column = 0;
            for sign in row.chars() {
                match sign.to_ascii_uppercase() {
                    '1'..='8' => column += sign as usize - '0' as usize,
                    found @ ('W' | 'B' | 'X' | '#') => {
                        if column < 8 {
                            squares[8 * number + column] = found;
                        }
                        column += 1;
                    }
                    _ => {
                        return Err(Error::position(format!(
                            "row {number}, {}, has the unknown sign {}",
                            quote(row),
                            quote(&sign.to_string())
                        ))
                        .hint("rows are made of `W`, `B`, `X`, `#` and numbers of empty squares"));
                    }
                }
            }
            if column != 8 {
                return Err(Error::position(format!(
                    "row {number}, {}, has {column} squares where 8 belong",
                    quote(row)
                ))
                .hint(EXAMPLE));
            }
        }
        let phase = match words.next().map(str::to_lowercase).as_deref() {
            Some("placing") => Phase::Placing,
            Some("moving") => Phase::Moving,
            Some("completed") => Phase::Completed,
            other => {
                let found = other.map_or("nothing".to_owned(), quote);
                return Err(Error::position(format!(
                    "the phase is {found} where `placing`, `moving` or `completed` belongs"
                ))
                .hint(EXAMPLE));
            }
        };
        let count = words.next();
        let turn = count.and_then(|count| count.parse().ok()).filter(|turn| *turn <= MOST_TURNS);
        let Some(turn) = turn else {
            let found = count.map_or("nothing".to_owned(), quote);
            return Err(Error::position(format!(
                "the number of actions in the phase is {found} where a number up to {MOST_TURNS} \
                 belongs"
            ))
            .hint(EXAMPLE));
        };
        if let Some(extra) = words.next() {
            let message = format!("{} is left over after the position", quote(extra));
            return Err(Error::position(message).hint(EXAMPLE));
        }
        self.position(&squares, phase, turn)
    }

    fn write_action(&self, _: &Position, action: Action, out: &mut String) {
        match action.kind() {
            Kind::Place => out.push_str(&square_name(action.to())),
            Kind::Move => {
                out.push_str(&square_name(action.from()));
                out.push('-');
                out.push_str(&square_name(action.to()));
            }
            Kind::Pass => out.push_str("pass"),
        }
    }

    fn read_turn(&self, _: &Position, text: &str) -> Result<Vec<Action>> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("pass") {
            return Ok(vec![Action::PASS]);
        }
        Ok(vec![match text.split_once('-') {
            Some((from, to)) => Action::shift(read_square(from, text)?, read_square(to, text)?),
            None => Action::place(read_square(text, text)?),
        }])
    }

    fn objection(&self, position: &Position, action: Action) -> String {
        let side = position.mover();
        let name = side_name(side);
        let [from, to] = [action.from(), action.to()];
        let (origin, target) = (square_name(from), square_name(to));
        let occupied = |square: u16| match position.square(square) {
            'X' => Some("a corner"),
            '#' => Some("no longer on the board"),
            '-' => None,
            _ => Some("occupied"),
        };
        match (position.phase, action.kind()) {
            (Phase::Placing, Kind::Place) => match occupied(to) {
                Some(what) => format!("`{target}` is {what}"),
                None => {
                    format!("{name} places on rows {}", if side == 0 { "0 to 5" } else { "2 to 7" })
                }
            },
            (Phase::Placing, _) => "pieces are still being placed".to_owned(),
            (_, Kind::Place) => "all pieces have been placed; a move has two squares".to_owned(),
            (_, Kind::Pass) => format!("{name} has a move and must take it"),
            (_, Kind::Move) => {
                if position.pieces[side] & 1 << from == 0 {
                    return format!("no {name} piece stands on `{origin}`");
                }
                if let Some(what) = occupied(to) {
                    return format!("`{target}` is {what}");
                }
                let columns = (from % 8).abs_diff(to % 8);
                let rows = (from / 8).abs_diff(to / 8);
                match (columns, rows) {
                    (0, 2) | (2, 0) => {
                        // Halfway there: no piece, or a corner, which cannot be jumped.
                        let over = square_name(u16::midpoint(from, to));
                        format!("there is no piece to jump over on `{over}`")
                    }
                    _ => format!(
                        "a piece steps one square or jumps two in a line; `{target}` is not so far \
                         from `{origin}`"
                    ),
                }
            }
        }
    }

    fn seat_name(&self, seat: Seat) -> String {
        side_name(seat.index()).to_owned()
    }
}
