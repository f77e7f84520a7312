//! The seal: what every file must be.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Name of the seal's file.
pub(crate) const NAME: &str = "seal.json";

/// Length and checksum of every file, by name.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seal {
    pub(crate) files: BTreeMap<String, Sealed>,
}

/// One file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sealed {
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

impl Sealed {
    /// Of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, crc32: crc32fast::hash(bytes) }
    }
}

impl Seal {
    /// Of every file in a folder but the seal itself.
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let mut seal = Self::default();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != NAME && entry.file_type()?.is_file() {
                seal.files.insert(name, Sealed::of(&std::fs::read(entry.path())?));
            }
        }
        Ok(seal)
    }
}
