//! The provider's API, in Stripe's shape.

use crate::ledger::Checkout;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use std::time::Duration;

/// A request to the provider may take so long.
const TIMEOUT: Duration = Duration::from_secs(5);
/// A create is tried so often under its one key; between the tries is a pause that doubles.
const CREATE_TRIES: u32 = 5;
const CREATE_PAUSE: Duration = Duration::from_millis(25);

/// The provider.
pub struct Provider {
    client: reqwest::Client,
    base: String,
    key: String,
}

/// Why the provider's answer is not known or not usable.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// No answer.
    #[error("failed to ask the provider for `{path}`")]
    Transport {
        /// What was asked for.
        path: String,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
    /// An answer that says no.
    #[error("the provider answered {status} to `{path}`: {code}")]
    Refused {
        /// What was asked for.
        path: String,
        /// HTTP status.
        status: StatusCode,
        /// Its error code.
        code: String,
    },
    /// An answer that cannot be understood.
    #[error("the provider's answer to `{path}` makes no sense")]
    Shape {
        /// What was asked for.
        path: String,
    },
}

/// A payment at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// `pi_…`
    pub id: String,
    /// For the buyer's browser.
    pub client_secret: Option<String>,
    /// Its state.
    pub status: IntentStatus,
    /// Minor units that came.
    pub received: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// Our attempt.
    pub attempt_id: Option<String>,
}

/// The state of a payment, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntentStatus {
    /// Money came.
    Succeeded,
    /// It never will.
    Cancelled,
    /// Anything else.
    Open,
}

/// What became of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundAnswer {
    /// Done, or certain to be.
    Done,
    /// Failed for good: the next one may pass.
    Failed,
}

impl Intent {
    /// From the provider's object.
    pub fn read(object: &Value) -> Option<Self> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let received =
            object.get("amount_received").and_then(Value::as_u64).filter(|received| *received > 0);
        let received = received.or_else(|| object.get("amount").and_then(Value::as_u64))?;
        Some(Self {
            id: text("id")?,
            client_secret: text("client_secret"),
            status: match text("status").as_deref() {
                Some("succeeded") => IntentStatus::Succeeded,
                Some("canceled") => IntentStatus::Cancelled,
                _ => IntentStatus::Open,
            },
            received: u32::try_from(received).ok()?,
            currency: text("currency").unwrap_or_default(),
            attempt_id: object
                .pointer("/metadata/attempt_id")
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    }
}

impl Provider {
    /// At this address, with this key.
    pub fn new(base: &str, key: &str) -> Self {
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .build()
            .expect("a client without TLS can be built");
        Self { client, base: base.trim_end_matches('/').to_owned(), key: key.to_owned() }
    }

    /// Makes the payment of an attempt, or finds it: the attempt is the idempotency key.
    pub async fn create(&self, checkout: &Checkout) -> Result<Intent, ProviderError> {
        let form = [
            ("amount", checkout.amount.to_string()),
            ("currency", checkout.currency.clone()),
            ("metadata[attempt_id]", checkout.attempt_id.clone()),
            ("metadata[hold_id]", checkout.hold_id.clone()),
            ("metadata[order_id]", checkout.order_id.clone()),
            ("metadata[account]", checkout.account.clone()),
            ("metadata[instrument]", checkout.instrument.clone()),
        ];
        let mut tries = 1;
        loop {
            let answer = self
                .ask(Method::POST, "/v1/payment_intents", &form, Some(&checkout.attempt_id))
                .await;
            match answer {
                Err(error) if error.is_transient() && tries < CREATE_TRIES => {
                    tokio::time::sleep(CREATE_PAUSE * 2_u32.pow(tries - 1)).await;
                    tries += 1;
                }
                answer => return read("/v1/payment_intents", &answer?),
            }
        }
    }

    /// The payment as it is.
    pub async fn find(&self, psp_ref: &str) -> Result<Intent, ProviderError> {
        let path = format!("/v1/payment_intents/{psp_ref}");
        read(&path, &self.ask(Method::GET, &path, &[], None).await?)
    }

