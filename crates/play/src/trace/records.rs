//! Our own records among the traces: every event must be one the rules allow, and the result must be
//! the one they give, or one that a fault in the record explains.

use super::{Findings, Verified};
use crate::record::{Event, Record, Termination};

pub(super) fn verify(record: &Record) -> Verified {
    // A start that cannot be set up is no game at all.
    let mut walk = record.walk()?;
    let mut findings = Findings { positions: 1, ..Findings::default() };
    for (ply, event) in record.events.iter().enumerate() {
        if let Err(error) = walk.advance() {
            findings.differ(Some(ply), "event", spelled(event), error.message);
            return Ok(findings);
        }
        findings.positions += 1;
    }
    let table = walk.table();
    let plies = record.events.len();
    let Some(result) = &record.result else { return Ok(findings) };
    let ending = table.ending().map_or("none", |ending| Termination::from(ending).name());
    if !result.termination.is_by_the_rules() {
        // What an agent did ends a game that would have gone on.
        if ending != "none" {
            findings.compare(plies, "termination", &result.termination.name(), &ending);
        } else if !is_explained(record, result.termination) {
            findings.differ(Some(plies), "termination", result.termination.name(), "no such fault");
        } else if result.termination == Termination::Agreed {
            // What is agreed on is a draw.
            findings.compare(plies, "payoffs", &result.payoffs, &vec![0.0; table.payoffs().len()]);
        }
        return Ok(findings);
    }
    findings.compare(plies, "termination", &result.termination.name(), &ending);
    // Who was disqualified on the way has lost, whatever the board says.
    let ours = table.payoffs().into_iter().enumerate().map(|(seat, payoff)| {
        let is_out =
            record.faults.iter().any(|fault| fault.seat.index() == seat && fault.cost == "game");
        if is_out { -1.0 } else { payoff }
    });
    findings.compare(plies, "payoffs", &result.payoffs, &ours.collect());
    findings.compare(plies, "scores", &result.scores, &table.scores());
    Ok(findings)
}

/// Whether the record has the fault that it says ended the game. People need none to give up or to
/// walk away.
fn is_explained(record: &Record, termination: Termination) -> bool {
    matches!(termination, Termination::Resigned | Termination::Agreed | Termination::Interrupted)
        || record.faults.iter().any(|fault| fault.kind.termination() == termination)
}

fn spelled(event: &Event) -> String {
    match event {
        Event::Move { text, .. } => text.clone(),
        Event::Chance { chance, .. } => format!("a roll of {}", chance.roll),
    }
}
