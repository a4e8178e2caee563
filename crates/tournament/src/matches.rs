//! Agents playing many games against each other.
//!
//! Two-player games are played in pairs: both colours from the same short random opening, so that
//! deterministic agents do not repeat one game and nobody profits from the draw. Game 17 seats all
//! agents at one board. A game is a function of its number and the seed: it comes out the same on
//! any number of threads (for agents limited by nodes or depth).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;
use skirmish_rules::table::{Open, Table};
use skirmish_rules::{
    Choice, Ending, Entry, Error, ErrorKind, Game, Games, Options, Random, Registry, Result, Seat,
    Setup, Turn, Visitor,
};
use skirmish_search::{Agent, Allowance, Roster, Stop};

use skirmish_play::record::{Event, Outcome, Player, Record, Roll, Termination};
use skirmish_sandbox::{Answer, Fault, Kind, Person, Referee, Settings, Who};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Which game.
    pub game: String,
    /// Its options.
    pub options: Options,
    /// A fixed position to start from.
    pub position: Option<String>,
    /// Who plays.
    pub agents: Vec<Who>,
    /// Where built-in agents come from.
    pub roster: Roster,
    /// What they are called; empty where their own names will do.
    pub names: Vec<String>,
    /// How many games: for two-player games with each pair of agents.
    pub games: u64,
    /// What everything random is drawn from.
    pub seed: u64,
    /// How long agents may think that set no limit of their own.
    pub allowance: Allowance,
    /// Random turns before the agents take over.
    pub opening: u32,
    /// How games with agents that are not our own are refereed.
    pub referee: Option<Settings>,
    /// How many referees may rest between games with the processes of agents that allow to be kept.
    pub kept: usize,
    /// Ends all games from outside, undecided.
    pub stop: Stop,
}

/// Referees at rest, with the processes of agents that may be kept from game to game. One is taken
/// for a game and put back, by the agents in its seats; the one that has rested longest leaves.
#[derive(Default)]
struct Bench(Mutex<VecDeque<(Vec<usize>, Referee)>>);

impl Bench {
    fn take(&self, agents: &[usize]) -> Option<Referee> {
        let mut resting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = resting.iter().position(|(seated, _)| seated == agents)?;
        resting.remove(place).map(|(_, referee)| referee)
    }

    fn put(&self, agents: &[usize], referee: Referee, most: usize) {
        let mut resting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        resting.push_back((agents.to_vec(), referee));
        let leaving = if resting.len() > most { resting.pop_front() } else { None };
        // Ending a process takes a while; nobody has to wait for that.
        drop(resting);
        drop(leaving);
    }
}

/// Where the games of a contest are played: the game is open, and every agent's line was tried.
pub trait Hall: Send + Sync {
    /// Plays one game. Whatever happens in it comes back as its result.
    fn play(&self, fixture: &Fixture) -> Bout;
    /// Checks a position that games are to start from.
    fn check(&self, position: &str) -> Result<()>;
    /// How many seats there are.
    fn seats(&self) -> u16;
    /// How many of them are for players.
    fn players(&self) -> usize;
    /// The game's options, settled.
    fn options(&self) -> Options;
    /// What to call a seat.
    fn seat_name(&self, seat: Seat) -> String;
}

/// Games of a match have no people in them: those are played in front of a screen.
struct NoPerson;

impl Person for NoPerson {
    fn ask(&mut self, _: &dyn Table, _: Seat) -> Answer {
        Answer::Resign
    }
}

/// One game to be played: who sits where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Which game of the contest: what its agents draw at random depends on it.
    pub number: u64,
    /// Games with the same opening number start alike.
    pub opening: u64,
    /// A position to start from, in place of the contest's.
    pub position: Option<String>,
    /// The agent of each player's seat, by number.
    pub agents: Vec<usize>,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Bout {
    /// Its number.
    pub number: u64,
    /// The agent of each player's seat, by number.
    pub agents: Vec<usize>,
    /// The seat of each of them.
    pub seats: Vec<Seat>,
    /// What the game was worth to each of them.
    pub payoffs: Vec<f32>,
    /// What the game counts for each of them.
    pub scores: Option<Vec<u32>>,
    /// Milliseconds each of them thought, and turns.
    pub thought: Vec<(f64, u64)>,
    /// Milliseconds of the longest turn of each of them.
    pub longest: Vec<f64>,
    /// Whether these are CPU times of processes of their own, for each of them.
    pub is_cpu: Vec<bool>,
    /// Bytes of memory each of them had at most, where that is known.
    pub memory: Vec<Option<u64>>,
    /// What each of them wrote to stderr.
    pub logs: Vec<String>,
    /// Positions each of them looked at.
    pub nodes: Vec<u64>,
    /// Turns played by everybody.
    pub turns: u64,
    /// Why it ended.
    pub ending: Option<Ending>,
    /// The game itself.
    pub record: Record,
    /// What an agent did that it must not do: a bug of ours.
    pub bug: Option<Bug>,
}

