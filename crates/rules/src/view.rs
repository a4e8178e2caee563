//! The board as a picture made of data: what a page, a terminal and Python all draw from.
//!
//! A screen that can draw a [`View`] can draw every game. Nothing here is needed to play; nothing
//! here repeats a rule.

use serde::Serialize;

use crate::game::Seat;

/// Everything a screen shows of one position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct View {
    /// Rows of the board.
    pub rows: u16,
    /// Columns of the board.
    pub columns: u16,
    /// Whether the edges are joined, so that leaving on one side enters on the other.
    pub wraps: bool,
    /// What stands beside each row, from the top.
    pub row_labels: Vec<String>,
    /// What stands above or below each column, from the left.
    pub column_labels: Vec<String>,
    /// The squares, row by row from the top left.
    pub squares: Vec<Square>,
    /// What the signs on the board mean.
    pub legend: Vec<LegendEntry>,
    /// The seats that are played, where the game moves the others itself: Game 17's zombies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<Vec<Seat>>,
    /// Facts beside the board: mana, pieces in hand, the round.
    pub panels: Vec<Panel>,
    /// One sentence: who is to do what, or how the game ended.
    pub status: String,
}

/// One square.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Square {
    /// What the ground is like.
    pub ground: Ground,
    /// Who owns the ground, where squares have owners.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Seat>,
    /// What stands on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// Why a screen should point the square out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

/// What the ground of a square is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// Pieces may stand here.
    #[default]
    Open,
    /// Part of the board that no piece may enter: a corner, an arrow.
    Blocked,
    /// No longer part of the board.
    Removed,
}

/// Something standing on a square.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Token {
    /// Whose it is; `None` for what belongs to no player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// A few plain characters that stand for it, never telling seats apart by colour alone.
    pub text: String,
    /// The same as one symbol, where fonts allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<char>,
    /// What to call it aloud: `white fighter`, `arrow`.
    pub name: String,
    /// How many pieces, where pieces are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// Why a square is pointed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It belongs to the turn being chosen.
    Chosen,
    /// It is about to be removed from the board.
    Doomed,
}

/// What a sign on the board means.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LegendEntry {
    /// Whose sign it is; `None` if it is no player's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The sign in plain characters, as in [`Token::text`].
    pub text: String,
    /// The same as one symbol, where fonts allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<char>,
    /// What it means.
    pub meaning: String,
}

/// A fact beside the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Panel {
    /// Whose fact it is; `None` for the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// What it is.
    pub label: String,
    /// How much or which.
    pub value: String,
}

/// The board after so many turns.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// How many turns have been taken.
    pub turn: usize,
    /// How many events have happened: turns and rolls.
    pub ply: usize,
    /// The turn that led here; at the start, that it is the start.
    pub caption: String,
    /// The board.
    pub view: View,
    /// The squares that the turn changed.
    pub changed: Vec<u16>,
}

impl View {
    /// An empty board with labels counted from 0.
    pub fn board(rows: u16, columns: u16) -> View {
        View {
            rows,
            columns,
            wraps: false,
            row_labels: (0..rows).map(|row| row.to_string()).collect(),
            column_labels: (0..columns).map(|column| column.to_string()).collect(),
            squares: vec![Square::default(); usize::from(rows) * usize::from(columns)],
            legend: Vec::new(),
            players: None,
            panels: Vec::new(),
            status: String::new(),
        }
    }

    /// Says what a sign on the board means.
    pub fn explain(
        &mut self,
        seat: impl Into<Option<Seat>>,
        text: impl Into<String>,
        symbol: impl Into<Option<char>>,
        meaning: impl Into<String>,
    ) {
        self.legend.push(LegendEntry {
            seat: seat.into(),
            text: text.into(),
            symbol: symbol.into(),
            meaning: meaning.into(),
        });
    }

    /// Adds a fact beside the board.
    pub fn panel(
        &mut self,
        seat: impl Into<Option<Seat>>,
        label: impl Into<String>,
        value: impl std::fmt::Display,
    ) {
        self.panels.push(Panel {
            seat: seat.into(),
            label: label.into(),
            value: value.to_string(),
        });
    }

    /// The square with this number.
    pub fn square(&mut self, cell: u16) -> &mut Square {
        &mut self.squares[usize::from(cell)]
    }
}
