//! One HTML file that is whole by itself: no script, no request, legible without its style sheet.

mod axis;
mod charts;
mod frame;
mod lanes;
mod page;
mod plots;
mod svg;

pub use page::html;
