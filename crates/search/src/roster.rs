//! Every agent by name.
//!
//! An agent that works for every game of skill for two is one arm in `on_tree`. A game whose
//! positions this crate can evaluate is one line in `with_tree`; every other game gets its searches
//! from the list of games, with [`OwnHeuristics`]. Everything here is compiled once; what other crates
//! instantiate is [`Roster::agent`] alone, which is thin. (Generic all the way, the searches were compiled for every game in every crate that
//! asked for an agent, and took half of the build.)

use std::any::Any;
use std::sync::Arc;

use skirmish_rules::cells::Wide;
use skirmish_rules::error::{ErrorKind, nearest, quote};
use skirmish_rules::games::amazons::Amazons;
use skirmish_rules::games::game17::{Action as Game17Action, Game17};
use skirmish_rules::games::in_trap::InTrap;
use skirmish_rules::games::watch_your_back::{Position as WatchYourBackPosition, WatchYourBack};
use skirmish_rules::{
    Choice, Entry, Error, Game, Games, Options, Random, Registry, Result, Setup, Visitor,
};

use crate::agent::{Agent, Allowance, Budget, Line, Stop, Thought};
use crate::alphabeta;
use crate::amazons::{EndgameAgent, Turns};
use crate::in_trap;
use crate::mcts;
use crate::minimax::{end_value, negamax};
use crate::spec::Spec;
use crate::transposition::Table;
use crate::tree::{MoveMapping, OwnHeuristics, PROVEN, Steps, Tree, WIN};
use crate::watch_your_back;

/// Which games an agent plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plays {
    /// All of them.
    Everything,
    /// Games of skill for two.
    Duels,
    /// The games with these names.
    Only(&'static [&'static str]),
}

/// What an agent is, for lists.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// The games it plays.
    pub plays: Plays,
    /// What it does.
    pub summary: &'static str,
    /// Its settings.
    pub settings: &'static str,
}

/// All agents.
pub const AGENTS: &[Description] = &[
    Description {
        name: "random",
        plays: Plays::Everything,
        summary: "any legal turn",
        settings: "",
    },
    Description {
        name: "greedy",
        plays: Plays::Duels,
        summary: "the turn that looks best at once",
        settings: "",
    },
    Description {
        name: "negamax",
        plays: Plays::Duels,
        summary: "plain minimax to a fixed depth",
        settings: "depth (default 2)",
    },
    Description {
        name: "alphabeta",
        plays: Plays::Duels,
        summary: "deepening alpha-beta search",
        settings: "time, nodes, depth, threads, memory (MiB), quiescence, reductions, table, endings, \
                   width",
    },
    Description {
        name: "mcts",
        plays: Plays::Duels,
        summary: "Monte Carlo tree search",
        settings: "time, nodes, threads, memory (MiB), exploration, widening, moves, minimax, \
                   leaf (evaluate|playout), plies, reuse",
    },
    Description {
        name: "best",
        plays: Plays::Duels,
        summary: "the strongest of these for the game, by our own matches",
        settings: "those of the agent it stands for",
    },
    Description {
        name: "mirror",
        plays: Plays::Only(&["watch-your-back"]),
        summary: "black mirrors white's placements while it is sound, then alpha-beta",
        settings: "those of alphabeta",
    },
    Description {
        name: "heuristic",
        plays: Plays::Only(&["in-trap"]),
        summary: "one ply: pieces, mana, spawners attacked",
        settings: "",
    },
    Description {
        name: "zombie",
        plays: Plays::Only(&["game17"]),
        summary: "every piece to a random side",
        settings: "",
    },
    Description {
        name: "hunter",
        plays: Plays::Only(&["game17"]),
        summary: "sends each stack where it can win",
        settings: "",
    },
    Description {
        name: "marshal",
        plays: Plays::Only(&["game17"]),
        summary: "looks ahead over the turn order, concentrates, guards, spreads late",
        settings: "trials (default 1)",
    },
];

/// How an agent of another crate is described and built.
#[derive(Clone, Copy, Debug)]
pub struct AgentFactory {
    /// What it is.
    pub description: Description,
    /// Builds it for a game, given as its concrete type, with a seed for what it draws at random.
    pub build: fn(&Spec, &dyn Any, u64) -> Result<Option<ErasedAgent>>,
}

/// An agent for one concrete game: a `Box<dyn Agent<…>>` of that game, with its type put aside.
pub type ErasedAgent = Box<dyn Any>;

