//! Moves and positions as text.
//!
//! A turn is `spawn FL north`, `move FL north` or `pass`. A position is one line: the rows from the
//! top, separated by `/`, the player to move, the mana of both players and the number of moves
//! played. Within a row, separated by commas, a run of dots is that many empty squares and anything
//! else is a piece's sign and its player:
//!
//! ```text
//! ....,SP2,./....../....../....../....../.,SP1,.... 1 4,5 0
//! ```

use super::pieces::{DIRECTION_NAMES, Piece};
use super::position::{Action, InTrap, MOST_COUNT, OFF, Position, SPAWNER};
use crate::cells::Cells;
use crate::error::{Error, ErrorKind, Result, nearest, quote};
use crate::game::{Notation, Seat};

/// The directions for those who type little, in the order of [`DIRECTION_NAMES`].
const SHORT_DIRECTION_NAMES: [&str; 8] = ["nw", "n", "ne", "w", "e", "sw", "s", "se"];

impl<C: Cells, const ROOM: usize> Notation for InTrap<C, ROOM> {
    fn write_position(&self, position: &Self::Position) -> String {
        let mut tokens: Vec<Option<String>> = vec![None; usize::from(self.size * self.size)];
        for player in 0..2 {
            for (piece, cell) in self.standing(position, player) {
                tokens[usize::from(cell)] = Some(format!("{}{}", piece.display, player + 1));
            }
        }
        let write_row = |row: &[Option<String>]| {
            let (mut parts, mut dots) = (Vec::new(), String::new());
            for token in row {
                let Some(token) = token else {
                    dots.push('.');
                    continue;
                };
                if !dots.is_empty() {
                    parts.push(std::mem::take(&mut dots));
                }
                parts.push(token.clone());
            }
            if !dots.is_empty() {
                parts.push(dots);
            }
            parts.join(",")
        };
        let rows: Vec<String> = tokens.chunks(usize::from(self.size)).map(write_row).collect();
        format!(
            "{} {} {},{} {}",
            rows.join("/"),
            position.mover + 1,
            position.mana[0],
            position.mana[1],
            position.moves
        )
    }

    fn read_position(&self, text: &str) -> Result<Self::Position> {
        // One more than there should be is enough to know that there are too many.
        let fields: Vec<&str> = text.split_whitespace().take(5).collect();
        let [rows, mover, mana, moves] = fields[..] else {
            let found = match fields.len() {
                5 => "more than four".to_owned(),
                found => found.to_string(),
            };
            return Err(Error::position(format!(
                "the position {} has {found} parts",
                quote(text.trim())
            ))
            .hint(format!(
                "four are needed: rows, player to move, mana, moves played, as in `{}`",
                self.write_position(&self.start())
            )));
        };
        let mut position = Position::empty();
        self.read_rows(rows, &mut position)?;
        position.mover = match mover {
            "1" => 0,
            "2" => 1,
            _ => {
                return Err(Error::position(format!("the player to move is {}", quote(mover)))
                    .hint("the player to move is `1` or `2`"));
            }
        };
        position.mana = mana
            .split_once(',')
            .and_then(|(first, second)| Some([read_count(first)?, read_count(second)?]))
            .ok_or_else(|| {
                Error::position(format!("the mana is {}", quote(mana))).hint(format!(
                    "the mana is two whole numbers from 0 to {MOST_COUNT}, player 1's first, as \
                     in `4,5`"
                ))
            })?;
        let most = self.move_limit.unwrap_or(MOST_COUNT);
        position.moves = read_count(moves).filter(|moves| *moves <= most).ok_or_else(|| {
            Error::position(format!("the number of moves played is {}", quote(moves))).hint(
                format!(
                    "the number of moves played is a whole number from 0 to {most}{}",
                    if self.move_limit.is_some() { ", the move limit" } else { "" }
                ),
            )
        })?;
        self.check_spawners(&position)?;
        Ok(position)
    }

    fn write_action(&self, position: &Self::Position, action: Action, out: &mut String) {
        if action.is_pass() {
            out.push_str("pass");
            return;
        }
        let is_spawn = position.square_of(position.mover(), action.piece()).is_none();
        out.push_str(if is_spawn { "spawn " } else { "move " });
        out.push_str(&self.pieces.list()[action.piece()].display);
        out.push(' ');
        out.push_str(DIRECTION_NAMES[action.direction()]);
    }

