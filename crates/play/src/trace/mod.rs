//! Traces: games played by other people's programs, replayed through our rules and compared.
//!
//! A trace file is JSON Lines, one game a line, plain or gzip; a perft table is text lines
//! `FEN ; depth ; leaves`. Everything a line gives is compared, what it leaves out is not. The
//! formats are described in `docs/formats.md`.

mod amazons;
mod game17;
mod in_trap;
mod records;
mod watch_your_back;

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize};

use skirmish_rules::error::quote;
use skirmish_rules::{Error, ErrorKind};

use crate::{files, journal};

/// A line longer than this is refused: no game needs it, and a damaged or hostile file must not
/// fill the memory.
const LONGEST_LINE: usize = 64 << 20;
/// Lines are verified side by side in batches of at most this many bytes.
const BATCH_BYTES: usize = 16 << 20;

/// What verifying gave.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Games replayed.
    pub games: u64,
    /// Positions compared, starts included.
    pub positions: u64,
    /// Lines of perft tables counted.
    pub counts: u64,
    /// How many things differed.
    pub mismatches: u64,
    /// The first differences, at most [`Report::SHOWN`].
    pub first: Vec<Mismatch>,
}

impl Report {
    /// How many differences are kept to be shown.
    pub const SHOWN: usize = 20;

    fn add(&mut self, other: Report) {
        self.games += other.games;
        self.positions += other.positions;
        self.counts += other.counts;
        self.mismatches += other.mismatches;
        let room = Self::SHOWN.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
    }
}

/// Something that differed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// How many turns had been played; `None` where that says nothing.
    pub ply: Option<usize>,
    /// What was compared.
    pub what: String,
    /// What the trace says.
    pub expected: String,
    /// What our rules say.
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)?;
        if let Some(ply) = self.ply {
            write!(f, ": ply {ply}")?;
        }
        write!(f, ": {}: expected {}, found {}", self.what, self.expected, self.found)
    }
}

/// A file that could not be read as a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; `None` where the file as a whole is meant.
    pub line: Option<usize>,
    /// What was wrong.
    pub message: String,
    /// What would be right.
    pub hint: Option<String>,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for TraceError {}

/// What a line's reader collects: differences without their place.
#[derive(Default)]
struct Findings {
    positions: u64,
    mismatches: u64,
    first: Vec<(Option<usize>, String, String, String)>,
}

impl Findings {
    /// Compares one thing of one position.
    fn compare<T: PartialEq + Serialize>(&mut self, ply: usize, what: &str, given: &T, ours: &T) {
        if given != ours {
            // As the trace would spell it.
            let spell = |value: &T| serde_json::to_string(value).unwrap_or_default();
            self.differ(Some(ply), what, spell(given), spell(ours));
        }
    }

    fn differ(
        &mut self,
        ply: Option<usize>,
        what: impl Into<String>,
        given: impl Into<String>,
        ours: impl Into<String>,
    ) {
        self.mismatches += 1;
        if self.first.len() < Report::SHOWN {
            let shorten = |text: String| {
                if text.chars().count() <= 400 {
                    return text;
                }
                text.chars().take(400).chain(['…']).collect()
            };
            self.first.push((ply, what.into(), shorten(given.into()), shorten(ours.into())));
        }
    }
}

/// Why a line could not be used at all.
#[derive(Debug)]
struct Unusable {
    message: String,
    hint: Option<String>,
}

impl Unusable {
    fn new(message: impl Into<String>) -> Unusable {
        Unusable { message: message.into(), hint: None }
    }
    fn hint(mut self, hint: impl Into<String>) -> Unusable {
        self.hint = Some(hint.into());
        self
    }
}

impl From<skirmish_rules::Error> for Unusable {
    fn from(error: skirmish_rules::Error) -> Unusable {
        Unusable { message: error.message, hint: error.hint }
    }
}

type Verified = std::result::Result<Findings, Unusable>;

