//! The client's side: from the puzzle on the wire to the payload on the wire.

use crate::error::PowError;
use crate::v1;
use crate::v2;
use crate::wire::to_base64;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(untagged)]
enum Puzzle {
    V2(v2::Challenge),
    V1(v1::Challenge),
}

fn read(challenge: &str) -> Result<Puzzle, PowError> {
    serde_json::from_str(challenge).map_err(PowError::Json)
}

/// Solves a puzzle of either protocol in at most `limit` tries: the payload in base64, or nothing if it was not found.
pub fn solve_json(challenge: &str, limit: u64) -> Result<Option<String>, PowError> {
    match read(challenge)? {
        Puzzle::V1(puzzle) => {
            Ok(puzzle.solve(limit)?.map(|number| puzzle.payload(number).encode()))
        }
        Puzzle::V2(puzzle) => {
            let solution = puzzle.solve(limit)?;
            Ok(solution.map(|solution| v2::Payload { challenge: puzzle, solution }.encode()))
        }
    }
}

/// A payload that can be read and is wrong, without any work.
pub fn forge(challenge: &str) -> String {
    match read(challenge) {
        // The number that solves it is never above `maxnumber`.
        Ok(Puzzle::V1(puzzle)) => puzzle.payload(puzzle.maxnumber.saturating_add(1)).encode(),
        Ok(Puzzle::V2(puzzle)) => {
            // The prefix is right, so that only a check of the whole key finds out.
            let derived_key = format!("{:0<64}", puzzle.parameters.key_prefix);
            v2::Payload {
                challenge: puzzle,
                solution: v2::Solution { counter: 0, derived_key, time: None },
            }
            .encode()
        }
        Err(_) => to_base64(&serde_json::Value::Object(serde_json::Map::new())),
    }
}