    fn read_turn(&self, position: &Self::Position, text: &str) -> Result<Vec<Action>> {
        const FORM: &str = "a turn is `spawn PIECE direction`, `move PIECE direction` or `pass`";
        let unreadable =
            || Error::unreadable(format!("cannot read the turn {}", quote(text.trim())));
        // A direction may be in two words, and one word more is enough to know that it is wrong.
        let words: Vec<&str> = text.split_whitespace().take(5).collect();
        let verb = words.first().map_or(String::new(), |word| lower(word));
        let (sign, towards) = match (verb.as_str(), &words[..]) {
            ("pass", [_]) => return Ok(vec![Action::PASS]),
            ("spawn" | "move", [_, sign, towards @ ..]) if matches!(towards.len(), 1 | 2) => {
                (*sign, towards)
            }
            _ => return Err(unreadable().hint(FORM)),
        };
        let piece = self.read_piece(sign).map_err(|error| error.within(unreadable()))?;
        let towards = lower(&towards.concat()).replace(['-', '_'], "");
        let direction = DIRECTION_NAMES
            .iter()
            .position(|name| *name == towards)
            .or_else(|| SHORT_DIRECTION_NAMES.iter().position(|name| *name == towards))
            .ok_or_else(|| {
                let meant = nearest(&towards, DIRECTION_NAMES);
                let hint = meant.map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
                Error::unreadable(format!("no direction is called {}", quote(&towards)))
                    .within(unreadable())
                    .hint(format!("{hint}the directions are {}", DIRECTION_NAMES.join(", ")))
            })?;

        // An action does not say whether it is meant as a spawn or as a move, so a verb that does
        // not fit has to be refused here.
        let is_on_board = position.square_of(position.mover(), piece).is_some();
        let objection = match verb.as_str() {
            "spawn" if is_on_board => "is on the board, and only a piece off it can be spawned",
            "move" if !is_on_board => "is off the board, and only a piece on it can move",
            _ => return Ok(vec![Action::new(piece, direction)]),
        };
        Err(Error::new(
            ErrorKind::Illegal,
            format!(
                "illegal turn {} for {}: `{}` {objection}",
                quote(text.trim()),
                self.seat_name(position.mover()),
                self.pieces.list()[piece].display
            ),
        )
        .hint(format!("it may be a {}", if is_on_board { "`move`" } else { "`spawn`" })))
    }

    fn objection(&self, position: &Self::Position, action: Action) -> String {
        let mover = position.mover();
        if self.is_over(position) {
            return "the game is over".to_owned();
        }
        if action.is_pass() {
            return "a player passes only when there is nothing else to do".to_owned();
        }
        let Some(piece) = self.pieces.list().get(action.piece()) else {
            return "there is no such piece".to_owned();
        };
        let Piece { display, cost, .. } = piece;
        let mana = position.mana(mover);
        let is_spawn = position.square_of(mover, action.piece()).is_none();
        if is_spawn && *cost > mana {
            return format!("`{display}` costs {cost} mana and {mana} are left");
        }
        let towards = DIRECTION_NAMES[action.direction()];
        let (origin, target) = self.squares(position, action);
        if origin == target {
            return match piece.distances[action.direction()] {
                0 => format!("`{display}` cannot move {towards}"),
                distance => format!(
                    "`{display}` cannot move {towards}: its {distance} squares end where they began"
                ),
            };
        }
        let (row, column) = (target / self.size, target % self.size);
        match self.token_on(position, target) {
            Some(token) => format!("`{token}` stands on row {row}, column {column}"),
            None => "nothing forbids it".to_owned(),
        }
    }

    fn seat_name(&self, seat: Seat) -> String {
        format!("player {}", u32::from(seat.0) + 1)
    }
}

