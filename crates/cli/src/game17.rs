//! `skirmish game17`: the commands of the original Game 17 tool, with its flags, files and JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use skirmish_play::game17_json::Diffs;
use skirmish_play::seeding::MOST_SEED;
use skirmish_sandbox::{AgentSpec, Settings};
use skirmish_search::Allowance;
use skirmish_tournament::game17::table::{Column, table};
use skirmish_tournament::game17::{Board, Competition, Entrant, League, Played, rank, vs_zombies};

use crate::Done;
use crate::output::{Fault, Output, counted, note};
use crate::progress::Progress;
use crate::referee::{RefereeArguments, SandboxChoice, announce};

/// Play Game 17 as with the original tool: the same commands, flags, files and JSON.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish game17 single stub.py
  skirmish game17 vs-zombies stub.py zombie-results
  skirmish game17 rank anna.py ben.py chris.py results
  skirmish game17 rank -g 20 -T 2 anna.py hunter marshal results
  skirmish game17 replay results/battle-royale-0.json 1:red 2:blue

A player is a Python file with `make_moves(owner, rounds_left, owners, numbers)` or `get_mover(owner, \
owners, numbers, turn_order, num_rounds)`, run in a sandbox, or one of our own by name: see `skirmish \
agents`. Player 1 is owner 1, and so on; all others are zombies. Games go into JSON that the \
original tool replays, and its games are replayed here: `skirmish replay` steps through both, \
`skirmish export` makes pictures.

For more players, other formats and error bars, there are tournaments.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Single(Single),
    VsZombies(VsZombies),
    Rank(Rank),
    Replay(Replay),
}

/// What all games have.
#[derive(Args, Debug)]
struct Common {
    /// Squares along each side of the board.
    #[arg(short = 's', long, value_name = "N", default_value_t = 14)]
    board_size: u16,
    /// Rounds at most.
    #[arg(short = 'r', long, value_name = "N", default_value_t = 50)]
    num_rounds: u32,
    /// So many T800s play too, after the others.
    #[arg(short = 'T', long = "num-T800s", value_name = "N", default_value_t = 0)]
    num_t800s: u16,
    /// Where the list of players is written.
    #[arg(short = 'p', long, value_name = "FILE", default_value = "players.txt")]
    players_file: PathBuf,
    /// Show how many pieces stand on each square.
    #[arg(short = 'c', long)]
    display_counts: bool,
    /// What everything random is drawn from [default: another number every time].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MOST_SEED))]
    seed: Option<u64>,
    /// The Python that runs Python players [default: of $VIRTUAL_ENV, or the first on the PATH].
    #[arg(long, value_name = "PATH")]
    python: Option<String>,
    /// How closely Python players are confined.
    #[arg(long, value_enum, default_value_t = SandboxChoice::On)]
    sandbox: SandboxChoice,
}

/// Play one game and show it.
#[derive(Args, Debug)]
struct Single {
    #[command(flatten)]
    common: Common,
    /// Taken, and without effect, as in the original.
    #[arg(short = 'v', long)]
    verbose: bool,
    /// Keep the game in this file as well.
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Players: Python files, each with a colour if you like (`stub.py:red`), or names of our agents.
    #[arg(value_name = "PLAYER")]
    players: Vec<String>,
}

/// Who competes, and for how long.
#[derive(Args, Debug)]
struct Field {
    #[command(flatten)]
    common: Common,
    /// Games: of each player alone, or of the battle royale.
    #[arg(short = 'g', long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u64).range(1..))]
    num_games: u64,
    /// Players, and at last the folder for the files.
    #[arg(value_names = ["PLAYER", "OUTDIR"], num_args = 1.., required = true)]
    players_and_folder: Vec<String>,
}

impl Field {
    /// The players that can start, and the folder.
    fn open(&self) -> Result<(League, &Path), Fault> {
        let (players, folder) = last(&self.players_and_folder)?;
        Ok((open(&self.common, players, Some(folder))?, folder))
    }
}

/// Let each player play alone against zombies, again and again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish game17 vs-zombies stub.py results
  skirmish game17 vs-zombies -g 20 -s 10 stub.py hunter results

Files: `players.txt` in the working folder; `players_that_failed_on_import.txt` and `vs-zombies.txt` in \
OUTDIR, tabs between `player`, `num_wins` and `max_time`, the slowest average of a turn over the games \
won.")]
struct VsZombies {
    #[command(flatten)]
    field: Field,
    /// Taken, and without effect, as in the original.
    #[arg(
        short = 't',
        long = "time_threshold",
        alias = "time-threshold",
        value_name = "SECONDS",
        default_value_t = 0.01,
        allow_negative_numbers = true
    )]
    time_threshold: f64,
}

