//! Who meets whom, when, from which opening: a function of the settings and of finished games.
//!
//! Nothing here remembers anything. One who asks again with the same results gets the same answer,
//! so a tournament goes on after any interruption as if there had been none.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use skirmish_rules::{Error, Random, Result};

use super::settings::{Format, MOST_GAMES, Settings, wrong};
use super::summary::Round;
use super::{knockout, ladder, swiss};

/// What tells a game from every other: a hash of all that bears on it (settings, who sits where,
/// opening, seed).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u128);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Key> {
        let number = u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32);
        number.map(Key).ok_or_else(|| wrong(format!("`{text}` is no key of a game")))
    }
}

/// A game of the schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// Its number, from 1.
    pub number: u64,
    /// Its round, from 1.
    pub round: u32,
    /// Games that belong together: both colours from one opening.
    pub unit: u64,
    /// Who sits where.
    pub agents: Vec<usize>,
    /// Which opening.
    pub opening: u64,
    /// What tells it from every other.
    pub key: Key,
}

/// What the schedule has to know of a finished game, in the order of the seats.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// What it was worth to each agent: 1, ½ or 0.
    pub points: Vec<f64>,
    /// Who lost it by a fault.
    pub forfeited: Vec<bool>,
}

impl Verdict {
    /// What a game of two was worth to one of them; `None` where both have forfeited it, which says
    /// nothing about either.
    pub(crate) fn of_two(&self, seat: usize) -> Option<f64> {
        let points: f64 = self.points.iter().sum();
        (points > 0.0).then(|| self.points[seat])
    }
}

/// Finished games.
pub type Results = HashMap<Key, Verdict>;

/// All that is known of a schedule, given what is finished.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Games, finished or not, in order.
    pub games: Vec<ScheduledGame>,
    /// The rounds of a Swiss system or a knockout.
    pub rounds: Vec<Round>,
    /// Whether no game will be added to these.
    pub is_final: bool,
    /// Who has won a knockout, once it is decided; no one where no agent was left that had won anything.
    pub champion: Option<usize>,
    /// How many games of the list count; a ladder may have played a few more when it was decided.
    pub counted: usize,
    /// How many games there will be in all, where that is known.
    pub total: Option<u64>,
}

impl Plan {
    /// What is left to play of it.
    pub fn missing<'a>(&'a self, results: &'a Results) -> impl Iterator<Item = &'a ScheduledGame> {
        self.games.iter().filter(|due| !results.contains_key(&due.key))
    }
}

/// Who meets whom.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub(crate) settings: Settings,
    /// Everything that all games share.
    common: Sha256,
    /// What tells each agent from the others.
    identities: Vec<String>,
}

/// Adds games to a plan, numbering them.
pub(crate) struct Writer<'a> {
    schedule: &'a Schedule,
    pub(crate) plan: Plan,
    unit: u64,
}

impl Schedule {
    /// The schedule of these settings.
    pub fn new(settings: &Settings) -> Result<Schedule> {
        let count = settings.agents.len() as u64;
        let pairs = match settings.format {
            Format::RoundRobin => count * count.saturating_sub(1) / 2,
            Format::Gauntlet => count.saturating_sub(1),
            Format::Swiss => count / 2 * u64::from(settings.rounds()),
            Format::Knockout => count.saturating_sub(1),
            Format::FreeForAll | Format::Ladder => 1,
        };
        let games = pairs.saturating_mul(settings.games());
        if games > MOST_GAMES {
            return Err(wrong(format!("that would be {games} games, more than {MOST_GAMES}"))
                .hint("fewer `games`, or a `swiss` tournament, tell as much"));
        }
        let binding = settings.binding();
        let names = settings.names();
        let identities = settings.agents.iter().zip(names);
        let identities = identities.map(|(agent, name)| json!([name, agent.spec]).to_string());
        // What changes who meets whom but not a game itself is left out, so that a game is the same
        // game in a longer tournament.
        let mut common = json!({"version": 1});
        for name in ["game", "options", "limits", "seed"] {
            common[name] = binding[name].clone();
        }
        common["plies"] = settings.plies().into();
        let common = Sha256::new_with_prefix(canonical(&common));
        let identities = identities.collect();
        Ok(Schedule { settings: settings.clone(), common, identities })
    }

