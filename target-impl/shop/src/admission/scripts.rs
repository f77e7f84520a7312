//! The one typed table of scripts: their text, and a call for each.

use super::{AdmissionError, AdmissionStore, Reply};
use crate::defect::{Defect, Defects};

/// A script of `lua/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Script {
    /// `lua/hold.lua`
    Hold,
    /// `lua/release.lua`
    Release,
    /// `lua/confirm.lua`
    Confirm,
    /// `lua/reap.lua`
    Reap,
    /// `lua/rebuild.lua`
    Rebuild,
}

impl Script {
    /// Every script.
    pub const ALL: &'static [Self] =
        &[Self::Hold, Self::Release, Self::Confirm, Self::Reap, Self::Rebuild];

    /// Its file's name without the ending.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Confirm => "confirm",
            Self::Reap => "reap",
            Self::Rebuild => "rebuild",
        }
    }

    /// Its text, or its broken twin's.
    pub fn source(self, defects: &Defects) -> &'static str {
        match self {
            Self::Hold if defects.has(Defect::ReserveWithoutCheck) => {
                include_str!("../../../../lua/defects/reserve_without_check.lua")
            }
            Self::Hold if defects.has(Defect::LostDecrement) => {
                include_str!("../../../../lua/defects/lost_decrement.lua")
            }
            Self::Hold => include_str!("../../../../lua/hold.lua"),
            Self::Release => include_str!("../../../../lua/release.lua"),
            Self::Confirm => include_str!("../../../../lua/confirm.lua"),
            Self::Reap => include_str!("../../../../lua/reap.lua"),
            Self::Rebuild => include_str!("../../../../lua/rebuild.lua"),
        }
    }
}

/// One counter: a shard of a SKU's stock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bucket {
    /// The event.
    pub event: String,
    /// The SKU.
    pub sku: String,
    /// The shard.
    pub shard: u32,
}

impl Bucket {
    /// Its six keys, in the order of the scripts; one slot by the hash tag `{event:shard}`.
    pub fn keys(&self) -> Vec<String> {
        let Self { event, sku, shard } = self;
        let parts = ["bucket", "pending", "holds", "expiry", "released", "buyers"];
        parts.iter().map(|part| format!("{{{event}:{shard}}}:{sku}:{part}")).collect()
    }
}

/// What every script says of its bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketReply {
    /// The script's own status; its header says what it means.
    pub status: i64,
    /// Units that can be admitted.
    pub free: i64,
    /// Units admitted that the ledger has not decided on.
    pub pending: i64,
    /// Which rebuild this is.
    pub epoch: u64,
    /// Grows with every change of `free` or `pending`.
    pub version: u64,
}

/// An admission asked for.
#[derive(Clone, Copy, Debug)]
pub struct Admission<'a> {
    /// The hold.
    pub hold: &'a str,
    /// How many units.
    pub quantity: i64,
    /// Whose.
    pub account: &'a str,
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// Milliseconds since 1970.
    pub ends_ms: u64,
    /// One hold an account.
    pub one_hold: bool,
    /// The ledger decides; else this is the decision.
    pub pending: bool,
}

/// A live hold, for a rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// The hold.
    pub hold: String,
    /// How many units.
    pub quantity: i64,
    /// Whose.
    pub account: String,
    /// Milliseconds since 1970.
    pub ends_ms: u64,
    /// Sold, or only held.
    pub sold: bool,
}

/// Which index is reaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Admissions that the ledger never answered.
    Pending,
    /// Holds past their end.
    Expired,
}

/// `lua/hold.lua`
pub async fn hold(
    store: &dyn AdmissionStore,
    bucket: &Bucket,
    ask: Admission<'_>,
) -> Result<BucketReply, AdmissionError> {
    let flag = |yes: bool| String::from(if yes { "1" } else { "0" });
    let args = vec![
        ask.hold.to_owned(),
        ask.quantity.to_string(),
        ask.account.to_owned(),
        ask.now_ms.to_string(),
        ask.ends_ms.to_string(),
        flag(ask.one_hold),
        flag(ask.pending),
    ];
    read(Script::Hold, &store.run(Script::Hold, bucket.keys(), args).await?)
}

/// `lua/release.lua`
pub async fn release(
    store: &dyn AdmissionStore,
    bucket: &Bucket,
    hold: &str,
    quantity: i64,
    epoch: u64,
) -> Result<BucketReply, AdmissionError> {
    let args = vec![hold.to_owned(), quantity.to_string(), epoch.to_string()];
    read(Script::Release, &store.run(Script::Release, bucket.keys(), args).await?)
}

/// `lua/confirm.lua`
pub async fn confirm(
    store: &dyn AdmissionStore,
    bucket: &Bucket,
    hold: &str,
    sold: bool,
    ends_ms: u64,
) -> Result<BucketReply, AdmissionError> {
    let stage = if sold { "sold" } else { "held" };
    let args = vec![hold.to_owned(), stage.to_owned(), ends_ms.to_string()];
    read(Script::Confirm, &store.run(Script::Confirm, bucket.keys(), args).await?)
}

/// `lua/reap.lua`; also gives the reaped holds.
pub async fn reap(
    store: &dyn AdmissionStore,
    bucket: &Bucket,
    due: Due,
    until_ms: u64,
    most: u32,
) -> Result<(BucketReply, Vec<String>), AdmissionError> {
    let which = if due == Due::Pending { "pending" } else { "expired" };
    let args = vec![which.to_owned(), until_ms.to_string(), most.to_string()];
    let reply = store.run(Script::Reap, bucket.keys(), args).await?;
    let bucket = read(Script::Reap, &reply)?;
    let Reply::Array(items) = reply else { unreachable!("it was read as an array") };
    Ok((
        bucket,
        items.iter().skip(5).filter_map(|item| item.as_text().map(str::to_owned)).collect(),
    ))
}

/// `lua/rebuild.lua`
pub async fn rebuild(
    store: &dyn AdmissionStore,
    bucket: &Bucket,
    epoch: u64,
    free: i64,
    live: &[Live],
) -> Result<BucketReply, AdmissionError> {
    let mut args = vec![epoch.to_string(), free.to_string()];
    for hold in live {
        let stage = if hold.sold { "sold" } else { "held" };
        args.extend([
            hold.hold.clone(),
            hold.quantity.to_string(),
            hold.account.clone(),
            hold.ends_ms.to_string(),
            stage.to_owned(),
        ]);
    }
    read(Script::Rebuild, &store.run(Script::Rebuild, bucket.keys(), args).await?)
}

fn read(script: Script, reply: &Reply) -> Result<BucketReply, AdmissionError> {
    let shape = || AdmissionError::Shape { script: script.name() };
    let Reply::Array(items) = reply else { return Err(shape()) };
    let at = |index: usize| items.get(index).and_then(Reply::as_integer).ok_or_else(shape);
    let unsigned =
        |index: usize| at(index).and_then(|value| u64::try_from(value).map_err(|_| shape()));
    Ok(BucketReply {
        status: at(0)?,
        free: at(1)?,
        pending: at(2)?,
        epoch: unsigned(3)?,
        version: unsigned(4)?,
    })
}
