//! Traces of Game 17. The moves of a turn are raw JSON as a player gave them, nonsense included:
//! the turn is skipped exactly when the rules reject them. Coin tosses are not listed; one is right
//! if the recorded owner is one of the two contenders.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use skirmish_rules::games::game17::{Action, Direction, Game17, MOST_SIZE, Position, RawOrder};
use skirmish_rules::{Rules, Seat, Turn};

use super::{Findings, Unusable, Verified};

#[derive(Deserialize)]
pub(super) struct Trace {
    board_size: u16,
    num_rounds: u32,
    turn_order: Vec<u16>,
    owners: Vec<Vec<u16>>,
    numbers: Vec<Vec<u16>>,
    turns: Vec<TurnTaken>,
    scores: Option<BTreeMap<String, u32>>,
}

#[derive(Deserialize)]
struct TurnTaken {
    round: Option<u32>,
    owner: Option<u16>,
    moves: Value,
    owners: Option<Vec<(u16, u16, u16)>>,
    numbers: Option<Vec<(u16, u16, u16)>>,
    #[serde(default)]
    skipped: bool,
}

pub(super) fn verify(trace: &Trace) -> Verified {
    let size = trace.board_size;
    if !(1..=MOST_SIZE).contains(&size) {
        return Err(Unusable::new(format!("the board size is {size}"))
            .hint(format!("boards have 1 to {MOST_SIZE} rows and columns")));
    }
    let game = Game17::new(size, trace.num_rounds, &[]);
    let mut position = start(&game, trace)?;
    let mut findings = Findings { positions: 1, ..Findings::default() };

    for (ply, taken) in trace.turns.iter().enumerate() {
        let Turn::Player(Seat(mover)) = game.turn(&position) else {
            findings.differ(Some(ply), "the game", "another turn", "it is over");
            return Ok(findings);
        };
        if let Some(owner) = taken.owner {
            findings.compare(ply, "owner", &owner, &mover);
        }
        if let Some(round) = taken.round {
            findings.compare(ply, "round", &round, &position.round());
        }
        let before = position.clone();
        let orders = read_moves(&taken.moves)
            .and_then(|orders| game.check_orders(&position, &orders).map_err(|e| e.message));
        let reason = match &orders {
            Ok(_) => "accepted".to_owned(),
            Err(reason) => format!("rejected: {reason}"),
        };
        if taken.skipped != orders.is_err() {
            let given = if taken.skipped { "skipped" } else { "accepted" };
            findings.differ(Some(ply), "the turn", given, reason);
            return Ok(findings);
        }
        for order in orders.unwrap_or_default() {
            game.play(&mut position, Action::Order(order));
        }
        game.play(&mut position, Action::End);
        while let Turn::Chance { .. } = game.turn(&position) {
            // Whatever the trace recorded for the square decides; a third owner shows below.
            let cell = position.tossed_for().expect("a chance event is a toss for a square");
            let (row, column) = (cell / size, cell % size);
            let mut changes = taken.owners.iter().flatten();
            let recorded = changes.rfind(|change| (change.0, change.1) == (row, column));
            let to_mover = recorded.is_some_and(|change| change.2 == mover);
            game.settle(&mut position, u16::from(to_mover));
        }
        compare_changes(
            &mut findings,
            ply,
            "owners",
            &taken.owners,
            size,
            [before.owners(), position.owners()],
        );
        compare_changes(
            &mut findings,
            ply,
            "numbers",
            &taken.numbers,
            size,
            [before.numbers(), position.numbers()],
        );
        findings.positions += 1;
        if findings.mismatches > 0 {
            // From here on everything would differ.
            return Ok(findings);
        }
    }
    if let Some(given) = &trace.scores {
        let end = trace.turns.len();
        if game.turn(&position) != Turn::Over {
            findings.differ(Some(end), "the game", "its end", "it goes on");
        }
        let found: BTreeMap<String, u32> = game
            .scores(&position)
            .into_iter()
            .map(|(owner, squares)| (owner.to_string(), squares))
            .collect();
        findings.compare(end, "scores", given, &found);
    }
    Ok(findings)
}

fn start(game: &Game17, trace: &Trace) -> Result<Position, Unusable> {
    let size = usize::from(game.size());
    for (name, rows) in [("owners", &trace.owners), ("numbers", &trace.numbers)] {
        if rows.len() != size || rows.iter().any(|row| row.len() != size) {
            return Err(Unusable::new(format!("`{name}` is not {size} rows of {size} numbers")));
        }
    }
    let owners = trace.owners.concat();
    // Owners without squares are passed over, also before the first turn.
    let place = trace.turn_order.iter().position(|owner| owners.contains(owner));
    let place = if trace.num_rounds == 0 { None } else { place.map(|place| place as u16) };
    Ok(game.arrange(&owners, &trace.numbers.concat(), &trace.turn_order, 0, place)?)
}

/// Orders from raw JSON: a list of `[row, column, "n|s|e|w", count]` with whole numbers.
fn read_moves(moves: &Value) -> Result<Vec<RawOrder>, String> {
    let list = moves.as_array().ok_or("the moves are not a list")?;
    let read = |order: &Value| {
        let [row, column, direction, count] = order.as_array()?.as_slice() else { return None };
        let letter = direction.as_str()?;
        let direction = Direction::ALL
            .into_iter()
            .find(|direction| letter.len() == 1 && letter.starts_with(direction.letter()))?;
        Some(RawOrder { row: whole(row)?, column: whole(column)?, direction, count: whole(count)? })
    };
    list.iter()
        .map(|order| read(order).ok_or_else(|| format!("`{order}` is not an order")))
        .collect()
}

/// A whole number, also one written as `2.0`.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
    })
}

fn compare_changes(
    findings: &mut Findings,
    ply: usize,
    what: &str,
    given: &Option<Vec<(u16, u16, u16)>>,
    size: u16,
    [before, after]: [&[u16]; 2],
) {
    let Some(given) = given else { return };
    let mut given = given.clone();
    given.sort_unstable();
    let cells = before.iter().zip(after).enumerate();
    let found: Vec<(u16, u16, u16)> = cells
        .filter(|(_, (before, after))| before != after)
        .map(|(cell, (_, after))| (cell as u16 / size, cell as u16 % size, *after))
        .collect();
    findings.compare(ply, what, &given, &found);
}
