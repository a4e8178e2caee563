//! A scene as SVG: text stays text, so that it can be searched and read aloud.

use std::fmt::Write as _;

use crate::escape;

use super::scene::{Anchor, Colour, Scene, Shape};
use super::{INK, MARGIN, PAPER, thumbnail};
use skirmish_rules::view::Frame;

const FONT: &str = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

/// One picture as an SVG document.
pub fn svg(scene: &Scene) -> String {
    let mut text = head(scene.width, scene.height, &scene.title, &scene.description);
    body(scene, &mut text);
    text.push_str("</svg>\n");
    text
}

/// A game on one page: boards side by side, each with its turn below, in order from the top left.
pub fn sheet(title: &str, ending: &str, frames: &[Frame]) -> String {
    const COLUMNS: usize = 4;
    const SPACE: f64 = 22.0;
    let most = frames.iter().map(|frame| frame.view.rows.max(frame.view.columns)).max();
    let cell = (220.0 / f64::from(most.unwrap_or(8).max(1))).max(12.0);
    let boards: Vec<Scene> = frames.iter().map(|frame| thumbnail(frame, cell)).collect();
    let widest = boards.iter().map(|board| board.width).fold(0.0, f64::max);
    let highest = boards.iter().map(|board| board.height).fold(0.0, f64::max);
    let columns = boards.len().clamp(1, COLUMNS);
    let rows = boards.len().div_ceil(columns);
    let width = 2.0 * MARGIN + columns as f64 * (widest + SPACE) - SPACE;
    let top = MARGIN + 52.0;
    let height = top + rows as f64 * (highest + SPACE) - SPACE + MARGIN;

    let mut text = head(width, height, title, ending);
    let mut page = Scene::new(width, height, PAPER);
    page.text(title, MARGIN, MARGIN + 14.0, 17.0, true, INK);
    page.text(ending, MARGIN, MARGIN + 36.0, 13.0, false, INK);
    body(&page, &mut text);
    for (number, board) in boards.iter().enumerate() {
        let x = MARGIN + (number % columns) as f64 * (widest + SPACE);
        let y = top + (number / columns) as f64 * (highest + SPACE);
        let _ = writeln!(text, "<g transform=\"translate({} {})\">", short(x), short(y));
        shapes(board, &mut text);
        text.push_str("</g>\n");
    }
    text.push_str("</svg>\n");
    text
}

fn head(width: f64, height: f64, title: &str, description: &str) -> String {
    let (width, height) = (short(width.ceil()), short(height.ceil()));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FONT}\">\n\
         <title>{}</title>\n<desc>{}</desc>\n",
        escape(title),
        escape(description)
    )
}

fn body(scene: &Scene, text: &mut String) {
    let _ = writeln!(text, "<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>", hex(scene.paper));
    shapes(scene, text);
}

fn shapes(scene: &Scene, text: &mut String) {
    for shape in &scene.shapes {
        write_shape(shape, text);
        text.push('\n');
    }
}

fn write_shape(shape: &Shape, text: &mut String) {
    // Writing into a string does not fail.
    let _ = match shape {
        Shape::Rect { x, y, width, height, radius, fill, stroke, dashed } => {
            let radius =
                if *radius > 0.0 { format!(" rx=\"{}\"", short(*radius)) } else { String::new() };
            let dashed = if *dashed { " stroke-dasharray=\"7 5\"" } else { "" };
            let paint = paint(*fill, *stroke);
            let [x, y, width, height] = [x, y, width, height].map(|number| short(*number));
            write!(
                text,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{radius}{paint}{dashed}/>"
            )
        }
        Shape::Circle { x, y, radius, fill, stroke } => {
            let [x, y, radius] = [x, y, radius].map(|number| short(*number));
            let paint = paint(*fill, *stroke);
            write!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"{paint}/>")
        }
        Shape::Polygon { points, fill, stroke } => write!(
            text,
            "<polygon points=\"{}\"{} stroke-linejoin=\"round\"/>",
            list(points),
            paint(Some(*fill), *stroke)
        ),
        Shape::Line { points, colour, width } => write!(
            text,
            "<polyline points=\"{}\"{} stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
            list(points),
            paint(None, Some((*colour, *width)))
        ),
        Shape::Text { text: words, x, y, size, bold, anchor, fill } => {
            let bold = if *bold { " font-weight=\"600\"" } else { "" };
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let [x, y, size] = [x, y, size].map(|number| short(*number));
            write!(
                text,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{bold}{anchor} fill=\"{}\">{}</text>",
                hex(*fill),
                escape(words)
            )
        }
    };
}

fn paint(fill: Option<Colour>, stroke: Option<(Colour, f64)>) -> String {
    let fill = fill.map_or("none".to_owned(), hex);
    let stroke = stroke.map_or(String::new(), |(colour, width)| {
        format!(" stroke=\"{}\" stroke-width=\"{}\"", hex(colour), short(width))
    });
    format!(" fill=\"{fill}\"{stroke}")
}

fn list(points: &[(f64, f64)]) -> String {
    let points: Vec<String> =
        points.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
    points.join(" ")
}

fn hex(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A number with at most two decimals.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
