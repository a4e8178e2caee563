//! Plays what is due and keeps it.
//!
//! Workers, one for each game that is played at the same time, take games from a queue; a writer
//! keeps finished games in batches; the caller's thread looks on, tells what happens, and asks the
//! schedule for more when everything that was due is kept.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use skirmish_rules::Result;
use skirmish_search::Stop;

use super::machine::Watch;
use super::programs::fingerprint;
use super::schedule::{Key, Plan, Results, Schedule, ScheduledGame};
use super::settings::wrong;
use super::store::{Finished, GameSummary, Store, StoredGame, Used};
use crate::matches::{Fixture, GameResult, MatchRunner};
use skirmish_play::record::Termination;
use skirmish_sandbox::AgentSpec;

/// How long a finished game may wait for others to be kept together with it.
const PATIENCE: Duration = Duration::from_millis(40);
/// How often the caller is asked to look, where nothing happens.
const TICK: Duration = Duration::from_millis(100);
/// How far ahead a game is looked for whose agents are all free.
const LOOKAHEAD: usize = 512;
/// What is kept of what an agent wrote to stderr.
const STDERR: usize = 2_000;

/// What happens while a tournament is played.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Games were found finished, or more became due.
    Plan {
        /// Everything known of the schedule.
        plan: &'a Plan,
        /// Games kept so far.
        kept: usize,
        /// Games due now.
        due: usize,
    },
    /// A game is kept.
    Stored(&'a StoredGame),
    /// Some time has passed.
    Tick,
}

/// A tournament about to be played.
pub struct Run<'a> {
    /// Who meets whom.
    pub schedule: &'a Schedule,
    /// Where games are played.
    pub match_runner: &'a MatchRunner,
    /// Which part of a fixed schedule is played here: number (from 1) and count.
    pub shard: Option<(u64, u64)>,
    /// Games at the same time.
    pub concurrency: usize,
    /// Whether each game keeps to a core of its own.
    pub pin: bool,
    /// Ends it from outside; what is finished is kept.
    pub stop: Stop,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// Every game that is kept, by key.
    pub kept: HashMap<Key, StoredGame>,
    /// Whether nothing is left to play (here, for a shard).
    pub is_complete: bool,
    /// Why it could not go on, if it could not.
    pub trouble: Option<skirmish_rules::Error>,
}

/// Games that are due and agents that are at a board.
#[derive(Default)]
struct Queue {
    due: VecDeque<ScheduledGame>,
    playing: Vec<usize>,
    closed: bool,
    /// A panic of ours in a game: nothing that can be played around.
    broken: Option<String>,
}

impl Queue {
    /// The first game whose agents are all free, or else the first: no agent's games should compete
    /// for the machine if others' could be played.
    fn take(&mut self) -> Option<ScheduledGame> {
        let is_free =
            |due: &ScheduledGame| !due.agents.iter().any(|agent| self.playing.contains(agent));
        let place = self.due.iter().take(LOOKAHEAD).position(is_free).unwrap_or(0);
        let due = self.due.remove(place)?;
        self.playing.extend(&due.agents);
        Some(due)
    }

    fn leave(&mut self, due: &ScheduledGame) {
        for agent in &due.agents {
            if let Some(place) = self.playing.iter().position(|playing| playing == agent) {
                self.playing.swap_remove(place);
            }
        }
    }
}

/// What workers share.
struct Shared<'a> {
    run: &'a Run<'a>,
    names: Vec<String>,
    agents: Vec<AgentSpec>,
    watch: Watch,
    queue: Mutex<Queue>,
    more: Condvar,
}

impl Shared<'_> {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the writer tells the caller's thread.
type Told = std::result::Result<Vec<StoredGame>, skirmish_rules::Error>;

