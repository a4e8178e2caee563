//! The pieces: what they are called, what they cost and how far they leap.
//!
//! A piece set is data, in the file format of the original game: a JSON list whose first entry is
//! the spawner. The standard nine are such a file too, kept beside this one. Files come from
//! people, so every complaint names the piece, the field, what was found and what would be right.

use std::sync::{Arc, LazyLock};

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Error, Result, quote};

/// How many directions there are.
pub const DIRECTIONS: usize = 8;

/// The directions by name, in the order used everywhere: the movement matrix read row by row.
pub const DIRECTION_NAMES: [&str; DIRECTIONS] =
    ["northwest", "north", "northeast", "west", "east", "southwest", "south", "southeast"];

/// One square in each direction, as a step in rows and in columns. North is up for both players.
pub const STEPS: [(i32, i32); DIRECTIONS] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// The most pieces a set may have.
pub const MOST_PIECES: usize = 64;

/// The highest cost and the longest leap a file may give.
pub const MOST_NUMBER: u32 = 1_000_000;

/// The longest sign a piece may have, in characters.
const LONGEST_DISPLAY: usize = 8;

/// One piece of the set. Each player has one of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What people call it: `Flier`.
    pub name: String,
    /// Its sign in moves, positions and on the board: `FL`.
    pub display: String,
    /// The mana it takes to spawn it.
    pub cost: u32,
    /// How far it leaps in each direction; 0 where it cannot.
    pub distances: [u32; DIRECTIONS],
}

/// A set of pieces; the first is the spawner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces(Arc<[Piece]>);

static STANDARD: LazyLock<Pieces> = LazyLock::new(|| {
    let file = Value::from(include_str!("pieces.json"));
    Pieces::read(&file).expect("the standard pieces are a valid file")
});

impl Pieces {
    /// The nine pieces of the original game.
    pub fn standard() -> Pieces {
        STANDARD.clone()
    }

    /// Whether these are the nine pieces of the original game.
    pub fn is_standard(&self) -> bool {
        // Asked for every position that a network sees; names are compared only for other sets.
        Arc::ptr_eq(&self.0, &STANDARD.0) || *self == *STANDARD
    }

    /// The pieces, the spawner first.
    pub fn list(&self) -> &[Piece] {
        &self.0
    }

    /// Reads a pieces file: the JSON list itself, or a string that contains it. Keys the game does
    /// not know are left alone, so that a file may carry its own notes.
    pub fn read(value: &Value) -> Result<Pieces> {
        let parsed;
        let value = match value {
            Value::String(text) => {
                parsed = serde_json::from_str(text).map_err(|error| {
                    Error::option(format!("the pieces are not JSON: {error}")).hint(FORM)
                })?;
                &parsed
            }
            value => value,
        };
        let Value::Array(entries) = value else {
            return Err(
                Error::option(format!("the pieces are {}, not a list", kind_of(value))).hint(FORM)
            );
        };
        if entries.is_empty() || entries.len() > MOST_PIECES {
            return Err(Error::option(format!("there are {} pieces in the list", entries.len()))
                .hint(format!("a set has 1 to {MOST_PIECES} pieces, the spawner first")));
        }
        let mut pieces: Vec<Piece> = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let piece = read_piece(entry).map_err(|error| error.within(place(index, entry)))?;
            if let Some(other) = pieces.iter().position(|other| other.display == piece.display) {
                return Err(Error::option(format!(
                    "`display` is {}, and so is that of piece {}",
                    quote(&piece.display),
                    other + 1
                ))
                .within(place(index, entry))
                .hint("every piece needs a sign of its own"));
            }
            pieces.push(piece);
        }
        Ok(Pieces(pieces.into()))
    }

    /// The set as a pieces file: [`Pieces::read`] gives an equal set back.
    pub fn to_json(&self) -> Value {
        let entry = |piece: &Piece| {
            let d = piece.distances;
            json!({
                "name": piece.name,
                "display": piece.display,
                "cost": piece.cost,
                "movement": [[d[0], d[1], d[2]], [d[3], 0, d[4]], [d[5], d[6], d[7]]],
            })
        };
        self.0.iter().map(entry).collect()
    }
}

