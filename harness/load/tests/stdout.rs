//! Standard output carries the data of a command; goose prints to it whatever it is told, and must not get through.
//!
//! A program of its own, without the test harness, which would catch what is printed before it reaches the descriptor.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::io::{Read, Seek, Write};

const NAME: &str = "the_load_prints_nothing_and_gives_standard_output_back";

fn main() {
    let asked = |flag: &str| std::env::args().any(|argument| argument == flag);
    // What test runners ask of a program of its own: its tests, and those that are ignored (none).
    if asked("--list") {
        if !asked("--ignored") {
            say(&format!("{NAME}: test"));
        }
        return;
    }
    tokio::runtime::Runtime::new().unwrap().block_on(run());
    say(&format!("test {NAME} ... ok"));
    say("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}

async fn run() {
    let mut file = tempfile::tempfile().unwrap();
    let kept = nix::unistd::dup(std::io::stdout()).unwrap();
    nix::unistd::dup2_stdout(&file).unwrap();

    say("before");
    let url = support::target(None).await;
    let load = "shoppers: 20, arrival: [{ lasts: 100ms, shape: { constant: 1 } }], personas: { human: 1 }, workers: 3, barrier: 0, limit: 10s";
    let (swarm, _tell) = support::swarm(&url, load);
    let loaded = swarm.load().await;
    say("after");

    nix::unistd::dup2_stdout(kept).unwrap();
    let mut printed = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut printed).unwrap();
    assert!(loaded.unwrap().response.len() >= 40);
    assert_eq!(printed, "before\nafter\n");
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}
