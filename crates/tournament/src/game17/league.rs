//! Players by number, and single games between them.

use std::collections::BTreeMap;

use skirmish_play::driver::Seated;
use skirmish_play::game17_json::{Diffs, begin, diff, typed};
use skirmish_play::player::Player;
use skirmish_play::record::Event;
use skirmish_play::referee::{GameSettings, Referee, Refereed};
use skirmish_play::seeding::Seeds;
use skirmish_play::session::{Change, Session, Update, Waiting};
use skirmish_rules::games::game17::{MOST_SIZE, Position};
use skirmish_rules::table::{Table, open};
use skirmish_rules::{Error, ErrorKind, Options, Random, Result, Seat, Setup};
use skirmish_sandbox::{self as sandbox, AgentSpec, Settings};

/// A participant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// What it is called in the list of players.
    pub name: String,
    /// Who it is.
    pub who: AgentSpec,
}

/// What is played on, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// Squares along each side.
    pub size: u16,
    /// Rounds at most.
    pub rounds: u32,
}

/// A game that was played.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The game.
    pub diffs: Diffs,
    /// The squares of every owner that has any.
    pub scores: BTreeMap<u16, u32>,
    /// The seconds a player's turns took on average; `None` for one that never had a turn.
    pub times: BTreeMap<u16, Option<f64>>,
    /// What players did that they must not do, in sentences.
    pub faults: Vec<String>,
    /// The owners that have forfeited the game by it.
    pub forfeited: Vec<u16>,
}

impl Played {
    /// Those of `players` that have the most squares of all, zombies included. Who has forfeited wins
    /// nothing, and takes it from no one.
    pub fn winners(&self, players: &[u16]) -> Vec<u16> {
        let is_out = |owner: &u16| self.forfeited.contains(owner);
        let in_play = self.scores.iter().filter(|(owner, _)| !is_out(owner));
        let most = in_play.map(|(_, squares)| squares).max();
        let is_winner = |player: &&u16| !is_out(player) && self.scores.get(*player) == most;
        players.iter().filter(is_winner).copied().collect()
    }
}

/// Players by number, from 1 on, and what their games are played on.
pub struct League {
    board: Board,
    entrants: BTreeMap<u16, Entrant>,
    settings: Settings,
    /// How many games have been played: each has its own chances.
    games: u64,
    /// Referees with the processes of the players they last seated.
    referees: BTreeMap<Vec<u16>, Referee>,
}

impl League {
    /// Refuses boards that do not exist, and more players than owners.
    pub fn new(board: Board, entrants: Vec<Entrant>, settings: Settings) -> Result<League> {
        let wrong = |message: String| Error::new(ErrorKind::Option, message);
        if !(1..=MOST_SIZE).contains(&board.size) {
            return Err(wrong(format!("a board of {0} × {0} squares", board.size))
                .hint(format!("boards have 1 to {MOST_SIZE} squares along each side")));
        }
        if board.rounds > 10_000 {
            let message = format!("a game of {} rounds", board.rounds);
            return Err(wrong(message).hint("10,000 are the most"));
        }
        // Owner 0 is never a player here, as in the original.
        let owners = usize::from(board.size * board.size);
        if entrants.len() >= owners && !entrants.is_empty() {
            return Err(wrong(format!("{} players for {owners} owners", entrants.len()))
                .hint("players are owners 1 and on: take a larger board"));
        }
        let entrants = (1..).zip(entrants).collect();
        Ok(League { board, entrants, settings, games: 0, referees: BTreeMap::new() })
    }

    /// Every agent, by number.
    pub fn entrants(&self) -> &BTreeMap<u16, Entrant> {
        &self.entrants
    }

    /// Lets every agent start once, and leaves out those who cannot. Returns them, with the reason.
    pub fn admit(&mut self) -> Result<Vec<(u16, String)>> {
        let mut failed = Vec::new();
        for (number, entrant) in &self.entrants {
            // A game of no rounds is over once every agent has started.
            let table = table(self.board.size, 0, &[0], &mut Random::seeded(0))?;
            let player = self.player(entrant, table.as_ref())?;
            if matches!(entrant.who, AgentSpec::BuiltIn(_)) {
                continue;
            }
            let seated = Seated { agent: entrant.who.clone(), name: None, player };
            let mut referee = Referee::new(vec![seated], self.game_settings());
            let (mut session, _) = referee.open(table);
            let seeds = Seeds::of(self.settings.seed);
            let refereed = referee.play(&mut session, seeds, &mut |_, _| {})?;
            if let Some(fault) = refereed.record.faults.first() {
                failed.push((*number, fault.sentence.clone()));
            }
        }
        failed.iter().for_each(|(number, _)| drop(self.entrants.remove(number)));
        Ok(failed)
    }

