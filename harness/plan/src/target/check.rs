//! What types cannot say of a mapping.

use super::{
    Capture, Condition, HttpStep, Lines, Operation, OperationName, Pick, Role, Rule, Statuses,
    Target,
};
use crate::yaml::Check;

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

pub(super) fn check(target: &Target, check: &mut Check) {
    if target.version != 1 {
        let message = format!("mappings of version {} are not known", target.version);
        check.wrong(&["version"], message, Some("this is version 1"));
    }
    for (name, secret) in &target.secrets {
        if secret.env.is_empty() || secret.env.contains(['=', ' ', '$']) {
            let path = format!("secrets.{name}.env");
            check.wrong(
                &[&path],
                format!("`{}` is not the name of a variable", secret.env),
                Some("no `$`, only the name"),
            );
        }
    }
    for (name, role) in &target.roles {
        for (index, step) in role.login.iter().enumerate() {
            self::step(&format!("roles.{name}.login.{index}"), step, target, check);
        }
        auth(name, role, target, check);
    }
    rules("classify", &target.classify, check);
    if target.operations.is_empty() {
        check.wrong(&["operations"], "a mapping without operations drives nothing", None);
    }
    for (name, operation) in &target.operations {
        self::operation(&format!("operations.{}", name.word()), operation, target, check);
    }
    capabilities(target, check);
}

fn capabilities(target: &Target, check: &mut Check) {
    let can = &target.capabilities;
    let needs = [
        (can.hold, "hold", OperationName::Hold),
        (can.release, "release", OperationName::Release),
        (can.extend, "extend", OperationName::Extend),
        (can.queue, "queue", OperationName::Join),
        (can.queue, "queue", OperationName::Poll),
        (can.proof_of_work, "proof-of-work", OperationName::Challenge),
    ];
    for (claimed, capability, operation) in needs {
        if claimed && !target.operations.contains_key(&operation) {
            let message = format!(
                "`{capability}` is claimed, but there is no operation `{}`",
                operation.word()
            );
            check.wrong(
                &[&format!("capabilities.{capability}")],
                message,
                Some("map the operation, or say `false`"),
            );
        }
    }
}

fn auth(name: &str, role: &Role, target: &Target, check: &mut Check) {
    let path = format!("roles.{name}");
    let mut texts: Vec<(String, &str)> = role
        .headers
        .iter()
        .map(|(header, value)| (format!("{path}.headers.{header}"), value.as_str()))
        .collect();
    if let Some(base) = &role.base {
        texts.push((format!("{path}.base"), base));
    }
    match &role.auth {
        Some(super::Auth::Bearer(value)) => texts.push((format!("{path}.auth.bearer"), value)),
        Some(super::Auth::Basic(basic)) => {
            texts.push((format!("{path}.auth.basic.password"), &basic.password));
        }
        Some(super::Auth::Header(header)) => {
            texts.push((format!("{path}.auth.header.value"), &header.value));
        }
        Some(super::Auth::Query(query)) => {
            texts.push((format!("{path}.auth.query.value"), &query.value));
        }
        None => {}
    }
    for (path, text) in texts {
        slots(&path, text, target, check);
    }
}

fn operation(path: &str, operation: &Operation, target: &Target, check: &mut Check) {
    role(&format!("{path}.role"), &operation.role, target, check);
    if operation.steps.is_empty() {
        check.wrong(&[&format!("{path}.steps")], "an operation has at least one step", None);
    }
    for (what, count) in [
        ("commit", operation.steps.iter().filter(|step| step.commit).count()),
        ("acknowledge", operation.steps.iter().filter(|step| step.acknowledge).count()),
    ] {
        if count > 1 {
            let message = format!("{count} steps are marked `{what}`: only one can be");
            check.wrong(&[&format!("{path}.steps")], message, None);
        }
    }
    for (index, step) in operation.steps.iter().enumerate() {
        self::step(&format!("{path}.steps.{index}"), step, target, check);
    }
    let answer = &operation.answer;
    for (name, pick) in [
        ("hold", &answer.hold),
        ("order", &answer.order),
        ("charge", &answer.charge),
        ("state", &answer.state),
        ("value", &answer.value),
        ("ahead", &answer.ahead),
    ] {
        if let Some(pick) = pick {
            self::pick(&format!("{path}.answer.{name}"), pick, check);
        }
    }
    if let Some(lines) = &operation.lines {
        self::lines(&format!("{path}.lines"), lines, check);
    }
}

fn role(path: &str, name: &str, target: &Target, check: &mut Check) {
    let allowed: Vec<&str> = target.roles.keys().map(String::as_str).chain(["buyer"]).collect();
    check.name(path, "role", name, &allowed);
}

