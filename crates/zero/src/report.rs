//! A training run as a page: the family of networks, and a curve for everything worth watching.
//!
//! The page stands alone: no script, no font, no picture from elsewhere. Every curve is an SVG with a
//! title for those who do not see it, and the numbers are in tables beside.

use std::fmt::Write as _;

use serde_json::Value;

/// One event of a run, a line of `log.jsonl`.
pub type Event = Value;

/// Reads a log. A torn last line, which a crash leaves behind, is left out.
pub fn read_log(text: &str) -> Vec<Event> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A curve: a name and points, each with half the length of its error bar.
struct Curve<'a> {
    name: &'a str,
    points: Vec<(f64, f64, f64)>,
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

/// Elo against minutes as a picture of its own.
pub fn picture(title: &str, log: &[Event]) -> String {
    let curves = ratings(log);
    let (svg, _) = draw(&format!("{title}: Elo"), &curves);
    let style = "<style>text{fill:#667085;font:11px sans-serif}.grid{stroke:#d5d9e0}</style>";
    let mut key = format!("<text x=\"{LEFT}\" y=\"-8\">{}</text>", escape(title));
    let mut x = WIDTH - 4.0;
    for (number, curve) in curves.iter().enumerate().rev().filter(|(_, c)| !c.points.is_empty()) {
        let colour = COLOURS[number % COLOURS.len()];
        let _ = write!(
            key,
            "<text x=\"{x:.0}\" y=\"-8\" text-anchor=\"end\" style=\"fill:{colour}\">{}</text>",
            escape(curve.name)
        );
        x -= 6.2 * curve.name.len() as f64 + 10.0;
    }
    svg.replacen(
        &format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\""),
        &format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -22 {WIDTH} {}\"",
            HEIGHT + 22.0
        ),
        1,
    )
    .replacen("</title>", &format!("</title>{style}{key}"), 1)
        + "\n"
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
        ("game length in actions", vec![curve(log, "mean", "game_length")]),
        ("score of the first player", vec![curve(log, "mean", "first_player_score")]),
        ("simulations", vec![curve(log, "full search", "simulations")]),
    ];
    for (name, curves) in charts {
        body.push_str(&chart(name, &curves));
    }
    body.push_str("</section>");

    // 3. The family.
    body.push_str(
        "<h2>The family of networks</h2><table><thead><tr><th>net</th><th>minutes</th>\
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
    body.push_str("</tbody></table>");
    if !anchors.is_empty() {
        body.push_str(
            "<h2>Against fixed opponents</h2><table><thead><tr><th>minutes</th><th>opponent</th>\
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
        body.push_str("</tbody></table>");
    }

    // 4. The settings, so that the run can be made again.
    let settings = serde_json::to_string_pretty(settings).unwrap_or_default();
    let _ = write!(body, "<h2>Settings</h2><pre>{}</pre>", escape(&settings));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{}</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n",
        escape(title)
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1d2430;--paper:#fff;--line:#d5d9e0;--soft:#667085}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--paper:#14181f;--line:#343b47;--soft:#98a2b3}}\
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\
main{max-width:70rem;margin:0 auto;padding:1rem}h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}\
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2rem}.facts dt{color:var(--soft);font-size:.85rem}\
.facts dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums}\
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(19rem,1fr));gap:1rem}\
figure{margin:0;border:1px solid var(--line);border-radius:.5rem;padding:.5rem}\
figcaption{font-weight:600}svg{width:100%;height:auto;display:block}\
svg text{fill:var(--soft);font:11px system-ui,sans-serif}svg .grid{stroke:var(--line)}\
.key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.85rem;list-style:none;margin:0;padding:0}\
.key li::before{content:'';display:inline-block;width:.8em;height:.8em;border-radius:50%;\
background:var(--c);margin-right:.4em}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid var(--line)}\
tr.discarded td{color:var(--soft);text-decoration:line-through}tr.promoted td{font-weight:600}\
pre{overflow:auto;border:1px solid var(--line);border-radius:.5rem;padding:.5rem}\
@media print{.charts{grid-template-columns:1fr 1fr}figure{break-inside:avoid}}";

/// Colours that stay apart for most kinds of colour blindness.
const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b"];

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 48.0;
const BOTTOM: f64 = 22.0;

