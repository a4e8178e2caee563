//! Where finished games are kept so that nothing is lost.
//!
//! A folder holds
//!
//! * `games.jsonl` — every finished game, one line each: the truth. Lines are appended as games end,
//!   and put into the order of the schedule when nothing is left to play
//! * `tournament.db` — SQLite: which game is on which line, its result and the line's checksum
//! * `tournament.json` — the settings that every further run has to agree with
//! * `lock` — held by the process that works here
//!
//! Finished games are written in batches: the lines are synced, then their rows. A game counts from
//! then on. Whatever a crash leaves behind is put right when the folder is opened: a line without its
//! row gets one, half a line is cut off, a line that no longer is what its row says is set aside and
//! the game is played again, an index that cannot be read is made anew.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind as IoKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use skirmish_rules::{Error, Result, Seat};

use super::schedule::{Key, Verdict};
use super::settings::{Settings, wrong};
use skirmish_play::record::{Event, Record};
use skirmish_sandbox::Fault;

/// The games, one a line.
pub const GAMES: &str = "games.jsonl";
/// The index.
pub const INDEX: &str = "tournament.db";
/// The settings.
pub const SETTINGS: &str = "tournament.json";
const LOCK: &str = "lock";
const DAMAGED: &str = "games.damaged.jsonl";

/// What an agent used in a game.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Used {
    /// Turns it took.
    pub turns: u64,
    /// Milliseconds for all of them.
    pub total_ms: f64,
    /// Milliseconds for the longest.
    pub longest_ms: f64,
    /// Whether these are CPU times.
    pub is_cpu: bool,
    /// MiB of memory at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<f64>,
}

/// What the tables need to know of a finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameSummary {
    /// What tells it from every other game.
    #[serde(with = "key_text")]
    pub key: Key,
    /// Its number in the schedule, as it was when it was played.
    pub number: u64,
    /// Its round.
    pub round: u32,
    /// Who sat where, by place in the settings.
    pub agents: Vec<usize>,
    /// The same by name.
    pub names: Vec<String>,
    /// The seats.
    pub seats: Vec<Seat>,
    /// What it was worth to each: 1, ½ or 0.
    pub points: Vec<f64>,
    /// What the game counts for each: squares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<u32>>,
    /// Why it ended.
    pub termination: String,
    /// The same in a sentence.
    pub sentence: String,
    /// Turns and rolls.
    pub plies: u64,
    /// Turns; 0 in files from before they were counted.
    #[serde(default)]
    pub turns: u64,
    /// When it began, in seconds since 1970.
    pub started: f64,
    /// How long it took.
    pub seconds: f64,
    /// What each agent used.
    pub used: Vec<Used>,
    /// Which version of each program played; empty where all are built in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Option<String>>,
    /// What agents did that they must not do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The last lines each agent wrote to stderr; empty where no one wrote any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
    /// What was wrong with the machine meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overload: Option<String>,
}

pub(super) mod key_text {
    use super::Key;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(key: &Key, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(key)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error: skirmish_rules::Error| de::Error::custom(error.message))
    }
}

/// A line of `games.jsonl`: a record that replays, and what the tournament adds to it.
#[derive(Serialize)]
struct Line<'a> {
    tournament: &'a GameSummary,
    #[serde(flatten)]
    record: &'a Record,
}

/// The tournament's part of a line.
#[derive(Deserialize)]
struct LineSlip {
    tournament: GameSummary,
    /// Present, and of a shape we read: half a line has no end.
    format: u32,
}

/// A finished game on its way into the store.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What the tables need.
    pub slip: GameSummary,
    /// Its line, with the end of the line.
    line: Vec<u8>,
}

impl Finished {
    /// Writes the line of a game.
    pub fn new(slip: GameSummary, record: &Record) -> Finished {
        let mut line = serde_json::to_vec(&Line { tournament: &slip, record })
            .expect("a record is plain data");
        line.push(b'\n');
        Finished { slip, line }
    }

    /// Reads a line of another store.
    fn read(line: &[u8]) -> std::result::Result<Finished, String> {
        let read: LineSlip =
            serde_json::from_slice(line).map_err(|error| format!("is no game: {error}"))?;
        if read.format != skirmish_play::record::FORMAT {
            return Err(format!("is a record of format {}", read.format));
        }
        Ok(Finished { slip: read.tournament, line: line.to_vec() })
    }
}

