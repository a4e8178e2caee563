//! One game in front of the terminal: told turn by turn, with people at the keyboard, and kept in a
//! journal as it goes.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use skirmish_play::driver::pause;
use skirmish_play::faults::AgentError;
use skirmish_play::journal::{Journal, write_record};
use skirmish_play::player::{Answer, Introduction, Player, Question, Reply, Seating};
use skirmish_play::record::{Event, Participant, Record, Termination};
use skirmish_play::session::{Change, Request, Session, Terms, Update};
use skirmish_rules::draw::{Look, draw};
use skirmish_rules::table::Table;
use skirmish_rules::{Games, Registry, Seat};
use skirmish_search::Stop;
use skirmish_tournament::matches::{Fixture, GameResult, MatchRunner};

use crate::Done;
use crate::interrupt::{Hangup, stop_on_signals};
use crate::output::{Fault, Output, note};

/// How much of a game is shown.
#[derive(Clone, Copy)]
pub(crate) struct Show {
    /// Whether turns and boards are told.
    pub(crate) telling: bool,
    pub(crate) look: Look,
    /// Seconds to wait after each turn.
    pub(crate) delay: f64,
}

/// The file a game is kept in while it goes on.
pub(crate) enum Keep {
    /// A file of the user's choice: the record stays there.
    File { path: PathBuf, force: bool },
    /// A file of ours: it stays only for games that can be gone on with, or that a person played.
    Ours(PathBuf),
    /// A game that goes on in its file.
    Resumed { session: Box<Session>, journal: Journal, path: PathBuf },
    /// Nowhere.
    Nowhere,
}

impl Keep {
    /// Where a game is kept that no one named a file for: so that a closed terminal loses nothing.
    pub(crate) fn by_default(game: &str) -> Keep {
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).or_else(|| {
            Some(PathBuf::from(std::env::var_os("HOME")?).join(".local").join("state"))
        });
        let Some(folder) = state.filter(|path| path.is_absolute()) else { return Keep::Nowhere };
        let folder = folder.join("skirmish").join("games");
        if std::fs::create_dir_all(&folder).is_err() {
            return Keep::Nowhere;
        }
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_millis());
        Keep::Ours(folder.join(format!("{game}-{now}-{}.json", std::process::id())))
    }

    /// The game in a file, to go on with.
    pub(crate) fn resume(path: &Path) -> Result<Keep, Fault> {
        let terms = |record: &Record| {
            let entry = Games::entry(&record.game);
            entry.map_or_else(|_| Terms::plain(), |entry| Terms::usual(&entry))
        };
        let (session, journal) = Journal::resume(path, &terms)?;
        Ok(Keep::Resumed { session: Box::new(session), journal, path: path.to_owned() })
    }
}

/// What people type, line by line: one reader for all games of a match, so that no line is lost
/// between two of them.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Option<Receiver<String>>>>);

