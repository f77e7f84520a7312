//! What a client would see: one plain HTTP request on a connection of its own.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// An answer with this status.
    Answered(u16),
    /// No connection.
    Refused,
    /// A connection that broke before it said anything.
    Broken,
    /// Nothing in time.
    Silent,
}

impl Probe {
    /// A 2xx.
    pub fn is_well(self) -> bool {
        matches!(self, Self::Answered(200..=299))
    }
}

/// Asks `path` of `address` and waits at most `limit`.
pub async fn probe(address: SocketAddr, path: &str, limit: Duration) -> Probe {
    tokio::time::timeout(limit, ask(address, path)).await.unwrap_or(Probe::Silent)
}

async fn ask(address: SocketAddr, path: &str) -> Probe {
    let Ok(mut stream) = TcpStream::connect(address).await else { return Probe::Refused };
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    if stream.write_all(request.as_bytes()).await.is_err() {
        return Probe::Broken;
    }
    let mut line = [0; 12];
    match stream.read_exact(&mut line).await {
        Ok(_) => status(&line).map_or(Probe::Broken, Probe::Answered),
        Err(_) => Probe::Broken,
    }
}

/// The status in `HTTP/1.1 200`.
fn status(line: &[u8; 12]) -> Option<u16> {
    let text = std::str::from_utf8(line).ok()?;
    text.strip_prefix("HTTP/1.")?.get(2..)?.parse().ok()
}
