//! Thousands of games at once.
//!
//! A pool plays games in step: every game gives one position, the network evaluates all of them
//! together, and every game goes on until it has the next. No row of a batch is ever empty
//! while games go on, and nothing depends on the number of threads.
//!
//! The same machinery plays games to learn from, games against older networks, matches between two
//! networks and matches against an agent without a network.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skirmish_rules::{Error, ErrorKind, Random, Result, Seat, Turn};
use skirmish_search::{Agent, Allowance, Roster, Spec, Stop};

use crate::answer::{Half, is_finite_half};
use crate::encoding::{Encode, Shape, VERSION};
use crate::gumbel::Gumbel;
use crate::search::{self, LeafStatus, Simulation, Tree};
use crate::shard::{End, Played, Search, pack};

/// Who plays, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The newest network against itself, to learn from.
    SelfPlay,
    /// The newest network (0) against an older one (1), to learn from.
    League,
    /// Network 0 against network 1, in pairs from the same opening, to tell which is better.
    Match,
    /// Network 0 against an agent without a network, likewise.
    Anchor,
}

/// What a pool plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Who plays, and why.
    pub kind: Kind,
    /// Games at once, which is rows per batch.
    pub games: usize,
    /// What everything random is drawn from.
    pub seed: u64,
    /// Simulations of a full search.
    pub simulations: usize,
    /// Simulations of a fast search, which moves the game on without being learned from.
    pub fast_simulations: usize,
    /// The part of the searches that are full ones.
    pub full_chance: f32,
    /// Choices a search considers at the root.
    pub considered: usize,
    /// Random turns before the search takes over: any number up to this many.
    pub opening_plies: u32,
    /// Games where a player gives up when its value is below this; 1 for never.
    pub resign_below: f32,
    /// So many searches in a row.
    pub resign_after: u32,
    /// The part of the games that is played on all the same, to see whether giving up was right.
    pub resign_control: f32,
    /// The agent of an anchor match.
    pub anchor: String,
    /// How the network's expectation counts against values found.
    pub exploration: f32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            kind: Kind::SelfPlay,
            games: 64,
            seed: 1,
            simulations: 32,
            fast_simulations: 12,
            full_chance: 0.25,
            considered: 16,
            opening_plies: 4,
            resign_below: -0.95,
            resign_after: 6,
            resign_control: 0.1,
            anchor: "random".to_owned(),
            exploration: search::Settings::default().exploration,
        }
    }
}

impl Settings {
    fn check(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::new(ErrorKind::Option, message));
        if self.games == 0 || self.games > 1 << 20 {
            return wrong("a pool plays 1 to 1048576 games at once");
        }
        if self.simulations == 0 || self.fast_simulations == 0 || self.considered == 0 {
            return wrong("a search makes at least one simulation and considers one choice");
        }
        if self.simulations > 1 << 20 || self.fast_simulations > 1 << 20 {
            return wrong("a search makes at most 1048576 simulations");
        }
        if !self.is_learning() && !self.games.is_multiple_of(2) {
            return wrong("a match is played in pairs: the number of games is even");
        }
        Ok(())
    }

    fn is_learning(&self) -> bool {
        matches!(self.kind, Kind::SelfPlay | Kind::League)
    }
}

/// Counts since they were last asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Games that ended, and the whole turns those games took after their openings. Turns of games
    /// that go on are not in it, so their ratio is the length of a game.
    games: u64,
    turns: u64,
    searches: u64,
    full_searches: u64,
    evaluations: u64,
    /// The sum of what games were worth to seat 0.
    first: f64,
    draws: u64,
    resigned: u64,
    settled: u64,
    /// Control games in which a player would have resigned, and those in which that was wrong.
    controlled: u64,
    mistaken: u64,
    entropy: f64,
    full_visits: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.games += other.games;
        self.turns += other.turns;
        self.searches += other.searches;
        self.full_searches += other.full_searches;
        self.evaluations += other.evaluations;
        self.first += other.first;
        self.draws += other.draws;
        self.resigned += other.resigned;
        self.settled += other.settled;
        self.controlled += other.controlled;
        self.mistaken += other.mistaken;
        self.entropy += other.entropy;
        self.full_visits += other.full_visits;
    }
}

