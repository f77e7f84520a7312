//! One event as 64 bytes and back.

use crate::{
    BuyerId, CallKind, ChargeId, ChargeStage, Class, Completion, DeliveryId, DeliveryKind,
    DeliveryLabel, DeliveryStage, FaultStage, HoldId, InstrumentId, Invocation, KeyId, Label, Line,
    Mark, MarkKind, Nanos, NoteId, OpId, OrderId, Outcome, PhaseName, ProcessId, RefundId,
    RefundStage, Side, SkuId, State,
};

/// Bytes of a record.
pub(crate) const SIZE: usize = 64;
/// Records of a block, the trailer not counted.
pub(crate) const BLOCK: usize = 63;
const FIELDS: usize = 12;

/// A record, taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Raw {
    phase: u8,
    kind: u8,
    class: u8,
    label: u8,
    time: u64,
    fields: [u32; FIELDS],
}

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Invoke(OpId, Nanos, Invocation),
    Complete(OpId, Nanos, Completion),
    Line(OpId, Side, Line),
    Mark(Mark),
    Trailer { block: u32, checksum: u32 },
}

mod phase {
    pub(super) const INVOKE: u8 = 1;
    pub(super) const COMPLETE: u8 = 2;
    pub(super) const CALL_LINE: u8 = 3;
    pub(super) const ANSWER_LINE: u8 = 4;
    pub(super) const MARK: u8 = 5;
    pub(super) const TRAILER: u8 = 9;
}

macro_rules! raw {
    ($($id:expr),* $(,)?) => {{
        let given = [$($id),*];
        let mut fields = [0; FIELDS];
        fields[..given.len()].copy_from_slice(&given);
        fields
    }};
}

/// `Option<Id>` as its number on disk.
macro_rules! opt {
    ($id:expr) => {
        $id.map_or(0, |id| id.raw())
    };
}

impl Event {
    /// As bytes, checksum included.
    pub(crate) fn encode(&self) -> [u8; SIZE] {
        self.raw().encode()
    }

    fn raw(&self) -> Raw {
        match self {
            Self::Invoke(op, at, call) => invoke(*op, *at, call),
            Self::Complete(op, at, answer) => complete(*op, *at, answer),
            Self::Line(op, side, line) => line_raw(*op, *side, line),
            Self::Mark(mark) => mark_raw(mark),
            Self::Trailer { block, checksum } => {
                Raw { phase: phase::TRAILER, fields: raw![*block, *checksum], ..Raw::default() }
            }
        }
    }

    /// From bytes: `None` when nothing was written there, or not whole, or nothing that this version knows.
    pub(crate) fn decode(bytes: &[u8; SIZE]) -> Option<Self> {
        let raw = Raw::decode(bytes)?;
        let f = &raw.fields;
        match raw.phase {
            phase::INVOKE => {
                Some(Self::Invoke(OpId::from_raw(f[0])?, Nanos(raw.time), invocation(&raw)?))
            }
            phase::COMPLETE => {
                Some(Self::Complete(OpId::from_raw(f[0])?, Nanos(raw.time), completion(&raw)?))
            }
            phase::CALL_LINE => Some(Self::Line(OpId::from_raw(f[0])?, Side::Call, line(&raw)?)),
            phase::ANSWER_LINE => {
                Some(Self::Line(OpId::from_raw(f[0])?, Side::Answer, line(&raw)?))
            }
            phase::MARK => Some(Self::Mark(Mark { at: Nanos(raw.time), kind: mark(&raw)? })),
            phase::TRAILER => Some(Self::Trailer { block: f[0], checksum: f[1] }),
            _ => None,
        }
    }
}

impl Raw {
    fn encode(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[4..8].copy_from_slice(&[self.phase, self.kind, self.class, self.label]);
        bytes[8..16].copy_from_slice(&self.time.to_le_bytes());
        for (chunk, field) in bytes[16..].chunks_exact_mut(4).zip(self.fields) {
            chunk.copy_from_slice(&field.to_le_bytes());
        }
        let checksum = crc32fast::hash(&bytes[4..]);
        bytes[..4].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; SIZE]) -> Option<Self> {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        if word(0) != crc32fast::hash(&bytes[4..]) {
            return None;
        }
        let time = u64::from(word(8)) | u64::from(word(12)) << 32;
        let fields = std::array::from_fn(|index| word(16 + 4 * index));
        Some(Self {
            phase: bytes[4],
            kind: bytes[5],
            class: bytes[6],
            label: bytes[7],
            time,
            fields,
        })
    }
}

fn invoke(op: OpId, at: Nanos, call: &Invocation) -> Raw {
    Raw {
        phase: phase::INVOKE,
        kind: call.kind.code(),
        class: 0,
        label: call.label.code(),
        time: at.0,
        fields: raw![
            op.raw(),
            call.process.raw(),
            call.buyer.raw(),
            opt!(call.sku),
            call.quantity,
            opt!(call.hold),
            opt!(call.order),
            opt!(call.key),
            opt!(call.instrument),
            opt!(call.charge),
            opt!(call.link),
            call.late_us,
        ],
    }
}

fn invocation(raw: &Raw) -> Option<Invocation> {
    let f = &raw.fields;
    Some(Invocation {
        kind: CallKind::from_code(raw.kind)?,
        label: Label::from_code(raw.label)?,
        process: ProcessId::from_raw(f[1])?,
        buyer: BuyerId::from_raw(f[2])?,
        sku: SkuId::from_raw(f[3]),
        quantity: f[4],
        hold: HoldId::from_raw(f[5]),
        order: OrderId::from_raw(f[6]),
        key: KeyId::from_raw(f[7]),
        instrument: InstrumentId::from_raw(f[8]),
        charge: ChargeId::from_raw(f[9]),
        link: OpId::from_raw(f[10]),
        late_us: f[11],
    })
}

