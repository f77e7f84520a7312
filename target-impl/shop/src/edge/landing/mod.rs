//! The landing page: a real page that joins, waits, holds and checks out, made of one template, one style and one script.

mod assets;
mod page;

pub(crate) use assets::ASSETS;
pub(crate) use page::{Live, page};