/// Puts the type of an agent aside.
pub fn erase<G: Game>(agent: Box<dyn Agent<G>>) -> ErasedAgent {
    Box::new(agent)
}

/// Every agent there is, by name: those of this crate, and those that other crates add.
#[derive(Clone, Copy, Debug)]
pub struct Roster {
    factories: &'static [AgentFactory],
}

/// What a search may use when nothing was said.
const DEFAULT: Allowance =
    Allowance { time: Some(std::time::Duration::from_millis(200)), nodes: None, depth: None };
/// MiB for tables and trees when nothing was said.
const DEFAULT_MEMORY: u64 = 64;

impl Roster {
    /// The agents of this crate.
    pub const fn built_in() -> Roster {
        Roster { factories: &[] }
    }

    /// The agents of this crate, and those that these factories build.
    pub const fn with(factories: &'static [AgentFactory]) -> Roster {
        Roster { factories }
    }

    /// What there is, added agents last.
    pub fn descriptions(&self) -> impl Iterator<Item = &'static Description> + use<> {
        AGENTS.iter().chain(self.factories.iter().map(|factory| &factory.description))
    }

    /// The names of the agents that play the named game with so many seats.
    pub fn playable(&self, game: &str, seats: u16) -> Vec<&'static str> {
        let plays = |agent: &&Description| agent.plays(game, seats);
        self.descriptions().filter(plays).map(|agent| agent.name).collect()
    }

    /// Builds the agent that `spec` names for a game. What it draws at random comes from `seed`.
    pub fn agent<G: Game>(
        &self,
        spec: &Spec,
        name: &str,
        game: &G,
        seed: u64,
    ) -> Result<Box<dyn Agent<G>>> {
        let seats = game.seats();
        if let Some(agent) = self.erased(spec, name, game, &|| game.options(), seats, seed)? {
            return agent.downcast().map(|agent| *agent).map_err(|_| not_for(spec, name));
        }
        // The one agent that needs nothing but the rules, and so plays games of any registry.
        if spec.name == "random" {
            spec.allow(&[])?;
            return Ok(Box::new(RandomAgent { random: Random::seeded(seed) }));
        }
        Err(not_for(spec, name))
    }

    /// Everything that does not depend on the game's type: compiled here, once.
    fn erased(
        &self,
        spec: &Spec,
        name: &str,
        game: &dyn Any,
        options: &dyn Fn() -> Options,
        seats: u16,
        seed: u64,
    ) -> Result<Option<ErasedAgent>> {
        let Some(described) = self.descriptions().find(|agent| agent.name == spec.name) else {
            return Err(self.unknown(&spec.name));
        };
        if !described.plays(name, seats) {
            let players = self.playable(name, seats).join(", ");
            let message = format!("`{}` does not play {}", spec.name, quote(name));
            return Err(Error::new(ErrorKind::Option, message)
                .hint(format!("{name} is played by {players}")));
        }
        let random = Random::seeded(seed);
        let factory = self.factories.iter().find(|added| added.description.name == spec.name);
        match (factory, spec.name.as_str()) {
            (Some(factory), _) => (factory.build)(spec, game, seed),
            (None, "random") => Ok(None),
            (None, "zombie" | "hunter" | "marshal") => commander(spec, random),
            (None, "heuristic") => heuristic(spec, game, &random),
            (None, "mirror") => mirror(spec, game),
            _ => searcher(spec, name, game, options, random),
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let names: Vec<&str> = self.descriptions().map(|agent| agent.name).collect();
        let meant = nearest(name, names.iter().copied());
        let meant = meant.map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
        Error::new(ErrorKind::Option, format!("unknown agent {}", quote(name)))
            .hint(format!("{meant}known agents: {}", names.join(", ")))
    }
}

impl Description {
    fn plays(&self, game: &str, seats: u16) -> bool {
        match self.plays {
            Plays::Everything => true,
            Plays::Duels => seats == 2 && !Games::entry(game).is_ok_and(|entry| entry.has_chance),
            Plays::Only(games) => games.contains(&game),
        }
    }
}

fn not_for(spec: &Spec, name: &str) -> Error {
    let message = format!("`{}` cannot be had for {}", spec.name, quote(name));
    Error::new(ErrorKind::Option, message)
}

