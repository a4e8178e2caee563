//! What a player said it thought of its turn, as a screen may show it.
//!
//! A turn's `info` is whatever JSON its player sent, and a record may come from anywhere. So nothing
//! of it is believed: what has another type or an impossible size is passed over, texts are cut and
//! cleaned, and lists are short.

use serde::Serialize;
use serde_json::Value;

/// Turns of a line that are kept.
const LONGEST_LINE: usize = 8;
/// Characters of a turn that are kept.
const LONGEST_TURN: usize = 48;
/// Counts beyond this are not whole numbers in every reader of JSON.
const LARGEST_COUNT: u64 = 1 << 53;

/// What a player said it thought.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Thought {
    /// What the position was worth to it, from -1 (lost) to 1 (won).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Whether it was certain.
    pub proven: bool,
    /// How many whole turns deep it looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// How often its search went this way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// Positions it looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The turns it expected, its own first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
}

impl Thought {
    /// Reads the `info` of a turn. `None` where nothing of it can be shown.
    pub fn read(info: &Value) -> Option<Thought> {
        let count =
            |key: &str| info.get(key).and_then(Value::as_u64).filter(|n| *n <= LARGEST_COUNT);
        let value = info.get("value").and_then(Value::as_f64);
        let turns = info.get("pv").and_then(Value::as_array).map(Vec::as_slice);
        let line = turns.unwrap_or_default().iter().map_while(Value::as_str);
        let thought = Thought {
            value: value.filter(|value| (-1.0..=1.0).contains(value)),
            proven: info.get("proven").and_then(Value::as_bool).unwrap_or(false),
            depth: count("depth"),
            visits: count("visits"),
            nodes: count("nodes"),
            line: line.take(LONGEST_LINE).map(cleaned).filter(|turn| !turn.is_empty()).collect(),
        };
        let Thought { value, depth, visits, nodes, line, .. } = &thought;
        let is_empty = value.is_none()
            && [depth, visits, nodes].into_iter().all(Option::is_none)
            && line.is_empty();
        (!is_empty).then_some(thought)
    }
}

/// `+0.31, 1,204 visits, best line d1-d7/g7; a4-a5/a6`.
impl std::fmt::Display for Thought {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        if let Some(value) = self.value {
            let certain = match (self.proven, value) {
                (true, value) if value > 0.0 => " (won)",
                (true, value) if value < 0.0 => " (lost)",
                (true, _) => " (drawn)",
                (false, _) => "",
            };
            // No minus before what is rounded to nothing.
            let rounded = (value * 100.0).round() / 100.0 + 0.0;
            parts.push(format!("{rounded:+.2}{certain}"));
        }
        match (self.visits, self.depth) {
            (Some(visits), _) => parts.push(counted(visits, "visit")),
            (None, Some(depth)) => parts.push(format!("depth {}", commas(depth))),
            (None, None) => {}
        }
        if let (Some(nodes), None) = (self.nodes, self.visits) {
            parts.push(counted(nodes, "node"));
        }
        if !self.line.is_empty() {
            parts.push(format!("best line {}", self.line.join("; ")));
        }
        f.write_str(&parts.join(", "))
    }
}

fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", commas(number), if number == 1 { "" } else { "s" })
}

fn commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A turn on one line, without anything that moves a cursor or turns text around.
fn cleaned(text: &str) -> String {
    let mut clean = String::new();
    for letter in text.chars().take(4 * LONGEST_TURN) {
        match letter {
            letter if letter.is_whitespace() => {
                if !clean.ends_with(' ') {
                    clean.push(' ');
                }
            }
            letter if is_disruptive(letter) => {}
            letter => clean.push(letter),
        }
    }
    let clean = clean.trim();
    if clean.chars().count() <= LONGEST_TURN {
        return clean.to_owned();
    }
    clean.chars().take(LONGEST_TURN - 1).chain(['…']).collect()
}

/// Whether a character does something else than stand in its place: control characters, those that
/// turn the direction of the text around it, and those that cannot be seen.
pub fn is_disruptive(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_engines_think_is_told_in_a_line() {
        for (info, told) in [
            (
                json!({"value": 0.3141, "visits": 1204, "nodes": 1300, "pv": ["a1-a2/a3", "b1-b2/b3"]}),
                "+0.31, 1,204 visits, best line a1-a2/a3; b1-b2/b3",
            ),
            (json!({"value": -0.001, "depth": 4, "nodes": 1}), "+0.00, depth 4, 1 node"),
            (json!({"value": -1.0, "depth": 2, "proven": true, "pv": []}), "-1.00 (lost), depth 2"),
            (json!({"nodes": 1_000_000}), "1,000,000 nodes"),
        ] {
            assert_eq!(Thought::read(&info).unwrap().to_string(), told);
        }
    }

    /// An agent may send any JSON at all.
    #[test]
    fn what_is_not_believable_is_passed_over() {
        for nothing in [
            json!(null),
            json!("value"),
            json!([0.5]),
            json!({}),
            json!({"value": "0.5", "depth": -1, "visits": 0.5, "nodes": u64::MAX, "pv": "a1"}),
            json!({"value": 1e300, "pv": [[], "a1"], "proven": true}),
            json!({"value": -1.01, "pv": ["\u{1b}\u{202e}\u{0}", " \n"]}),
        ] {
            assert_eq!(Thought::read(&nothing), None, "{nothing}");
        }
        let odd = json!({"value": 0.5, "pv": [
            "a\u{1b}[2J\u{7}1", "b\u{202e}1\u{2066}\u{200b}", "c\n\n1\t\u{85}d", "x".repeat(100_000), 7, "e1"
        ]});
        let thought = Thought::read(&odd).unwrap();
        assert_eq!(thought.line[..3], ["a[2J1", "b1", "c 1 d"]);
        assert_eq!(thought.line[3].chars().count(), LONGEST_TURN);
        assert_eq!(thought.line.len(), 4, "nothing after what is no text");
        let long = json!({"pv": vec!["a1"; 1_000]});
        assert_eq!(Thought::read(&long).unwrap().line.len(), LONGEST_LINE);
        assert!(!thought.to_string().chars().any(is_disruptive));
    }
}
