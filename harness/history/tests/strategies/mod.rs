//! Random events of every kind, for the tests that say that nothing is lost.

use onsale_history::{
    CallKind, ChargeStage, Class, Completion, DeliveryKind, DeliveryLabel, DeliveryStage,
    FaultStage, Header, History, Invocation, Label, Line, MarkKind, MarkSink, Memory, Nanos, OpId,
    Outcome, PhaseName, ProcessId, Record, RecordError, RefundStage, State, notation,
};
use proptest::prelude::*;
use proptest::sample::select;

/// One operation: when it begins, what is asked, and perhaps when and what is answered.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub at: Nanos,
    pub call: Invocation,
    pub items: Vec<Line>,
    pub answer: Option<(Nanos, Completion, Vec<Line>)>,
}

/// A whole run.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub operations: Vec<Asked>,
    pub marks: Vec<(Nanos, MarkKind)>,
}

/// SKUs of every role, some with names that are no plain words.
pub(crate) fn header() -> Header {
    let sale = "sale A stock=10 shards=4 waves=1s:5,3s:10\nsale \"h0\" stock=1 role=canary\n\
                sale \"row 1, seat #2\" stock=1 role=seat\nfacts account-limit=4 queue=fifo";
    notation::parse(sale).expect("the sale is well written").0.header
}

/// How many SKUs [`header`] has.
const SKUS: u32 = 3;

/// How large the other identifiers grow; the notation is written for small ones, the disk for all.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub highest: u32,
}

macro_rules! id {
    ($size:expr) => {
        (1..=$size.highest).prop_map(|raw| from_raw(raw))
    };
}
macro_rules! maybe {
    ($size:expr) => {
        proptest::option::of((1..=$size.highest).prop_map(|raw| from_raw(raw)))
    };
}

/// Any identifier by its number.
trait FromRaw: Sized {
    fn read(raw: u32) -> Option<Self>;
}
macro_rules! from_raw {
    ($($id:ident)*) => {$(impl FromRaw for onsale_history::$id { fn read(raw: u32) -> Option<Self> { Self::from_raw(raw) } })*};
}
from_raw!(OpId ProcessId BuyerId SkuId HoldId OrderId KeyId InstrumentId ChargeId RefundId DeliveryId NoteId);

fn from_raw<T: FromRaw>(raw: u32) -> T {
    T::read(raw).expect("the numbers begin with 1")
}

fn sku() -> impl Strategy<Value = onsale_history::SkuId> {
    (1..=SKUS).prop_map(from_raw)
}

fn item() -> impl Strategy<Value = Line> {
    (sku(), any::<u32>()).prop_map(|(sku, quantity)| Line::Item { sku, quantity })
}

fn order(size: Size) -> impl Strategy<Value = Line> {
    (id!(size), maybe!(size), sku(), any::<u32>(), select(State::ALL)).prop_map(
        |(order, hold, sku, quantity, state)| Line::Order { order, hold, sku, quantity, state },
    )
}

fn stock() -> impl Strategy<Value = Line> {
    (sku(), any::<[u32; 4]>()).prop_map(|(sku, [total, available, held, confirmed])| Line::Stock {
        sku,
        total,
        available,
        held,
        confirmed,
    })
}

fn invocation(size: Size) -> impl Strategy<Value = (Invocation, Vec<Line>)> {
    let who = (select(CallKind::ALL), select(Label::ALL), 1..=size.highest, id!(size));
    let first = proptest::option::of((sku(), any::<u32>()));
    let about = (maybe!(size), maybe!(size), maybe!(size), maybe!(size), maybe!(size));
    let rest = (proptest::option::of(1..=size.highest), any::<u32>());
    (who, first, about, rest, proptest::collection::vec(item(), 0..3)).prop_map(
        |((kind, label, process, buyer), first, about, (link, late_us), items)| {
            let mut call = Invocation::of(kind, from_raw::<ProcessId>(process), buyer);
            (call.hold, call.order, call.key, call.instrument, call.charge) = about;
            (call.label, call.late_us) = (label, late_us);
            call.link = link.map(from_raw);
            let Some((sku, quantity)) = first else { return (call, vec![]) };
            (call.sku, call.quantity) = (Some(sku), quantity);
            (call, items)
        },
    )
}