fn chart(name: &str, curves: &[Curve<'_>]) -> String {
    let (svg, key) = draw(name, curves);
    format!("<figure><figcaption>{}</figcaption>{svg}{key}</figure>", escape(name))
}

/// The curves as an SVG, and the key to their colours as a list.
fn draw(name: &str, curves: &[Curve<'_>]) -> (String, String) {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    if points().next().is_none() {
        return ("<p>nothing measured yet</p>".to_owned(), String::new());
    }
    let most_minutes = points().map(|point| point.0).fold(0.1, f64::max);
    let (mut low, mut high) = points().fold((f64::MAX, f64::MIN), |(low, high), (_, y, error)| {
        (low.min(y - error), high.max(y + error))
    });
    // From zero, unless the values are far from it.
    if low > 0.0 && low < 0.6 * high {
        low = 0.0;
    }
    if high - low < 1e-9 {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let step = round_step((high - low) / 4.0);
    (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let x = |minutes: f64| LEFT + (WIDTH - LEFT - 8.0) * minutes / most_minutes;
    let y = |value: f64| 8.0 + (HEIGHT - BOTTOM - 8.0) * (high - value) / (high - low);

    let mut svg = String::new();
    let mut described = String::new();
    for curve in curves.iter().filter(|curve| !curve.points.is_empty()) {
        let (_, last, _) = curve.points[curve.points.len() - 1];
        let _ = write!(described, "{}: {} at the end. ", curve.name, short(last));
    }
    let _ = write!(
        svg,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0} against minutes. {1}\">\
         <title>{0}</title>",
        escape(name),
        escape(described.trim())
    );
    let mut value = low;
    while value <= high + step * 0.01 {
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
             <text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{3}</text>",
            y(value),
            LEFT - 4.0,
            y(value) + 4.0,
            short(value)
        );
        value += step;
    }
    let minutes = round_step(most_minutes / 4.0);
    let mut minute = 0.0;
    while minute <= most_minutes + 1e-9 {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(minute),
            HEIGHT - 6.0,
            short(minute)
        );
        minute += minutes;
    }
    for (number, curve) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let line: Vec<String> = curve
            .points
            .iter()
            .map(|(minutes, value, _)| format!("{:.1},{:.1}", x(*minutes), y(*value)))
            .collect();
        let _ = write!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" points=\"{}\"/>",
            line.join(" ")
        );
        for (minutes, value, error) in &curve.points {
            if *error > 0.0 {
                let _ = write!(
                    svg,
                    "<line stroke=\"{colour}\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" \
                     y2=\"{2:.1}\"/>",
                    x(*minutes),
                    y(value - error),
                    y(value + error)
                );
            }
            if *error > 0.0 || curve.points.len() < 3 {
                let _ = write!(
                    svg,
                    "<circle fill=\"{colour}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"/>",
                    x(*minutes),
                    y(*value)
                );
            }
        }
    }
    svg.push_str("</svg>");
    let mut key = String::new();
    if curves.len() > 1 {
        key.push_str("<ul class=\"key\">");
        for (number, curve) in curves.iter().enumerate().filter(|(_, c)| !c.points.is_empty()) {
            let colour = COLOURS[number % COLOURS.len()];
            let _ = write!(key, "<li style=\"--c:{colour}\">{}</li>", escape(curve.name));
        }
        key.push_str("</ul>");
    }
    (svg, key)
}

/// 1, 2 or 5 times a power of ten, at least as large as `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-12).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= least);
    step.unwrap_or(10.0) * power
}

/// A number for an axis.
fn short(value: f64) -> String {
    let size = value.abs();
    let shown = if size >= 1e6 {
        format!("{:.1}M", value / 1e6)
    } else if size >= 10_000.0 {
        format!("{:.0}k", value / 1e3)
    } else if size >= 20.0 || size == 0.0 {
        format!("{value:.0}")
    } else if size >= 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    };
    shown.replace(".0M", "M")
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && shown != "-" {
            shown.push('\u{2009}');
        }
        shown.push(digit);
    }
    shown
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

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

    #[test]
    fn steps_are_round() {
        assert_eq!(round_step(0.3), 0.5);
        assert_eq!(round_step(12.0), 20.0);
        assert_eq!(round_step(100.0), 100.0);
        assert_eq!(thousands(1_234_567.0), "1\u{2009}234\u{2009}567");
        assert_eq!(short(0.25), "0.25");
    }
}