/// An illegal choice or a panic of a built-in agent: a bug, with all it takes to see it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug {
    /// The agent's line.
    pub agent: String,
    /// Where it happened.
    pub position: String,
    /// The seed of the match.
    pub seed: u64,
    /// Which game of the match.
    pub game: u64,
    /// What happened.
    pub what: String,
}

impl std::fmt::Display for Bug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Bug { agent, position, seed, game, what } = self;
        write!(f, "{agent} {what}, in game {game} of seed {seed}, at position: {position}")
    }
}

impl Contest {
    /// The games to be played, in order.
    fn fixtures(&self, seats: u16) -> Vec<Fixture> {
        if seats != 2 {
            let agents: Vec<usize> = (0..self.agents.len()).collect();
            let fixture = |number| Fixture {
                number,
                opening: number,
                position: None,
                agents: agents.clone(),
            };
            return (0..self.games).map(fixture).collect();
        }
        let mut fixtures = Vec::new();
        for first in 0..self.agents.len() {
            for second in first + 1..self.agents.len() {
                for game in 0..self.games {
                    let agents =
                        if game % 2 == 0 { vec![first, second] } else { vec![second, first] };
                    let (number, opening) = (fixtures.len() as u64, game / 2);
                    fixtures.push(Fixture { number, opening, position: None, agents });
                }
            }
        }
        fixtures
    }

    /// The game's options, with seats for the agents.
    fn options(&self, entry: Entry) -> Options {
        let mut options = self.options.clone();
        entry.seat_players(&mut options, self.agents.len());
        options
    }

    /// Plays all games on the current rayon pool. `done` is called as each game ends. Returns them
    /// in order, and an error before anything is played if an agent or the game cannot be had.
    pub fn play(&self, done: &(dyn Fn(&Bout) + Sync)) -> Result<Vec<Bout>> {
        let hall = self.hall()?;
        if hall.players() < self.agents.len() && hall.seats() != 2 {
            let message = format!("{} agents for {} players", self.agents.len(), hall.players());
            return Err(Error::new(ErrorKind::Option, message)
                .hint("`players` names an owner for each agent, or is left out"));
        }
        let play = |fixture: &Fixture| {
            let bout = hall.play(fixture);
            done(&bout);
            bout
        };
        let fixtures = self.fixtures(hall.seats());
        Ok(fixtures.par_iter().with_max_len(1).map(play).collect())
    }

    /// Opens the game and tries every agent's line once, so that a mistaken one costs no game.
    pub fn hall(&self) -> Result<Box<dyn Hall>> {
        struct Enter<'a>(&'a Contest);
        impl Visitor for Enter<'_> {
            type Output = Result<Box<dyn Hall>>;
            fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
                let contest = self.0.clone();
                contest.try_agents(entry, &game)?;
                let hall = OpenHall { contest, entry, game, start, bench: Bench::default() };
                hall.has_a_future(&hall.start)?;
                Ok(Box::new(hall))
            }
        }
        let entry = Games::entry(&self.game)?;
        let options = self.options(entry);
        let mut random = Random::seeded(self.seed);
        let setup =
            Setup { options: &options, position: self.position.as_deref(), random: &mut random };
        Games::open(&self.game, setup, Enter(self))?
    }

    fn try_agents<G: Game>(&self, entry: Entry, game: &G) -> Result<()> {
        for who in &self.agents {
            match who {
                Who::BuiltIn(spec) => drop(self.roster.agent(spec, entry.name, game, 0)?),
                _ if self.referee.is_some() => {}
                _ => {
                    let message = format!("`{who}` plays only before a referee");
                    return Err(Error::new(ErrorKind::Option, message));
                }
            }
        }
        Ok(())
    }
}

/// A hall for one game, with its types.
struct OpenHall<G: Game> {
    contest: Contest,
    entry: Entry,
    game: G,
    start: G::Position,
    bench: Bench,
}

