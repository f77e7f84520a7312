//! HTTP/1.1 over a raw socket: keep-alive, `content-length` and chunked bodies, nothing more.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Most headers that are read.
const HEADERS_MAX: usize = 64;
/// Longest head that is read.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    /// `name:port`, as connected to and as sent in `Host`.
    pub(crate) authority: String,
}

/// Why no answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The connection ended, or what came is not HTTP.
    Disconnected,
    /// It took too long.
    Timeout,
}

/// An answer, read to its last byte.
#[derive(Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    head: Vec<u8>,
    fields: Vec<(Range<usize>, Range<usize>)>,
    pub(crate) body: Vec<u8>,
    keep: bool,
}

impl Response {
    /// The first header with this (lower-case) name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self
            .fields
            .iter()
            .find(|(key, _)| self.head[key.clone()].eq_ignore_ascii_case(name.as_bytes()))?;
        std::str::from_utf8(&self.head[value.clone()]).ok().map(str::trim)
    }
    /// All headers with this (lower-case) name.
    pub(crate) fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields
            .iter()
            .filter(|(key, _)| self.head[key.clone()].eq_ignore_ascii_case(name.as_bytes()))
            .filter_map(|(_, value)| std::str::from_utf8(&self.head[value.clone()]).ok())
            .map(str::trim)
    }
    pub(crate) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
    /// The body as JSON, if it is.
    pub(crate) fn json(&self) -> Option<serde_json::Value> {
        match self.body.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => serde_json::from_slice(&self.body).ok(),
            _ => None,
        }
    }
}

/// A connection to one host, or the lack of one.
#[derive(Debug, Default)]
pub(crate) struct Socket {
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

/// What a request asks of the transport.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) body_bytes_max: usize,
    pub(crate) keep_alive: bool,
}

impl Socket {
    /// Makes sure that there is a connection which nobody has closed. Nothing is sent.
    pub(crate) async fn ready(&mut self, host: &Host, limits: Limits) -> std::io::Result<()> {
        if self.is_alive() {
            return Ok(());
        }
        self.close();
        let connected =
            tokio::time::timeout(limits.connect_timeout, TcpStream::connect(&host.authority)).await;
        let stream =
            connected.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))??;
        stream.set_nodelay(true)?;
        self.stream = Some(stream);
        Ok(())
    }

    /// A connection that has something to read before anything was asked is over.
    pub(crate) fn is_alive(&self) -> bool {
        let mut byte = [0];
        self.stream.as_ref().is_some_and(|stream| {
            matches!(stream.try_read(&mut byte), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
        })
    }

    pub(crate) fn close(&mut self) {
        self.stream = None;
        self.buffer.clear();
    }

    /// Sends a request and reads its answer. After anything but an answer the connection is gone.
    pub(crate) async fn exchange(
        &mut self,
        request: &[u8],
        limits: Limits,
    ) -> Result<Response, Broken> {
        let head_only = request.starts_with(b"HEAD ");
        let exchanged =
            tokio::time::timeout(limits.timeout, self.send_and_read(request, head_only, limits))
                .await;
        let result = exchanged.unwrap_or(Err(Broken::Timeout));
        match &result {
            Ok(response) if response.keep && limits.keep_alive => {}
            _ => self.close(),
        }
        result
    }

    async fn send_and_read(
        &mut self,
        request: &[u8],
        head_only: bool,
        limits: Limits,
    ) -> Result<Response, Broken> {
        let stream = self.stream.as_mut().ok_or(Broken::Disconnected)?;
        stream.write_all(request).await.map_err(|_| Broken::Disconnected)?;
        loop {
            let response = self.read(head_only, limits).await?;
            // 1xx says that the answer is yet to come.
            if response.status >= 200 {
                return Ok(response);
            }
        }
    }

    async fn read(&mut self, head_only: bool, limits: Limits) -> Result<Response, Broken> {
        let (mut response, framing) = loop {
            if let Some(found) = parse_head(&mut self.buffer, head_only)? {
                break found;
            }
            if self.buffer.len() > HEAD_BYTES_MAX || self.fill().await? == 0 {
                return Err(Broken::Disconnected);
            }
        };
        match framing {
            Framing::None => {}
            Framing::Length(length) => {
                if length > limits.body_bytes_max {
                    return Err(Broken::Disconnected);
                }
                while self.buffer.len() < length {
                    if self.fill().await? == 0 {
                        return Err(Broken::Disconnected);
                    }
                }
                response.body = self.buffer.drain(..length).collect();
            }
            Framing::Chunked => self.read_chunks(&mut response, limits).await?,
            Framing::UntilClose => {
                response.keep = false;
                while self.fill().await? > 0 {
                    if self.buffer.len() > limits.body_bytes_max {
                        return Err(Broken::Disconnected);
                    }
                }
                response.body = std::mem::take(&mut self.buffer);
            }
        }
        Ok(response)
    }

    async fn read_chunks(&mut self, response: &mut Response, limits: Limits) -> Result<(), Broken> {
        loop {
            let (line, size) = loop {
                match httparse::parse_chunk_size(&self.buffer) {
                    Ok(httparse::Status::Complete((line, size))) => {
                        break (line, usize::try_from(size).unwrap_or(usize::MAX));
                    }
                    Ok(httparse::Status::Partial) if self.buffer.len() < HEAD_BYTES_MAX => {
                        if self.fill().await? == 0 {
                            return Err(Broken::Disconnected);
                        }
                    }
                    _ => return Err(Broken::Disconnected),
                }
            };
            if size.saturating_add(response.body.len()) > limits.body_bytes_max {
                return Err(Broken::Disconnected);
            }
            if size == 0 {
                self.buffer.drain(..line);
                return self.read_trailers().await;
            }
            while self.buffer.len() < line + size + 2 {
                if self.fill().await? == 0 {
                    return Err(Broken::Disconnected);
                }
            }
            response.body.extend_from_slice(&self.buffer[line..line + size]);
            self.buffer.drain(..line + size + 2);
        }
    }

    /// What follows the last chunk, up to an empty line.
    async fn read_trailers(&mut self) -> Result<(), Broken> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\r\n") {
                self.buffer.drain(..end + 2);
                if end == 0 {
                    return Ok(());
                }
            } else if self.buffer.len() > HEAD_BYTES_MAX || self.fill().await? == 0 {
                return Err(Broken::Disconnected);
            }
        }
    }

    async fn fill(&mut self) -> Result<usize, Broken> {
        let stream = self.stream.as_mut().ok_or(Broken::Disconnected)?;
        stream.read_buf(&mut self.buffer).await.map_err(|_| Broken::Disconnected)
    }
}

