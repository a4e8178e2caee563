//! An agent in a process of its own, spoken to in agent protocol 1 (`docs/protocol.md`).

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use skirmish_rules::Seat;
use skirmish_rules::error::quote;
use skirmish_rules::table::Table;
use skirmish_search::Stop;

use crate::Settings;
use crate::launcher::Launcher;
use crate::process::{Deadline, Process, Program, tidy};
use skirmish_play::faults::{AgentError, FaultKind, harmless};
use skirmish_play::limits::{Limits, Sandbox, seconds};
use skirmish_play::player::{
    Answer, Introduction, Player, Question, Reply as Replied, Seating, Usage,
};
use skirmish_play::record::{Event, Outcome};

/// The version of the protocol.
const PROTOCOL: u32 = 1;

/// What an agent says first.
#[derive(Debug, Default, Deserialize)]
struct Ready {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    wants: Vec<String>,
    /// Whether it can play another game after this one.
    #[serde(default)]
    reuse: bool,
}

/// What an agent answers.
#[derive(Debug, Deserialize)]
struct Reply {
    #[serde(rename = "type")]
    kind: String,
    ply: Option<u64>,
    #[serde(rename = "move")]
    text: Option<String>,
    info: Option<Value>,
    what: Option<String>,
    /// What kind of failure it was, where the agent says that it failed.
    fault: Option<FaultKind>,
}

/// An agent in a process of its own.
#[derive(Debug)]
pub(crate) struct External {
    program: Result<Program, String>,
    launcher: Launcher,
    limits: Limits,
    sandbox: Sandbox,
    stop: Stop,
    process: Option<Process>,
    ready: Ready,
    /// The clock of the process when this game began, and after the last answer.
    began: Duration,
    answered: Duration,
    turns: u64,
    /// What was written to the log by processes that are gone.
    log: String,
}

impl External {
    pub(crate) fn new(program: Result<Program, String>, settings: &Settings) -> External {
        External {
            program,
            launcher: settings.launcher.clone(),
            limits: settings.limits,
            sandbox: settings.sandbox,
            stop: settings.stop.clone(),
            process: None,
            ready: Ready::default(),
            began: Duration::ZERO,
            answered: Duration::ZERO,
            turns: 0,
            log: String::new(),
        }
    }

    /// Starts the agent, unless it still runs, and tells it what is to be played.
    fn begin(
        &mut self,
        table: &dyn Table,
        seat: Seat,
        seed: u64,
    ) -> Result<Introduction, AgentError> {
        self.log.clear();
        self.turns = 0;
        let start = json!({
            "type": "start",
            "protocol": PROTOCOL,
            "game": table.entry().name,
            "options": table.options(),
            "position": table.position(),
            "seat": seat,
            "seats": table.seats(),
            "limits": self.limits,
            "seed": seed,
        });
        let line = self.wake(&start)?;
        // An agent that cannot play says so in place of `ready`.
        if let Ok(Reply { kind, what, .. }) = serde_json::from_slice::<Reply>(&line)
            && kind == "fail"
        {
            let what = what.unwrap_or_else(|| "without a reason".to_owned());
            let what = format!("did not start: {}", one_line(&what));
            return Err(self.stop(AgentError::fatal(FaultKind::StartFailure, what)));
        }
        let ready: Ready = serde_json::from_slice(&line).unwrap_or_default();
        if ready.kind != "ready" {
            let what = format!("said {} in place of `ready`", excerpt(&line));
            return Err(self.stop(AgentError::fatal(FaultKind::Protocol, what)));
        }
        let process = self.process.as_mut().expect("it has just answered");
        // What it used up to here was its start. A process that is kept has its start behind it.
        process.set_baseline();
        self.began = process.cpu();
        self.answered = self.began;
        let called = |name: &Option<String>| name.as_ref().map(|name| harmless(name.trim(), 40));
        let introduction = Introduction {
            name: called(&ready.name).filter(|name| !name.is_empty()),
            version: called(&ready.version),
        };
        self.ready = ready;
        Ok(introduction)
    }

