//! The protocol of a run: load, heal, resolve, quiesce, drain twice, read, seal.

use super::plan::Plan;
use super::session::Session;
use super::world::{Event, World};
use crate::Defect;
use onsale_history::{
    BuyerId, CallKind, Class, Completion, Header, History, Invocation, Label, MarkKind, Outcome,
    PhaseName, ProcessId, SkuId,
};

/// Drains stop after so many holds beyond the stock: a broken shop never says "sold out".
const DRAIN_EXCESS: u32 = 3;
/// How often an unanswered call is tried again.
const TRIES: usize = 4;

/// Plays a whole sale. The same seed, plan and defect give the same history.
pub fn simulate(seed: u64, plan: Plan, defect: Option<Defect>) -> History {
    let mut world = World::new(seed, plan, defect);
    world.phase(PhaseName::Setup);
    world.phase(PhaseName::Load);
    world.load();
    world.phase(PhaseName::Heal);
    world.phase(PhaseName::Resolve);
    world.resolve();
    world.settle();
    world.phase(PhaseName::Quiesce);
    world.quiesce();
    world.phase(PhaseName::DrainFirst);
    world.drain(Label::DrainFirst);
    world.phase(PhaseName::QuiesceAgain);
    world.quiesce();
    world.phase(PhaseName::DrainSecond);
    world.drain(Label::DrainSecond);
    world.phase(PhaseName::FinalReads);
    world.read_all();
    world.phase(PhaseName::End);
    let header = Header {
        format: Header::FORMAT,
        run: format!("simulated-{seed}"),
        workload: "simulated".into(),
        target: defect.map_or("the safe shop", Defect::word).into(),
        harness: env!("CARGO_PKG_VERSION").into(),
        seed,
        epoch_unix_ns: 0,
        sale: world.plan.facts.clone(),
        required: vec![],
    };
    world.memory.history(header)
}

impl World {
    fn phase(&mut self, name: PhaseName) {
        self.mark(MarkKind::Phase(name));
        self.now += 1;
    }
    fn load(&mut self) {
        for index in 0..self.plan.buyers {
            let steps = 1 + self.upto(self.plan.steps);
            self.sessions.push(Session::new(index, steps));
            let delay = self.upto(self.plan.arrivals);
            self.after(delay, Event::Step(index));
        }
        self.active = self.plan.buyers;
        if self.plan.facts.queue.is_some() {
            self.after(1, Event::Admit);
        }
        self.run_until(|world| world.active == 0);
        self.loading = false;
    }
    /// Asks again until there is an answer, or patience ends.
    fn ask(&mut self, call: Invocation) -> Completion {
        let mut request = self.send(None, call);
        for _ in 0..TRIES {
            self.run_until(|world| world.requests[request].done);
            let heard = self.requests[request].heard;
            let again = match heard.outcome {
                Outcome::Failed(Class::Busy) => {
                    self.pass(5);
                    Some(call)
                }
                Outcome::Indeterminate(_) if call.kind == CallKind::ListOrders => Some(call),
                Outcome::Indeterminate(_) => self.again(request),
                _ => None,
            };
            let Some(again) = again else { return heard };
            request = self.send(None, again);
        }
        self.run_until(|world| world.requests[request].done);
        self.requests[request].heard
    }
    /// Every call that nobody answered is made again, with the same key.
    fn resolve(&mut self) {
        for index in 0..self.requests.len() {
            let open = self.requests[index].open;
            if let Some(call) = self.again(index).filter(|_| open) {
                self.ask(call);
            }
        }
    }
    /// Waits until every straggler has landed and every payment is final.
    fn settle(&mut self) {
        self.run_until(|world| !world.unsettled());
    }
    fn quiesce(&mut self) {
        let wait = self.ttl() + self.grace() + 1;
        self.pass(wait);
        self.settle();
    }
    /// Buys what is left, one unit a shopper, until the shop says that nothing is left.
    fn drain(&mut self, label: Label) {
        for sku in 0..self.skus.len() {
            let capacity = self.plan.facts.skus[sku].capacity;
            let mut refusals = 0;
            for _ in 0..capacity * DRAIN_EXCESS + 4 {
                let buyer = self.sessions.len() + self.requests.len();
                let call = Invocation {
                    label,
                    sku: Some(SkuId::from_index(sku)),
                    quantity: 1,
                    key: Some(self.fresh_key()),
                    ..Invocation::of(
                        CallKind::Hold,
                        ProcessId::from_index(buyer),
                        BuyerId::from_index(buyer),
                    )
                };
                let heard = self.ask(call);
                refusals += u32::from(heard.outcome == Outcome::Failed(Class::SoldOut));
                if refusals == 2 {
                    break;
                }
            }
        }
    }
    fn read_all(&mut self) {
        let reader = BuyerId::from_index(0);
        let stock = Invocation::of(CallKind::Stock, ProcessId::from_index(0), reader);
        self.ask(Invocation { label: Label::Final, ..stock });
        for index in 0..self.plan.buyers {
            let list = Invocation::of(
                CallKind::ListOrders,
                ProcessId::from_index(index),
                BuyerId::from_index(index),
            );
            self.ask(Invocation { label: Label::Final, ..list });
        }
    }
}
