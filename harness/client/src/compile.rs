//! A mapping, compiled at the start of a run: no text with slots is parsed afterwards.

use crate::answer::{LineReader, Reader};
use crate::classify::{Classifier, Requirement};
use crate::pick::Picker;
use crate::template::{Encode, Names, Piece};
use crate::transport::{Host, Limits};
use crate::{CompileError, RunContext};
use base64::Engine;
use indexmap::IndexMap;
use onsale_history::{Class, State};
use onsale_plan::{
    Auth, Body, ClientBehaviour, HttpStep, Keyed, OperationName, Role, Scope, Target,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// All that a run's requests and answers need.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) hosts: Vec<Host>,
    pub(crate) operations: BTreeMap<OperationName, Operation>,
    pub(crate) logins: IndexMap<String, Vec<Step>>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) states: HashMap<String, State>,
    pub(crate) retries: BTreeMap<Class, u32>,
    pub(crate) heed_retry_after: bool,
    pub(crate) limits: Limits,
    pub(crate) epoch_unix_ms: u64,
    pub(crate) seed: u64,
    pub(crate) secrets: crate::Secrets,
    shared: RwLock<Vec<Option<Arc<str>>>>,
}

/// A name that answers give a value.
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) per: Option<Keyed>,
}

pub(crate) struct Operation {
    pub(crate) role: String,
    pub(crate) steps: Vec<Step>,
    /// The step that takes effect.
    pub(crate) commit: usize,
    /// The step whose answer is the operation's.
    pub(crate) acknowledge: usize,
    pub(crate) reader: Reader,
    pub(crate) lines: Option<LineReader>,
}

/// One request, as pieces.
pub(crate) struct Step {
    pub(crate) host: usize,
    /// `POST /path?query HTTP/1.1` and `host`.
    pub(crate) line: Vec<Piece>,
    pub(crate) method: String,
    pub(crate) headers: Vec<Piece>,
    pub(crate) cookies: bool,
    pub(crate) body: Option<Vec<Piece>>,
    pub(crate) captures: Vec<Capture>,
    pub(crate) classifier: Classifier,
    pub(crate) redirects: u8,
    pub(crate) poll: Option<Polling>,
    pub(crate) limits: Limits,
}

pub(crate) struct Capture {
    pub(crate) variable: usize,
    pub(crate) picker: Picker,
    pub(crate) default: Option<Arc<str>>,
    pub(crate) required: bool,
}

pub(crate) struct Polling {
    pub(crate) until: Requirement,
    pub(crate) every: Duration,
    pub(crate) timeout: Duration,
}

impl Compiled {
    pub(crate) fn shared(&self, variable: usize) -> Option<Arc<str>> {
        self.shared.read().expect("no writer panics").get(variable).cloned().flatten()
    }
    pub(crate) fn share(&self, variable: usize, text: Arc<str>) {
        self.shared.write().expect("no writer panics")[variable] = Some(text);
    }
}

pub(crate) fn compile(target: &Target, context: &RunContext) -> Result<Compiled, CompileError> {
    let variables = variables(target);
    let captured: Vec<String> = variables.iter().map(|variable| variable.name.clone()).collect();
    let mut compiler = Compiler { target, context, captured: &captured, hosts: vec![] };
    let mut operations = BTreeMap::new();
    for (name, operation) in &target.operations {
        operations.insert(*name, compiler.operation(*name, operation)?);
    }
    let mut logins = IndexMap::new();
    for (name, role) in &target.roles {
        let place = format!("the login of role `{name}`");
        let steps: Result<Vec<_>, _> =
            role.login.iter().map(|step| compiler.step(&place, name, step)).collect();
        logins.insert(name.clone(), steps?);
    }
    let shared = RwLock::new(vec![None; variables.len()]);
    let state =
        |word: &str| State::from_word(word).expect("mapping and history spell states alike");
    Ok(Compiled {
        name: target.name.clone(),
        hosts: compiler.hosts,
        operations,
        logins,
        variables,
        states: target
            .states
            .iter()
            .map(|(theirs, ours)| (theirs.clone(), state(ours.word())))
            .collect(),
        retries: target
            .client
            .retries
            .iter()
            .map(|(word, times)| (crate::classify::class(*word), *times))
            .collect(),
        heed_retry_after: target.client.retry_after,
        limits: limits(&target.client, None),
        epoch_unix_ms: context.epoch_unix_ms,
        seed: context.seed,
        secrets: context.secrets.clone(),
        shared,
    })
}

/// All names that steps capture, the first spelling of scope and key counts.
fn variables(target: &Target) -> Vec<Variable> {
    let steps = target.operations.values().flat_map(|operation| &operation.steps);
    let logins = target.roles.values().flat_map(|role| &role.login);
    let mut all: Vec<Variable> = vec![];
    for (name, capture) in steps.chain(logins).flat_map(|step| &step.extract) {
        if !all.iter().any(|known| known.name == *name) {
            all.push(Variable { name: name.clone(), scope: capture.scope, per: capture.per });
        }
    }
    all
}

