//! What the books hold, and their marks.

use crate::event::{Action, Event};
use crate::intent::Intent;
use crate::problem::Problem;
use crate::refund::Refund;
use crate::{Config, Knobs, Tally};
use indexmap::IndexMap;
use onsale_history::{ChargeStage, MarkKind, Nanos, RecordError, Scribe};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Every payment, refund and event.
pub(crate) struct Books {
    scribe: Scribe,
    epoch_unix: Duration,
    pub(crate) seed: u64,
    pub(crate) webhook_url: Option<Arc<str>>,
    pub(crate) knobs: Knobs,
    pub(crate) tally: Tally,
    pub(crate) intents: IndexMap<String, Intent>,
    pub(crate) refunds: IndexMap<String, Refund>,
    pub(crate) events: IndexMap<String, Event>,
    /// Places of events that a webhook should have carried and did not yet.
    pub(crate) undelivered: BTreeSet<usize>,
    /// What the last change asks for.
    pub(crate) actions: Vec<Action>,
    failure: Option<Arc<RecordError>>,
}

impl Books {
    pub(crate) fn new(config: &Config, scribe: Scribe) -> Self {
        Self {
            scribe,
            epoch_unix: config.epoch_unix,
            seed: config.seed,
            webhook_url: config.webhook_url.as_deref().map(Arc::from),
            knobs: config.knobs.clone(),
            tally: Tally::default(),
            intents: IndexMap::new(),
            refunds: IndexMap::new(),
            events: IndexMap::new(),
            undelivered: BTreeSet::new(),
            actions: Vec::new(),
            failure: None,
        }
    }
    pub(crate) fn now(&self) -> Nanos {
        self.scribe.clock.now()
    }
    /// Seconds since 1970.
    pub(crate) fn unix(&self) -> u64 {
        (self.epoch_unix + Duration::from_nanos(self.now().0)).as_secs()
    }
    pub(crate) fn names(&self) -> &onsale_history::Names {
        &self.scribe.names
    }
    /// The mark that could not be written, if there was one: from then on the books are closed.
    pub(crate) fn failure(&self) -> Option<&Arc<RecordError>> {
        self.failure.as_ref()
    }
    pub(crate) fn mark(&mut self, kind: MarkKind) {
        if let Err(error) = self.scribe.mark(kind) {
            self.failure.get_or_insert_with(|| Arc::new(error));
        }
    }
    /// Marks a stage of a payment; the rest of the mark is what the target wrote into the metadata.
    pub(crate) fn mark_charge(&mut self, id: &str, amount: u32, stage: ChargeStage) {
        let intent = &self.intents[id];
        let names = self.names();
        let kind = MarkKind::Charge {
            charge: names.id(id),
            order: intent.meta("order_id").map(|name| names.id(name)),
            hold: intent.meta("hold_id").map(|name| names.id(name)),
            buyer: intent.meta("account").map(|name| names.id(name)),
            instrument: intent.meta("instrument").map(|name| names.id(name)),
            amount,
            stage,
        };
        self.mark(kind);
    }
    /// A payment by its id, for somebody who wants to change it.
    pub(crate) fn intent(&mut self, id: &str) -> Result<&mut Intent, Problem> {
        self.intents.get_mut(id).ok_or_else(|| Problem::no_such("payment_intent", id, "intent"))
    }
    /// Whether the answer to this change of a payment gets lost.
    pub(crate) fn answer_is_lost(&mut self, id: &str) -> bool {
        let share = self.knobs.answer_lost;
        let Some(intent) = self.intents.get_mut(id) else { return false };
        let ordinal = intent.answers;
        intent.answers += 1;
        let lost = intent.fate.hits(crate::fate::Draw::AnswerLost, ordinal, share);
        self.tally.answers_lost += u64::from(lost);
        lost
    }
}