/// A game that is safely kept.
#[derive(Clone, Debug)]
pub struct StoredGame {
    /// What the tables need.
    pub slip: GameSummary,
    offset: u64,
    length: u64,
    check: [u8; 16],
}

impl GameSummary {
    /// What the schedule has to know of it.
    pub fn verdict(&self) -> Verdict {
        Verdict {
            points: self.points.clone(),
            forfeited: (0..self.seats.len()).map(|place| self.has_forfeited(place)).collect(),
        }
    }

    /// Whether the agent in this place has lost the game by a fault.
    pub fn has_forfeited(&self, place: usize) -> bool {
        let seat = self.seats[place];
        self.faults.iter().any(|fault| fault.seat == seat && fault.cost == "game")
    }

    /// Whether every agent has forfeited it: it has no winner, and says nothing about strength.
    pub fn is_void(&self) -> bool {
        match self.points[..] {
            // One of two has won, or both have half of it, unless no one has anything.
            [first, second] => first + second == 0.0,
            _ => (0..self.seats.len()).all(|place| self.has_forfeited(place)),
        }
    }
}

impl StoredGame {
    /// A game that is kept nowhere, for tests of what is made of games.
    #[cfg(test)]
    pub(crate) fn elsewhere(slip: GameSummary) -> StoredGame {
        StoredGame { slip, offset: 0, length: 0, check: [0; 16] }
    }

    /// Bytes of its line.
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// A folder that a tournament is kept in, held by this process.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    games: File,
    /// Up to where the lines are known to be whole and synced.
    length: u64,
    index: Connection,
    /// Released when the process ends, however it ends.
    _lock: File,
}

/// What was found in a folder.
#[derive(Debug, Default)]
pub struct Found {
    /// Games that count.
    pub kept: Vec<StoredGame>,
    /// What had to be put right, in sentences.
    pub repairs: Vec<String>,
}

/// Turns an error of the system into a refusal that says what to do.
pub(crate) fn refusal(path: &Path, what: &str, error: &std::io::Error) -> Error {
    let refusal = wrong(format!("{}: {what}: {error}", path.display()));
    match error.kind() {
        IoKind::StorageFull | IoKind::QuotaExceeded | IoKind::FileTooLarge => refusal
            .hint("make room on the disk and run the same command again: it goes on from here"),
        IoKind::PermissionDenied | IoKind::ReadOnlyFilesystem => {
            refusal.hint("choose a folder that can be written, with `--out`")
        }
        _ => refusal,
    }
}

fn index_refusal(path: &Path, what: &str, error: &rusqlite::Error) -> Error {
    let full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
    let refusal = wrong(format!("{}: {what}: {error}", path.display()));
    if full || matches!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::SystemIoFailure)) {
        return refusal
            .hint("make room on the disk and run the same command again: it goes on from here");
    }
    refusal
}

fn checksum(line: &[u8]) -> [u8; 16] {
    let mut check = [0; 16];
    check.copy_from_slice(&Sha256::digest(line)[..16]);
    check
}

