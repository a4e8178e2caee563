//! Players by number, and single games between them.

use std::collections::BTreeMap;

use skirmish_rules::games::game17::{Action, Game17, MOST_SIZE, Position};
use skirmish_rules::table::Table;
use skirmish_rules::{
    Choice, Error, ErrorKind, Options, Playout, Random, Result, Rules, Seat, Setup, Turn, open,
};
use skirmish_search::Agent;

use skirmish_play::game17_json::{Diffs, begin, diff};
use skirmish_play::record::Event;
use skirmish_sandbox::{Answer, Person, Referee, Settings, Who};

/// Somebody who plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// What it is called in the list of players.
    pub name: String,
    /// Who it is.
    pub who: Who,
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
}

impl Played {
    /// Those of `players` that have the most squares of all, zombies included.
    pub fn winners(&self, players: &[u16]) -> Vec<u16> {
        let most = self.scores.values().max();
        let is_winner = |player: &&u16| self.scores.get(*player) == most;
        players.iter().filter(is_winner).copied().collect()
    }
}

/// Players by number, from 1 on, and what their games are played on.
pub struct Club {
    board: Board,
    entrants: BTreeMap<u16, Entrant>,
    settings: Settings,
    /// How many games have been played: each has its own chances.
    games: u64,
    /// Referees with the processes of the players they last seated.
    referees: BTreeMap<Vec<u16>, Referee>,
}

/// Nobody at the keyboard.
struct Nobody;

impl Person for Nobody {
    fn ask(&mut self, _: &dyn Table, _: Seat) -> Answer {
        Answer::Resign
    }
}

impl Club {
    /// Refuses boards that do not exist, and more players than owners.
    pub fn new(board: Board, entrants: Vec<Entrant>, settings: Settings) -> Result<Club> {
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
        Ok(Club { board, entrants, settings, games: 0, referees: BTreeMap::new() })
    }

    /// Everybody, by number.
    pub fn entrants(&self) -> &BTreeMap<u16, Entrant> {
        &self.entrants
    }

    /// Lets everybody start once, and leaves out those who cannot. Returns them, with the reason.
    pub fn admit(&mut self) -> Result<Vec<(u16, String)>> {
        let mut failed = Vec::new();
        for (number, entrant) in &self.entrants {
            if let Who::BuiltIn(spec) = &entrant.who {
                let game = Game17::new(self.board.size, 0, &[]);
                drop(self.settings.roster.agent(spec, "game17", &game, 0)?);
                continue;
            }
            // A game of no rounds is over once everybody has started.
            let mut table = table(self.board.size, 0, &[0], &mut Random::seeded(0))?;
            let mut referee = Referee::new(vec![entrant.who.clone()], self.settings.clone());
            let refereed = referee.play(table.as_mut(), 0, &mut Nobody, &mut |_, _| {})?;
            if let Some(fault) = refereed.record.faults.first() {
                failed.push((*number, fault.sentence.clone()));
            }
        }
        failed.iter().for_each(|(number, _)| drop(self.entrants.remove(number)));
        Ok(failed)
    }

    /// Plays one game between these players; everybody else is a zombie.
    pub fn play(&mut self, players: &[u16]) -> Result<Played> {
        let seats: Vec<(u16, u16)> = players.iter().map(|player| (*player, *player)).collect();
        self.play_as(&seats)
    }

    /// Plays one game of one player against zombies. It is owner 0.
    pub fn play_alone(&mut self, player: u16) -> Result<Played> {
        self.play_as(&[(0, player)])
    }

    /// Plays one game: owners, and the players that hold them.
    fn play_as(&mut self, seats: &[(u16, u16)]) -> Result<Played> {
        let mut seats = seats.to_vec();
        seats.sort_unstable();
        let number = self.games;
        self.games += 1;
        let is_built_in =
            |(_, player): &(u16, u16)| matches!(self.entrants[player].who, Who::BuiltIn(_));
        if seats.iter().all(is_built_in) {
            self.play_ourselves(&seats, number)
        } else {
            self.play_before_a_referee(&seats, number)
        }
    }

    /// The players' names, for the record.
    fn names(&self, seats: &[(u16, u16)]) -> BTreeMap<u16, String> {
        seats.iter().map(|(owner, player)| (*owner, self.entrants[player].name.clone())).collect()
    }

