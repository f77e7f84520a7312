//! The dictionary on disk.

use crate::names::Namespace;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

const HEAD: usize = 5;
const CHECKSUM: usize = 4;

/// The writing end: one `write(2)` a name, so that a name is in the page cache before its identifier is used.
pub(crate) struct Journal {
    file: File,
}

impl Journal {
    /// A new journal; the file must not exist.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: OpenOptions::new().append(true).create_new(true).open(path)? })
    }
    /// Appends a name.
    pub(crate) fn append(&mut self, namespace: Namespace, name: &str) -> io::Result<()> {
        let length = u32::try_from(name.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut entry = Vec::with_capacity(HEAD + name.len() + CHECKSUM);
        entry.push(namespace as u8);
        entry.extend(length.to_le_bytes());
        entry.extend(name.as_bytes());
        entry.extend(crc32fast::hash(&entry).to_le_bytes());
        self.file.write_all(&entry)
    }
    /// Makes it durable.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// Every whole entry from the front, and how many bytes they take.
pub(crate) fn entries(bytes: &[u8]) -> (Vec<(Namespace, &str)>, usize) {
    let mut entries = vec![];
    let mut at = 0;
    while let Some((namespace, name, size)) = entry(&bytes[at..]) {
        entries.push((namespace, name));
        at += size;
    }
    (entries, at)
}

fn entry(bytes: &[u8]) -> Option<(Namespace, &str, usize)> {
    let length = u32::from_le_bytes(bytes.get(1..HEAD)?.try_into().ok()?) as usize;
    let end = HEAD.checked_add(length)?;
    let checksum = bytes.get(end..end.checked_add(CHECKSUM)?)?;
    if checksum != crc32fast::hash(&bytes[..end]).to_le_bytes() {
        return None;
    }
    let namespace = Namespace::from_code(bytes[0])?;
    Some((namespace, std::str::from_utf8(&bytes[HEAD..end]).ok()?, end + CHECKSUM))
}
