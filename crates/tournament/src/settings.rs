//! What is to be played: one file of settings, or the same from the command line.
//!
//! Every setting has a default but the game, the format and the agents. Settings that bear on a game
//! go into its key (see [`super::schedule`]); the others may change between two runs of one
//! tournament.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;
use skirmish_rules::error::{nearest, quote};
use skirmish_rules::{Entry, Error, ErrorKind, Games, Options, Registry, Result, Seating};
use skirmish_search::Allowance;
use skirmish_search::spec::read_time;

use skirmish_play::seeding::MOST_SEED;
use skirmish_sandbox::{AgentSpec, FaultPolicy, Limits, Sandbox};

/// The most agents a tournament may have.
pub const MOST_AGENTS: usize = 1_000;
/// The most games a schedule may have: more would not fit into anybody's memory.
pub const MOST_GAMES: u64 = 5_000_000;

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every agent against every other.
    RoundRobin,
    /// The first agent against each other.
    Gauntlet,
    /// Rounds in which agents meet others with about as many points.
    Swiss,
    /// Who loses is out.
    Knockout,
    /// All at one board: Game 17.
    FreeForAll,
    /// Two agents, until a sequential test has decided.
    Ladder,
}

impl Format {
    /// All of them, with their names in settings.
    pub const ALL: [(Format, &str); 6] = [
        (Format::RoundRobin, "round-robin"),
        (Format::Gauntlet, "gauntlet"),
        (Format::Swiss, "swiss"),
        (Format::Knockout, "knockout"),
        (Format::FreeForAll, "free-for-all"),
        (Format::Ladder, "ladder"),
    ];

    /// The name in settings.
    pub fn name(self) -> &'static str {
        Format::ALL.into_iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }

    /// Whether all games are known before the first is played.
    pub fn is_fixed(self) -> bool {
        matches!(self, Format::RoundRobin | Format::Gauntlet | Format::FreeForAll)
    }
}

impl std::str::FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Format> {
        let found = Format::ALL.into_iter().find(|(_, name)| *name == text);
        found.map(|(format, _)| format).ok_or_else(|| {
            let names = Format::ALL.map(|(_, name)| name);
            let hint = match nearest(text, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("formats are {}", names.join(", ")),
            };
            wrong(format!("there is no format {}", quote(text))).hint(hint)
        })
    }
}

/// A participant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AgentSettings {
    /// The line that names the agent.
    pub spec: String,
    /// What it is called in tables.
    pub name: Option<String>,
}

impl<'de> Deserialize<'de> for AgentSettings {
    /// Reads `"greedy"` and `{ spec = "greedy", name = "The greedy one" }`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            spec: String,
            name: Option<String>,
        }
        struct Either;
        impl<'de> de::Visitor<'de> for Either {
            type Value = AgentSettings;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the line of an agent, or a table with `spec` and `name`")
            }
            fn visit_str<E: de::Error>(self, line: &str) -> std::result::Result<Self::Value, E> {
                Ok(AgentSettings { spec: line.to_owned(), name: None })
            }
            fn visit_map<A: de::MapAccess<'de>>(
                self,
                map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let Table { spec, name } =
                    Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(AgentSettings { spec, name })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// How games begin.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Openings {
    /// Random legal turns before the agents take over.
    pub plies: Option<u32>,
    /// Positions to start from, one after the other.
    pub positions: Vec<String>,
}

/// What agents may use.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Thinking time a turn of built-in agents: `0.1s`.
    #[serde(alias = "think")]
    pub time: Option<String>,
    /// Positions a built-in agent may look at in a turn.
    pub nodes: Option<u64>,
    /// Whole turns a built-in agent may look ahead.
    pub depth: Option<u32>,
    /// See [`Limits`]; these are for programs and Python agents.
    pub cpu_s: Option<f64>,
    /// See [`Limits`].
    pub cpu_move_s: Option<f64>,
    /// See [`Limits`].
    pub wall_s: Option<f64>,
    /// See [`Limits`].
    pub start_s: Option<f64>,
    /// See [`Limits`].
    pub memory_mb: Option<u64>,
    /// See [`Limits`].
    pub output_mb: Option<u64>,
    /// See [`Limits`].
    pub processes: Option<u32>,
    /// What a fault costs: `lose`, `skip` or `retry=N`.
    pub fault: Option<String>,
    /// How closely agents are confined: `on`, `off` or `strict`.
    pub sandbox: Option<Sandbox>,
    /// The Python that runs Python agents.
    pub python: Option<String>,
    /// What Python modules hold.
    pub python_kind: Option<String>,
    /// Files and folders that agents may read beside their own.
    pub allow_read: Vec<PathBuf>,
    /// Whether the processes of agents that allow it are kept from game to game.
    pub keep_processes: bool,
}