/// Rank players: a battle royale of many games, then run-offs between those that tie.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish game17 rank anna.py ben.py chris.py results
  skirmish game17 rank -g 10 -t 0.05 anna.py marshal results

Every game of the battle royale seats all players at one board. Those with equally many wins then play \
each other once. A player whose turns take longer than the threshold on average, in CPU seconds, is \
banned from then on and comes last; `-t -1` bans no player.

Files: `players.txt` in the working folder; in OUTDIR `players_that_failed_on_import.txt`, \
`battle-royale-N.json`, `battle-royale-summary.txt`, `A vs B.json`, `round-robin.txt` and \
`round-robin-summary.txt` for the first group, `round-robin-G.txt` and `round-robin-summary-G.txt` for \
group G, and `ranks.txt`, the best first.")]
struct Rank {
    #[command(flatten)]
    field: Field,
    /// Seconds a turn may take on average; 0 or less for any time.
    #[arg(
        short = 't',
        long = "time-threshold",
        alias = "time_threshold",
        value_name = "SECONDS",
        default_value_t = 0.01,
        allow_negative_numbers = true
    )]
    time_threshold: f64,
}

/// Show a game that was kept, board after board.
#[derive(Args, Debug)]
struct Replay {
    /// Show how many pieces stand on each square.
    #[arg(short = 'c', long)]
    display_counts: bool,
    /// A game of this tool or of the original, in JSON.
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Colours of owners: `1:red`, `7:#3366cc`.
    #[arg(value_name = "N:COLOUR")]
    colours: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    match &arguments.command {
        Command::Single(arguments) => single(arguments, output),
        Command::VsZombies(VsZombies { field, time_threshold }) => {
            let (mut league, folder) = field.open()?;
            let games = field.num_games.saturating_mul(league.entrants().len() as u64);
            compete(folder, field.num_games, *time_threshold, games, |competition, done| {
                vs_zombies(&mut league, competition, done)
            })
        }
        Command::Rank(Rank { field, time_threshold }) => {
            let (mut league, folder) = field.open()?;
            let games = field.num_games;
            compete(folder, games, *time_threshold, games, |competition, done| {
                rank(&mut league, competition, done).map(drop)
            })
        }
        Command::Replay(arguments) => {
            let colours = arguments.colours.iter().map(|text| colour_of_owner(text));
            let colours = colours.collect::<Result<Colours, Fault>>()?;
            let diffs = read(&arguments.game)?;
            show(&diffs, &colours, arguments.display_counts, output)
        }
    }
}

/// The last word is the folder.
fn last(words: &[String]) -> Result<(&[String], &Path), Fault> {
    let Some((folder, players)) = words.split_last() else {
        return Err(Fault::unusable("no folder for the files"));
    };
    if players.is_empty() {
        return Err(Fault::unusable(format!("no players: `{folder}` is the folder for the files"))
            .or_hint("the folder comes last: `rank anna.py ben.py results`"));
    }
    let folder = Path::new(folder);
    if folder.is_file() {
        return Err(Fault::unusable(format!("{}: is a file", folder.display()))
            .or_hint("the folder for the files comes last: `rank anna.py ben.py results`"));
    }
    Ok((players, folder))
}

type Colours = BTreeMap<u16, [u8; 3]>;

/// A player, and its colour. In `stub.py:red` the name is that of the file.
fn entrant(text: &str) -> Result<(Entrant, Option<[u8; 3]>), Fault> {
    let (file, colour) = match text.split_once(':') {
        Some((file, colour)) if is_python(file) => (file, Some(parse_colour(colour)?)),
        _ => (text, None),
    };
    if is_python(file) {
        if !Path::new(file).exists() {
            return Err(Fault::unusable(format!("{file}: there is no such file")));
        }
        let who = AgentSpec::Python { module: file.to_owned(), name: None };
        return Ok((Entrant { name: file.to_owned(), who }, colour));
    }
    let who: AgentSpec = text.parse().map_err(|error| {
        Fault::from(error).or_hint("a player is a Python file or one of `skirmish agents game17`")
    })?;
    if who == AgentSpec::Human {
        return Err(Fault::unusable("people cannot play here")
            .or_hint("`skirmish referee game17` plays with people"));
    }
    Ok((Entrant { name: text.to_owned(), who }, None))
}

fn is_python(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending == "py")
}

