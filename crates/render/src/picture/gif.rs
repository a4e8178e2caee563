//! Scenes as an animated GIF. Each frame holds only what changed since the one before.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

use skirmish_rules::{Error, ErrorKind, Result};
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};

use super::PLAIN;
use super::letters::{lines_of, width_of};
use super::scene::{Anchor, Colour, Scene, Shape};

/// An animation has at most this many frames.
pub const MOST_FRAMES: usize = 2_000;
/// No picture is wider or higher than this, in pixels.
const MOST_PIXELS: f64 = 900.0;
/// Colours a GIF may have, but one: that is kept for what did not change.
const COLOURS: usize = 255;
/// The pixels of the frame before show through this.
const SAME: u8 = 255;

/// A GIF being made.
pub struct Animation<W: Write> {
    encoder: gif::Encoder<W>,
    scale: f64,
    size: (u16, u16),
    palette: Palette,
    before: Option<Vec<u8>>,
}

impl<W: Write> Animation<W> {
    /// Begins an animation. `samples` are some of the scenes to come: they settle its size and its
    /// colours.
    pub fn begin(writer: W, samples: &[Scene]) -> Result<Animation<W>> {
        let width = samples.iter().map(|scene| scene.width).fold(1.0, f64::max);
        let height = samples.iter().map(|scene| scene.height).fold(1.0, f64::max);
        let scale = (MOST_PIXELS / width.max(height)).min(1.0);
        let size = ((width * scale).ceil() as u16, (height * scale).ceil() as u16);
        let palette = Palette::of(samples.iter().map(|scene| pixels(scene, size, scale)));
        let mut encoder =
            gif::Encoder::new(writer, size.0, size.1, &palette.bytes()).map_err(trouble)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(trouble)?;
        Ok(Animation { encoder, scale, size, palette, before: None })
    }

    /// Adds a scene, shown for so many hundredths of a second.
    pub fn add(&mut self, scene: &Scene, hundredths: u16) -> Result<()> {
        let colours = pixels(scene, self.size, self.scale);
        let indices: Vec<u8> = colours.iter().map(|colour| self.palette.nearest(*colour)).collect();
        let (left, top, right, bottom) = match &self.before {
            None => (0, 0, self.size.0, self.size.1),
            Some(before) => changed(before, &indices, self.size.0),
        };
        let row_length = usize::from(self.size.0);
        let mut part = Vec::new();
        for row in usize::from(top)..usize::from(bottom) {
            for at in row * row_length + usize::from(left)..row * row_length + usize::from(right) {
                let is_same = self.before.as_ref().is_some_and(|before| before[at] == indices[at]);
                part.push(if is_same { SAME } else { indices[at] });
            }
        }
        let frame = gif::Frame {
            left,
            top,
            width: right - left,
            height: bottom - top,
            delay: hundredths,
            transparent: self.before.is_some().then_some(SAME),
            dispose: gif::DisposalMethod::Keep,
            buffer: Cow::Owned(part),
            ..gif::Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(trouble)?;
        self.before = Some(indices);
        Ok(())
    }
}

fn trouble(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unreadable, format!("cannot write the GIF: {error}"))
}

/// The smallest rectangle that holds every difference: left, top, right, bottom. At least a pixel.
fn changed(before: &[u8], after: &[u8], width: u16) -> (u16, u16, u16, u16) {
    let (mut left, mut top, mut right, mut bottom) = (width, u16::MAX, 0, 0);
    for (row, (before, after)) in
        before.chunks(width.into()).zip(after.chunks(width.into())).enumerate()
    {
        let differs = |column: &usize| before[*column] != after[*column];
        let columns = 0..usize::from(width);
        if let Some(first) = columns.clone().find(differs) {
            let last = columns.rev().find(differs).unwrap_or(first);
            left = left.min(first as u16);
            right = right.max(last as u16 + 1);
            top = top.min(row as u16);
            bottom = row as u16 + 1;
        }
    }
    if right == 0 { (0, 0, 1, 1) } else { (left, top, right, bottom) }
}

/// The colours of an animation.
struct Palette {
    colours: Vec<Colour>,
    known: HashMap<Colour, u8>,
}

impl Palette {
    /// The colours that matter, and then the commonest.
    fn of(pictures: impl Iterator<Item = Vec<Colour>>) -> Palette {
        let mut counts: HashMap<Colour, u64> = HashMap::new();
        for picture in pictures {
            picture.into_iter().for_each(|colour| *counts.entry(colour).or_default() += 1);
        }
        let mut colours: Vec<(Colour, u64)> = counts.into_iter().collect();
        // Vivid ones first, of which there is enough to see: nothing would stand in for them.
        colours.sort_by_key(|(Colour(red, green, blue), count)| {
            let spread = red.max(green).max(blue) - red.min(green).min(blue);
            let is_vivid = spread > 48 && *count > 200;
            (!is_vivid, std::cmp::Reverse(*count), *red, *green, *blue)
        });
        // What things are told by is there in any case, however thin its lines are.
        let others = colours.into_iter().map(|(colour, _)| colour);
        let others = others.filter(|colour| !PLAIN.contains(colour));
        let colours = PLAIN.into_iter().chain(others).take(COLOURS).collect();
        Palette { colours, known: HashMap::new() }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self
            .colours
            .iter()
            .flat_map(|Colour(red, green, blue)| [*red, *green, *blue])
            .collect();
        bytes.resize(3 * 256, 0);
        bytes
    }

