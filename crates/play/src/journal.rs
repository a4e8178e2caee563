//! A live game on disk, update by update.
//!
//! A journal is JSON Lines, one [`Update`] a line, each written as it happens: whatever ends the
//! program, every update before is in the file. When the game is over, its record takes the journal's
//! place under the same name. [`Journal::resume`] goes on with either.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind as IoKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use skirmish_rules::{Error, ErrorKind, Result};

use crate::record::{Record, Termination};
use crate::session::{Session, Terms, Update};

/// No journal is larger than this.
const LARGEST: u64 = 512 << 20;

/// A game being written to a file.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// What takes the place of a record as soon as the game goes on: a game that is only looked at
    /// stays as it is.
    pending: Vec<u8>,
    /// The first thing that went wrong: nothing more is written then, until the record is.
    trouble: Option<std::io::Error>,
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{}: cannot {what}: {error}", path.display()))
}

impl Journal {
    /// Begins a journal. A file that exists is refused, unless it is to be overwritten.
    pub fn create(path: &Path, overwrite: bool) -> Result<Journal> {
        if path.exists() {
            if !overwrite {
                let message = format!("{}: exists already", path.display());
                return Err(Error::new(ErrorKind::Option, message)
                    .hint("`--force` overwrites it, `--resume` goes on with the game in it"));
            }
            if !path.is_file() {
                let message = format!("{}: is not a file", path.display());
                return Err(Error::new(ErrorKind::Option, message));
            }
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        if overwrite {
            options.create(true);
        } else {
            options.create_new(true);
        }
        let file = options.open(path).map_err(|error| cannot("write", path, &error))?;
        lock(&file, path)?;
        // Emptied only now: another program may be writing the game that is in it.
        file.set_len(0).map_err(|error| cannot("write", path, &error))?;
        Ok(Journal { file, path: path.to_owned(), pending: Vec::new(), trouble: None })
    }

    /// Writes updates down. What goes wrong does not end the game: [`Journal::finish`] tries once more.
    pub fn write<'a>(&mut self, updates: impl IntoIterator<Item = &'a Update>) {
        if self.trouble.is_some() {
            return;
        }
        if !self.pending.is_empty()
            && let Err(error) = self.replace_record()
        {
            self.trouble = Some(error);
            return;
        }
        let mut lines = Vec::new();
        for update in updates {
            if let Err(error) = serde_json::to_writer(&mut lines, update) {
                self.trouble = Some(error.into());
                return;
            }
            lines.push(b'\n');
        }
        self.trouble = self.file.write_all(&lines).err();
    }

    /// Puts a journal in the place of the record that the game goes on from: at no time is there half
    /// a file.
    fn replace_record(&mut self) -> std::io::Result<()> {
        let beside = beside(&self.path);
        std::fs::write(&beside, std::mem::take(&mut self.pending))?;
        let file = OpenOptions::new().read(true).append(true).open(&beside)?;
        // The lock of the old file is let go only when the new one is locked.
        let _ = file.try_lock();
        std::fs::rename(&beside, &self.path)?;
        self.file = file;
        Ok(())
    }

    /// Puts the record of the finished game in the journal's place: at no time is there half a file.
    pub fn finish(mut self, record: &Record) -> Result<()> {
        let path = self.path.clone();
        // A journal that broke off, on a disk that was full for a while, loses nothing if the record can
        // be written now.
        if self.trouble.take().is_none() {
            // Everything is on disk before anything is replaced.
            self.file.sync_data().map_err(|error| cannot("write", &path, &error))?;
        }
        write_record(&path, record)
    }