    /// Starts the agent, unless it still runs, and hears what it says first.
    fn wake(&mut self, start: &Value) -> Result<Vec<u8>, AgentError> {
        loop {
            let was_kept = self.process.is_some();
            if !was_kept {
                let program = self
                    .program
                    .as_ref()
                    .map_err(|error| AgentError::fatal(FaultKind::StartFailure, error.clone()))?;
                let started = Process::start(&self.launcher, program, &self.limits, self.sandbox)?;
                self.process = Some(started);
            }
            let deadline = Deadline { wall: seconds(self.limits.start_s), cpu: None };
            match self.exchange(start, deadline) {
                Ok(line) => return Ok(line),
                // It has left after its last game, though it had said it would stay.
                Err(trouble) if was_kept && trouble.kind == FaultKind::Crash => {
                    self.stop(trouble);
                }
                // Memory and the like keep their names; an end or silence before `ready` is a start
                // that failed.
                Err(trouble) => {
                    let kind = match trouble.kind {
                        FaultKind::Crash | FaultKind::Timeout => FaultKind::StartFailure,
                        kind => kind,
                    };
                    let what = format!("{} before it was ready", trouble.what);
                    let what = if kind == FaultKind::StartFailure { what } else { trouble.what };
                    return Err(self.stop(AgentError::fatal(kind, what)));
                }
            }
        }
    }

    fn wants(&self, what: &str) -> bool {
        self.ready.wants.iter().any(|wanted| wanted == what)
    }

    /// CPU seconds it has used in this game.
    fn used(&self) -> f64 {
        self.answered.saturating_sub(self.began).as_secs_f64()
    }

    /// Bytes of memory it has had at most, while it runs.
    fn memory(&self) -> Option<u64> {
        self.process.as_ref().and_then(Process::memory)
    }

    /// Tells of something that happened.
    fn tell(&mut self, event: &Event, table: &dyn Table) {
        if self.wants("quiet") {
            return;
        }
        let Some(process) = &mut self.process else { return };
        let mut message = match event {
            Event::Move { ply, seat, text, .. } => {
                json!({"type": "hear", "ply": ply, "seat": seat, "move": text})
            }
            Event::Chance { ply, chance } => json!({"type": "hear", "ply": ply, "chance": chance}),
        };
        if self.ready.wants.iter().any(|wanted| wanted == "position") {
            message["position"] = table.position().into();
        }
        process.send(&message.to_string());
    }

    /// Asks for a turn.
    fn ask(&mut self, table: &dyn Table, ply: u32) -> Result<(Answer, f64), AgentError> {
        let Some(process) = &mut self.process else {
            return Err(AgentError::fatal(FaultKind::Crash, "is not running any more"));
        };
        if process.has_spoken() {
            let what = "spoke before it was asked";
            return Err(self.stop(AgentError::fatal(FaultKind::Protocol, what)));
        }
        if let Err(trouble) = process.watch_after_a_while() {
            return Err(self.stop(trouble));
        }
        let limits = self.limits;
        let (began, answered) = (self.began, self.answered);
        let left = (seconds(limits.cpu_s) + began).saturating_sub(process.cpu());
        let mut message =
            json!({"type": "choose", "ply": ply, "clock": {"cpu_left_s": left.as_secs_f64()}});
        if self.wants("legal") {
            message["legal"] = json!(table.turns());
        }
        if self.wants("position") {
            message["position"] = table.position().into();
        }
        let cpu = (began + seconds(limits.cpu_s)).min(answered + seconds(limits.cpu_move_s));
        let asked = Instant::now();
        let read =
            self.exchange(&message, Deadline { wall: seconds(limits.wall_s), cpu: Some(cpu) });
        let now = self.process.as_mut().map_or(cpu, Process::cpu);
        self.answered = now;
        let line = match read {
            Ok(line) => line,
            Err(trouble) if trouble.kind == FaultKind::Timeout && trouble.what.is_empty() => {
                return Err(self.stop(late(&limits, began, answered, now)));
            }
            Err(trouble) => return Err(self.stop(trouble)),
        };
        if now > cpu {
            return Err(self.stop(late(&limits, began, answered, now)));
        }
        let used = now.saturating_sub(answered).as_secs_f64();
        self.turns += 1;
        // Looking costs more than a quick turn does, so quick turns are looked at now and then.
        if (asked.elapsed() > Duration::from_millis(2) || self.turns.is_multiple_of(32))
            && let Some(process) = &mut self.process
            && let Err(trouble) = process.watch(None)
        {
            return Err(self.stop(trouble));
        }
        let read = understand(&line, ply);
        match read {
            Ok(answer) => Ok((answer, used)),
            Err(trouble) if trouble.alive => Err(trouble),
            Err(trouble) => Err(self.stop(trouble)),
        }
    }