/// Something to be done with the tree that suits a game best.
pub(crate) trait TreeVisitor {
    /// What comes of it.
    type Output;
    /// Does it; `best` names the search that is strongest there.
    fn visit<G: Game, T: MoveMapping<G> + 'static>(
        self,
        tree: T,
        best: &'static str,
    ) -> Self::Output;
}

/// Finds the tree for a game: with what this crate knows about it, or else with what the game says
/// itself. `None` for games of other registries.
pub(crate) fn with_tree<V: TreeVisitor>(
    name: &str,
    game: &dyn Any,
    options: &dyn Fn() -> Options,
    visitor: V,
) -> Result<Option<V::Output>> {
    macro_rules! known {
        ($($type:ty => $tree:expr, $best:expr;)+) => {
            $(if let Some(game) = game.downcast_ref::<$type>() {
                return Ok(Some(visitor.visit::<$type, _>(($tree)(game.clone()), $best)));
            })+
        };
    }
    known! {
        WatchYourBack => |game| Steps::new(game, watch_your_back::WatchYourBackEvaluator), "alphabeta";
        InTrap<u64, 9> => in_trap::tree, "alphabeta";
        InTrap<u64, 64> => in_trap::tree, "alphabeta";
        InTrap<Wide<7>, 9> => in_trap::tree, "alphabeta";
        InTrap<Wide<7>, 64> => in_trap::tree, "alphabeta";
        Amazons<u64> => Turns::new, "mcts";
        Amazons<u128> => Turns::new, "mcts";
        Amazons<Wide<11>> => Turns::new, "mcts";
    }

    /// Only the list of games knows the types of the others.
    struct Generic<'a, V>(&'a dyn Any, V);
    impl<V: TreeVisitor> Visitor for Generic<'_, V> {
        type Output = Option<V::Output>;
        fn visit<G: Game>(self, _: Entry, _: G, start: G::Position) -> Self::Output {
            // Known when this is compiled, so that games with engines of their own get no copy.
            if const { G::GENERIC_ENGINES } {
                let game = self.0.downcast_ref::<G>()?;
                let heuristics = OwnHeuristics::new(game, &start);
                let best = if heuristics.has_estimate() { "alphabeta" } else { "mcts" };
                Some(self.1.visit::<G, _>(Steps::new(game.clone(), heuristics), best))
            } else {
                None
            }
        }
    }
    if Games::entry(name).is_err() {
        return Ok(None);
    }
    let (options, mut random) = (options(), Random::seeded(0));
    let setup = Setup { options: &options, position: None, random: &mut random };
    Games::open(name, setup, Generic(game, visitor))
}

/// The searches, with whatever is known about the game.
fn searcher(
    spec: &Spec,
    name: &str,
    game: &dyn Any,
    options: &dyn Fn() -> Options,
    random: Random,
) -> Result<Option<ErasedAgent>> {
    struct Build<'a>(&'a Spec, Random);
    impl TreeVisitor for Build<'_> {
        type Output = Result<ErasedAgent>;
        fn visit<G: Game, T: MoveMapping<G> + 'static>(
            self,
            tree: T,
            best: &'static str,
        ) -> Self::Output {
            Ok(erase::<G>(on_tree(self.0, tree, self.1, best)?))
        }
    }
    let Some(agent) = with_tree(name, game, options, Build(spec, random))? else { return Ok(None) };
    let agent = agent?;
    macro_rules! amazons_on {
        ($($cells:ty),+) => {
            $(if let Some(game) = game.downcast_ref::<Amazons<$cells>>() {
                let inner = *agent.downcast().expect("an agent for this game");
                // Greedy and negamax stay what their names say.
                let counts = !matches!(spec.name.as_str(), "greedy" | "negamax");
                let agent = Box::new(EndgameAgent::new(game, inner, counts));
                return Ok(Some(erase::<Amazons<$cells>>(agent)));
            })+
        };
    }
    amazons_on!(u64, u128, Wide<11>);
    Ok(Some(agent))
}

fn on_tree<G: Game, T: MoveMapping<G> + 'static>(
    spec: &Spec,
    tree: T,
    random: Random,
    best: &str,
) -> Result<Box<dyn Agent<G>>> {
    let name = if spec.name == "best" { best } else { &spec.name };
    Ok(match name {
        "greedy" => {
            spec.allow(&[])?;
            Box::new(Greedy { tree, random })
        }
        "negamax" => {
            spec.allow(&["depth"])?;
            let depth = spec.whole("depth", 20)?.map(|depth| depth as u32);
            Box::new(Negamax { tree, depth })
        }
        "alphabeta" => Box::new(alphabeta_agent(spec, tree)?),
        "mcts" => Box::new(mcts_agent(spec, tree, random)?),
        _ => unreachable!("the other agents have arms of their own"),
    })
}

