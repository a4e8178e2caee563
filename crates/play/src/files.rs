//! Games in files: whatever a command is given to read, it is read here.
//!
//! A file may hold a record, a journal, many records line by line, or a game of the original Game 17
//! tool, plain or packed with gzip. A folder may hold many of them. No more is read than a file of
//! games can hold, and nothing is read from a device, which may have no end.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use skirmish_rules::{Error, ErrorKind, Games, Registry, Result};

use crate::faults::harmless;
use crate::game17_json::Diffs;
use crate::journal;
use crate::record::Record;

/// No file of games is larger than this, packed or unpacked.
const LARGEST_FILE: u64 = 512 << 20;

/// A game that was kept.
#[derive(Clone, PartialEq, Debug)]
pub enum Game {
    /// By this program.
    Record(Box<Record>),
    /// By the original Game 17 tool: its boards are known, and its turns are not.
    Diffs(Box<Diffs>),
}

/// The text of a file of games, unpacked.
pub fn read_text(path: &Path) -> Result<String> {
    let wrong = |message: String| unreadable(format!("{}: {message}", path.display()));
    let file = File::open(path).map_err(|error| wrong(format!("cannot read: {error}")))?;
    if let Ok(metadata) = file.metadata() {
        if metadata.is_dir() {
            return Err(wrong("is a folder, not a file".to_owned())
                .hint("`skirmish replay FOLDER` lists the games in it"));
        }
        if is_device(&metadata) {
            return Err(wrong("is a device, not a file".to_owned()));
        }
    }
    let bytes = bounded(file).map_err(|error| wrong(format!("cannot read: {error}")))?;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        bounded(flate2::read::MultiGzDecoder::new(&bytes[..]))
            .map_err(|error| wrong(format!("cannot unpack: {error}")))?
    } else {
        bytes
    };
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(wrong(format!("larger than {} MiB", LARGEST_FILE >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| wrong("not text".to_owned()))
}

/// What a reader has, and one byte beyond what is allowed.
pub(crate) fn bounded(reader: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
pub(crate) fn is_device(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device() || metadata.file_type().is_block_device()
}

#[cfg(not(unix))]
pub(crate) fn is_device(_: &std::fs::Metadata) -> bool {
    false
}

/// Reads a game from a file. `number` says which one where the file holds many.
pub fn read_game(path: &Path, number: Option<usize>) -> Result<Game> {
    game_in(&read_text(path)?, number).map_err(|error| error.within(path.display()))
}

/// The same, where a game of the original Game 17 tool will not do.
pub fn read_record(path: &Path, number: Option<usize>) -> Result<Record> {
    match read_game(path, number)? {
        Game::Record(record) => Ok(*record),
        Game::Diffs(_) => {
            let message = format!(
                "{}: a game of the original Game 17 tool, which keeps boards and no turns",
                path.display()
            );
            Err(unreadable(message).hint("`skirmish replay` and `skirmish export` show it"))
        }
    }
}

/// Reads a game from text.
pub fn game_in(text: &str, number: Option<usize>) -> Result<Game> {
    if let Some(record) = journal::record_of(text) {
        return only_one(number).and(record).map(|record| Game::Record(Box::new(record)));
    }
    let Some(games) = lines_of(text) else {
        return only_one(number).and(parse(text));
    };
    let count = games.len();
    match number {
        Some(number) => match games.iter().find(|(own, _)| *own == number) {
            Some((_, line)) => parse(line),
            None => {
                let numbers = games.iter().map(|(number, _)| *number);
                let (first, last) = (numbers.clone().min(), numbers.max());
                let (first, last) = (first.unwrap_or(1), last.unwrap_or(count));
                Err(unreadable(format!("there is no game {number}"))
                    .hint(format!("the file holds {count} games, numbered {first} to {last}")))
            }
        },
        None => Err(unreadable(format!("the file holds {count} games"))
            .hint(format!("say which one: `--game {}`", games.first().map_or(1, |game| game.0)))),
    }
}

fn only_one(number: Option<usize>) -> Result<()> {
    match number {
        None | Some(1) => Ok(()),
        Some(number) => Err(unreadable(format!("there is no game {number}"))
            .hint("the file holds 1 game: `--game` is not needed")),
    }
}

/// The lines of a file with a game on each, and the games' numbers: their own where they have some,
/// as those of a tournament do, which are kept in the order they ended in; else those of the lines.
/// `None` for one game, on however many lines.
fn lines_of(text: &str) -> Option<Vec<(usize, &str)>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 || serde_json::from_str::<Value>(lines[0]).is_err() {
        return None;
    }
    let own: Option<Vec<usize>> = lines.iter().map(|line| own_number(line)).collect();
    let numbers = own.unwrap_or_else(|| (1..=lines.len()).collect());
    Some(numbers.into_iter().zip(lines).collect())
}

/// The number of a game of a tournament.
fn own_number(line: &str) -> Option<usize> {
    #[derive(Deserialize)]
    struct StoredGame {
        tournament: Place,
    }
    #[derive(Deserialize)]
    struct Place {
        number: usize,
    }
    Some(serde_json::from_str::<StoredGame>(line).ok()?.tournament.number)
}

fn parse(text: &str) -> Result<Game> {
    let mut value: Value =
        serde_json::from_str(text).map_err(|error| unreadable(format!("not JSON: {error}")))?;
    // A game within a list may have things said about it: it is the record that is wanted.
    if let Some(record) = value.get_mut("record").map(Value::take) {
        value = record;
    }
    let has = |key: &str| value.get(key).is_some();
    if has("diffs") {
        let diffs = serde_json::from_value(value).map_err(|error| {
            unreadable(format!("not a game of the original Game 17 tool: {error}"))
        })?;
        return Ok(Game::Diffs(Box::new(diffs)));
    }
    if has("events") {
        let record = serde_json::from_value(value)
            .map_err(|error| unreadable(format!("not a record: {error}")))?;
        return Ok(Game::Record(Box::new(record)));
    }
    Err(unreadable("not a game: neither `events` nor `diffs` are in it")
        .hint("`skirmish match --records DIR` keeps games, and so does `skirmish game17 rank`"))
}

/// A game in a folder, as a table lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its number in the folder: its own, or its place in the list.
    pub number: usize,
    /// The file it is in.
    pub file: PathBuf,
    /// Its number in the file, where that holds many.
    pub in_file: Option<usize>,
    /// Which game was played.
    pub title: String,
    /// Who played.
    pub players: String,
    /// How it ended, in a sentence; `None` where it has not ended.
    pub result: Option<String>,
    /// How many turns were taken.
    pub turns: usize,
}

