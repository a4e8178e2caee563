//! The JSON of the original tool: the board at the start, and what changed in each turn. The orders
//! themselves are not in it.
//!
//! Keys beyond `owners`, `numbers` and `diffs` are ours; the original passes over them, and games
//! without them are read all the same.

use serde::{Deserialize, Serialize};
use skirmish_rules::games::game17::{Game17, MOST_SIZE, Position};
use skirmish_rules::table::{Open, Table};
use skirmish_rules::{Error, ErrorKind, Result, Seat, Show, Turn, View};

use crate::record::{Event, Record};

/// A game as the original tool keeps it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Diffs {
    /// Who owned each square at the start, row by row.
    pub owners: Vec<Vec<u16>>,
    /// How many pieces stood on each.
    pub numbers: Vec<Vec<u16>>,
    /// What changed, turn by turn.
    pub diffs: Vec<Diff>,
    /// How many rounds were to be played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_rounds: Option<u32>,
    /// The order in which the owners take their turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_order: Option<Vec<u16>>,
    /// The owners that are no zombies, and who they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<std::collections::BTreeMap<u16, String>>,
}

/// What one turn changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Diff {
    /// The round, from 0.
    pub round: u32,
    /// Whose turn it was.
    pub owner: u16,
    /// Squares with a new owner: row, column, owner.
    pub owners: Vec<(u16, u16, u16)>,
    /// Squares with a new number of pieces: row, column, number.
    pub numbers: Vec<(u16, u16, u16)>,
}

/// The boards of a game, one after the other.
pub(crate) struct Boards {
    game: Game17,
    turn_order: Vec<u16>,
    /// Owners and numbers at the start and after each turn.
    boards: Vec<(Vec<u16>, Vec<u16>)>,
}

impl Diffs {
    pub(crate) fn boards(&self) -> Result<Boards> {
        let size = self.owners.len();
        let wrong = |message: String| Error::new(ErrorKind::Unreadable, message);
        let is_square =
            |rows: &[Vec<u16>]| rows.len() == size && rows.iter().all(|row| row.len() == size);
        if size == 0 || size > usize::from(MOST_SIZE) || !is_square(&self.owners) {
            let hint = format!("boards have 1 to {MOST_SIZE} rows, and as many columns");
            return Err(wrong("`owners` is not a square board".to_owned()).hint(hint));
        }
        if !is_square(&self.numbers) {
            return Err(wrong(format!("`numbers` is not {size} rows of {size} numbers")));
        }
        let played = self.diffs.iter().map(|diff| diff.round + 1).max().unwrap_or(0);
        let rounds = self.num_rounds.unwrap_or(played).max(played);
        let players: Vec<u16> = self.players.iter().flatten().map(|(owner, _)| *owner).collect();
        let cells = (size * size) as u16;
        if let Some(owner) = players.iter().find(|owner| **owner >= cells) {
            return Err(wrong(format!("there is no owner {owner} on a board of {cells} squares")));
        }
        let game = Game17::new(size as u16, rounds, &players);

        let mut boards = vec![(self.owners.concat(), self.numbers.concat())];
        for (ply, diff) in self.diffs.iter().enumerate() {
            let (mut owners, mut numbers) = boards[ply].clone();
            for (changes, board, what) in
                [(&diff.owners, &mut owners, "owners"), (&diff.numbers, &mut numbers, "numbers")]
            {
                for &(row, column, value) in changes {
                    let (row, column) = (usize::from(row), usize::from(column));
                    if row >= size || column >= size {
                        let message = format!("turn {ply}: `{what}` changes {row},{column}");
                        return Err(
                            wrong(message).hint(format!("the board ends at {0},{0}", size - 1))
                        );
                    }
                    board[row * size + column] = value;
                }
            }
            boards.push((owners, numbers));
        }
        Ok(Boards { game, turn_order: self.order(cells), boards })
    }

