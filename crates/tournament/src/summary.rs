//! What a tournament came to: everything that tables, files and the page are made of.
//!
//! A [`Summary`] is plain data, worked out from the settings and the games that are safely kept and
//! from nothing else. Agents are named by their place in [`Summary::agents`] everywhere. Numbers are
//! always finite; what is not known is `None`.

use serde::Serialize;
use serde_json::Value;
use skirmish_rules::{Options, Seat};

use skirmish_play::analysis::Annotation;
use skirmish_play::record::Record;
use skirmish_ratings::Estimate;

/// A whole tournament.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// What the settings call it, or a title made of its format and game.
    pub title: String,
    /// Which game, by its name in commands: `watch-your-back`.
    pub game: String,
    /// The same as people write it: `Watch Your Back!`.
    pub game_title: String,
    /// The game's options, settled.
    pub options: Options,
    /// The format by its name in settings: `swiss`.
    pub format: String,
    /// How it is played, in a sentence: `Swiss system, 7 rounds, 2 games a pairing`.
    pub format_sentence: String,
    /// Whether all agents sit at one board, and standings tell [`Result::Places`].
    pub is_free_for_all: bool,
    /// What everything random was drawn from.
    pub seed: u64,
    /// All settings that bear on the games, as the settings file names them, defaults included.
    pub settings: Value,
    /// The version of Skirmish that wrote this.
    pub version: String,
    /// When the first game was begun and the last one kept, in RFC 3339, UTC.
    pub started: Option<String>,
    /// See `started`.
    pub finished: Option<String>,
    /// Seconds that all games took together, one after the other.
    pub game_seconds: f64,
    /// Whether there is nothing left to play.
    pub is_complete: bool,
    /// How many games there are to play, where that is known before the end.
    pub planned: Option<u64>,
    /// Who has won, or what was decided, in a sentence; the test's answer for a ladder.
    pub verdict: Option<String>,
    /// The sequential test of a ladder.
    pub sprt: Option<Sprt>,
    /// Who plays, in the order of the settings.
    pub agents: Vec<Entrant>,
    /// The table, best first.
    pub standings: Vec<Standing>,
    /// What each agent (row) has won against each other (column), by place in `agents`; `None`
    /// where they never met. Empty in a free-for-all.
    pub cross_table: Vec<Vec<Option<Score>>>,
    /// Ratings as they were after some of the games, oldest first; at most a few dozen moments.
    pub history: Vec<Moment>,
    /// The rounds of a Swiss system or a knockout; empty elsewhere.
    pub rounds: Vec<Round>,
    /// Every game, in the order of the schedule.
    pub games: Vec<GamePlayed>,
    /// Every fault, in the order of the games.
    pub faults: Vec<FaultNoted>,
    /// What was wrong with the machine rather than with an agent, in sentences; empty if all was
    /// well.
    pub overload: Vec<String>,
    /// Who has looked for mistakes in the games, if someone has.
    pub analysed: Option<Analysed>,
    /// What else a reader should know, in sentences: an agent whose program was another one in some
    /// of its games.
    pub notes: Vec<String>,
}

/// A participant.
#[derive(Clone, Debug, Serialize)]
pub struct Entrant {
    /// The name in all tables; no two are alike.
    pub name: String,
    /// The line that names the agent: `python:agents/greedy.py`.
    pub spec: String,
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The place, 1 for the best; agents that nothing tells apart share it.
    pub rank: u32,
    /// Which agent.
    pub agent: usize,
    /// Its games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// What the games came to, by the kind of tournament.
    #[serde(flatten)]
    pub result: Result,
    /// Strength in Elo, 0 for the mean of all agents; `None` before anybody has played.
    pub rating: Option<Estimate>,
    /// How likely it is that this agent is stronger than the next one in the table.
    pub superiority: Option<f64>,
    /// Faults it has committed.
    pub faults: u64,
    /// What it used.
    pub usage: Usage,
    /// Mistakes in its games, where someone has looked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistakes: Option<Mistakes>,
}

/// Who has looked for mistakes.
#[derive(Clone, Debug, Serialize)]
pub struct Analysed {
    /// The agent that was asked.
    pub agent: String,
    /// In how many games.
    pub games: u64,
}

/// How often an agent went wrong.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Mistakes {
    /// Turns that cost a lot.
    pub mistakes: u64,
    /// Turns that were looked at.
    pub turns: u64,
}

/// What the games of an agent came to.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Result {
    /// Where two play.
    Points {
        /// Games drawn.
        draws: u64,
        /// Games lost.
        losses: u64,
        /// Points: 1 for a win or a bye of that worth, ½ for a draw.
        score: f64,
        /// Points of games it did not have to play (byes); part of `score`.
        byes: f64,
        /// The sum of the opponents' scores: the first tie-break of a Swiss system.
        buchholz: Option<f64>,
        /// The scores of beaten opponents, and half of those of drawn ones: the second tie-break.
        sonneborn_berger: Option<f64>,
        /// How far it came in a knockout (`champion`, `lost in the final`, `lost in round 1`, `forfeited
        /// in the semi-final` with its opponent), or that it left a Swiss system early (`withdrawn
        /// before round 3`).
        reached: Option<String>,
    },
    /// Where all sit at one board.
    Places {
        /// What the game counts (squares in Game 17), on average.
        squares: Estimate,
        /// The place at the end among the agents, on average; 1 is best.
        place: Estimate,
        /// The part of its games that it won.
        win_rate: Estimate,
    },
}

