//! Standard output carries the data of a command; goose prints to it whatever it is told, and must not get through.
//!
//! A program of its own, without the test harness, which would catch what is printed before it reaches the descriptor.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::io::{Read, Seek, Write};

#[tokio::main]
async fn main() {
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
    say("test the_load_prints_nothing_and_gives_standard_output_back ... ok");
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}
