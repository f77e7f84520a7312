//! What happened beside the operations.

use super::parse::Reader;
use super::words::{Read, Words};
use crate::{
    BuyerId, ChargeId, ChargeStage, DeliveryId, DeliveryKind, DeliveryLabel, DeliveryStage,
    FaultStage, HoldId, InstrumentId, Mark, MarkKind, NoteId, OrderId, PhaseName, RefundId,
    RefundStage,
};

impl Reader {
    /// `mark 12ms …`
    pub(super) fn mark(&mut self, words: &mut Words<'_>) -> Read<()> {
        words.take();
        let at = words.word("a time like `20ms`")?.time()?;
        let word = words.word("the kind of mark")?;
        let kind = match word.text {
            "phase" => {
                MarkKind::Phase(words.one_of(PhaseName::from_word, PhaseName::ALL, "a phase")?)
            }
            "fault" => self.fault(words)?,
            "charge" => self.charge(words)?,
            "refund" => self.refund(words)?,
            "delivery" => self.delivery(words)?,
            "note" => MarkKind::Note(self.names.id::<NoteId>(&words.rest()?)),
            _ => {
                return Err(word
                    .wrong("expected `phase`, `fault`, `charge`, `refund`, `delivery` or `note`"));
            }
        };
        self.history.marks.push(Mark { at, kind });
        Ok(())
    }

    fn fault(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let name: NoteId = self.names.id(&words.word("the fault's name")?.name()?);
        let stage = words.one_of(FaultStage::from_word, FaultStage::ALL, "a stage")?;
        let mut target = None;
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            match key.text {
                "on" => target = Some(self.names.id::<NoteId>(&value.name()?)),
                _ => return Err(key.wrong("expected `on=…`")),
            }
        }
        Ok(MarkKind::Fault { name, target, stage })
    }

    fn charge(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let charge: ChargeId = self.named(words, "c")?;
        let stage = words.one_of(ChargeStage::from_word, ChargeStage::ALL, "a stage")?;
        let (mut order, mut hold, mut buyer) = (None::<OrderId>, None::<HoldId>, None::<BuyerId>);
        let (mut instrument, mut amount) = (None::<InstrumentId>, 0);
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            match key.text {
                "order" => order = Some(self.value(value, "o")?),
                "hold" => hold = Some(self.value(value, "h")?),
                "buyer" => buyer = Some(self.value(value, "b")?),
                "instrument" => instrument = Some(self.value(value, "i")?),
                "amount" => amount = value.number()?,
                _ => {
                    return Err(
                        key.wrong("expected `order`, `hold`, `buyer`, `instrument` or `amount`")
                    );
                }
            }
        }
        Ok(MarkKind::Charge { charge, order, hold, buyer, instrument, amount, stage })
    }

    fn refund(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let refund: RefundId = self.named(words, "r")?;
        let charge: ChargeId = self.named(words, "c")?;
        let stage = words.one_of(RefundStage::from_word, RefundStage::ALL, "a stage")?;
        let mut amount = 0;
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            match key.text {
                "amount" => amount = value.number()?,
                _ => return Err(key.wrong("expected `amount`")),
            }
        }
        Ok(MarkKind::Refund { refund, charge, amount, stage })
    }

    fn delivery(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let delivery: DeliveryId = self.named(words, "d")?;
        let charge = match words.peek() {
            Some(word) if DeliveryKind::from_word(word.text).is_none() => {
                Some(self.named::<ChargeId>(words, "c")?)
            }
            _ => None,
        };
        let kind =
            words.one_of(DeliveryKind::from_word, DeliveryKind::ALL, "what the event says")?;
        let label =
            words.one_of(DeliveryLabel::from_word, DeliveryLabel::ALL, "how it is meant")?;
        let stage = words.one_of(DeliveryStage::from_word, DeliveryStage::ALL, "a stage")?;
        let (mut amount, mut status) = (0, 0);
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            match key.text {
                "amount" => amount = value.number()?,
                "status" => status = value.status()?,
                _ => return Err(key.wrong("expected `amount` or `status`")),
            }
        }
        Ok(MarkKind::Delivery { delivery, charge, kind, label, stage, status, amount })
    }
}