    /// Goes on with the game in a file: a journal, or the record of a game that was ended undecided.
    /// `terms` are those of a record, which does not say them.
    pub fn resume(path: &Path, terms: &dyn Fn(&Record) -> Terms) -> Result<(Session, Journal)> {
        // A link stays a link: it is the file behind it that is replaced.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let path = real.as_path();
        let wrong = |error: std::io::Error| cannot("read", path, &error);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| {
            match error.kind() {
                IoKind::NotFound => {
                    let message = format!("{}: there is no such file", path.display());
                    Error::new(ErrorKind::Option, message)
                        .hint("`--resume` goes on with a game that was kept in a file")
                }
                _ => wrong(error),
            }
        })?;
        lock(&file, path)?;
        let unreadable = |message: String| {
            Error::new(ErrorKind::Unreadable, format!("{}: {message}", path.display()))
        };
        let (updates, whole) = read_updates(&file).map_err(&unreadable)?;
        let mut journal = Journal {
            file: file.try_clone().map_err(wrong)?,
            path: path.to_owned(),
            trouble: None,
            pending: Vec::new(),
        };
        let session = if updates.is_empty() {
            let mut text = String::new();
            file.seek(SeekFrom::Start(0)).map_err(wrong)?;
            (&file).take(LARGEST).read_to_string(&mut text).map_err(wrong)?;
            let record: Record = serde_json::from_str(&text)
                .map_err(|error| unreadable(format!("neither a journal nor a record: {error}")))?;
            let (session, updates) = Session::from_record(&record, &terms(&record))
                .map_err(|error| error.within(format_args!("{}", path.display())))?;
            check_open(session.record(), path)?;
            for update in &updates {
                serde_json::to_writer(&mut journal.pending, update)
                    .map_err(|error| unreadable(error.to_string()))?;
                journal.pending.push(b'\n');
            }
            session
        } else {
            let session = Session::from_updates(&updates)
                .map_err(|error| error.within(format_args!("{}", path.display())))?;
            check_open(session.record(), path)?;
            // Half a line is what a kill leaves.
            file.set_len(whole).map_err(wrong)?;
            file.seek(SeekFrom::Start(whole)).map_err(wrong)?;
            journal.file = file;
            session
        };
        Ok((session, journal))
    }
}

fn check_open(record: &Record, path: &Path) -> Result<()> {
    match &record.result {
        Some(result) if result.termination != Termination::Interrupted => {
            let message = format!("{}: the game is over: {}", path.display(), result.sentence);
            Err(Error::new(ErrorKind::Option, message)
                .hint("`skirmish replay` shows it, `skirmish analyse` judges it"))
        }
        _ => Ok(()),
    }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let message = format!("{}: another program is playing this game", path.display());
            Err(Error::new(ErrorKind::Option, message).hint("end it first, or take another file"))
        }
        // Some file systems know no locks.
        Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Writes a record: beside the file and then in its place.
pub fn write_record(path: &Path, record: &Record) -> Result<()> {
    let beside = beside(path);
    let write = || -> std::io::Result<()> {
        let mut text = serde_json::to_vec(record)?;
        text.push(b'\n');
        std::fs::write(&beside, text)?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        cannot("write", path, &error)
    })
}

/// The whole updates at the beginning of a file, and how many bytes they take. None where the first
/// line is no update.
fn read_updates(file: &File) -> std::result::Result<(Vec<Update>, u64), String> {
    let mut reader = BufReader::new(file.take(LARGEST));
    let (mut updates, mut whole) = (Vec::new(), 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        if read == 0 || line.last() != Some(&b'\n') {
            return Ok((updates, whole));
        }
        match serde_json::from_slice::<Update>(&line) {
            Ok(update) => updates.push(update),
            Err(_) if updates.is_empty() => return Ok((updates, 0)),
            Err(error) => return Err(format!("line {}: {error}", updates.len() + 1)),
        }
        whole += read as u64;
    }
}

/// Whether this is the first line of a journal.
pub(crate) fn begins(line: &[u8]) -> bool {
    // Looked for first, since every line of a file of a million games may be asked.
    const KEY: &[u8] = b"\"update\"";
    line.windows(KEY.len()).any(|part| part == KEY)
        && serde_json::from_slice::<Update>(line).is_ok()
}

/// The record of the game in a journal's text; `None` where the text is no journal.
pub fn record_of(text: &str) -> Option<Result<Record>> {
    if !begins(text.lines().next()?.as_bytes()) {
        return None;
    }
    let whole = text.rfind('\n').map_or(text, |end| &text[..end]);
    let updates: std::result::Result<Vec<Update>, _> =
        whole.lines().map(serde_json::from_str).collect();
    let session = updates
        .map_err(|error| Error::new(ErrorKind::Unreadable, format!("not a journal: {error}")))
        .and_then(|updates| Session::from_updates(&updates));
    Some(session.map(Session::into_record))
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{Games, Options, Random, Registry, Setup, open};

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_journal_that_broke_off_on_a_full_disk_still_becomes_a_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.json");
        let mut random = Random::seeded(1);
        let (options, position) = (Options::none().with("size", 4), None);
        let setup = Setup { options: &options, position, random: &mut random };
        let terms = Terms::usual(&Games::entry("amazons").unwrap());
        let (session, begun) = Session::new(open("amazons", setup).unwrap(), terms);
        let mut journal = Journal::create(&path, false).unwrap();
        // Every write to this device fails as on a full disk.
        journal.file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        journal.write([&begun]);
        assert!(journal.trouble.is_some());
        journal.finish(session.record()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(&serde_json::from_str::<Record>(&text).unwrap(), session.record());
    }
}