fn completion(size: Size) -> impl Strategy<Value = (Completion, Vec<Line>)> {
    let outcome = prop_oneof![
        Just(Outcome::Ok),
        select(Class::ALL).prop_map(Outcome::Failed),
        select(Class::ALL).prop_map(Outcome::Indeterminate),
    ];
    let lines = prop_oneof![
        Just(vec![]),
        proptest::collection::vec(order(size), 1..4),
        proptest::collection::vec(stock(), 1..4),
    ];
    let ids = (maybe!(size), maybe!(size), maybe!(size));
    let rest = (proptest::option::of(select(State::ALL)), any::<u32>(), any::<u16>());
    (outcome, ids, rest, lines).prop_map(
        |(outcome, (hold, order, charge), (state, value, status), lines)| {
            (Completion { outcome, hold, order, charge, state, value, status }, lines)
        },
    )
}

fn asked(size: Size) -> impl Strategy<Value = Asked> {
    let times = (0..1_u64 << 40, 0..1_u64 << 34);
    (times, invocation(size), proptest::option::of(completion(size))).prop_map(
        |((at, lasts), (call, items), answer)| {
            let answer = answer.map(|(answer, lines)| (Nanos(at + lasts), answer, lines));
            Asked { at: Nanos(at), call, items, answer }
        },
    )
}

fn mark(size: Size) -> impl Strategy<Value = MarkKind> {
    let charge = (id!(size), maybe!(size), maybe!(size), maybe!(size), maybe!(size));
    let delivery = (id!(size), maybe!(size), select(DeliveryKind::ALL), select(DeliveryLabel::ALL));
    // Notes have only a few names: they are words, and not numbers, in notation.
    let note = || (0..NOTES.len()).prop_map(onsale_history::NoteId::from_index);
    prop_oneof![
        select(PhaseName::ALL).prop_map(MarkKind::Phase),
        note().prop_map(MarkKind::Note),
        (note(), proptest::option::of(note()), select(FaultStage::ALL))
            .prop_map(|(name, target, stage)| MarkKind::Fault { name, target, stage }),
        (charge, any::<u32>(), select(ChargeStage::ALL)).prop_map(
            |((charge, order, hold, buyer, instrument), amount, stage)| MarkKind::Charge {
                charge,
                order,
                hold,
                buyer,
                instrument,
                amount,
                stage
            }
        ),
        (id!(size), id!(size), any::<u32>(), select(RefundStage::ALL)).prop_map(
            |(refund, charge, amount, stage)| MarkKind::Refund { refund, charge, amount, stage }
        ),
        (delivery, select(DeliveryStage::ALL), any::<u16>(), any::<u32>()).prop_map(
            |((delivery, charge, kind, label), stage, status, amount)| MarkKind::Delivery {
                delivery,
                charge,
                kind,
                label,
                stage,
                status,
                amount
            }
        ),
    ]
}

/// What the notes of a [`Scenario`] are called.
pub(crate) const NOTES: [&str; 4] = ["target-kill", "all is well", "see #3, \"now\"", ""];

/// A random run.
pub(crate) fn scenario(size: Size) -> impl Strategy<Value = Scenario> {
    let marks = proptest::collection::vec(((0..1_u64 << 40).prop_map(Nanos), mark(size)), 0..12);
    let operations = proptest::collection::vec(asked(size), 0..24);
    (operations, marks).prop_map(|(operations, marks)| Scenario { operations, marks })
}

impl Scenario {
    /// Writes the run down: every invocation first, then every answer, by the log that invoked it.
    pub(crate) fn record(
        &self,
        logs: &mut [Box<dyn Record>],
        marks: &dyn MarkSink,
    ) -> Result<(), RecordError> {
        let mut ops: Vec<OpId> = vec![];
        for (index, asked) in self.operations.iter().enumerate() {
            let log = index % logs.len();
            ops.push(logs[log].invoke(asked.at, &asked.call, &asked.items)?);
        }
        for (index, asked) in self.operations.iter().enumerate() {
            if let Some((at, answer, lines)) = &asked.answer {
                let log = index % logs.len();
                logs[log].complete(*at, ops[index], answer, lines)?;
            }
        }
        self.marks.iter().try_for_each(|(at, kind)| marks.mark(*at, *kind))
    }

    /// The history as the recorder in memory pairs it.
    pub(crate) fn in_memory(&self) -> History {
        let memory = Memory::default();
        self.record(&mut [Box::new(memory.clone())], &memory).expect("memory does not fail");
        memory.history(header())
    }
}
