//! The dead man's switch: a small shell that kills the target's group when the harness dies, however it dies.
//!
//! It waits on a pipe that only the harness holds. The kernel closes the pipe with the harness, even after SIGKILL; the
//! parent-death signal would do the same, but it fires when the spawning *thread* ends, and needs unsafe code.

use crate::Error;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

/// A line means: all is well, go. The end of the file means: the harness is gone.
const SCRIPT: &str = r#"if read -r _; then exit 0; else kill -KILL "-$1"; fi"#;

/// The switch for one process group.
#[derive(Debug)]
pub(crate) struct Keeper {
    child: Child,
}

impl Keeper {
    pub(crate) fn of(group: u32) -> Result<Self, Error> {
        let child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "onsale-keeper", &group.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|source| Error::Spawn { program: "/bin/sh".into(), source })?;
        Ok(Self { child })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.child.stdin.take() {
            // If it is gone already there is nobody to release.
            let _ = pipe.write_all(b"done\n");
        }
        let _ = self.child.wait();
    }
}
