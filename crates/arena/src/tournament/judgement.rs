//! The mistakes in finished games, as another agent sees them.
//!
//! Judging takes longer than playing, so what was judged is kept beside the games: who asks again, or
//! is interrupted, goes on with the games that are left.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use skirmish_rules::{Result, Seat};
use skirmish_search::{Allowance, Spec, Stop};

use super::schedule::Key;
use super::settings::{Settings, wrong};
use super::store::{Kept, Store, key_text, refusal};
use super::summary::{Analysed, Mistakes, Summary};
use crate::analysis::{Judged, Question, analyse, judge_record};

/// Judged games, one a line.
pub const ANALYSIS: &str = "analysis.jsonl";
/// Games that are judged before the next are read.
const BATCH: usize = 32;

/// What an agent thinks of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judgement {
    /// Which game.
    #[serde(with = "key_text")]
    pub key: Key,
    /// Who was asked.
    pub agent: String,
    /// Turns of each seat that were judged.
    pub turns: Vec<u64>,
    /// The turns that cost a lot.
    pub mistakes: Vec<Judged>,
}

/// Whether this agent can judge games of a tournament: better known before a night of games.
pub fn check(settings: &Settings, spec: &Spec) -> Result<()> {
    if settings.game == "game17" {
        return Err(wrong("games of Game 17 cannot be judged: no agent values its positions")
            .hint("leave `--analyse` out"));
    }
    let question = Question {
        game: &settings.game,
        options: &settings.options,
        position: None,
        agent: spec,
        allowance: Allowance { nodes: Some(1), ..Allowance::default() },
        lines: 1,
        seed: 0,
    };
    analyse(&question, &Stop::new()).map(drop).map_err(|error| error.within("--analyse"))
}

/// Judges the games that were not judged by this agent before. `done` is called after each game with
/// the number of games that are judged. What is done when `stop` is set is kept.
pub fn judge(
    store: &Store,
    games: &[&Kept],
    spec: &Spec,
    stop: &Stop,
    done: &(dyn Fn(usize) + Sync),
) -> Result<HashMap<Key, Judgement>> {
    let agent = spec.to_string();
    let path = store.folder().join(ANALYSIS);
    // A torn line is a game that is judged again.
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let read = text.lines().filter_map(|line| serde_json::from_str::<Judgement>(line).ok());
    let mut judged: HashMap<Key, Judgement> = (read.filter(|judgement| judgement.agent == agent))
        .map(|judgement| (judgement.key, judgement))
        .collect();
    let left: Vec<&&Kept> =
        games.iter().filter(|game| !judged.contains_key(&game.slip.key)).collect();
    if left.is_empty() {
        return Ok(judged);
    }
    let file = OpenOptions::new().append(true).create(true).open(&path);
    let mut file = file.map_err(|error| refusal(&path, "cannot open", &error))?;
    if !text.is_empty() && !text.ends_with('\n') {
        file.write_all(b"\n").map_err(|error| refusal(&path, "cannot write", &error))?;
    }
    let allowance = Allowance { time: Some(Duration::from_millis(100)), ..Allowance::default() };
    let before = games.len() - left.len();
    let finished = std::sync::atomic::AtomicUsize::new(before);
    for batch in left.chunks(BATCH) {
        let records: Vec<(Key, crate::record::Record)> = (batch.iter())
            .map(|kept| Ok((kept.slip.key, store.record(kept)?)))
            .collect::<Result<_>>()?;
        let found: Vec<Judgement> = (records.par_iter())
            .map(|(key, record)| {
                let turns = judge_record(record, spec, allowance, stop, &|_| {})?;
                done(finished.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1);
                let count = |seat: u16| turns.iter().filter(|turn| turn.seat == Seat(seat)).count();
                Ok(Judgement {
                    key: *key,
                    agent: agent.clone(),
                    turns: (0..2).map(|seat| count(seat) as u64).collect(),
                    mistakes: turns.iter().filter(|turn| turn.mistake).cloned().collect(),
                })
            })
            .collect::<Result<_>>()?;
        // A search that was cut short has judged nothing.
        if stop.is_stopped() {
            break;
        }
        let mut lines = String::new();
        for judgement in found {
            lines.push_str(&serde_json::to_string(&judgement).expect("a judgement is plain data"));
            lines.push('\n');
            judged.insert(judgement.key, judgement);
        }
        file.write_all(lines.as_bytes()).map_err(|error| refusal(&path, "cannot write", &error))?;
    }
    file.sync_data().map_err(|error| refusal(&path, "cannot write", &error))?;
    Ok(judged)
}

/// Adds what was judged to a summary. `numbers` tells the games' numbers in the schedule.
pub fn tell(
    summary: &mut Summary,
    spec: &Spec,
    judged: &HashMap<Key, Judgement>,
    numbers: &HashMap<Key, u64>,
) {
    let of: HashMap<u64, &Judgement> = (judged.iter())
        .filter_map(|(key, judgement)| Some((*numbers.get(key)?, judgement)))
        .collect();
    let mut totals = vec![Mistakes::default(); summary.agents.len()];
    let mut games = 0;
    for game in &mut summary.games {
        let Some(judgement) = of.get(&game.number) else { continue };
        games += 1;
        for seat in &game.seats {
            let total = &mut totals[seat.agent];
            total.turns += judgement.turns.get(seat.seat.index()).copied().unwrap_or(0);
            total.mistakes +=
                judgement.mistakes.iter().filter(|turn| turn.seat == seat.seat).count() as u64;
        }
        game.mistakes = judgement.mistakes.clone();
    }
    for line in &mut summary.standings {
        line.mistakes = Some(totals[line.agent]);
    }
    summary.analysed = Some(Analysed { agent: spec.to_string(), games });
}
