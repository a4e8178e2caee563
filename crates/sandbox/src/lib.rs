//! One game between anybody's agents, watched over by a referee.
//!
//! * [`Who`] — the line that names whoever sits in a seat
//! * [`Limits`], [`Cost`], [`Sandbox`] — what an agent may use, and what a fault costs
//! * [`Referee`] — plays a game and returns a record of it, whatever happens
//! * [`Fault`] — an agent's fault as a result: its kind, the offender, the ply, a sentence
//!
//! A built-in agent thinks in this process. Everybody else's runs in a process of its own, behind a
//! launcher that takes away what it must not have, and speaks agent protocol 1 (`docs/protocol.md`).
//! External agents need Linux: clocks, memory and rights of a process are read and set in its ways.

mod builtin;

#[cfg(target_os = "linux")]
mod external;
#[cfg(target_os = "linux")]
mod jail;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod scratch;

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;
use skirmish_rules::table::Table;
use skirmish_rules::{Random, Result, Seat, Turn};
use skirmish_search::{Allowance, Roster, Stop};

use builtin::{Thinker, thinker};
#[cfg(target_os = "linux")]
use external::External;
use skirmish_play::record::{Event, Outcome, Player, Record, Roll, Termination};

#[cfg(target_os = "linux")]
pub use jail::{Protection, WORD, launch};
#[cfg(target_os = "linux")]
pub use process::Launcher;
pub use skirmish_play::agent_spec::Who;
pub use skirmish_play::faults::{Fault, Kind, Trouble};
pub use skirmish_play::limits::{Cost, Limits, Sandbox};

/// What an agent is told, and how it is kept in bounds.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where built-in agents come from.
    pub roster: Roster,
    /// What each agent may use.
    pub limits: Limits,
    /// What a fault costs; the usual of the game where nothing is said.
    pub cost: Option<Cost>,
    /// How closely external agents are confined.
    pub sandbox: Sandbox,
    /// How long built-in agents think that set no limit of their own.
    pub allowance: Allowance,
    /// What everything random is drawn from.
    pub seed: u64,
    /// The Python that runs Python agents.
    pub python: Option<String>,
    /// What kind of agent Python modules hold, where that is not to be found out.
    pub python_kind: Option<String>,
    /// Files and folders that external agents may read beside their own.
    pub readable: Vec<PathBuf>,
    /// Ends the game from outside: what was played so far is the record.
    pub stop: Stop,
    /// How external agents are launched.
    #[cfg(target_os = "linux")]
    pub launcher: Launcher,
}

/// How an agent introduced itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Introduction {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
}

/// What somebody in a seat answers.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// A turn.
    Play {
        /// Its text.
        text: String,
        /// What there is to say about it.
        info: Option<Value>,
    },
    /// The player gives up.
    Resign,
    /// The person wants the game to end here, undecided.
    Interrupt,
}

/// Somebody at the keyboard.
pub trait Person {
    /// Asks for a turn; called only when the seat is to move.
    fn ask(&mut self, table: &dyn Table, seat: Seat) -> Answer;
}

/// What happens in a refereed game, as it happens.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'a> {
    /// Everybody is seated.
    Seated(&'a [Player]),
    /// Something was played or rolled.
    Event {
        /// What.
        event: &'a Event,
        /// CPU seconds its player has used in this game, where they are counted.
        used: Option<f64>,
    },
    /// An agent did what it must not do.
    Fault(&'a Fault),
}

/// A refereed game.
#[derive(Clone, Debug)]
pub struct Refereed {
    /// The game, whatever happened.
    pub record: Record,
    /// What each external agent wrote to its log.
    pub logs: Vec<(Seat, String)>,
    /// CPU seconds each external agent used.
    pub cpu_s: Vec<(Seat, f64)>,
    /// Bytes of memory each external agent had at most, where that could be read.
    pub memory: Vec<(Seat, u64)>,
}

/// Somebody in a seat.
enum Hand {
    BuiltIn(Box<dyn Thinker>),
    #[cfg(target_os = "linux")]
    External(Box<External>),
    Human,
}

/// Agents that play refereed games, one after the other. Processes of agents that allow it are kept
/// from one game to the next.
pub struct Referee {
    settings: Settings,
    agents: Vec<Who>,
    /// What agents are called whatever they call themselves.
    names: Vec<String>,
    hands: Vec<Option<Hand>>,
}

impl std::fmt::Debug for Referee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Referee").field("agents", &self.agents).finish_non_exhaustive()
    }
}