fn step(path: &str, step: &HttpStep, target: &Target, check: &mut Check) {
    let request = format!("{path}.request");
    #[expect(clippy::single_match_else, reason = "both sides say what is wrong")]
    match step.request.split_once(' ') {
        Some((method, url)) => {
            check.name(&request, "method", method, &METHODS);
            if !(url.starts_with('/') || url.starts_with("http") || url.starts_with("{{")) {
                check.wrong(
                    &[&request],
                    format!("`{url}` is neither a path nor a URL"),
                    Some("paths begin with `/`"),
                );
            }
        }
        None => {
            let message = format!("`{}` is not a request", step.request);
            check.wrong(&[&request], message, Some("write method and path: `POST /v1/orders`"));
        }
    }
    if let Some(name) = &step.role {
        role(&format!("{path}.role"), name, target, check);
    }
    slots(&request, &step.request, target, check);
    for (name, value) in &step.headers {
        slots(&format!("{path}.headers.{name}"), value, target, check);
    }
    for (name, value) in &step.query {
        slots(&format!("{path}.query.{name}"), value, target, check);
    }
    if let Some(super::Body::Form(fields)) = &step.body {
        for (name, value) in fields {
            slots(&format!("{path}.body.form.{name}"), value, target, check);
        }
    }
    for (name, capture) in &step.extract {
        self::capture(&format!("{path}.extract.{name}"), capture, check);
    }
    rules(&format!("{path}.classify"), &step.classify, check);
    if let Some(poll) = &step.poll {
        condition(&format!("{path}.poll.until"), &poll.until, check);
        if poll.every.is_zero() {
            check.wrong(
                &[&format!("{path}.poll.every")],
                "polling would never pause",
                Some("`500ms` or more"),
            );
        }
        if poll.timeout < poll.every {
            let paths = [&*format!("{path}.poll.timeout"), &format!("{path}.poll.every")];
            check.wrong(&paths, "polling ends before its second question", None);
        }
    }
}

fn capture(path: &str, capture: &Capture, check: &mut Check) {
    pick(&format!("{path}.from"), &capture.from, check);
    if capture.required && capture.default.is_some() {
        let message = "what has a default is never missing";
        check.wrong(
            &[&format!("{path}.required")],
            message,
            Some("give either `default` or `required`"),
        );
    }
}

fn pick(path: &str, pick: &Pick, check: &mut Check) {
    match pick.sources().as_slice() {
        [(name @ "json", source)] => json_path(&format!("{path}.{name}"), source, check),
        [_] => {}
        [] => {
            let hint = "one of `json`, `header`, `cookie`, `location`, `text`";
            check.wrong(&[path], "this says nothing about where the value is", Some(hint));
        }
        many => {
            let names: Vec<_> = many.iter().map(|(name, _)| *name).collect();
            check.wrong(
                &[path],
                format!("a value has one source, not {}", names.join(" and ")),
                None,
            );
        }
    }
}

fn json_path(path: &str, text: &str, check: &mut Check) {
    if !text.starts_with('$') {
        let hint = format!("write `$.{}`", text.trim_start_matches('.'));
        check.wrong(&[path], format!("`{text}` is not a JSONPath"), Some(&hint));
    }
}

fn lines(path: &str, lines: &Lines, check: &mut Check) {
    let single = [
        ("each", Some(&lines.each)),
        ("within", lines.within.as_ref()),
        ("order", lines.order.as_ref()),
        ("hold", lines.hold.as_ref()),
        ("state", lines.state.as_ref()),
        ("sku", lines.sku.as_ref()),
        ("quantity", lines.quantity.as_ref()),
    ];
    for (name, text) in single {
        if let Some(text) = text {
            json_path(&format!("{path}.{name}"), text, check);
        }
    }
    if lines.sku.is_none() {
        check.wrong(&[path], "lines are about SKUs: `sku` is missing here", None);
    }
}

fn rules(path: &str, rules: &[Rule], check: &mut Check) {
    for (index, rule) in rules.iter().enumerate() {
        let path = format!("{path}.{index}");
        match (&rule.when, rule.is, &rule.by, rule.cases.is_empty()) {
            (Some(when), Some(_), None, true) => condition(&format!("{path}.when"), when, check),
            (None, None, Some(by), false) => pick(&format!("{path}.by"), by, check),
            _ => check.wrong(
                &[&path],
                "a rule has either `when` and `is`, or `by` and `cases`",
                None,
            ),
        }
    }
}

fn condition(path: &str, condition: &Condition, check: &mut Check) {
    if *condition == Condition::default() {
        let hint = "at least one of `status`, `json`, `headers`, `contains`, `matches`";
        check.wrong(&[path], "a condition that says nothing always holds", Some(hint));
    }
    if let Some(statuses) = &condition.status {
        status(&format!("{path}.status"), statuses, check);
    }
    for (index, predicate) in condition.json.iter().enumerate() {
        json_path(&format!("{path}.json.{index}.path"), &predicate.path, check);
    }
}

fn status(path: &str, statuses: &Statuses, check: &mut Check) {
    match statuses {
        Statuses::Code(code) if !(100..600).contains(code) => {
            check.wrong(
                &[path],
                format!("{code} is not an HTTP status"),
                Some("100 to 599, or a family such as `2xx`"),
            );
        }
        Statuses::Family(text) if !matches!(text.as_bytes(), [b'1'..=b'5', b'x', b'x']) => {
            check.wrong(
                &[path],
                format!("`{text}` is not an HTTP status"),
                Some("100 to 599, or a family such as `2xx`"),
            );
        }
        Statuses::Any(many) => {
            for (index, one) in many.iter().enumerate() {
                status(&format!("{path}.{index}"), one, check);
            }
        }
        _ => {}
    }
}

/// Slots that are not closed, and secrets that are not declared.
fn slots(path: &str, text: &str, target: &Target, check: &mut Check) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        let Some((inner, behind)) = after.split_once("}}") else {
            check.wrong(&[path], "a slot is not closed", Some("`{{name}}`"));
            return;
        };
        let name = inner.split('|').next().unwrap_or_default().trim().trim_end_matches('?');
        if let Some(secret) = name.strip_prefix("secret.")
            && !target.secrets.contains_key(secret)
        {
            let names: Vec<&str> = target.secrets.keys().map(String::as_str).collect();
            check.name(path, "secret", secret, &names);
        }
        rest = behind;
    }
}
