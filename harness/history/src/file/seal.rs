//! The seal: what every file must be.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Name of the seal's file.
pub(crate) const NAME: &str = "seal.json";
/// So much is read at once.
const PIECE: usize = 1 << 20;

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
    /// Of a file, read piece by piece.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let (mut file, mut hasher, mut bytes) = (File::open(path)?, crc32fast::Hasher::new(), 0);
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(Self { bytes, crc32: hasher.finalize() }),
                read => {
                    hasher.update(&piece[..read]);
                    bytes += read as u64;
                }
            }
        }
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
                seal.files.insert(name, Sealed::of(&entry.path())?);
            }
        }
        Ok(seal)
    }
}