impl Serialize for Pieces {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

const FORM: &str = "a pieces file is a JSON list of objects with `name`, `display`, `cost` and \
                    `movement`, the spawner first";

/// Where in the file a complaint belongs: `piece 3 (`Jumper`)`, counted from 1.
fn place(index: usize, entry: &Value) -> String {
    match entry.get("name").and_then(Value::as_str) {
        Some(name) => format!("piece {} ({})", index + 1, quote(name)),
        None => format!("piece {}", index + 1),
    }
}

fn read_piece(entry: &Value) -> Result<Piece> {
    if !entry.is_object() {
        return Err(Error::option(format!("it is {}, not an object", kind_of(entry))).hint(FORM));
    }
    let name = read_text(entry, "name")?;
    let display = read_text(entry, "display")?;
    // Positions are written with commas between squares and slashes between rows, moves with
    // spaces between words.
    let separates = |c: char| c.is_whitespace() || c.is_control() || c == ',' || c == '/';
    if display.chars().nth(LONGEST_DISPLAY).is_some() || display.contains(separates) {
        return Err(Error::option(format!("`display` is {}", quote(display))).hint(format!(
            "a sign has 1 to {LONGEST_DISPLAY} characters, without spaces, `,` and `/`"
        )));
    }
    let cost = field(entry, "cost")?;
    let cost = read_number(cost).ok_or_else(|| {
        Error::option(format!("`cost` is {}", shown(cost)))
            .hint(format!("a cost is a whole number from 0 to {MOST_NUMBER}"))
    })?;
    let distances = read_movement(field(entry, "movement")?)?;
    Ok(Piece { name: name.to_owned(), display: display.to_owned(), cost, distances })
}

fn field<'a>(entry: &'a Value, name: &str) -> Result<&'a Value> {
    entry.get(name).ok_or_else(|| Error::option(format!("`{name}` is missing")).hint(FORM))
}

fn read_text<'a>(entry: &'a Value, name: &str) -> Result<&'a str> {
    let value = field(entry, name)?;
    value.as_str().filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        Error::option(format!("`{name}` is {}", shown(value)))
            .hint(format!("`{name}` is a text that is not empty"))
    })
}

fn read_number(value: &Value) -> Option<u32> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| *number <= MOST_NUMBER)
}

fn read_movement(value: &Value) -> Result<[u32; DIRECTIONS]> {
    const SHAPE: &str = "`movement` is three rows of three distances: \
                         [[NW, N, NE], [W, 0, E], [SW, S, SE]]";
    let Some(rows) = value.as_array() else {
        return Err(
            Error::option(format!("`movement` is {}, not a list", kind_of(value))).hint(SHAPE)
        );
    };
    if rows.len() != 3 {
        return Err(Error::option(format!("`movement` has {} rows, not 3", rows.len())).hint(SHAPE));
    }
    let mut distances = [0; DIRECTIONS];
    let mut direction = 0;
    for (row, entries) in rows.iter().enumerate() {
        let Some(entries) = entries.as_array().filter(|entries| entries.len() == 3) else {
            let found = match entries.as_array() {
                Some(entries) => format!("has {} entries", entries.len()),
                None => format!("is {}", kind_of(entries)),
            };
            let message = format!("row {} of `movement` {found}, not 3 numbers", row + 1);
            return Err(Error::option(message).hint(SHAPE));
        };
        for (column, entry) in entries.iter().enumerate() {
            let is_centre = (row, column) == (1, 1);
            let number = read_number(entry);
            if is_centre && number != Some(0) {
                return Err(Error::option(format!(
                    "the centre of `movement` is {}, not `0`",
                    shown(entry)
                ))
                .hint("the centre is the piece's own square, in no direction: it has to be 0"));
            }
            if is_centre {
                continue;
            }
            let towards = DIRECTION_NAMES[direction];
            distances[direction] = number.ok_or_else(|| {
                Error::option(format!("`movement` to the {towards} is {}", shown(entry)))
                    .hint(format!("a distance is a whole number from 0 to {MOST_NUMBER}"))
            })?;
            direction += 1;
        }
    }
    Ok(distances)
}