/// The sequential test of a ladder.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SprtSettings {
    /// The difference in Elo that is no improvement.
    pub elo0: f64,
    /// The difference in Elo that is one.
    pub elo1: f64,
    /// How often the first may be taken for the second.
    pub alpha: f64,
    /// How often the second may be taken for the first.
    pub beta: f64,
}

impl Default for SprtSettings {
    fn default() -> SprtSettings {
        SprtSettings { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }
    }
}

/// A tournament as it is asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What to call it.
    #[serde(default)]
    pub title: Option<String>,
    /// Which game.
    pub game: String,
    /// The game's options.
    #[serde(default)]
    pub options: Options,
    /// Who meets whom.
    pub format: Format,
    /// Who takes part. In a gauntlet the first plays all others; in a knockout they are seeded in
    /// this order, the strongest first.
    pub agents: Vec<AgentSettings>,
    /// Games a pairing; games in all for a free-for-all; at most so many for a ladder.
    #[serde(default)]
    pub games: Option<u64>,
    /// Rounds of a Swiss system.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// Games that an agent of a Swiss system may lose by faults before it takes part no more, if it
    /// has lost most of its games so; 0 for any number.
    #[serde(default)]
    pub withdraw_after: Option<u64>,
    /// Players at a board of a free-for-all; all of them where nothing is said.
    #[serde(default)]
    pub seats: Option<u16>,
    /// Pairs of games that a tied pairing of a knockout plays on before the higher seed goes on.
    #[serde(default)]
    pub extra_pairs: Option<u32>,
    /// How games begin.
    #[serde(default)]
    pub openings: Openings,
    /// What agents may use.
    #[serde(default)]
    pub limits: LimitSettings,
    /// The test of a ladder.
    #[serde(default)]
    pub sprt: Option<SprtSettings>,
    /// What everything random is drawn from.
    #[serde(default)]
    pub seed: u64,
    /// Games at the same time; 0 means one for each core.
    #[serde(default)]
    pub concurrency: usize,
    /// Whether each game keeps to a core of its own.
    #[serde(default)]
    pub pin: bool,
    /// Where everything is kept.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// Where the relative paths of these settings start: the folder of the file they were read from;
    /// the working folder where nothing is said. No part of what is played.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
    /// The launcher of agents that are programs, where it is not found by itself: see
    /// `skirmish_sandbox::Launcher::find`. No part of what is played.
    #[serde(skip)]
    pub launcher: Option<PathBuf>,
}

pub(crate) fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Option, message)
}

impl Settings {
    /// Reads a settings file.
    pub fn read(text: &str) -> Result<Settings> {
        let settings: Settings = toml::from_str(text).map_err(|error| explain(text, &error))?;
        settings.check()?;
        Ok(settings)
    }

    /// Checks everything that can be told without opening the game.
    pub fn check(&self) -> Result<()> {
        let entry = Games::entry(&self.game)?;
        for (name, _) in self.options.iter() {
            let known = entry.options.iter().map(|option| option.name);
            if !known.clone().any(|option| option == name) {
                let all: Vec<&str> = known.collect();
                let hint = nearest(name, all.iter().copied())
                    .map_or(format!("its options are {}", all.join(", ")), |near| {
                        format!("did you mean `{near}`?")
                    });
                let message = format!("{} has no option {}", entry.name, quote(name));
                return Err(wrong(message).hint(hint));
            }
        }
        self.check_agents()?;
        self.check_numbers()?;
        self.limits.check()?;
        Ok(())
    }

