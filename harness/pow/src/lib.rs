//! Proof of work: puzzle, solve, verify.