fn own_allowance(spec: &Spec) -> Result<Allowance> {
    Ok(Allowance {
        time: spec.time("time")?,
        nodes: spec.whole("nodes", u64::MAX)?,
        depth: spec.whole("depth", u64::from(alphabeta::DEEPEST))?.map(|depth| depth as u32),
    })
}

fn alphabeta_agent<T: Tree>(spec: &Spec, tree: T) -> Result<AlphaBeta<T>> {
    spec.allow(&[
        "time",
        "nodes",
        "depth",
        "threads",
        "memory",
        "quiescence",
        "reductions",
        "table",
        "endings",
        "width",
    ])?;
    let usual = tree.alphabeta_settings();
    let memory = spec.whole("memory", 1 << 14)?.unwrap_or(DEFAULT_MEMORY) as usize;
    // A fixed depth means the plain thing: every move, however long it takes.
    let fixed = spec.whole("depth", 100)?.is_some() && spec.time("time")?.is_none();
    let width = if fixed { 0 } else { usual.width };
    let reductions = spec.switch("reductions")?.unwrap_or(usual.reductions);
    Ok(AlphaBeta {
        settings: alphabeta::Settings {
            quiescence: spec.switch("quiescence")?.unwrap_or(usual.quiescence),
            reductions,
            table: spec.switch("table")?.unwrap_or(usual.table),
            endings: spec.switch("endings")?.unwrap_or(usual.endings),
            width: spec.whole("width", 1 << 20)?.map_or(width, |width| width as usize),
            threads: spec.whole("threads", 256)?.unwrap_or(1) as usize,
            lines: 1,
            // Reductions stand for everything that looks at less than all moves.
            margin: if reductions { usual.margin } else { 0 },
            growth: usual.growth,
        },
        own: own_allowance(spec)?,
        table: Arc::new(Table::with_bytes(memory << 20)),
        tree,
    })
}

fn mcts_agent<T: Tree>(spec: &Spec, tree: T, random: Random) -> Result<Mcts<T>> {
    spec.allow(&[
        "time",
        "nodes",
        "threads",
        "memory",
        "exploration",
        "widening",
        "moves",
        "minimax",
        "leaf",
        "plies",
        "reuse",
    ])?;
    let usual = tree.mcts_settings();
    let memory = spec.whole("memory", 1 << 14)?.unwrap_or(4 * DEFAULT_MEMORY) as usize;
    let decimal = |key, most, usual: f32| -> Result<f32> {
        Ok(spec.decimal(key, most)?.map_or(usual, |value| value as f32))
    };
    let leaf = match spec.word("leaf", &["evaluate", "playout"])? {
        Some("evaluate") => mcts::Leaf::Evaluate,
        Some(_) => mcts::Leaf::Playout,
        None => usual.leaf,
    };
    Ok(Mcts {
        settings: mcts::Settings {
            exploration: decimal("exploration", 10.0, usual.exploration)?,
            widening: decimal("widening", 1e6, usual.widening)?,
            most_moves: spec.whole("moves", 1 << 20)?.map_or(usual.most_moves, |n| n as usize),
            minimax: decimal("minimax", 1.0, usual.minimax)?,
            leaf,
            plies: spec.whole("plies", 10_000)?.map_or(usual.plies, |plies| plies as u32),
            threads: spec.whole("threads", 256)?.unwrap_or(1) as usize,
            lines: 1,
            bytes: memory << 20,
        },
        own: own_allowance(spec)?,
        reuse: spec.switch("reuse")?.unwrap_or(true),
        random,
        memory: None,
        tree,
    })
}

fn mirror(spec: &Spec, game: &dyn Any) -> Result<Option<ErasedAgent>> {
    let Some(game) = game.downcast_ref::<WatchYourBack>() else { return Ok(None) };
    let tree = Steps::new(*game, watch_your_back::WatchYourBackEvaluator);
    let rest = Box::new(alphabeta_agent(spec, tree.clone())?);
    let seen = WatchYourBackPosition::start();
    Ok(Some(erase(Box::new(watch_your_back::Mirror { tree, rest, seen }))))
}