/// The players that can start; who they are and who cannot is written down as the original does.
fn open(common: &Common, players: &[String], folder: Option<&Path>) -> Result<League, Fault> {
    let mut entrants = Vec::new();
    for player in players {
        entrants.push(entrant(player)?.0);
    }
    let list: String = (1..)
        .zip(&entrants)
        .map(|(number, entrant): (u32, _)| format!("{} is player {number}\n", entrant.name))
        .collect();
    let t800 = Entrant { name: "T800".to_owned(), who: "hunter".parse()? };
    entrants.extend((0..common.num_t800s).map(|_| t800.clone()));
    let has_programs = entrants.iter().any(|entrant| !matches!(entrant.who, AgentSpec::BuiltIn(_)));
    let settings = settings(common)?;
    if has_programs {
        announce(&settings, true)?;
        for entrant in &entrants {
            skirmish_sandbox::find(&entrant.who, &settings)
                .map_err(|what| Fault::unusable(format!("{} {what}", entrant.name)))?;
        }
    }
    let board = Board { size: common.board_size, rounds: common.num_rounds };
    let mut league = League::new(board, entrants, settings)?;

    let file = &common.players_file;
    std::fs::write(file, list).map_err(|error| cannot_write(file, &error))?;
    let failed = league.admit()?;
    for (number, reason) in &failed {
        note(format_args!("Player {number} failed to load:\n{reason}"));
    }
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|error| {
            Fault::unusable(format!("{}: cannot make the folder: {error}", folder.display()))
        })?;
        let numbers: Vec<String> = failed.iter().map(|(number, _)| number.to_string()).collect();
        let path = folder.join("players_that_failed_on_import.txt");
        std::fs::write(&path, numbers.join(", ") + "\n")
            .map_err(|error| cannot_write(&path, &error))?;
    }
    Ok(league)
}

fn settings(common: &Common) -> Result<Settings, Fault> {
    let seed = common.seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |now| now.as_nanos() as u64 & MOST_SEED)
    });
    let allowance = Allowance { time: Some(Duration::from_millis(100)), ..Allowance::default() };
    RefereeArguments::usual(common.python.clone(), common.sandbox).settings(seed, allowance)
}