fn complete(op: OpId, at: Nanos, answer: &Completion) -> Raw {
    let (certainty, class) = match answer.outcome {
        Outcome::Ok => (0, Class::Ok),
        Outcome::Failed(class) => (1, class),
        Outcome::Indeterminate(class) => (2, class),
    };
    Raw {
        phase: phase::COMPLETE,
        kind: answer.state.map_or(0, State::code),
        class: class.code(),
        label: certainty,
        time: at.0,
        fields: raw![
            op.raw(),
            opt!(answer.hold),
            opt!(answer.order),
            opt!(answer.charge),
            answer.value,
            u32::from(answer.status),
        ],
    }
}

fn completion(raw: &Raw) -> Option<Completion> {
    let f = &raw.fields;
    let class = Class::from_code(raw.class)?;
    let outcome = match raw.label {
        0 if class == Class::Ok => Outcome::Ok,
        1 => Outcome::Failed(class),
        2 => Outcome::Indeterminate(class),
        _ => return None,
    };
    Some(Completion {
        outcome,
        hold: HoldId::from_raw(f[1]),
        order: OrderId::from_raw(f[2]),
        charge: ChargeId::from_raw(f[3]),
        state: if raw.kind == 0 { None } else { Some(State::from_code(raw.kind)?) },
        value: f[4],
        status: u16::try_from(f[5]).ok()?,
    })
}

fn line_raw(op: OpId, side: Side, line: &Line) -> Raw {
    let (kind, class, fields) = match *line {
        Line::Item { sku, quantity } => (1, 0, raw![op.raw(), sku.raw(), quantity]),
        Line::Order { order, hold, sku, quantity, state } => {
            (2, state.code(), raw![op.raw(), sku.raw(), quantity, order.raw(), opt!(hold)])
        }
        Line::Stock { sku, total, available, held, confirmed } => {
            (3, 0, raw![op.raw(), sku.raw(), total, available, held, confirmed])
        }
    };
    let phase = if side == Side::Call { phase::CALL_LINE } else { phase::ANSWER_LINE };
    Raw { phase, kind, class, label: 0, time: 0, fields }
}

fn line(raw: &Raw) -> Option<Line> {
    let f = &raw.fields;
    let sku = SkuId::from_raw(f[1])?;
    match raw.kind {
        1 => Some(Line::Item { sku, quantity: f[2] }),
        2 => Some(Line::Order {
            order: OrderId::from_raw(f[3])?,
            hold: HoldId::from_raw(f[4]),
            sku,
            quantity: f[2],
            state: State::from_code(raw.class)?,
        }),
        3 => Some(Line::Stock { sku, total: f[2], available: f[3], held: f[4], confirmed: f[5] }),
        _ => None,
    }
}

fn mark_raw(mark: &Mark) -> Raw {
    let (kind, class, label, fields) = match mark.kind {
        MarkKind::Phase(name) => (1, name.code(), 0, raw![0]),
        MarkKind::Fault { name, target, stage } => {
            (2, stage.code(), 0, raw![name.raw(), opt!(target)])
        }
        MarkKind::Charge { charge, order, hold, buyer, instrument, amount, stage } => (
            3,
            stage.code(),
            0,
            raw![charge.raw(), opt!(order), opt!(hold), opt!(buyer), opt!(instrument), amount],
        ),
        MarkKind::Refund { refund, charge, amount, stage } => {
            (4, stage.code(), 0, raw![refund.raw(), charge.raw(), amount])
        }
        MarkKind::Delivery { delivery, charge, kind, label, stage, status, amount } => (
            5,
            stage.code(),
            label.code(),
            raw![delivery.raw(), opt!(charge), u32::from(kind.code()), u32::from(status), amount],
        ),
        MarkKind::Note(note) => (6, 0, 0, raw![note.raw()]),
    };
    Raw { phase: phase::MARK, kind, class, label, time: mark.at.0, fields }
}

fn mark(raw: &Raw) -> Option<MarkKind> {
    let f = &raw.fields;
    Some(match raw.kind {
        1 => MarkKind::Phase(PhaseName::from_code(raw.class)?),
        2 => MarkKind::Fault {
            name: NoteId::from_raw(f[0])?,
            target: NoteId::from_raw(f[1]),
            stage: FaultStage::from_code(raw.class)?,
        },
        3 => MarkKind::Charge {
            charge: ChargeId::from_raw(f[0])?,
            order: OrderId::from_raw(f[1]),
            hold: HoldId::from_raw(f[2]),
            buyer: BuyerId::from_raw(f[3]),
            instrument: InstrumentId::from_raw(f[4]),
            amount: f[5],
            stage: ChargeStage::from_code(raw.class)?,
        },
        4 => MarkKind::Refund {
            refund: RefundId::from_raw(f[0])?,
            charge: ChargeId::from_raw(f[1])?,
            amount: f[2],
            stage: RefundStage::from_code(raw.class)?,
        },
        5 => MarkKind::Delivery {
            delivery: DeliveryId::from_raw(f[0])?,
            charge: ChargeId::from_raw(f[1]),
            kind: DeliveryKind::from_code(u8::try_from(f[2]).ok()?)?,
            label: DeliveryLabel::from_code(raw.label)?,
            stage: DeliveryStage::from_code(raw.class)?,
            status: u16::try_from(f[3]).ok()?,
            amount: f[4],
        },
        6 => MarkKind::Note(NoteId::from_raw(f[0])?),
        _ => return None,
    })
}