    fn nearest(&mut self, colour: Colour) -> u8 {
        let Palette { colours, known } = self;
        *known.entry(colour).or_insert_with(|| {
            let far = |other: &Colour| {
                let part = |a: u8, b: u8| (i32::from(a) - i32::from(b)).pow(2);
                // Green counts most to the eye, blue least.
                3 * part(colour.0, other.0)
                    + 4 * part(colour.1, other.1)
                    + 2 * part(colour.2, other.2)
            };
            (0..colours.len()).min_by_key(|index| far(&colours[*index])).unwrap_or(0) as u8
        })
    }
}

/// A scene as pixels, row by row.
fn pixels(scene: &Scene, size: (u16, u16), scale: f64) -> Vec<Colour> {
    let Some(mut pixmap) = Pixmap::new(size.0.max(1).into(), size.1.max(1).into()) else {
        return Vec::new();
    };
    let Colour(red, green, blue) = scene.paper;
    pixmap.fill(tiny_skia::Color::from_rgba8(red, green, blue, 255));
    let transform = Transform::from_scale(scale as f32, scale as f32);
    for shape in &scene.shapes {
        draw(&mut pixmap, shape, transform);
    }
    (pixmap.pixels().iter()).map(|pixel| Colour(pixel.red(), pixel.green(), pixel.blue())).collect()
}

fn draw(pixmap: &mut Pixmap, shape: &Shape, transform: Transform) {
    match shape {
        Shape::Rect { x, y, width, height, radius, fill, stroke, dashed } => {
            if let Some(path) = rounded(*x, *y, *width, *height, *radius) {
                paint(pixmap, &path, *fill, *stroke, *dashed, transform);
            }
        }
        Shape::Circle { x, y, radius, fill, stroke } => {
            if let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                paint(pixmap, &path, *fill, *stroke, false, transform);
            }
        }
        Shape::Polygon { points, fill, stroke } => {
            if let Some(path) = through(points, true) {
                paint(pixmap, &path, Some(*fill), *stroke, false, transform);
            }
        }
        Shape::Line { points, colour, width } => {
            if let Some(path) = through(points, false) {
                paint(pixmap, &path, None, Some((*colour, *width)), false, transform);
            }
        }
        Shape::Text { text, x, y, size, bold, anchor, fill } => {
            let width = width_of(text, *size);
            let left = match anchor {
                Anchor::Start => *x,
                Anchor::Middle => x - width / 2.0,
                Anchor::End => x - width,
            };
            let weight = size * if *bold { 0.115 } else { 0.085 };
            for line in lines_of(text, left, *y, *size) {
                if let Some(path) = through(&line, false) {
                    paint(pixmap, &path, None, Some((*fill, weight)), false, transform);
                }
            }
        }
    }
}

fn through(points: &[(f64, f64)], closed: bool) -> Option<tiny_skia::Path> {
    let mut path = PathBuilder::new();
    let (x, y) = *points.first()?;
    path.move_to(x as f32, y as f32);
    for (x, y) in &points[1..] {
        path.line_to(*x as f32, *y as f32);
    }
    if points.len() == 1 {
        // A dot: a stroke needs somewhere to go for its round ends to be drawn.
        path.line_to(x as f32 + 0.01, y as f32);
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn rounded(x: f64, y: f64, width: f64, height: f64, radius: f64) -> Option<tiny_skia::Path> {
    let [x, y, width, height, radius] = [x, y, width, height, radius].map(|number| number as f32);
    if radius <= 0.0 {
        return Some(PathBuilder::from_rect(tiny_skia::Rect::from_xywh(x, y, width, height)?));
    }
    let (right, bottom) = (x + width, y + height);
    let mut path = PathBuilder::new();
    path.move_to(x + radius, y);
    path.line_to(right - radius, y);
    path.quad_to(right, y, right, y + radius);
    path.line_to(right, bottom - radius);
    path.quad_to(right, bottom, right - radius, bottom);
    path.line_to(x + radius, bottom);
    path.quad_to(x, bottom, x, bottom - radius);
    path.line_to(x, y + radius);
    path.quad_to(x, y, x + radius, y);
    path.close();
    path.finish()
}

fn paint(
    pixmap: &mut Pixmap,
    path: &tiny_skia::Path,
    fill: Option<Colour>,
    stroke: Option<(Colour, f64)>,
    dashed: bool,
    transform: Transform,
) {
    let ink = |Colour(red, green, blue): Colour| {
        let mut paint = Paint::default();
        paint.set_color_rgba8(red, green, blue, 255);
        paint
    };
    if let Some(colour) = fill {
        pixmap.fill_path(path, &ink(colour), FillRule::Winding, transform, None);
    }
    if let Some((colour, width)) = stroke {
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash: if dashed { StrokeDash::new(vec![7.0, 5.0], 0.0) } else { None },
            ..Stroke::default()
        };
        pixmap.stroke_path(path, &ink(colour), &stroke, transform, None);
    }
}