    fn check_agents(&self) -> Result<()> {
        let count = self.agents.len();
        if count > MOST_AGENTS {
            return Err(wrong(format!("{count} agents are too many, {MOST_AGENTS} may take part")));
        }
        let (least, most) = match self.format {
            Format::FreeForAll => (1, MOST_AGENTS),
            Format::Ladder => (2, 2),
            _ => (2, MOST_AGENTS),
        };
        if count < least || count > most {
            let wanted = match self.format {
                Format::Ladder => "exactly two agents",
                Format::FreeForAll => "an agent",
                _ => "at least two agents",
            };
            let name = self.format.name();
            return Err(wrong(format!("a {name} tournament needs {wanted}, there are {count}"))
                .hint("`agents` is a list of lines such as `\"greedy\"` or `\"python:mine.py\"`"));
        }
        for agent in &self.agents {
            let who: AgentSpec = agent.spec.parse()?;
            if who == AgentSpec::Human {
                return Err(wrong("people do not play in tournaments")
                    .hint("`skirmish match GAME human AGENT` seats you at a board"));
            }
        }
        let given = self.agents.iter().filter_map(|agent| agent.name.as_deref());
        let mut seen = BTreeSet::new();
        for name in given {
            if name.trim().is_empty() || name.chars().any(char::is_control) {
                return Err(wrong(format!("{} is no name", quote(name))));
            }
            if !seen.insert(name) {
                return Err(wrong(format!("two agents are called {}", quote(name)))
                    .hint("every `name` is given once; left out, it is made of the agent's line"));
            }
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<()> {
        let only = |name: &str, given: bool, format: Format| {
            if given && self.format != format {
                let message = format!("`{name}` is a setting of the format {}", format.name());
                return Err(wrong(message)
                    .hint(format!("leave it out of a {} tournament", self.format.name())));
            }
            Ok(())
        };
        only("rounds", self.rounds.is_some(), Format::Swiss)?;
        only("withdraw_after", self.withdraw_after.is_some(), Format::Swiss)?;
        only("seats", self.seats.is_some(), Format::FreeForAll)?;
        only("extra_pairs", self.extra_pairs.is_some(), Format::Knockout)?;
        only("sprt", self.sprt.is_some(), Format::Ladder)?;
        let range = |name: &str, value: Option<u64>, most: u64| match value {
            Some(value) if value < 1 || value > most => {
                Err(wrong(format!("`{name}` is a number from 1 to {most}, not {value}")))
            }
            _ => Ok(()),
        };
        range("games", self.games, 1_000_000)?;
        range("rounds", self.rounds.map(u64::from), 1_000)?;
        range("seats", self.seats.map(u64::from), 400)?;
        if self.seed > MOST_SEED {
            return Err(wrong(format!(
                "`seed` is a number from 0 to {MOST_SEED}, not {}",
                self.seed
            )));
        }
        if self.extra_pairs.is_some_and(|pairs| pairs > 1_000) {
            return Err(wrong("`extra_pairs` is a number from 0 to 1000"));
        }
        if self.openings.plies.is_some_and(|plies| plies > 1_000) {
            return Err(wrong("`plies` of the openings is a number from 0 to 1000"));
        }
        let entry = Games::entry(&self.game)?;
        if self.format == Format::FreeForAll && entry.seating != Seating::FreeForAll {
            let is_for_all = |entry: &&Entry| entry.seating == Seating::FreeForAll;
            let names: Vec<&str> =
                Games::ENTRIES.iter().filter(is_for_all).map(|entry| entry.name).collect();
            return Err(wrong(format!("{} is a game for two, not for all", self.game)).hint(
                format!(
                    "a free-for-all is played in {}; other games have `round-robin`",
                    names.join(", ")
                ),
            ));
        }
        if let Some(name) = entry.players_option.filter(|name| self.options.get(name).is_some()) {
            return Err(wrong(format!(
                "a tournament decides itself who plays: leave out `{name}`"
            )));
        }
        if let Some(SprtSettings { elo0, elo1, alpha, beta }) = self.sprt {
            let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
            if !(is_rate(alpha) && is_rate(beta) && elo0 < elo1 && (elo1 - elo0).is_finite()) {
                return Err(wrong(
                    "the test needs `elo0` below `elo1`, `alpha` and `beta` between \
                                  0 and 0.5",
                )
                .hint("usual are `elo0 = 0`, `elo1 = 10`, `alpha = 0.05`, `beta = 0.05`"));
            }
        }
        Ok(())
    }

    /// Names for the tables, no two alike: those given, or made of the agents' lines.
    pub fn names(&self) -> Vec<String> {
        let given: BTreeSet<&str> =
            self.agents.iter().filter_map(|agent| agent.name.as_deref()).collect();
        let shorts: Vec<String> = self.agents.iter().map(|agent| short(&agent.spec)).collect();
        let mut names: Vec<String> = Vec::new();
        for (agent, short) in self.agents.iter().zip(&shorts) {
            if let Some(name) = &agent.name {
                names.push(name.clone());
                continue;
            }
            let is_free = |name: &str, names: &[String]| {
                !given.contains(name) && !names.iter().any(|taken| taken == name)
            };
            // Files of one name are told apart by their folders, two settings of one agent by their
            // lines, and two copies by numbers.
            let mut name = short.clone();
            if shorts.iter().filter(|other| *other == short).count() > 1 {
                name = with_folder(&agent.spec, short).unwrap_or(name);
            }
            if !is_free(&name, &names) {
                name.clone_from(&agent.spec);
            }
            let mut number = 2;
            while !is_free(&name, &names) {
                name = format!("{short} {number}");
                number += 1;
            }
            names.push(name);
        }
        names
    }

    /// Who takes part.
    pub fn agents(&self) -> Result<Vec<AgentSpec>> {
        self.agents.iter().map(|agent| agent.spec.parse()).collect()
    }

    /// The same with their paths as they are to be opened.
    pub fn agents_to_open(&self) -> Result<Vec<AgentSpec>> {
        let agents = self.agents()?;
        let Some(folder) = &self.folder else { return Ok(agents) };
        Ok(agents.iter().map(|who| who.within(folder)).collect())
    }

    /// A path of these settings as it is to be opened.
    pub fn to_open(&self, path: &Path) -> PathBuf {
        self.folder.as_deref().map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }

    /// Games a pairing, in all, or at most, by the format.
    pub fn games(&self) -> u64 {
        self.games.unwrap_or(match self.format {
            Format::FreeForAll => 100,
            Format::Ladder => 20_000,
            Format::RoundRobin | Format::Gauntlet => 10,
            Format::Swiss | Format::Knockout => 2,
        })
    }

    /// Rounds of a Swiss system: enough to tell the first from the second.
    pub fn rounds(&self) -> u32 {
        let enough = (self.agents.len().max(2) as f64).log2().ceil() as u32 + 2;
        self.rounds.unwrap_or(enough.min(self.agents.len().saturating_sub(1).max(1) as u32))
    }

    /// Games that an agent of a Swiss system may lose by faults.
    pub fn withdraw_after(&self) -> u64 {
        self.withdraw_after.unwrap_or(4)
    }

    /// Players at a board of a free-for-all.
    pub fn seats(&self) -> usize {
        let all = self.agents.len();
        self.seats.map_or(all, |seats| usize::from(seats).min(all))
    }

    /// Random turns at the start of each game: none where positions are given or where Python
    /// agents play, many of which know only the usual start.
    pub fn plies(&self) -> u32 {
        let has_python = self.agents.iter().any(|agent| agent.spec.starts_with("python:"));
        let default = if has_python || !self.openings.positions.is_empty() {
            0
        } else {
            Games::entry(&self.game).map_or(Entry::DEFAULT, |entry| entry).opening_plies
        };
        self.openings.plies.unwrap_or(default)
    }

    /// The test of a ladder.
    pub fn sprt(&self) -> SprtSettings {
        self.sprt.unwrap_or_default()
    }

    /// What to call it.
    pub fn title(&self) -> String {
        let game = Games::entry(&self.game).map_or(self.game.as_str(), |entry| entry.title);
        self.title.clone().unwrap_or_else(|| match self.format {
            Format::RoundRobin => format!("Round robin of {game}"),
            Format::Gauntlet => format!("Gauntlet of {game}"),
            Format::Swiss => format!("Swiss tournament of {game}"),
            Format::Knockout => format!("Knockout of {game}"),
            Format::FreeForAll => format!("Free-for-all of {game}"),
            Format::Ladder => format!("Ladder of {game}"),
        })
    }

    /// Everything that bears on the games, defaults included. Two runs may go on with each other's
    /// games only if this is equal.
    pub fn binding(&self) -> Value {
        let names = self.names();
        let agents: Vec<Value> = self
            .agents
            .iter()
            .zip(names)
            .map(|(agent, name)| serde_json::json!({"name": name, "spec": agent.spec}))
            .collect();
        let mut binding = serde_json::json!({
            "game": self.game,
            "options": self.options,
            "format": self.format,
            "agents": agents,
            "games": self.games(),
            "openings": {"plies": self.plies(), "positions": self.openings.positions},
            "limits": self.limits.binding(),
            "seed": self.seed,
        });
        match self.format {
            Format::Swiss => {
                binding["rounds"] = self.rounds().into();
                binding["withdraw_after"] = self.withdraw_after().into();
            }
            Format::FreeForAll => binding["seats"] = self.seats().into(),
            Format::Knockout => binding["extra_pairs"] = self.extra_pairs().into(),
            Format::Ladder => {
                binding["sprt"] = serde_json::to_value(self.sprt()).unwrap_or_default();
            }
            Format::RoundRobin | Format::Gauntlet => {}
        }
        binding
    }

    /// What bars these settings from going on with a tournament that was begun with others: nothing,
    /// if the games of the one are all games of the other.
    pub fn bars(&self, before: &Settings) -> Vec<String> {
        let mut known = before.clone();
        let may_grow = match self.format {
            Format::RoundRobin | Format::Gauntlet | Format::FreeForAll | Format::Ladder => true,
            Format::Swiss | Format::Knockout => false,
        };
        if may_grow && self.games() > before.games() {
            known.games = Some(self.games());
        }
        if self.format == Format::Swiss && self.rounds() > before.rounds() {
            known.rounds = Some(self.rounds());
        }
        differences(&known.binding(), &self.binding())
    }

    /// Pairs of games that a tied pairing of a knockout plays on.
    pub fn extra_pairs(&self) -> u32 {
        self.extra_pairs.unwrap_or(3)
    }
}

impl LimitSettings {
    fn check(&self) -> Result<()> {
        for (name, value) in [
            ("cpu_s", self.cpu_s),
            ("cpu_move_s", self.cpu_move_s),
            ("wall_s", self.wall_s),
            ("start_s", self.start_s),
        ] {
            if value.is_some_and(|value| value.is_nan() || value <= 0.0) {
                return Err(wrong(format!("the limit `{name}` is more than nothing")));
            }
        }
        if self.memory_mb == Some(0) {
            return Err(wrong("the limit `memory_mb` is at least 1"));
        }
        if self.processes == Some(0) {
            return Err(wrong("the limit `processes` is at least 1"));
        }
        let kinds = ["native", "player", "make_moves", "get_mover", "in-trap"];
        if let Some(kind) = &self.python_kind
            && !kinds.contains(&kind.as_str())
        {
            return Err(wrong(format!("there is no kind of Python agent {}", quote(kind)))
                .hint(format!("`python_kind` is one of {}", kinds.join(", "))));
        }
        self.cost()?;
        self.allowance()?;
        Ok(())
    }

    /// How long built-in agents think that set no limit of their own.
    pub fn allowance(&self) -> Result<Allowance> {
        let time = match &self.time {
            None => None,
            Some(text) => Some(read_time(text).ok_or_else(|| {
                wrong(format!("`time` is {}", quote(text)))
                    .hint("a time reads like `0.2s`, `50ms` or `1m`")
            })?),
        };
        let usual = Allowance { time: read_time("0.1s"), ..Allowance::default() };
        Ok(Allowance { time, nodes: self.nodes, depth: self.depth }.or(usual))
    }

    /// What a fault costs.
    pub fn cost(&self) -> Result<Option<FaultPolicy>> {
        let Some(text) = &self.fault else { return Ok(None) };
        let unusable = || {
            wrong(format!("`fault` is {}", quote(text)))
                .hint("a fault costs `lose`, `skip` or `retry=N`")
        };
        match text.split_once('=').unwrap_or((text, "3")) {
            ("lose", _) => Ok(Some(FaultPolicy::Lose)),
            ("skip", _) => Ok(Some(FaultPolicy::Skip)),
            ("retry", tries) => {
                Ok(Some(FaultPolicy::Retry(tries.parse().map_err(|_| unusable())?)))
            }
            _ => Err(unusable()),
        }
    }

    /// What programs and Python agents may use.
    pub fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            cpu_s: self.cpu_s.unwrap_or(usual.cpu_s),
            cpu_move_s: self.cpu_move_s.unwrap_or(usual.cpu_move_s),
            wall_s: self.wall_s.unwrap_or(usual.wall_s),
            start_s: self.start_s.unwrap_or(usual.start_s),
            memory_mb: self.memory_mb.unwrap_or(usual.memory_mb),
            output_mb: self.output_mb.unwrap_or(usual.output_mb),
            processes: self.processes.unwrap_or(usual.processes),
        }
    }

