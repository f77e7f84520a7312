//! The target's process: started, killed, started again, stopped, and never left behind.
#![expect(clippy::unwrap_used, reason = "a failed test")]

mod support;

use onsale_chaos::{Error, Identity, Journal, Launch, Probe, Process, Undo, heal};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{PATIENCE, eventually, told};

#[tokio::test]
async fn the_target_answers() {
    match told(support::ROLE).as_deref() {
        Some("target") => support::serve().await,
        Some("harness") => be_a_harness().await,
        _ => {
            let directory = tempfile::tempdir().unwrap();
            assert!(support::start(&directory).await.probe().await.is_well());
        }
    }
}

/// Starts a target, says who it is, and waits for its end.
async fn be_a_harness() {
    let place = told("ONSALE_CHAOS_TEST_PLACE").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let process = support::start(&directory).await;
    let identity = serde_json::to_string(&process.identity().unwrap()).unwrap();
    std::fs::write(format!("{place}.new"), identity).unwrap();
    std::fs::rename(format!("{place}.new"), place).unwrap();
    std::future::pending::<()>().await;
}

fn shell(directory: &tempfile::TempDir, script: &str) -> Launch {
    Launch {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![],
        ..support::launch(directory, support::free_address())
    }
}

#[tokio::test]
async fn a_killed_target_is_gone_and_comes_back_with_the_same_command() {
    let directory = tempfile::tempdir().unwrap();
    let process = support::start(&directory).await;
    let first = process.identity().unwrap();
    process.kill().await.unwrap();
    assert!(!first.is_alive());
    assert_eq!(process.probe().await, Probe::Refused);
    assert!(matches!(process.kill().await, Err(Error::NotRunning)));
    process.restart(PATIENCE).await.unwrap();
    let second = process.identity().unwrap();
    assert_eq!(second.command, first.command);
    assert_ne!(second.pid, first.pid);
    process.restart(PATIENCE).await.unwrap();
    assert_eq!(process.identity().unwrap(), second, "one that runs is left alone");
}

#[tokio::test]
async fn a_stop_is_gentle_first_and_certain_then() {
    let directory = tempfile::tempdir().unwrap();
    let table = [
        ("trap 'exit 7' TERM; while :; do sleep 0.01; done", PATIENCE, (Some(7), None)),
        (
            "trap '' TERM; echo deaf; while :; do sleep 0.01; done",
            Duration::from_millis(100),
            (None, Some(9)),
        ),
    ];
    for (script, limit, expected) in table {
        let process = Process::start(shell(&directory, script)).unwrap();
        let identity = process.identity().unwrap();
        // The trap is set when the first sleep runs.
        let children = format!("/proc/{0}/task/{0}/children", identity.pid);
        eventually("the trap is set", async || {
            std::fs::read_to_string(&children).is_ok_and(|c| !c.is_empty())
        })
        .await;
        let status = process.stop(limit).await.unwrap().unwrap();
        assert_eq!((status.code(), status.signal()), expected, "{script}");
        assert!(!identity.is_alive());
        assert_eq!(process.stop(limit).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_paused_target_can_be_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let process = support::start(&directory).await;
    let identity = process.pause().unwrap();
    eventually("it is stopped", async || identity.is_stopped()).await;
    assert_eq!(process.stop(PATIENCE).await.unwrap().unwrap().signal(), Some(15));
}

#[tokio::test]
async fn waiting_for_a_target_that_ends_or_never_answers_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let process = Process::start(shell(&directory, "echo no stock file; exit 3")).unwrap();
    let error = process.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(&error, Error::Ended { status, .. } if status.code() == Some(3)), "{error}");
    let log = std::fs::read_to_string(directory.path().join("target.log")).unwrap();
    assert_eq!(log, "no stock file\n");
    let process = Process::start(shell(&directory, "while :; do sleep 0.01; done")).unwrap();
    let error = process.ready(Duration::from_millis(50)).await.unwrap_err();
    assert!(matches!(error, Error::NotReady { .. }), "{error}");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let launch = Launch { program: "/nowhere/shop".into(), ..shell(&directory, "") };
    assert_eq!(Process::start(launch).unwrap_err().to_string(), "failed to start `/nowhere/shop`");
}

