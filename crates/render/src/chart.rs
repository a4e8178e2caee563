//! Charts as SVG.

use std::fmt::Write as _;

use crate::number::signed;
use crate::{escape, short};

/// A curve: a name and points, each with half the length of its error bar.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// What it shows.
    pub name: &'a str,
    /// Along, up, and half the length of the error bar (0 for none).
    pub points: Vec<(f64, f64, f64)>,
}

/// Curves over one axis.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// What is drawn: `Elo`.
    pub name: &'a str,
    /// What it is drawn against: `minutes`.
    pub against: &'a str,
    /// The curves.
    pub curves: &'a [Curve<'a>],
}

/// Colours that stay apart for most kinds of colour blindness.
const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b"];
/// Beyond five, curves also differ in their strokes.
const STROKES: [&str; 4] = ["", "6 3", "2 2", "8 3 2 3"];

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 48.0;
const BOTTOM: f64 = 22.0;

/// How the curve with this number is drawn.
fn stroke(number: usize) -> String {
    let colour = COLOURS[number % COLOURS.len()];
    match STROKES[number / COLOURS.len() % STROKES.len()] {
        "" => format!("stroke=\"{colour}\""),
        dashes => format!("stroke=\"{colour}\" stroke-dasharray=\"{dashes}\""),
    }
}

impl Chart<'_> {
    /// The chart with its name and the key to its curves.
    pub fn figure(&self) -> String {
        let Some(svg) = self.svg("") else {
            let name = escape(self.name);
            return format!(
                "<figure><figcaption>{name}</figcaption><p>nothing measured yet</p></figure>"
            );
        };
        let mut key = String::new();
        if self.curves.len() > 1 {
            key.push_str("<ul class=\"key\">");
            for (number, curve) in self.drawn() {
                let _ = write!(
                    key,
                    "<li><svg viewBox=\"0 0 32 8\" aria-hidden=\"true\"><line x1=\"0\" x2=\"32\" \
                     y1=\"4\" y2=\"4\" stroke-width=\"3\" {}/></svg>{}</li>",
                    stroke(number),
                    escape(curve.name)
                );
            }
            key.push_str("</ul>");
        }
        format!("<figure><figcaption>{}</figcaption>{svg}{key}</figure>", escape(self.name))
    }

    /// The chart as a picture of its own, with a title; `None` where there is nothing to draw.
    pub fn picture(&self, title: &str) -> Option<String> {
        let mut key = format!(
            "<style>text{{fill:#667085;font:11px sans-serif}}.grid{{stroke:#d5d9e0}}</style>\
             <text x=\"{LEFT}\" y=\"-8\">{}</text>",
            escape(title)
        );
        let mut x = WIDTH - 4.0;
        for (number, curve) in self.drawn().collect::<Vec<_>>().into_iter().rev() {
            let colour = COLOURS[number % COLOURS.len()];
            let _ = write!(
                key,
                "<text x=\"{x:.0}\" y=\"-8\" text-anchor=\"end\" style=\"fill:{colour}\">{}</text>",
                escape(curve.name)
            );
            x -= 6.2 * curve.name.len() as f64 + 10.0;
        }
        let svg = self.svg(&key)?;
        let frame = format!("viewBox=\"0 0 {WIDTH} {HEIGHT}\"");
        let wider = format!(
            "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -22 {WIDTH} {}\"",
            HEIGHT + 22.0
        );
        Some(svg.replacen(&frame, &wider, 1) + "\n")
    }

    fn drawn(&self) -> impl Iterator<Item = (usize, &Curve<'_>)> {
        self.curves.iter().enumerate().filter(|(_, curve)| !curve.points.is_empty())
    }

    /// The curves on their axes; `within` goes into the picture as it is.
    fn svg(&self, within: &str) -> Option<String> {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        points().next()?;
        let most = points().map(|point| point.0).fold(0.1, f64::max);
        let (mut low, mut high) = points()
            .fold((f64::MAX, f64::MIN), |(low, high), (_, y, error)| {
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
        let x = |along: f64| LEFT + (WIDTH - LEFT - 12.0) * along / most;
        let y = |value: f64| 8.0 + (HEIGHT - BOTTOM - 8.0) * (high - value) / (high - low);

        let mut described = String::new();
        for (_, curve) in self.drawn() {
            let (_, last, _) = curve.points[curve.points.len() - 1];
            let _ = write!(described, "{}: {} at the end. ", curve.name, short(last));
        }
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0} against {1}. {2}\">\
             <title>{0}</title>{within}",
            escape(self.name),
            escape(self.against),
            escape(described.trim())
        );
        for value in ticks(low, high, step) {
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
                 <text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{3}</text>",
                y(value),
                LEFT - 4.0,
                y(value) + 4.0,
                short(value)
            );
        }
        for along in ticks(0.0, most, round_step(most / 4.0)) {
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                x(along),
                HEIGHT - 6.0,
                short(along)
            );
        }
        for (number, curve) in self.drawn() {
            let colour = COLOURS[number % COLOURS.len()];
            let line: Vec<String> = (curve.points.iter())
                .map(|(along, value, _)| format!("{:.1},{:.1}", x(*along), y(*value)))
                .collect();
            let _ = write!(
                svg,
                "<polyline fill=\"none\" {} stroke-width=\"1.8\" points=\"{}\"/>",
                stroke(number),
                line.join(" ")
            );
            for (along, value, error) in &curve.points {
                if *error > 0.0 {
                    let _ = write!(
                        svg,
                        "<line stroke=\"{colour}\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" \
                         y2=\"{2:.1}\"/>",
                        x(*along),
                        y(value - error),
                        y(value + error)
                    );
                }
                if *error > 0.0 || curve.points.len() < 3 {
                    let _ = write!(
                        svg,
                        "<circle fill=\"{colour}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"/>",
                        x(*along),
                        y(*value)
                    );
                }
            }
        }
        svg.push_str("</svg>");
        Some(svg)
    }
}

