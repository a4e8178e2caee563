//! What an agent thinks of a position: its best lines, the stages of a turn, the mistakes of a game.

use serde::{Deserialize, Serialize};
use skirmish_rules::error::ErrorKind;
use skirmish_rules::{
    Entry, Error, Game, Games, Options, Random, Registry, Result, Seat, Setup, Turn, Visitor,
};
use skirmish_search::solve::{Limits, Solution, solve};
use skirmish_search::{Agent, Allowance, Roster, Spec, Stop};

use crate::thought::Thought;

/// What an agent thinks of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Analysis {
    /// The position.
    pub position: String,
    /// Whose turn it is.
    pub seat: Seat,
    /// What to call them.
    pub name: String,
    /// The agent that was asked.
    pub agent: String,
    /// Positions it looked at.
    pub nodes: u64,
    /// Its best lines, best first.
    pub lines: Vec<Line>,
    /// For turns of several steps: what it thinks of each step, given the best choice before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Vec<StepChoice>>,
    /// Who wins for certain, or `draw`, where the position is small enough to be solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solved: Option<String>,
    /// The squares of its turn, in order: what a screen points at.
    pub path: Vec<u16>,
}

/// One way the game could go on.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Line {
    /// The turns, of both players.
    pub turns: Vec<String>,
    /// What it is worth to the player to move, from -1 (lost) to 1 (won).
    pub value: f32,
    /// How often the search went this way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// How many whole turns deep it was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Whether the value is certain.
    pub proven: bool,
}

/// One choice in a stage of a turn.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StepChoice {
    /// The text of the step.
    pub step: String,
    /// The part of the search's visits that went there.
    pub share: f64,
    /// What it is worth to the player to move, from -1 to 1.
    pub value: f32,
}

/// What was thought of one turn of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Annotation {
    /// How many events had happened before it.
    pub ply: usize,
    /// Its number, from 1; 0 in files from before it was kept.
    #[serde(default)]
    pub turn: usize,
    /// Who took it.
    pub seat: Seat,
    /// The turn.
    #[serde(rename = "move")]
    pub text: String,
    /// The turn the agent would have taken.
    pub best: String,
    /// What the position was worth to the first seat before the turn.
    pub value: f32,
    /// The same as the player itself saw it, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_value: Option<f32>,
    /// How much the turn cost the player who took it, against the best.
    pub loss: f32,
    /// Whether that is a lot.
    pub mistake: bool,
}

/// A turn that costs at least this much is a mistake: three tenths between a draw and a win.
pub const MISTAKE: f32 = 0.3;

/// What to analyse, and with whom.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Which game.
    pub game: &'a str,
    /// Its options.
    pub options: &'a Options,
    /// The position; the start if `None`.
    pub position: Option<&'a str>,
    /// Who is asked.
    pub agent: &'a Spec,
    /// Where agents come from.
    pub roster: Roster,
    /// How much it may think.
    pub allowance: Allowance,
    /// How many lines are wanted.
    pub lines: usize,
    /// What everything random is drawn from.
    pub seed: u64,
}

/// Asks an agent about a position.
pub fn analyse(question: &Question<'_>, stop: &Stop) -> Result<Analysis> {
    struct Ask<'a> {
        question: &'a Question<'a>,
        stop: &'a Stop,
    }
    impl Visitor for Ask<'_> {
        type Output = Result<Analysis>;
        fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
            ask(self.question, entry, &game, &start, self.stop)
        }
    }
    let mut random = Random::seeded(question.seed);
    let setup =
        Setup { options: question.options, position: question.position, random: &mut random };
    Games::open(question.game, setup, Ask { question, stop })?
}

/// Enough lines to tell the stages of a turn by.
const STAGE_LINES: usize = 5_000;
/// How many choices of a stage are told.
const STAGE_OPTIONS: usize = 5;

fn ask<G: Game>(
    question: &Question<'_>,
    entry: Entry,
    game: &G,
    position: &G::Position,
    stop: &Stop,
) -> Result<Analysis> {
    let Turn::Player(seat) = game.turn(position) else {
        return Err(Error::new(
            ErrorKind::NotAPlayersTurn,
            format!("no player is to move: {}", game.view(position).status),
        ));
    };
    let mut thinker = question.roster.agent(question.agent, entry.name, game, question.seed)?;
    // A search that counts visits knows about every first turn without extra work; one that does
    // not pays for each line, and is asked only for what is wanted.
    let thought = think(game, position, &mut *thinker, question, stop);
    if thought.lines.is_empty() {
        return Err(Error::new(
            ErrorKind::Option,
            format!("`{}` does not look ahead and has nothing to say", question.agent),
        )
        .hint("ask `alphabeta`, `mcts` or `best`"));
    }
    let lines = thought.lines.iter().take(question.lines.max(1));
    let lines = lines
        .map(|line| Line {
            turns: spell(game, position, &line.actions),
            value: line.value,
            visits: line.visits,
            depth: line.depth,
            proven: line.proven,
        })
        .collect();
    let mut path = Vec::new();
    let mut at = position.clone();
    for &action in &thought.actions {
        path.extend(game.path(&at, action));
        game.play(&mut at, action);
    }
    Ok(Analysis {
        position: game.write_position(position),
        seat,
        name: game.seat_name(seat),
        agent: question.agent.to_string(),
        nodes: thought.nodes,
        lines,
        stages: stages(game, position, &thought),
        solved: solved(entry, game, position, stop),
        path,
    })
}

/// Positions with at most this many turns to come are tried to be solved.
const FEW_TURNS: u64 = 20;
/// Positions the solver may look at meanwhile: a second or so.
const SOLVER_NODES: u64 = 50_000;

