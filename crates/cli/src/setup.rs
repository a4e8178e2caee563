//! The part of the command line that says which game, with which options, from which position.
//!
//! The flags are made from the registry: a new game's options appear here by themselves.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;
use skirmish_rules::table::Table;
use skirmish_rules::{Entry, Games, Options, Random, Registry, Setup, Turn, open};

use skirmish_play::seeding::MOST_SEED;

use crate::output::Fault;

/// Which game, with which options, from which position.
#[derive(Clone, Debug)]
pub(crate) struct GameArguments {
    /// The game's name.
    pub(crate) game: String,
    /// Options as typed.
    options: BTreeMap<&'static str, String>,
    /// The position to start from.
    pub(crate) position: Option<String>,
    /// What a random start is drawn from.
    pub(crate) seed: u64,
}

impl Args for GameArguments {
    fn augment_args(command: Command) -> Command {
        let names: Vec<&str> = Games::ENTRIES.iter().map(|entry| entry.name).collect();
        let mut command = command
            .arg(
                Arg::new("game")
                    .value_name("GAME")
                    .required(true)
                    .help(format!("The game: {}", names.join(", "))),
            )
            .arg(
                Arg::new("position")
                    .long("position")
                    .value_name("TEXT")
                    .help("Start from this position (see `skirmish rules GAME` for its form)"),
            )
            .arg(
                Arg::new("seed")
                    .long("seed")
                    .value_name("S")
                    .value_parser(clap::value_parser!(u64).range(..=MOST_SEED))
                    .default_value("0")
                    .help("Seed of everything drawn at random"),
            );
        for (name, (value, help)) in option_help() {
            command = command.arg(
                Arg::new(name)
                    .long(name.replace('_', "-"))
                    .value_name(value)
                    .help(help)
                    .help_heading("Game options"),
            );
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Each option of any game once, with what it means to each.
fn option_help() -> BTreeMap<&'static str, (&'static str, String)> {
    let mut all: BTreeMap<&'static str, (&'static str, String)> = BTreeMap::new();
    for entry in Games::ENTRIES {
        for option in entry.options {
            let help = format!("{}: {} [default: {}]", entry.name, option.help, option.default);
            all.entry(option.name)
                .and_modify(|(value, text)| {
                    if *value != option.value {
                        *value = "VALUE";
                    }
                    *text = format!("{text}\n{help}");
                })
                .or_insert((option.value, help));
        }
    }
    all
}

impl FromArgMatches for GameArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let given = |name: &'static str| text(name).map(|value| (name, value));
        Ok(GameArguments {
            game: text("game").unwrap_or_default(),
            options: option_help().into_keys().filter_map(given).collect(),
            position: text("position"),
            seed: matches.get_one("seed").copied().unwrap_or(0),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The same for a command that can take the game from a file instead.
#[derive(Clone, Debug)]
pub(crate) struct OptionalGame(GameArguments);

impl std::ops::Deref for OptionalGame {
    type Target = GameArguments;

    fn deref(&self) -> &GameArguments {
        &self.0
    }
}

impl Args for OptionalGame {
    fn augment_args(command: Command) -> Command {
        GameArguments::augment_args(command).mut_arg("game", |game| game.required(false))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionalGame {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        GameArguments::from_arg_matches(matches).map(OptionalGame)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl GameArguments {
    /// The default game of this name.
    pub(crate) fn plain(game: &str, seed: u64) -> GameArguments {
        let game = game.to_owned();
        GameArguments { game, options: BTreeMap::new(), position: None, seed }
    }

    /// The same with one option.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> GameArguments {
        self.options.insert(name, value.to_owned());
        self
    }

    /// The flags of the options, as typed.
    pub(crate) fn option_flags(&self) -> Vec<String> {
        let flags = self.options.iter();
        flags
            .flat_map(|(name, value)| [format!("--{}", name.replace('_', "-")), value.clone()])
            .collect()
    }

    /// Whether more than the name of the game was given.
    pub(crate) fn says_more(&self) -> bool {
        !self.options.is_empty() || self.position.is_some()
    }

    /// The options that were typed.
    pub(crate) fn typed_options(&self) -> impl Iterator<Item = &'static str> {
        self.options.keys().copied()
    }

    /// The options, with files read.
    pub(crate) fn options(&self) -> Result<Options, Fault> {
        let entry = Games::entry(&self.game)?;
        let mut options = Options::none();
        for (name, value) in &self.options {
            options.set(name, option_value(entry, name, value)?);
        }
        Ok(options)
    }

    /// Calls `with` with the setup these arguments describe.
    pub(crate) fn with_setup<R>(
        &self,
        with: impl FnOnce(&str, Setup<'_>) -> skirmish_rules::Result<R>,
    ) -> Result<R, Fault> {
        let options = self.options()?;
        let mut random = Random::seeded(self.seed);
        let setup =
            Setup { options: &options, position: self.position.as_deref(), random: &mut random };
        Ok(with(&self.game, setup)?)
    }

    /// The game on a table.
    pub(crate) fn open(&self) -> Result<Box<dyn Table>, Fault> {
        self.with_setup(open)
    }
}

/// The value of a game's option as typed; of one that names a file, what the file holds.
pub(crate) fn option_value(entry: Entry, name: &str, value: &str) -> Result<Value, Fault> {
    match entry.options.iter().find(|spec| spec.name == name) {
        Some(spec) if spec.is_file => read_json(value),
        _ => Ok(Value::from(value)),
    }
}

fn read_json(path: &str) -> Result<Value, Fault> {
    let text = read_small(Path::new(path))?;
    serde_json::from_str(&text)
        .map_err(|error| Fault::unusable(format!("{path}: not JSON: {error}")))
}

/// The text of a file that people write by hand. A size cannot be asked of a device or a pipe, so no
/// more is read than such a file needs.
pub(crate) fn read_small(path: &Path) -> Result<String, Fault> {
    const MOST_BYTES: u64 = 1 << 20;
    let unusable = |what: String| Fault::unusable(format!("{}: {what}", path.display()));
    let file =
        std::fs::File::open(path).map_err(|error| unusable(format!("cannot open: {error}")))?;
    let mut text = String::new();
    (file.take(MOST_BYTES + 1).read_to_string(&mut text))
        .map_err(|error| unusable(format!("cannot read: {error}")))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(unusable("is larger than 1 MiB".to_owned()));
    }
    Ok(text)
}

/// Plays the turns of `--moves` on the table.
pub(crate) fn play_moves(table: &mut dyn Table, moves: &[String]) -> Result<(), Fault> {
    let turns = moves.iter().flat_map(|text| text.split(';')).map(str::trim);
    for (place, text) in turns.filter(|text| !text.is_empty()).enumerate() {
        play_one(table, text).map_err(|error| {
            let fault = Fault::from(error.within(format_args!("move {}", place + 1)));
            let crowded = text.split_whitespace().count() > 1 && moves.len() == 1;
            let unreadable = matches!(fault, Fault::Unusable { .. });
            fault.or_hint(if unreadable && crowded && !moves[0].contains(';') {
                "turns are separated by `;`"
            } else {
                "`skirmish legal` lists what may be played"
            })
        })?;
    }
    Ok(())
}

/// One turn, or `roll N` where a chance event is to be settled.
fn play_one(table: &mut dyn Table, text: &str) -> skirmish_rules::Result<()> {
    let roll = text.strip_prefix("roll ").and_then(|roll| roll.trim().parse().ok());
    match (table.turn(), roll) {
        (Turn::Chance { .. }, Some(roll)) => table.settle(roll),
        (Turn::Chance { sides }, None) => {
            let outcomes: Vec<String> = (0..sides).map(|roll| format!("`roll {roll}`")).collect();
            Err(skirmish_rules::Error::new(
                skirmish_rules::ErrorKind::NotAPlayersTurn,
                format!("a chance event comes before `{text}`"),
            )
            .hint(format!("settle it with {}", outcomes.join(" or "))))
        }
        _ => table.play(text).map(|_| ()),
    }
}