impl Lines {
    /// The next line; none at the end of the input, or when the game is to end.
    fn next(&self, stop: &Stop) -> Option<String> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = lines.get_or_insert_with(typed);
        while !stop.is_stopped() {
            match lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}

/// Reads what is typed on a thread of its own: waiting for a person must not keep Ctrl-C waiting.
fn typed() -> Receiver<String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        // What is not UTF-8 is a turn that cannot be read, not the end of the input.
        while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

/// Ctrl-C, a closed terminal and a kill that can be heard end the game and leave its record; a second
/// one ends us.
pub(crate) fn end_on_interrupt(stop: &Stop) {
    stop_on_signals(stop, Hangup::Stops, "leave no record");
}

/// Plays one game in front of the terminal, kept in a file as it goes. Comes with whether the
/// terminal could be told all of it: a game is kept also where its reader is gone.
pub(crate) fn play(
    match_runner: &MatchRunner,
    fixture: &Fixture,
    show: Show,
    keep: Keep,
    lines: &Lines,
    stop: &Stop,
    output: &mut Output,
) -> Result<(GameResult, Done), Fault> {
    let (mut journal, path, is_ours, begun) = match keep {
        Keep::File { path, force } => {
            (Some(Journal::create(&path, force)?), Some(path), false, None)
        }
        // A game that cannot be kept is played all the same.
        Keep::Ours(path) => match Journal::create(&path, false) {
            Ok(journal) => (Some(journal), Some(path), true, None),
            Err(_) => (None, None, true, None),
        },
        Keep::Resumed { session, journal, path } => {
            (Some(journal), Some(path), false, Some(*session))
        }
        Keep::Nowhere => (None, None, true, None),
    };
    // A person who has no board on stdout finds it on stderr.
    let shown = Arc::new(AtomicU64::new(u64::MAX));
    let has_person = std::cell::Cell::new(false);
    let mut people = |_: usize| -> Box<dyn Player> {
        has_person.set(true);
        Box::new(Keyboard {
            to_stderr: !show.telling,
            look: show.look,
            shown: shown.clone(),
            stop: stop.clone(),
            lines: lines.clone(),
        })
    };
    let mut told = Ok(());
    let mut teller = Teller { look: show.look, shown: shown.clone(), turn: 0, is_started: false };
    let mut watcher = |session: &Session, update: &Update| {
        if let Some(journal) = &mut journal {
            journal.write([update]);
        }
        if show.telling && told.is_ok() {
            told = teller.tell(output, session, update);
        }
        if show.delay > 0.0 && teller.is_started && matches!(update.what, Change::Event(_)) {
            pause(show.delay, stop);
        }
    };
    let played = match_runner.play_live(fixture, begun, &mut people, &mut watcher);
    if let (Some(journal), Some(path)) = (journal, path) {
        let result = played.record.result.as_ref();
        let is_open = result.is_none_or(|result| result.termination == Termination::Interrupted);
        if is_ours && !is_open && !has_person.get() {
            drop(journal);
            let _ = std::fs::remove_file(&path);
        } else {
            journal.finish(&played.record)?;
            if is_open {
                let path = path.display();
                note(format_args!(
                    "kept in {path}; `skirmish referee --resume {path}` goes on with it"
                ));
            } else if is_ours {
                note(format_args!("kept in {}", path.display()));
            }
        }
    }
    Ok((played, told.map_err(Fault::from)))
}

/// What each agent wrote to stderr, beside the record.
pub(crate) fn keep_logs(path: &Path, played: &GameResult) -> Done {
    for (seat, log) in played.seats.iter().zip(&played.logs).filter(|(_, log)| !log.is_empty()) {
        let path = path.with_extension(format!("seat-{seat}.stderr.txt"));
        std::fs::write(&path, log).map_err(|error| {
            Fault::unusable(format!("{}: cannot write: {error}", path.display()))
        })?;
    }
    Ok(())
}

/// The record of a game that was played somewhere else than in front of the terminal.
pub(crate) fn keep_record(path: &Path, played: &GameResult) -> Done {
    write_record(path, &played.record)?;
    keep_logs(path, played)
}

/// Who has won, by the names of the seats.
pub(crate) fn winner(match_runner: &MatchRunner, record: &Record) -> String {
    const OPEN: &str = "none, the game is not over";
    let Some(result) = &record.result else { return OPEN.to_owned() };
    if result.termination == Termination::Interrupted {
        return OPEN.to_owned();
    }
    let best = result.payoffs.iter().copied().fold(f32::MIN, f32::max);
    if best <= 0.0 {
        return if best < 0.0 { "none" } else { "draw" }.to_owned();
    }
    let seats = result.payoffs.iter().enumerate().filter(|(_, payoff)| **payoff == best);
    let names: Vec<String> =
        seats.map(|(seat, _)| match_runner.seat_name(Seat(seat as u16))).collect();
    names.join(", ")
}

/// Tells a game as it goes.
struct Teller {
    look: Look,
    /// The ply of the board that was drawn last.
    shown: Arc<AtomicU64>,
    /// Turns taken so far.
    turn: usize,
    is_started: bool,
}

impl Teller {
    fn tell(
        &mut self,
        output: &mut Output,
        session: &Session,
        update: &Update,
    ) -> std::io::Result<()> {
        let table = session.table();
        match &update.what {
            Change::Seated { player, .. } => {
                let Participant { seat, agent, name, version } = player;
                let version =
                    version.as_ref().map_or(String::new(), |version| format!(" {version}"));
                writeln!(output, "{}: {name}{version} ({agent})", table.seat_name(*seat))?;
            }
            Change::Started => {
                self.is_started = true;
                let opening: Vec<&str> = moves(session.record()).collect();
                self.turn = opening.len();
                if !opening.is_empty() {
                    writeln!(output, "opening: {}", opening.join("; "))?;
                }
                self.board(output, session)?;
            }
            Change::Reopened => {
                self.is_started = true;
                for Participant { seat, agent, name, .. } in &session.record().seats {
                    writeln!(output, "{}: {name} ({agent})", table.seat_name(*seat))?;
                }
                self.turn = session.record().turns();
                writeln!(output, "the game goes on after turn {}", self.turn)?;
                self.board(output, session)?;
            }
            Change::TakenBack { .. } => {
                self.turn = session.record().turns();
                writeln!(output, "taken back to turn {}", self.turn)?;
                self.board(output, session)?;
            }
            Change::Requested { seat, request } => {
                let what = match request {
                    Request::Draw => "offers a draw",
                    Request::TakeBack { .. } => "asks to take a turn back",
                };
                writeln!(output, "{} {what}", table.seat_name(*seat))?;
            }
            Change::Declined { seat } => writeln!(output, "{} declines", table.seat_name(*seat))?,
            Change::Faulted { fault } => {
                writeln!(output, "fault: {fault}")?;
                for line in fault.log_tail.lines() {
                    writeln!(output, "    | {line}")?;
                }
            }
            Change::Event(Event::Move { seat, text, cpu_ms, info, .. }) => {
                self.turn += 1;
                // A board for every zombie would help no reader.
                if !self.is_started || table.is_zombie(*seat) {
                    return Ok(());
                }
                write!(output, "turn {}: {} plays {text}", self.turn, table.seat_name(*seat))?;
                if let Some(cpu_ms) = cpu_ms {
                    let own = session.record().events.iter().filter_map(|event| match event {
                        Event::Move { seat: by, cpu_ms, .. } if by == seat => *cpu_ms,
                        _ => None,
                    });
                    let used = own.sum::<f64>() / 1e3;
                    write!(output, "   (clock: {:.3} s, {used:.3} s in all)", cpu_ms / 1e3)?;
                }
                if let Some(thought) = info.as_ref().and_then(thought) {
                    write!(output, "   ({thought})")?;
                }
                writeln!(output)?;
                self.board(output, session)?;
            }
            _ => return Ok(()),
        }
        output.flush()
    }