    /// What programs and Python agents may use.
    pub fn limits(&self) -> skirmish_sandbox::Limits {
        self.settings.limits.limits()
    }

    /// What it was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The position an opening starts from, where the settings list positions.
    pub fn position(&self, opening: u64) -> Option<&str> {
        let positions = &self.settings.openings.positions;
        let place = (opening % positions.len().max(1) as u64) as usize;
        positions.get(place).map(String::as_str)
    }

    /// Which game of its seed this is, as [`skirmish_play::seeding`] counts: the games of a match of
    /// the same agents have the same numbers, so the same seed plays the same games there.
    pub fn seeded_as(&self, due: &ScheduledGame) -> u64 {
        match due.agents[..] {
            [first, second] if self.settings.format != Format::FreeForAll => {
                2 * due.opening + u64::from(first > second)
            }
            _ => due.opening,
        }
    }

    fn key(&self, agents: &[usize], opening: u64) -> Key {
        let mut hash = self.common.clone();
        for agent in agents {
            hash.update(self.identities[*agent].as_bytes());
            hash.update(b"\n");
        }
        hash.update(opening.to_le_bytes());
        hash.update(self.position(opening).unwrap_or_default().as_bytes());
        let digest = hash.finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Key(u128::from_be_bytes(bytes))
    }

    /// Everything that is known of the schedule.
    pub fn plan(&self, results: &Results) -> Plan {
        let mut writer = Writer { schedule: self, plan: Plan::default(), unit: 0 };
        let count = self.settings.agents.len();
        match self.settings.format {
            Format::RoundRobin => writer.meetings(&round_robin(count)),
            Format::Gauntlet => writer.meetings(&gauntlet(count)),
            Format::FreeForAll => writer.boards(),
            Format::Swiss => swiss::plan(&mut writer, results),
            Format::Knockout => knockout::plan(&mut writer, results),
            Format::Ladder => ladder::plan(&mut writer, results),
        }
        let mut plan = writer.plan;
        if self.settings.format.is_fixed() {
            plan.is_final = true;
            plan.total = Some(plan.games.len() as u64);
        }
        if self.settings.format != Format::Ladder {
            plan.counted = plan.games.len();
        }
        plan
    }

    /// The part of a fixed schedule that one of several shards plays: `shard` counts from 1.
    pub fn is_of_shard(due: &ScheduledGame, shard: u64, shards: u64) -> bool {
        due.unit % shards == shard - 1
    }
}

