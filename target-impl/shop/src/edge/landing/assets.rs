//! The static parts of the page, each under a path that holds the hash of its content.

use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// One static part.
pub(crate) struct Asset {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) text: &'static str,
    /// Changes when the content does.
    pub(crate) version: String,
}

impl Asset {
    fn new(name: &'static str, kind: &'static str, text: &'static str) -> Self {
        Self { name, kind, text, version: hex::encode(&Sha256::digest(text)[..8]) }
    }

    pub(crate) fn path(&self) -> String {
        format!("/static/{}/{}", self.version, self.name)
    }
}

/// Every static part.
pub(crate) static ASSETS: LazyLock<[Asset; 2]> = LazyLock::new(|| {
    [
        Asset::new("landing.css", "text/css; charset=utf-8", include_str!("landing.css")),
        Asset::new("landing.js", "text/javascript; charset=utf-8", include_str!("landing.js")),
    ]
});