#[tokio::test]
async fn a_dropped_target_is_killed_with_its_children() {
    let directory = tempfile::tempdir().unwrap();
    let process = Process::start(shell(&directory, "sleep 1000 & echo $!; wait")).unwrap();
    let log = directory.path().join("target.log");
    eventually("it has a child", async || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.ends_with('\n'))
    })
    .await;
    let child: i32 = std::fs::read_to_string(&log).unwrap().trim().parse().unwrap();
    let (parent, child) = (process.identity().unwrap(), Identity::of(child).unwrap());
    assert!(parent.is_alive() && child.is_alive());
    drop(process);
    eventually("both are gone", async || !parent.is_alive() && !child.is_alive()).await;
}

#[tokio::test]
async fn a_target_does_not_outlive_a_killed_harness() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("target.json");
    let mut harness = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_target_answers", "--nocapture"])
        .env(support::ROLE, "harness")
        .env("ONSALE_CHAOS_TEST_PLACE", &place)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    eventually("the harness has a target", async || place.exists()).await;
    let target: Identity = serde_json::from_str(&std::fs::read_to_string(&place).unwrap()).unwrap();
    assert!(target.is_alive());
    harness.kill().unwrap();
    harness.wait().unwrap();
    eventually("the target is gone", async || !target.is_alive()).await;
}

/// A process of our own that waits to be resumed.
async fn sleeper() -> (std::process::Child, Identity) {
    let child = Command::new("/bin/sleep").arg("1000").process_group(0).spawn().unwrap();
    let who = || Identity::of(child.id().cast_signed()).unwrap();
    // The kernel shows the command line a moment after the start.
    eventually("it has a command line", async || !who().command.is_empty()).await;
    let identity = who();
    (child, identity)
}

fn signal(word: &str, pid: i32) {
    assert!(Command::new("/bin/kill").args([word, &pid.to_string()]).status().unwrap().success());
}

#[tokio::test]
async fn what_a_crashed_run_left_is_healed_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let (mut child, identity) = sleeper().await;
    let journal = Journal::open(&path).unwrap();
    journal.intend("psp-down", Undo::GoneWithTheRun).unwrap();
    let undone = journal.intend("target-pause", Undo::Resume(identity.clone())).unwrap();
    journal.undone(undone).unwrap();
    journal.intend("target-pause", Undo::Resume(identity.clone())).unwrap();
    drop(journal);
    signal("-STOP", identity.pid);
    eventually("it is stopped", async || identity.is_stopped()).await;
    // A crash in the middle of a line.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "{\"id\":4,\"fau").unwrap();

    let healed: Vec<_> = heal(&path).unwrap().into_iter().map(|healed| healed.fault).collect();
    assert_eq!(healed, ["target-pause", "psp-down"]);
    eventually("it goes on", async || !identity.is_stopped()).await;
    assert!(identity.is_alive());
    assert_eq!(heal(&path).unwrap(), []);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn healing_leaves_a_stranger_with_the_same_number_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let (mut child, identity) = sleeper().await;
    let stranger = Identity { started: identity.started - 1, ..identity.clone() };
    Journal::open(&path).unwrap().intend("target-pause", Undo::Resume(stranger)).unwrap();
    signal("-STOP", identity.pid);
    eventually("it is stopped", async || identity.is_stopped()).await;
    let healed = heal(&path).unwrap();
    assert_eq!(healed[0].done, format!("process {} is gone", identity.pid));
    assert!(identity.is_stopped());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_journal_that_makes_no_sense_is_said_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    std::fs::write(&path, "{\"id\":1}\nnonsense\n").unwrap();
    let message = |path: &Path| heal(path).unwrap_err().to_string();
    assert_eq!(
        message(&path),
        format!("failed to read line 2 of the undo journal `{}`", path.display())
    );
    let missing = directory.path().join("nothing");
    assert_eq!(
        message(&missing),
        format!("failed to keep the undo journal `{}`", missing.display())
    );
}