/// Plays a competition with a bar, and tells what players did wrong.
fn compete(
    folder: &Path,
    games: u64,
    time_threshold: f64,
    total: u64,
    play: impl FnOnce(&Competition<'_>, &mut dyn FnMut(&Played)) -> skirmish_rules::Result<()>,
) -> Done {
    const SHOWN: usize = 10;
    let progress = Progress::new(total, "games");
    let mut faults = 0;
    let mut done = |played: &Played| {
        progress.add(1);
        for fault in &played.faults {
            faults += 1;
            if faults <= SHOWN {
                note(format_args!("fault: {fault}"));
            }
        }
    };
    play(&Competition { folder, games, time_threshold }, &mut done)?;
    drop(progress);
    if faults > SHOWN {
        note(format_args!("and {} more", counted((faults - SHOWN) as u64, "fault")));
    }
    note(format_args!("results are in {}", folder.display()));
    Ok(())
}

fn single(arguments: &Single, output: &mut Output) -> Done {
    let mut colours = Colours::new();
    for (number, player) in (1..).zip(&arguments.players) {
        if let (_, Some(colour)) = entrant(player)? {
            colours.insert(number, colour);
        }
    }
    let mut league = open(&arguments.common, &arguments.players, None)?;
    let players: Vec<u16> = league.entrants().keys().copied().collect();
    let played = league.play(&players)?;
    if let Some(path) = &arguments.output {
        let text = serde_json::to_string(&played.diffs).map_err(std::io::Error::from)?;
        std::fs::write(path, text).map_err(|error| cannot_write(path, &error))?;
    }
    show(&played.diffs, &colours, arguments.common.display_counts, output)?;
    let rows: Vec<String> = played.times.keys().map(ToString::to_string).collect();
    // A player that never had a turn took -1, as in the original.
    let times: Option<Vec<f64>> = (!played.times.values().all(Option::is_none))
        .then(|| played.times.values().map(|time| time.unwrap_or(-1.0)).collect());
    let column = times.map_or(Column::Whole(vec![-1; rows.len()]), Column::Real);
    writeln!(output, "\n{}", table(&rows, &[("times", column)]))?;
    for fault in played.faults.iter().take(10) {
        note(format_args!("fault: {fault}"));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Diffs, Fault> {
    let wrong = |what: String| Fault::unusable(format!("{}: {what}", path.display()));
    let text =
        std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot read: {error}")))?;
    let diffs: Diffs = serde_json::from_str(&text).map_err(|error| {
        wrong(format!("not a game of Game 17: {error}"))
            .or_hint("`skirmish replay` shows records of every sort")
    })?;
    // Whatever is shown is a board.
    skirmish_play::replay::Replay::of_diffs(diffs.clone())?;
    Ok(diffs)
}

/// Board after board. On a terminal they take each other's place, the slower the fewer are left.
fn show(diffs: &Diffs, colours: &Colours, counts: bool, output: &mut Output) -> Done {
    let mut owners = diffs.owners.clone();
    let mut numbers = diffs.numbers.clone();
    let is_moving = output.is_terminal();
    let height = board_text(&owners, &numbers, colours, counts, false).lines().count() + 2;
    let look = output.has_colour();
    writeln!(output, "let's go\n{}", board_text(&owners, &numbers, colours, counts, look))?;
    for diff in &diffs.diffs {
        for (changes, board) in [(&diff.owners, &mut owners), (&diff.numbers, &mut numbers)] {
            for &(row, column, value) in changes {
                board[usize::from(row)][usize::from(column)] = value;
            }
        }
        if is_moving {
            write!(output, "\u{1b}[{height}A\u{1b}[2K")?;
        }
        writeln!(output, "round {}, player {}", diff.round, diff.owner)?;
        writeln!(output, "{}", board_text(&owners, &numbers, colours, counts, look))?;
        if is_moving {
            output.flush()?;
            let standing: std::collections::BTreeSet<u16> = (owners.iter().flatten())
                .zip(numbers.iter().flatten())
                .filter(|(_, number)| **number > 0)
                .map(|(owner, _)| *owner)
                .collect();
            std::thread::sleep(Duration::from_secs_f64(1.0 / standing.len().max(1) as f64));
        }
    }
    let mut squares: BTreeMap<u16, i64> = BTreeMap::new();
    owners.iter().flatten().for_each(|owner| *squares.entry(*owner).or_default() += 1);
    let rows: Vec<String> = squares.keys().map(ToString::to_string).collect();
    let column = Column::Whole(squares.into_values().collect());
    writeln!(output, "{}", table(&rows, &[("squares", column)]))?;
    Ok(())
}

/// A board in the original's way: owners in three places each, the brighter the more pieces; with
/// counts, those in a line below, or in place of the owners where these have colours.
fn board_text(
    owners: &[Vec<u16>],
    numbers: &[Vec<u16>],
    colours: &Colours,
    counts: bool,
    look: bool,
) -> String {
    let most = numbers.iter().flatten().copied().max().unwrap_or(0).max(1);
    let mut text = String::new();
    for (owner_row, number_row) in owners.iter().zip(numbers) {
        for (owner, number) in owner_row.iter().zip(number_row) {
            let shown = if counts && !colours.is_empty() { number } else { owner };
            if look {
                let light = 0.3 + 0.7 * f64::from(*number) / f64::from(most);
                let [red, green, blue] = colours.get(owner).copied().unwrap_or([190, 190, 255]);
                let [red, green, blue] =
                    [red, green, blue].map(|part| (f64::from(part) * light).round() as u8);
                let ink = if 2 * u32::from(red) + 5 * u32::from(green) + u32::from(blue) > 900 {
                    30
                } else {
                    97
                };
                text.push_str(&format!(
                    "\u{1b}[{ink};48;2;{red};{green};{blue}m{shown:3}\u{1b}[0m"
                ));
            } else {
                text.push_str(&format!("{shown:3}"));
            }
        }
        text.push('\n');
        if counts && colours.is_empty() {
            number_row.iter().for_each(|number| text.push_str(&format!("{number:3}")));
            text.push('\n');
        }
    }
    text
}

fn colour_of_owner(text: &str) -> Result<(u16, [u8; 3]), Fault> {
    let parts =
        text.split_once(':').and_then(|(owner, colour)| Some((owner.parse().ok()?, colour)));
    let Some((owner, colour)) = parts else {
        return Err(Fault::unusable(format!("`{text}` gives no owner a colour"))
            .or_hint("an owner's colour reads like `1:red` or `7:#3366cc`"));
    };
    Ok((owner, parse_colour(colour)?))
}

/// A colour of CSS, which are those of matplotlib, or one of its letters.
fn parse_colour(text: &str) -> Result<[u8; 3], Fault> {
    let name = match text {
        "b" => "blue",
        "g" => "green",
        "r" => "red",
        "c" => "cyan",
        "m" => "magenta",
        "y" => "yellow",
        "k" => "black",
        "w" => "white",
        name => name.strip_prefix("tab:").or(name.strip_prefix("xkcd:")).unwrap_or(name),
    };
    let colour = csscolorparser::parse(&name.replace(' ', "")).map_err(|_| {
        Fault::unusable(format!("`{text}` is no colour that is known here"))
            .or_hint("colours read like `red`, `steelblue` or `#3366cc`")
    })?;
    let [red, green, blue, _] = colour.to_rgba8();
    Ok([red, green, blue])
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Fault {
    Fault::unusable(format!("{}: cannot write: {error}", path.display()))
}