    /// Plays one game between these players; every other agent is a zombie.
    pub fn play(&mut self, players: &[u16]) -> Result<Played> {
        let seats: Vec<(u16, u16)> = players.iter().map(|player| (*player, *player)).collect();
        self.play_as(&seats)
    }

    /// Plays one game of one player against zombies. It is owner 0.
    pub fn play_alone(&mut self, player: u16) -> Result<Played> {
        self.play_as(&[(0, player)])
    }

    fn player(&self, entrant: &Entrant, table: &dyn Table) -> Result<Box<dyn Player>> {
        sandbox::player(&entrant.who, table, &self.settings)
    }

    /// Players are timed by the CPU, as the original does: a busy machine bans no player.
    fn game_settings(&self) -> GameSettings {
        GameSettings { times_by_cpu: true, ..self.settings.game() }
    }

    /// Plays one game: owners, and the players that hold them.
    fn play_as(&mut self, seats: &[(u16, u16)]) -> Result<Played> {
        let mut seats = seats.to_vec();
        seats.sort_unstable();
        let number = self.games;
        self.games += 1;
        let seeds = Seeds { seed: self.settings.seed, game: number, opening: number };
        let owners: Vec<u16> = seats.iter().map(|(owner, _)| *owner).collect();
        let players: Vec<u16> = seats.iter().map(|(_, player)| *player).collect();
        let table = table(self.board.size, self.board.rounds, &owners, &mut seeds.start())?;
        // Processes of other pairings are let go: a hundred players would be thousands of them.
        if !self.referees.contains_key(&players) {
            self.referees.clear();
            let seat = |player: &u16| {
                let entrant = &self.entrants[player];
                let seated = self.player(entrant, table.as_ref())?;
                Ok(Seated { agent: entrant.who.clone(), name: None, player: seated })
            };
            let seated = players.iter().map(seat).collect::<Result<_>>()?;
            self.referees.insert(players.clone(), Referee::new(seated, self.game_settings()));
        }
        let referee = self.referees.get_mut(&players).expect("it was just made");
        let (mut session, _) = referee.open(table);
        let mut watched = Watched::new(&session);
        let refereed = referee.play(&mut session, seeds, &mut |session, update| {
            watched.see(session, update);
        })?;
        let Refereed { record, thinking, .. } = refereed;
        let mut diffs = match watched.diffs {
            // Turns that were skipped come in the same moment as others.
            Some(diffs) if record.faults.is_empty() => diffs,
            _ => Diffs::of_record(&record)?,
        };
        let name = |(owner, player): &(u16, u16)| (*owner, self.entrants[player].name.clone());
        diffs.players = Some(seats.iter().map(name).collect());
        let times = owners.iter().zip(&thinking).map(|(owner, thinking)| {
            let turns = thinking.turns as f64;
            (*owner, (turns > 0.0).then(|| thinking.total_ms / turns / 1e3))
        });
        Ok(Played {
            diffs,
            scores: session.table().scores().unwrap_or_default(),
            times: times.collect(),
            faults: record.faults.iter().map(|fault| fault.sentence.clone()).collect(),
            forfeited: (owners.iter().copied())
                .filter(|owner| record.has_forfeited(Seat(*owner)))
                .collect(),
        })
    }
}

/// A game as it is seen turn by turn, for the original tool's JSON: nothing is read again.
struct Watched {
    diffs: Option<Diffs>,
    before: Option<Position>,
    owner: u16,
}

impl Watched {
    fn new(session: &Session) -> Watched {
        let at_start = typed(session.table());
        Watched {
            diffs: at_start.map(|(game, position)| begin(game, position)),
            before: at_start.map(|(_, position)| position.clone()),
            owner: 0,
        }
    }

    fn see(&mut self, session: &Session, update: &Update) {
        let Change::Event(event) = &update.what else { return };
        let (Event::Move { ply, .. } | Event::Chance { ply, .. }) = event;
        if let Event::Move { seat: Seat(owner), .. } = event {
            self.owner = *owner;
        }
        let is_last = *ply + 1 == session.ply();
        let is_settled = is_last && !matches!(session.waits_for(), Waiting::Chance { .. });
        if let (true, Some(diffs), Some(before), Some((_, after))) =
            (is_settled, &mut self.diffs, &mut self.before, typed(session.table()))
        {
            diffs.diffs.push(diff(before, after, self.owner));
            before.clone_from(after);
        }
    }
}

fn table(size: u16, rounds: u32, owners: &[u16], random: &mut Random) -> Result<Box<dyn Table>> {
    let mut options = Options::none();
    options.set("size", size);
    options.set("rounds", rounds);
    options.set("players", owners.to_vec());
    open("game17", Setup { options: &options, position: None, random })
}