fn heuristic(spec: &Spec, game: &dyn Any, random: &Random) -> Result<Option<ErasedAgent>> {
    spec.allow(&[])?;
    macro_rules! sizes {
        ($($type:ty),+) => {
            $(if game.is::<$type>() {
                let agent = Box::new(in_trap::Heuristic { random: random.clone() });
                return Ok(Some(erase::<$type>(agent)));
            })+
        };
    }
    sizes!(InTrap<u64, 9>, InTrap<u64, 64>, InTrap<Wide<7>, 9>, InTrap<Wide<7>, 64>);
    Ok(None)
}

/// The players of Game 17.
fn commander(spec: &Spec, random: Random) -> Result<Option<ErasedAgent>> {
    spec.allow(if spec.name == "marshal" { &["trials"] } else { &[] })?;
    let usual = crate::game17::Settings::default();
    let trials = spec.whole("trials", 1_000)?.map_or(usual.trials, |trials| trials as _);
    let marshal = crate::game17::Marshal::new(crate::game17::Settings { trials });
    let plan = match spec.name.as_str() {
        "zombie" => Plan::Zombie,
        "hunter" => Plan::Hunter,
        _ => Plan::Marshal(Box::new(marshal)),
    };
    Ok(Some(erase::<Game17>(Box::new(Commander { random, plan }))))
}

struct Commander {
    random: Random,
    plan: Plan,
}

enum Plan {
    Zombie,
    Hunter,
    Marshal(Box<crate::game17::Marshal>),
}

impl Agent<Game17> for Commander {
    fn choose(
        &mut self,
        game: &Game17,
        position: &skirmish_rules::games::game17::Position,
        _: &Allowance,
        _: &Stop,
    ) -> Thought<Game17Action> {
        let mut orders = Vec::new();
        let random = &mut self.random;
        match &mut self.plan {
            Plan::Zombie => game.zombie_orders(position, random, &mut orders),
            Plan::Hunter => crate::game17::hunter(game, position, random, &mut orders),
            Plan::Marshal(marshal) => marshal.orders(game, position, random, &mut orders),
        }
        let orders = orders.into_iter().map(Game17Action::Order);
        Thought::simple(orders.chain([Game17Action::End]).collect())
    }
}

/// Any legal turn.
struct RandomAgent {
    random: Random,
}

impl<G: Game> Agent<G> for RandomAgent {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        _: &Allowance,
        _: &Stop,
    ) -> Thought<G::Action> {
        let mut actions = Vec::new();
        let mut after = position.clone();
        let choice = if game.mid_turn(position) { Choice::Steps } else { G::CHOICES[0] };
        game.random_turn(&mut after, choice, &mut self.random, &mut actions, &mut Vec::new());
        Thought::simple(actions)
    }
}

/// The moves up to the end of the turn, as actions. Where a line ends early, the turn goes on with
/// what looks best.
fn whole_turn<G: Game, T: MoveMapping<G>>(
    tree: &T,
    state: &T::State,
    line: &[T::Move],
) -> Vec<G::Action> {
    let mut actions = Vec::new();
    let mut state = state.clone();
    let mut rest = line.iter().copied();
    loop {
        let mv = rest.next().unwrap_or_else(|| tree.best_moves(&state, 1)[0].0);
        tree.actions(mv, &mut actions);
        tree.play(&mut state, mv);
        if tree.is_between_turns(&state) || tree.mover(&state).is_none() {
            return actions;
        }
    }
}

fn spelled<G: Game, T: MoveMapping<G>>(tree: &T, moves: &[T::Move]) -> Vec<G::Action> {
    let mut actions = Vec::new();
    for &mv in moves {
        tree.actions(mv, &mut actions);
    }
    actions
}

/// The turn that looks best at once.
struct Greedy<T> {
    tree: T,
    random: Random,
}

impl<G: Game, T: MoveMapping<G>> Agent<G> for Greedy<T> {
    fn choose(
        &mut self,
        _: &G,
        position: &G::Position,
        _: &Allowance,
        _: &Stop,
    ) -> Thought<G::Action> {
        let state = self.tree.state(position);
        let best = self.tree.best_moves(&state, usize::MAX);
        let equals = best.iter().take_while(|(_, value)| *value == best[0].1).count();
        let chosen = best[self.random.below(equals as u32) as usize].0;
        Thought {
            actions: whole_turn(&self.tree, &state, &[chosen]),
            lines: Vec::new(),
            nodes: best.len() as u64,
        }
    }
}