    fn board(&self, output: &mut Output, session: &Session) -> std::io::Result<()> {
        self.shown.store(u64::from(session.ply()), Ordering::Relaxed);
        writeln!(output, "\n{}", draw(&session.table().view(), self.look))
    }
}

/// The turns of a record, as text.
fn moves(record: &Record) -> impl Iterator<Item = &str> {
    record.events.iter().filter_map(|event| match event {
        Event::Move { text, .. } => Some(text.as_str()),
        Event::Chance { .. } => None,
    })
}

/// What an engine thought of its turn, in a few words.
pub(crate) fn thought(info: &serde_json::Value) -> Option<String> {
    let value = info.get("value")?.as_f64()?;
    let effort = match (info.get("visits"), info.get("depth")) {
        (Some(visits), _) => format!(", {} visits", crate::output::commas(visits.as_u64()?)),
        (None, Some(depth)) => format!(", depth {depth}"),
        (None, None) => String::new(),
    };
    Some(format!("value {:+.2}{effort}", value + 0.0))
}

/// A person in front of the terminal.
struct Keyboard {
    /// Whether stdout is for something else: data, or nothing.
    to_stderr: bool,
    look: Look,
    /// The ply of the board that was drawn last.
    shown: Arc<AtomicU64>,
    stop: Stop,
    lines: Lines,
}

const HELP: &str = "type a turn, `?` for what may be played, `? TEXT` for what begins with TEXT, `undo`, \
                    `resign`, or `quit` (the game can be gone on with)";

impl Keyboard {
    fn say(&self, text: &str) {
        // Where no reader is left, the game ends by itself at the end of the input.
        let _ = if self.to_stderr {
            let mut stream = anstream::stderr();
            write!(stream, "{text}").and_then(|()| stream.flush())
        } else {
            let mut stream = anstream::stdout();
            write!(stream, "{text}").and_then(|()| stream.flush())
        };
    }

