//! The provider's books: every payment, refund and event, and the only code that changes them. No clock of its own, no
//! network: what must happen later or elsewhere is an [`crate::event::Action`].

mod cancel;
mod confirm;
mod create;
mod emit;
mod give_back;
mod list;
mod settle;
mod store;

pub(crate) use emit::Timing;
pub(crate) use list::Page;
pub(crate) use store::Books;