impl Store {
    /// Opens a folder for a tournament, or makes it. Refuses one that another process works in, or
    /// that holds a tournament with other settings.
    pub fn open(folder: &Path, settings: &Settings) -> Result<(Store, Found)> {
        std::fs::create_dir_all(folder)
            .map_err(|error| refusal(folder, "cannot make the folder", &error))?;
        if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            // A parent that cannot be read is another user's to keep.
            let _ = sync_folder(parent);
        }
        let lock = take_lock(folder)?;
        agree(folder, settings)?;
        let path = folder.join(GAMES);
        let games = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let games = games.map_err(|error| refusal(&path, "cannot open", &error))?;
        let mut found = Found::default();
        let index = open_index(folder, &mut found.repairs)?;
        let mut store = Store { folder: folder.to_owned(), games, length: 0, index, _lock: lock };
        store.take_stock(&mut found)?;
        sync_folder(folder)?;
        Ok((store, found))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps finished games: they count when this returns.
    pub fn keep(&mut self, batch: Vec<Finished>) -> Result<Vec<StoredGame>> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let path = self.folder.join(GAMES);
        let lines: Vec<&[u8]> = batch.iter().map(|game| &game.line[..]).collect();
        let bytes = lines.concat();
        let written = self.games.write_all(&bytes).and_then(|()| self.games.sync_data());
        if let Err(error) = written {
            // Half a batch is no batch. If this fails too, the next one to open the folder does it.
            let _ = self.games.set_len(self.length);
            return Err(refusal(&path, "cannot keep the last games", &error));
        }
        let mut offset = self.length;
        self.length += bytes.len() as u64;
        let mut kept = Vec::new();
        for Finished { slip, line } in batch {
            let (length, check) = (line.len() as u64, checksum(&line));
            kept.push(StoredGame { slip, offset, length, check });
            offset += length;
        }
        self.enter(&kept).map_err(|error| {
            index_refusal(&self.folder.join(INDEX), "cannot note the last games", &error)
        })?;
        Ok(kept)
    }

    /// Writes rows, all or none.
    fn enter(&mut self, kept: &[StoredGame]) -> rusqlite::Result<()> {
        let transaction = self.index.transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO games (key, number, round, agents, points, termination, \
                 sentence, seconds, line_offset, line_length, line_check, slip) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            for StoredGame { slip, offset, length, check } in kept {
                let text = |value: serde_json::Result<String>| value.unwrap_or_default();
                insert.execute(params![
                    slip.key.to_string(),
                    slip.number as i64,
                    slip.round,
                    text(serde_json::to_string(&slip.names)),
                    text(serde_json::to_string(&slip.points)),
                    slip.termination,
                    slip.sentence,
                    slip.seconds,
                    *offset as i64,
                    *length as i64,
                    &check[..],
                    text(serde_json::to_string(slip)),
                ])?;
            }
        }
        transaction.commit()
    }

    /// Compares every line with its row and puts right what does not fit.
    fn take_stock(&mut self, found: &mut Found) -> Result<()> {
        let index_path = self.folder.join(INDEX);
        let mut rows = self
            .rows()
            .map_err(|error| index_refusal(&index_path, "cannot read the index", &error))?;
        let survey = self.survey(&mut rows)?;
        let Survey { kept, unlisted, damaged, torn } = survey;

        // 1. Half a line at the end: its game was never finished as far as anybody knows.
        if torn > 0 {
            let path = self.folder.join(GAMES);
            self.games
                .set_len(self.length)
                .and_then(|()| self.games.sync_data())
                .map_err(|error| refusal(&path, "cannot cut off half a line", &error))?;
            found
                .repairs
                .push(format!("{GAMES}: the last {torn} bytes were half a game and were cut off"));
        }
        // 2. Lines without rows get them.
        let mut changed = kept.iter().filter(|(_, moved)| *moved).map(|(kept, _)| kept.clone());
        let mut fresh: Vec<StoredGame> = changed.by_ref().collect();
        if !unlisted.is_empty() {
            let count = unlisted.len();
            let things = if count == 1 { "game was" } else { "games were" };
            found
                .repairs
                .push(format!("{INDEX}: {count} finished {things} missing and were added"));
        }
        fresh.extend(unlisted.iter().cloned());
        self.enter(&fresh)
            .map_err(|error| index_refusal(&index_path, "cannot add games", &error))?;
        found.kept = kept.into_iter().map(|(kept, _)| kept).chain(unlisted).collect();
        // 3. What is no longer what it was is set aside, and rows without a line are taken out.
        let gone: Vec<String> = rows.into_values().map(|row| row.slip.key.to_string()).collect();
        if !damaged.is_empty() {
            self.set_aside(&damaged, found)?;
        }
        if !gone.is_empty() {
            self.forget(&gone)
                .map_err(|error| index_refusal(&index_path, "cannot take out games", &error))?;
            let count = gone.len();
            let (things, them) = if count == 1 { ("game", "it is") } else { ("games", "they are") };
            found.repairs.push(format!(
                "{GAMES}: {count} {things} of the index cannot be read any more; {them} played again"
            ));
        }
        Ok(())
    }

    /// All rows, by the checksum of their lines.
    fn rows(&self) -> rusqlite::Result<HashMap<[u8; 16], StoredGame>> {
        let mut select =
            self.index.prepare("SELECT line_offset, line_length, line_check, slip FROM games")?;
        let mut rows = select.query([])?;
        let mut found = HashMap::new();
        while let Some(row) = rows.next()? {
            let text: String = row.get(3)?;
            let check: Vec<u8> = row.get(2)?;
            // A row that cannot be read is as good as none: its line makes a new one.
            let (Ok(slip), Ok(check)) = (serde_json::from_str(&text), check.try_into()) else {
                continue;
            };
            let (offset, length): (i64, i64) = (row.get(0)?, row.get(1)?);
            let kept = StoredGame { slip, offset: offset as u64, length: length as u64, check };
            found.insert(check, kept);
        }
        Ok(found)
    }

    /// Reads all lines. Rows whose lines are found are taken out of `rows`.
    fn survey(&mut self, rows: &mut HashMap<[u8; 16], StoredGame>) -> Result<Survey> {
        let path = self.folder.join(GAMES);
        let unreadable = |error: std::io::Error| refusal(&path, "cannot read", &error);
        self.games.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        let mut reader = BufReader::with_capacity(1 << 20, &self.games);
        let mut survey = Survey::default();
        let mut keys: HashSet<Key> = HashSet::new();
        // Lines that no row knows, until a later one is known: rows are written in order.
        let mut unknown: Vec<(u64, Vec<u8>)> = Vec::new();
        let (mut offset, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(unreadable)? as u64;
            if length == 0 {
                break;
            }
            if line.last() != Some(&b'\n') {
                survey.torn = length;
                break;
            }
            match rows.remove(&checksum(&line)) {
                Some(row) => {
                    let moved = row.offset != offset;
                    keys.insert(row.slip.key);
                    survey.kept.push((StoredGame { offset, length, ..row }, moved));
                    survey.damaged.append(&mut unknown);
                }
                None => unknown.push((offset, std::mem::take(&mut line))),
            }
            offset += length;
        }
        self.length = offset;
        let lost: HashSet<Key> = rows.values().map(|row| row.slip.key).collect();
        for (offset, line) in unknown {
            match Finished::read(&line) {
                Ok(Finished { slip, line })
                    if !lost.contains(&slip.key) && keys.insert(slip.key) =>
                {
                    let (length, check) = (line.len() as u64, checksum(&line));
                    survey.unlisted.push(StoredGame { slip, offset, length, check });
                }
                _ => survey.damaged.push((offset, line)),
            }
        }
        Ok(survey)
    }

    /// Moves damaged lines to a file of their own.
    fn set_aside(&mut self, damaged: &[(u64, Vec<u8>)], found: &mut Found) -> Result<()> {
        let aside = self.folder.join(DAMAGED);
        let failed =
            |error: std::io::Error| refusal(&aside, "cannot set damaged lines aside", &error);
        let mut file = OpenOptions::new().append(true).create(true).open(&aside).map_err(failed)?;
        for (_, line) in damaged {
            file.write_all(line).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        found.kept.sort_by_key(|kept| kept.offset);
        self.rewrite(found.kept.iter_mut().collect())?;
        let count = damaged.len();
        let things = if count == 1 { "line was" } else { "lines were" };
        found.repairs.push(format!("{GAMES}: {count} damaged {things} moved to {DAMAGED}"));
        Ok(())
    }

    /// Writes the file of games anew, with these lines in this order. A crash in the middle leaves
    /// the old file or the new one; lines are known by their checksums, wherever they are.
    fn rewrite(&mut self, mut kept: Vec<&mut StoredGame>) -> Result<()> {
        let path = self.folder.join(GAMES);
        let failed = |error: std::io::Error| refusal(&path, "cannot be written anew", &error);
        let mut whole = BufWriter::new(new_file(&self.folder).map_err(failed)?);
        for kept in &kept {
            whole.write_all(&read_at(&self.games, kept).map_err(failed)?).map_err(failed)?;
        }
        let whole = whole.into_inner().map_err(|error| failed(error.into_error()))?;
        whole.as_file().sync_all().map_err(failed)?;
        whole.persist(&path).map_err(|error| failed(error.error))?;
        sync_folder(&self.folder)?;
        self.games = OpenOptions::new().read(true).append(true).open(&path).map_err(failed)?;
        self.length = 0;
        for kept in &mut kept {
            kept.offset = self.length;
            self.length += kept.length;
        }
        let rows: Vec<StoredGame> = kept.into_iter().map(|kept| kept.clone()).collect();
        self.enter(&rows).map_err(|error| {
            index_refusal(&self.folder.join(INDEX), "cannot note where games are now", &error)
        })
    }

    /// Puts the lines into the order of the schedule, so that the twelfth game is on line twelve.
    /// `order` gives the place of a game.
    pub fn put_in_order(
        &mut self,
        kept: &mut HashMap<Key, StoredGame>,
        order: &dyn Fn(&GameSummary) -> u64,
    ) -> Result<()> {
        let mut lines: Vec<&mut StoredGame> = kept.values_mut().collect();
        lines.sort_by_key(|kept| (order(&kept.slip), kept.offset));
        if lines.is_sorted_by_key(|kept| kept.offset) {
            return Ok(());
        }
        self.rewrite(lines)
    }

    fn forget(&mut self, keys: &[String]) -> rusqlite::Result<()> {
        let transaction = self.index.transaction()?;
        for key in keys {
            // Its line may have come again under another checksum.
            transaction.execute("DELETE FROM games WHERE key = ?1", [key])?;
        }
        transaction.commit()
    }

    /// The record of a game.
    pub fn record(&self, kept: &StoredGame) -> Result<Record> {
        let path = self.folder.join(GAMES);
        let line =
            read_at(&self.games, kept).map_err(|error| refusal(&path, "cannot read", &error))?;
        serde_json::from_slice(&line).map_err(|error| {
            wrong(format!("{}: game {}: {error}", path.display(), kept.slip.number))
        })
    }

    /// Writes a file of the folder, whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        replace(&self.folder.join(name), bytes)
    }

    /// Adds the games of another folder, which must be of the same tournament. Returns them.
    pub fn take_over(
        &mut self,
        folder: &Path,
        known: &HashMap<Key, StoredGame>,
    ) -> Result<Vec<StoredGame>> {
        let path = folder.join(GAMES);
        let file = File::open(&path).map_err(|error| refusal(&path, "cannot open", &error))?;
        let mut taken: Vec<StoredGame> = Vec::new();
        let mut seen: HashSet<Key> = HashSet::new();
        let mut batch = Vec::new();
        for (number, line) in BufReader::new(file).split(b'\n').enumerate() {
            let mut line = line.map_err(|error| refusal(&path, "cannot read", &error))?;
            line.push(b'\n');
            let place = || format!("{}: line {}", path.display(), number + 1);
            let game = Finished::read(&line).map_err(|what| {
                wrong(format!("{} {what}", place()))
                    .hint("run that shard's command again: it repairs its folder")
            })?;
            let key = game.slip.key;
            if let Some(before) = known.get(&key) {
                if before.check != checksum(&line) && !is_same_game(&self.record(before)?, &line) {
                    return Err(wrong(format!(
                        "{}: game {} was played twice, in different ways",
                        place(),
                        game.slip.number
                    ))
                    .hint("every shard is played once, by one command"));
                }
                continue;
            }
            if seen.insert(key) {
                batch.push(game);
            }
            if batch.len() >= 256 {
                taken.extend(self.keep(std::mem::take(&mut batch))?);
            }
        }
        taken.extend(self.keep(batch)?);
        Ok(taken)
    }
}