/// A value with its interval, one line of [`bars`].
#[derive(Clone, Copy, Debug)]
pub struct Bar<'a> {
    /// Whose value it is.
    pub name: &'a str,
    /// The value.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Values with their intervals, one below the other; nothing for none.
pub fn bars(name: &str, bars: &[Bar<'_>]) -> String {
    /// Letters that fit beside the bars.
    const LONGEST: usize = 22;
    let (left, width, line) = (150.0, 560.0, 22.0);
    if bars.is_empty() {
        return String::new();
    }
    let low = bars.iter().map(|bar| bar.low).fold(f64::MAX, f64::min);
    let high = bars.iter().map(|bar| bar.high).fold(f64::MIN, f64::max);
    let step = round_step(((high - low) / 6.0).max(1e-3));
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let span = (high - low).max(step);
    let height = line * bars.len() as f64 + 30.0;
    let x = |value: f64| left + (width - left - 24.0) * (value - low) / span;
    let told: Vec<String> =
        (bars.iter().take(12)).map(|bar| format!("{}: {}", bar.name, interval(bar))).collect();
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{0}. {1}\"><title>{0}</title>",
        escape(name),
        escape(&told.join("; "))
    );
    for value in ticks(low, high, step) {
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"4\" y2=\"{1:.1}\"/>\
             <text x=\"{0:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">{3}</text>",
            x(value),
            height - 22.0,
            height - 8.0,
            short(value)
        );
    }
    for (number, bar) in bars.iter().enumerate() {
        let y = line * (number as f64 + 0.5) + 4.0;
        let mut shown: String = bar.name.chars().take(LONGEST).collect();
        if bar.name.chars().nth(LONGEST).is_some() {
            shown.pop();
            shown.push('…');
        }
        let _ = write!(
            svg,
            "<g><title>{name} {interval}</title>\
             <text x=\"{beside:.0}\" y=\"{base:.1}\" text-anchor=\"end\">{shown}</text>\
             <path d=\"M{low:.1} {top:.1}V{foot:.1}M{low:.1} {y:.1}H{high:.1}\
             M{high:.1} {top:.1}V{foot:.1}\" stroke=\"{colour}\" stroke-width=\"1.8\" fill=\"none\"/>\
             <circle cx=\"{middle:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/></g>",
            name = escape(bar.name),
            interval = interval(bar),
            beside = left - 8.0,
            base = y + 4.0,
            shown = escape(&shown),
            low = x(bar.low),
            high = x(bar.high),
            middle = x(bar.value),
            top = y - 5.0,
            foot = y + 5.0,
            colour = COLOURS[0],
        );
    }
    svg.push_str("</svg>");
    svg
}

fn interval(bar: &Bar<'_>) -> String {
    let [value, low, high] = [bar.value, bar.low, bar.high].map(|value| signed(value, 0));
    format!("{value} ({low} to {high})")
}

/// From `low` to `high` in steps.
fn ticks(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let count = ((high - low) / step + 0.01).floor().max(0.0) as usize;
    (0..=count).map(move |number| low + step * number as f64)
}

/// 1, 2 or 5 times a power of ten, at least as large as `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-12).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= least);
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!(round_step(0.3), 0.5);
        assert_eq!(round_step(12.0), 20.0);
        assert_eq!(round_step(100.0), 100.0);
        assert_eq!(
            ticks(-200.0, 200.0, 100.0).collect::<Vec<_>>(),
            [-200.0, -100.0, 0.0, 100.0, 200.0]
        );
    }

    #[test]
    fn every_curve_can_be_told_apart() {
        let strokes: Vec<String> = (0..20).map(stroke).collect();
        for (number, one) in strokes.iter().enumerate() {
            assert!(strokes[..number].iter().all(|other| other != one), "{number}");
        }
    }

    #[test]
    fn bars_name_everybody_and_stay_finite() {
        let one = Bar { name: "<a>", value: 0.0, low: 0.0, high: 0.0 };
        let drawn = bars("ratings", &[one, Bar { name: "b", value: 12.0, low: -30.0, high: 51.0 }]);
        assert!(drawn.contains("&lt;a&gt;") && drawn.contains("+12 (-30 to +51)"), "{drawn}");
        for svg in [drawn, bars("ratings", &[one]), bars("ratings", &[])] {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
