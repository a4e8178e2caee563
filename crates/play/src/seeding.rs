//! What a game draws at random, and from where: one rule for every driver.
//!
//! Game `n` of seed `s` draws from `s`, `n` and the seat, and from nothing else, so equal seeds give
//! equal games in a match, before a referee, in a tournament, in Python and on a server. The two games
//! of a pair share an *opening number*: they start alike, and chance events fall alike up to the point
//! where they differ.

use skirmish_rules::table::Table;
use skirmish_rules::{Random, Seat, Turn};

/// Integers in JSON stay below this: JavaScript, Java, Go and C# read them exactly.
pub const MOST_SEED: u64 = (1 << 53) - 1;

/// Keeps the stream of chance events apart from that of the start.
const CHANCE_SALT: u64 = 0xd1ce;
/// Keeps the streams of the agents apart from both.
const AGENT_SALT: u64 = 0x5eed;

/// Where one game draws from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seeds {
    /// The seed of the match.
    pub seed: u64,
    /// Which game of it, from 0.
    pub game: u64,
    /// Which opening: games with the same number start alike.
    pub opening: u64,
}

impl Seeds {
    /// The only game of a seed, or its first.
    pub fn of(seed: u64) -> Seeds {
        Seeds { seed, game: 0, opening: 0 }
    }

    /// The start, and the random turns that open the game.
    pub fn start(self) -> Random {
        Random::stream(self.seed, self.opening)
    }

    /// The chance events and the seats that nature plays.
    pub fn chance(self) -> Random {
        Random::stream(self.seed ^ CHANCE_SALT, self.opening)
    }

    /// What the agent in a seat draws from.
    pub fn agent(self, seat: Seat) -> u64 {
        // A board has at most 400 seats.
        let item = self.game.wrapping_mul(1_024).wrapping_add(u64::from(seat.0));
        Random::stream(self.seed ^ AGENT_SALT, item).word() & MOST_SEED
    }
}

/// Opens a game: the start drawn anew unless a position was asked for, then `turns` random turns.
/// Returns the table and the seats and turns of the opening.
///
/// No turn of an opening ends the game; where the game's entry says so, an opening that lets the
/// player to move win at once is drawn again, since it says nothing about the agents.
pub fn open(
    start: &dyn Table,
    is_fixed: bool,
    turns: u32,
    seeds: Seeds,
) -> (Box<dyn Table>, Vec<(Seat, String)>) {
    let mut random = seeds.start();
    let start = if is_fixed { start.fork() } else { start.fresh_start(&mut random) };
    if turns == 0 {
        return (start, Vec::new());
    }
    let choice = *start.choices().last().expect("a game offers at least one way to choose");
    for _attempt in 0..20 {
        let mut opened = start.fork();
        let mut moves = Vec::new();
        for _ in 0..turns {
            for _attempt in 0..20 {
                let mut next = opened.fork();
                if let Ok(played) = next.play_randomly(choice, &mut random)
                    && next.turn() != Turn::Over
                {
                    moves.push((played.seat, played.text));
                    opened = next;
                    break;
                }
            }
        }
        if !start.entry().openings_avoid_wins || !opened.can_win_at_once() {
            return (start, moves);
        }
    }
    (start, Vec::new())
}
