//! Why a mapping cannot be used.

/// A mapping that cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A slot names nothing.
    #[error("failed to compile `{text}` of {place}: nothing is called `{name}`")]
    UnknownName {
        /// The text with the slot.
        text: String,
        /// Where it stands.
        place: String,
        /// The name.
        name: String,
    },
    /// A slot is not written as a slot.
    #[error("failed to compile `{text}` of {place}: {reason}")]
    Template {
        /// The text.
        text: String,
        /// Where it stands.
        place: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// A JSONPath is not one.
    #[error("failed to compile the path `{path}`")]
    Path {
        /// The path.
        path: String,
        /// Why.
        #[source]
        source: serde_json_path::ParseError,
    },
    /// A regular expression is not one.
    #[error("failed to compile the expression `{pattern}`")]
    Pattern {
        /// The expression.
        pattern: String,
        /// Why.
        #[source]
        source: regex::Error,
    },
    /// A URL cannot be reached by this client.
    #[error("failed to use the address `{url}`: {reason}")]
    Address {
        /// The URL.
        url: String,
        /// Why.
        reason: &'static str,
    },
    /// A host is not on the mapping's list.
    #[error(
        "refused to reach `{host}`: the mapping's `hosts` do not name it, and it is not this machine"
    )]
    Forbidden {
        /// The host.
        host: String,
    },
    /// A secret is not in the environment.
    #[error("failed to find the secret `{name}`: the variable `{variable}` is not set")]
    Secret {
        /// Its name in the mapping.
        name: String,
        /// The variable.
        variable: String,
    },
    /// The mapping says nothing of an operation.
    #[error("the mapping has no operation `{operation}`")]
    NoOperation {
        /// Which.
        operation: &'static str,
    },
}

/// Setting a sale up, or taking it away, failed.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// The mapping does not say how.
    #[error("the mapping has no operation `{operation}`")]
    NoOperation {
        /// Which.
        operation: &'static str,
    },
    /// The target cannot be reached.
    #[error("failed to reach the target at `{host}` for `{operation}`")]
    Unreachable {
        /// Where.
        host: String,
        /// For what.
        operation: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The target does not do it.
    #[error("the target refused `{operation}`: {class} (status {status}): {body}")]
    Refused {
        /// What.
        operation: &'static str,
        /// What kind of answer.
        class: onsale_history::Class,
        /// HTTP status.
        status: u16,
        /// The beginning of the answer.
        body: String,
    },
}