fn limits(client: &ClientBehaviour, timeout: Option<Duration>) -> Limits {
    Limits {
        timeout: timeout.unwrap_or(client.timeout),
        connect_timeout: client.connect_timeout,
        body_bytes_max: usize::try_from(client.answer_bytes_max).unwrap_or(usize::MAX),
        keep_alive: client.keep_alive,
    }
}

struct Compiler<'a> {
    target: &'a Target,
    context: &'a RunContext,
    captured: &'a [String],
    hosts: Vec<Host>,
}

impl Compiler<'_> {
    fn operation(
        &mut self,
        name: OperationName,
        operation: &onsale_plan::Operation,
    ) -> Result<Operation, CompileError> {
        let place = format!("operation `{}`", name.word());
        let mut steps = vec![];
        for step in &operation.steps {
            steps.push(self.step(&place, &operation.role, step)?);
        }
        let last = steps.len().saturating_sub(1);
        Ok(Operation {
            role: operation.role.clone(),
            commit: operation.steps.iter().position(|step| step.commit).unwrap_or(0),
            acknowledge: operation.steps.iter().position(|step| step.acknowledge).unwrap_or(last),
            steps,
            reader: Reader::compile(&operation.answer)?,
            lines: operation.lines.as_ref().map(LineReader::compile).transpose()?,
        })
    }

    fn step(&mut self, place: &str, role: &str, step: &HttpStep) -> Result<Step, CompileError> {
        let nobody = Role::default();
        let role = self.target.roles.get(step.role.as_deref().unwrap_or(role)).unwrap_or(&nobody);
        let names = Names { context: self.context, captured: self.captured, place, item: None };
        let (method, url) = step.request.split_once(' ').unwrap_or(("GET", &step.request));
        let base = role.base.as_deref().unwrap_or("{{target.url}}");
        let url = if url.starts_with('/') { format!("{base}{url}") } else { url.to_owned() };
        let (host, mut line) = self.address(&names, method, &url)?;
        let query = step.query.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let key = match &role.auth {
            Some(Auth::Query(query)) => Some((query.name.as_str(), query.value.as_str())),
            _ => None,
        };
        let mark = if url.contains('?') { '&' } else { '?' };
        line.extend(pairs(&names, mark, query.chain(key))?);
        line.push(Piece::Text(
            format!(" HTTP/1.1\r\nhost: {}\r\n", self.hosts[host].authority).into_bytes(),
        ));
        let (body, kind) = body(&names, step.body.as_ref())?;
        let mut headers = headers(&names, role, step)?;
        if let Some(kind) = kind {
            headers.push(Piece::Text(format!("content-type: {kind}\r\n").into_bytes()));
        }
        Ok(Step {
            host,
            line: joined(line),
            method: method.to_owned(),
            headers: joined(headers),
            cookies: role.cookies,
            body: body.map(joined),
            captures: self.captures(step)?,
            classifier: Classifier::compile(step.classify.iter().chain(&self.target.classify))?,
            redirects: step.redirects,
            poll: step.poll.as_ref().map(polling).transpose()?,
            limits: limits(&self.target.client, step.timeout),
        })
    }

    fn captures(&self, step: &HttpStep) -> Result<Vec<Capture>, CompileError> {
        let compile = |(name, capture): (&String, &onsale_plan::Capture)| {
            Ok(Capture {
                variable: self
                    .captured
                    .iter()
                    .position(|known| known == name)
                    .expect("all names were collected"),
                picker: Picker::compile(&capture.from)?,
                default: capture.default.as_deref().map(Into::into),
                required: capture.required,
            })
        };
        step.extract.iter().map(compile).collect()
    }

    /// The host of a URL, and the beginning of the request line.
    fn address(
        &mut self,
        names: &Names<'_>,
        method: &str,
        url: &str,
    ) -> Result<(usize, Vec<Piece>), CompileError> {
        let mut pieces = names.text(url, Encode::Url)?;
        let wrong = |reason| CompileError::Address { url: url.to_owned(), reason };
        let Some(Piece::Text(start)) = pieces.first_mut() else {
            return Err(wrong("it does not begin with a host that is known before the run"));
        };
        let text = String::from_utf8_lossy(start).into_owned();
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some(("https", _)) => {
                return Err(wrong("this client speaks plain HTTP; put a TLS proxy in front"));
            }
            _ => return Err(wrong("it does not begin with `http://`")),
        };
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        self.allow(authority)?;
        let authority =
            if authority.contains(':') { authority.to_owned() } else { format!("{authority}:80") };
        let path = path.replace("//", "/");
        let path = if path.is_empty() && pieces.len() == 1 { "/".to_owned() } else { path };
        pieces[0] = Piece::Text(format!("{method} {path}").into_bytes());
        let host = Host { authority };
        let index = self.hosts.iter().position(|known| *known == host).unwrap_or_else(|| {
            self.hosts.push(host);
            self.hosts.len() - 1
        });
        Ok((index, pieces))
    }

    /// Only this machine, unless the mapping names a host.
    fn allow(&self, authority: &str) -> Result<(), CompileError> {
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let local = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        if local || self.target.hosts.iter().any(|allowed| allowed == host) {
            return Ok(());
        }
        Err(CompileError::Forbidden { host: host.to_owned() })
    }
}

