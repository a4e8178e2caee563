//! Agents playing many games against each other.
//!
//! Two-player games are played in pairs: both colours from the same short random opening, so that
//! deterministic agents do not repeat one game and neither profits from the draw. Free-for-alls seat
//! all agents at one board. A game is a function of its number and the seed: it comes out the same on
//! any number of threads (for agents limited by nodes or depth).

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use skirmish_play::driver::Seated;
use skirmish_play::engine::{Engines, engines};
use skirmish_play::player::Player;
use skirmish_play::record::Record;
use skirmish_play::referee::{GameSettings, Referee, Refereed};
use skirmish_play::seeding::{self, Seeds};
use skirmish_play::session::{Command, Session, Update};
use skirmish_rules::table::{Table, open};
use skirmish_rules::{
    Ending, Error, ErrorKind, Games, Options, Random, Registry, Result, Seat, Setup, Turn,
};
use skirmish_sandbox::{self as sandbox, AgentSpec, Settings};
use skirmish_search::{Allowance, Roster, Spec, Stop};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// Which game.
    pub game: String,
    /// Its options.
    pub options: Options,
    /// A fixed position to start from.
    pub position: Option<String>,
    /// Who plays.
    pub agents: Vec<AgentSpec>,
    /// Where the relative paths in their lines start; the working folder where nothing is said.
    pub folder: Option<PathBuf>,
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
struct ProcessPool(Mutex<VecDeque<(Vec<usize>, Referee)>>);

impl ProcessPool {
    fn take(&self, agents: &[usize]) -> Option<Referee> {
        let mut resting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = resting.iter().position(|(seated, _)| seated == agents)?;
        resting.remove(place).map(|(_, referee)| referee)
    }