/// The seat of the anchor agent, in place of a network's number.
const ANCHOR: u8 = 2;

/// One of the games.
struct Slot<G: Encode> {
    number: u64,
    random: Random,
    /// Which network sits at which seat.
    nets: [u8; 2],
    anchor: Option<Box<dyn Agent<G>>>,
    position: G::Position,
    start: G::Position,
    tree: Tree<G>,
    simulation: Simulation<G>,
    is_waiting: bool,
    gumbel: Gumbel,
    is_full: bool,
    is_searching: bool,
    actions: Vec<u16>,
    /// Whole turns among the actions.
    turns: u64,
    searches: Vec<Search>,
    /// Searches in a row in which each seat saw itself lost.
    hopeless: [u32; 2],
    /// A control game: played on after a player would have resigned, and which.
    is_control: bool,
    would_resign: Option<u8>,
    finished: Vec<Played>,
    counts: Counts,
    /// Set when a match game is over, nothing more to play: what it was worth to network 0.
    score: Option<f32>,
    legal: Vec<G::Action>,
    policy: Vec<f32>,
}

/// Many games at once.
pub struct Pool<G: Encode> {
    name: &'static str,
    game: G,
    start: G::Position,
    shape: Shape,
    settings: Settings,
    slots: Vec<Slot<G>>,
    is_asked: bool,
    /// Rows that were answered since this was last asked for, empty ones included.
    answered: u64,
}

impl<G: Encode> Pool<G> {
    /// A pool of games that have not begun.
    pub fn new(
        name: &'static str,
        game: G,
        start: G::Position,
        settings: Settings,
    ) -> Result<Pool<G>> {
        settings.check()?;
        let mut slots = Vec::with_capacity(settings.games);
        for number in 0..settings.games as u64 {
            let anchor = match settings.kind {
                Kind::Anchor => {
                    let spec: Spec = settings.anchor.parse()?;
                    let seed = Random::stream(settings.seed ^ 0xa2c4, number).word();
                    Some(Roster::built_in().agent(&spec, name, &game, seed)?)
                }
                _ => None,
            };
            let weights = search::Settings {
                exploration: settings.exploration,
                ..search::Settings::default()
            };
            slots.push(Slot {
                number,
                random: Random::seeded(0),
                nets: [0, 0],
                anchor,
                position: start.clone(),
                start: start.clone(),
                tree: Tree::new(weights),
                simulation: Simulation::new(start.clone()),
                is_waiting: false,
                gumbel: Gumbel::default(),
                is_full: false,
                is_searching: false,
                actions: Vec::new(),
                turns: 0,
                searches: Vec::new(),
                hopeless: [0; 2],
                is_control: false,
                would_resign: None,
                finished: Vec::new(),
                counts: Counts::default(),
                score: None,
                legal: Vec::new(),
                policy: Vec::new(),
            });
        }
        let shape = game.shape();
        let mut pool =
            Pool { name, game, start, shape, settings, slots, is_asked: false, answered: 0 };
        let Pool { game, start, settings, slots, .. } = &mut pool;
        slots.par_iter_mut().for_each(|slot| slot.begin(game, start, settings));
        Ok(pool)
    }

    /// What goes into the network and what comes out.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The game's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Rows per batch.
    pub fn rows(&self) -> usize {
        self.slots.len()
    }