    /// What bears on games: not where Python is, nor what may be read.
    fn binding(&self) -> Value {
        let mut binding = serde_json::to_value(self.limits()).unwrap_or_default();
        let allowance = self.allowance().unwrap_or_default();
        binding["think_s"] = allowance.time.map(|time| time.as_secs_f64()).into();
        binding["nodes"] = allowance.nodes.into();
        binding["depth"] = allowance.depth.into();
        binding["fault"] = self.fault.clone().into();
        binding["sandbox"] =
            serde_json::to_value(self.sandbox.unwrap_or_default()).unwrap_or_default();
        binding["python_kind"] = self.python_kind.clone().into();
        binding["keep_processes"] = self.keep_processes.into();
        binding
    }
}

/// What an agent is called before it has introduced itself.
fn short(spec: &str) -> String {
    spec.parse::<AgentSpec>().map_or(spec.to_owned(), |who| who.short())
}

/// The same with the folder of its file: `anna/agent`.
fn with_folder(spec: &str, short: &str) -> Option<String> {
    let paths: Vec<String> = match spec.parse().ok()? {
        AgentSpec::Python { module, .. } => vec![module],
        AgentSpec::Command(words) => words,
        AgentSpec::BuiltIn(_) | AgentSpec::Human => return None,
    };
    let path = paths.iter().rev().map(Path::new).find(|path| path.components().count() > 1)?;
    let folder = path.parent()?.file_name()?.to_string_lossy().into_owned();
    Some(format!("{folder}/{short}"))
}

