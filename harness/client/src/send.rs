//! Renders a step's request and exchanges it: redirects, polling, classification.

use crate::compile::{Compiled, Step};
use crate::slot::Scene;
use crate::template::render;
use crate::transport::{Broken, Response, Socket};
use onsale_history::{Class, Outcome};
use serde_json::Value;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// What came of one request.
pub(crate) struct Got {
    pub(crate) class: Class,
    pub(crate) response: Option<Response>,
    pub(crate) json: Option<Value>,
}

impl Got {
    pub(crate) const fn nothing(class: Class) -> Self {
        Self { class, response: None, json: None }
    }
    pub(crate) fn status(&self) -> u16 {
        self.response.as_ref().map_or(0, |response| response.status)
    }
    /// `Retry-After` in seconds.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let text = self.response.as_ref()?.header("retry-after")?;
        text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
    /// What is known: the class's certainty, weakened if the target itself says that it is not definite.
    pub(crate) fn outcome(&self) -> Outcome {
        let unsure =
            self.json.as_ref().and_then(|json| json.get("definite")).and_then(Value::as_bool)
                == Some(false);
        match self.class.outcome() {
            Outcome::Failed(class) if unsure => Outcome::Indeterminate(class),
            outcome => outcome,
        }
    }
}

/// Sockets and buffers of one connection.
pub(crate) struct Sender {
    sockets: Vec<Socket>,
    request: Vec<u8>,
    body: Vec<u8>,
    /// What this operation captured, by variable.
    pub(crate) locals: Vec<Option<Arc<str>>>,
}

impl Sender {
    pub(crate) fn new(compiled: &Compiled) -> Self {
        Self {
            sockets: compiled.hosts.iter().map(|_| Socket::default()).collect(),
            request: vec![],
            body: vec![],
            locals: vec![None; compiled.variables.len()],
        }
    }

    pub(crate) fn begin(&mut self) {
        self.locals.fill(None);
    }

    pub(crate) async fn connect_all(&mut self, compiled: &Compiled) -> std::io::Result<()> {
        for (socket, host) in self.sockets.iter_mut().zip(&compiled.hosts) {
            socket.ready(host, compiled.limits).await?;
        }
        Ok(())
    }

    /// A live connection to a host; without one, nothing was sent.
    pub(crate) async fn ready(&mut self, compiled: &Compiled, host: usize) -> Result<(), Class> {
        self.reach(compiled, host).await.map_err(|_| Class::Unreachable)
    }

    /// The same, with the reason.
    pub(crate) async fn reach(&mut self, compiled: &Compiled, host: usize) -> std::io::Result<()> {
        self.sockets[host].ready(&compiled.hosts[host], compiled.limits).await
    }

    /// Writes the request into the buffer. `url` is where the answer before said that the next page is.
    pub(crate) fn render(
        &mut self,
        compiled: &Compiled,
        step: &Step,
        scene: &Scene<'_>,
        url: Option<&str>,
    ) {
        self.request.clear();
        self.body.clear();
        match url {
            Some(url) => self.line(compiled, step.host, "GET", url),
            None => render(&step.line, scene, &mut self.request),
        }
        render(&step.headers, scene, &mut self.request);
        if step.cookies && !scene.buyer.cookies.is_empty() {
            for (index, (name, value)) in scene.buyer.cookies.iter().enumerate() {
                self.request.extend_from_slice(if index == 0 { b"cookie: " } else { b"; " });
                self.request.extend_from_slice(name.as_bytes());
                self.request.push(b'=');
                self.request.extend_from_slice(value.as_bytes());
            }
            self.request.extend_from_slice(b"\r\n");
        }
        if let Some(body) = &step.body {
            render(body, scene, &mut self.body);
        }
        if step.body.is_some() || !matches!(step.method.as_str(), "GET" | "HEAD" | "DELETE") {
            let _ = write!(self.request, "content-length: {}\r\n", self.body.len());
        }
        self.request.extend_from_slice(b"\r\n");
        self.request.extend_from_slice(&self.body);
    }

    fn line(&mut self, compiled: &Compiled, host: usize, method: &str, url: &str) {
        let authority = &compiled.hosts[host].authority;
        let path = path_of(url);
        let _ = write!(self.request, "{method} {path} HTTP/1.1\r\nhost: {authority}\r\n");
    }

    /// Sends the request in the buffer; asks again if the step polls, and follows redirects if it may.
    pub(crate) async fn exchange(&mut self, compiled: &Compiled, step: &Step) -> Got {
        let Some(poll) = &step.poll else { return self.follow(compiled, step).await };
        let request = self.request.clone();
        let asking = async {
            loop {
                let got = self.follow(compiled, step).await;
                let Some(response) = &got.response else { return got };
                if poll.until.holds(response, got.json.as_ref()) {
                    return got;
                }
                tokio::time::sleep(poll.every).await;
                if self.ready(compiled, step.host).await.is_err() {
                    return Got::nothing(Class::Disconnected);
                }
                self.request.clone_from(&request);
            }
        };
        tokio::time::timeout(poll.timeout, asking).await.unwrap_or(Got::nothing(Class::Timeout))
    }

    async fn follow(&mut self, compiled: &Compiled, step: &Step) -> Got {
        let mut got = self.once(step).await;
        for _ in 0..step.redirects {
            let Some(response) = &got.response else { break };
            let Some(location) =
                response.header("location").filter(|_| (300..400).contains(&response.status))
            else {
                break;
            };
            let location = location.to_owned();
            self.request.clear();
            self.line(compiled, step.host, "GET", &location);
            self.request.extend_from_slice(b"accept: */*\r\n\r\n");
            if self.ready(compiled, step.host).await.is_err() {
                return Got::nothing(Class::Disconnected);
            }
            got = self.once(step).await;
        }
        got
    }

    async fn once(&mut self, step: &Step) -> Got {
        match self.sockets[step.host].exchange(&self.request, step.limits).await {
            Ok(response) => {
                let json = response.json();
                let class = step.classifier.class(&response, json.as_ref());
                Got { class, json, response: Some(response) }
            }
            Err(Broken::Timeout) => Got::nothing(Class::Timeout),
            Err(Broken::Disconnected) => Got::nothing(Class::Disconnected),
        }
    }
}

/// The path and query of a URL; redirects and pages stay on their host.
fn path_of(url: &str) -> &str {
    match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => url,
    }
}
