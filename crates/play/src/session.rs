//! A live game: commands in, numbered updates out.
//!
//! A [`Session`] owns the table, the growing record, the seats, the clocks, the fault policy and the
//! open request. It has no thread, no socket, no file and no source of time: its driver passes
//! in the time, asks the players and keeps the updates. Matches, the referee, tournaments, the Game 17
//! tool and people at a keyboard are such drivers ([`crate::driver`]).
//!
//! A [`Command`] that cannot be carried out is an error value and leaves the session as it was. One
//! that can returns [`Update`]s, numbered from 0 without gaps. The updates are the game: written to a
//! file they are its journal, sent to a screen they are all it needs, and [`Session::from_updates`]
//! makes the equal session of them.
//!
//! ```text
//!              Seat, Play (opening turns)       Play, Roll, Resign, Fault, TakeBack, ...
//!   new() ---> Seating ------------ Start ----> Playing ----------------------> Ended
//!                                                  ^--------- Reopen, TakeBack -----|
//! ```

mod messages;

use std::time::Duration;

use serde::Serialize;
use skirmish_rules::table::{Roll, Table};
use skirmish_rules::{
    Choice, Error, ErrorKind, Random, Result as RulesResult, Seat, Setup, Turn, open,
};

pub use messages::{Change, ClockTerms, Command, Refusal, Request, Terms, Update, Waiting};

use crate::faults::{AgentError, Fault, FaultKind};
use crate::limits::FaultPolicy;
use crate::record::{Event, FORMAT, Outcome, Record, Termination, apply_event};

/// A seat that a player holds.
#[derive(Clone, PartialEq, Debug)]
struct SeatState {
    seat: Seat,
    grants_take_back: bool,
    /// Whether its player takes no more turns, and the fault that did it.
    out: Option<Option<FaultKind>>,
    /// What is left on its clock.
    left: Duration,
}

/// The parts of a game's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Seating,
    Playing,
    Ended,
}

/// A live game.
pub struct Session {
    table: Box<dyn Table>,
    start: Box<dyn Table>,
    record: Record,
    terms: Terms,
    phase: Phase,
    is_started: bool,
    places: Vec<SeatState>,
    request: Option<(Seat, Request)>,
    /// Faults at this ply that cost nothing.
    retries: u32,
    /// Events before the start: nothing before them is taken back.
    opening: usize,
    /// Turns with their rolls that were taken back, the last one first to be played again.
    undone: Vec<Vec<Event>>,
    /// Since when the clock of the player to move has been running.
    since: Option<Duration>,
    /// How many updates there have been.
    updates: u64,
}

/// All that can be told of a session, for comparison and for screens that join late.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Snapshot {
    /// How many updates there have been.
    pub updates: u64,
    /// The game so far.
    pub record: Record,
    /// The position.
    pub position: String,
    /// What the session waits for.
    pub waits_for: Waiting,
    /// The open request and who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<(Seat, Request)>,
    /// Seats whose players take no more turns.
    pub out: Vec<Seat>,
    /// Milliseconds left on each clock.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<(Seat, u64)>,
    /// How many turns could be played again.
    pub undone: usize,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.snapshot().fmt(f)
    }
}

type Applied = std::result::Result<Vec<Update>, Refusal>;

impl Session {
    /// Sets up a game on this table. Comes with its first update.
    pub fn new(table: Box<dyn Table>, terms: Terms) -> (Session, Update) {
        let mut record = Record::begin(table.as_ref(), terms.seed);
        record.limits = terms.limits;
        let begun = Change::Begun {
            format: FORMAT,
            game: record.game.clone(),
            options: record.options.clone(),
            start: record.start.clone(),
            terms: terms.clone(),
        };
        let session = Session {
            start: table.fork(),
            table,
            record,
            terms,
            phase: Phase::Seating,
            is_started: false,
            places: Vec::new(),
            request: None,
            retries: 0,
            opening: 0,
            undone: Vec::new(),
            since: None,
            updates: 1,
        };
        (session, Update { number: 0, what: begun })
    }

