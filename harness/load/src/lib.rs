//! The swarm: personas, arrivals, session scheduler, goose; records, never judges.