    /// The order of turns: as told, or else as it shows in the first round.
    fn order(&self, cells: u16) -> Vec<u16> {
        let told = self.turn_order.iter().flatten().copied();
        let shown = self.diffs.iter().map(|diff| diff.owner);
        let mut order = Vec::new();
        let mut seen = vec![false; usize::from(cells)];
        for owner in told.chain(shown).chain(0..cells).filter(|owner| *owner < cells) {
            if !std::mem::replace(&mut seen[usize::from(owner)], true) {
                order.push(owner);
            }
        }
        order
    }
}

impl Boards {
    /// The board after so many turns, for screens.
    pub(crate) fn view(&self, diffs: &Diffs, turns: usize) -> Result<View> {
        let position = self.position(diffs, turns);
        Ok(self.game.view(&position.map_err(|error| error.within(format!("turn {turns}")))?))
    }

    fn position(&self, diffs: &Diffs, turns: usize) -> Result<Position> {
        let (owners, numbers) = &self.boards[turns];
        let next = diffs.diffs.get(turns);
        let last = turns.checked_sub(1).and_then(|turn| diffs.diffs.get(turn));
        let (round, place) = match (next, last) {
            (Some(next), _) => {
                let place = self.turn_order.iter().position(|owner| *owner == next.owner);
                (next.round, Some(place.unwrap_or(0) as u16))
            }
            (None, last) => {
                let mut armies = owners.iter().zip(numbers).filter(|(_, number)| **number > 0);
                let first = armies.next().map(|(owner, _)| owner);
                let is_one_army = armies.all(|(owner, _)| Some(owner) == first);
                let round = match last {
                    Some(last) if is_one_army => last.round,
                    _ => self.game.rounds(),
                };
                (round, None)
            }
        };
        self.game.arrange(owners, numbers, &self.turn_order, round, place)
    }
}

/// A game in which nothing has been played yet.
pub fn begin(game: &Game17, position: &Position) -> Diffs {
    let rows = |cells: &[u16]| cells.chunks(game.size().into()).map(<[u16]>::to_vec).collect();
    Diffs {
        owners: rows(position.owners()),
        numbers: rows(position.numbers()),
        diffs: Vec::new(),
        num_rounds: Some(game.rounds()),
        turn_order: Some(position.turn_order().to_vec()),
        players: None,
    }
}

/// What a turn changed.
pub fn diff(before: &Position, after: &Position, owner: u16) -> Diff {
    let size = before.size();
    let changes = |before: &[u16], after: &[u16]| {
        let mut changes = Vec::new();
        for (cell, (before, after)) in before.iter().zip(after).enumerate() {
            if before != after {
                changes.push((cell as u16 / size, cell as u16 % size, *after));
            }
        }
        changes
    };
    Diff {
        round: before.round(),
        owner,
        owners: changes(before.owners(), after.owners()),
        numbers: changes(before.numbers(), after.numbers()),
    }
}

impl Diffs {
    /// The game of a record, in the original tool's shape.
    pub fn of_record(record: &Record) -> Result<Diffs> {
        let wrong = || {
            let message = format!("a game of `{}`, not of `game17`", record.game);
            Error::new(ErrorKind::Unreadable, message)
        };
        let mut walk = record.walk()?;
        let (game, mut before) = {
            let (game, position) = typed(walk.table()).ok_or_else(wrong)?;
            (game.clone(), position.clone())
        };
        let mut diffs = begin(&game, &before);
        let mut mover = None;
        while let Some(event) = walk.step()? {
            if let Event::Move { seat: Seat(owner), .. } = event {
                mover = Some(*owner);
            }
            let (_, position) = typed(walk.table()).ok_or_else(wrong)?;
            if !matches!(walk.table().turn(), Turn::Chance { .. })
                && let Some(owner) = mover.take()
            {
                diffs.diffs.push(diff(&before, position, owner));
                before.clone_from(position);
            }
        }
        Ok(diffs)
    }
}

/// The typed position of a game of Game 17.
pub fn typed(table: &dyn Table) -> Option<(&Game17, &Position)> {
    table.as_any().downcast_ref::<Open<Game17>>().map(Open::typed)
}
