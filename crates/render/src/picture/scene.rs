//! A picture as a list of plain shapes, from back to front.

/// Red, green and blue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// A colour by hue (degrees), saturation and lightness (0 to 1).
    pub(super) fn hue(hue: f64, saturation: f64, lightness: f64) -> Colour {
        let reach = saturation * lightness.min(1.0 - lightness);
        let part = |offset: f64| {
            let at = (offset + hue / 30.0).rem_euclid(12.0);
            let value = lightness - reach * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0);
            (value * 255.0).round() as u8
        };
        Colour(part(0.0), part(8.0), part(4.0))
    }
}

/// Which end of a text its place names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A colour and a width.
type Stroke = Option<(Colour, f64)>;

/// One shape.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Shape {
    /// A rectangle, its corners rounded by `radius`.
    Rect {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        radius: f64,
        fill: Option<Colour>,
        stroke: Stroke,
        dashed: bool,
    },
    /// A disc.
    Circle { x: f64, y: f64, radius: f64, fill: Option<Colour>, stroke: Stroke },
    /// A closed outline.
    Polygon { points: Vec<(f64, f64)>, fill: Colour, stroke: Stroke },
    /// A line through points.
    Line { points: Vec<(f64, f64)>, colour: Colour, width: f64 },
    /// A line of text; `y` is where letters stand.
    Text { text: String, x: f64, y: f64, size: f64, bold: bool, anchor: Anchor, fill: Colour },
}

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
    /// Behind everything.
    pub paper: Colour,
    /// From back to front.
    pub shapes: Vec<Shape>,
    /// What it shows, in a few words.
    pub title: String,
    /// What it shows, in a sentence or two.
    pub description: String,
}

impl Scene {
    pub(super) fn new(width: f64, height: f64, paper: Colour) -> Scene {
        let (title, description) = (String::new(), String::new());
        Scene { width, height, paper, shapes: Vec::new(), title, description }
    }

    pub(super) fn text(&mut self, text: &str, x: f64, y: f64, size: f64, bold: bool, fill: Colour) {
        let (text, anchor) = (text.to_owned(), Anchor::Start);
        self.shapes.push(Shape::Text { text, x, y, size, bold, anchor, fill });
    }

    /// Bold text around a point.
    pub(super) fn centred(&mut self, text: &str, x: f64, y: f64, size: f64, fill: Colour) {
        let (text, anchor) = (text.to_owned(), Anchor::Middle);
        self.shapes.push(Shape::Text {
            text,
            x,
            y: y + 0.36 * size,
            size,
            bold: true,
            anchor,
            fill,
        });
    }

    pub(super) fn rect(
        &mut self,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        radius: f64,
        fill: Colour,
    ) {
        let fill = Some(fill);
        self.shapes.push(Shape::Rect {
            x,
            y,
            width,
            height,
            radius,
            fill,
            stroke: None,
            dashed: false,
        });
    }

    /// The outline of a square.
    pub(super) fn frame(&mut self, x: f64, y: f64, side: f64, colour: Colour, width: f64) {
        let stroke = Some((colour, width));
        let (radius, fill, dashed) = (3.0, None, false);
        self.shapes.push(Shape::Rect {
            x,
            y,
            width: side,
            height: side,
            radius,
            fill,
            stroke,
            dashed,
        });
    }

    pub(super) fn circle(&mut self, x: f64, y: f64, radius: f64, fill: Colour, stroke: Stroke) {
        self.shapes.push(Shape::Circle { x, y, radius, fill: Some(fill), stroke });
    }

    pub(super) fn ring(&mut self, x: f64, y: f64, radius: f64, colour: Colour, width: f64) {
        let stroke = Some((colour, width));
        self.shapes.push(Shape::Circle { x, y, radius, fill: None, stroke });
    }

    pub(super) fn polygon(&mut self, points: &[(f64, f64)], fill: Colour, stroke: Stroke) {
        self.shapes.push(Shape::Polygon { points: points.to_vec(), fill, stroke });
    }

    pub(super) fn line(&mut self, points: &[(f64, f64)], colour: Colour, width: f64) {
        self.shapes.push(Shape::Line { points: points.to_vec(), colour, width });
    }
}
