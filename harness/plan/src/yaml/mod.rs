//! Reading YAML so that all mistakes are found at once, each with its place.
//!
//! The text becomes a [`tree::Tree`] of nodes with places. [`decode`] feeds a type's own `Deserialize` from that tree; a
//! mistake is noted, the node that has it is taken out, and the type is read again: a default stands in. What cannot
//! be said by types is said by checks, which name nodes by path.

mod decode;
mod diagnostic;
mod hint;
mod read;
mod tree;

pub use diagnostic::{Diagnostic, Diagnostics};
pub(crate) use read::{Check, read};