impl<C: Cells, const ROOM: usize> InTrap<C, ROOM> {
    /// A player's pieces on the board, and their squares.
    pub(super) fn standing<'a>(
        &'a self,
        position: &'a Position<C, ROOM>,
        player: usize,
    ) -> impl Iterator<Item = (&'a Piece, u16)> {
        let cells = position.cells[player].iter().copied();
        self.pieces.list().iter().zip(cells).filter(|(_, cell)| *cell != OFF)
    }

    /// The sign and player of what stands on a square.
    fn token_on(&self, position: &Position<C, ROOM>, cell: u16) -> Option<String> {
        (0..2).find_map(|player| {
            let (piece, _) = self.standing(position, player).find(|(_, stands)| *stands == cell)?;
            Some(format!("{}{}", piece.display, player + 1))
        })
    }

    fn read_rows(&self, text: &str, position: &mut Position<C, ROOM>) -> Result<()> {
        let size = self.size;
        let found = text.split('/').count();
        if found != usize::from(size) {
            return Err(Error::position(format!("the board has {found} rows")).hint(format!(
                "there are {size} rows, separated by `/`, on this board of {size}×{size}"
            )));
        }
        for (row, text) in (0..size).zip(text.split('/')) {
            self.read_row(row, text, position)
                .map_err(|error| error.within(format_args!("row {row}")))?;
        }
        Ok(())
    }

    fn read_row(&self, row: u16, text: &str, position: &mut Position<C, ROOM>) -> Result<()> {
        let size = self.size;
        let wrong_width = |found: &str| {
            Error::position(format!("{} has {found} squares", quote(text))).hint(format!(
                "a row has {size} squares: a run of dots is that many empty ones, and pieces and \
                 runs are separated by commas"
            ))
        };
        let mut column = 0;
        for token in text.split(',') {
            if token.is_empty() {
                return Err(Error::position(format!("there is an empty entry in {}", quote(text)))
                    .hint("between two commas stands a run of dots or a piece"));
            }
            let is_run = token.bytes().all(|byte| byte == b'.');
            let width = if is_run { token.len() } else { 1 };
            if width > usize::from(size - column) {
                return Err(wrong_width("too many"));
            }
            if !is_run {
                let (piece, player) = self.read_token(token)?;
                if position.cells[player][piece] != OFF {
                    return Err(Error::position(format!("{} is on the board twice", quote(token)))
                        .hint("each player has one of each piece"));
                }
                position.place(player, piece, row * size + column);
            }
            column += width as u16;
        }
        if column < size {
            return Err(wrong_width(&format!("only {column}")));
        }
        Ok(())
    }

    /// A piece and its player: `SP2`.
    fn read_token(&self, token: &str) -> Result<(usize, usize)> {
        let (sign, player) = match (token.strip_suffix('1'), token.strip_suffix('2')) {
            (Some(sign), _) => (sign, 0),
            (_, Some(sign)) => (sign, 1),
            _ => {
                return Err(Error::position(format!("{} does not end in a player", quote(token)))
                    .hint("a piece is its sign and `1` or `2` for its player, as in `SP1`"));
            }
        };
        let piece = self
            .pieces
            .list()
            .iter()
            .position(|piece| piece.display == sign)
            .ok_or_else(|| Error { kind: ErrorKind::Position, ..self.unknown_piece(sign) })?;
        Ok((piece, player))
    }

    /// A piece's number by its sign in any case. Signs that differ in case alone have to be typed
    /// exactly.
    fn read_piece(&self, sign: &str) -> Result<usize> {
        let pieces = self.pieces.list();
        if let Some(exact) = pieces.iter().position(|piece| piece.display == sign) {
            return Ok(exact);
        }
        let sign_in_lower_case = lower(sign);
        let mut alike = (0..pieces.len())
            .filter(|&piece| pieces[piece].display.to_lowercase() == sign_in_lower_case);
        match (alike.next(), alike.next()) {
            (Some(piece), None) => Ok(piece),
            _ => Err(self.unknown_piece(sign)),
        }
    }

    fn unknown_piece(&self, sign: &str) -> Error {
        let signs: Vec<&str> = self.pieces.list().iter().map(|piece| &*piece.display).collect();
        Error::unreadable(format!("no piece has the sign {}", quote(sign)))
            .hint(format!("the pieces are {}", signs.join(", ")))
    }

    /// A captured spawner ends the game, so at most one is missing, and the turn has passed to the
    /// player who lost it.
    fn check_spawners(&self, position: &Position<C, ROOM>) -> Result<()> {
        let sign = &self.pieces.list()[SPAWNER].display;
        let missing = [0, 1].map(|player| position.cells[player][SPAWNER] == OFF);
        match missing {
            [false, false] => Ok(()),
            [true, true] => Err(Error::position("neither spawner is on the board").hint(format!(
                "`{sign}1` and `{sign}2` have to be there; one of them is missing once the game is \
                 won"
            ))),
            [first, _] => {
                let loser = u8::from(!first);
                let name = self.seat_name(Seat(u16::from(loser)));
                if position.mover == loser {
                    return Ok(());
                }
                Err(Error::position(format!("`{sign}{}` is missing", loser + 1)).hint(format!(
                    "only in a finished game is {name}'s spawner off the board, and then {name} \
                     would be the one to move"
                )))
            }
        }
    }
}

/// A word in lower case, or as much of it as any word we know.
fn lower(word: &str) -> String {
    word.chars().take(64).flat_map(char::to_lowercase).collect()
}

/// A plain whole number: digits and nothing else.
fn read_count(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok())?.filter(|count| *count <= MOST_COUNT)
}