impl<G: Game> OpenHall<G> {
    fn has_a_future(&self, position: &G::Position) -> Result<()> {
        if self.game.turn(position) != Turn::Over {
            return Ok(());
        }
        let status = self.game.view(position).status;
        let message = format!("there is nothing to play from this position: {status}");
        Err(Error::new(ErrorKind::Position, message))
    }
}

impl<G: Game> Hall for OpenHall<G> {
    fn play(&self, fixture: &Fixture) -> Bout {
        play_one(self, fixture)
    }

    fn check(&self, position: &str) -> Result<()> {
        self.has_a_future(&self.game.read_position(position)?)
    }

    fn seats(&self) -> u16 {
        self.game.seats()
    }

    fn players(&self) -> usize {
        (0..self.game.seats()).filter(|seat| !self.game.is_zombie(Seat(*seat))).count()
    }

    fn options(&self) -> Options {
        self.game.options()
    }

    fn seat_name(&self, seat: Seat) -> String {
        self.game.seat_name(seat)
    }
}

fn play_one<G: Game>(hall: &OpenHall<G>, fixture: &Fixture) -> Bout {
    let OpenHall { contest, entry, game, start, bench } = hall;
    let entry = *entry;
    // 1. The start and a short random opening, the same for both games of a pair.
    let mut random = Random::stream(contest.seed, fixture.opening);
    let start = match (&fixture.position, &contest.position) {
        (Some(text), _) => game.read_position(text).expect("checked before"),
        (None, Some(_)) => start.clone(),
        (None, None) => game.fresh_start(start, &mut random),
    };
    let mut table = Open::new(entry, game.clone(), start);
    let mut record = Record::begin(&table, Some(contest.seed));
    let opening = if game.seats() == 2 { contest.opening } else { 0 };
    open_randomly(&mut table, &mut record, opening, &mut random);

    if let Some(settings) = &contest.referee {
        return referee_one(contest, fixture, settings, table, record, bench);
    }

    // 2. Who sits where: players first, in the order of their seats.
    let seats: Vec<Seat> =
        (0..game.seats()).map(Seat).filter(|seat| !game.is_zombie(*seat)).collect();
    let seats: Vec<Seat> = seats.into_iter().take(fixture.agents.len()).collect();
    let mut players: Vec<Box<dyn Agent<G>>> = Vec::new();
    for (seat, &number) in seats.iter().zip(&fixture.agents) {
        let Who::BuiltIn(spec) = &contest.agents[number] else {
            unreachable!("others play before a referee")
        };
        let seed =
            Random::stream(contest.seed ^ 0x5eed, fixture.number * 1_024 + number as u64).word();
        let agent = contest.roster.agent(spec, entry.name, game, seed);
        players.push(agent.expect("tried once before"));
        record.seats.push(Player {
            seat: *seat,
            agent: spec.to_string(),
            name: contest.names.get(number).unwrap_or(&spec.name).clone(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        });
    }

    // 3. Play.
    let mut bout = Bout {
        number: fixture.number,
        agents: fixture.agents.clone(),
        payoffs: vec![0.0; players.len()],
        scores: None,
        thought: vec![(0.0, 0); players.len()],
        longest: vec![0.0; players.len()],
        is_cpu: vec![false; players.len()],
        memory: vec![None; players.len()],
        logs: vec![String::new(); players.len()],
        nodes: vec![0; players.len()],
        turns: record.events.len() as u64,
        ending: None,
        record,
        bug: None,
        seats,
    };
    // The chances of the game are the same for every choice of agents up to the point they differ.
    let mut dice = Random::stream(contest.seed ^ 0xd1ce, fixture.opening);
    loop {
        if contest.stop.is_stopped() {
            return bout.interrupted(&table);
        }
        match table.turn() {
            Turn::Over => break,
            Turn::Chance { sides } => {
                let roll = dice.below(u32::from(sides)) as u16;
                table.settle(roll).expect("a roll below its sides");
                bout.record.push_roll(Roll { sides, roll });
            }
            Turn::Player(seat) => {
                let player = bout.seats.iter().position(|held| *held == seat);
                let Some(player) = player else {
                    // A seat nobody holds is nature's: a zombie.
                    let choice = table.choices()[0];
                    nature_moves(&mut table, &mut bout.record, choice, &mut dice);
                    bout.turns += 1;
                    continue;
                };
                let spec = &contest.agents[bout.agents[player]];
                let started = Instant::now();
                let (allowance, stop) = (&contest.allowance, &contest.stop);
                let turn = take_turn(&mut table, &mut *players[player], allowance, stop);
                let milliseconds = started.elapsed().as_secs_f64() * 1e3;
                match turn {
                    Ok((text, nodes)) => {
                        let ply = bout.record.events.len() as u32;
                        let time_ms = Some((milliseconds * 1e3).round() / 1e3);
                        bout.record.events.push(Event::Move {
                            ply,
                            seat,
                            text,
                            time_ms,
                            cpu_ms: None,
                            info: None,
                        });
                        bout.thought[player].0 += milliseconds;
                        bout.thought[player].1 += 1;
                        bout.longest[player] = bout.longest[player].max(milliseconds);
                        bout.nodes[player] += nodes;
                        bout.turns += 1;
                    }
                    Err(what) => {
                        bout.bug = Some(Bug {
                            agent: spec.to_string(),
                            position: table.position(),
                            seed: contest.seed,
                            game: fixture.number,
                            what,
                        });
                        break;
                    }
                }
            }
        }
    }

    // 4. What came of it.
    bout.ending = table.ending();
    bout.record.finish(&table);
    let (game, position) = table.typed();
    bout.payoffs = bout.seats.iter().map(|seat| game.payoff(position, *seat)).collect();
    bout.scores = bout.seats.iter().map(|seat| game.score(position, *seat)).collect();
    if let Some(bug) = bout.bug.clone() {
        let Turn::Player(culprit) = table.turn() else { unreachable!("it was to choose a turn") };
        bout.lose_by_a_bug(culprit, &bug, &table);
    }
    bout
}

impl Bout {
    /// The game was stopped from outside: nobody has won, nobody has lost.
    fn interrupted(mut self, table: &dyn Table) -> Bout {
        self.record.result = Some(Outcome {
            payoffs: vec![0.0; usize::from(table.seats())],
            termination: Termination::Interrupted,
            sentence: "the game was interrupted".to_owned(),
            scores: table.scores(),
        });
        self
    }

    /// A bug of an agent loses it the game, as any other fault would.
    fn lose_by_a_bug(&mut self, culprit: Seat, bug: &Bug, table: &dyn Table) {
        let others = if table.seats() == 2 { 1.0 } else { 0.0 };
        let worth = |seat: Seat| if seat == culprit { -1.0 } else { others };
        self.payoffs = self.seats.iter().map(|seat| worth(*seat)).collect();
        let what = bug.what.lines().next().unwrap_or_default();
        let player = self.record.seats.iter().find(|player| player.seat == culprit);
        let name = player.map_or(bug.agent.as_str(), |player| player.name.as_str());
        let sentence = format!("{} ({name}) {what}", table.seat_name(culprit));
        self.record.faults.push(Fault {
            ply: self.record.events.len() as u32,
            seat: culprit,
            kind: Kind::Crash,
            sentence: sentence.clone(),
            cost: "game".to_owned(),
            log_tail: String::new(),
        });
        self.record.result = Some(Outcome {
            payoffs: (0..table.seats()).map(|seat| worth(Seat(seat))).collect(),
            termination: Termination::Crash,
            sentence,
            scores: table.scores(),
        });
    }
}

/// One game before a referee, from where the opening has led.
fn referee_one<G: Game>(
    contest: &Contest,
    fixture: &Fixture,
    settings: &Settings,
    mut table: Open<G>,
    record: Record,
    bench: &Bench,
) -> Bout {
    let mut referee = bench.take(&fixture.agents).unwrap_or_else(|| {
        let agents = fixture.agents.iter().map(|number| contest.agents[*number].clone());
        let names = fixture.agents.iter().filter_map(|number| contest.names.get(*number).cloned());
        Referee::new(agents.collect(), settings.clone()).calling(names.collect())
    });
    let refereed = referee
        .play_on(&mut table, record, fixture.number, &mut NoPerson, &mut |_, _| {})
        .expect("every agent was tried once before");
    bench.put(&fixture.agents, referee, contest.kept);

    let record = refereed.record;
    let seats: Vec<Seat> = record.seats.iter().map(|player| player.seat).collect();
    let mut thought = vec![(0.0, 0); seats.len()];
    let mut longest: Vec<f64> = vec![0.0; seats.len()];
    let mut is_cpu = vec![false; seats.len()];
    let mut turns = 0;
    for event in &record.events {
        let Event::Move { seat, time_ms, cpu_ms, .. } = event else { continue };
        turns += 1;
        let player = seats.iter().position(|held| held == seat);
        if let (Some(player), Some(milliseconds)) = (player, cpu_ms.or(*time_ms)) {
            thought[player].0 += milliseconds;
            thought[player].1 += 1;
            longest[player] = longest[player].max(milliseconds);
            is_cpu[player] = cpu_ms.is_some();
        }
    }
    let all =
        record.result.as_ref().map_or_else(|| table.payoffs(), |result| result.payoffs.clone());
    let (game, position) = table.typed();
    Bout {
        number: fixture.number,
        agents: fixture.agents.clone(),
        payoffs: seats.iter().map(|seat| all[seat.index()]).collect(),
        scores: seats.iter().map(|seat| game.score(position, *seat)).collect(),
        nodes: vec![0; seats.len()],
        thought,
        longest,
        is_cpu,
        memory: seats.iter().map(|seat| of_seat(&refereed.memory, *seat)).collect(),
        logs: seats.iter().map(|seat| of_seat(&refereed.logs, *seat).unwrap_or_default()).collect(),
        turns,
        ending: table.ending(),
        record,
        bug: None,
        seats,
    }
}

fn of_seat<T: Clone>(list: &[(Seat, T)], seat: Seat) -> Option<T> {
    list.iter().find(|(held, _)| *held == seat).map(|(_, value)| value.clone())
}

/// Random turns from the start: none that ends the game, and (unless the game's entry says otherwise)
/// no opening that lets the player to move win at once, which would say nothing about the agents (one
/// in eight of In-Trap's).
fn open_randomly<G: Game>(
    table: &mut Open<G>,
    record: &mut Record,
    turns: u32,
    random: &mut Random,
) {
    let choice = *G::CHOICES.last().unwrap_or(&Choice::Turns);
    for _attempt in 0..20 {
        let mut opened = table.clone();
        let mut moves = Vec::new();
        for _ in 0..turns {
            for _attempt in 0..20 {
                let mut next = opened.clone();
                if let Ok(played) = next.play_randomly(choice, random)
                    && next.turn() != Turn::Over
                {
                    moves.push((played.seat, played.text));
                    opened = next;
                    break;
                }
            }
        }
        let is_drawn_again = turns > 0 && table.entry().openings_avoid_wins;
        if !is_drawn_again || !wins_at_once(&opened) {
            moves.into_iter().for_each(|(seat, text)| record.push_move(seat, text));
            *table = opened;
            return;
        }
    }
}

/// Whether the player to move has an action that ends the game in its favour.
fn wins_at_once<G: Game>(table: &Open<G>) -> bool {
    let (game, position) = table.typed();
    let Turn::Player(seat) = game.turn(position) else { return false };
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    actions.into_iter().any(|action| {
        let mut next = position.clone();
        game.play(&mut next, action);
        game.turn(&next) == Turn::Over && game.payoff(&next, seat) > 0.0
    })
}

fn nature_moves<G: Game>(
    table: &mut Open<G>,
    record: &mut Record,
    choice: Choice,
    dice: &mut Random,
) {
    let before = table.clone();
    let played = table.play_randomly(choice, dice).expect("a player is to move");
    record.push_move(played.seat, played.text.clone());
    if played.rolls.is_empty() {
        return;
    }
    let mut shadow = before;
    shadow.play(&played.text).expect("what was played can be played");
    for roll in played.rolls {
        if let Turn::Chance { sides } = shadow.turn() {
            record.push_roll(Roll { sides, roll });
        }
        shadow.settle(roll).expect("what was rolled can be rolled");
    }
}

/// Asks an agent for its turn and plays it. An illegal turn or a panic comes back as a sentence.
fn take_turn<G: Game>(
    table: &mut Open<G>,
    player: &mut dyn Agent<G>,
    allowance: &Allowance,
    stop: &Stop,
) -> std::result::Result<(String, u64), String> {
    let (game, position) = table.typed();
    let thought = catch_unwind(AssertUnwindSafe(|| player.choose(game, position, allowance, stop)))
        .map_err(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            format!("panicked ({message})")
        })?;
    let mut text = String::new();
    let mut after = position.clone();
    for &action in &thought.actions {
        if !matches!(game.turn(&after), Turn::Player(_)) || !game.is_legal(&after, action) {
            return Err(format!("chose the illegal action {action:?} after `{text}`"));
        }
        game.write_action(&after, action, &mut text);
        game.play(&mut after, action);
    }
    let nodes = thought.nodes;
    let spelling =
        table.play(&text).map_err(|error| format!("chose the turn `{text}`: {error}"))?;
    Ok((spelling, nodes))
}
