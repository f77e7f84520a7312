//! A writer of inline SVG. Colours and sizes are presentation attributes, so that a drawing is whole without any style sheet;
//! classes only let the style sheet adapt them to a dark page.

use std::fmt::Write as _;

/// What a thing is drawn in: a class for the style sheet, and the colour on white.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    pub(super) class: &'static str,
    pub(super) colour: &'static str,
}

macro_rules! inks {
    ($($name:ident $class:literal $colour:literal;)*) => {$(
        pub(super) const $name: Ink = Ink { class: $class, colour: $colour };
    )*};
}
inks! {
    TEXT "ink" "#1F2328";
    MUTED "muted" "#5A6270";
    GRID "grid" "#D8DCE2";
    LANE "lane" "#F3F5F8";
    SOLD "sold" "#0072B2";
    HELD "held" "#E69F00";
    AVAILABLE "available" "#009E73";
    ERROR "error" "#D55E00";
    VIOLATED "violated" "#B3261E";
}

/// A drawing in the making.
pub(super) struct Svg {
    out: String,
}

impl Svg {
    /// A drawing of this size; `title` is read out where it cannot be seen.
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Self { out: String::new() };
        svg.write(format_args!(
            r#"<svg viewBox="0 0 {width:.0} {height:.0}" width="100%" role="img" font-family="system-ui, sans-serif" font-size="11"><title>{}</title>"#,
            escape(title)
        ));
        // Hatches tell a fault band, and an answer that never came, from everything that is only a colour.
        svg.write(format_args!(
            r##"<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#000000" fill-opacity="0.05" class="band"/><line x1="0" y1="0" x2="0" y2="6" stroke="#5A6270" stroke-width="1" stroke-opacity="0.35"/></pattern></defs>"##
        ));
        svg
    }

    pub(super) fn end(mut self) -> String {
        self.out += "</svg>";
        self.out
    }

    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.out.write_fmt(arguments).expect("a string takes all");
    }

    pub(super) fn rect(&mut self, x: (f64, f64), y: (f64, f64), ink: Ink, title: &str) {
        self.write(format_args!(
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="{}" class="fill-{}">"#,
            x.0,
            y.0,
            (x.1 - x.0).max(0.0),
            (y.1 - y.0).max(0.0),
            ink.colour,
            ink.class
        ));
        self.title(title);
        self.out += "</rect>";
    }

    /// A hatched rectangle: a fault in force, or time in which nobody knows.
    pub(super) fn hatched(&mut self, x: (f64, f64), y: (f64, f64), title: &str) {
        self.write(format_args!(
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="url(#hatch)">"#,
            x.0,
            y.0,
            (x.1 - x.0).max(1.0),
            (y.1 - y.0).max(0.0)
        ));
        self.title(title);
        self.out += "</rect>";
    }

    fn title(&mut self, title: &str) {
        if !title.is_empty() {
            self.write(format_args!("<title>{}</title>", escape(title)));
        }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, dashed: bool) {
        let dash = if dashed { r#" stroke-dasharray="4 3""# } else { "" };
        self.write(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{}" class="line-{}"{dash}/>"#,
            from.0, from.1, to.0, to.1, ink.colour, ink.class
        ));
    }

    /// A line through points, given as the data of a path.
    pub(super) fn stroke(&mut self, path: &Path, ink: Ink, width: f64, dashed: bool) {
        let dash = if dashed { r#" stroke-dasharray="5 3""# } else { "" };
        self.write(format_args!(
            r#"<path d="{}" fill="none" stroke="{}" stroke-width="{width}" class="line-{}"{dash}/>"#,
            path.data, ink.colour, ink.class
        ));
    }

    pub(super) fn area(&mut self, path: &Path, ink: Ink, opacity: f64) {
        self.write(format_args!(
            r#"<path d="{}Z" fill="{}" fill-opacity="{opacity}" class="fill-{}"/>"#,
            path.data, ink.colour, ink.class
        ));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, ink: Ink, text: &str) {
        self.write(format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="{}" fill="{}" class="fill-{}">{}</text>"#,
            at.0,
            at.1,
            anchor.word(),
            ink.colour,
            ink.class,
            escape(text)
        ));
    }
}

/// Which end of a text stands at its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// The data of a path.
#[derive(Debug, Default)]
pub(super) struct Path {
    data: String,
}

impl Path {
    /// Steps: each value lasts from its `x` to the next one's; the last one to `until`.
    pub(super) fn steps(points: &[(f64, f64)], until: f64) -> Self {
        let mut path = Self::default();
        for (index, &(x, y)) in points.iter().enumerate() {
            if index == 0 {
                path.push(format_args!("M{x:.1} {y:.1}"));
            } else {
                path.push(format_args!("H{x:.1}V{y:.1}"));
            }
        }
        if !points.is_empty() {
            path.push(format_args!("H{until:.1}"));
        }
        path
    }

    /// The space between two step lines.
    pub(super) fn band(lower: &[(f64, f64)], upper: &[(f64, f64)], until: f64) -> Self {
        let mut path = Self::steps(upper, until);
        let mut right = until;
        for &(x, y) in lower.iter().rev() {
            path.push(format_args!("L{right:.1} {y:.1}H{x:.1}"));
            right = x;
        }
        path
    }

    pub(super) fn polyline(points: &[(f64, f64)]) -> Self {
        let mut path = Self::default();
        for (index, (x, y)) in points.iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            path.push(format_args!("{command}{x:.1} {y:.1}"));
        }
        path
    }

    /// Upright ticks of a height, standing on `y`.
    pub(super) fn ticks(xs: impl Iterator<Item = f64>, y: f64, height: f64) -> Self {
        let mut path = Self::default();
        xs.for_each(|x| path.push(format_args!("M{x:.1} {y:.1}v-{height:.1}")));
        path
    }

    /// Dots, drawn as the shortest strokes.
    pub(super) fn dots(points: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut path = Self::default();
        points.for_each(|(x, y)| path.push(format_args!("M{x:.1} {y:.1}h2")));
        path
    }

    fn push(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.data.write_fmt(arguments).expect("a string takes all");
    }
}

/// What stands in an attribute or between tags.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in a document, whoever named a SKU by one.
            _ if letter.is_control() => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}