impl Run<'_> {
    /// Plays until nothing is due, someone stops it, or it cannot go on.
    pub fn play(
        &self,
        store: &mut Store,
        found: Vec<StoredGame>,
        watcher: &mut dyn FnMut(Event<'_>),
    ) -> Result<Outcome> {
        let mut kept: HashMap<Key, StoredGame> =
            found.into_iter().map(|kept| (kept.slip.key, kept)).collect();
        let shared = Shared {
            run: self,
            names: self.schedule.settings.names(),
            agents: self.schedule.settings.agents_to_open()?,
            watch: Watch::start(),
            queue: Mutex::default(),
            more: Condvar::new(),
        };
        let (finished, to_writer) = channel::<Finished>();
        let (told, from_writer) = channel::<Told>();
        let mut trouble = None;
        let mut is_complete = false;
        std::thread::scope(|scope| {
            let shared = &shared;
            scope.spawn(move || write(store, &to_writer, &told));
            for number in 0..self.concurrency.max(1) {
                let finished = finished.clone();
                scope.spawn(move || work(shared, number, &finished));
            }
            // The writer ends when the last worker does.
            drop(finished);
            (is_complete, trouble) = self.oversee(shared, &mut kept, &from_writer, watcher);
            let mut queue = shared.queue();
            queue.closed = true;
            queue.due.clear();
            drop(queue);
            shared.more.notify_all();
            // What was finished meanwhile is kept all the same.
            for told in from_writer {
                match told {
                    Ok(batch) => {
                        for game in batch {
                            watcher(Event::Stored(&game));
                            kept.insert(game.slip.key, game);
                        }
                    }
                    Err(error) => drop(trouble.get_or_insert(error)),
                }
            }
        });
        Ok(Outcome { kept, is_complete: is_complete && trouble.is_none(), trouble })
    }

    /// Hands out what is due, again and again. Returns whether nothing is left.
    fn oversee(
        &self,
        shared: &Shared<'_>,
        kept: &mut HashMap<Key, StoredGame>,
        from_writer: &Receiver<Told>,
        watcher: &mut dyn FnMut(Event<'_>),
    ) -> (bool, Option<skirmish_rules::Error>) {
        let mut results: Results =
            kept.values().map(|kept| (kept.slip.key, kept.slip.verdict())).collect();
        loop {
            let plan = self.schedule.plan(&results);
            let is_ours = |due: &&ScheduledGame| {
                self.shard.is_none_or(|(shard, shards)| Schedule::is_of_shard(due, shard, shards))
            };
            let due: VecDeque<ScheduledGame> =
                plan.missing(&results).filter(is_ours).cloned().collect();
            let mut left = due.len();
            watcher(Event::Plan { plan: &plan, kept: kept.len(), due: left });
            if left == 0 {
                return (plan.is_final, None);
            }
            shared.queue().due = due;
            shared.more.notify_all();
            while left > 0 {
                if self.stop.is_stopped() {
                    return (false, None);
                }
                if let Some(what) = shared.queue().broken.clone() {
                    self.stop.stop();
                    return (false, Some(wrong(what)));
                }
                match from_writer.recv_timeout(TICK) {
                    Ok(Ok(batch)) => {
                        left -= batch.len();
                        for game in batch {
                            watcher(Event::Stored(&game));
                            results.insert(game.slip.key, game.slip.verdict());
                            kept.insert(game.slip.key, game);
                        }
                    }
                    Ok(Err(error)) => {
                        // Nothing more can be kept: nothing more is to be played.
                        self.stop.stop();
                        return (false, Some(error));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return (false, None),
                }
                watcher(Event::Tick);
            }
        }
    }
}

/// Keeps finished games in batches until no one plays any more.
fn write(store: &mut Store, finished: &Receiver<Finished>, told: &Sender<Told>) {
    while let Ok(first) = finished.recv() {
        let began = Instant::now();
        let mut batch = vec![first];
        // The sync takes a while; games that end meanwhile make the next batch. So it is enough to
        // wait where games come thick and fast.
        while let Some(left) = PATIENCE.checked_sub(began.elapsed()) {
            match finished.recv_timeout(left.min(Duration::from_millis(4))) {
                Ok(game) => batch.push(game),
                Err(_) => break,
            }
        }
        if told.send(store.keep(batch)).is_err() {
            return;
        }
    }
}

/// Plays one game after the other.
fn work(shared: &Shared<'_>, number: usize, finished: &Sender<Finished>) {
    let run = shared.run;
    if run.pin {
        pin(number);
    }
    loop {
        let due = {
            let mut queue = shared.queue();
            loop {
                if queue.closed || run.stop.is_stopped() {
                    return;
                }
                if let Some(due) = queue.take() {
                    break due;
                }
                let waited = shared.more.wait_timeout(queue, TICK);
                queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        let game = catch_unwind(AssertUnwindSafe(|| play_one(shared, &due))).unwrap_or_else(|_| {
            let what = format!("game {} broke off by a bug of ours (key {})", due.number, due.key);
            shared.queue().broken.get_or_insert(what);
            None
        });
        shared.queue().leave(&due);
        if let Some(game) = game
            && finished.send(game).is_err()
        {
            return;
        }
    }
}

/// Plays a game. `None` where it was interrupted.
fn play_one(shared: &Shared<'_>, due: &ScheduledGame) -> Option<Finished> {
    let run = shared.run;
    let fixture = Fixture {
        number: run.schedule.seeded_as(due),
        opening: due.opening,
        position: run.schedule.position(due.opening).map(str::to_owned),
        agents: due.agents.clone(),
    };
    let mut programs: Vec<Option<String>> =
        due.agents.iter().map(|agent| fingerprint(&shared.agents[*agent])).collect();
    if programs.iter().all(Option::is_none) {
        programs.clear();
    }
    let moment = shared.watch.now();
    let (began, clock) = (SystemTime::now(), Instant::now());
    let played = run.match_runner.play(&fixture);
    let seconds = clock.elapsed().as_secs_f64();
    let result = played.record.result.as_ref()?;
    if result.termination == Termination::Interrupted || run.stop.is_stopped() {
        return None;
    }
    let used = (0..played.seats.len()).map(|place| Used {
        turns: played.thought[place].1,
        total_ms: rounded(played.thought[place].0),
        longest_ms: rounded(played.longest[place]),
        is_cpu: played.is_cpu[place],
        memory_mb: played.memory[place].map(|bytes| rounded(bytes as f64 / f64::from(1 << 20))),
    });
    let has_logs = played.logs.iter().any(|log| !log.is_empty());
    let slip = GameSummary {
        key: due.key,
        number: due.number,
        round: due.round,
        names: due.agents.iter().map(|agent| shared.names[*agent].clone()).collect(),
        agents: due.agents.clone(),
        seats: played.seats.clone(),
        points: points(&played, run.match_runner.seats()),
        scores: played.scores.clone(),
        termination: result.termination.name().to_owned(),
        sentence: result.sentence.clone(),
        plies: played.record.events.len() as u64,
        turns: played.record.turns() as u64,
        started: began
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0.0, |time| (time.as_secs_f64() * 1e3).round() / 1e3),
        seconds: rounded(seconds),
        used: used.collect(),
        programs,
        faults: played.record.faults.clone(),
        stderr: if has_logs { played.logs.iter().map(|log| tail(log)).collect() } else { vec![] },
        overload: shared.watch.since(moment),
    };
    Some(Finished::new(slip, &played.record))
}

fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// The end of a log, from the beginning of a line.
fn tail(log: &str) -> String {
    let mut begin = log.len().saturating_sub(STDERR);
    if begin > 0 {
        while !log.is_char_boundary(begin) {
            begin += 1;
        }
        begin = log[begin..].find('\n').map_or(begin, |place| begin + place + 1);
    }
    log[begin..].trim_end().to_owned()
}

/// What a game was worth to each agent. Two who share a board with zombies are compared with each
/// other: by who has won, then by what the game counts.
///
/// Who has forfeited gets nothing; where all have, none gets anything.
fn points(played: &GameResult, seats: u16) -> Vec<f64> {
    let forfeited: Vec<bool> =
        played.seats.iter().map(|seat| played.record.has_forfeited(*seat)).collect();
    if played.agents.len() == 2 && seats != 2 {
        if let [first, second] = forfeited[..]
            && (first || second)
        {
            return [first, second].map(|is_out| if is_out { 0.0 } else { 1.0 }).to_vec();
        }
        let of = |place: usize| {
            let score = played.scores.as_ref().map_or(0, |scores| scores[place]);
            (played.payoffs[place], score)
        };
        let ((payoff, score), (other_payoff, other_score)) = (of(0), of(1));
        let first = match payoff.total_cmp(&other_payoff).then(score.cmp(&other_score)) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        return vec![first, 1.0 - first];
    }
    if seats == 2 {
        return played.payoffs.iter().map(|payoff| f64::from(payoff + 1.0) / 2.0).collect();
    }
    let worth =
        |(payoff, forfeited): (&f32, bool)| f64::from(u8::from(*payoff > 0.0 && !forfeited));
    played.payoffs.iter().zip(forfeited).map(worth).collect()
}

/// Keeps this thread, and every process it starts, to one core.
#[cfg(target_os = "linux")]
fn pin(number: usize) {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;
    let this = Pid::from_raw(0);
    let Ok(allowed) = sched_getaffinity(this) else { return };
    let cores: Vec<usize> =
        (0..CpuSet::count()).filter(|core| allowed.is_set(*core) == Ok(true)).collect();
    let mut own = CpuSet::new();
    if let Some(core) = cores.get(number % cores.len().max(1))
        && own.set(*core).is_ok()
    {
        let _ = sched_setaffinity(this, &own);
    }
}

#[cfg(not(target_os = "linux"))]
fn pin(_: usize) {}
