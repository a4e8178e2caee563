//! `skirmish bench`: every hot path, timed, with its answer asserted.
//!
//! A fast wrong answer fails. Timings on shared machines are noisy, so rates are per CPU second,
//! each path is timed in several rounds of which the best counts, and where a plain version exists
//! the two take turns in the same run and their ratio is reported. The signature is one number made
//! of all answers: it changes only when behaviour does.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use skirmish_rules::cpu::has_bit_instructions;
use skirmish_rules::games::amazons::mailbox::Mailbox;
use skirmish_rules::games::amazons::{Amazons, Position};
use skirmish_rules::{
    Choice, Entry, Game, Games, Notation, Options, Playout, Random, Registry, Setup, Turn, Visitor,
};
use skirmish_sandbox::AgentSpec;
use skirmish_search::amazons::{Board, evaluate_all};
use skirmish_search::{Allowance, Stop};
use skirmish_tournament::matches::{GameResult, MatchSettings};

use crate::output::{Fault, Output, commas, note, rate};
use crate::progress::{Progress, Stopwatch, on_threads};
use crate::stub;
use crate::{Done, ROSTER};

/// Time every hot path and assert its answer.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish bench
  skirmish bench --quick
  skirmish bench --json | jq .signature

The signature changes only when behaviour does. A wrong answer exits with 1.

