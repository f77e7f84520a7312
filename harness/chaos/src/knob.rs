//! Faults that turn a knob of the payment provider.

use crate::{Backend, Error, Fault, Injection, Probe, Soon, Undo, probe};
use onsale_psp::{Knobs, Provider, Tally};
use std::sync::Arc;
use std::time::Duration;

/// How long a probe of the provider waits.
const PROBE_WAIT_MAX: Duration = Duration::from_secs(5);

/// How the effect of a knob is felt.
#[derive(Clone, Copy)]
pub(crate) enum Felt {
    /// The provider did it to so many payments, webhooks or refunds.
    Counted(fn(&Tally) -> u64),
    /// A client's own call is answered 503.
    Down,
    /// A client's own call takes as long as the provider was told to wait.
    Slow,
}

/// A fault of the provider.
pub(crate) struct KnobFault {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) lasts: Duration,
    /// Makes it so.
    pub(crate) turn: fn(&mut Knobs),
    /// Puts back what `turn` changed, and nothing else, from the knobs as they were.
    pub(crate) back: fn(&mut Knobs, &Knobs),
    pub(crate) felt: Felt,
}

impl Fault for KnobFault {
    fn name(&self) -> &'static str {
        self.name
    }
    fn help(&self) -> &'static str {
        self.help
    }
    fn target(&self) -> &'static str {
        "psp"
    }
    fn lasts(&self) -> Duration {
        self.lasts
    }
    fn waits_for_traffic(&self) -> bool {
        matches!(self.felt, Felt::Counted(_))
    }
    fn undo(&self, on: &Backend) -> Result<Undo, Error> {
        on.provider(self.name).map(|_| Undo::GoneWithTheRun)
    }
    fn inject<'a>(&'a self, on: &'a Backend) -> Soon<'a, Result<Box<dyn Injection>, Error>> {
        Box::pin(async move {
            let provider = on.provider(self.name)?;
            let tally = provider.tally();
            let mut before = None;
            provider.change(|knobs| {
                before = Some(knobs.clone());
                (self.turn)(knobs);
            });
            let before = before.expect("the change was made");
            let turned: Box<dyn Injection> = Box::new(Turned {
                back: self.back,
                felt: self.felt,
                provider,
                before,
                tally,
                undone: false,
            });
            Ok(turned)
        })
    }
}

/// A knob that is turned.
struct Turned {
    back: fn(&mut Knobs, &Knobs),
    felt: Felt,
    provider: Arc<Provider>,
    before: Knobs,
    tally: Tally,
    undone: bool,
}

impl Injection for Turned {
    fn is_felt(&mut self) -> Soon<'_, bool> {
        Box::pin(async move {
            match self.felt {
                Felt::Counted(count) => count(&self.provider.tally()) > count(&self.tally),
                Felt::Down => call(&self.provider).await == Probe::Answered(503),
                Felt::Slow => is_slow(&self.provider, self.provider.knobs().answer_delay).await,
            }
        })
    }
    fn undo(&mut self) -> Result<(), Error> {
        if !self.undone {
            self.undone = true;
            self.provider.change(|knobs| (self.back)(knobs, &self.before));
        }
        Ok(())
    }
    fn is_restored(&mut self) -> Soon<'_, bool> {
        Box::pin(async move {
            let now = self.provider.knobs();
            let mut undone = now.clone();
            (self.back)(&mut undone, &self.before);
            let turned_back = undone == now;
            turned_back && (self.before.down || call(&self.provider).await == Probe::Answered(404))
        })
    }
}

/// What a buyer's browser would ask: about a payment that does not exist.
async fn call(provider: &Provider) -> Probe {
    probe(provider.address(), "/v1/payment_intents/pi_probe", PROBE_WAIT_MAX).await
}

/// Whether a call is still unanswered just before the delay is over. No delay is never slow.
async fn is_slow(provider: &Provider, delay: Duration) -> bool {
    !delay.is_zero() && tokio::time::timeout(delay.mul_f64(0.9), call(provider)).await.is_err()
}
