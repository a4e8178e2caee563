//! An agent in Rust: any legal turn of any game, by agent protocol 1.
//!
//! ```sh
//! cargo build --release -p skirmish-cli --example agent
//! skirmish referee watch-your-back cmd:target/release/examples/agent random
//! ```

use std::io::{BufRead, Write};

use serde_json::{Value, json};

fn main() {
    let mut state = 1_u64;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { return };
        let reply = match message["type"].as_str() {
            Some("start") => {
                state = message["seed"].as_u64().unwrap_or(0) | 1;
                json!({"type": "ready", "name": "rust-random", "wants": ["legal"], "reuse": true})
            }
            Some("choose") => {
                // A small generator of random numbers: xorshift.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let chosen = match message["legal"].as_array() {
                    Some(legal) => legal[(state % legal.len() as u64) as usize].clone(),
                    None => json!("-"),
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