    /// The session that these updates lead to.
    pub fn from_updates<'a>(updates: impl IntoIterator<Item = &'a Update>) -> RulesResult<Session> {
        let mut updates = updates.into_iter();
        let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
        let Some(Update { number: 0, what: Change::Begun { format, game, options, start, terms } }) =
            updates.next()
        else {
            return Err(unreadable("the first update does not set up a game".to_owned()));
        };
        if *format != FORMAT {
            let message = format!("the updates have format {format}, this program reads {FORMAT}");
            return Err(unreadable(message));
        }
        let mut unused = Random::seeded(0);
        let setup = Setup { options, position: Some(start), random: &mut unused };
        let (mut session, _) = Session::new(open(game, setup)?, terms.clone());
        for update in updates {
            session
                .absorb(update)
                .map_err(|error| error.within(format_args!("update {}", update.number)))
                .map_err(|error| Error { kind: ErrorKind::Unreadable, ..error })?;
        }
        Ok(session)
    }

    /// A session at the end of a recorded game, under these terms. Its result is kept, so a game that
    /// was ended undecided can be reopened.
    pub fn from_record(record: &Record, terms: &Terms) -> RulesResult<(Session, Vec<Update>)> {
        let terms = Terms { seed: record.seed, limits: record.limits, ..terms.clone() };
        let (mut session, begun) = Session::new(record.replay(0)?, terms);
        let mut updates = vec![begun];
        let mut whats = Vec::new();
        for player in &record.seats {
            let grants_take_back = player.is_built_in();
            whats.push(Change::Seated { player: player.clone(), grants_take_back });
        }
        whats.push(Change::Started);
        for fault in &record.faults {
            whats.push(Change::Faulted { fault: fault.clone() });
            if fault.cost == "game" {
                whats.push(Change::Left { seat: fault.seat, fault: Some(fault.kind) });
            }
        }
        whats.extend(record.events.iter().cloned().map(Change::Event));
        whats.extend(record.result.clone().map(|result| Change::Ended { result }));
        for what in whats {
            let update = Update { number: session.updates, what };
            session.absorb(&update)?;
            updates.push(update);
        }
        Ok((session, updates))
    }

    /// The game as it stands.
    pub fn table(&self) -> &dyn Table {
        self.table.as_ref()
    }

    /// What has happened so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The record, when nothing more is to happen.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// What the game is played under.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How many events have happened.
    pub fn ply(&self) -> u32 {
        self.record.events.len() as u32
    }

    /// How many updates there have been.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// What the session waits for.
    pub fn waits_for(&self) -> Waiting {
        match self.phase {
            Phase::Seating => return Waiting::Start,
            Phase::Ended => return Waiting::Over,
            Phase::Playing => {}
        }
        match self.table.turn() {
            Turn::Over => Waiting::Over,
            Turn::Chance { sides } => Waiting::Chance { sides },
            Turn::Player(seat) if self.place(seat).is_some() => Waiting::Player(seat),
            Turn::Player(seat) => Waiting::Nature(seat),
        }
    }

    /// Whether the player in this seat takes no more turns.
    pub fn is_out(&self, seat: Seat) -> bool {
        self.place(seat).is_some_and(|place| self.places[place].out.is_some())
    }

    /// The open request, and who made it.
    pub fn request(&self) -> Option<(Seat, Request)> {
        self.request
    }

    /// Milliseconds left on the clock of a seat at this moment, in games with clocks.
    pub fn left_ms(&self, seat: Seat, now: Duration) -> Option<u64> {
        self.terms.clock?;
        let place = self.place(seat)?;
        let used = if self.waits_for() == Waiting::Player(seat) {
            self.running(now)
        } else {
            Duration::ZERO
        };
        Some(self.places[place].left.saturating_sub(used).as_millis() as u64)
    }

    /// All that can be told of the session.
    pub fn snapshot(&self) -> Snapshot {
        let out = self.places.iter().filter(|place| place.out.is_some());
        let clocks = self.places.iter().filter(|_| self.terms.clock.is_some());
        Snapshot {
            updates: self.updates,
            record: self.record.clone(),
            position: self.table.position(),
            waits_for: self.waits_for(),
            request: self.request,
            out: out.map(|place| place.seat).collect(),
            clocks: clocks.map(|place| (place.seat, place.left.as_millis() as u64)).collect(),
            undone: self.undone.len(),
        }
    }

    /// Where to go back to so that `seat` chooses again: before its last turn. `None` where it has
    /// taken none.
    pub fn last_turn_of(&self, seat: Seat) -> Option<u32> {
        let events = self.record.events.iter().enumerate().skip(self.opening);
        let own = events
            .filter(|(_, event)| matches!(event, Event::Move { seat: by, .. } if *by == seat));
        own.map(|(ply, _)| ply as u32).next_back()
    }

    /// Carries out a command. `now` is the time since some moment that the driver keeps to.
    pub fn apply(&mut self, command: Command, now: Duration) -> Applied {
        match command {
            Command::Seat { player, grants_take_back } => {
                self.during(Phase::Seating)?;
                let seat = player.seat;
                if seat.0 >= self.table.seats() || self.table.is_zombie(seat) {
                    return Err(Refusal::NoPlayer(seat));
                }
                if self.place(seat).is_some() {
                    return Err(Refusal::Taken(seat));
                }
                Ok(self.enact([Change::Seated { player, grants_take_back }]))
            }
            Command::Start => {
                self.during(Phase::Seating)?;
                let mut updates = self.enact([Change::Started]);
                self.since = Some(now);
                let failed = self.record.faults.iter().filter(|fault| fault.cost == "game");
                let failed: Vec<&Fault> = failed.collect();
                match failed.first() {
                    Some(first) if self.is_duel() => {
                        let sentences: Vec<&str> =
                            failed.iter().map(|fault| fault.sentence.as_str()).collect();
                        let ending = (first.kind.termination(), sentences.join("; "));
                        self.end(ending, &mut updates);
                    }
                    _ => self.advance(&mut updates),
                }
                Ok(updates)
            }
            Command::Play { seat, ply, text, time_ms, cpu_ms, info } => {
                self.to_move(seat, ply)?;
                if let Some(updates) = self.check_flag_fall(now) {
                    return Ok(updates);
                }
                let text = self.table.play(&text).map_err(Refusal::Illegal)?;
                let mut updates = Vec::with_capacity(1);
                let event = Event::Move { ply, seat, text, time_ms, cpu_ms, info };
                self.happened(event, &mut updates);
                self.charge_clock(seat, now, &mut updates);
                self.advance(&mut updates);
                Ok(updates)
            }
            Command::Roll { ply, roll } => {
                if self.phase == Phase::Ended {
                    return Err(Refusal::Over);
                }
                self.at(ply)?;
                let turn = self.table.turn();
                self.table.settle(roll).map_err(Refusal::Illegal)?;
                let Turn::Chance { sides } = turn else { unreachable!("it was settled") };
                let mut updates = Vec::with_capacity(1);
                self.happened(Event::Chance { ply, chance: Roll { sides, roll } }, &mut updates);
                self.since = Some(now);
                self.advance(&mut updates);
                Ok(updates)
            }
            Command::Resign { seat } => {
                self.during(Phase::Playing)?;
                self.still_in(seat)?;
                let mut updates = self.enact([Change::Left { seat, fault: None }]);
                if self.is_duel() {
                    let name = self.table.seat_name(seat);
                    self.end((Termination::Resigned, format!("{name} has resigned")), &mut updates);
                } else {
                    self.advance(&mut updates);
                }
                Ok(updates)
            }
            Command::OfferDraw { seat } => self.ask(seat, Request::Draw),
            Command::TakeBack { seat, to } => self.ask(seat, Request::TakeBack { to }),
            Command::Accept { seat } => {
                let Some((by, request)) = self.request else { return Err(Refusal::NoRequest) };
                self.still_in(seat)?;
                if by == seat {
                    return Err(Refusal::NotToMove(seat));
                }
                Ok(self.grant(request, now))
            }
            Command::Decline { seat } => {
                if self.request.is_none() {
                    return Err(Refusal::NoRequest);
                }
                self.still_in(seat)?;
                Ok(self.enact([Change::Declined { seat }]))
            }
            Command::Redo { seat } => {
                self.during(Phase::Playing)?;
                self.still_in(seat)?;
                let Some(events) = self.undone.last().cloned() else {
                    return Err(Refusal::NothingThere);
                };
                let mut updates = Vec::new();
                for event in events {
                    let ply = self.record.events.len();
                    apply_event(self.table.as_mut(), ply, &event).expect("it was played before");
                    self.happened(event, &mut updates);
                }
                self.since = Some(now);
                self.advance(&mut updates);
                Ok(updates)
            }
            Command::Fault { seat, trouble, log_tail } => self.fault(seat, &trouble, log_tail, now),
            Command::Tick => {
                if let Some(updates) = self.check_flag_fall(now) {
                    return Ok(updates);
                }
                if self.since.is_none() && self.phase == Phase::Playing {
                    self.since = Some(now);
                }
                Ok(Vec::new())
            }
            Command::Abort => {
                if self.phase == Phase::Ended {
                    return Err(Refusal::Over);
                }
                let mut updates = Vec::new();
                let result = Outcome {
                    payoffs: vec![0.0; usize::from(self.table.seats())],
                    termination: Termination::Interrupted,
                    sentence: "the game was interrupted".to_owned(),
                    scores: self.table.scores(),
                };
                updates.extend(self.enact([Change::Ended { result }]));
                Ok(updates)
            }
            Command::Reopen => {
                if self.phase != Phase::Ended {
                    return Err(Refusal::Started);
                }
                let result = self.record.result.as_ref();
                if result.is_none_or(|result| result.termination != Termination::Interrupted) {
                    return Err(Refusal::Decided);
                }
                let mut updates = self.enact([Change::Reopened]);
                self.since = Some(now);
                self.advance(&mut updates);
                Ok(updates)
            }
        }
    }

    /// Plays the turn of a seat that nature plays, chance events included.
    pub fn play_nature(&mut self, random: &mut Random) -> Applied {
        let Waiting::Nature(seat) = self.waits_for() else {
            return Err(match self.phase {
                Phase::Ended => Refusal::Over,
                Phase::Seating => Refusal::NotStarted,
                Phase::Playing => Refusal::NotToMove(Seat(0)),
            });
        };
        let choice: Choice = self.table.choices()[0];
        let played = self.table.play_randomly(choice, random).map_err(Refusal::Illegal)?;
        let mut updates = Vec::with_capacity(1 + played.rolls.len());
        let ply = self.ply();
        let text = played.text;
        self.happened(
            Event::Move { ply, seat, text, time_ms: None, cpu_ms: None, info: None },
            &mut updates,
        );
        for (ply, chance) in (ply + 1..).zip(played.rolls) {
            self.happened(Event::Chance { ply, chance }, &mut updates);
        }
        self.advance(&mut updates);
        Ok(updates)
    }

    /// Takes over an update of an equal session: of a journal, or of a server.
    pub fn absorb(&mut self, update: &Update) -> RulesResult<()> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Illegal, message));
        if update.number != self.updates {
            return wrong(format!(
                "it is numbered {}, and {} comes next",
                update.number, self.updates
            ));
        }
        let known = |seat: Seat| self.place(seat).is_some();
        match &update.what {
            Change::Clock { seat, .. }
            | Change::Left { seat, .. }
            | Change::Requested { seat, .. }
            | Change::Declined { seat }
                if !known(*seat) =>
            {
                return wrong(format!("seat {seat} holds no player"));
            }
            Change::Seated { player, .. }
                if player.seat.0 >= self.table.seats() || self.table.is_zombie(player.seat) =>
            {
                return wrong(format!("seat {} is not for players", player.seat));
            }
            Change::Started if self.is_started => {
                return wrong("the game has started already".to_owned());
            }
            Change::Reopened if self.phase != Phase::Ended => {
                return wrong("the game has not ended".to_owned());
            }
            Change::Event(_) | Change::Ended { .. } if self.phase == Phase::Ended => {
                return wrong("the game is over".to_owned());
            }
            Change::Begun { .. } => return wrong("the game is set up already".to_owned()),
            Change::Event(event) => {
                let ply = self.record.events.len();
                apply_event(self.table.as_mut(), ply, event)?;
            }
            Change::TakenBack { to } if !self.can_go_back_to(*to) => {
                return wrong(format!("there is no ply {to} to go back to"));
            }
            Change::Seated { player, .. } if self.place(player.seat).is_some() => {
                return wrong(format!("seat {} is taken", player.seat));
            }
            _ => {}
        }
        self.mark(&update.what);
        self.updates += 1;
        Ok(())
    }

    fn during(&self, phase: Phase) -> std::result::Result<(), Refusal> {
        match self.phase {
            now if now == phase => Ok(()),
            Phase::Seating => Err(Refusal::NotStarted),
            Phase::Playing => Err(Refusal::Started),
            Phase::Ended => Err(Refusal::Over),
        }
    }

    fn at(&self, given: u32) -> std::result::Result<(), Refusal> {
        let ply = self.ply();
        if given == ply { Ok(()) } else { Err(Refusal::Stale { ply, given }) }
    }

    fn place(&self, seat: Seat) -> Option<usize> {
        self.places.iter().position(|place| place.seat == seat)
    }

    fn still_in(&self, seat: Seat) -> std::result::Result<usize, Refusal> {
        let place = self.place(seat).ok_or(Refusal::NoPlayer(seat))?;
        if self.places[place].out.is_some() { Err(Refusal::Out(seat)) } else { Ok(place) }
    }

    /// Whether this seat may play now. Before the start any seat's turn opens the game.
    fn to_move(&self, seat: Seat, ply: u32) -> std::result::Result<(), Refusal> {
        if self.phase == Phase::Ended {
            return Err(Refusal::Over);
        }
        self.at(ply)?;
        if self.phase == Phase::Playing {
            self.still_in(seat)?;
        }
        if self.table.turn() == Turn::Player(seat) { Ok(()) } else { Err(Refusal::NotToMove(seat)) }
    }

    fn is_duel(&self) -> bool {
        self.table.seats() == 2
    }

    /// How long the clock of the player to move has been running.
    fn running(&self, now: Duration) -> Duration {
        self.since.map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }

    /// Ends the game, or costs a player its turn, if the clock of the player to move has run out.
    fn check_flag_fall(&mut self, now: Duration) -> Option<Vec<Update>> {
        self.terms.clock?;
        let Waiting::Player(seat) = self.waits_for() else { return None };
        let place = self.place(seat)?;
        if self.running(now) < self.places[place].left || self.since.is_none() {
            return None;
        }
        let mut updates = self.enact([Change::Clock { seat, left_ms: 0 }]);
        let trouble = AgentError::fatal(FaultKind::Timeout, "has run out of time");
        // A clock that has run out cannot be asked again.
        updates.extend(self.lose_by(seat, &trouble, String::new()));
        Some(updates)
    }

    fn charge_clock(&mut self, seat: Seat, now: Duration, updates: &mut Vec<Update>) {
        if let (Some(clock), Phase::Playing, Some(place)) =
            (self.terms.clock, self.phase, self.place(seat))
        {
            let left = self.places[place].left.saturating_sub(self.running(now))
                + Duration::from_millis(clock.increment_ms);
            updates.extend(self.enact([Change::Clock { seat, left_ms: left.as_millis() as u64 }]));
        }
        self.since = Some(now);
    }

    fn ask(&mut self, seat: Seat, request: Request) -> Applied {
        if self.phase == Phase::Seating {
            return Err(Refusal::NotStarted);
        }
        let place = self.place(seat).ok_or(Refusal::NoPlayer(seat))?;
        match request {
            Request::Draw => {
                self.during(Phase::Playing)?;
                self.still_in(seat)?;
                if !self.is_duel() {
                    return Err(Refusal::NotADuel);
                }
            }
            Request::TakeBack { to } => {
                if !self.can_go_back_to(to) {
                    return Err(Refusal::NothingThere);
                }
                // Those who went wrong have no say in it.
                let others = self.places.iter().enumerate().filter(|(other, _)| *other != place);
                let mut others = others.map(|(_, place)| place);
                if others.all(|place| place.grants_take_back || place.out.is_some()) {
                    return Ok(self.grant(request, self.since.unwrap_or_default()));
                }
            }
        }
        if self.request.is_some() {
            return Err(Refusal::RequestOpen);
        }
        if self.places.len() != 2 {
            return Err(Refusal::NotADuel);
        }
        Ok(self.enact([Change::Requested { seat, request }]))
    }

    fn grant(&mut self, request: Request, now: Duration) -> Vec<Update> {
        match request {
            Request::Draw => {
                let result = Outcome {
                    payoffs: vec![0.0; usize::from(self.table.seats())],
                    termination: Termination::Agreed,
                    sentence: "the players have agreed on a draw".to_owned(),
                    scores: self.table.scores(),
                };
                self.enact([Change::Ended { result }])
            }
            Request::TakeBack { to } => {
                let mut updates = self.enact([Change::TakenBack { to }]);
                self.since = Some(now);
                self.advance(&mut updates);
                updates
            }
        }
    }

    /// Whether a player was to choose when so many events had happened, after the opening, and the
    /// game has not been ended by a fault.
    fn can_go_back_to(&self, to: u32) -> bool {
        let to = to as usize;
        let is_open = match (self.phase, &self.record.result) {
            (Phase::Seating, _) => false,
            (Phase::Playing, _) => true,
            (Phase::Ended, Some(result)) => {
                result.termination.is_by_the_rules()
                    || matches!(result.termination, Termination::Resigned | Termination::Agreed)
            }
            (Phase::Ended, None) => false,
        };
        is_open
            && (self.opening..self.record.events.len()).contains(&to)
            && matches!(&self.record.events[to], Event::Move { seat, .. } if self.place(*seat).is_some())
    }

    fn fault(
        &mut self,
        seat: Seat,
        trouble: &AgentError,
        log_tail: String,
        now: Duration,
    ) -> Applied {
        if self.phase == Phase::Ended {
            return Err(Refusal::Over);
        }
        self.still_in(seat)?;
        let is_to_move = self.waits_for() == Waiting::Player(seat);
        let may_retry =
            matches!(self.terms.policy, FaultPolicy::Retry(most) if self.retries < most);
        if is_to_move && may_retry && trouble.alive {
            return Ok(self.note_fault(seat, trouble, "nothing", log_tail));
        }
        let skips = self.terms.policy == FaultPolicy::Skip && self.phase == Phase::Playing;
        if skips && (!is_to_move || self.empty_turn().is_some()) {
            let mut updates = self.note_fault(seat, trouble, "turn", log_tail);
            if !trouble.alive {
                updates.extend(self.enact([Change::Left { seat, fault: Some(trouble.kind) }]));
            } else if is_to_move {
                self.play_empty_turn(seat, &mut updates);
                self.charge_clock(seat, now, &mut updates);
            }
            self.advance(&mut updates);
            return Ok(updates);
        }
        Ok(self.lose_by(seat, trouble, log_tail))
    }

    /// A fault that costs the game: a duel ends, elsewhere the player is out.
    fn lose_by(&mut self, seat: Seat, trouble: &AgentError, log_tail: String) -> Vec<Update> {
        let mut updates = self.note_fault(seat, trouble, "game", log_tail);
        updates.extend(self.enact([Change::Left { seat, fault: Some(trouble.kind) }]));
        if self.phase == Phase::Playing {
            if self.is_duel() {
                let sentence = self.record.faults.last().expect("just noted").sentence.clone();
                self.end((trouble.kind.termination(), sentence), &mut updates);
            } else {
                self.advance(&mut updates);
            }
        }
        updates
    }

    fn note_fault(
        &mut self,
        seat: Seat,
        trouble: &AgentError,
        cost: &str,
        log_tail: String,
    ) -> Vec<Update> {
        let player = self.record.seats.iter().find(|player| player.seat == seat);
        let name = player.map_or("", |player| player.name.as_str());
        let fault = Fault {
            ply: self.ply(),
            turn: self.record.turn_of(self.record.events.len()) as u32,
            seat,
            kind: trouble.kind,
            sentence: format!("{} ({name}) {}", self.table.seat_name(seat), trouble.what),
            cost: cost.to_owned(),
            log_tail,
        };
        self.enact([Change::Faulted { fault }])
    }

    /// The turn that does nothing, where the rules allow it now.
    fn empty_turn(&self) -> Option<&'static str> {
        let text = self.table.entry().empty_turn?;
        self.table.fork().play(text).is_ok().then_some(text)
    }

    fn play_empty_turn(&mut self, seat: Seat, updates: &mut Vec<Update>) {
        let text = self.empty_turn().expect("asked before");
        let ply = self.ply();
        let text = self.table.play(text).expect("tried on a copy");
        let event = Event::Move { ply, seat, text, time_ms: None, cpu_ms: None, info: None };
        self.happened(event, updates);
    }

    /// Plays empty turns for players who take none any more, and ends the game when it is over.
    fn advance(&mut self, updates: &mut Vec<Update>) {
        if self.phase != Phase::Playing {
            return;
        }
        loop {
            match self.table.turn() {
                Turn::Over => return self.end_by_the_rules(updates),
                Turn::Player(seat) if self.is_out(seat) => {
                    if self.empty_turn().is_some() {
                        self.play_empty_turn(seat, updates);
                        continue;
                    }
                    let place = self.place(seat).expect("it is out");
                    let kind = self.places[place].out.flatten();
                    let termination = kind.map_or(Termination::Resigned, FaultKind::termination);
                    let name = self.table.seat_name(seat);
                    return self.end((termination, format!("{name} cannot play on")), updates);
                }
                _ => return,
            }
        }
    }

    /// The players who went wrong have lost; in a duel the other has won, unless it went wrong too.
    fn end(&mut self, (termination, sentence): (Termination, String), updates: &mut Vec<Update>) {
        let mut payoffs = self.table.payoffs();
        for place in &self.places {
            payoffs[place.seat.index()] = if place.out.is_some() { -1.0 } else { 1.0 };
        }
        let result = Outcome { payoffs, termination, sentence, scores: self.table.scores() };
        updates.extend(self.enact([Change::Ended { result }]));
    }

    fn end_by_the_rules(&mut self, updates: &mut Vec<Update>) {
        let ending = self.table.ending().expect("the game is over");
        let mut payoffs = self.table.payoffs();
        for place in &self.places {
            let is_disqualified = place.out.is_some()
                && self
                    .record
                    .faults
                    .iter()
                    .any(|fault| fault.seat == place.seat && fault.cost == "game");
            if is_disqualified {
                payoffs[place.seat.index()] = -1.0;
            }
        }
        let result = Outcome {
            payoffs,
            termination: ending.into(),
            sentence: self.table.view().status,
            scores: self.table.scores(),
        };
        updates.extend(self.enact([Change::Ended { result }]));
    }

    /// Notes an event that the table has seen already.
    fn happened(&mut self, event: Event, updates: &mut Vec<Update>) {
        updates.extend(self.enact([Change::Event(event)]));
    }

    fn enact<const N: usize>(&mut self, whats: [Change; N]) -> Vec<Update> {
        whats
            .into_iter()
            .map(|what| {
                self.mark(&what);
                self.updates += 1;
                Update { number: self.updates - 1, what }
            })
            .collect()
    }

    /// Changes everything but the table by what happened. (The table of an event is changed before,
    /// where its text is checked.)
    fn mark(&mut self, what: &Change) {
        match what {
            Change::Begun { .. } => {}
            Change::Seated { player, grants_take_back } => {
                let left = self.terms.clock.map_or(0, |clock| clock.initial_ms);
                self.places.push(SeatState {
                    seat: player.seat,
                    grants_take_back: *grants_take_back,
                    out: None,
                    left: Duration::from_millis(left),
                });
                self.record.seats.push(player.clone());
            }
            Change::Started => {
                self.opening = self.record.events.len();
                self.is_started = true;
                self.phase = Phase::Playing;
            }
            Change::Event(event) => {
                // What was taken back is played again, or something else takes its place.
                match self.undone.last_mut() {
                    Some(turn) if turn.first() == Some(event) => {
                        turn.remove(0);
                        if turn.is_empty() {
                            self.undone.pop();
                        }
                    }
                    _ => self.undone.clear(),
                }
                self.record.events.push(event.clone());
                self.retries = 0;
                self.request = None;
            }
            Change::Clock { seat, left_ms } => {
                if let Some(place) = self.place(*seat) {
                    self.places[place].left = Duration::from_millis(*left_ms);
                }
            }
            Change::Faulted { fault } => {
                self.retries += u32::from(fault.cost == "nothing");
                self.record.faults.push(fault.clone());
            }
            Change::Left { seat, fault } => {
                if let Some(place) = self.place(*seat) {
                    self.places[place].out = Some(*fault);
                }
            }
            Change::Requested { seat, request } => self.request = Some((*seat, *request)),
            Change::Declined { .. } => self.request = None,
            Change::TakenBack { to } => self.go_back(*to as usize),
            Change::Ended { result } => {
                self.request = None;
                self.phase = Phase::Ended;
                self.record.result = Some(result.clone());
            }
            Change::Reopened => {
                self.phase = if self.is_started { Phase::Playing } else { Phase::Seating };
                self.record.result = None;
            }
        }
    }

    fn go_back(&mut self, to: usize) {
        let taken = self.record.events.split_off(to);
        // Turn by turn with their rolls, the earliest on top.
        let mut turns: Vec<Vec<Event>> = Vec::new();
        for event in taken {
            match (&event, turns.last_mut()) {
                (Event::Chance { .. }, Some(turn)) => turn.push(event),
                _ => turns.push(vec![event]),
            }
        }
        self.undone.extend(turns.into_iter().rev());
        let mut table = self.start.fork();
        for (ply, event) in self.record.events.iter().enumerate() {
            apply_event(table.as_mut(), ply, event).expect("it was played before");
        }
        self.table = table;
        self.phase = Phase::Playing;
        self.record.result = None;
        self.request = None;
        self.retries = 0;
        self.record.faults.retain(|fault| fault.ply as usize <= to);
        for place in &mut self.places {
            // Who had resigned plays again; who went wrong does not.
            if place.out == Some(None) {
                place.out = None;
            }
        }
    }
}
