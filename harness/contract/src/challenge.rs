//! `GET /v1/events/{event}/challenge`: the event's scheme decides which of the two shapes comes. The shapes and the
//! mathematics live in `onsale-pow`; on the wire both are plain JSON, and the solution travels as base64 in `puzzle`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which ALTCHA protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PuzzleScheme {
    /// No puzzle.
    None,
    /// ALTCHA v1, SHA-256.
    AltchaV1,
    /// ALTCHA v2, SHA-256.
    AltchaV2,
}
