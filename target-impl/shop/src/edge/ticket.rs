//! Queue tickets: `<user>:<exp>:<kid>.<HMAC-SHA256>`, in the cookie `queue_ticket`. A ticket says who somebody is, not
//! where in a queue; the position is in the waiting room's ledger.

use super::keys::KeyRing;
use crate::problem::Refusal;
use axum::http::{HeaderMap, header};
use hmac::Mac;
use onsale_contract::QUEUE_TICKET;
use onsale_contract::problem::{ErrorCode, Problem};

/// Longest name of an account.
const ACCOUNT_BYTES_MAX: usize = 128;

/// Can it be the name of an account? The name is part of a cookie, so its characters are few.
pub(crate) fn is_account(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@+".contains(&byte);
    (1..=ACCOUNT_BYTES_MAX).contains(&name.len()) && name.bytes().all(plain)
}

/// Signs a ticket.
pub(crate) fn sign(keys: &KeyRing, account: &str, expires_at_s: u64) -> String {
    let key = keys.newest();
    let mut ticket = format!("{account}:{expires_at_s}");
    let signature = key.ticket().chain_update(&ticket).finalize().into_bytes();
    ticket.push(':');
    ticket.push_str(&key.kid);
    ticket.push('.');
    ticket.push_str(&hex::encode(signature));
    ticket
}

/// The account of a ticket that we signed and that is in time.
pub(crate) fn verify<'a>(keys: &KeyRing, ticket: &'a str, now_ms: u64) -> Option<&'a str> {
    let (signed, signature) = ticket.rsplit_once(':')?;
    let (account, expires) = signed.rsplit_once(':')?;
    let (kid, signature) = signature.split_once('.')?;
    let mut mac = [0; 32];
    hex::decode_to_slice(signature, &mut mac).ok()?;
    let key = keys.find(kid)?;
    // Constant in time: `verify_slice` compares so.
    key.ticket().chain_update(signed).verify_slice(&mac).ok()?;
    let expires_at_s = expires.parse::<u64>().ok()?;
    (now_ms < expires_at_s.saturating_mul(1_000)).then_some(account)
}

/// The ticket in the request's cookies.
pub(crate) fn of_request(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|line| line.split(';'))
        .find_map(|pair| pair.trim_start().strip_prefix(QUEUE_TICKET)?.strip_prefix('='))
        .map(|value| value.trim_matches('"'))
}

/// The account of the ticket in the request's cookies.
pub(crate) fn account_of<'a>(
    keys: &KeyRing,
    headers: &'a HeaderMap,
    now_ms: u64,
) -> Result<&'a str, Refusal> {
    let refused = |why: &str| Problem::new(ErrorCode::TicketInvalid).detail(why);
    let ticket = of_request(headers).ok_or_else(|| refused("there is no cookie `queue_ticket`"))?;
    let account = verify(keys, ticket, now_ms);
    Ok(account.ok_or_else(|| refused("the ticket was not signed by us, or is past its time"))?)
}
