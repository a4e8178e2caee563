//! What can go wrong with text and settings from outside, in words a person can act on.

use std::fmt;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of thing was wrong, for callers that treat them differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// No game has this name.
    UnknownGame,
    /// An option has an unknown name or an impossible value.
    Option,
    /// The text of a position could not be read, or describes an impossible one.
    Position,
    /// The text of a move could not be read at all.
    Unreadable,
    /// The move was read, and the rules forbid it here.
    Illegal,
    /// The turn was begun and not finished.
    Unfinished,
    /// No player is to move: the game is over, or a die has to be rolled first.
    NotAPlayersTurn,
}

/// An error with what was wrong, where, and often a hint at what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What kind of thing was wrong.
    pub kind: ErrorKind,
    /// What was wrong and where; lower case, no full stop, values in backticks.
    pub message: String,
    /// What would be right, for a line that starts with `hint:`.
    pub hint: Option<String>,
}

impl Error {
    /// An error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), hint: None }
    }

    /// The same error with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// The same error, with `context: ` before the message.
    #[must_use]
    pub fn within(mut self, context: impl fmt::Display) -> Error {
        self.message = format!("{context}: {}", self.message);
        self
    }

    pub(crate) fn position(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Position, message)
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unreadable, message)
    }

    pub(crate) fn option(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Option, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Text from outside as it may appear in a message: shortened, and on one line.
pub fn quote(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String =
        text.chars().take(MOST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// The known word nearest to `word`, if one is near enough to be what was meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(64).flat_map(char::to_lowercase).collect();
    known
        .into_iter()
        .map(|candidate| (edit_distance(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn edit_distance(word: &[char], candidate: &str) -> usize {
    let candidate: Vec<char> = candidate.chars().collect();
    let mut row: Vec<usize> = (0..=candidate.len()).collect();
    for (i, a) in word.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in candidate.iter().enumerate() {
            let substituted = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[candidate.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let known = ["watch-your-back", "game17", "in-trap", "amazons"];
        assert_eq!(nearest("amazon", known), Some("amazons"));
        assert_eq!(nearest("Game 17", known), Some("game17"));
        assert_eq!(nearest("intrap", known), Some("in-trap"));
        assert_eq!(nearest("backgammon", known), None);
    }

    #[test]
    fn quoted_text_stays_short_and_on_one_line() {
        assert_eq!(quote("d1\nd7"), "`d1\u{fffd}d7`");
        assert!(quote(&"x".repeat(1_000_000)).len() < 100);
    }
}
