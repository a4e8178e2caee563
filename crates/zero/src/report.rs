//! A training run as a page: the family of networks, and a curve for everything worth watching.
//!
//! The page stands alone: no script, no font, no picture from elsewhere. Every curve is an SVG with a
//! title for those who do not see it, and the numbers are in tables beside.

use std::fmt::Write as _;

use serde_json::Value;
use skirmish_render::{Chart, Curve, Document, escape, thousands};

/// One event of a run, a line of `log.jsonl`.
pub type Event = Value;

/// Reads a log. A torn last line, which a crash leaves behind, is left out.
pub fn read_log(text: &str) -> Vec<Event> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn number(event: &Event, path: &str) -> Option<f64> {
    let mut value = event;
    for key in path.split('.') {
        value = value.get(key)?;
    }
    value.as_f64().filter(|number| number.is_finite())
}

/// A number of an event for a table, `scale` times as large, or a dash.
fn cell(event: &Event, path: &str, scale: f64, digits: usize) -> String {
    number(event, path).map_or("–".to_owned(), |n| format!("{:.digits$}", n * scale))
}

fn of_kind<'a>(log: &'a [Event], kind: &'a str) -> impl Iterator<Item = &'a Event> {
    log.iter().filter(move |event| event["event"] == kind)
}

fn curve<'a>(log: &[Event], name: &'a str, path: &str) -> Curve<'a> {
    let points = of_kind(log, "progress")
        .filter_map(|event| Some((number(event, "minutes")?, number(event, path)?, 0.0)))
        .collect();
    Curve { name, points }
}

/// The agents a run was measured against.
fn anchors(log: &[Event]) -> Vec<&str> {
    let mut anchors: Vec<&str> =
        of_kind(log, "anchor").filter_map(|event| event["anchor"].as_str()).collect();
    anchors.sort_unstable();
    anchors.dedup();
    anchors
}

/// Elo against minutes: of the family, where the first network is 0, and against each anchor.
fn ratings(log: &[Event]) -> Vec<Curve<'_>> {
    let elo = |kind: &str, anchor: Option<&str>| -> Vec<(f64, f64, f64)> {
        of_kind(log, kind)
            .filter(|event| anchor.is_none_or(|anchor| event["anchor"] == anchor))
            .filter_map(|event| {
                let error = number(event, "elo_error").unwrap_or(0.0);
                Some((number(event, "minutes")?, number(event, "elo")?, error))
            })
            .collect()
    };
    let family = Curve { name: "against its ancestors", points: elo("gate", None) };
    let others = anchors(log)
        .into_iter()
        .map(|anchor| Curve { name: anchor, points: elo("anchor", Some(anchor)) });
    std::iter::once(family).chain(others).collect()
}

/// Elo against minutes as a picture of its own; nothing where nothing was measured.
pub fn picture(title: &str, log: &[Event]) -> Option<String> {
    let name = format!("{title}: Elo");
    Chart { name: &name, against: "minutes", curves: &ratings(log) }.picture(title)
}