    /// Changes how many simulations full and fast searches make, from the next search on.
    pub fn set_simulations(&mut self, full: usize, fast: usize) -> Result<()> {
        let settings =
            Settings { simulations: full, fast_simulations: fast, ..self.settings.clone() };
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Puts the answers to the last rows into the trees and writes the next rows, and for each which
    /// network is to evaluate it. The first call has no answers. Rows of match games that are over are
    /// all zero.
    pub fn step(
        &mut self,
        answers: Option<&[u16]>,
        rows: &mut [u8],
        nets: &mut [u8],
    ) -> Result<()> {
        let (count, row_bytes) = (self.slots.len(), self.shape.row_bytes());
        let wrong = |message: String| Err(Error::new(ErrorKind::Option, message));
        if rows.len() != count * row_bytes || nets.len() != count {
            return wrong(format!(
                "the buffers have {} and {} bytes, not {count} rows of {row_bytes} and {count}",
                rows.len(),
                nets.len()
            ));
        }
        if answers.is_some() != self.is_asked {
            return wrong("answers are due exactly when rows have been given".to_owned());
        }
        let answer = self.shape.answer();
        if let Some(answers) = answers {
            if answers.len() != count * answer {
                return wrong(format!(
                    "there are {} numbers in the answers, not {count} times {answer}",
                    answers.len()
                ));
            }
            // Without a way out of the inner loop it is done many numbers at a time.
            let is_sound =
                |part: &[u16]| part.iter().fold(true, |all, bits| all & is_finite_half(*bits));
            if !answers.par_chunks(1 << 14).all(is_sound) {
                return wrong("the network answered with a NaN or an infinite number".to_owned());
            }
        }
        if self.is_asked {
            self.answered += count as u64;
        }
        self.is_asked = true;
        let Pool { game, start, settings, slots, shape, .. } = self;
        let work = slots.par_iter_mut().zip(rows.par_chunks_mut(row_bytes)).zip(nets);
        work.enumerate().with_min_len(8).for_each(|(number, ((slot, row), net))| {
            if slot.is_waiting {
                let answers = answers.expect("rows were given, so answers are due");
                let answer = &answers[number * shape.answer()..][..shape.answer()];
                slot.tree.answer(game, &slot.simulation, &Half(answer));
                slot.is_waiting = false;
                slot.counts.evaluations += 1;
            }
            row.fill(0);
            *net = 0;
            slot.run(game, start, settings);
            if slot.is_waiting {
                game.encode(&slot.simulation.position, row);
                let Turn::Player(seat) = game.turn(&slot.position) else {
                    unreachable!("only games that go on are searched")
                };
                *net = slot.nets[seat.index()];
            }
        });
        Ok(())
    }

    /// The games that ended since this was last asked, as gzip members for a shard; empty if none.
    pub fn take_games(&mut self) -> Vec<u8> {
        let games: Vec<Played> =
            self.slots.iter_mut().flat_map(|slot| slot.finished.drain(..)).collect();
        // A gzip member is packed by one core while the games wait: so there are many small ones.
        let members: Vec<Vec<u8>> = games.par_chunks(32).map(pack).collect();
        members.concat()
    }

    /// Counts since this was last asked. A ratio is of counts from the same games: `turns_per_game`
    /// is about games that ended, `policy_entropy` about full searches; `evaluations` are the `rows`
    /// that held a position.
    pub fn statistics(&mut self) -> Value {
        let mut sum = Counts::default();
        for slot in &mut self.slots {
            sum.add(&std::mem::take(&mut slot.counts));
        }
        let part = |whole: f64, of: u64| if of == 0 { None } else { Some(whole / of as f64) };
        let rows = std::mem::take(&mut self.answered);
        json!({
            "rows": rows,
            "games": sum.games,
            "turns": sum.turns,
            "searches": sum.searches,
            "full_searches": sum.full_searches,
            "evaluations": sum.evaluations,
            "turns_per_game": part(sum.turns as f64, sum.games),
            "first_player_score": part(0.5 * (sum.first + sum.games as f64), sum.games),
            "draws": sum.draws,
            "resigned": sum.resigned,
            "settled": sum.settled,
            "resign_controlled": sum.controlled,
            "resign_mistaken": sum.mistaken,
            "policy_entropy": part(sum.entropy, sum.full_searches),
        })
    }

    /// How a match stands for network 0: games over, won, drawn and lost, and what each finished pair
    /// of games came to, from 0 to 2.
    pub fn results(&self) -> Value {
        let scores: Vec<Option<f32>> = self.slots.iter().map(|slot| slot.score).collect();
        let count = |score: f32| scores.iter().filter(|found| **found == Some(score)).count();
        let pairs: Vec<f32> = scores
            .chunks(2)
            .filter_map(|pair| Some((*pair.first()?)? + (*pair.get(1)?)?))
            .collect();
        let games = scores.iter().flatten().count();
        json!({
            "games": games,
            "done": games == self.slots.len(),
            "wins": count(1.0),
            "draws": count(0.5),
            "losses": count(0.0),
            "pairs": pairs,
        })
    }
}

impl<G: Encode> Slot<G> {
    /// Begins a new game.
    fn begin(&mut self, game: &G, start: &G::Position, settings: &Settings) {
        let is_match = !settings.is_learning();
        // Both games of a pair open alike.
        let opening = if is_match { self.number / 2 } else { self.number };
        self.random = Random::stream(settings.seed, opening);
        let most = settings.opening_plies;
        let turns = if is_match { most } else { self.random.below(most + 1) };
        self.position = open(game, start, turns, &mut self.random);
        let is_second = if is_match { self.number % 2 == 1 } else { self.random.below(2) == 1 };
        self.nets = match settings.kind {
            Kind::SelfPlay => [0, 0],
            Kind::League | Kind::Match => [0, 1],
            Kind::Anchor => [0, ANCHOR],
        };
        if is_second {
            self.nets.reverse();
        }
        self.is_control = is_match
            || settings.resign_below <= -1.0
            || self.random.below(1_000) < (settings.resign_control * 1_000.0) as u32;
        self.start = self.position.clone();
        self.tree.clear();
        self.is_searching = false;
        self.actions.clear();
        self.turns = 0;
        self.searches.clear();
        self.hopeless = [0; 2];
        self.would_resign = None;
    }

