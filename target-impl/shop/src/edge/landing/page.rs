//! The page, from its template.

use super::ASSETS;
use onsale_contract::event::{EventView, StockState};

const TEMPLATE: &str = include_str!("landing.html");

/// Is what is only true now part of the page?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    /// Yes; the page must not be kept.
    Shown,
    /// No; the script asks for it.
    Later,
}

/// The page of an event.
pub(crate) fn page(view: &EventView, live: Live, provider: &str) -> String {
    let state = match live {
        Live::Shown => word(view.state),
        Live::Later => "…",
    };
    let options = view.skus.iter().map(|sku| ["<option>", &escape(&sku.sku), "</option>"].concat());
    let options = options.collect::<String>();
    let parts = [
        ("{{title}}", escape(&view.title)),
        ("{{event}}", escape(&view.event)),
        ("{{price}}", escape(&price(view.price, &view.currency))),
        ("{{state}}", state.to_owned()),
        ("{{opens}}", view.sale_opens_at_ms.to_string()),
        ("{{options}}", options),
        ("{{provider}}", escape(provider)),
        ("{{css}}", ASSETS[0].path()),
        ("{{js}}", ASSETS[1].path()),
    ];
    fill(TEMPLATE, &parts)
}

/// Fills each place once, in the order of the template: a value that looks like a place stays what it is.
fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let end = rest[start..].find("}}").map_or(rest.len(), |end| start + end + 2);
        page.push_str(&rest[..start]);
        let place = &rest[start..end];
        let value = parts.iter().find(|(name, _)| *name == place).map(|(_, value)| value.as_str());
        page.push_str(value.unwrap_or(place));
        rest = &rest[end..];
    }
    page.push_str(rest);
    page
}

fn price(minor: u32, currency: &str) -> String {
    format!("{}.{:02} {}", minor / 100, minor % 100, currency.to_uppercase())
}

fn word(state: StockState) -> &'static str {
    match state {
        StockState::Scheduled => "SCHEDULED",
        StockState::InStock => "IN_STOCK",
        StockState::FewLeft => "FEW_LEFT",
        StockState::SoldOut => "SOLD_OUT",
        StockState::Standby => "STANDBY",
    }
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            plain => safe.push(plain),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_escaped_and_not_filled_again() {
        let parts = [("{{a}}", escape("<b>{{c}}</b>")), ("{{c}}", "never".to_owned())];
        assert_eq!(fill("x{{a}}y{{z}}", &parts), "x&lt;b&gt;{{c}}&lt;/b&gt;y{{z}}");
    }

    #[test]
    fn prices_have_two_decimals() {
        assert_eq!(price(4905, "eur"), "49.05 EUR");
        assert_eq!(price(5, "usd"), "0.05 USD");
    }
}