/// Plain minimax.
struct Negamax<T> {
    tree: T,
    /// Its own depth, which goes before the match's.
    depth: Option<u32>,
}

impl<G: Game, T: MoveMapping<G>> Agent<G> for Negamax<T> {
    fn choose(
        &mut self,
        _: &G,
        position: &G::Position,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<G::Action> {
        let tree = &self.tree;
        let depth = self.depth.or(allowance.depth).unwrap_or(2).max(1);
        let state = tree.state(position);
        let mover = tree.mover(&state).expect("asked while the game goes on");
        let mut budget = Budget::new(&Allowance::default(), stop);
        let mut moves = Vec::new();
        tree.moves(&state, &mut moves);
        let (mut best, mut alpha) = (moves[0], -WIN);
        for &mv in &moves {
            let mut next = state.clone();
            tree.play(&mut next, mv);
            let depth = crate::minimax::depth_after(tree, &next, depth);
            let value = match tree.mover(&next) {
                None => Some(end_value(tree, &next, mover, 1)),
                Some(other) if other == mover => {
                    negamax(tree, &next, depth, alpha, WIN, 1, &mut budget)
                }
                Some(_) => {
                    negamax(tree, &next, depth, -WIN, -alpha, 1, &mut budget).map(|value| -value)
                }
            };
            match value {
                Some(value) if value > alpha => (best, alpha) = (mv, value),
                Some(_) => {}
                None => break,
            }
        }
        let line = Line {
            actions: spelled(tree, &[best]),
            value: tree.squash(alpha),
            visits: None,
            depth: Some(depth),
            proven: alpha.abs() >= PROVEN,
        };
        Thought {
            actions: whole_turn(tree, &state, &[best]),
            lines: vec![line],
            nodes: budget.nodes,
        }
    }
}

/// Alpha-beta search.
struct AlphaBeta<T> {
    tree: T,
    settings: alphabeta::Settings,
    own: Allowance,
    table: Arc<Table>,
}

impl<G: Game, T: MoveMapping<G>> Agent<G> for AlphaBeta<T> {
    fn choose(
        &mut self,
        _: &G,
        position: &G::Position,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<G::Action> {
        let tree = &self.tree;
        let state = tree.state(position);
        let allowance = allowance.overridden_by(self.own).or(DEFAULT);
        let found = alphabeta::search(tree, &state, &self.settings, &self.table, &allowance, stop);
        let lines = found
            .lines
            .iter()
            .map(|line| Line {
                actions: spelled(tree, &line.moves),
                value: tree.squash(line.value),
                visits: None,
                depth: Some(line.depth),
                proven: line.value.abs() >= PROVEN,
            })
            .collect();
        Thought {
            actions: whole_turn(tree, &state, &found.lines[0].moves),
            lines,
            nodes: found.nodes,
        }
    }

    fn set_lines(&mut self, lines: usize) {
        self.settings.lines = lines;
    }
}

/// Monte Carlo tree search.
struct Mcts<T: Tree> {
    tree: T,
    settings: mcts::Settings,
    own: Allowance,
    reuse: bool,
    random: Random,
    memory: Option<mcts::Memory<T>>,
}

impl<G: Game, T: MoveMapping<G>> Agent<G> for Mcts<T> {
    fn choose(
        &mut self,
        _: &G,
        position: &G::Position,
        allowance: &Allowance,
        stop: &Stop,
    ) -> Thought<G::Action> {
        let tree = &self.tree;
        let state = tree.state(position);
        let mut allowance = allowance.overridden_by(self.own).or(DEFAULT);
        if allowance.time.is_none() && allowance.nodes.is_none() {
            // A depth alone means nothing to this search.
            allowance.time = DEFAULT.time;
        }
        if !self.reuse {
            self.memory = None;
        }
        let found = mcts::search(
            tree,
            &state,
            &self.settings,
            &allowance,
            stop,
            &mut self.random,
            &mut self.memory,
        );
        let lines = found
            .lines
            .iter()
            .map(|line| Line {
                actions: spelled(tree, &line.moves),
                value: line.value,
                visits: Some(line.visits),
                depth: None,
                proven: line.proven,
            })
            .collect();
        Thought {
            actions: whole_turn(tree, &state, &found.lines[0].moves),
            lines,
            nodes: found.nodes,
        }
    }

    fn set_lines(&mut self, lines: usize) {
        self.settings.lines = lines;
    }
}