    /// Goes on until a position has to be evaluated, or for a match until the game is over.
    fn run(&mut self, game: &G, start: &G::Position, settings: &Settings) {
        while self.score.is_none() {
            if !self.is_searching && !self.prepare(game, start, settings) {
                continue;
            }
            let first = if self.tree.is_begun() {
                if self.gumbel.is_done() {
                    self.decide(game, settings);
                    continue;
                }
                if !self.gumbel.is_begun() {
                    self.begin_search(settings);
                }
                Some(self.gumbel.next(&self.tree))
            } else {
                None
            };
            let status = self.tree.select_leaf(game, &self.position, first, &mut self.simulation);
            if status == LeafStatus::Unevaluated {
                self.is_waiting = true;
                return;
            }
        }
    }

    fn begin_search(&mut self, settings: &Settings) {
        let is_match = !settings.is_learning();
        let (considered, simulations) = if self.is_full {
            (settings.considered, settings.simulations)
        } else {
            (settings.considered.min(8), settings.fast_simulations)
        };
        let random = if is_match { None } else { Some(&mut self.random) };
        self.gumbel.begin(self.tree.choices().len(), considered, simulations, random);
    }

    /// Looks at the position to move in: true when a search is to begin, false when the game went on
    /// by itself.
    fn prepare(&mut self, game: &G, start: &G::Position, settings: &Settings) -> bool {
        let seat = match game.turn(&self.position) {
            Turn::Player(seat) => seat,
            _ => {
                let result = game.payoff(&self.position, Seat(0));
                self.finish(game, start, settings, result, End::Over);
                return false;
            }
        };
        if G::STOPS_WHEN_SETTLED
            && let Some(result) = game.settled(&self.position)
        {
            self.finish(game, start, settings, result, End::Settled);
            return false;
        }
        if let (false, Some(loser)) = (self.is_control, self.would_resign) {
            let result = if loser == 0 { -1.0 } else { 1.0 };
            self.finish(game, start, settings, result, End::Resigned);
            return false;
        }
        if self.nets[seat.index()] == ANCHOR {
            let anchor = self.anchor.as_mut().expect("an anchor's slot has an agent");
            let thought = anchor.choose(game, &self.position, &Allowance::default(), &Stop::new());
            for action in thought.actions {
                self.play(game, action);
            }
            return false;
        }
        self.legal.clear();
        game.actions(&self.position, &mut self.legal);
        if let [only] = self.legal[..] {
            self.play(game, only);
            return false;
        }
        self.is_full = !settings.is_learning()
            || self.random.below(10_000) < (settings.full_chance * 10_000.0) as u32;
        self.tree.clear();
        self.gumbel.reset();
        self.is_searching = true;
        true
    }