/// JSON with sorted names: equal settings have one text.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<&String, &Value> = map.iter().collect();
            let parts: Vec<String> = sorted
                .into_iter()
                .map(|(name, value)| format!("{}:{}", json!(name), canonical(value)))
                .collect();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(list) => {
            format!("[{}]", list.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

impl Writer<'_> {
    pub(crate) fn settings(&self) -> &Settings {
        &self.schedule.settings
    }

    pub(crate) fn game(&mut self, round: u32, agents: Vec<usize>, opening: u64) -> Key {
        let key = self.schedule.key(&agents, opening);
        let number = self.plan.games.len() as u64 + 1;
        self.plan.games.push(ScheduledGame {
            number,
            round,
            unit: self.unit,
            agents,
            opening,
            key,
        });
        key
    }

    /// So many games of two agents, changing seats, two from each opening.
    pub(crate) fn meeting(
        &mut self,
        round: u32,
        (first, second): (usize, usize),
        games: std::ops::Range<u64>,
        opening: u64,
    ) -> Vec<Key> {
        let mut keys = Vec::new();
        for game in games.clone() {
            let agents = if game % 2 == 0 { vec![first, second] } else { vec![second, first] };
            keys.push(self.game(round, agents, opening + game / 2));
            if game % 2 == 1 || game + 1 == games.end {
                self.unit += 1;
            }
        }
        keys
    }

    /// Every agent's first two games, then every agent's next two, and so on: tables in the middle of
    /// a tournament compare like with like.
    fn meetings(&mut self, rounds: &[Vec<(usize, usize)>]) {
        let games = self.settings().games();
        let mut round = 0;
        for begin in (0..games).step_by(2) {
            for pairs in rounds {
                round += 1;
                for pair in pairs {
                    self.meeting(round, *pair, begin..(begin + 2).min(games), 0);
                }
            }
        }
    }

    /// Boards of a free-for-all.
    fn boards(&mut self) {
        let settings = self.settings();
        let (count, seats) = (settings.agents.len(), settings.seats());
        let (games, seed) = (settings.games(), settings.seed);
        let mut dealer = Dealer::new(count, seats, seed);
        for game in 0..games {
            let agents = dealer.deal(game);
            self.game(1, agents, game);
            self.unit += 1;
        }
    }
}

/// Every agent against every other once, in rounds in which every agent plays at most once; in each pair
/// the one named first begins. Who begins is even, or off by one where it cannot be.
pub fn round_robin(count: usize) -> Vec<Vec<(usize, usize)>> {
    if count < 2 {
        return Vec::new();
    }
    // One stays, the others walk in a circle; with an odd number the one who stays is no one.
    let places = count.next_multiple_of(2);
    let last = places - 1;
    let round = |round: usize| {
        let opposite = |place: usize| ((round + place) % last, (round + last - place) % last);
        let against_last = std::iter::once((round, last));
        against_last
            .chain((1..places / 2).map(opposite))
            .filter(|(a, b)| *a < count && *b < count)
            .map(|(a, b)| {
                let (low, high) = (a.min(b), a.max(b));
                if (high - low) % 2 == 1 { (low, high) } else { (high, low) }
            })
            .collect()
    };
    (0..last).map(round).collect()
}

/// The first against each other.
pub fn gauntlet(count: usize) -> Vec<Vec<(usize, usize)>> {
    (1..count).map(|other| vec![if other % 2 == 1 { (0, other) } else { (other, 0) }]).collect()
}

/// Deals agents to the seats of boards: all equally often, each to every seat in turn.
struct Dealer {
    count: usize,
    seats: usize,
    random: Random,
    /// Who is to be dealt next.
    waiting: Vec<usize>,
    /// How often each agent had each seat.
    had: Vec<Vec<u32>>,
}

impl Dealer {
    fn new(count: usize, seats: usize, seed: u64) -> Dealer {
        let random = Random::stream(seed ^ 0xdea1, 0);
        Dealer { count, seats, random, waiting: Vec::new(), had: vec![vec![0; seats]; count] }
    }

    fn deal(&mut self, game: u64) -> Vec<usize> {
        if self.seats == self.count {
            let shift = (game % self.count.max(1) as u64) as usize;
            return (0..self.count).map(|seat| (seat + shift) % self.count).collect();
        }
        let mut board: Vec<usize> = Vec::new();
        while board.len() < self.seats {
            let next = self.waiting.iter().position(|agent| !board.contains(agent));
            match next {
                Some(place) => board.push(self.waiting.remove(place)),
                None => {
                    let mut all: Vec<usize> = (0..self.count).collect();
                    self.random.shuffle(&mut all);
                    self.waiting.extend(all);
                }
            }
        }
        let mut seated = Vec::new();
        for seat in 0..self.seats {
            let place = (0..board.len()).min_by_key(|place| self.had[board[*place]][seat]);
            let agent = board.remove(place.expect("as many agents as seats"));
            self.had[agent][seat] += 1;
            seated.push(agent);
        }
        seated
    }
}
