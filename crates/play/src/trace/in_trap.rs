//! Traces of In-Trap with the standard pieces, on a board of any size.

use serde::Deserialize;
use skirmish_rules::cells::Wide;
use skirmish_rules::error::quote;
use skirmish_rules::games::in_trap::{Family, InTrap, Pieces, SIZES, USUAL_MOVE_LIMIT, USUAL_SIZE};
use skirmish_rules::table::{Open, Table};
use skirmish_rules::{Family as _, Seat, Turn};

use super::{Findings, Unusable, Verified, check_length};

/// Room for the largest board and the nine standard pieces: traces are compared, not raced.
type AnySize = InTrap<Wide<7>, 16>;

#[derive(Deserialize)]
pub(super) struct Trace {
    moves: Vec<String>,
    positions: Option<Vec<Moment>>,
    winner: Option<u8>,
}

#[derive(Deserialize)]
struct Moment {
    board: Option<Vec<Vec<String>>>,
    mana: Option<[u32; 2]>,
    to_move: Option<u16>,
    legal: Option<Vec<String>>,
}

pub(super) fn verify(trace: &Trace) -> Verified {
    check_length(trace.positions.as_ref(), trace.moves.len())?;
    let first_board = trace.positions.iter().flatten().find_map(|moment| moment.board.as_ref());
    let size = first_board.map_or(USUAL_SIZE, |board| board.len() as u32);
    if !SIZES.contains(&size) {
        return Err(Unusable::new(format!("the board has {size} rows")).hint(format!(
            "boards have {} to {} rows",
            SIZES.start(),
            SIZES.end()
        )));
    }
    let game = AnySize::new(size as u16, Pieces::standard(), Some(USUAL_MOVE_LIMIT));
    let start = game.start();
    let mut table = Open::new(Family::ENTRY, game, start);
    let mut findings = Findings::default();
    for ply in 0..=trace.moves.len() {
        if let Some(given) = trace.positions.as_ref().map(|positions| &positions[ply]) {
            compare(&mut findings, ply, given, &table);
        }
        findings.positions += 1;
        if let Some(text) = trace.moves.get(ply)
            && let Err(error) = table.play(text)
        {
            findings.differ(Some(ply), "move", quote(text), error.message);
            return Ok(findings);
        }
    }
    if let Some(given) = trace.winner {
        let found = (table.turn() == Turn::Over).then(|| match table.payoffs()[0] {
            payoff if payoff > 0.0 => 1,
            payoff if payoff < 0.0 => 2,
            _ => 0,
        });
        findings.compare(trace.moves.len(), "winner", &Some(given), &found);
    }
    Ok(findings)
}

fn compare(findings: &mut Findings, ply: usize, given: &Moment, table: &Open<AnySize>) {
    let (game, position) = table.typed();
    if let Some(board) = &given.board {
        let size = usize::from(game.size());
        let mut found = vec![vec!["..".to_owned(); size]; size];
        for player in 0..2 {
            for (index, piece) in game.pieces().list().iter().enumerate() {
                if let Some(square) = position.square_of(Seat(player), index) {
                    let square = usize::from(square);
                    found[square / size][square % size] =
                        format!("{}{}", piece.display, player + 1);
                }
            }
        }
        findings.compare(ply, "board", board, &found);
    }
    if let Some(mana) = given.mana {
        findings.compare(ply, "mana", &mana, &[0, 1].map(|seat| position.mana(Seat(seat))));
    }
    if let Some(to_move) = given.to_move {
        // The original flips the player after the last move too.
        findings.compare(ply, "to_move", &to_move, &(position.mover().0 + 1));
    }
    if let Some(legal) = &given.legal {
        let mut legal = legal.clone();
        let mut found = table.turns().unwrap_or_default();
        legal.sort();
        found.sort();
        findings.compare(ply, "legal", &legal, &found);
    }
}