With --json: `signature`, `bit_instructions`, and `paths`, a list of `name`, `unit`, `work`, \
`per_cpu_second`, `answer`, and for paths with a plain version `plain_per_cpu_second` and `ratio`; \
`referee`: `games`, `games_per_second`, `cpu_us_per_turn` (ours, not the agents'), `answer`; \
`two_threads`, a list of `name` and `nodes_ratio`.")]
pub(crate) struct Arguments {
    /// One short round: answers and signature, rough timings, no deep perft.
    #[arg(long)]
    quick: bool,
    /// Only paths whose name contains this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What a path's work came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Answer {
    /// How many units of work were done.
    work: u64,
    /// A digest of everything that came out.
    digest: u64,
}

type Run = Box<dyn Fn() -> Answer>;

struct Path {
    name: &'static str,
    /// What is counted.
    unit: &'static str,
    /// What must come out. `None` where the arithmetic goes through the machine's own mathematics
    /// library (logarithms, tangents), which may round differently elsewhere: there the same must
    /// come out every time.
    expected: Option<Answer>,
    /// Whether it counts towards the signature (the deep ones are left out by `--quick`).
    deep: bool,
    run: Run,
    /// A plain version of the same work with the same answer.
    plain: Option<Run>,
}

#[derive(Serialize)]
struct Benched {
    signature: u32,
    bit_instructions: bool,
    paths: Vec<Timed>,
    /// Games between programs through pipes; only on Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    referee: Option<RefereeTimed>,
    /// How many times the nodes a second two threads look at; not in a quick run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    two_threads: Vec<Doubled>,
}

#[derive(Serialize)]
struct Doubled {
    name: &'static str,
    nodes_ratio: f64,
}

#[derive(Serialize)]
struct RefereeTimed {
    games: u64,
    games_per_second: f64,
    cpu_us_per_turn: f64,
    answer: String,
}

#[derive(Serialize)]
struct Timed {
    name: &'static str,
    unit: &'static str,
    work: u64,
    per_cpu_second: f64,
    answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_per_cpu_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let mut paths = paths()?;
    paths.retain(|path| path.name.contains(&arguments.only) && !(arguments.quick && path.deep));
    let wants_threads = !arguments.quick && "two threads".contains(&arguments.only);
    let wants_referee = cfg!(target_os = "linux") && REFEREE.contains(&arguments.only);
    if paths.is_empty() && !wants_threads && !wants_referee {
        return Err(Fault::unusable(format!("no path's name contains `{}`", arguments.only)));
    }
    let rounds = if arguments.quick { 1 } else { 5 };
    let progress = Progress::new((paths.len() * rounds) as u64, "rounds");
    let mut timed = Vec::new();
    let mut signature = 0xcbf2_9ce4_8422_2325;
    let mut wrong: Vec<String> = Vec::new();
    for path in &paths {
        let (mut best, mut best_plain) = (0.0_f64, 0.0_f64);
        let rounds = if path.deep { rounds.min(2) } else { rounds };
        let rounds = if path.expected.is_none() { rounds.max(2) } else { rounds };
        let mut expected = path.expected;
        let mut answer = None;
        for _ in 0..rounds {
            let (found, per_second) = time(&path.run);
            best = best.max(per_second);
            answer.get_or_insert(found);
            let right = *expected.get_or_insert(found);
            if found != right {
                wrong.push(format!("{}: expected {right:?}, found {found:?}", path.name));
            }
            if let Some(plain) = &path.plain {
                let (found, per_second) = time(plain);
                best_plain = best_plain.max(per_second);
                if found != right {
                    wrong.push(format!("{} (plain version): {found:?}", path.name));
                }
            }
            progress.add(1);
        }
        let Some(answer) = answer else { continue };
        if !path.deep && path.expected.is_some() {
            signature = fold(signature, answer.work);
            signature = fold(signature, answer.digest);
        }
        timed.push(Timed {
            name: path.name,
            unit: path.unit,
            work: answer.work,
            per_cpu_second: best,
            answer: format!("{:016x}", answer.digest),
            plain_per_cpu_second: path.plain.as_ref().map(|_| best_plain),
            ratio: path.plain.as_ref().map(|_| best / best_plain),
        });
    }
    drop(progress);
    let referee = match wants_referee {
        true => Some(refereed(if arguments.quick { 20 } else { 400 }, &mut wrong)?),
        false => None,
    };
    let two_threads = if wants_threads { two_threads()? } else { vec![] };
    let signature = (signature ^ signature >> 32) as u32;
    report(
        &Benched {
            signature,
            bit_instructions: has_bit_instructions(),
            paths: timed,
            referee,
            two_threads,
        },
        arguments,
        output,
    )?;
    output.flush()?;
    if wrong.is_empty() {
        return Ok(());
    }
    for line in &wrong {
        note(format_args!("wrong answer: {line}"));
    }
    Err(Fault::No)
}

fn report(benched: &Benched, arguments: &Arguments, output: &mut Output) -> Done {
    if arguments.json {
        output.json(benched)?;
        return Ok(());
    }
    writeln!(output, "{:<36} {:>20} {:>11}  plain version", "path", "work", "per CPU s")?;
    for path in &benched.paths {
        let work = format!("{} {}", commas(path.work), path.unit);
        write!(output, "{:<36} {work:>20} {:>11}", path.name, rate(path.per_cpu_second))?;
        if let (Some(plain), Some(ratio)) = (path.plain_per_cpu_second, path.ratio) {
            write!(output, "  {} → {ratio:.2} × as fast", rate(plain))?;
        }
        writeln!(output)?;
    }
    if let Some(referee) = &benched.referee {
        let work = format!("{} games", commas(referee.games));
        writeln!(
            output,
            "{REFEREE:<36} {work:>20} {:>9.0}/s  wall clock, two at a time; {:.0} µs of our CPU a turn",
            referee.games_per_second, referee.cpu_us_per_turn
        )?;
    }
    for doubled in &benched.two_threads {
        let name = format!("{}, two threads", doubled.name);
        writeln!(output, "{name:<36} {:.2} × the nodes a second of one", doubled.nodes_ratio)?;
    }
    if !benched.bit_instructions {
        writeln!(
            output,
            "this machine has no bit-manipulation instructions: portable code was timed"
        )?;
    }
    if arguments.only.is_empty() {
        writeln!(output, "signature: {}", benched.signature)?;
    }
    Ok(())
}

fn time(run: &Run) -> (Answer, f64) {
    let stopwatch = Stopwatch::start();
    let answer = run();
    (answer, answer.work as f64 / stopwatch.cpu_seconds())
}

fn fold(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}

fn paths() -> Result<Vec<Path>, Fault> {
    let playouts = |game, options: Options, choice, games, by| {
        open(game, &options, Playouts { choice, games, by })
    };
    let perft = |game, depth| open(game, &Options::none(), Perft { depth });
    Ok(vec![
        Path {
            name: "amazons 10x10 perft 3",
            unit: "leaves",
            expected: Some(Answer { work: 8_350_439_170, digest: 8_350_439_170 }),
            deep: true,
            run: perft("amazons", 3)?,
            plain: Some(mailbox_perft(3)),
        },
        Path {
            name: "amazons 10x10 perft 2",
            unit: "leaves",
            expected: Some(Answer { work: 4_307_152, digest: 4_307_152 }),
            deep: false,
            run: perft("amazons", 2)?,
            plain: Some(mailbox_perft(2)),
        },
        Path {
            name: "amazons 10x10 playouts, two-stage",
            unit: "games",
            expected: Some(Answer { work: 20_000, digest: 0x9a7d_1c25_a6dd_f2a5 }),
            deep: false,
            run: playouts("amazons", Options::none(), Choice::TwoStage, 20_000, Unit::Games)?,
            plain: Some(mailbox_playouts(20_000)),
        },
        Path {
            name: "amazons 10x10 playouts, steps",
            unit: "games",
            expected: Some(Answer { work: 10_000, digest: 0xac00_93c0_2d75_8061 }),
            deep: false,
            run: playouts("amazons", Options::none(), Choice::Steps, 10_000, Unit::Games)?,
            plain: None,
        },
        Path {
            name: "amazons 10x10 playouts, turns",
            unit: "games",
            expected: Some(Answer { work: 3_000, digest: 0xab1f_f559_bd22_8b16 }),
            deep: false,
            run: playouts("amazons", Options::none(), Choice::Turns, 3_000, Unit::Games)?,
            plain: None,
        },
        Path {
            name: "amazons 20x20 playouts, two-stage",
            unit: "games",
            expected: Some(Answer { work: 1_000, digest: 0x2881_cabd_57d3_db50 }),
            deep: false,
            run: playouts(
                "amazons",
                Options::none().with("size", 20),
                Choice::TwoStage,
                1_000,
                Unit::Games,
            )?,
            plain: None,
        },
        Path {
            name: "watch-your-back playouts",
            unit: "moves",
            expected: Some(Answer { work: 3_869_135, digest: 0x64be_1a26_8c3c_95d1 }),
            deep: false,
            run: playouts("watch-your-back", Options::none(), Choice::Steps, 20_000, Unit::Turns)?,
            plain: None,
        },
        Path {
            name: "watch-your-back perft 3",
            unit: "leaves",
            expected: Some(Answer { work: 92_342, digest: 92_342 }),
            deep: false,
            run: perft("watch-your-back", 3)?,
            plain: None,
        },
        Path {
            name: "in-trap playouts",
            unit: "moves",
            expected: Some(Answer { work: 1_902_111, digest: 0x05bc_91e2_de39_7b52 }),
            deep: false,
            run: playouts("in-trap", Options::none(), Choice::Steps, 30_000, Unit::Turns)?,
            plain: None,
        },
        Path {
            name: "in-trap perft 5",
            unit: "leaves",
            expected: Some(Answer { work: 12_504_294, digest: 12_504_294 }),
            deep: false,
            run: perft("in-trap", 5)?,
            plain: None,
        },
        Path {
            name: "game17 14x14 games of zombies",
            unit: "games",
            expected: Some(Answer { work: 2_000, digest: 0x38a8_9149_f547_8d74 }),
            deep: false,
            run: playouts("game17", Options::none(), Choice::Turns, 2_000, Unit::Games)?,
            plain: None,
        },
        Path {
            name: "amazons 8x8 evaluations",
            unit: "evaluations",
            expected: Some(Answer { work: 200_000, digest: 0xf6b1_2b65_667a_f028 }),
            deep: false,
            run: evaluations(8, 200_000),
            plain: None,
        },
        Path {
            name: "amazons 10x10 evaluations",
            unit: "evaluations",
            expected: Some(Answer { work: 50_000, digest: 0xbfc7_1c47_124e_a8a4 }),
            deep: false,
            run: evaluations(10, 50_000),
            plain: None,
        },
        Path {
            name: "amazons 8x8 mcts",
            unit: "simulations",
            expected: None,
            deep: false,
            run: thoughts("amazons", &Options::none().with("size", 8), "mcts", 300)?,
            plain: None,
        },
        Path {
            name: "amazons 8x8 alphabeta",
            unit: "nodes",
            expected: Some(Answer { work: 95_001, digest: 0x350a_389f_8226_a01f }),
            deep: false,
            run: thoughts("amazons", &Options::none().with("size", 8), "alphabeta", 5_000)?,
            plain: None,
        },
        Path {
            name: "watch-your-back alphabeta",
            unit: "nodes",
            expected: Some(Answer { work: 800_000, digest: 0xbb71_27c4_c45d_a264 }),
            deep: false,
            run: thoughts("watch-your-back", &Options::none(), "alphabeta", 40_000)?,
            plain: None,
        },
        Path {
            name: "watch-your-back mcts",
            unit: "simulations",
            expected: None,
            deep: false,
            run: thoughts("watch-your-back", &Options::none(), "mcts", 4_000)?,
            plain: None,
        },
        Path {
            name: "in-trap alphabeta",
            unit: "nodes",
            expected: Some(Answer { work: 560_083, digest: 0x7e7a_2fb8_ff5e_4472 }),
            deep: false,
            run: thoughts("in-trap", &Options::none(), "alphabeta", 40_000)?,
            plain: None,
        },
        Path {
            name: "in-trap mcts",
            unit: "simulations",
            expected: None,
            deep: false,
            run: thoughts("in-trap", &Options::none(), "mcts", 4_000)?,
            plain: None,
        },
        Path {
            name: "game17 marshal",
            unit: "turns",
            expected: None,
            deep: false,
            run: thoughts("game17", &Options::none().with("players", "0,1"), "marshal", 1)?,
            plain: None,
        },
    ])
}

fn open<V: Visitor<Output = Run>>(game: &str, options: &Options, visitor: V) -> Result<Run, Fault> {
    let setup = Setup { options, position: None, random: &mut Random::seeded(0) };
    Ok(Games::open(game, setup, visitor)?)
}

/// What a playout is counted by.
#[derive(Clone, Copy)]
enum Unit {
    Games,
    Turns,
}

struct Playouts {
    choice: Choice,
    games: u64,
    by: Unit,
}

impl Visitor for Playouts {
    type Output = Run;
    fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> Run {
        Box::new(move || {
            let (mut turns, mut digest) = (0, 0_u64);
            for index in 0..self.games {
                let mut random = Random::stream(17, index);
                let mut position = game.fresh_start(&start, &mut random);
                let length = game.playout(&mut position, self.choice, u64::MAX, &mut random);
                turns += length;
                digest = fold(digest, length);
            }
            let work = match self.by {
                Unit::Games => self.games,
                Unit::Turns => turns,
            };
            Answer { work, digest }
        })
    }
}

struct Perft {
    depth: u32,
}

impl Visitor for Perft {
    type Output = Run;
    fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> Run {
        Box::new(move || {
            let leaves = game.perft(&start, self.depth);
            Answer { work: leaves, digest: leaves }
        })
    }
}

/// What the time of the referee goes under.
const REFEREE: &str = "watch-your-back refereed, pipes";

/// Random games of Watch Your Back! between two programs, two games at a time: how many a second, and
/// how much of our own CPU time a turn takes. The games must end as the rules have it, without a
/// fault, and come out the same the second time, one at a time.
fn refereed(games: u64, wrong: &mut Vec<String>) -> Result<RefereeTimed, Fault> {
    let program = std::env::current_exe()?;
    let agent =
        AgentSpec::Command(vec![program.to_string_lossy().into_owned(), stub::WORD.to_owned()]);
    let settings = crate::referee::plain_settings(17)?;
    let contest = |games| MatchSettings {
        game: "watch-your-back".to_owned(),
        options: Options::none(),
        position: None,
        folder: None,
        agents: vec![agent.clone(), agent.clone()],
        games,
        seed: 17,
        allowance: Allowance::default(),
        opening: 0,
        roster: ROSTER,
        names: vec![],
        kept: 64,
        stop: settings.stop.clone(),
        referee: Some(settings.clone()),
    };
    let play = |games, threads| on_threads(threads, || contest(games).play(&|_| {}));
    let stopwatch = Stopwatch::start();
    let results = play(games, 2)??;
    let (wall, cpu) = (stopwatch.wall_seconds(), stopwatch.cpu_seconds());
    let faults = results.iter().flat_map(|played| &played.record.faults);
    wrong.extend(faults.map(|fault| format!("{REFEREE}: {}", fault.sentence)));
    let digest = |results: &[GameResult]| {
        results.iter().fold(0, |digest, played| {
            let won =
                if played.payoffs[0] > 0.0 { 1 } else { u64::from(played.payoffs[0] < 0.0) * 2 };
            fold(fold(digest, played.turns), won)
        })
    };
    let again = play(20, 1)??;
    let (first, second) = (digest(&results[..20]), digest(&again));
    if first != second || results.iter().any(|played| played.ending.is_none()) {
        wrong.push(format!("{REFEREE}: expected {first:x}, found {second:x}"));
    }
    let turns: u64 = results.iter().map(|played| played.turns).sum();
    Ok(RefereeTimed {
        games,
        games_per_second: games as f64 / wall,
        cpu_us_per_turn: 1e6 * cpu / turns as f64,
        answer: format!("{first:016x}"),
    })
}

/// The nodes two threads look at in a second of the wall, against one: needs two idle cores to mean
/// anything, so it is reported and nothing depends on it. One and two take turns, and the best round
/// of each counts.
fn two_threads() -> Result<Vec<Doubled>, Fault> {
    let mut doubled = Vec::new();
    for (name, game, agent) in [
        ("watch-your-back alphabeta", "watch-your-back", "alphabeta"),
        ("in-trap alphabeta", "in-trap", "alphabeta"),
        ("amazons 10x10 mcts", "amazons", "mcts"),
    ] {
        let nodes = |threads: u32| -> Result<f64, Fault> {
            let line = format!("{agent}:time=1s,threads={threads}");
            let setup =
                Setup { options: &Options::none(), position: None, random: &mut Random::seeded(0) };
            Ok(Games::open(game, setup, NodesPerSecond { line })?)
        };
        let (mut one, mut two) = (1.0_f64, 0.0_f64);
        for _ in 0..3 {
            one = one.max(nodes(1)?);
            two = two.max(nodes(2)?);
        }
        doubled.push(Doubled { name, nodes_ratio: two / one });
    }
    Ok(doubled)
}

struct NodesPerSecond {
    line: String,
}

impl Visitor for NodesPerSecond {
    type Output = f64;
    fn visit<G: Game>(self, entry: Entry, game: G, mut start: G::Position) -> f64 {
        // From the middle of a game, where no search comes to an early end.
        game.playout(&mut start, G::CHOICES[0], 12, &mut Random::seeded(3));
        let spec = self.line.parse().expect("the benchmark's own line");
        let mut agent =
            ROSTER.agent(&spec, entry.name, &game, 1).expect("the benchmark's own agent");
        // A search that sees no sense in another iteration ends before its time: what counts is the
        // time it took.
        let started = Instant::now();
        let nodes = agent.choose(&game, &start, &Allowance::default(), &Stop::new()).nodes;
        nodes as f64 / started.elapsed().as_secs_f64()
    }
}

/// Positions from random games, judged one after the other.
fn evaluations(size: u16, count: u64) -> Run {
    let game = Amazons::<u128>::new(size, size);
    let positions: Vec<_> = (0..500)
        .map(|index| {
            let mut random = Random::stream(5, index);
            let mut position = game.start(4);
            let turns = u64::from(random.below(u32::from(size * size) / 2));
            game.playout(&mut position, Choice::TwoStage, turns, &mut random);
            position
        })
        .collect();
    if size <= 8 {
        // Boards of up to 64 squares fit one word; the game is opened that way.
        let small = Amazons::<u64>::new(size, size);
        let positions: Vec<_> = positions
            .iter()
            .filter_map(|position| small.read_position(&game.write_position(position)).ok())
            .collect();
        return Box::new(move || judge(&small, &positions, count));
    }
    Box::new(move || judge(&game, &positions, count))
}

fn judge<C: Board>(game: &Amazons<C>, positions: &[Position<C>], count: u64) -> Answer {
    let mut values = Vec::new();
    let mut digest = 0;
    for _ in 0..count / positions.len() as u64 {
        values.clear();
        evaluate_all(game, positions, &mut values);
        digest = values.iter().fold(digest, |digest, value| fold(digest, *value as u64));
    }
    Answer { work: count, digest }
}

/// An agent thinking about twenty positions of random games, so many nodes each.
fn thoughts(game: &str, options: &Options, agent: &'static str, nodes: u64) -> Result<Run, Fault> {
    open(game, options, Thoughts { agent, nodes })
}

struct Thoughts {
    agent: &'static str,
    nodes: u64,
}

impl Visitor for Thoughts {
    type Output = Run;
    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Run {
        let positions: Vec<G::Position> = (0..20)
            .map(|index| {
                let mut random = Random::stream(9, index);
                let mut position = game.fresh_start(&start, &mut random);
                game.playout(&mut position, G::CHOICES[0], 2 * index, &mut random);
                position
            })
            .filter(|position| matches!(game.turn(position), Turn::Player(_)))
            .collect();
        Box::new(move || {
            let allowance = Allowance { nodes: Some(self.nodes), ..Allowance::default() };
            let (mut work, mut digest) = (0, 0);
            for position in &positions {
                // A new agent for each: nothing learnt on one position helps with the next.
                let mut line = self.agent.to_owned();
                if self.agent != "marshal" {
                    line.push_str(":memory=16");
                }
                let spec = line.parse().expect("the benchmark's own line");
                let mut agent =
                    ROSTER.agent(&spec, entry.name, &game, 1).expect("the benchmark's own agent");
                let thought = agent.choose(&game, position, &allowance, &Stop::new());
                work += thought.nodes.max(1);
                let mut after = position.clone();
                thought.actions.iter().for_each(|action| game.play(&mut after, *action));
                digest = fold(digest, game.key(&after));
            }
            Answer { work, digest }
        })
    }
}

fn mailbox_perft(depth: u32) -> Run {
    let game = Amazons::<u128>::new(10, 10);
    let start = game.start(4);
    Box::new(move || {
        let leaves = Mailbox::new(&game, &start).perft(depth);
        Answer { work: leaves, digest: leaves }
    })
}

fn mailbox_playouts(games: u64) -> Run {
    let game = Amazons::<u128>::new(10, 10);
    let start = game.start(4);
    Box::new(move || {
        let mut digest = 0;
        for index in 0..games {
            let mut mailbox = Mailbox::new(&game, &start);
            let length = mailbox.playout_in_two_stages(&mut Random::stream(17, index));
            digest = fold(digest, length);
        }
        Answer { work: games, digest }
    })
}
