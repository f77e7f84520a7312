//! Stripe's lists: newest first, with cursors.

use super::Books;
use crate::form::Form;
use crate::problem::Problem;
use serde_json::{Value, json};
use std::ops::Range;

const LIMIT_DEFAULT: usize = 10;
const LIMIT_MAX: usize = 100;

/// Which part of a list is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    form: &'a Form,
    limit: usize,
    after: Option<&'a str>,
    before: Option<&'a str>,
}

impl<'a> Page<'a> {
    pub(crate) fn of(form: &'a Form) -> Result<Self, Problem> {
        let limit = match form.get("limit") {
            None => LIMIT_DEFAULT,
            Some(text) => text
                .parse()
                .ok()
                .filter(|limit| (1..=LIMIT_MAX).contains(limit))
                .ok_or_else(|| Problem::invalid("limit", format!("Invalid limit: {text}")))?,
        };
        let (after, before) = (form.get("starting_after"), form.get("ending_before"));
        if after.is_some() && before.is_some() {
            return Err(Problem::invalid(
                "ending_before",
                "Give starting_after or ending_before, not both.",
            ));
        }
        Ok(Self { form, limit, after, before })
    }

    /// The places that the cursors leave, in the order of entry.
    fn range(
        &self,
        len: usize,
        place: impl Fn(&str) -> Option<usize>,
    ) -> Result<Range<usize>, Problem> {
        let find = |param, id: &str| place(id).ok_or_else(|| Problem::no_such("object", id, param));
        match (self.after, self.before) {
            (Some(id), _) => Ok(0..find("starting_after", id)?),
            (None, Some(id)) => Ok(find("ending_before", id)? + 1..len),
            (None, None) => Ok(0..len),
        }
    }

    /// Cuts the page out of the places that pass.
    fn cut(
        &self,
        places: impl DoubleEndedIterator<Item = usize>,
        object: impl Fn(usize) -> Value,
        url: &str,
    ) -> Value {
        let more = self.limit + 1;
        let mut chosen: Vec<usize> = if self.before.is_some() {
            places.take(more).collect()
        } else {
            places.rev().take(more).collect()
        };
        let has_more = chosen.len() == more;
        chosen.truncate(self.limit);
        if self.before.is_some() {
            chosen.reverse();
        }
        let data: Vec<Value> = chosen.into_iter().map(object).collect();
        json!({ "object": "list", "url": url, "has_more": has_more, "data": data })
    }

    /// Whether `created` passes the filter.
    fn admits(&self, created: u64) -> bool {
        let bound = |key| self.form.get(key).and_then(|text| text.parse::<u64>().ok());
        bound("created").is_none_or(|exact| created == exact)
            && bound("created[gte]").is_none_or(|least| created >= least)
            && bound("created[gt]").is_none_or(|below| created > below)
            && bound("created[lte]").is_none_or(|most| created <= most)
            && bound("created[lt]").is_none_or(|above| created < above)
    }
}

impl Books {
    /// `GET /v1/payment_intents`.
    pub(crate) fn list_intents(&self, page: &Page<'_>) -> Result<Value, Problem> {
        let range = page.range(self.intents.len(), |id| self.intents.get_index_of(id))?;
        let places = range.filter(|&place| page.admits(self.intents[place].created_unix));
        Ok(page.cut(places, |place| self.intents[place].json(), "/v1/payment_intents"))
    }
    /// `GET /v1/refunds`, perhaps of one payment.
    pub(crate) fn list_refunds(&self, page: &Page<'_>) -> Result<Value, Problem> {
        let range = page.range(self.refunds.len(), |id| self.refunds.get_index_of(id))?;
        let places = range.filter(|&place| {
            let refund = &self.refunds[place];
            page.admits(refund.created_unix)
                && page.form.get("payment_intent").is_none_or(|intent| refund.intent == intent)
                && page.form.get("charge").is_none_or(|charge| refund.charge == charge)
        });
        Ok(page.cut(places, |place| self.refunds[place].json(), "/v1/refunds"))
    }
    /// `GET /v1/events`, perhaps only what no webhook carried (`delivery_success=false`).
    pub(crate) fn list_events(&self, page: &Page<'_>) -> Result<Value, Problem> {
        let range = page.range(self.events.len(), |id| self.events.get_index_of(id))?;
        let types: Vec<&str> = page
            .form
            .get("type")
            .into_iter()
            .chain(page.form.map("types").map(|(_, value)| value))
            .collect();
        let passes = |&place: &usize| {
            let event = &self.events[place];
            page.admits(event.created_unix) && (types.is_empty() || types.contains(&event.kind))
        };
        let object = |place: usize| self.events[place].json();
        let url = "/v1/events";
        Ok(match page.form.get("delivery_success") {
            Some("false") => {
                page.cut(self.undelivered.range(range).copied().filter(passes), object, url)
            }
            Some("true") => page.cut(
                range.filter(|place| self.events[*place].delivered).filter(passes),
                object,
                url,
            ),
            _ => page.cut(range.filter(passes), object, url),
        })
    }
}
