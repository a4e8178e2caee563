//! `skirmish __agent`: the smallest agent there is, to time and try the referee with. It plays any
//! legal turn of any game by agent protocol 1; with `once` it asks for a new process for each game.

use std::io::{BufRead, Write};

use serde_json::{Value, json};
use skirmish_rules::{Games, Random, Registry};

/// The word on the command line that makes our program such an agent.
pub(crate) const WORD: &str = "__agent";

/// Plays until its input ends. Errors are not reported: the referee sees the end.
pub(crate) fn run(once: bool) {
    let mut random = Random::seeded(0);
    let mut empty_turn = None;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { return };
        let reply = match message["type"].as_str() {
            Some("start") => {
                random = Random::seeded(message["seed"].as_u64().unwrap_or(0));
                let entry = Games::entry(message["game"].as_str().unwrap_or_default());
                empty_turn = entry.ok().and_then(|entry| entry.empty_turn);
                let wants = ["legal", "quiet"];
                json!({"type": "ready", "name": "any-turn", "wants": wants, "reuse": !once})
            }
            Some("choose") => {
                let chosen = match message["legal"].as_array() {
                    Some(legal) => legal[random.below(legal.len() as u32) as usize].clone(),
                    None => json!(empty_turn),
                };
                json!({"type": "play", "ply": message["ply"], "move": chosen})
            }
            _ => continue,
        };
        if writeln!(output, "{reply}").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