/// What an agent used. Times are CPU times where the referee measured them, and on the wall for
/// built-in agents, which think in our own process.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Usage {
    /// Turns it took.
    pub turns: u64,
    /// Milliseconds a turn, on average.
    pub mean_ms: f64,
    /// Milliseconds of its longest turn.
    pub worst_ms: f64,
    /// Whether these are CPU times.
    pub is_cpu: bool,
    /// MiB of memory at its largest, where that was measured.
    pub memory_mb: Option<f64>,
}

/// One agent's results against another.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Score {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// How many of those lost were forfeited by both: they say nothing about strength.
    pub both_forfeited: u64,
    /// Difference in Elo from these games alone.
    pub elo: Option<Estimate>,
}

/// Ratings at one moment.
#[derive(Clone, Debug, Serialize)]
pub struct Moment {
    /// After how many games of the schedule.
    pub games: u64,
    /// The rating of each agent, by place in `agents`; `None` before its first game.
    pub ratings: Vec<Option<f64>>,
}

/// A round of a Swiss system or a knockout.
#[derive(Clone, Debug, Serialize)]
pub struct Round {
    /// Its number, from 1.
    pub number: u32,
    /// `round 3`, `final`.
    pub name: String,
    /// Who met whom.
    pub pairings: Vec<Pairing>,
    /// Who had no opponent.
    pub byes: Vec<usize>,
    /// Who took no part from this round on, having lost too many games by faults.
    pub withdrawn: Vec<usize>,
}

/// Two agents that met in a round.
#[derive(Clone, Debug, Serialize)]
pub struct Pairing {
    /// The one that was placed higher.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Points of the first.
    pub first_score: f64,
    /// Points of the second.
    pub second_score: f64,
    /// Who went on, in a knockout, once that is known.
    pub winner: Option<usize>,
    /// Whether neither goes on, since both have forfeited every game.
    pub both_out: bool,
    /// How it was decided where games alone did not: `by the higher seed`.
    pub note: Option<String>,
}

/// The sequential test of a ladder.
#[derive(Clone, Debug, Serialize)]
pub struct Sprt {
    /// The differences in Elo it tells apart.
    pub elo0: f64,
    /// See `elo0`.
    pub elo1: f64,
    /// Its log-likelihood ratio.
    pub llr: f64,
    /// Where it accepts that the difference is at most `elo0`.
    pub lower: f64,
    /// Where it accepts that the difference is at least `elo1`.
    pub upper: f64,
    /// `accepted` (at least `elo1`), `rejected` (at most `elo0`) or `undecided`.
    pub decision: String,
}

/// A game.
#[derive(Clone, Debug, Serialize)]
pub struct GamePlayed {
    /// Its number in the schedule, from 1.
    pub number: u64,
    /// Its round, from 1.
    pub round: u32,
    /// Who sat where.
    pub seats: Vec<SeatTaken>,
    /// Seconds it took.
    pub seconds: f64,
    /// Turns and rolls.
    pub plies: u64,
    /// Turns.
    pub turns: u64,
    /// Why it ended, by the name in records: `normal`, `timeout`.
    pub termination: String,
    /// The same in a sentence.
    pub sentence: String,
    /// Whether the machine was overloaded while it was played.
    pub overloaded: bool,
    /// The game itself; left out (`None`) where a page with all of them would be too large. Every
    /// game is a line of `games.jsonl` all the same, found by its number.
    pub record: Option<Record>,
    /// The turns that cost a lot, where someone has looked for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<Annotation>,
}

/// An agent in a seat of a game.
#[derive(Clone, Debug, Serialize)]
pub struct SeatTaken {
    /// Which agent.
    pub agent: usize,
    /// Which seat.
    pub seat: Seat,
    /// What the seat is called: `white`.
    pub name: String,
    /// What the game was worth: 1 for a win, ½ for a draw, 0 for a loss, and 0 to both where both have
    /// forfeited it. In a free-for-all 1 for the winner.
    pub points: f64,
    /// What the game counts: squares in Game 17.
    pub score: Option<u32>,
    /// The last lines it wrote to stderr.
    pub stderr: String,
}

/// A fault of an agent.
#[derive(Clone, Debug, Serialize)]
pub struct FaultNoted {
    /// Whose.
    pub agent: usize,
    /// In which game, by its number.
    pub game: u64,
    /// How many events had happened.
    pub ply: u32,
    /// The turn that was to be taken, from 1; 0 where that was not kept.
    pub turn: u32,
    /// What kind: `timeout`.
    pub kind: String,
    /// What happened, in a sentence.
    pub sentence: String,
    /// What it cost: `game`, `turn` or `nothing`.
    pub cost: String,
    /// The last lines it wrote to stderr before.
    pub stderr: String,
    /// Whether the machine was overloaded while the game was played: perhaps not the agent's fault.
    pub overloaded: bool,
}
