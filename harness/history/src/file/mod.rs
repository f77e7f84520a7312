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
//! # A log
//!
//! A sequence of 64-byte records, little-endian, in a file that is allocated 1 MiB ahead; unused space is zero, and is given
//! back when the record is sealed. Appends go to a shared mapping: what was appended survives the death of the process.
//!
//! ```text
//!  0  u32  CRC-32 of bytes 4..64; written last, so that a record is whole or invisible
//!  4  u8   phase: 1 invoke, 2 complete, 3 line of a call, 4 line of an answer, 5 mark, 9 block trailer
//!  5  u8   kind
//!  6  u8   class
//!  7  u8   label
//!  8  u64  nanoseconds since the run's epoch
//! 16  u32  field 0 … 60  u32  field 11
//! ```
//!
//! Identifiers are index + 1, and 0 is absent. What a phase does not use is zero.
//!
//! | phase | kind | class | label | fields |
//! |---|---|---|---|---|
//! | 1 invoke | `CallKind` | | `Label` | op, process, buyer, sku, quantity, hold, order, key, instrument, charge, link, late in µs |
//! | 2 complete | `State` or 0 | `Class` | 0 ok, 1 failed, 2 indeterminate | op, hold, order, charge, value, status |
//! | 3, 4 line | 1 item | | | op, sku, quantity |
//! | | 2 order | `State` | | op, sku, quantity, order, hold |
//! | | 3 stock | | | op, sku, total, available, held, confirmed |
//! | 5 mark | 1 phase | `PhaseName` | | |
//! | | 2 fault | `FaultStage` | | name, target |
//! | | 3 charge | `ChargeStage` | | charge, order, hold, buyer, instrument, amount |
//! | | 4 refund | `RefundStage` | | refund, charge, amount |
//! | | 5 delivery | `DeliveryStage` | `DeliveryLabel` | delivery, charge, `DeliveryKind`, status, amount |
//! | | 6 note | | | note |
//! | 9 trailer | | | | block, checksum |
//!
//! The lines of an event stand before it, in order, with nothing between: an event that is there is there with its lines.
//! Every 64th record is a block trailer: its fields are the block's number and the CRC-32 of the block's 63 records,
//! chained with the trailer before, so that a record cannot be moved or left out unseen. The last block may be open.
//!
//! # Reading
//!
//! A sealed record is sound in every bit, or it is [`Damage`]. An unsealed one was left by a crash: each log is read record
//! by record up to the first hole, lines without their event are dropped, and an invocation without a completion is an
//! operation that nobody knows the outcome of. A record cannot be written past a failure or past the seal, so a prefix has
//! no holes inside.
//!
//! A reader must refuse a format that it does not know; this one does, by `Header::FORMAT`. Names of the codes are the words
//! of [`crate::CallKind`] and its siblings; a code is never given a second meaning.

mod log;
mod names;
mod pairing;
mod reader;
mod record;
mod recording;
mod seal;

pub(crate) use names::Journal;
pub use reader::{Damage, Health, open, verify};
pub use recording::Recording;