enum Framing {
    None,
    Length(usize),
    Chunked,
    UntilClose,
}

/// The head of an answer, taken out of the buffer once it is there.
fn parse_head(
    buffer: &mut Vec<u8>,
    head_only: bool,
) -> Result<Option<(Response, Framing)>, Broken> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut parsed = httparse::Response::new(&mut headers);
    let length = match parsed.parse(buffer) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Broken::Disconnected),
    };
    let status = parsed.code.unwrap_or(0);
    let modern = parsed.version == Some(1);
    let start = buffer.as_ptr() as usize;
    let range = |part: &[u8]| {
        let from = part.as_ptr() as usize - start;
        from..from + part.len()
    };
    let fields = parsed
        .headers
        .iter()
        .map(|header| (range(header.name.as_bytes()), range(header.value)))
        .collect();
    let head: Vec<u8> = buffer.drain(..length).collect();
    let mut response = Response { status, head, fields, body: vec![], keep: modern };
    if let Some(connection) = response.header("connection") {
        response.keep = !connection.eq_ignore_ascii_case("close")
            && (modern || connection.eq_ignore_ascii_case("keep-alive"));
    }
    let framing = framing(&response, head_only)?;
    Ok(Some((response, framing)))
}

fn framing(response: &Response, head_only: bool) -> Result<Framing, Broken> {
    if head_only || matches!(response.status, 100..=199 | 204 | 304) {
        return Ok(Framing::None);
    }
    if response
        .headers("transfer-encoding")
        .any(|coding| coding.to_ascii_lowercase().ends_with("chunked"))
    {
        return Ok(Framing::Chunked);
    }
    match response.header("content-length") {
        Some(length) => length.parse().map(Framing::Length).map_err(|_| Broken::Disconnected),
        None => Ok(Framing::UntilClose),
    }
}
