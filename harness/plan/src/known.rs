//! The names that files may use. They live in the registries of other crates; whoever reads a file hands them in.

/// Names that may be used.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Personas.
    pub personas: &'a [&'a str],
    /// Faults.
    pub faults: &'a [&'a str],
    /// Rules.
    pub rules: &'a [&'a str],
}