    /// Asks a question that is answered by yes or no.
    fn confirms(&self, question: &str) -> bool {
        self.say(&format!("{question} [y/N] "));
        let line = self.lines.next(&self.stop).unwrap_or_default();
        matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
    }
}

impl Player for Keyboard {
    fn sit(&mut self, _: Seating<'_>) -> skirmish_rules::Result<Result<Introduction, AgentError>> {
        Ok(Ok(Introduction::default()))
    }

    fn choose(&mut self, question: Question<'_>) -> Result<Reply, AgentError> {
        let Question { table, seat, ply, record, .. } = question;
        let name = table.seat_name(seat);
        // The board may be a stale one: nature has moved since, or it was never drawn.
        if self.shown.swap(u64::from(ply), Ordering::Relaxed) != u64::from(ply) {
            self.say(&format!("{}\n", draw(&table.view(), self.look)));
        }
        loop {
            self.say(&format!("{name}> "));
            let Some(line) = self.lines.next(&self.stop) else {
                self.say("\n");
                return Ok(Reply::of(Answer::Interrupt));
            };
            let line = line.trim();
            match line.to_lowercase().as_str() {
                "" | "help" | "h" => self.say(&format!("{HELP}\n")),
                "resign" => return Ok(Reply::of(Answer::Resign)),
                "quit" | "exit" | "q" => return Ok(Reply::of(Answer::Interrupt)),
                "undo" | "u" => match last_turn_of(record, seat) {
                    Some(to) => return Ok(Reply::of(Answer::TakeBack { to })),
                    None => self.say("there is no turn of yours to take back\n"),
                },
                asked if asked.starts_with('?') => self.say(&choices(table, asked[1..].trim())),
                _ => match table.fork().play(line) {
                    Ok(text) => return Ok(Reply::play(text)),
                    Err(error) => {
                        let hint = error.hint.map_or(String::new(), |hint| format!(" ({hint})"));
                        self.say(&format!(
                            "not played: {}{hint}; `?` lists what may be played\n",
                            error.message
                        ));
                    }
                },
            }
        }
    }

    fn agrees(&mut self, request: Request) -> bool {
        self.confirms(match request {
            Request::Draw => "a draw is offered: accept it?",
            Request::TakeBack { .. } => "a turn is to be taken back: agree?",
        })
    }

    fn refuse(&mut self, _: u32, reason: &str) {
        self.say(&format!("not done: {reason}\n"));
    }
}

/// The last turn of a seat.
fn last_turn_of(record: &Record, seat: Seat) -> Option<u32> {
    let events = record.events.iter().enumerate();
    let own =
        events.filter(|(_, event)| matches!(event, Event::Move { seat: by, .. } if *by == seat));
    own.map(|(ply, _)| ply as u32).next_back()
}

/// What may be played, at most a screenful.
fn choices(table: &dyn Table, beginning: &str) -> String {
    const MOST: usize = 120;
    let (what, all) = match table.turns() {
        Some(turns) => ("turns", turns),
        // Where turns are lists of orders, the orders are what there is to know.
        None => ("steps of a turn", table.steps().into_iter().map(|step| step.text).collect()),
    };
    let fitting: Vec<&String> =
        all.iter().filter(|text| text.to_lowercase().starts_with(beginning)).collect();
    let shown: Vec<&str> = fitting.iter().take(MOST).map(|text| text.as_str()).collect();
    let mut text = format!("{} {what}: {}", fitting.len(), shown.join("  "));
    if fitting.len() > MOST {
        text.push_str("  … `? TEXT` shows those that begin with TEXT");
    }
    text + "\n"
}