/// Whether a line tells of the same turns and the same end: clocks may have gone differently.
fn is_same_game(record: &Record, line: &[u8]) -> bool {
    let told = |event: &Event| match event {
        Event::Move { seat, text, .. } => (Some(*seat), text.clone(), 0),
        Event::Chance { chance, .. } => (None, String::new(), chance.roll),
    };
    serde_json::from_slice::<Record>(line).is_ok_and(|other| {
        let ends = [record, &other].map(|game| game.result.as_ref().map(|end| &end.payoffs));
        other.events.iter().map(told).eq(record.events.iter().map(told)) && ends[0] == ends[1]
    })
}

/// What the lines of a folder turned out to be.
#[derive(Default)]
struct Survey {
    /// Lines with their rows, and whether they are elsewhere than their row says.
    kept: Vec<(StoredGame, bool)>,
    /// Whole lines without rows.
    unlisted: Vec<StoredGame>,
    /// Lines that are not what they were.
    damaged: Vec<(u64, Vec<u8>)>,
    /// Bytes of half a line at the end.
    torn: u64,
}

fn read_at(mut file: &File, kept: &StoredGame) -> std::io::Result<Vec<u8>> {
    let mut line = vec![0; kept.length as usize];
    // What is written is appended wherever we read.
    file.seek(SeekFrom::Start(kept.offset))?;
    file.read_exact(&mut line)?;
    Ok(line)
}

