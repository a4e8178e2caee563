//! Traces of Watch Your Back!, replayed without a move limit, as the original referee plays.

use serde::Deserialize;
use skirmish_rules::error::quote;
use skirmish_rules::games::watch_your_back::{Family, Phase, Position, WatchYourBack};
use skirmish_rules::table::{Open, Table};
use skirmish_rules::{Family as _, Seat, Turn};

use super::{Findings, Unusable, Verified, check_length, present};

#[derive(Deserialize)]
pub(super) struct Trace {
    start: Option<Start>,
    moves: Vec<String>,
    positions: Option<Vec<Moment>>,
    #[serde(default, deserialize_with = "present")]
    winner: Option<Option<String>>,
}

#[derive(Deserialize)]
struct Start {
    board: Vec<String>,
    phase: String,
    turn: u32,
}

#[derive(Deserialize)]
struct Moment {
    board: Option<Vec<String>>,
    to_move: Option<String>,
    phase: Option<String>,
    turn: Option<u32>,
    legal: Option<Vec<String>>,
}

pub(super) fn verify(trace: &Trace) -> Verified {
    check_length(trace.positions.as_ref(), trace.moves.len())?;
    let game = WatchYourBack::new(None);
    let start = match &trace.start {
        Some(start) => read_start(&game, start)?,
        None => Position::start(),
    };
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
    if let Some(given) = &trace.winner {
        let found = winner(&table);
        findings.compare(trace.moves.len(), "winner", &given.as_deref(), &found);
    }
    Ok(findings)
}

fn read_start(game: &WatchYourBack, start: &Start) -> Result<Position, Unusable> {
    let squares: Vec<char> = start
        .board
        .iter()
        .flat_map(|row| row.chars())
        .map(|square| if square == ' ' { '#' } else { square })
        .collect();
    let squares = squares.try_into().map_err(|squares: Vec<char>| {
        Unusable::new(format!("`start` has {} squares where 64 belong", squares.len()))
    })?;
    let phase = match start.phase.as_str() {
        "placing" => Phase::Placing,
        "moving" => Phase::Moving,
        "completed" => Phase::Completed,
        other => return Err(Unusable::new(format!("`start` has the phase {}", quote(other)))),
    };
    Ok(game.position(&squares, phase, start.turn)?)
}

fn compare(findings: &mut Findings, ply: usize, given: &Moment, table: &Open<WatchYourBack>) {
    let position = table.typed().1;
    if let Some(board) = &given.board {
        let rows: Vec<String> = (0..8)
            .map(|row| {
                let squares = (8 * row..8 * (row + 1)).map(|square| position.square(square));
                squares.map(|square| if square == '#' { ' ' } else { square }).collect()
            })
            .collect();
        findings.compare(ply, "board", board, &rows);
    }
    if let Some(to_move) = &given.to_move {
        let found = match table.turn() {
            Turn::Player(seat) => table.seat_name(seat),
            _ => "none".to_owned(),
        };
        findings.compare(ply, "to_move", to_move, &found);
    }
    if let Some(phase) = &given.phase {
        let found = match position.phase() {
            Phase::Placing => "placing",
            Phase::Moving => "moving",
            Phase::Completed => "completed",
        };
        findings.compare(ply, "phase", phase, &found.to_owned());
    }
    if let Some(turn) = given.turn {
        findings.compare(ply, "turn", &turn, &position.turn());
    }
    if let Some(legal) = &given.legal {
        let mut legal = legal.clone();
        let mut found = table.turns().unwrap_or_default();
        legal.sort();
        found.sort();
        findings.compare(ply, "legal", &legal, &found);
    }
}

fn winner(table: &Open<WatchYourBack>) -> Option<&'static str> {
    table.ending()?;
    let payoffs = table.payoffs();
    Some(match payoffs[Seat(0).index()] {
        payoff if payoff > 0.0 => "white",
        payoff if payoff < 0.0 => "black",
        _ => "draw",
    })
}
