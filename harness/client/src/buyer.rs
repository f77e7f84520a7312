//! What the target knows a buyer by.

use crate::call::Call;
use crate::compile::Compiled;
use onsale_history::{BuyerId, ChargeId, HoldId, OrderId};
use onsale_plan::{Keyed, Scope};
use std::sync::Arc;

/// What the target knows a buyer by: cookies and captured variables (`ticket`, `token`, …). A clone is the same buyer in
/// another tab.
#[derive(Clone)]
pub struct Buyer {
    /// Which.
    pub id: BuyerId,
    pub(crate) device: Option<Arc<str>>,
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) cookies: Vec<(Arc<str>, Arc<str>)>,
    values: Vec<Value>,
    pub(crate) logged_in: bool,
}

#[derive(Clone)]
struct Value {
    variable: usize,
    /// The number of the hold, order or charge that it belongs to.
    of: Option<usize>,
    text: Arc<str>,
}

/// Values of one variable that are kept a buyer; older ones are forgotten.
const VALUES_MAX: usize = 64;

impl Buyer {
    pub(crate) fn new(id: BuyerId, compiled: Arc<Compiled>) -> Self {
        Self { id, device: None, compiled, cookies: vec![], values: vec![], logged_in: false }
    }

    /// Buys from this device instead of an own one.
    pub fn on_device(&mut self, device: &str) {
        self.device = Some(device.into());
    }

    /// A captured variable, by its name in the mapping (`token`, `ticket`, `client_secret`); the latest value.
    pub fn variable(&self, name: &str) -> Option<Arc<str>> {
        let variable = self.compiled.variables.iter().position(|variable| variable.name == name)?;
        let own = self.values.iter().rev().find(|value| value.variable == variable);
        own.map(|value| value.text.clone()).or_else(|| self.compiled.shared(variable))
    }

    /// Sets a variable of the mapping, as if the target had given it. Unknown names are ignored.
    pub fn set(&mut self, name: &str, text: &str) {
        if let Some(variable) =
            self.compiled.variables.iter().position(|variable| variable.name == name)
        {
            self.keep(variable, None, text.into());
        }
    }

    /// Every captured variable, for `probe --trace`.
    pub fn variables(&self) -> Vec<(&str, Arc<str>)> {
        let name = |value: &Value| {
            (self.compiled.variables[value.variable].name.as_str(), value.text.clone())
        };
        self.values.iter().map(name).collect()
    }

    pub(crate) fn value(&self, variable: usize, call: &Call) -> Option<Arc<str>> {
        let of = self.compiled.variables[variable].per.and_then(|per| match per {
            Keyed::Hold => call.hold.map(HoldId::index),
            Keyed::Order => call.order.map(OrderId::index),
            Keyed::Charge => call.charge.map(ChargeId::index),
        });
        let mine = |value: &&Value| value.variable == variable && (of.is_none() || value.of == of);
        let own = self.values.iter().rev().find(mine);
        own.map(|value| value.text.clone()).or_else(|| self.compiled.shared(variable))
    }

    pub(crate) fn keep(&mut self, variable: usize, of: Option<usize>, text: Arc<str>) {
        match self.compiled.variables[variable].scope {
            Scope::Run => self.compiled.share(variable, text),
            Scope::Operation => {}
            Scope::Buyer => {
                self.values
                    .retain(|value| value.variable != variable || (of.is_some() && value.of != of));
                if self.values.len() >= VALUES_MAX {
                    self.values.remove(0);
                }
                self.values.push(Value { variable, of, text });
            }
        }
    }

    pub(crate) fn keep_cookie(&mut self, header: &str) {
        let mut parts = header.split(';');
        let Some((name, value)) = parts.next().and_then(|pair| pair.trim().split_once('=')) else {
            return;
        };
        self.cookies.retain(|(kept, _)| **kept != *name);
        let gone = parts.any(|part| part.trim().eq_ignore_ascii_case("max-age=0"));
        if !gone {
            self.cookies.push((name.into(), value.into()));
        }
    }
}
