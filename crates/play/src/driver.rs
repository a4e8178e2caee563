//! Plays a session to its end on the calling thread: asks its players, rolls its dice, and tells
//! everyone what happened.

use std::time::{Duration, Instant};

use skirmish_rules::{Result, Seat};
use skirmish_search::{Allowance, Stop};

use crate::agent_spec::AgentSpec;
use crate::faults::{AgentError, FaultKind};
use crate::limits::seconds;
use crate::player::{Answer, Player, Question, Reply, Seating, Usage};
use crate::record::{Event, Participant};
use crate::seeding::Seeds;
use crate::session::{Change, Command, Refusal, Session, Update, Waiting};

/// A player and what is said about it in the record.
pub struct Seated {
    /// The line that names it.
    pub agent: AgentSpec,
    /// What it is called, whatever it calls itself.
    pub name: Option<String>,
    /// The player.
    pub player: Box<dyn Player>,
}

/// What a player did in a game, measured from outside.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thinking {
    /// Milliseconds for all of its turns, those that ended in a fault included.
    pub total_ms: f64,
    /// Milliseconds for the longest.
    pub longest_ms: f64,
    /// Whether these are CPU times of a process of its own.
    pub is_cpu: bool,
    /// Turns it took.
    pub turns: u64,
    /// Positions it looked at.
    pub nodes: u64,
    /// What else is known.
    pub usage: Usage,
}

/// How a session is driven.
#[derive(Clone, Debug)]
pub struct Drive {
    /// Where the game draws from.
    pub seeds: Seeds,
    /// How much engines may think that set no limit of their own.
    pub allowance: Allowance,
    /// Whether engines are timed by the CPU of their thread instead of the clock on the wall.
    pub times_by_cpu: bool,
    /// Ends the game from outside.
    pub stop: Stop,
}

/// Puts the players into the session's seats, in order, and starts it. A player that cannot start has
/// gone wrong before its first turn; an error comes back only for a line that names no player.
///
/// Seats that hold a player already (of a game that is resumed) get their player back.
pub fn seat(
    session: &mut Session,
    players: &mut [Seated],
    drive: &Drive,
    watcher: &mut dyn FnMut(&Session, &Update),
) -> Result<()> {
    let table = session.table().fork();
    let seats: Vec<Seat> = player_seats(session).into_iter().take(players.len()).collect();
    let is_resumed = session.waits_for() != Waiting::Start;
    let mut failures = Vec::new();
    for (seat, seated) in seats.into_iter().zip(players) {
        let Seated { agent, name, player } = seated;
        // A game that was stopped before its players were seated needs none to be started.
        let stopped = drive.stop.is_stopped();
        let seating = Seating { table: table.as_ref(), seat, seed: drive.seeds.agent(seat) };
        let introduced = if stopped { Ok(Default::default()) } else { player.sit(seating)? };
        let introduction = introduced.as_ref().map_or_else(|_| Default::default(), Clone::clone);
        failures.extend(introduced.err().map(|trouble| (seat, trouble, player.log_tail())));
        // A game that goes on has its players; a cut journal may have some of them.
        let is_seated = session.record().seats.iter().any(|player| player.seat == seat);
        if is_resumed || is_seated {
            continue;
        }
        let participant = Participant {
            seat,
            agent: agent.to_string(),
            name: name.clone().or(introduction.name).unwrap_or_else(|| agent.short()),
            version: introduction.version,
        };
        let grants_take_back = matches!(agent, AgentSpec::BuiltIn(_));
        let command = Command::Seat { player: participant, grants_take_back };
        hand_out(&session.apply(command, Duration::ZERO)?, session, watcher);
    }
    // One who was stopped before it was ready has not failed to start.
    if drive.stop.is_stopped() {
        failures.clear();
    }
    for (seat, trouble, log_tail) in failures {
        let command = Command::Fault { seat, trouble, log_tail };
        hand_out(&session.apply(command, Duration::ZERO)?, session, watcher);
    }
    if !is_resumed {
        hand_out(&session.apply(Command::Start, Duration::ZERO)?, session, watcher);
    }
    Ok(())
}

/// The seats that players hold or may hold, in order.
pub fn player_seats(session: &Session) -> Vec<Seat> {
    let table = session.table();
    (0..table.seats()).map(Seat).filter(|seat| !table.is_zombie(*seat)).collect()
}

fn hand_out(updates: &[Update], session: &Session, watcher: &mut dyn FnMut(&Session, &Update)) {
    updates.iter().for_each(|update| watcher(session, update));
}

