//! `POST` and `GET /v1/events/{event}/queue`; also `…/queue/ws` and `…/queue/sse`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Joins the waiting room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    /// The account.
    pub account: String,
    /// The solved puzzle: base64 of ALTCHA's payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzle: Option<String>,
}

/// `202`: in the waiting room. The ticket is also set as cookie `queue_ticket`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JoinAnswer {
    /// `<user>:<exp>:<signature>`.
    pub ticket: String,
    /// Position, counted from 1; for a lottery 0 until the draw.
    pub position: u64,
    /// Seconds until admission, estimated.
    pub wait_s: u64,
    /// Seconds between polls.
    pub refresh_interval_s: f64,
}

/// Where a shopper is; the names follow Cloudflare's waiting room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the fields are Cloudflare's")]
pub struct QueueView {
    /// `false` once admitted.
    pub in_waiting_room: bool,
    /// Minutes, rounded.
    pub wait_time: u64,
    /// The estimate can be trusted.
    pub wait_time_known: bool,
    /// Nobody else is let in.
    pub queue_is_full: bool,
    /// Everybody is queued.
    pub queue_all: bool,
    /// Milliseconds since 1970.
    pub last_updated: u64,
    /// Seconds between polls.
    pub refresh_interval_seconds: f64,
    /// Position, counted from 1; 0 until the draw of a lottery.
    pub position: u64,
    /// How many are before this shopper.
    pub ahead: u64,
    /// Everything is held or sold: waiting for what is given back.
    pub standby: bool,
    /// The checkout token (JWT), once admitted. Asking again gives the same token while it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// When the token ends, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_expires_at_ms: Option<u64>,
}
