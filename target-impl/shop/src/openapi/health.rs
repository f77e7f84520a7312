//! What the process says about itself.

use super::table::{Row, document as table};
use utoipa::openapi::{HttpMethod, OpenApi};

pub(super) fn document() -> OpenApi {
    let row = |path, summary, problems| Row {
        method: HttpMethod::Get,
        path,
        tag: "health",
        summary,
        headers: &[],
        query: &[],
        cookies: &[],
        takes: None,
        status: 200,
        gives: None,
        problems,
    };
    table(&[
        row("/healthz", "The process lives", &[]),
        row("/readyz", "The shop has rebuilt its state and serves", &[503]),
        row("/metrics", "Counters, as OpenMetrics", &[]),
    ])
}