/// Verifies a file. `progress` is called with the bytes read so far.
pub fn verify(
    path: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> std::result::Result<Report, TraceError> {
    let whole =
        |message: String| TraceError { file: path.to_owned(), line: None, message, hint: None };
    let file = std::fs::File::open(path).map_err(|error| whole(format!("cannot open: {error}")))?;
    if let Ok(metadata) = file.metadata() {
        if metadata.is_dir() {
            return Err(whole("is a folder, not a file".to_owned()));
        }
        if files::is_device(&metadata) {
            return Err(whole("is a device, not a file".to_owned()));
        }
    }
    let mut counted = BufReader::new(Counted { inner: file, read: 0, progress });
    let is_gzip = counted
        .fill_buf()
        .map_err(|error| whole(format!("cannot read: {error}")))?
        .starts_with(&[0x1f, 0x8b]);
    let reader: Box<dyn Read + '_> =
        if is_gzip { Box::new(MultiGzDecoder::new(counted)) } else { Box::new(counted) };
    verify_lines(path, &mut BufReader::with_capacity(1 << 16, reader))
}

/// Verifies lines from any reader; `path` is how messages name it.
pub fn verify_lines(
    path: &Path,
    reader: &mut dyn BufRead,
) -> std::result::Result<Report, TraceError> {
    let mut report = Report::default();
    let mut number = 0;
    let mut first = match read_line(reader) {
        Ok(Some(line)) if journal::begins(&line) => return verify_journal(path, line, reader),
        Ok(first) => first,
        Err(message) => {
            return Err(TraceError { file: path.to_owned(), line: Some(1), message, hint: None });
        }
    };
    loop {
        // 1. Read a batch.
        let mut batch = Vec::new();
        let mut bytes = 0;
        let mut failure = None;
        while bytes < BATCH_BYTES {
            match first.take().map_or_else(|| read_line(reader), |line| Ok(Some(line))) {
                Ok(Some(line)) => {
                    number += 1;
                    bytes += line.len() + 1;
                    batch.push((number, line));
                }
                Ok(None) => break,
                Err(message) => {
                    failure = Some(TraceError {
                        file: path.to_owned(),
                        line: Some(number + 1),
                        message,
                        hint: Some("is the file complete?".to_owned()),
                    });
                    break;
                }
            }
        }
        // 2. Verify its lines side by side; 3. add up in their order.
        let verified: Vec<_> =
            batch.par_iter().map(|(number, line)| (*number, verify_line(line))).collect();
        for (line, outcome) in verified {
            let (part, findings) = outcome.map_err(|unusable| TraceError {
                file: path.to_owned(),
                line: Some(line),
                message: unusable.message,
                hint: unusable.hint,
            })?;
            let place = |(ply, what, expected, found)| Mismatch {
                file: path.to_owned(),
                line,
                ply,
                what,
                expected,
                found,
            };
            report.add(Report {
                games: u64::from(part == Part::Game),
                counts: u64::from(part == Part::Count),
                positions: findings.positions,
                mismatches: findings.mismatches,
                first: findings.first.into_iter().map(place).collect(),
            });
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        if batch.is_empty() {
            return Ok(report);
        }
    }
}

/// Verifies a journal, which is one game on many lines.
fn verify_journal(
    path: &Path,
    first: Vec<u8>,
    reader: &mut dyn BufRead,
) -> std::result::Result<Report, TraceError> {
    let whole =
        |message: String| TraceError { file: path.to_owned(), line: None, message, hint: None };
    let mut bytes = first;
    bytes.push(b'\n');
    let rest = files::bounded(reader).map_err(|error| whole(format!("cannot read: {error}")))?;
    bytes.extend(rest);
    let text = String::from_utf8(bytes).map_err(|_| whole("not text".to_owned()))?;
    let record = journal::record_of(&text)
        .unwrap_or_else(|| Err(Error::new(ErrorKind::Unreadable, "not a journal")))
        .map_err(|error| whole(error.message))?;
    let findings = records::verify(&record).map_err(|unusable| whole(unusable.message))?;
    let place = |(ply, what, expected, found)| Mismatch {
        file: path.to_owned(),
        line: 1,
        ply,
        what,
        expected,
        found,
    };
    Ok(Report {
        games: 1,
        positions: findings.positions,
        counts: 0,
        mismatches: findings.mismatches,
        first: findings.first.into_iter().map(place).collect(),
    })
}

/// One line without its end, or `None` at the end of the file.
fn read_line(reader: &mut dyn BufRead) -> std::result::Result<Option<Vec<u8>>, String> {
    let mut line = Vec::new();
    let mut limited = reader.take(LONGEST_LINE as u64 + 1);
    let read =
        limited.read_until(b'\n', &mut line).map_err(|error| format!("cannot read: {error}"))?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LONGEST_LINE {
        return Err(format!("the line is longer than {} MiB", LONGEST_LINE >> 20));
    }
    Ok(Some(line))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Nothing,
    Game,
    Count,
}

fn verify_line(line: &[u8]) -> std::result::Result<(Part, Findings), Unusable> {
    let text = std::str::from_utf8(line)
        .map_err(|error| Unusable::new(format!("not UTF-8 text: {error}")))?
        .trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok((Part::Nothing, Findings::default()));
    }
    if !text.starts_with('{') {
        return Ok((Part::Count, amazons::verify_count(text)?));
    }
    #[derive(Deserialize)]
    struct Named {
        game: String,
        /// A record of ours keeps events where others' traces keep moves.
        events: Option<serde::de::IgnoredAny>,
    }
    let Named { game, events } = parse(text)?;
    if events.is_some() {
        return Ok((Part::Game, records::verify(&parse(text)?)?));
    }
    let findings = match game.as_str() {
        "watch-your-back" => watch_your_back::verify(&parse(text)?),
        "in-trap" => in_trap::verify(&parse(text)?),
        "game17" => game17::verify(&parse(text)?),
        "amazons" => amazons::verify(&parse(text)?),
        other => Err(Unusable::new(format!("a trace of the unknown game {}", quote(other)))
            .hint("traces exist for watch-your-back, in-trap, game17 and amazons")),
    }?;
    Ok((Part::Game, findings))
}

fn parse<T: DeserializeOwned>(text: &str) -> std::result::Result<T, Unusable> {
    serde_json::from_str(text).map_err(|error| {
        let what = match error.classify() {
            serde_json::error::Category::Eof => "the line is cut in the middle".to_owned(),
            serde_json::error::Category::Syntax => "not JSON".to_owned(),
            _ => "not a trace of this game".to_owned(),
        };
        // The error's own line is always 1: each line is read by itself.
        let detail = error.to_string().replace(" at line 1 column ", " at column ");
        Unusable::new(format!("{what}: {detail}")).hint(
            "a trace is one JSON object a line, a perft table has lines `FEN ; depth ; leaves`",
        )
    })
}

/// Positions of a trace: absent, or one more than the moves.
fn check_length<T>(positions: Option<&Vec<T>>, moves: usize) -> std::result::Result<(), Unusable> {
    match positions {
        Some(positions) if positions.len() != moves + 1 => Err(Unusable::new(format!(
            "`positions` has {} entries where {} belong after {moves} moves",
            positions.len(),
            moves + 1
        ))),
        _ => Ok(()),
    }
}

/// Tells a key that is `null` from one that is absent.
fn present<'de, D, T>(deserializer: D) -> std::result::Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

/// A reader that tells how far it has come.
struct Counted<'a, R> {
    inner: R,
    read: u64,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        (self.progress)(self.read);
        Ok(read)
    }
}
