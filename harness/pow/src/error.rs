//! What goes wrong on either side.

/// A puzzle or payload that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PowError {
    /// Not JSON, or not one of the two protocols.
    #[error("failed to read the puzzle as ALTCHA v1 or v2")]
    Json(#[source] serde_json::Error),
    /// A field that should be hexadecimal is not.
    #[error("failed to read `{field}` of the puzzle as hexadecimal")]
    Hex {
        /// Which.
        field: &'static str,
        /// Why.
        #[source]
        source: hex::FromHexError,
    },
    /// Another hash than SHA-256.
    #[error("failed to solve the puzzle: algorithm `{0}` is not SHA-256")]
    Algorithm(String),
}

/// Why a solution is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// It cannot be read.
    #[error("the payload cannot be read")]
    Malformed,
    /// We did not make this puzzle.
    #[error("the puzzle was not signed by us")]
    Signature,
    /// Too late.
    #[error("the puzzle is past its time")]
    Expired,
    /// Wrong.
    #[error("the solution is wrong")]
    Wrong,
}
