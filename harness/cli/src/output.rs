//! Everything that is printed, and how the process ends.

use onsale_report::exit::ExitCode;
use std::io::Write;

/// A failure that ends the command: the chain of causes, what to do next, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: ExitCode,
    error: anyhow::Error,
    hint: Option<String>,
}

impl Failure {
    /// A failure with its code.
    pub(crate) fn new(code: ExitCode, error: impl Into<anyhow::Error>) -> Self {
        Self { code, error: error.into(), hint: None }
    }
    /// With the next thing to type.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
    /// Wrong usage.
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::new(ExitCode::Usage, error)
    }
    /// Prints `error:`, `caused by:` and `hint:`.
    pub(crate) fn print(&self) -> ExitCode {
        tell(&format!("error: {}\n", self.error));
        for cause in self.error.chain().skip(1) {
            tell(&format!("caused by: {cause}\n"));
        }
        if let Some(hint) = &self.hint {
            tell(&format!("\nhint: {hint}\n"));
        }
        self.code
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::new(ExitCode::Bug, error)
    }
}

/// Data, to standard output. A reader that went away ends the output, not the command.
pub(crate) fn data(text: &str) {
    drop(std::io::stdout().lock().write_all(text.as_bytes()));
}

/// Everything else, to standard error.
pub(crate) fn tell(text: &str) {
    drop(std::io::stderr().lock().write_all(text.as_bytes()));
}

/// The process's exit status.
pub(crate) fn leave(code: ExitCode) -> std::process::ExitCode {
    std::process::ExitCode::from(code.number())
}

/// Logs go to standard error; only warnings, unless asked for more.
pub(crate) fn start_logging(verbose: u8) {
    let level = match verbose {
        0 => "warn,goose=off",
        1 => "info,goose=off",
        _ => "debug",
    };
    tracing_subscriber::fmt()
        .with_env_filter(level)
        .with_writer(std::io::stderr)
        .with_target(false)
        .init();
}
