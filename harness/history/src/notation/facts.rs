//! The facts of the sale.

use super::parse::Reader;
use super::words::{Read, Word, Words};
use crate::{
    ConfirmPolicy, LateCapture, Nanos, QueueFacts, QueueMethod, SaleFacts, SkuFacts, SkuId,
    SkuRole, SoldOutPolicy, Wave,
};

/// What holds when a text says nothing.
pub(super) fn default_sale() -> SaleFacts {
    SaleFacts {
        skus: vec![],
        opens: Nanos::ZERO,
        ttl: Nanos::from_millis(60_000),
        earliness: Nanos::ZERO,
        grace: Nanos::from_millis(1_000),
        clock_error: Nanos::ZERO,
        release_lag: Nanos::ZERO,
        confirm: ConfirmPolicy::Strict,
        checkout_extends: true,
        late_capture: LateCapture::Refund,
        sold_out: SoldOutPolicy::Exact,
        account_limit: None,
        instrument_limit: None,
        queue: None,
        price: 100,
        currency: "eur".into(),
    }
}

impl Reader {
    /// `sale A stock=10`
    pub(super) fn sku(&mut self, words: &mut Words<'_>) -> Read<()> {
        words.take();
        let word = words.word("the SKU's name")?;
        let name = word.name()?;
        if word.is_pair() {
            return Err(word.wrong("expected the SKU's name"));
        }
        let id: SkuId = self.names.id(&name);
        if id.index() != self.history.header.sale.skus.len() {
            return Err(word.wrong("this SKU was declared before"));
        }
        let mut sku = SkuFacts { name, capacity: 0, shards: 1, role: SkuRole::Hot, waves: vec![] };
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            match key.text {
                "stock" => sku.capacity = value.number()?,
                "shards" => sku.shards = value.number()?,
                "role" => sku.role = value.json("hot, canary or seat")?,
                "waves" => sku.waves = value.list().map(wave).collect::<Read<_>>()?,
                _ => self.fact(key, value)?,
            }
        }
        self.history.header.sale.skus.push(sku);
        Ok(())
    }

    /// `facts ttl=60s`
    pub(super) fn facts(&mut self, words: &mut Words<'_>) -> Read<()> {
        words.take();
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            self.fact(key, value)?;
        }
        Ok(())
    }

    fn fact(&mut self, key: Word<'_>, value: Word<'_>) -> Read<()> {
        let sale = &mut self.history.header.sale;
        match key.text {
            "opens" => sale.opens = value.time()?,
            "ttl" => sale.ttl = value.time()?,
            "earliness" => sale.earliness = value.time()?,
            "grace" => sale.grace = value.time()?,
            "clock-error" => sale.clock_error = value.time()?,
            "release-lag" => sale.release_lag = value.time()?,
            "confirm" => sale.confirm = value.json("strict or reacquire")?,
            "checkout" => sale.checkout_extends = either(value, "extends", "does-not-extend")?,
            "late-capture" => sale.late_capture = value.json("refund or rehold")?,
            "sold-out" => {
                sale.sold_out = match value.split("stale:") {
                    Some((nothing, age)) if nothing.text.is_empty() => {
                        SoldOutPolicy::Stale(age.time()?)
                    }
                    _ => value.json("exact, shard-local or stale:50ms")?,
                }
            }
            "account-limit" => sale.account_limit = Some(value.number()?),
            "instrument-limit" => sale.instrument_limit = Some(value.number()?),
            "price" => sale.price = value.number()?,
            "currency" => sale.currency = value.name()?,
            "queue" => queue(sale).method = value.json("fifo or lottery")?,
            "rate" => queue(sale).rate = rate(value)?,
            "burst" => queue(sale).burst = value.number()?,
            "required" => {
                self.history.header.required = value.list().map(Word::name).collect::<Read<_>>()?;
            }
            "sealed" => self.history.sealed = either(value, "yes", "no")?,
            _ => return Err(key.wrong(format!("there is no fact `{}`", key.text))),
        }
        Ok(())
    }
}

fn either(value: Word<'_>, yes: &str, no: &str) -> Read<bool> {
    match value.text {
        text if text == yes => Ok(true),
        text if text == no => Ok(false),
        _ => Err(value.wrong(format!("expected {yes} or {no}"))),
    }
}

fn rate(value: Word<'_>) -> Read<f64> {
    let rate: f64 = value.number()?;
    if rate.is_finite() && rate >= 0.0 {
        Ok(rate)
    } else {
        Err(value.wrong(format!("`{}` is not a rate", value.text)))
    }
}

fn queue(sale: &mut SaleFacts) -> &mut QueueFacts {
    sale.queue.get_or_insert(QueueFacts { method: QueueMethod::Fifo, rate: 100.0, burst: 10 })
}

fn wave(word: Word<'_>) -> Read<Wave> {
    let (at, units) = word.split(":").ok_or_else(|| word.wrong("expected a wave like `3s:100`"))?;
    Ok(Wave { at: at.time()?, units: units.number()? })
}
