//! The record on disk. Format 1.
//!
//! ```text
//! header.json        the facts of the sale (crate::Header), written before anything else
//! names.log          the dictionary: an entry is 1 byte namespace, 4 bytes length, the name, 4 bytes CRC-32 of all that;
//!                    a name's place in its namespace is the count of the entries before it
//! worker-000.log …   one append-only log a worker: operations
//! marks.log          the same form: marks
//! seal.json          written last: length and CRC-32 of every other file; its presence means that nothing is missing
//! ```
//!
//! A log is a sequence of 64-byte records, little-endian, in a file that is allocated ahead; unused space is zero.
//!
//! ```text
//!  0  u32  CRC-32 of bytes 4..64; written last, so that a record is whole or invisible
//!  4  u8   phase: 1 invoke, 2 complete, 3 line of a call, 4 line of an answer, 5 mark, 9 block trailer
//!  5  u8   kind (CallKind, line kind, mark kind)
//!  6  u8   class or stage
//!  7  u8   label, certainty, or side
//!  8  u64  nanoseconds since the run's epoch
//! 16  12 × u32  fields by phase (see `record`); identifiers are index + 1, 0 is absent
//! ```
//!
//! Every 64th record is a block trailer: its fields are the block's number and the CRC-32 of the block's 63 records,
//! chained with the trailer before, so that a record cannot be moved or left out unseen. Blocks that a crash left open are
//! read record by record up to the first hole. Lines stand before the record they belong to.
//!
//! A reader of a later format must refuse what it does not know; this one does, by `Header::FORMAT`.

mod log;
mod names;
mod reader;
mod record;
mod recording;
mod seal;

pub(crate) use names::Journal;
pub use reader::{Damage, Health, open};
pub use recording::Recording;