/// A game in progress with everybody around it.
struct Game<'a> {
    table: &'a mut dyn Table,
    record: Record,
    seats: Vec<Seat>,
    /// Why somebody takes no more turns.
    out: Vec<Option<Kind>>,
    watcher: &'a mut dyn FnMut(&dyn Table, Happening<'_>),
}

/// Whether there is a program to start for this agent: what is wrong, if there is none. Better known
/// before a night of games than after it.
pub fn find(who: &Who, settings: &Settings) -> std::result::Result<(), String> {
    #[cfg(target_os = "linux")]
    let found = match who {
        Who::Command(words) => programs::for_command(words).map(drop),
        Who::Python { module, name } => programs::for_python(
            module,
            name.as_deref(),
            settings.python_kind.as_deref(),
            settings.python.as_deref(),
        )
        .map(drop),
        Who::BuiltIn(_) | Who::Human => Ok(()),
    };
    #[cfg(not(target_os = "linux"))]
    let found = {
        let _ = (who, settings);
        Ok(())
    };
    found
}

impl Referee {
    /// A referee for these agents.
    pub fn new(agents: Vec<Who>, settings: Settings) -> Referee {
        let hands = agents.iter().map(|_| None).collect();
        Referee { settings, agents, names: Vec::new(), hands }
    }

    /// Calls the agents by these names, in the order of the agents.
    #[must_use]
    pub fn calling(mut self, names: Vec<String>) -> Referee {
        self.names = names;
        self
    }

