//! Histories for tests: a simulated sale with switchable defects, and an exhaustive oracle.
