//! What goes into a session and comes out of it: terms, commands, updates, refusals. All of it is data.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use skirmish_rules::{Entry, Error, ErrorKind, Options, Seat};

use crate::faults::{AgentError, Fault, FaultKind};
use crate::limits::{FaultPolicy, Limits};
use crate::record::{Event, Outcome, Participant};

/// What a live game is played under.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Terms {
    /// The seed, noted in the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What agents in processes of their own may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What a fault costs.
    pub policy: FaultPolicy,
    /// Clocks, if the game is played with clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockTerms>,
}

impl Terms {
    /// No seed, no limits, no clocks; a fault costs the game.
    pub fn plain() -> Terms {
        Terms { seed: None, limits: None, policy: FaultPolicy::Lose, clock: None }
    }

    /// No seed, no limits, no clocks, and the usual fault policy of the game.
    pub fn usual(entry: &Entry) -> Terms {
        Terms { seed: None, limits: None, policy: FaultPolicy::usual(entry), clock: None }
    }
}

/// How much time each player has, in wall-clock milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClockTerms {
    /// For the whole game.
    pub initial_ms: u64,
    /// Added after each turn.
    pub increment_ms: u64,
}

/// A question between two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// To end the game as a draw.
    Draw,
    /// To go back to where so many events had happened.
    TakeBack {
        /// How many events are to remain.
        to: u32,
    },
}

/// What a driver wants of the session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Command {
    /// Puts a player into a seat, before the start.
    Seat {
        /// Who.
        player: Participant,
        /// Whether it agrees to every take-back at once, as engines do.
        grants_take_back: bool,
    },
    /// Begins the game. Turns played before are its opening.
    Start,
    /// A turn.
    Play {
        /// Whose.
        seat: Seat,
        /// How many events its player has seen: a stale turn is refused.
        ply: u32,
        /// The turn as text.
        #[serde(rename = "move")]
        text: String,
        /// Milliseconds of wall-clock time to be noted with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time_ms: Option<f64>,
        /// Milliseconds of CPU time, where they are measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cpu_ms: Option<f64>,
        /// What the player has to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        info: Option<Value>,
    },
    /// Settles the chance event that the session waits for.
    Roll {
        /// How many events have happened.
        ply: u32,
        /// How it fell.
        roll: u16,
    },
    /// A player gives up.
    Resign {
        /// Who.
        seat: Seat,
    },
    /// A player offers a draw.
    OfferDraw {
        /// Who.
        seat: Seat,
    },
    /// A player asks to go back to where `to` events had happened.
    TakeBack {
        /// Who.
        seat: Seat,
        /// How many events are to remain.
        to: u32,
    },
    /// A player agrees to the open request.
    Accept {
        /// Who.
        seat: Seat,
    },
    /// A player turns the open request down, or withdraws its own.
    Decline {
        /// Who.
        seat: Seat,
    },
    /// Plays again what was taken back last.
    Redo {
        /// Who.
        seat: Seat,
    },
    /// A player went wrong.
    Fault {
        /// Who.
        seat: Seat,
        /// How.
        trouble: AgentError,
        /// The last lines it wrote to stderr.
        log_tail: String,
    },
    /// Time has passed.
    Tick,
    /// Ends the game, undecided.
    Abort,
    /// Goes on with a game that was ended undecided.
    Reopen,
}

/// Something that happened in a live game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Update {
    /// Its number, from 0 without gaps.
    #[serde(rename = "update")]
    pub number: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: Change,
}

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Change {
    /// The game was set up. Always the first update, and never again.
    Begun {
        /// The version of the format.
        format: u32,
        /// Which game.
        game: String,
        /// Its options, settled.
        options: Options,
        /// The position it starts from.
        start: String,
        /// What it is played under.
        terms: Terms,
    },
    /// A player took its seat.
    Seated {
        /// Who.
        player: Participant,
        /// Whether it agrees to every take-back at once.
        grants_take_back: bool,
    },
    /// The game started.
    Started,
    /// A turn or a roll, as the record keeps it.
    Event(Event),
    /// What is left on a player's clock.
    Clock {
        /// Whose.
        seat: Seat,
        /// Milliseconds.
        left_ms: u64,
    },
    /// A player went wrong.
    Faulted {
        /// How, and what it cost.
        fault: Fault,
    },
    /// A player takes no more turns; where the game goes on, its seat plays empty turns.
    Left {
        /// Whose seat.
        seat: Seat,
        /// The fault that did it; `None` for one who resigned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<FaultKind>,
    },
    /// A player asks the other something.
    Requested {
        /// Who.
        seat: Seat,
        /// What.
        #[serde(flatten)]
        request: Request,
    },
    /// The open request was turned down or withdrawn.
    Declined {
        /// By whom.
        seat: Seat,
    },
    /// The game went back.
    TakenBack {
        /// How many events remain.
        to: u32,
    },
    /// The game ended.
    Ended {
        /// How.
        result: Outcome,
    },
    /// A game that had been ended undecided goes on.
    Reopened,
}

/// What the session waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// For players to be seated, and the start.
    Start,
    /// For the player in this seat.
    Player(Seat),
    /// For the seat of nature: [`super::Session::play_nature`].
    Nature(Seat),
    /// For a roll.
    Chance {
        /// How many outcomes there are.
        sides: u16,
    },
    /// For nothing: the game is over.
    Over,
}

/// Why a command was not carried out. The session is as it was.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// The game is over.
    Over,
    /// The game has not started.
    NotStarted,
    /// The game has started.
    Started,
    /// The seat holds no player.
    NoPlayer(Seat),
    /// The seat holds a player already.
    Taken(Seat),
    /// The player is out of the game.
    Out(Seat),
    /// It is not this seat's turn.
    NotToMove(Seat),
    /// The command belongs to another moment of the game.
    Stale {
        /// How many events have happened.
        ply: u32,
        /// How many the command expected.
        given: u32,
    },
    /// The rules forbid it.
    Illegal(Error),
    /// There is no request to answer.
    NoRequest,
    /// A request is open already.
    RequestOpen,
    /// There is no such point to go back to, or nothing to play again.
    NothingThere,
    /// The game is not one between two players.
    NotADuel,
    /// The game was decided and cannot be reopened.
    Decided,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Over => f.write_str("the game is over"),
            Refusal::NotStarted => f.write_str("the game has not started"),
            Refusal::Started => f.write_str("the game has started"),
            Refusal::NoPlayer(seat) => write!(f, "seat {seat} holds no player"),
            Refusal::Taken(seat) => write!(f, "seat {seat} is taken"),
            Refusal::Out(seat) => write!(f, "the player in seat {seat} is out of the game"),
            Refusal::NotToMove(seat) => write!(f, "it is not the turn of seat {seat}"),
            Refusal::Stale { ply, given } => {
                write!(f, "sent for ply {given}, and the game is at ply {ply}")
            }
            Refusal::Illegal(error) => f.write_str(&error.message),
            Refusal::NoRequest => f.write_str("there is no request to answer"),
            Refusal::RequestOpen => f.write_str("a request is open already"),
            Refusal::NothingThere => f.write_str("there is no turn to take back or to play again"),
            Refusal::NotADuel => f.write_str("only games between two players have this"),
            Refusal::Decided => f.write_str("the game was decided"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        match refusal {
            Refusal::Illegal(error) => error,
            other => Error::new(ErrorKind::Illegal, other.to_string()),
        }
    }
}