/// The page.
pub fn page(title: &str, settings: &Value, log: &[Event]) -> String {
    let mut body = String::new();
    let last = of_kind(log, "progress").last();
    let _ = write!(body, "<h1>{}</h1>", escape(title));

    // 1. What came of it, in a few numbers.
    body.push_str("<dl class=\"facts\">");
    let fact = |body: &mut String, name: &str, value: Option<String>| {
        let value = value.unwrap_or_else(|| "–".to_owned());
        let _ = write!(body, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
    };
    let of_last = |path: &str| last.and_then(|event| number(event, path));
    fact(&mut body, "minutes", of_last("minutes").map(|n| format!("{n:.1}")));
    fact(&mut body, "games", of_last("games").map(thousands));
    fact(&mut body, "samples", of_last("samples").map(thousands));
    fact(&mut body, "training steps", of_last("step").map(thousands));
    fact(&mut body, "evaluations a second", of_last("evaluations_per_second").map(thousands));
    fact(
        &mut body,
        "of pure inference",
        of_last("ceiling_fraction").map(|part| format!("{:.0} %", 100.0 * part)),
    );
    let gates: Vec<&Event> = of_kind(log, "gate").collect();
    let promoted = gates.iter().filter(|gate| gate["verdict"] == "promoted").count();
    fact(&mut body, "networks promoted", Some(format!("{promoted} of {}", gates.len())));
    body.push_str("</dl>");

    // 2. The curves.
    body.push_str("<section class=\"charts\">");
    let ratings = ratings(log);
    let anchors = anchors(log);
    let charts = [
        ("Elo", ratings),
        (
            "losses",
            vec![
                curve(log, "policy", "losses.policy"),
                curve(log, "value", "losses.value"),
                curve(log, "total", "losses.total"),
            ],
        ),
        (
            "auxiliary losses",
            vec![
                curve(log, "ownership", "losses.ownership"),
                curve(log, "score", "losses.score"),
                curve(log, "moves left", "losses.moves_left"),
            ],
        ),
        ("games a second", vec![curve(log, "games", "games_per_second")]),
        (
            "evaluations a second",
            vec![
                curve(log, "self-play", "evaluations_per_second"),
                curve(log, "pure inference", "pure_inference_per_second"),
            ],
        ),
        (
            "parts of one",
            vec![
                curve(log, "batch fill", "batch_fill"),
                curve(log, "GPU busy", "gpu_busy"),
                curve(log, "of pure inference", "ceiling_fraction"),
            ],
        ),
        ("policy entropy", vec![curve(log, "of the search", "policy_entropy")]),
        ("game length in turns", vec![curve(log, "mean", "game_turns")]),
        ("score of the first player", vec![curve(log, "mean", "first_player_score")]),
        ("simulations", vec![curve(log, "full search", "simulations")]),
    ];
    for (name, curves) in charts {
        body.push_str(&Chart { name, against: "minutes", curves: &curves }.figure());
    }
    body.push_str("</section>");

    // 3. The family.
    body.push_str(
        "<h2>The family of networks</h2><div class=\"wide\"><table><thead><tr><th>net</th><th>minutes</th>\
         <th>against</th><th>games</th><th>score</th><th>verdict</th><th>Elo</th></tr></thead><tbody>",
    );
    for gate in &gates {
        let cell = |path, scale, digits| cell(gate, path, scale, digits);
        let _ = write!(
            body,
            "<tr class=\"{3}\"><td>{}</td><td>{}</td><td>{}</td><td>{4}</td><td>{5} ± {6} %</td>\
             <td>{3}</td><td>{7} ± {8}</td></tr>",
            cell("net", 1.0, 0),
            cell("minutes", 1.0, 1),
            cell("against", 1.0, 0),
            escape(gate["verdict"].as_str().unwrap_or("–")),
            cell("games", 1.0, 0),
            cell("score", 100.0, 1),
            cell("error", 100.0, 1),
            cell("elo", 1.0, 0),
            cell("elo_error", 1.0, 0),
        );
    }
    body.push_str("</tbody></table></div>");
    if !anchors.is_empty() {
        body.push_str(
            "<h2>Against fixed opponents</h2><div class=\"wide\"><table><thead><tr><th>minutes</th><th>opponent</th>\
             <th>games</th><th>score</th><th>Elo</th></tr></thead><tbody>",
        );
        for event in of_kind(log, "anchor") {
            let cell = |path, scale, digits| cell(event, path, scale, digits);
            let _ = write!(
                body,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{} %</td><td>{} ± {}</td></tr>",
                cell("minutes", 1.0, 1),
                escape(event["anchor"].as_str().unwrap_or("–")),
                cell("games", 1.0, 0),
                cell("score", 100.0, 1),
                cell("elo", 1.0, 0),
                cell("elo_error", 1.0, 0),
            );
        }
        body.push_str("</tbody></table></div>");
    }

    // 4. The settings, so that the run can be made again.
    let settings = serde_json::to_string_pretty(settings).unwrap_or_default();
    let _ = write!(body, "<h2>Settings</h2><pre>{}</pre>", escape(&settings));
    Document { title, style: STYLE, body: &body, script: "" }.html()
}

/// Networks that were discarded are struck out.
const STYLE: &str = "\
tr.discarded td { color: var(--soft); text-decoration: line-through }
tr.promoted td { font-weight: 600 }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_every_event_and_escapes_what_it_is_told() {
        let log = read_log(
            r#"{"event":"progress","minutes":1.0,"games":1234567,"losses":{"policy":2.5},"evaluations_per_second":1500000}
{"event":"progress","minutes":2.0,"games":2234567,"losses":{"policy":2.0},"first_player_score":0.61}
{"event":"gate","minutes":2.0,"net":2,"against":1,"games":400,"score":0.58,"error":0.04,"verdict":"promoted","elo":56,"elo_error":34}
{"event":"anchor","minutes":2.0,"net":2,"anchor":"<greedy>","games":100,"score":0.9,"elo":380,"elo_error":80}
{"event":"progress","minu"#,
        );
        assert_eq!(log.len(), 4, "the torn line is left out");
        let page = page("a <run>", &serde_json::json!({"seed": 7}), &log);
        for text in
            ["a &lt;run&gt;", "58.0 ± 4.0 %", "&lt;greedy&gt;", "promoted", "1.5M", "polyline"]
        {
            assert!(page.contains(text), "{text}");
        }
        assert!(!page.contains("<greedy>") && !page.contains("NaN"));
    }

    #[test]
    fn an_empty_run_is_a_page_too() {
        let page = page("nothing", &Value::Null, &[]);
        assert!(page.contains("nothing measured yet"));
    }
}