/// The games in a folder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// By number.
    pub games: Vec<Listed>,
    /// Files that should hold games and cannot be read, and why.
    pub unreadable: Vec<String>,
}

/// Lists the games in a folder. Files that hold no games are passed over.
pub fn list(folder: &Path) -> Result<Listing> {
    let wrong = |error: std::io::Error| {
        unreadable(format!("{}: cannot read the folder: {error}", folder.display()))
    };
    let mut files = Vec::new();
    for found in std::fs::read_dir(folder).map_err(wrong)? {
        let path = found.map_err(wrong)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let is_ours = (plain.ends_with(".json") || plain.ends_with(".jsonl"))
            && !plain.contains(".damaged.")
            && !plain.starts_with('.');
        if is_ours && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let mut listing = Listing::default();
    for file in files {
        let text = match read_text(&file) {
            Ok(text) => text,
            Err(error) => {
                listing.unreadable.push(error.message);
                continue;
            }
        };
        let is_journal = text.contains("\"update\"") && journal::record_of(&text).is_some();
        let lines = if is_journal { None } else { lines_of(&text) };
        let of_many = lines.is_some();
        for (number, line) in lines.unwrap_or_else(|| vec![(1, text.as_str())]) {
            if !is_journal && !is_game(line) {
                continue;
            }
            match game_in(line, None) {
                Ok(game) => listing.games.push(Listed {
                    number: if of_many { number } else { numbered_by_name(&file) },
                    file: file.clone(),
                    in_file: of_many.then_some(number),
                    ..told(&game)
                }),
                Err(error) => {
                    let error = error.within(file.display());
                    listing.unreadable.push(error.message);
                }
            }
        }
    }
    let mut numbers: Vec<usize> = listing.games.iter().map(|game| game.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() == listing.games.len() && numbers.first() != Some(&0) {
        listing.games.sort_by_key(|game| game.number);
    } else {
        (listing.games.iter_mut().zip(1..)).for_each(|(game, place)| game.number = place);
    }
    Ok(listing)
}

/// `000007.json` is game 7 of a match; 0 where the name is no number.
fn numbered_by_name(file: &Path) -> usize {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().and_then(|stem| stem.parse().ok()).unwrap_or(0)
}

/// Whether a text is meant to be a game at all.
fn is_game(text: &str) -> bool {
    use serde::de::IgnoredAny;
    #[derive(Deserialize)]
    struct Any {
        record: Option<IgnoredAny>,
        events: Option<IgnoredAny>,
        diffs: Option<IgnoredAny>,
    }
    // A list would do for a struct, field by field.
    if !text.trim_start().starts_with('{') {
        return false;
    }
    let any = serde_json::from_str::<Any>(text);
    any.is_ok_and(|any| any.record.is_some() || any.events.is_some() || any.diffs.is_some())
}

fn told(game: &Game) -> Listed {
    let (title, players, result, turns) = match game {
        Game::Record(record) => {
            let title =
                Games::entry(&record.game).map_or(record.game.as_str(), |entry| entry.title);
            let names: Vec<&str> = record.seats.iter().map(|seat| seat.name.as_str()).collect();
            let result = record.result.as_ref().map(|result| result.sentence.as_str());
            (title, names, result, record.turns())
        }
        Game::Diffs(diffs) => {
            let names = diffs.players.iter().flatten().map(|(_, name)| name.as_str()).collect();
            ("Game 17", names, None, diffs.diffs.len())
        }
    };
    let first = players.iter().take(4).map(|name| harmless(name, 40)).collect::<Vec<_>>();
    Listed {
        number: 0,
        file: PathBuf::new(),
        in_file: None,
        title: harmless(title, 40),
        players: first.join(" – ") + if players.len() > 4 { " – …" } else { "" },
        result: result.map(|sentence| harmless(sentence, 200)),
        turns,
    }
}

fn unreadable(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unreadable, message)
}