    fn exchange(&mut self, message: &Value, deadline: Deadline) -> Result<Vec<u8>, AgentError> {
        let process = self.process.as_mut().expect("only a running agent is asked");
        process.send(&message.to_string());
        process.line(deadline, &self.stop)
    }

    /// Ends the process, keeping what it wrote.
    fn stop(&mut self, trouble: AgentError) -> AgentError {
        if let Some(mut process) = self.process.take() {
            process.kill();
            self.log = process.log.text();
        }
        trouble
    }

    /// The last lines of the log.
    fn last_lines(&self) -> String {
        if let Some(process) = &self.process {
            return process.log.last_lines();
        }
        let lines: Vec<&str> = self.log.lines().filter(|line| !line.trim().is_empty()).collect();
        let shown = &lines[lines.len().saturating_sub(8)..];
        shown.iter().map(|line| harmless(line, 300)).collect::<Vec<_>>().join("\n")
    }

    /// Tells how the game ended. An agent that allows it is kept for the next game.
    fn finish(&mut self, outcome: Option<&Outcome>) {
        let reuse = self.ready.reuse;
        let Some(process) = &mut self.process else { return };
        process.send(&json!({"type": "end", "result": outcome}).to_string());
        if reuse {
            process.take_log_for_good(&mut self.log);
            return;
        }
        process.dismiss();
        self.log = process.log.text();
        self.process = None;
    }
}

impl Player for External {
    fn sit(
        &mut self,
        seating: Seating<'_>,
    ) -> skirmish_rules::Result<Result<Introduction, AgentError>> {
        Ok(self.begin(seating.table, seating.seat, seating.seed))
    }

    fn choose(&mut self, question: Question<'_>) -> Result<Replied, AgentError> {
        let (answer, cpu) = self.ask(question.table, question.ply)?;
        Ok(Replied { answer, cpu_s: Some(cpu), nodes: 0, is_timed: true })
    }

    fn hear(&mut self, event: &Event, table: &dyn Table) {
        self.tell(event, table);
    }

    fn refuse(&mut self, ply: u32, reason: &str) {
        if let Some(process) = &mut self.process {
            process.send(&json!({"type": "refused", "ply": ply, "reason": reason}).to_string());
        }
    }

    fn log_tail(&self) -> String {
        self.last_lines()
    }

    fn cpu_s(&self) -> Option<f64> {
        Some(self.used())
    }

    fn end(&mut self, outcome: Option<&Outcome>) -> Usage {
        let memory = self.memory();
        self.finish(outcome);
        Usage { log: Some(self.log.clone()), cpu_s: Some(self.used()), memory }
    }
}

fn late(limits: &Limits, began: Duration, answered: Duration, now: Duration) -> AgentError {
    let total = now.saturating_sub(began).as_secs_f64();
    let turn = now.saturating_sub(answered).as_secs_f64();
    let what = if total > limits.cpu_s {
        format!("used {} s of CPU in this game, {} s are allowed", tidy(total), tidy(limits.cpu_s))
    } else {
        let most = tidy(limits.cpu_move_s);
        format!("used {} s of CPU for this turn, {most} s are allowed", tidy(turn))
    };
    AgentError::fatal(FaultKind::Timeout, what)
}

fn understand(line: &[u8], ply: u32) -> Result<Answer, AgentError> {
    let wrong = |what: String| Err(AgentError::fatal(FaultKind::Protocol, what));
    // A list would do for a struct, field by field; the protocol knows objects only.
    if line.trim_ascii_start().first().is_some_and(|first| *first == b'[') {
        return wrong(format!("sent {}, which is not a JSON object", excerpt(line)));
    }
    let reply: Reply = match serde_json::from_slice(line) {
        Ok(reply) => reply,
        Err(error) if error.is_data() => {
            return wrong(format!("sent {}, which is no reply: {error}", excerpt(line)));
        }
        Err(error) => return wrong(format!("sent {}, which is not JSON: {error}", excerpt(line))),
    };
    if !matches!(reply.kind.as_str(), "play" | "resign" | "fail") {
        let kind = quote(&reply.kind);
        return wrong(format!("sent a message of the type {kind}, where `play` was expected"));
    }
    match reply.ply {
        Some(number) if number == u64::from(ply) => {}
        Some(number) => return wrong(format!("answered for ply {number}, asked for ply {ply}")),
        None => return wrong("answered without a `ply`".to_owned()),
    }
    match (reply.kind.as_str(), reply.text) {
        ("resign", _) => Ok(Answer::Resign),
        ("fail", _) => {
            let what = one_line(&reply.what.unwrap_or_else(|| "without a reason".to_owned()));
            Err(match reply.fault {
                Some(FaultKind::IllegalMove) => AgentError::mild(FaultKind::IllegalMove, what),
                Some(FaultKind::Memory) => {
                    AgentError::mild(FaultKind::Memory, format!("failed: {what}"))
                }
                _ => AgentError::mild(FaultKind::Crash, format!("failed: {what}")),
            })
        }
        (_, Some(text)) => Ok(Answer::Play { text, info: reply.info.map(in_bounds) }),
        (_, None) => wrong("answered without a `move`".to_owned()),
    }
}