fn solved<G: Game>(entry: Entry, game: &G, position: &G::Position, stop: &Stop) -> Option<String> {
    if game.seats() != 2 || game.bound(position)? > FEW_TURNS {
        return None;
    }
    let limits = Limits { nodes: Some(SOLVER_NODES), bytes: Some(32 << 20), ..Limits::default() };
    match solve(entry.name, game, position, &limits, stop).ok()?.solution {
        Solution::Win(winner) => Some(game.seat_name(winner)),
        Solution::Draw => Some("draw".to_owned()),
        Solution::Unknown(_) => None,
    }
}

fn think<G: Game>(
    game: &G,
    position: &G::Position,
    thinker: &mut dyn Agent<G>,
    question: &Question<'_>,
    stop: &Stop,
) -> skirmish_search::Thought<G::Action> {
    let counts_visits = matches!(question.agent.name.as_str(), "mcts" | "best" | "zero");
    thinker.set_lines(if counts_visits { STAGE_LINES } else { question.lines.max(1) });
    thinker.choose(game, position, &question.allowance, stop)
}

/// The actions as turns, each spelled as a whole; a turn the line ends in is left out unless it is
/// the first.
pub fn spell<G: Game>(game: &G, position: &G::Position, actions: &[G::Action]) -> Vec<String> {
    let mut turns = Vec::new();
    let mut text = String::new();
    let mut at = position.clone();
    for &action in actions {
        if !matches!(game.turn(&at), Turn::Player(_)) {
            break;
        }
        game.write_action(&at, action, &mut text);
        game.play(&mut at, action);
        if !game.mid_turn(&at) {
            turns.push(std::mem::take(&mut text).trim_start().to_owned());
        }
    }
    if turns.is_empty() && !text.is_empty() {
        turns.push(text);
    }
    turns
}

/// What the search thinks of each step of the turn, where a turn has several and visits are counted.
fn stages<G: Game>(
    game: &G,
    position: &G::Position,
    thought: &skirmish_search::Thought<G::Action>,
) -> Vec<Vec<StepChoice>> {
    if thought.actions.len() < 2 || thought.lines.iter().any(|line| line.visits.is_none()) {
        return Vec::new();
    }
    let mut stages = Vec::new();
    let mut at = position.clone();
    for (stage, &chosen) in thought.actions.iter().enumerate() {
        let same_so_far =
            thought.lines.iter().filter(|line| line.actions.starts_with(&thought.actions[..stage]));
        let mut options: Vec<(G::Action, u64, f64)> = Vec::new();
        for line in same_so_far {
            let Some(&action) = line.actions.get(stage) else { continue };
            let visits = line.visits.unwrap_or(0) + 1;
            match options.iter_mut().find(|option| option.0 == action) {
                Some(option) => {
                    option.1 += visits;
                    option.2 += visits as f64 * f64::from(line.value);
                }
                None => options.push((action, visits, visits as f64 * f64::from(line.value))),
            }
        }
        let total: u64 = options.iter().map(|option| option.1).sum();
        options.sort_by_key(|option| std::cmp::Reverse(option.1));
        let tell = |(action, visits, value): &(G::Action, u64, f64)| {
            let mut step = String::new();
            game.write_action(&at, *action, &mut step);
            StepChoice {
                step: step.trim_start().to_owned(),
                share: *visits as f64 / total.max(1) as f64,
                value: (value / *visits as f64) as f32,
            }
        };
        stages.push(options.iter().take(STAGE_OPTIONS).map(tell).collect());
        game.play(&mut at, chosen);
    }
    stages
}

/// Judges every turn of a recorded game. `done` is called after each with its place.
pub fn annotate_record(
    record: &crate::record::Record,
    roster: Roster,
    spec: &Spec,
    allowance: Allowance,
    stop: &Stop,
    done: &dyn Fn(usize),
) -> Result<Vec<Annotation>> {
    use crate::record::Event;
    let mut judged = Vec::new();
    // Each position is looked at once: what a turn led to is what the next one starts from.
    let mut values: Vec<Option<(f32, String)>> = Vec::new();
    let mut walk = record.walk()?;
    loop {
        let table = walk.table();
        let value = match table.turn() {
            Turn::Over => Some((table.payoffs()[0], String::new())),
            Turn::Chance { .. } => None,
            Turn::Player(seat) => {
                let position = table.position();
                let question = Question {
                    game: &record.game,
                    options: &record.options,
                    position: Some(&position),
                    agent: spec,
                    roster,
                    allowance,
                    lines: 1,
                    seed: 0,
                };
                let analysis = analyse(&question, stop)?;
                let line = &analysis.lines[0];
                let for_first = if seat.0 == 0 { line.value } else { -line.value };
                Some((for_first, line.turns.first().cloned().unwrap_or_default()))
            }
        };
        values.push(value);
        done(walk.ply());
        if walk.step()?.is_none() {
            break;
        }
    }
    let mut number = 0;
    for (ply, event) in record.events.iter().enumerate() {
        let Event::Move { seat, text, info, .. } = event else { continue };
        number += 1;
        let (Some((before, best)), Some((after, _))) = (&values[ply], &values[ply + 1]) else {
            continue;
        };
        let sign = if seat.0 == 0 { 1.0 } else { -1.0 };
        let loss = if best == text { 0.0 } else { (sign * (before - after)).max(0.0) };
        judged.push(Annotation {
            ply,
            turn: number,
            seat: *seat,
            text: text.clone(),
            best: best.clone(),
            value: *before,
            own_value: (info.as_ref().and_then(Thought::read))
                .and_then(|thought| thought.value)
                .map(|value| sign * value as f32),
            loss,
            mistake: loss >= MISTAKE,
        });
    }
    Ok(judged)
}