    /// All players are our own: nothing is written out and read again.
    fn play_ourselves(&self, seats: &[(u16, u16)], number: u64) -> Result<Played> {
        let Settings { seed, allowance, stop, .. } = &self.settings;
        let owners: Vec<u16> = seats.iter().map(|(owner, _)| *owner).collect();
        let game = Game17::new(self.board.size, self.board.rounds, &owners);
        let mut random = Random::stream(*seed, number);
        let mut position = game.start(&mut random);
        let mut hands = BTreeMap::new();
        for (owner, player) in seats {
            let Who::BuiltIn(spec) = &self.entrants[player].who else { continue };
            let seed = Random::stream(*seed ^ 0x5eed, number * 1_024 + u64::from(*owner)).word();
            let agent = self.settings.roster.agent(spec, "game17", &game, seed)?;
            hands.insert(*owner, Hand { agent, seconds: 0.0, turns: 0 });
        }
        let mut diffs = begin(&game, &position);
        let (mut chosen, mut rolls) = (Vec::new(), Vec::new());
        while let Turn::Player(Seat(owner)) = game.turn(&position) {
            let before = position.clone();
            if let Some(hand) = hands.get_mut(&owner) {
                let started = clock();
                let thought = hand.agent.choose(&game, &position, allowance, stop);
                hand.seconds += clock() - started;
                hand.turns += 1;
                play_turn(&game, &mut position, &thought.actions);
                while let Turn::Chance { sides } = game.turn(&position) {
                    game.settle(&mut position, random.below(u32::from(sides)) as u16);
                }
            } else {
                chosen.clear();
                rolls.clear();
                game.random_turn(
                    &mut position,
                    Choice::Turns,
                    &mut random,
                    &mut chosen,
                    &mut rolls,
                );
            }
            diffs.diffs.push(diff(&before, &position, owner));
        }
        diffs.players = Some(self.names(seats));
        let scores = game.scores(&position).into_iter();
        let time = |hand: &Hand| (hand.turns > 0).then(|| hand.seconds / f64::from(hand.turns));
        Ok(Played {
            diffs,
            scores: scores.map(|(Seat(owner), squares)| (owner, squares)).collect(),
            times: hands.iter().map(|(owner, hand)| (*owner, time(hand))).collect(),
            faults: Vec::new(),
        })
    }

    fn play_before_a_referee(&mut self, seats: &[(u16, u16)], number: u64) -> Result<Played> {
        let owners: Vec<u16> = seats.iter().map(|(owner, _)| *owner).collect();
        let mut random = Random::stream(self.settings.seed, number);
        let mut table = table(self.board.size, self.board.rounds, &owners, &mut random)?;
        let players: Vec<u16> = seats.iter().map(|(_, player)| *player).collect();
        // Processes of other pairings are let go: a hundred players would be thousands of them.
        if !self.referees.contains_key(&players) {
            self.referees.clear();
        }
        let agents = players.iter().map(|player| self.entrants[player].who.clone());
        let referee = (self.referees.entry(players.clone()))
            .or_insert_with(|| Referee::new(agents.collect(), self.settings.clone()));
        let refereed = referee.play(table.as_mut(), number, &mut Nobody, &mut |_, _| {})?;
        let mut diffs = Diffs::of_record(&refereed.record)?;
        diffs.players = Some(self.names(seats));
        let time = |owner: u16| {
            let mut turns = Vec::new();
            for event in &refereed.record.events {
                if let Event::Move { seat: Seat(seat), time_ms, cpu_ms, .. } = event
                    && *seat == owner
                {
                    turns.extend(cpu_ms.or(*time_ms));
                }
            }
            (!turns.is_empty()).then(|| turns.iter().sum::<f64>() / turns.len() as f64 / 1e3)
        };
        Ok(Played {
            diffs,
            scores: table.scores().unwrap_or_default(),
            times: owners.iter().map(|owner| (*owner, time(*owner))).collect(),
            faults: refereed.record.faults.iter().map(|fault| fault.sentence.clone()).collect(),
        })
    }
}

/// One of our own at the board, and the time it took.
struct Hand {
    agent: Box<dyn Agent<Game17>>,
    seconds: f64,
    turns: u32,
}

/// Plays a turn. What is not legal, or comes after its end, is left out; an end that is missing is
/// added.
fn play_turn(game: &Game17, position: &mut Position, actions: &[Action]) {
    for action in actions {
        if *action == Action::End {
            break;
        }
        if game.is_legal(position, *action) {
            game.play(position, *action);
        }
    }
    game.play(position, Action::End);
}

/// The CPU seconds this process has used, as the original measures its players. A busy machine costs
/// nobody anything.
#[cfg(target_os = "linux")]
fn clock() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

/// Seconds on the wall, where there is nothing better.
#[cfg(not(target_os = "linux"))]
fn clock() -> f64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn table(size: u16, rounds: u32, owners: &[u16], random: &mut Random) -> Result<Box<dyn Table>> {
    let mut options = Options::none();
    options.set("size", size);
    options.set("rounds", rounds);
    options.set("players", owners.to_vec());
    open("game17", Setup { options: &options, position: None, random })
}
