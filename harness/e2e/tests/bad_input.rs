//! What the world gets wrong: each mistake has a clear error and a documented exit code.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may panic as tests do")]

use onsale_e2e::{SECRETS, command, onsale, root, run};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const SMALL: &str = "workloads/small.yaml";

fn written(folder: &Path, text: &str) -> String {
    let path = folder.join("workload.yaml");
    std::fs::write(&path, text).expect("a temporary folder can be written");
    path.to_str().expect("a temporary path is text").to_owned()
}

fn small_with(from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(root().join(SMALL)).expect("the small workload exists");
    assert!(text.contains(from), "the small workload has `{from}`");
    text.replacen(from, to, 1)
}

#[test]
fn an_unknown_key_is_shown_at_its_line_and_exits_2() {
    let folder = tempfile::tempdir().unwrap();
    let outcome =
        run(&written(folder.path(), &small_with("shoppers:", "shopers:")), folder.path(), &[]);
    assert_eq!(outcome.code, 2, "{}", outcome.text);
    assert!(
        outcome.text.contains("shopers") && outcome.text.contains("shoppers"),
        "{}",
        outcome.text
    );
    assert!(outcome.text.contains("workload.yaml"), "{}", outcome.text);
}

#[test]
fn a_wrong_unit_exits_2() {
    let folder = tempfile::tempdir().unwrap();
    let outcome =
        run(&written(folder.path(), &small_with("ttl: 1s", "ttl: 1 parsec")), folder.path(), &[]);
    assert_eq!(outcome.code, 2, "{}", outcome.text);
    assert!(outcome.text.contains("ttl"), "{}", outcome.text);
}

#[test]
fn an_unreachable_target_exits_5() {
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let outcome = run(SMALL, folder.path(), &["--target", &format!("http://{free}")]);
    assert_eq!(outcome.code, 5, "{}", outcome.text);
    assert!(
        outcome.text.contains(&free.to_string()) && outcome.text.contains("hint:"),
        "{}",
        outcome.text
    );
}

#[test]
fn a_target_that_is_not_a_shop_fails_the_probe_and_exits_5() {
    let folder = tempfile::tempdir().unwrap();
    let server = Garbage::everywhere();
    let outcome = run(SMALL, folder.path(), &["--target", &format!("http://{}", server.address)]);
    assert_eq!(outcome.code, 5, "{}", outcome.text);
    let probe = command(&["probe", "--target", &format!("http://{}", server.address)]);
    assert_eq!(probe.status.code(), Some(5));
}

#[test]
fn a_target_that_answers_garbage_under_load_is_undecided_and_exits_3() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::start(folder.path());
    let proxy = Garbage::after(2_000, shop.address);
    let psp = shop.psp.to_string();
    let arguments =
        ["--target", &format!("http://{}", proxy.address), "--psp-listen", &psp, "--chaos", "none"];
    let outcome = run(SMALL, folder.path(), &arguments);
    assert_eq!(outcome.code, 3, "{}", outcome.text);
    assert!(outcome.text.contains("UNDECIDED"), "{}", outcome.text);
}

#[test]
fn a_full_disk_is_undecided_and_said_plainly() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::start(folder.path());
    // Files may grow to 1 MiB; ignoring the signal turns the limit into an error, as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1024; exec {} run {SMALL} --results {} --target http://{} --psp-listen {} --chaos none",
        onsale().display(),
        folder.path().display(),
        shop.address,
        shop.psp
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .envs(SECRETS)
        .current_dir(root())
        .output()
        .unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("UNDECIDED") && text.contains("record"), "{text}");
}

#[test]
fn control_c_leaves_a_partial_report_and_exits_130() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(onsale())
        .args(["run", SMALL, "--results", folder.path().to_str().unwrap()])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let history = folder.path().join("latest/history");
    wait_until("the run records", || grows(&history));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    assert!(folder.path().join("latest/report.html").is_file());
    let report = std::fs::read_to_string(folder.path().join("latest/summary.md")).unwrap();
    assert!(report.to_lowercase().contains("interrupted"), "{report}");
}

#[test]
fn a_damaged_history_exits_6() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run(SMALL, folder.path(), &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.text);
    let results = folder.path().to_str().unwrap();
    assert_eq!(
        command(&["history", "latest", "--results", results, "--verify"]).status.code(),
        Some(0)
    );
    let again = command(&["check", "latest", "--results", results]);
    assert_eq!(again.status.code(), Some(0));
    let file = largest(&outcome.folder.join("history"));
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&file, bytes).unwrap();
    for verb in
        [&["history", "latest", "--verify"][..], &["check", "latest"], &["report", "latest"]]
    {
        let output = command(&[verb, &["--results", results]].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(6), "{verb:?}: {text}");
    }
}

fn grows(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() > 100_000))
}

fn largest(folder: &Path) -> std::path::PathBuf {
    let files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    files
        .filter(|path| path.is_file())
        .max_by_key(|path| path.metadata().map_or(0, |data| data.len()))
        .unwrap()
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..600 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("waited 30 s in vain until {what}");
}

/// The reference shop in a process of its own, which a run reaches by its address.
struct Shop {
    child: Child,
    address: SocketAddr,
    psp: SocketAddr,
}

impl Shop {
    fn start(folder: &Path) -> Self {
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (address, psp) = (free(), free());
        let mut child = Command::new(onsale())
            .args([
                "target",
                "serve",
                "--listen",
                &address.to_string(),
                "--psp-url",
                &format!("http://{psp}"),
            ])
            .arg("--data")
            .arg(folder.join("shop"))
            .envs(SECRETS)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("listens"), "{line}");
        Self { child, address, psp }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A server that passes requests on at first, and then answers what no shop would.
struct Garbage {
    address: SocketAddr,
}

impl Garbage {
    fn everywhere() -> Self {
        Self::serve(0, None)
    }
    fn after(chunks: u64, behind: SocketAddr) -> Self {
        Self::serve(chunks, Some(behind))
    }
    fn serve(good: u64, behind: Option<SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let left = Arc::new(AtomicU64::new(good));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let left = left.clone();
                std::thread::spawn(move || drop(answer(stream, behind, &left)));
            }
        });
        Self { address }
    }
}

/// One connection: each chunk that arrives counts as a request.
fn answer(
    mut shopper: TcpStream,
    behind: Option<SocketAddr>,
    left: &AtomicU64,
) -> std::io::Result<()> {
    let mut shop = behind.map(TcpStream::connect).transpose()?;
    if let Some(shop) = &shop {
        let (mut from, mut to) = (shop.try_clone()?, shopper.try_clone()?);
        std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    }
    let mut buffer = vec![0; 65_536];
    loop {
        let read = shopper.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        let good = left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            .is_ok();
        match &mut shop {
            Some(shop) if good => shop.write_all(&buffer[..read])?,
            _ => shopper
                .write_all(b"HTTP/1.1 418 Teapot\r\ncontent-length: 12\r\n\r\n<tea></tea>\n")?,
        }
    }
}