    /// Plays one game from the position on the table, agent by agent on the seats that players hold.
    /// Faults are part of the record; an error comes back only for a line that names no agent.
    pub fn play(
        &mut self,
        table: &mut dyn Table,
        game_number: u64,
        person: &mut dyn Person,
        watcher: &mut dyn FnMut(&dyn Table, Happening<'_>),
    ) -> Result<Refereed> {
        let record = Record::begin(table, Some(self.settings.seed));
        self.play_on(table, record, game_number, person, watcher)
    }

    /// The same for a game whose record has begun: the agents come in at the position on the table.
    pub fn play_on(
        &mut self,
        table: &mut dyn Table,
        mut record: Record,
        game_number: u64,
        person: &mut dyn Person,
        watcher: &mut dyn FnMut(&dyn Table, Happening<'_>),
    ) -> Result<Refereed> {
        // 1. Who sits where.
        let seats: Vec<Seat> = (0..table.seats())
            .map(Seat)
            .filter(|seat| !table.is_zombie(*seat))
            .take(self.agents.len())
            .collect();
        record.limits = Some(self.settings.limits);
        if self.settings.stop.is_stopped() {
            return Ok(self.called_off(table, record, &seats));
        }
        let mut failures = Vec::new();
        for (place, seat) in seats.iter().enumerate() {
            let seed =
                Random::stream(self.settings.seed ^ 0x5eed, game_number * 1_024 + place as u64);
            let introduced = self.seat(place, table, *seat, seed.clone().word())?;
            let who = &self.agents[place];
            let (introduction, trouble) = match introduced {
                Ok(introduction) => (introduction, None),
                Err(trouble) => (Introduction::default(), Some(trouble)),
            };
            record.seats.push(Player {
                seat: *seat,
                agent: who.to_string(),
                name: (self.names.get(place).cloned().or(introduction.name))
                    .unwrap_or_else(|| who.short()),
                version: introduction.version,
            });
            failures.push(trouble);
        }
        // Who was stopped before it was ready has not failed to start.
        if self.settings.stop.is_stopped() {
            failures.fill(None);
        }
        let out = vec![None; seats.len()];
        let mut game = Game { table, record, seats, out, watcher };
        (game.watcher)(game.table, Happening::Seated(&game.record.seats));

        // 2. Play.
        let mut ending = None;
        for (place, trouble) in failures.into_iter().enumerate() {
            if let Some(trouble) = trouble {
                let kind = trouble.kind;
                let sentence = self.fault(&mut game, place, &trouble, Cost::Lose);
                game.out[place] = Some(kind);
                ending.get_or_insert((kind.termination(), sentence));
            }
        }
        let ending = match ending {
            Some(ending) if game.table.seats() == 2 => Some(ending),
            _ => self.turns(&mut game, game_number, person),
        };

        // 3. What came of it.
        game.record.finish(game.table);
        if let Some((termination, sentence)) = ending {
            let payoffs = match termination {
                // Nobody has won, nobody has lost.
                Termination::Interrupted => vec![0.0; usize::from(game.table.seats())],
                _ => game.payoffs_of_the_faulty(),
            };
            let scores = game.table.scores();
            game.record.result = Some(Outcome { payoffs, termination, sentence, scores });
        } else if let Some(result) = &mut game.record.result {
            for (place, seat) in game.seats.iter().enumerate() {
                let disqualified = game.record.faults.iter().any(|fault| {
                    fault.seat == *seat && fault.cost == "game" && game.out[place].is_some()
                });
                if disqualified {
                    result.payoffs[seat.index()] = -1.0;
                }
            }
        }
        let Game { record, seats, .. } = game;
        Ok(self.dismiss(record, &seats))
    }

    /// A game that was stopped before anybody was seated: nobody need be started for it.
    fn called_off(&self, table: &dyn Table, mut record: Record, seats: &[Seat]) -> Refereed {
        record.seats.extend(seats.iter().zip(&self.agents).map(|(seat, who)| Player {
            seat: *seat,
            agent: who.to_string(),
            name: who.short(),
            version: None,
        }));
        let (termination, sentence) = interrupted();
        let (payoffs, scores) = (vec![0.0; usize::from(table.seats())], table.scores());
        record.result = Some(Outcome { payoffs, termination, sentence, scores });
        Refereed { record, logs: Vec::new(), cpu_s: Vec::new(), memory: Vec::new() }
    }

    #[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
    fn seat(
        &mut self,
        place: usize,
        table: &dyn Table,
        seat: Seat,
        seed: u64,
    ) -> Result<std::result::Result<Introduction, Trouble>> {
        let settings = &self.settings;
        let hand = &mut self.hands[place];
        match &self.agents[place] {
            Who::BuiltIn(spec) => {
                *hand = Some(Hand::BuiltIn(thinker(self.settings.roster, spec, table, seed)?));
                let version = Some(env!("CARGO_PKG_VERSION").to_owned());
                Ok(Ok(Introduction { name: None, version }))
            }
            Who::Human => {
                *hand = Some(Hand::Human);
                Ok(Ok(Introduction::default()))
            }
            #[cfg(target_os = "linux")]
            external => {
                if hand.is_none() {
                    let program = match external {
                        Who::Command(words) => programs::for_command(words),
                        Who::Python { module, name } => programs::for_python(
                            module,
                            name.as_deref(),
                            settings.python_kind.as_deref(),
                            settings.python.as_deref(),
                        ),
                        Who::BuiltIn(_) | Who::Human => unreachable!("matched above"),
                    };
                    let program = program.and_then(|program| match settings.sandbox {
                        Sandbox::Off => Ok(program),
                        _ => programs::in_a_folder_of_its_own(program),
                    });
                    let program = program.map(|mut program| {
                        program.readable.extend(settings.readable.iter().cloned());
                        program
                    });
                    let external = External::new(program, settings);
                    *hand = Some(Hand::External(Box::new(external)));
                }
                let Some(Hand::External(external)) = hand else { unreachable!("made above") };
                Ok(external.begin(table, seat, seed))
            }
            #[cfg(not(target_os = "linux"))]
            _ => {
                *hand = Some(Hand::Human);
                let what = "was not started: agents in processes of their own need Linux";
                Ok(Err(Trouble::fatal(Kind::StartFailure, what)))
            }
        }
    }

    /// Turn after turn. Returns why the game ended, if not by its rules.
    fn turns(
        &mut self,
        game: &mut Game<'_>,
        number: u64,
        person: &mut dyn Person,
    ) -> Option<(Termination, String)> {
        let mut dice = Random::stream(self.settings.seed ^ 0xd1ce, number);
        loop {
            if self.settings.stop.is_stopped() {
                return Some(interrupted());
            }
            match game.table.turn() {
                Turn::Over => return None,
                Turn::Chance { sides } => {
                    let roll = dice.below(u32::from(sides)) as u16;
                    game.table.settle(roll).expect("a roll below its sides");
                    game.record.push_roll(Roll { sides, roll });
                    self.tell(game, None, None);
                }
                Turn::Player(seat) => {
                    let Some(place) = game.seats.iter().position(|held| *held == seat) else {
                        self.nature(game, &mut dice);
                        continue;
                    };
                    if let Some(ending) = self.turn(game, place, person) {
                        return Some(ending);
                    }
                }
            }
        }
    }

    /// One turn of a player.
    fn turn(
        &mut self,
        game: &mut Game<'_>,
        place: usize,
        person: &mut dyn Person,
    ) -> Option<(Termination, String)> {
        let cost = self.settings.cost.unwrap_or(Cost::usual(&game.table.entry()));
        let mut tries = 0;
        loop {
            if game.out[place].is_some() {
                return self.sit_out(game, place);
            }
            let started = Instant::now();
            let answer = self.ask(game, place, person);
            let time_ms = Some((started.elapsed().as_secs_f64() * 1e6).round() / 1e3);
            let trouble = match answer {
                Ok((Answer::Play { text, info }, cpu)) => match game.table.play(&text) {
                    Ok(text) => {
                        let ply = game.ply();
                        let cpu_ms = cpu.map(|cpu| (cpu * 1e6).round() / 1e3);
                        let seat = game.seats[place];
                        let event = Event::Move { ply, seat, text, time_ms, cpu_ms, info };
                        game.record.events.push(event);
                        let used = self.used(place);
                        self.tell(game, Some(place), used);
                        return None;
                    }
                    Err(error) => Trouble::mild(
                        Kind::IllegalMove,
                        format!("chose a turn that is not allowed: {}", error.message),
                    ),
                },
                Ok((Answer::Resign, _)) => {
                    game.out[place] = Some(Kind::IllegalMove);
                    let name = game.table.seat_name(game.seats[place]);
                    if game.table.seats() == 2 {
                        return Some((Termination::Resigned, format!("{name} has resigned")));
                    }
                    continue;
                }
                Ok((Answer::Interrupt, _)) => return Some(interrupted()),
                // Who was stopped in the middle of a thought has done nothing wrong.
                Err(_) if self.settings.stop.is_stopped() => return Some(interrupted()),
                Err(trouble) => trouble,
            };
            let (kind, alive) = (trouble.kind, trouble.alive);
            let again = matches!(cost, Cost::Retry(most) if tries < most) && alive;
            let empty = cost == Cost::Skip && game.empty_turn().is_some();
            let costs = match () {
                () if again => Cost::Retry(1),
                () if empty => Cost::Skip,
                () => Cost::Lose,
            };
            let sentence = self.fault(game, place, &trouble, costs);
            match costs {
                Cost::Retry(_) => {
                    tries += 1;
                    self.refuse(place, game.ply(), &trouble.what);
                }
                Cost::Skip => {
                    if !alive {
                        game.out[place] = Some(kind);
                    }
                    return self.sit_out(game, place);
                }
                Cost::Lose => {
                    game.out[place] = Some(kind);
                    if game.table.seats() == 2 {
                        return Some((kind.termination(), sentence));
                    }
                }
            }
        }
    }

    /// Plays the empty turn for somebody who cannot or may not play.
    fn sit_out(&mut self, game: &mut Game<'_>, place: usize) -> Option<(Termination, String)> {
        let Some(text) = game.empty_turn() else {
            let name = game.table.seat_name(game.seats[place]);
            let kind = game.out[place].unwrap_or(Kind::Crash);
            game.out[place] = Some(kind);
            return Some((kind.termination(), format!("{name} cannot play on")));
        };
        let text = game.table.play(text).expect("tried on a copy");
        game.record.push_move(game.seats[place], text);
        self.tell(game, Some(place), None);
        None
    }

    fn ask(
        &mut self,
        game: &Game<'_>,
        place: usize,
        person: &mut dyn Person,
    ) -> std::result::Result<(Answer, Option<f64>), Trouble> {
        let hand = self.hands[place].as_mut().expect("seated before the game");
        match hand {
            Hand::BuiltIn(thinker) => {
                let text = thinker.think(
                    &game.table.position(),
                    &self.settings.allowance,
                    &self.settings.stop,
                )?;
                Ok((Answer::Play { text, info: None }, None))
            }
            Hand::Human => Ok((person.ask(game.table, game.seats[place]), None)),
            #[cfg(target_os = "linux")]
            Hand::External(external) => {
                let (answer, cpu) = external.choose(game.table, game.ply())?;
                Ok((answer, Some(cpu)))
            }
        }
    }

    /// A turn of a seat that nobody holds.
    fn nature(&mut self, game: &mut Game<'_>, dice: &mut Random) {
        let choice = game.table.choices()[0];
        let mut shadow = game.table.fork();
        let played = game.table.play_randomly(choice, dice).expect("a player is to move");
        game.record.push_move(played.seat, played.text.clone());
        shadow.play(&played.text).expect("what was played can be played");
        self.tell(game, None, None);
        for roll in played.rolls {
            if let Turn::Chance { sides } = shadow.turn() {
                game.record.push_roll(Roll { sides, roll });
                self.tell(game, None, None);
            }
            shadow.settle(roll).expect("what was rolled can be rolled");
        }
    }

    /// Tells everybody but its player of the last event.
    fn tell(&mut self, game: &mut Game<'_>, player: Option<usize>, used: Option<f64>) {
        let event = game.record.events.last().expect("called after an event");
        #[cfg(target_os = "linux")]
        for (place, hand) in self.hands.iter_mut().enumerate() {
            if let Some(Hand::External(external)) = hand
                && Some(place) != player
            {
                external.hear(event, game.table);
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = player;
        (game.watcher)(game.table, Happening::Event { event, used });
    }

    fn used(&self, place: usize) -> Option<f64> {
        match &self.hands[place] {
            #[cfg(target_os = "linux")]
            Some(Hand::External(external)) => Some(external.used()),
            _ => None,
        }
    }

    #[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
    fn refuse(&mut self, place: usize, ply: u32, reason: &str) {
        #[cfg(target_os = "linux")]
        if let Some(Hand::External(external)) = &mut self.hands[place] {
            external.refuse(ply, reason);
        }
    }

    /// Writes a fault down. Returns its sentence.
    fn fault(
        &mut self,
        game: &mut Game<'_>,
        place: usize,
        trouble: &Trouble,
        cost: Cost,
    ) -> String {
        let seat = game.seats[place];
        let player = &game.record.seats[place];
        let sentence = format!("{} ({}) {}", game.table.seat_name(seat), player.name, trouble.what);
        let log_tail = match &self.hands[place] {
            #[cfg(target_os = "linux")]
            Some(Hand::External(external)) => external.last_lines(),
            _ => String::new(),
        };
        let cost = match cost {
            Cost::Lose => "game",
            Cost::Skip => "turn",
            Cost::Retry(_) => "nothing",
        };
        let fault = Fault {
            ply: game.ply(),
            seat,
            kind: trouble.kind,
            sentence: sentence.clone(),
            cost: cost.to_owned(),
            log_tail,
        };
        (game.watcher)(game.table, Happening::Fault(&fault));
        game.record.faults.push(fault);
        sentence
    }

    /// Tells everybody how it ended, and collects what they leave behind.
    fn dismiss(&mut self, record: Record, seats: &[Seat]) -> Refereed {
        #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
        let (mut logs, mut cpu_s, mut memory) = (Vec::new(), Vec::new(), Vec::new());
        #[cfg(target_os = "linux")]
        for (place, seat) in seats.iter().enumerate() {
            if let Some(Hand::External(external)) = &mut self.hands[place] {
                memory.extend(external.memory().map(|bytes| (*seat, bytes)));
                external.end(record.result.as_ref());
                logs.push((*seat, external.log()));
                cpu_s.push((*seat, external.used()));
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = seats;
        Refereed { record, logs, cpu_s, memory }
    }
}

fn interrupted() -> (Termination, String) {
    (Termination::Interrupted, "the game was interrupted".to_owned())
}

impl Game<'_> {
    fn ply(&self) -> u32 {
        self.record.events.len() as u32
    }

    /// The turn that does nothing, where the rules allow one now.
    fn empty_turn(&self) -> Option<&'static str> {
        self.table.entry().empty_turn.filter(|text| self.table.fork().play(text).is_ok())
    }

    /// Payoffs of a duel that a fault has ended: who is out has lost, the other has won.
    fn payoffs_of_the_faulty(&self) -> Vec<f32> {
        let payoff = |out: &Option<Kind>| if out.is_some() { -1.0 } else { 1.0 };
        let mut payoffs = self.table.payoffs();
        for (seat, out) in self.seats.iter().zip(&self.out) {
            payoffs[seat.index()] = payoff(out);
        }
        payoffs
    }
}