    /// The search is over: learn from it, and play what it found.
    fn decide(&mut self, game: &G, settings: &Settings) {
        let Turn::Player(seat) = game.turn(&self.position) else {
            unreachable!("only games that go on are searched")
        };
        let choice = self.gumbel.choice(&self.tree);
        let value = self.tree.certain(choice).unwrap_or_else(|| self.tree.value());
        self.counts.searches += 1;
        if self.is_full && settings.is_learning() && self.nets[seat.index()] == 0 {
            self.gumbel.policy(&self.tree, &mut self.policy);
            let mut policy = Vec::new();
            for (edge, part) in self.tree.choices().iter().zip(&self.policy) {
                if *part > 0.0 {
                    self.counts.entropy -= f64::from(part * part.ln());
                }
                let part = (part * 10_000.0).round() as u16;
                if part > 0 {
                    policy.push((game.index(&self.position, edge.action), part));
                }
            }
            self.counts.full_searches += 1;
            let ply = self.actions.len() as u32;
            // Four digits are plenty, and pack well.
            let value = (value * 1_000.0).round() / 1_000.0;
            self.searches.push(Search { ply, value, policy });
        }
        let hopeless = &mut self.hopeless[seat.index()];
        *hopeless = if value < settings.resign_below { *hopeless + 1 } else { 0 };
        if *hopeless >= settings.resign_after && self.would_resign.is_none() {
            self.would_resign = Some(seat.0 as u8);
        }
        let action = self.tree.choices()[choice].action;
        self.is_searching = false;
        self.play(game, action);
    }

    fn play(&mut self, game: &G, action: G::Action) {
        self.actions.push(game.index(&self.position, action));
        game.play(&mut self.position, action);
        let goes_on =
            game.mid_turn(&self.position) && matches!(game.turn(&self.position), Turn::Player(_));
        self.turns += u64::from(!goes_on);
    }

    fn finish(
        &mut self,
        game: &G,
        start: &G::Position,
        settings: &Settings,
        result: f32,
        end: End,
    ) {
        let counts = &mut self.counts;
        counts.games += 1;
        counts.turns += self.turns;
        counts.first += f64::from(result);
        counts.draws += u64::from(result == 0.0);
        counts.settled += u64::from(end == End::Settled);
        counts.resigned += u64::from(end == End::Resigned);
        if let (true, Some(seat)) = (self.is_control, self.would_resign) {
            counts.controlled += 1;
            let lost = if seat == 0 { result < 0.0 } else { result > 0.0 };
            counts.mistaken += u64::from(!lost);
        }
        self.finished.push(Played {
            encoding: VERSION,
            start: game.write_position(&self.start),
            nets: self.nets,
            result,
            end,
            actions: std::mem::take(&mut self.actions),
            searches: std::mem::take(&mut self.searches),
        });
        if settings.is_learning() {
            // The next game of this slot has a number of its own.
            self.number += settings.games as u64;
            self.begin(game, start, settings);
        } else {
            let sign = if self.nets[0] == 0 { 1.0 } else { -1.0 };
            self.score = Some(0.5 + 0.5 * sign * result);
        }
    }
}

/// Random turns from the start: none that ends the game, and no opening that is settled already.
fn open<G: Encode>(game: &G, start: &G::Position, turns: u32, random: &mut Random) -> G::Position {
    let mut position = start.clone();
    for _attempt in 0..20 {
        position.clone_from(start);
        for _ in 0..turns {
            let (mut chosen, mut rolls) = (Vec::new(), Vec::new());
            let mut next = position.clone();
            game.random_turn(&mut next, G::CHOICES[0], random, &mut chosen, &mut rolls);
            if game.turn(&next) == Turn::Over {
                break;
            }
            position = next;
        }
        if game.settled(&position).is_none() {
            return position;
        }
    }
    start.clone()
}
