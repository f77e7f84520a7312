//! The gate between the waiting room and the gateway.

use super::service::Edge;
use super::ticket;
use super::token::{Claims, Rejected, read_unverified};
use crate::defect::Defect;
use crate::gatekeeper::{Gatekeeper, Principal};
use crate::gateway::EventListener;
use crate::problem::Refusal;
use axum::http::{HeaderMap, header};
use onsale_contract::DEVICE;
use onsale_contract::admin::{EventConfig, QueueConfig};
use onsale_contract::problem::{ErrorCode, Problem};
use std::sync::Arc;

/// Names the account where no event has a waiting room, and so nobody has a ticket.
pub(crate) const ACCOUNT: &str = "x-account";

impl Gatekeeper for Edge {
    fn admit(&self, event: &str, headers: &HeaderMap) -> Result<Principal, Refusal> {
        let admitted = self.try_admit(event, headers);
        self.metrics.refusals.add_many(u64::from(admitted.is_err()));
        admitted
    }

    fn identify(&self, headers: &HeaderMap) -> Result<Principal, Refusal> {
        let account = self.account(headers)?;
        Ok(Principal { account, token: None })
    }
}

impl EventListener for Edge {
    fn configured(&self, event: &str, config: &EventConfig) {
        self.set_up(event, config);
    }
}

/// The device that the request names, or nothing.
pub(crate) fn device_of(headers: &HeaderMap) -> &str {
    text(headers, DEVICE).unwrap_or("")
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = text(headers, header::AUTHORIZATION.as_str())?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl Edge {
    fn account(&self, headers: &HeaderMap) -> Result<String, Refusal> {
        let by_ticket = ticket::account_of(&self.keys, headers, self.clock.wall_ms());
        match (by_ticket, text(headers, ACCOUNT)) {
            (Err(_), Some(account)) if self.is_open_door() && ticket::is_account(account) => {
                Ok(account.to_owned())
            }
            (by_ticket, _) => by_ticket.map(str::to_owned),
        }
    }

    fn try_admit(&self, event: &str, headers: &HeaderMap) -> Result<Principal, Refusal> {
        let account = self.account(headers)?;
        let config = self.room(event)?.config();
        let token = match &config.queue {
            Some(queue) => self.token(event, queue, headers, &account)?,
            None => None,
        };
        self.velocity.device(device_of(headers), &account)?;
        self.velocity.account(&account, self.clock.monotonic())?;
        Ok(Principal { account, token })
    }

    /// The identifier of the request's checkout token.
    fn token(
        &self,
        event: &str,
        queue: &QueueConfig,
        headers: &HeaderMap,
        account: &str,
    ) -> Result<Option<String>, Refusal> {
        let has = |defect| self.config.defects.has(defect);
        let Some(token) = bearer(headers) else {
            return if has(Defect::UnguardedRoute) {
                Ok(None)
            } else {
                Err(ErrorCode::TokenMissing.into())
            };
        };
        let now_ms = self.clock.wall_ms();
        let claims =
            match self.verifier.verify(&self.keys, queue.token_algorithm, event, token, now_ms) {
                Ok(claims) => claims,
                Err((Rejected::Expired, Some(claims))) if has(Defect::ExpiredTokenAccepted) => {
                    claims
                }
                Err((Rejected::Invalid, _)) if has(Defect::ForgedTokenAccepted) => {
                    return Ok(unverified(token));
                }
                // Whose it is matters before how old it is.
                Err((_, Some(claims))) if claims.sub != account => return Err(foreign()),
                Err((Rejected::Expired, _)) => return Err(ErrorCode::TokenExpired.into()),
                Err((Rejected::Invalid, _)) => return Err(ErrorCode::TokenInvalid.into()),
            };
        self.check_owner(&claims, account)?;
        Ok(Some(claims.jti.clone()))
    }

    fn check_owner(&self, claims: &Arc<Claims>, account: &str) -> Result<(), Refusal> {
        if claims.sub == account || self.config.defects.has(Defect::TokenUnbound) {
            Ok(())
        } else {
            Err(foreign())
        }
    }
}

fn foreign() -> Refusal {
    Problem::new(ErrorCode::TokenForeign).detail("the token's account is not the ticket's").into()
}

/// What the defect believes.
fn unverified(token: &str) -> Option<String> {
    read_unverified(token).map(|claims| claims.jti)
}