/// Plays to the end. Returns what each player used, in the order of the players.
pub fn play(
    session: &mut Session,
    players: &mut [Seated],
    drive: &Drive,
    watcher: &mut dyn FnMut(&Session, &Update),
) -> Vec<Thinking> {
    let seats: Vec<Seat> = player_seats(session).into_iter().take(players.len()).collect();
    let mut thinking = vec![Thinking::default(); players.len()];
    let mut dice = drive.seeds.chance();
    // Dice of a game that is resumed go on where they were: whatever was rolled is drawn once more.
    for event in &session.record().events {
        if let Event::Chance { chance, .. } = event {
            dice.below(u32::from(chance.sides));
        }
    }
    let began = Instant::now();
    loop {
        if drive.stop.is_stopped() && session.waits_for() != Waiting::Over {
            let updates = session.apply(Command::Abort, began.elapsed()).unwrap_or_default();
            hand_out(&updates, session, watcher);
            break;
        }
        let (updates, by) = match session.waits_for() {
            Waiting::Over | Waiting::Start => break,
            Waiting::Chance { sides } => {
                let roll = dice.below(u32::from(sides)) as u16;
                let command = Command::Roll { ply: session.ply(), roll };
                (session.apply(command, began.elapsed()), None)
            }
            Waiting::Nature(_) => (session.play_nature(&mut dice), None),
            Waiting::Player(seat) => {
                let Some(place) = seats.iter().position(|held| *held == seat) else {
                    // A session that was resumed with fewer players than it has seats.
                    break;
                };
                let updates =
                    turn(session, place, seat, players, drive, &mut thinking[place], began);
                (updates, Some(place))
            }
        };
        let Ok(updates) = updates else { break };
        for update in &updates {
            match &update.what {
                Change::Event(event) => {
                    for (place, seated) in players.iter_mut().enumerate() {
                        if Some(place) != by {
                            seated.player.hear(event, session.table());
                        }
                    }
                }
                Change::TakenBack { to } => {
                    for seated in &mut *players {
                        seated.player.taken_back(session.table(), *to);
                    }
                }
                _ => {}
            }
            watcher(session, update);
        }
    }
    let result = session.record().result.as_ref();
    for (seated, thinking) in players.iter_mut().zip(&mut thinking) {
        thinking.usage = seated.player.end(result);
    }
    thinking
}

/// One question to a player, and what comes of its answer.
fn turn(
    session: &mut Session,
    place: usize,
    seat: Seat,
    players: &mut [Seated],
    drive: &Drive,
    thinking: &mut Thinking,
    began: Instant,
) -> std::result::Result<Vec<Update>, Refusal> {
    let player = &mut players[place].player;
    let ply = session.ply();
    let question = Question {
        table: session.table(),
        record: session.record(),
        seat,
        ply,
        allowance: &drive.allowance,
        stop: &drive.stop,
    };
    let used_before = player.cpu_s();
    let thread_before = drive.times_by_cpu.then(thread_cpu).flatten();
    let started = Instant::now();
    let answer = player.choose(question);
    let wall_s = started.elapsed().as_secs_f64();
    let thread_s = thread_before.and_then(|before| Some(thread_cpu()? - before));
    let now = began.elapsed();
    // A turn that ends in a fault has taken its time all the same.
    let cpu_s = match (&answer, used_before, player.cpu_s()) {
        (Ok(Reply { cpu_s: Some(cpu_s), .. }), ..) => Some(*cpu_s),
        (Err(_), Some(before), Some(after)) => Some(after - before),
        _ => thread_s,
    };
    let milliseconds = cpu_s.unwrap_or(wall_s) * 1e3;
    thinking.total_ms += milliseconds;
    thinking.longest_ms = thinking.longest_ms.max(milliseconds);
    thinking.is_cpu |= cpu_s.is_some();
    thinking.turns += 1;
    let trouble = match answer {
        Ok(Reply { answer, cpu_s, nodes, is_timed }) => {
            thinking.nodes += nodes;
            match answer {
                Answer::Play { text, info } => {
                    let rounded = |seconds: f64| (seconds * 1e6).round() / 1e3;
                    let time_ms = is_timed.then(|| rounded(wall_s));
                    let cpu_ms = cpu_s.map(rounded);
                    let command = Command::Play { seat, ply, text, time_ms, cpu_ms, info };
                    match session.apply(command, now) {
                        Err(Refusal::Illegal(error)) => AgentError::mild(
                            FaultKind::IllegalMove,
                            format!("chose a turn that is not allowed: {}", error.message),
                        ),
                        done => return done,
                    }
                }
                Answer::Resign => return session.apply(Command::Resign { seat }, now),
                Answer::TakeBack { to } => {
                    // Refused where there is nothing to take back: the player is asked again.
                    return match session.apply(Command::TakeBack { seat, to }, now) {
                        Err(refusal) => {
                            player.refuse(ply, &refusal.to_string());
                            Ok(Vec::new())
                        }
                        Ok(updates) => answer_request(session, players, updates, now),
                    };
                }
                Answer::Interrupt => return session.apply(Command::Abort, now),
            }
        }
        // One who was stopped in the middle of a thought has done nothing wrong.
        Err(_) if drive.stop.is_stopped() => return session.apply(Command::Abort, now),
        Err(trouble) => trouble,
    };
    let log_tail = player.log_tail();
    let reason = trouble.what.clone();
    let updates = session.apply(Command::Fault { seat, trouble, log_tail }, now)?;
    if session.waits_for() == Waiting::Player(seat) && session.ply() == ply {
        player.refuse(ply, &reason);
    }
    Ok(updates)
}

/// Asks the other player about a request that was just made.
fn answer_request(
    session: &mut Session,
    players: &mut [Seated],
    mut updates: Vec<Update>,
    now: Duration,
) -> std::result::Result<Vec<Update>, Refusal> {
    let Some((by, request)) = session.request() else { return Ok(updates) };
    let seats = player_seats(session);
    let other = seats.iter().zip(players).find(|(seat, _)| **seat != by);
    let Some((seat, seated)) = other else { return Ok(updates) };
    let seat = *seat;
    let command = if seated.player.agrees(request) {
        Command::Accept { seat }
    } else {
        Command::Decline { seat }
    };
    updates.extend(session.apply(command, now)?);
    Ok(updates)
}

/// The CPU seconds this thread has used, where the system counts them.
#[cfg(unix)]
fn thread_cpu() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn thread_cpu() -> Option<f64> {
    None
}

/// Waits for so many seconds, unless the game is to end.
pub fn pause(length: f64, stop: &Stop) {
    let end = Instant::now() + seconds(length.max(0.0)).min(Duration::from_secs(3_600));
    while !stop.is_stopped() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(50)));
    }
}
