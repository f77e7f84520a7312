//! The evidence as a drawing: a lane a buyer, a bar an operation, a diamond a mark, and the faults in force behind them.

use super::axis::Axis;
use super::frame::WIDTH;
use super::svg::{Anchor, ERROR, GRID, HELD, Ink, LANE, MUTED, Path, SOLD, Svg, TEXT, VIOLATED};
use crate::{AnomalyCard, Summary, WitnessOperation, words};

const LEFT: f64 = 150.0;
const RIGHT: f64 = 940.0;
const TOP: f64 = 22.0;
const ROW: f64 = 20.0;
/// The least width of a bar, so that a quick operation is still seen.
const BAR_MIN: f64 = 4.0;
/// Letters of a label that are shown.
const LABEL_MAX: usize = 64;

struct Lanes<'a> {
    axis: Axis,
    /// A buyer with its operations, in the order of their first.
    of_buyers: Vec<(&'a str, Vec<&'a WitnessOperation>)>,
    bottom: f64,
}

/// The drawing of a witness; nothing if it has no instants.
pub(super) fn lanes(card: &AnomalyCard, summary: &Summary) -> String {
    if card.operations.is_empty() && card.marks.is_empty() {
        return String::new();
    }
    let lanes = Lanes::new(card);
    let title = format!("The evidence for {}: {}", card.rule, card.sentence);
    let mut svg = Svg::new(WIDTH, lanes.bottom + 22.0, &title);
    lanes.background(&mut svg, card, summary);
    let mut places = vec![];
    let mut y = TOP;
    for (_, operations) in &lanes.of_buyers {
        for op in operations {
            places.push((op.id.as_str(), lanes.bar(&mut svg, op, y)));
            y += ROW;
        }
    }
    edges(&mut svg, card, &places);
    for mark in &card.marks {
        let x = lanes.x(seconds(mark.at_ns));
        diamond(&mut svg, x, y + ROW / 2.0);
        label(&mut svg, (x - 6.0, x + 6.0), y + ROW / 2.0 + 4.0, &mark.told);
        y += ROW;
    }
    svg.end()
}

impl<'a> Lanes<'a> {
    fn new(card: &'a AnomalyCard) -> Self {
        let mut lanes: Vec<(&str, Vec<&WitnessOperation>)> = vec![];
        for op in &card.operations {
            match lanes.iter_mut().find(|(buyer, _)| *buyer == op.buyer) {
                Some((_, lane)) => lane.push(op),
                None => lanes.push((&op.buyer, vec![op])),
            }
        }
        let operations = card
            .operations
            .iter()
            .map(|op| (seconds(op.start_ns), seconds(op.end_ns.unwrap_or(op.start_ns))));
        let marks = card.marks.iter().map(|mark| (seconds(mark.at_ns), seconds(mark.at_ns)));
        let busy = operations.chain(marks).chain([(card.at_s, card.at_s)]).collect();
        let rows = u32::try_from(card.operations.len() + card.marks.len()).unwrap_or(24);
        Self {
            axis: Axis::new(busy, LEFT, RIGHT),
            of_buyers: lanes,
            bottom: TOP + ROW * f64::from(rows),
        }
    }

    fn x(&self, at_s: f64) -> f64 {
        self.axis.x(at_s)
    }

