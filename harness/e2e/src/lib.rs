//! Whole-system tests: every defect convicted, the clean sale proved.
