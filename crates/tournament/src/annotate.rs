//! The mistakes in finished games, as another agent sees them.
//!
//! Judging takes longer than playing, so what was judged is kept beside the games: who asks again, or
//! is interrupted, goes on with the games that are left.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use skirmish_rules::{Games, Registry, Result, Seat, Seating};
use skirmish_search::{Allowance, Roster, Spec, Stop};

use super::schedule::Key;
use super::settings::{Settings, wrong};
use super::store::{Store, StoredGame, key_text, refusal};
use super::summary::{Analysed, Mistakes, Summary};
use skirmish_play::analysis::{Annotation, Question, analyse, annotate_record};
use skirmish_play::record::Record;

/// Annotated games, one a line.
pub const ANALYSIS: &str = "analysis.jsonl";
/// Games that are judged before the next are read.
const BATCH: usize = 32;

/// What an agent thinks of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Annotations {
    /// Which game.
    #[serde(with = "key_text")]
    pub key: Key,
    /// Who was asked.
    pub agent: String,
    /// Turns of each seat that were judged.
    pub turns: Vec<u64>,
    /// The turns that cost a lot.
    pub mistakes: Vec<Annotation>,
}

/// Whether this agent can judge games of a tournament: better known before a night of games.
pub fn check(settings: &Settings, roster: Roster, spec: &Spec) -> Result<()> {
    let entry = Games::entry(&settings.game)?;
    if entry.seating != Seating::Duel || entry.has_chance {
        let title = entry.title;
        let message = format!("games of {title} cannot be judged: no agent values its positions");
        return Err(wrong(message).hint("leave `--analyse` out"));
    }
    let question = Question {
        game: &settings.game,
        options: &settings.options,
        position: None,
        agent: spec,
        roster,
        allowance: Allowance { nodes: Some(1), ..Allowance::default() },
        lines: 1,
        seed: 0,
    };
    analyse(&question, &Stop::new()).map(drop).map_err(|error| error.within("--analyse"))
}

/// Judges the games that were not judged by this agent before, and keeps each as it is done. The first
/// `opening` turns of a game were drawn at random. `done` is called with the number of games that are
/// judged. `None` where `stop` was set before the end.
pub fn annotate(
    store: &Store,
    opening: u32,
    games: &[&StoredGame],
    roster: Roster,
    spec: &Spec,
    stop: &Stop,
    done: &(dyn Fn(usize) + Sync),
) -> Result<Option<HashMap<Key, Annotations>>> {
    let agent = spec.to_string();
    let path = store.folder().join(ANALYSIS);
    // A torn line is a game that is judged again.
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let read = text.lines().filter_map(|line| serde_json::from_str::<Annotations>(line).ok());
    let mut judged: HashMap<Key, Annotations> = (read
        .filter(|annotations| annotations.agent == agent))
    .map(|mut annotations| {
        // Before turns were numbered, games with rolls were not judged: every event was a turn.
        for turn in annotations.mistakes.iter_mut().filter(|turn| turn.turn == 0) {
            turn.turn = turn.ply + 1;
        }
        (annotations.key, annotations)
    })
    .collect();
    let left: Vec<&&StoredGame> =
        games.iter().filter(|game| !judged.contains_key(&game.slip.key)).collect();
    if left.is_empty() {
        return Ok(Some(judged));
    }
    let cannot_write = |error: std::io::Error| refusal(&path, "cannot write", &error);
    let mut file =
        OpenOptions::new().append(true).create(true).open(&path).map_err(cannot_write)?;
    if !text.is_empty() && !text.ends_with('\n') {
        file.write_all(b"\n").map_err(cannot_write)?;
    }
    let file = Mutex::new(file);
    let finished = AtomicUsize::new(games.len() - left.len());
    for batch in left.chunks(BATCH) {
        // The store is for one thread; records are read before the others need them.
        let records: Vec<(Key, Record)> = (batch.iter())
            .map(|kept| Ok((kept.slip.key, store.record(kept)?)))
            .collect::<Result<_>>()?;
        let found: Vec<Option<Annotations>> = (records.par_iter())
            .map(|(key, record)| {
                let found = look_at(*key, record, opening as usize, roster, spec, stop)?;
                // A search that was cut short has judged nothing.
                if stop.is_stopped() {
                    return Ok(None);
                }
                let mut line = serde_json::to_string(&found).expect("annotations are plain data");
                line.push('\n');
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.write_all(line.as_bytes()).map_err(cannot_write)?;
                done(finished.fetch_add(1, Ordering::Relaxed) + 1);
                Ok(Some(found))
            })
            .collect::<Result<_>>()?;
        judged.extend(found.into_iter().flatten().map(|found| (found.key, found)));
        if stop.is_stopped() {
            return Ok(None);
        }
    }
    let file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
    file.sync_data().map_err(cannot_write)?;
    Ok(Some(judged))
}

/// Judges the turns that agents took: those of a random opening are no agent's fault.
fn look_at(
    key: Key,
    record: &Record,
    opening: usize,
    roster: Roster,
    spec: &Spec,
    stop: &Stop,
) -> Result<Annotations> {
    let allowance = Allowance { time: Some(Duration::from_millis(100)), ..Allowance::default() };
    let mut turns = annotate_record(record, roster, spec, allowance, stop, &|_| {})?;
    turns.retain(|turn| turn.turn > opening);
    let count = |seat: u16| turns.iter().filter(|turn| turn.seat == Seat(seat)).count() as u64;
    Ok(Annotations {
        key,
        agent: spec.to_string(),
        turns: vec![count(0), count(1)],
        mistakes: turns.into_iter().filter(|turn| turn.mistake).collect(),
    })
}

/// Adds what was judged to a summary. `numbers` tells the games' numbers in the schedule.
pub fn tell(
    summary: &mut Summary,
    spec: &Spec,
    judged: &HashMap<Key, Annotations>,
    numbers: &HashMap<Key, u64>,
) {
    let of: HashMap<u64, &Annotations> = (judged.iter())
        .filter_map(|(key, annotations)| Some((*numbers.get(key)?, annotations)))
        .collect();
    let mut totals = vec![Mistakes::default(); summary.agents.len()];
    let mut games = 0;
    for game in &mut summary.games {
        let Some(annotations) = of.get(&game.number) else { continue };
        games += 1;
        for seat in &game.seats {
            let total = &mut totals[seat.agent];
            total.turns += annotations.turns.get(seat.seat.index()).copied().unwrap_or(0);
            total.mistakes +=
                annotations.mistakes.iter().filter(|turn| turn.seat == seat.seat).count() as u64;
        }
        game.mistakes = annotations.mistakes.clone();
    }
    for line in &mut summary.standings {
        line.mistakes = Some(totals[line.agent]);
    }
    summary.analysed = Some(Analysed { agent: spec.to_string(), games });
}
