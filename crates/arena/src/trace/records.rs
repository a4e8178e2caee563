//! Our own records among the traces: every event must be one the rules allow, and the result must be
//! the one they give.

use super::{Findings, Verified};
use crate::record::{Record, Termination};

pub(super) fn verify(record: &Record) -> Verified {
    let mut findings = Findings::default();
    // A start that cannot be set up is no game at all.
    record.replay(0)?;
    let plies = record.events.len();
    let table = match record.replay(plies) {
        Ok(table) => table,
        Err(error) => {
            findings.differ(None, "an event", error.message, "the rules");
            return Ok(findings);
        }
    };
    findings.positions = plies as u64 + 1;
    let Some(result) = &record.result else { return Ok(findings) };
    let by_the_rules = matches!(
        result.termination,
        Termination::Normal | Termination::MoveLimit | Termination::Deadlock
    );
    if !by_the_rules {
        return Ok(findings);
    }
    let ending = table.ending().map_or("none", |ending| Termination::from(ending).name());
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