/// An error of a settings file: where it is, what was found, what was perhaps meant.
fn explain(text: &str, error: &toml::de::Error) -> Error {
    let place = error.span().map_or(String::new(), |span| {
        let before = text.get(..span.start).unwrap_or_default();
        format!("line {}: ", before.matches('\n').count() + 1)
    });
    let message = error.message().trim();
    let first = message.lines().next().unwrap_or(message);
    let refusal = wrong(format!("{place}{first}"));
    let mut words = message.split('`').skip(1).step_by(2);
    if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        let (found, known) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
        let kind = if message.starts_with("unknown field") { "setting" } else { "choice" };
        let refusal = wrong(format!("{place}there is no {kind} {}", quote(found)));
        return match nearest(found, known.iter().copied()) {
            Some(near) => refusal.hint(format!("did you mean `{near}`?")),
            None => refusal.hint(format!("what can be said here: {}", known.join(", "))),
        };
    }
    if let Some(missing) = message.strip_prefix("missing field ") {
        return wrong(format!("{missing} is missing"))
            .hint("every tournament needs `game`, `format` and `agents`, every agent a `spec`");
    }
    refusal
}

/// What two settings differ in, as `name: before -> now`.
pub fn differences(before: &Value, now: &Value) -> Vec<String> {
    fn walk(path: &str, before: &Value, now: &Value, found: &mut Vec<String>) {
        if before == now {
            return;
        }
        if let (Value::Object(a), Value::Object(b)) = (before, now) {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let none = Value::Null;
                let (a, b) = (a.get(name).unwrap_or(&none), b.get(name).unwrap_or(&none));
                walk(&inner, a, b, found);
            }
            return;
        }
        if let (Value::Array(a), Value::Array(b)) = (before, now)
            && a.len() == b.len()
        {
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                walk(&format!("{path}[{place}]"), a, b, found);
            }
            return;
        }
        let count = |value: &Value| match value {
            Value::Array(list) => format!("{} of them", list.len()),
            Value::Null => "nothing".to_owned(),
            other => other.to_string(),
        };
        found.push(format!("`{path}` was {}, is now {}", count(before), count(now)));
    }
    let mut found = Vec::new();
    walk("", before, now, &mut found);
    found
}