/// A JSON value as it may appear in a message.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => kind_of(value).to_owned(),
        Value::String(text) => quote(&format!("\"{text}\"")),
        other => quote(&other.to_string()),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(file: &Value) -> String {
        let error = Pieces::read(file).unwrap_err();
        assert!(error.hint.is_some(), "no hint: {error}");
        error.message
    }

    /// The standard file with one field of one piece changed.
    fn with(piece: usize, field: &str, value: Value) -> Value {
        let mut file = Pieces::standard().to_json();
        file[piece][field] = value;
        file
    }

    #[test]
    fn the_standard_pieces_are_the_nine_of_the_original() {
        let pieces = Pieces::standard();
        let signs: Vec<&str> = pieces.list().iter().map(|piece| piece.display.as_str()).collect();
        assert_eq!(signs, ["SP", "FL", "JP", "DS", "CH", "CC", "SW", "LS", "RS"]);
        assert_eq!(pieces.list()[4].distances, [2, 3, 2, 1, 1, 1, 1, 1]);
        assert_eq!(pieces.list()[7].distances, [4, 1, 0, 1, 0, 0, 0, 0]);
        assert!(pieces.list()[1..].iter().all(|piece| piece.cost == 5));
        assert!(pieces.is_standard());
    }

    #[test]
    fn a_set_reads_back_from_its_own_file_as_a_list_and_as_text() {
        let pieces = Pieces::read(&with(3, "cost", json!(17))).unwrap();
        assert!(!pieces.is_standard());
        assert_eq!(Pieces::read(&pieces.to_json()), Ok(pieces.clone()));
        assert_eq!(Pieces::read(&Value::from(pieces.to_json().to_string())), Ok(pieces));
    }

    #[test]
    fn notes_in_a_file_are_left_alone() {
        assert!(Pieces::read(&with(2, "author", json!({"since": 1}))).unwrap().is_standard());
    }

    #[test]
    fn complaints_name_the_piece_the_field_and_what_was_found() {
        let cases = [
            (json!({"name": "Spawner"}), "the pieces are an object, not a list"),
            (json!([]), "there are 0 pieces in the list"),
            (json!("[{]"), "the pieces are not JSON: key must be a string at line 1 column 3"),
            (json!([7]), "piece 1: it is a number, not an object"),
            (json!([{"name": "Spawner"}]), "piece 1 (`Spawner`): `display` is missing"),
            (with(2, "name", json!("")), "piece 3 (``): `name` is `\"\"`"),
            (with(2, "name", json!(5)), "piece 3: `name` is `5`"),
            (with(2, "display", json!("a b")), "piece 3 (`Jumper`): `display` is `a b`"),
            (with(2, "display", json!("a,b")), "piece 3 (`Jumper`): `display` is `a,b`"),
            (
                with(2, "display", json!("123456789")),
                "piece 3 (`Jumper`): `display` is `123456789`",
            ),
            (
                with(2, "display", json!("FL")),
                "piece 3 (`Jumper`): `display` is `FL`, and so is that of piece 2",
            ),
            (with(2, "cost", json!(-1)), "piece 3 (`Jumper`): `cost` is `-1`"),
            (with(2, "cost", json!(2.5)), "piece 3 (`Jumper`): `cost` is `2.5`"),
            (with(2, "cost", json!("5")), "piece 3 (`Jumper`): `cost` is `\"5\"`"),
            (
                with(2, "movement", json!(5)),
                "piece 3 (`Jumper`): `movement` is a number, not a list",
            ),
            (with(2, "movement", json!([[1]])), "piece 3 (`Jumper`): `movement` has 1 rows, not 3"),
            (
                with(2, "movement", json!([[1, 1, 1], [1, 0], [1, 1, 1]])),
                "piece 3 (`Jumper`): row 2 of `movement` has 2 entries, not 3 numbers",
            ),
            (
                with(2, "movement", json!([[1, 1, 1], [1, 2, 1], [1, 1, 1]])),
                "piece 3 (`Jumper`): the centre of `movement` is `2`, not `0`",
            ),
            (
                with(2, "movement", json!([[1, 1, 1], [1, 0, -3], [1, 1, 1]])),
                "piece 3 (`Jumper`): `movement` to the east is `-3`",
            ),
            (
                with(2, "movement", json!([[1, 1, 1], [1, 0, 3], [1_000_001, 1, 1]])),
                "piece 3 (`Jumper`): `movement` to the southwest is `1000001`",
            ),
        ];
        for (file, expected) in cases {
            assert_eq!(complaint(&file), expected);
        }
        let too_many: Vec<Value> =
            (0..65).map(|_| Pieces::standard().to_json()[0].clone()).collect();
        assert_eq!(complaint(&Value::from(too_many)), "there are 65 pieces in the list");
    }
}
