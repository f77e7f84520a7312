//! Sets a sale up and takes it away, by the mapping. Not part of a history: nothing is sold yet, or any more.

use crate::call::Call;
use crate::client::Client;
use crate::send::{Got, Sender};
use crate::slot::Scene;
use crate::{Buyer, ProvisionError};
use onsale_history::{BuyerId, CallKind, Class, ProcessId, Scribe};
use onsale_plan::OperationName;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// So much of a refusal is shown.
const EXCERPT_MAX: usize = 400;

impl Client {
    /// Makes the sale. What the target told on the way is known to every buyer of this client, and returned.
    pub async fn provision(
        &self,
        scribe: &Scribe,
    ) -> Result<Vec<(String, Arc<str>)>, ProvisionError> {
        self.administer(OperationName::Provision, scribe).await
    }

    /// Takes the sale away, if the mapping says how.
    pub async fn teardown(&self, scribe: &Scribe) -> Result<(), ProvisionError> {
        match self.administer(OperationName::Teardown, scribe).await {
            Ok(_) | Err(ProvisionError::NoOperation { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn administer(
        &self,
        name: OperationName,
        scribe: &Scribe,
    ) -> Result<Vec<(String, Arc<str>)>, ProvisionError> {
        let word = name.word();
        let compiled = &self.compiled;
        let operation = compiled
            .operations
            .get(&name)
            .ok_or(ProvisionError::NoOperation { operation: word })?;
        let call = Call::of(CallKind::Landing, ProcessId::from_index(0), scribe.clock.now());
        let mut buyer = Buyer::new(BuyerId::from_index(0), compiled.clone());
        let mut sender = Sender::new(compiled);
        let chance = AtomicU64::new(compiled.seed);
        let login = compiled.logins.get(&operation.role).map_or(&[][..], Vec::as_slice);
        let mut told = vec![];
        for step in login.iter().chain(&operation.steps) {
            let host = &compiled.hosts[step.host];
            sender.reach(compiled, step.host).await.map_err(|source| {
                ProvisionError::Unreachable {
                    host: host.authority.clone(),
                    operation: word,
                    source,
                }
            })?;
            let locals = sender.locals.clone();
            let scene = Scene {
                call: &call,
                buyer: &buyer,
                names: &scribe.names,
                locals: &locals,
                cursor: None,
                now: scribe.clock.now(),
                epoch_unix_ms: compiled.epoch_unix_ms,
                chance: &chance,
                line: 0,
            };
            sender.render(compiled, step, &scene, None);
            let got = sender.exchange(compiled, step).await;
            if !matches!(got.class, Class::Ok | Class::Pending) {
                return Err(self.refused(word, &got));
            }
            let Some(response) = &got.response else { continue };
            for capture in &step.captures {
                let found =
                    capture.picker.text(response, got.json.as_ref()).map(|text| Arc::from(&*text));
                let Some(text) = found.or_else(|| capture.default.clone()) else { continue };
                sender.locals[capture.variable] = Some(Arc::clone(&text));
                buyer.keep(capture.variable, None, Arc::clone(&text));
                told.push((compiled.variables[capture.variable].name.clone(), text));
            }
        }
        Ok(told)
    }

    fn refused(&self, operation: &'static str, got: &Got) -> ProvisionError {
        let body =
            got.response.as_ref().map(|response| response.text().into_owned()).unwrap_or_default();
        let body: String = self.compiled.secrets.redact(&body).chars().take(EXCERPT_MAX).collect();
        ProvisionError::Refused { operation, class: got.class, status: got.status(), body }
    }
}
