//! Runs the command `onsale` as a user would, and reads what it left.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the workspace's root exists")
}

/// The command under test, of the same profile as the test; built if it is not fresh.
pub fn onsale() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let test = std::env::current_exe().expect("a test knows its own path");
        let folder =
            test.parent().and_then(Path::parent).expect("tests lie in target/<profile>/deps");
        let binary = folder.join("onsale");
        // `cargo xtask test` builds the command together with the tests.
        if std::env::var_os("ONSALE_E2E_FRESH").is_some() && binary.is_file() {
            return binary;
        }
        let profile = folder
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a profile's folder has a name");
        let profile = if profile == "debug" { "dev" } else { profile };
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "onsale", "--profile", profile])
            .current_dir(root())
            .status()
            .expect("cargo can be started");
        assert!(status.success(), "the command does not build");
        binary
    })
}

/// The secrets that a run shares with a target that it did not start.
pub const SECRETS: [(&str, &str); 3] = [
    ("ONSALE_PSP_KEY", "sk_test_e2e"),
    ("ONSALE_WEBHOOK_SECRET", "whsec_e2e"),
    ("ONSALE_ADMIN_KEY", "admin_e2e"),
];

/// What a run left behind.
pub struct Outcome {
    /// The process's exit code.
    pub code: i32,
    /// Standard output and error.
    pub text: String,
    /// The answer of every rule, by name.
    pub rules: BTreeMap<String, RuleAnswer>,
    /// The run's folder.
    pub folder: PathBuf,
}

/// One rule's row of `verdict.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct RuleAnswer {
    /// The rule.
    pub rule: String,
    /// `proved`, `held`, `not-exercised`, `undecided` or `violated`.
    pub validity: String,
    /// Decisive occasions.
    pub occasions: u64,
    /// Why.
    pub note: String,
}

#[derive(Deserialize)]
struct Verdict {
    rules: Vec<RuleAnswer>,
}

/// Runs `onsale` with these arguments in the workspace's root.
pub fn command(arguments: &[&str]) -> Output {
    Command::new(onsale())
        .args(arguments)
        .envs(SECRETS)
        .current_dir(root())
        .output()
        .expect("the command can be started")
}

/// Runs a workload and reads its verdict.
pub fn run(workload: &str, results: &Path, arguments: &[&str]) -> Outcome {
    let results_text = results.to_str().expect("a temporary folder's path is text");
    let mut all = vec!["run", workload, "--results", results_text];
    all.extend(arguments);
    let output = command(&all);
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let folder = results.join("latest");
    let rules = std::fs::read_to_string(folder.join("verdict.json")).map_or_else(
        |_| BTreeMap::new(),
        |json| {
            let verdict: Verdict =
                serde_json::from_str(&json).expect("a verdict is what its schema says");
            verdict.rules.into_iter().map(|answer| (answer.rule.clone(), answer)).collect()
        },
    );
    Outcome { code: output.status.code().unwrap_or(-1), text, rules, folder }
}

impl Outcome {
    /// The rules with this answer.
    pub fn rules_that(&self, validity: &str) -> Vec<&str> {
        self.rules
            .values()
            .filter(|answer| answer.validity == validity)
            .map(|answer| answer.rule.as_str())
            .collect()
    }
}