    fn background(&self, svg: &mut Svg, card: &AnomalyCard, summary: &Summary) {
        let mut y = TOP;
        for (index, (buyer, operations)) in self.of_buyers.iter().enumerate() {
            let rows = u32::try_from(operations.len()).unwrap_or(12);
            let bottom = y + ROW * f64::from(rows);
            if index % 2 == 0 {
                svg.rect((0.0, WIDTH), (y, bottom), LANE, "");
            }
            svg.text((8.0, y + 14.0), Anchor::Start, TEXT, &words::clip(buyer, 22));
            y = bottom;
        }
        for _ in &card.marks {
            svg.text((8.0, y + 14.0), Anchor::Start, MUTED, "mark");
            y += ROW;
        }
        let (begin, end) = self.axis.ends();
        for fault in &summary.faults {
            let Some((from, until)) = fault.band_s else { continue };
            if until >= begin && from <= end {
                let told = format!("{} in force", fault.name);
                svg.hatched((self.x(from), self.x(until)), (TOP, self.bottom), &told);
            }
        }
        for tick in self.axis.ticks() {
            svg.line((tick.x, TOP), (tick.x, self.bottom), GRID, false);
            let place = (tick.x, self.bottom + 14.0);
            svg.text(place, Anchor::Middle, MUTED, &format!("{:.4} s", tick.at));
        }
        for &cut in &self.axis.breaks {
            svg.text((cut, self.bottom + 14.0), Anchor::Middle, MUTED, "⁄⁄");
            svg.line((cut, self.bottom - 4.0), (cut, self.bottom + 2.0), MUTED, false);
        }
        let certain = self.x(card.at_s);
        svg.line((certain, TOP), (certain, self.bottom), VIOLATED, true);
        let anchor = if certain > f64::midpoint(LEFT, RIGHT) { Anchor::End } else { Anchor::Start };
        svg.text((certain, 14.0), anchor, VIOLATED, "certain from here on");
    }

    /// A bar and its words; where it begins and ends, and its height.
    fn bar(&self, svg: &mut Svg, op: &WitnessOperation, y: f64) -> (f64, f64, f64) {
        let from = self.x(seconds(op.start_ns));
        let until = op.end_ns.map_or(RIGHT, |end| self.x(seconds(end))).max(from + BAR_MIN);
        let rows = (y + 4.0, y + ROW - 4.0);
        if op.end_ns.is_some() {
            svg.rect((from, until), rows, ink(&op.class), &op.told);
        } else {
            svg.hatched((from, until), rows, &op.told);
            svg.rect((from, from + BAR_MIN), rows, ERROR, &op.told);
        }
        // An open bar reaches the edge: its words stand on it, behind its beginning.
        let beside = if op.end_ns.is_some() { (from, until) } else { (from, from + BAR_MIN) };
        label(svg, beside, y + 14.0, &format!("{} {}", op.id, short(&op.told)));
        (from, until, y + ROW / 2.0)
    }
}

/// Words on that side of a thing where there is more room.
fn label(svg: &mut Svg, beside: (f64, f64), y: f64, text: &str) {
    let text = words::clip(text, LABEL_MAX);
    if beside.0 - LEFT > RIGHT - beside.1 {
        svg.text((beside.0 - 5.0, y), Anchor::End, TEXT, &text);
    } else {
        svg.text((beside.1 + 5.0, y), Anchor::Start, TEXT, &text);
    }
}

fn edges(svg: &mut Svg, card: &AnomalyCard, places: &[(&str, (f64, f64, f64))]) {
    let place = |id: &str| places.iter().find(|(of, _)| *of == id).map(|(_, place)| *place);
    for edge in &card.edges {
        let (Some(from), Some(to)) = (place(&edge.from), place(&edge.to)) else { continue };
        // Along the border of the rows, so that no words are struck out.
        let side = if to.2 >= from.2 { 1.0 } else { -1.0 };
        let border = to.2 - side * ROW / 2.0;
        let corners = [
            (from.1 - 1.0, from.2 + side * 6.0),
            (from.1 - 1.0, border),
            (to.0 + 1.0, border),
            (to.0 + 1.0, to.2 - side * 6.0),
        ];
        svg.stroke(&Path::polyline(&corners), MUTED, 1.0, true);
    }
}

fn diamond(svg: &mut Svg, x: f64, y: f64) {
    let corners = [(x - 5.0, y), (x, y - 5.0), (x + 5.0, y), (x, y + 5.0)];
    svg.area(&Path::polyline(&corners), HELD, 1.0);
}

fn ink(class: &str) -> Ink {
    match class {
        "ok" | "pending" => SOLD,
        _ => MUTED,
    }
}

/// What was asked and answered, without the buyer before it and the interval behind it, which the drawing shows.
fn short(told: &str) -> &str {
    let middle = told.split_once(' ').map_or(told, |(_, rest)| rest);
    middle.rsplit_once(" [").map_or(middle, |(middle, _)| middle)
}

fn seconds(ns: u64) -> f64 {
    onsale_history::Nanos(ns).as_millis_f64() / 1e3
}
