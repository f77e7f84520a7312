//! Faults: inject, record, heal.