fn take_lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let mut lock = lock.map_err(|error| refusal(&path, "cannot open", &error))?;
    match lock.try_lock() {
        Ok(()) => {
            let text = format!("{}\n", std::process::id());
            // The number is only for people who are refused.
            let _ = lock.set_len(0).and_then(|()| lock.write_all(text.as_bytes()));
            Ok(lock)
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = lock.read_to_string(&mut holder);
            let holder = holder.trim();
            let folder = folder.display();
            Err(wrong(format!("{folder}: process {holder} is at work in this folder"))
                .hint("wait for it, stop it, or choose another folder with `--out`"))
        }
        Err(TryLockError::Error(error)) => Err(refusal(&path, "cannot be locked", &error)),
    }
}

/// Checks the settings against those of earlier runs, and writes them down.
fn agree(folder: &Path, settings: &Settings) -> Result<()> {
    let path = folder.join(SETTINGS);
    if path.exists() {
        let mut before = settings_of(folder)?;
        before.folder.clone_from(&settings.folder);
        before.launcher.clone_from(&settings.launcher);
        let found = settings.bars(&before);
        if !found.is_empty() {
            let (folder, found) = (folder.display(), found.join("; "));
            let message =
                format!("the tournament in {folder} was begun with other settings: {found}");
            return Err(wrong(message).hint(
                "put the settings back, or begin anew in another folder with `--out`; title, \
                 concurrency, pin, out, python and allow_read may change, and games may be added \
                 (in a Swiss system rounds)",
            ));
        }
        if before == *settings {
            return Ok(());
        }
    }
    let text = serde_json::to_string_pretty(settings).unwrap_or_default() + "\n";
    replace(&path, text.as_bytes())
}