fn one_line(text: &str) -> String {
    harmless(&text.split_whitespace().collect::<Vec<_>>().join(" "), 300)
}

/// What an agent says beside its turn, unless that would fill the disk game by game.
fn in_bounds(info: Value) -> Value {
    const MOST: usize = 8 << 10;
    match info.to_string().len() {
        0..=MOST => info,
        bytes => json!({"left_out_bytes": bytes}),
    }
}

/// The beginning of a line, fit to be shown.
fn excerpt(line: &[u8]) -> String {
    quote(&String::from_utf8_lossy(&line[..line.len().min(200)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: &[u8]) -> (FaultKind, String) {
        let trouble = understand(line, 7).unwrap_err();
        (trouble.kind, trouble.what)
    }

    #[test]
    fn a_reply_is_understood_with_what_it_says_beside() {
        let line = br#"{"type":"play","ply":7,"move":"3,2","info":{"value":0.5},"more":1}"#;
        let Answer::Play { text, info } = understand(line, 7).unwrap() else { panic!() };
        assert_eq!((text.as_str(), info), ("3,2", Some(json!({"value": 0.5}))));
        assert!(matches!(understand(br#"{"type":"resign","ply":7}"#, 7), Ok(Answer::Resign)));
        // A record is not a place to store a book in.
        let long = json!({"type": "play", "ply": 7, "move": "3,2", "info": "x".repeat(100_000)});
        let Ok(Answer::Play { info, .. }) = understand(long.to_string().as_bytes(), 7) else {
            panic!()
        };
        assert_eq!(info, Some(json!({"left_out_bytes": 100_002})));
    }

    #[test]
    fn what_is_no_reply_is_a_protocol_fault_in_plain_words() {
        let deep = "[".repeat(100_000);
        for (line, word) in [
            (&b"hello"[..], "not JSON"),
            (b"\xff\xfe", "not JSON"),
            (b"", "not JSON"),
            (deep.as_bytes(), "no"),
            (br#"["play",7,"3,2"]"#, "not a JSON object"),
            (br#"{"ply":7}"#, "no reply"),
            (br#"{"type":"play","move":"3,2"}"#, "without a `ply`"),
            (br#"{"type":"play","ply":6,"move":"3,2"}"#, "answered for ply 6, asked for ply 7"),
            (br#"{"type":"play","ply":7}"#, "without a `move`"),
            (br#"{"type":"play","ply":7,"move":[3,2]}"#, "no reply"),
            (br#"{"type":"ready","ply":7}"#, "`ready`"),
        ] {
            let (kind, what) = fault(line);
            assert_eq!(kind, FaultKind::Protocol, "{what}");
            assert!(what.contains(word), "{what}");
            assert!(what.len() < 400, "{what}");
        }
    }

    #[test]
    fn an_agent_that_says_it_failed_can_be_asked_again() {
        let trouble =
            understand(br#"{"type":"fail","ply":7,"what":"ZeroDivisionError:\n division"}"#, 7)
                .unwrap_err();
        assert!(trouble.alive);
        assert_eq!(trouble.kind, FaultKind::Crash);
        assert_eq!(trouble.what, "failed: ZeroDivisionError: division");
        assert_eq!(fault(br#"{"type":"fail","ply":7,"fault":"memory"}"#).0, FaultKind::Memory);
        let (kind, what) =
            fault(br#"{"type":"fail","ply":7,"fault":"illegal-move","what":"returned `x`"}"#);
        assert_eq!((kind, what.as_str()), (FaultKind::IllegalMove, "returned `x`"));
    }
}
