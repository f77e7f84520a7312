//! An append-only log of records in a mapped file.

use super::record::{BLOCK, Event, SIZE};
use memmap2::{MmapMut, MmapOptions};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{Ordering, compiler_fence};

/// The file grows by so much; a multiple of the page and of the block.
const SEGMENT: usize = 1 << 20;

/// The writing end. What [`Log::append`] returned from survives the death of the process.
pub(crate) struct Log {
    file: File,
    /// `None` once the log is finished or an append failed: nothing follows what could not be written, or the seal.
    segment: Option<MmapMut>,
    /// Bytes of the segments before this one.
    before: u64,
    /// Bytes used in this segment.
    used: usize,
    in_block: usize,
    blocks: u32,
    checksum: u32,
}

impl Log {
    /// A new log; the file must not exist.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let segment = Some(allocate(&file, 0)?);
        Ok(Self { file, segment, before: 0, used: 0, in_block: 0, blocks: 0, checksum: 0 })
    }

    /// Appends one event.
    pub(crate) fn append(&mut self, event: &Event) -> io::Result<()> {
        let bytes = event.encode();
        self.put(&bytes)?;
        self.checksum = chain(self.checksum, &bytes);
        self.in_block += 1;
        if self.in_block == BLOCK {
            let trailer = Event::Trailer { block: self.blocks, checksum: self.checksum };
            self.put(&trailer.encode())?;
            self.blocks += 1;
            self.in_block = 0;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8; SIZE]) -> io::Result<()> {
        if self.used == SEGMENT && self.segment.take().is_some() {
            let before = self.before + SEGMENT as u64;
            self.segment = Some(allocate(&self.file, before)?);
            self.before = before;
            self.used = 0;
        }
        let segment = self.segment.as_mut().ok_or_else(closed)?;
        let place = &mut segment[self.used..self.used + SIZE];
        // The checksum is stored last: a reader sees a whole record or none.
        place[4..].copy_from_slice(&bytes[4..]);
        compiler_fence(Ordering::Release);
        place[..4].copy_from_slice(&bytes[..4]);
        self.used += SIZE;
        Ok(())
    }

    /// Gives back what was allocated ahead and makes the rest durable. The mapping goes first: a record that came later
    /// would otherwise be written past the end of the file, which is a signal and not an error.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.segment.take().ok_or_else(closed)?.flush()?;
        self.file.set_len(self.before + self.used as u64)?;
        self.file.sync_all()
    }
}

fn closed() -> io::Error {
    io::Error::other("the log is sealed, or could not be written before")
}

/// The checksum of a block's records so far, chained with the blocks before.
pub(crate) fn chain(checksum: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(checksum);
    hasher.update(bytes);
    hasher.finalize()
}

/// Allocates and maps the next segment. Allocation is real, so that a full disk is an error here and not a signal later.
#[expect(
    unsafe_code,
    reason = "mapping a file that only this process writes; it is never truncated while mapped"
)]
fn allocate(file: &File, offset: u64) -> io::Result<MmapMut> {
    let start = i64::try_from(offset).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let length = i64::try_from(SEGMENT).expect("a segment is small");
    // A signal in the middle (Ctrl-C) is no reason to lose the record.
    while let Err(errno) = nix::fcntl::posix_fallocate(file, start, length) {
        if errno != nix::errno::Errno::EINTR {
            return Err(errno.into());
        }
    }
    // SAFETY: the region is allocated, and no other code of ours writes or truncates this file while it is mapped.
    unsafe { MmapOptions::new().offset(offset).len(SEGMENT).map_mut(file) }
}
