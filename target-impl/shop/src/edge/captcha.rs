//! CAPTCHA answers are judged by somebody else, behind a port; the adapter speaks like Turnstile's `siteverify`.

use crate::config::Captcha;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use std::time::Duration;

/// Judges CAPTCHA answers.
pub trait CaptchaVerifier: Send + Sync {
    /// Did a human give this answer?
    fn verify<'a>(&'a self, answer: &'a str) -> BoxFuture<'a, Result<bool, CaptchaError>>;
}

/// The verifier could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum CaptchaError {
    /// No client can be made.
    #[error("failed to prepare calls to the CAPTCHA verifier")]
    Client(#[source] reqwest::Error),
    /// No answer, or one that cannot be read.
    #[error("failed to ask the CAPTCHA verifier at `{url}`")]
    Call {
        /// Where.
        url: String,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
}

/// A verifier over HTTP: `POST {secret, response}`, answered by `{success}`.
pub struct HttpCaptcha {
    client: reqwest::Client,
    config: Captcha,
}

#[derive(Deserialize)]
struct Reply {
    success: bool,
}

impl HttpCaptcha {
    /// Asks that verifier.
    pub fn new(config: Captcha) -> Result<Self, CaptchaError> {
        let client = reqwest::Client::builder()
            .timeout(Duration::from_secs(5))
            .build()
            .map_err(CaptchaError::Client)?;
        Ok(Self { client, config })
    }
}

impl CaptchaVerifier for HttpCaptcha {
    fn verify<'a>(&'a self, answer: &'a str) -> BoxFuture<'a, Result<bool, CaptchaError>> {
        let body = serde_json::json!({ "secret": self.config.secret, "response": answer });
        let sent = self.client.post(&self.config.verify_url).json(&body).send();
        Box::pin(async move {
            let read = async { sent.await?.error_for_status()?.json::<Reply>().await };
            let failed =
                |source| CaptchaError::Call { url: self.config.verify_url.clone(), source };
            Ok(read.await.map_err(failed)?.success)
        })
    }
}