    /// Cancels a payment; gives it as it is then, which may be `succeeded`.
    pub async fn cancel(&self, psp_ref: &str) -> Result<Intent, ProviderError> {
        let path = format!("/v1/payment_intents/{psp_ref}/cancel");
        match self.ask(Method::POST, &path, &[], None).await {
            Ok(answer) => read(&path, &answer),
            Err(ProviderError::Refused { code, .. })
                if code == "payment_intent_unexpected_state" =>
            {
                self.find(psp_ref).await
            }
            Err(error) => Err(error),
        }
    }

    /// Confirms a payment in the buyer's place; only a defect does so.
    pub async fn confirm(&self, psp_ref: &str, card: &str) -> Result<Intent, ProviderError> {
        let path = format!("/v1/payment_intents/{psp_ref}/confirm");
        read(
            &path,
            &self.ask(Method::POST, &path, &[("payment_method", card.to_owned())], None).await?,
        )
    }

    /// Gives money back: all that came, or so much.
    pub async fn refund(
        &self,
        psp_ref: &str,
        key: &str,
        amount: Option<u32>,
    ) -> Result<RefundAnswer, ProviderError> {
        let path = "/v1/refunds";
        let mut form = vec![("payment_intent", psp_ref.to_owned())];
        form.extend(amount.map(|amount| ("amount", amount.to_string())));
        match self.ask(Method::POST, path, &form, Some(key)).await {
            Ok(answer) if answer.get("status").and_then(Value::as_str) == Some("failed") => {
                Ok(RefundAnswer::Failed)
            }
            Ok(_) => Ok(RefundAnswer::Done),
            Err(ProviderError::Refused { code, .. }) if code == "charge_already_refunded" => {
                Ok(RefundAnswer::Done)
            }
            Err(error) => Err(error),
        }
    }

    /// Events that no webhook carried, newest first.
    pub async fn undelivered(&self) -> Result<Vec<Value>, ProviderError> {
        let path = "/v1/events?delivery_success=false&limit=100";
        let answer = self.ask(Method::GET, path, &[], None).await?;
        answer
            .get("data")
            .and_then(Value::as_array)
            .cloned()
            .ok_or_else(|| ProviderError::Shape { path: path.to_owned() })
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        form: &[(&str, String)],
        key: Option<&str>,
    ) -> Result<Value, ProviderError> {
        let failed = |source| ProviderError::Transport { path: path.to_owned(), source };
        let mut request = self
            .client
            .request(method.clone(), format!("{}{path}", self.base))
            .bearer_auth(&self.key);
        if method == Method::POST {
            request = request
                .header("content-type", "application/x-www-form-urlencoded")
                .body(encode(form));
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(failed)?;
        let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        if status.is_success() {
            return Ok(body);
        }
        let code = body
            .pointer("/error/code")
            .or_else(|| body.pointer("/error/type"))
            .and_then(Value::as_str);
        Err(ProviderError::Refused {
            path: path.to_owned(),
            status,
            code: code.unwrap_or("unknown").to_owned(),
        })
    }
}

impl ProviderError {
    /// The same request may pass if it is sent again.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Transport { .. } => true,
            Self::Refused { status, .. } => {
                status.is_server_error() || matches!(status.as_u16(), 409 | 429)
            }
            Self::Shape { .. } => false,
        }
    }
}

fn read(path: &str, answer: &Value) -> Result<Intent, ProviderError> {
    Intent::read(answer).ok_or_else(|| ProviderError::Shape { path: path.to_owned() })
}

/// `application/x-www-form-urlencoded`.
fn encode(form: &[(&str, String)]) -> String {
    let escape = |text: &str| {
        text.bytes().fold(String::new(), |mut out, byte| {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                    out.push(char::from(byte));
                }
                _ => {
                    out.push('%');
                    out.push_str(&hex::encode_upper([byte]));
                }
            }
            out
        })
    };
    let pairs: Vec<_> =
        form.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    pairs.join("&")
}
