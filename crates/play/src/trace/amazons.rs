//! Traces and perft tables of Amazons.

use serde::Deserialize;
use skirmish_rules::error::quote;
use skirmish_rules::{Entry, Game, Games, Options, Random, Registry, Setup, Turn, Visitor, open};

use super::{Findings, Unusable, Verified, check_length, present};

#[derive(Deserialize)]
pub(super) struct Trace {
    start: Option<String>,
    moves: Vec<String>,
    positions: Option<Vec<Moment>>,
    #[serde(default, deserialize_with = "present")]
    winner: Option<Option<String>>,
}

#[derive(Deserialize)]
struct Moment {
    fen: Option<String>,
    legal_count: Option<u64>,
}

pub(super) fn verify(trace: &Trace) -> Verified {
    check_length(trace.positions.as_ref(), trace.moves.len())?;
    let mut random = Random::seeded(0);
    let options = Options::none();
    let setup = Setup { options: &options, position: trace.start.as_deref(), random: &mut random };
    let mut table = open("amazons", setup)?;
    let mut findings = Findings::default();
    for ply in 0..=trace.moves.len() {
        if let Some(given) = trace.positions.as_ref().map(|positions| &positions[ply]) {
            let found = table.position();
            if let Some(fen) = &given.fen {
                findings.compare(ply, "fen", fen, &found);
            }
            if let Some(count) = given.legal_count {
                findings.compare(ply, "legal_count", &count, &perft(&found, 1)?);
            }
        }
        findings.positions += 1;
        if let Some(text) = trace.moves.get(ply)
            && let Err(error) = table.play(text)
        {
            findings.differ(Some(ply), "move", quote(text), error.message);
            return Ok(findings);
        }
    }
    if let Some(given) = &trace.winner {
        let over = table.turn() == Turn::Over;
        let found = over.then(|| if table.payoffs()[0] > 0.0 { "first" } else { "second" });
        findings.compare(trace.moves.len(), "winner", &given.as_deref(), &found);
    }
    Ok(findings)
}

/// Deeper than this no table goes: the counts would not fit.
const DEEPEST: u32 = 12;

pub(super) fn verify_count(line: &str) -> Verified {
    let shape = "a line of a perft table reads `FEN ; depth ; leaves`";
    let mut fields = line.split(';').map(str::trim);
    let (Some(fen), Some(depth), Some(leaves), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(Unusable::new(format!("neither a trace nor a perft count: {}", quote(line)))
            .hint(shape));
    };
    let depth: u32 = depth.parse().ok().filter(|depth| *depth <= DEEPEST).ok_or_else(|| {
        Unusable::new(format!("the depth {} is not a number up to {DEEPEST}", quote(depth)))
            .hint(shape)
    })?;
    let leaves: u64 = leaves.parse().map_err(|_| {
        Unusable::new(format!("the count {} is not a number", quote(leaves))).hint(shape)
    })?;
    let mut findings = Findings::default();
    let found = perft(fen, depth)?;
    if found != leaves {
        let what = format!("leaves at depth {depth} of {fen}");
        findings.differ(None, what, leaves.to_string(), found.to_string());
    }
    Ok(findings)
}

fn perft(fen: &str, depth: u32) -> Result<u64, Unusable> {
    struct Count(u32);
    impl Visitor for Count {
        type Output = u64;
        fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> u64 {
            game.perft(&start, self.0)
        }
    }
    let mut random = Random::seeded(0);
    let setup = Setup { options: &Options::none(), position: Some(fen), random: &mut random };
    Ok(Games::open("amazons", setup, Count(depth))?)
}