    fn put(&self, agents: &[usize], referee: Referee, most: usize) {
        let mut resting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        resting.push_back((agents.to_vec(), referee));
        let leaving = if resting.len() > most { resting.pop_front() } else { None };
        // Ending a process takes a while; no game has to wait for that.
        drop(resting);
        drop(leaving);
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
pub struct GameResult {
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
    /// CPU seconds each of them used, where they are counted from outside.
    pub cpu_s: Vec<Option<f64>>,
    /// Bytes of memory each of them had at most, where that is known.
    pub memory: Vec<Option<u64>>,
    /// What each of them wrote to stderr.
    pub logs: Vec<String>,
    /// Positions each of them looked at.
    pub nodes: Vec<u64>,
    /// Turns played by every agent.
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

impl MatchSettings {
    /// A built-in agent with its paths as they are to be opened.
    fn to_open(&self, spec: &Spec) -> Spec {
        self.folder.as_deref().map_or_else(|| spec.clone(), |folder| spec.within(folder))
    }

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

    /// Plays all games on the current rayon pool. `done` is called as each game ends. Returns them
    /// in order, and an error before anything is played if an agent or the game cannot be had.
    pub fn play(&self, done: &(dyn Fn(&GameResult) + Sync)) -> Result<Vec<GameResult>> {
        self.play_each(&|runner, fixture| runner.play(fixture), done)
    }

    /// The same with a way to play one game: in front of a watcher, say.
    pub fn play_each(
        &self,
        play: &(dyn Fn(&MatchRunner, &Fixture) -> GameResult + Sync),
        done: &(dyn Fn(&GameResult) + Sync),
    ) -> Result<Vec<GameResult>> {
        let match_runner = self.match_runner()?;
        if self.agents.contains(&AgentSpec::Human) {
            return Err(Error::new(ErrorKind::Option, "people play one game at a time"));
        }
        if match_runner.players() < self.agents.len() && match_runner.seats() != 2 {
            let message =
                format!("{} agents for {} players", self.agents.len(), match_runner.players());
            return Err(Error::new(ErrorKind::Option, message)
                .hint("`players` names an owner for each agent, or is left out"));
        }
        let play = |fixture: &Fixture| {
            let played = play(&match_runner, fixture);
            done(&played);
            played
        };
        let fixtures = self.fixtures(match_runner.seats());
        Ok(fixtures.par_iter().with_max_len(1).map(play).collect())
    }

    /// Opens the game and tries every agent's line once, so that a mistaken one costs no game.
    pub fn match_runner(&self) -> Result<MatchRunner> {
        let entry = Games::entry(&self.game)?;
        let mut options = self.options.clone();
        entry.seat_players(&mut options, self.agents.len());
        let mut random = Random::seeded(self.seed);
        let setup =
            Setup { options: &options, position: self.position.as_deref(), random: &mut random };
        let start = open(&self.game, setup)?;
        let engines = engines(start.as_ref())?;
        for who in &self.agents {
            match who {
                AgentSpec::Human => {}
                AgentSpec::BuiltIn(spec) => drop(engines.player(&self.to_open(spec), self.roster)?),
                _ if self.referee.is_some() => {}
                _ => {
                    let message = format!("`{who}` plays only before a referee");
                    return Err(Error::new(ErrorKind::Option, message));
                }
            }
        }
        has_a_future(start.as_ref())?;
        Ok(MatchRunner { contest: self.clone(), start, engines, bench: ProcessPool::default() })
    }
}

fn has_a_future(table: &dyn Table) -> Result<()> {
    if table.turn() != Turn::Over {
        return Ok(());
    }
    let message = format!("there is nothing to play from this position: {}", table.view().status);
    Err(Error::new(ErrorKind::Position, message))
}

/// Brings the person for a place among the players to the board.
pub type People<'a> = dyn FnMut(usize) -> Box<dyn Player> + 'a;

/// Where the games of a contest are played: the game is open, and every agent's line was tried.
pub struct MatchRunner {
    contest: MatchSettings,
    start: Box<dyn Table>,
    engines: Box<dyn Engines>,
    bench: ProcessPool,
}

impl MatchRunner {
    /// Checks a position that games are to start from.
    pub fn check(&self, position: &str) -> Result<()> {
        has_a_future(self.at(position)?.as_ref())
    }

    /// How many seats there are.
    pub fn seats(&self) -> u16 {
        self.start.seats()
    }

    /// How many of them are for players.
    pub fn players(&self) -> usize {
        (0..self.start.seats()).filter(|seat| !self.start.is_zombie(Seat(*seat))).count()
    }

    /// The game's options, settled.
    pub fn options(&self) -> Options {
        self.start.options()
    }

    /// What to call a seat.
    pub fn seat_name(&self, seat: Seat) -> String {
        self.start.seat_name(seat)
    }

    fn at(&self, position: &str) -> Result<Box<dyn Table>> {
        let options = self.start.options();
        let mut unused = Random::seeded(0);
        let setup = Setup { options: &options, position: Some(position), random: &mut unused };
        open(self.start.entry().name, setup)
    }

    fn referee(&self, fixture: &Fixture, people: &mut People<'_>) -> Referee {
        let MatchSettings { agents, names, roster, referee, allowance, seed, stop, .. } =
            &self.contest;
        let players = fixture.agents.iter().enumerate().map(|(place, number)| {
            let agent = agents[*number].clone();
            let player = match (&agent, referee) {
                (AgentSpec::Human, _) => Ok(people(place)),
                (AgentSpec::BuiltIn(spec), _) => {
                    self.engines.player(&self.contest.to_open(spec), *roster)
                }
                (external, Some(settings)) => Ok(sandbox::outside(external, settings)),
                (_, None) => unreachable!("tried before: it plays only before a referee"),
            };
            let player = player.expect("every line was tried before");
            Seated { agent, name: names.get(*number).cloned(), player }
        });
        let plain = GameSettings {
            limits: None,
            policy: None,
            allowance: *allowance,
            seed: *seed,
            times_by_cpu: false,
            stop: stop.clone(),
        };
        let settings = referee.as_ref().map_or(plain, Settings::game);
        Referee::new(players.collect(), settings)
    }

    /// The games of the contest, in order.
    pub fn fixtures(&self) -> Vec<Fixture> {
        self.contest.fixtures(self.seats())
    }

    /// Plays one game. Whatever happens in it comes back as its result.
    pub fn play(&self, fixture: &Fixture) -> GameResult {
        self.play_live(fixture, None, &mut |_| unreachable!("no person plays here"), &mut |_, _| {})
    }

    /// Sets up a game: its start, and a short random opening, the same for both games of a pair.
    fn open(&self, fixture: &Fixture, referee: &Referee) -> (Session, Vec<Update>) {
        let MatchSettings { position, opening, .. } = &self.contest;
        let seeds = self.seeds(fixture);
        let turns = if self.seats() == 2 { *opening } else { 0 };
        let (start, moves) = match &fixture.position {
            Some(text) => {
                let at = self.at(text).expect("checked before");
                seeding::open(at.as_ref(), true, turns, seeds)
            }
            None => seeding::open(self.start.as_ref(), position.is_some(), turns, seeds),
        };
        let (mut session, begun) = referee.open(start);
        let mut updates = vec![begun];
        for (seat, text) in moves {
            let ply = session.ply();
            let turn = Command::Play { seat, ply, text, time_ms: None, cpu_ms: None, info: None };
            let played = session.apply(turn, Duration::ZERO);
            updates.extend(played.expect("an opening is played by the rules"));
        }
        (session, updates)
    }

    fn seeds(&self, fixture: &Fixture) -> Seeds {
        Seeds { seed: self.contest.seed, game: fixture.number, opening: fixture.opening }
    }

    /// Plays one game in front of a watcher, with people in it or not; one that was begun before goes
    /// on. Whatever happens in it comes back as its result.
    pub fn play_live(
        &self,
        fixture: &Fixture,
        begun: Option<Session>,
        people: &mut People<'_>,
        watcher: &mut dyn FnMut(&Session, &Update),
    ) -> GameResult {
        // 1. The players and the board.
        let rested = self.bench.take(&fixture.agents);
        let mut referee = rested.unwrap_or_else(|| self.referee(fixture, people));
        let (mut session, updates) = match begun {
            Some(mut session) => {
                // What was ended undecided goes on; what is decided stays so.
                let reopened = session.apply(Command::Reopen, Duration::ZERO);
                (session, reopened.unwrap_or_default())
            }
            None => self.open(fixture, &referee),
        };
        updates.iter().for_each(|update| watcher(&session, update));

        // 2. Play.
        let refereed = referee
            .play(&mut session, self.seeds(fixture), watcher)
            .expect("every line was tried before");
        if !fixture.agents.iter().any(|number| self.contest.agents[*number] == AgentSpec::Human) {
            self.bench.put(&fixture.agents, referee, self.contest.kept);
        }

        // 3. What came of it.
        let table = session.table();
        let Refereed { record, thinking, .. } = refereed;
        let seats: Vec<Seat> = record.seats.iter().map(|player| player.seat).collect();
        let result = record.result.as_ref();
        let payoffs = result.map_or_else(|| table.payoffs(), |result| result.payoffs.clone());
        let scores = table.scores();
        let score = |seat: &Seat| Some(scores.as_ref()?.get(&seat.0).copied().unwrap_or(0));
        GameResult {
            number: fixture.number,
            agents: fixture.agents.clone(),
            payoffs: seats.iter().map(|seat| payoffs[seat.index()]).collect(),
            scores: seats.iter().map(score).collect(),
            thought: thinking.iter().map(|one| (one.total_ms, one.turns)).collect(),
            longest: thinking.iter().map(|one| one.longest_ms).collect(),
            is_cpu: thinking.iter().map(|one| one.is_cpu).collect(),
            cpu_s: thinking.iter().map(|one| one.usage.cpu_s).collect(),
            memory: thinking.iter().map(|one| one.usage.memory).collect(),
            nodes: thinking.iter().map(|one| one.nodes).collect(),
            logs: thinking.into_iter().map(|one| one.usage.log.unwrap_or_default()).collect(),
            turns: record.turns() as u64,
            ending: table.ending(),
            bug: self.bug(fixture, &record),
            record,
            seats,
        }
    }

    /// A fault of a built-in agent is a bug of ours.
    fn bug(&self, fixture: &Fixture, record: &Record) -> Option<Bug> {
        let fault = record.faults.iter().find(|fault| {
            let place = record.seats.iter().position(|player| player.seat == fault.seat);
            place.is_some_and(|place| {
                matches!(self.contest.agents[fixture.agents[place]], AgentSpec::BuiltIn(_))
            })
        })?;
        let player = record.seats.iter().find(|player| player.seat == fault.seat)?;
        let replayed = record.replay(fault.ply as usize);
        let position = replayed.map_or_else(|error| error.message, |table| table.position());
        Some(Bug {
            agent: player.agent.clone(),
            position,
            seed: self.contest.seed,
            game: fixture.number,
            what: fault.sentence.clone(),
        })
    }
}