fn polling(poll: &onsale_plan::Poll) -> Result<Polling, CompileError> {
    Ok(Polling {
        until: Requirement::compile(&poll.until)?,
        every: poll.every,
        timeout: poll.timeout,
    })
}

/// `?a=1&b=2`, or the same for a form; optional values take their names with them.
fn pairs<'p>(
    names: &Names<'_>,
    mut mark: char,
    pairs: impl Iterator<Item = (&'p str, &'p str)>,
) -> Result<Vec<Piece>, CompileError> {
    let mut pieces = vec![];
    for (name, value) in pairs {
        let mut key = if mark == '=' { vec![] } else { vec![u8::try_from(mark).expect("ASCII")] };
        crate::template::encode_value(name, Encode::Form, &mut key);
        key.push(b'=');
        let mut encoded = names.text(value, Encode::Form)?;
        if let [Piece::Optional(_, inner)] = encoded.as_mut_slice() {
            inner.insert(0, Piece::Text(key));
        } else {
            encoded.insert(0, Piece::Text(key));
        }
        pieces.extend(encoded);
        mark = '&';
    }
    Ok(pieces)
}

fn headers(names: &Names<'_>, role: &Role, step: &HttpStep) -> Result<Vec<Piece>, CompileError> {
    let mut all: IndexMap<String, String> =
        IndexMap::from([("accept".to_owned(), "application/json".to_owned())]);
    match &role.auth {
        Some(Auth::Bearer(token)) => {
            all.insert("authorization".to_owned(), format!("Bearer {token}"));
        }
        Some(Auth::Basic(basic)) => {
            let both =
                crate::template::constant(names, &format!("{}:{}", basic.user, basic.password))?;
            let encoded = base64::engine::general_purpose::STANDARD.encode(both);
            all.insert("authorization".to_owned(), format!("Basic {encoded}"));
        }
        Some(Auth::Header(header)) => {
            all.insert(header.name.to_ascii_lowercase(), header.value.clone());
        }
        Some(Auth::Query(_)) | None => {}
    }
    for (name, value) in role.headers.iter().chain(&step.headers) {
        all.insert(name.to_ascii_lowercase(), value.clone());
    }
    let mut pieces = vec![];
    for (name, value) in &all {
        let (before, after) =
            (Piece::Text(format!("{name}: ").into_bytes()), Piece::Text(b"\r\n".to_vec()));
        let mut encoded = names.text(value, Encode::Header)?;
        if let [Piece::Optional(_, inner)] = encoded.as_mut_slice() {
            inner.insert(0, before);
            inner.push(after);
        } else {
            encoded.insert(0, before);
            encoded.push(after);
        }
        pieces.extend(encoded);
    }
    Ok(pieces)
}

type BodyPieces = (Option<Vec<Piece>>, Option<&'static str>);

fn body(names: &Names<'_>, body: Option<&Body>) -> Result<BodyPieces, CompileError> {
    Ok(match body {
        None => (None, None),
        Some(Body::Json(value)) => (Some(names.json(value)?), Some("application/json")),
        Some(Body::Form(fields)) => {
            let fields = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            (Some(pairs(names, '=', fields)?), Some("application/x-www-form-urlencoded"))
        }
        Some(Body::Graphql(graphql)) => {
            let query = serde_json::Value::from(graphql.query.trim()).to_string();
            let mut pieces =
                vec![Piece::Text(format!("{{\"query\":{query},\"variables\":").into_bytes())];
            let variables = match &graphql.variables {
                serde_json::Value::Null => &serde_json::json!({}),
                given => given,
            };
            pieces.extend(names.json(variables)?);
            pieces.push(Piece::Text(b"}".to_vec()));
            (Some(pieces), Some("application/json"))
        }
    })
}

/// Neighbouring texts as one. A comma whose answer is known is text, too.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut all: Vec<Piece> = vec![];
    for piece in pieces {
        let piece = match piece {
            Piece::Optional(slots, inner) => Piece::Optional(slots, joined(inner)),
            Piece::Each(inner) => Piece::Each(joined(inner)),
            other => other,
        };
        match (all.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.extend(text),
            (Some(Piece::Text(before)), Piece::Comma) => {
                if !matches!(before.last(), Some(b'{' | b'[')) {
                    before.push(b',');
                }
            }
            (_, piece) => all.push(piece),
        }
    }
    all
}