/// The settings a folder was begun with.
pub fn settings_of(folder: &Path) -> Result<Settings> {
    let path = folder.join(SETTINGS);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        refusal(&path, "cannot read", &error).hint("a folder of a tournament or a shard is wanted")
    })?;
    serde_json::from_str(&text).map_err(|error| {
        wrong(format!("{}: is damaged: {error}", path.display()))
            .hint("remove that file and run the same command again; the games are kept elsewhere")
    })
}

/// Writes a file, whole or not at all.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| refusal(path, "cannot write", &error);
    let mut file = new_file(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    sync_folder(folder)
}

/// A file that gets its name when it is whole.
fn new_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".skirmish-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.tempfile_in(folder)
}

/// Makes names in a folder last. Only some systems open folders like files; the others need not.
fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| refusal(folder, "cannot be synced", &error))
}

fn open_index(folder: &Path, repairs: &mut Vec<String>) -> Result<Connection> {
    let path = folder.join(INDEX);
    match try_index(&path) {
        Ok(index) => return Ok(index),
        Err(error) => match error.sqlite_error_code() {
            // The index holds nothing that the lines do not.
            Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {}
            _ => return Err(index_refusal(&path, "cannot open the index", &error)),
        },
    }
    for ending in ["", "-wal", "-shm"] {
        let old = folder.join(format!("{INDEX}{ending}"));
        if old.exists() {
            let aside = folder.join(format!("{INDEX}.damaged{ending}"));
            std::fs::rename(&old, &aside)
                .map_err(|error| refusal(&old, "cannot be set aside", &error))?;
        }
    }
    repairs.push(format!("{INDEX}: was damaged and is made anew from {GAMES}"));
    try_index(&path).map_err(|error| index_refusal(&path, "cannot make the index", &error))
}

fn try_index(path: &Path) -> rusqlite::Result<Connection> {
    let index = Connection::open(path)?;
    index.pragma_update(None, "journal_mode", "WAL")?;
    index.pragma_update(None, "synchronous", "FULL")?;
    index.execute_batch(
        "CREATE TABLE IF NOT EXISTS games (
             key TEXT PRIMARY KEY, number INTEGER NOT NULL, round INTEGER NOT NULL,
             agents TEXT NOT NULL, points TEXT NOT NULL, termination TEXT NOT NULL,
             sentence TEXT NOT NULL, seconds REAL NOT NULL, line_offset INTEGER NOT NULL,
             line_length INTEGER NOT NULL, line_check BLOB NOT NULL, slip TEXT NOT NULL
         ) WITHOUT ROWID",
    )?;
    let answer: String = index.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if answer != "ok" {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            Some(answer),
        ));
    }
    Ok(index)
}
