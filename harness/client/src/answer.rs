//! What an answer tells, in the terms of a history.

use crate::CompileError;
use crate::call::Answer;
use crate::compile::Compiled;
use crate::pick::{Path, Picker, whole};
use crate::transport::Response;
use onsale_history::{CallKind, Class, Line, Names, OrderId};
use onsale_plan::{Amount, Answers, Lines, Paging};
use serde_json::Value;

/// The compiled `answer` of an operation.
pub(crate) struct Reader {
    hold: Option<Picker>,
    order: Option<Picker>,
    charge: Option<Picker>,
    state: Option<Picker>,
    value: Option<Picker>,
    ahead: Option<Picker>,
    challenge: bool,
}

impl Reader {
    pub(crate) fn compile(answers: &Answers) -> Result<Self, CompileError> {
        let pick =
            |pick: &Option<onsale_plan::Pick>| pick.as_ref().map(Picker::compile).transpose();
        Ok(Self {
            hold: pick(&answers.hold)?,
            order: pick(&answers.order)?,
            charge: pick(&answers.charge)?,
            state: pick(&answers.state)?,
            value: pick(&answers.value)?,
            ahead: pick(&answers.ahead)?,
            challenge: answers.challenge,
        })
    }

    /// Fills in what the answer tells. A state that the mapping does not know makes the answer unknown.
    pub(crate) fn read(
        &self,
        compiled: &Compiled,
        names: &Names,
        response: &Response,
        json: Option<&Value>,
        answer: &mut Answer,
    ) {
        let text = |picker: &Option<Picker>| {
            picker.as_ref().and_then(|picker| picker.text(response, json))
        };
        let number = |picker: &Option<Picker>| {
            picker.as_ref().and_then(|picker| picker.number(response, json))
        };
        if answer.class == Class::Queued {
            answer.value = number(&self.ahead).unwrap_or(0);
        }
        if !matches!(answer.class, Class::Ok | Class::Pending) {
            return;
        }
        answer.hold = text(&self.hold).map(|name| names.id(&name));
        answer.order = text(&self.order).map(|name| names.id(&name));
        answer.charge = text(&self.charge).map(|name| names.id(&name));
        answer.value = number(&self.value).unwrap_or(0);
        if let Some(state) = text(&self.state) {
            answer.state = compiled.states.get(&*state).copied();
            if answer.state.is_none() {
                answer.class = Class::Unknown;
            }
        }
        if self.challenge {
            answer.challenge = Some(response.text().into_owned());
        }
    }

    /// What an `ok` answer of this kind must name, and the mapping says where, is there.
    pub(crate) fn is_complete(&self, kind: CallKind, answer: &Answer) -> bool {
        match kind {
            CallKind::Hold => self.hold.is_none() || answer.hold.is_some(),
            CallKind::Checkout => self.order.is_none() || answer.order.is_some(),
            CallKind::ReadHold | CallKind::ReadOrder => {
                self.state.is_none() || answer.state.is_some()
            }
            _ => true,
        }
    }
}

/// The compiled `lines` of an operation.
pub(crate) struct LineReader {
    each: Path,
    within: Option<Path>,
    order: Option<Path>,
    hold: Option<Path>,
    state: Option<Path>,
    sku: Option<Path>,
    quantity: Option<Path>,
    stock: [Option<Sum>; 4],
    paging: Option<Pages>,
}

struct Sum {
    plus: Vec<Path>,
    minus: Vec<Path>,
}

enum Pages {
    Cursor(Path),
    Offset(u32),
    Next(Path),
}

/// Where the next page begins.
pub(crate) enum NextPage {
    /// There is none.
    None,
    /// The same request with this `{{cursor}}`.
    Cursor(String),
    /// This URL.
    Url(String),
}

impl LineReader {
    pub(crate) fn compile(lines: &Lines) -> Result<Self, CompileError> {
        let path = |text: &Option<String>| text.as_deref().map(Path::compile).transpose();
        let sum = |amount: &Option<Amount>| amount.as_ref().map(Sum::compile).transpose();
        Ok(Self {
            each: Path::compile(&lines.each)?,
            within: path(&lines.within)?,
            order: path(&lines.order)?,
            hold: path(&lines.hold)?,
            state: path(&lines.state)?,
            sku: path(&lines.sku)?,
            quantity: path(&lines.quantity)?,
            stock: [
                sum(&lines.total)?,
                sum(&lines.available)?,
                sum(&lines.held)?,
                sum(&lines.confirmed)?,
            ],
            paging: match &lines.paging {
                None => None,
                Some(Paging::Cursor(text)) => Some(Pages::Cursor(Path::compile(text)?)),
                Some(Paging::Offset(size)) => Some(Pages::Offset(*size)),
                Some(Paging::Next(text)) => Some(Pages::Next(Path::compile(text)?)),
            },
        })
    }

    /// Reads one page into `lines`; false if something in it is not understood.
    pub(crate) fn read(
        &self,
        compiled: &Compiled,
        names: &Names,
        json: &Value,
        lines: &mut Vec<Line>,
    ) -> bool {
        self.each
            .all(json)
            .into_iter()
            .all(|item| self.item(compiled, names, item, lines).is_some())
    }

    fn item(
        &self,
        compiled: &Compiled,
        names: &Names,
        item: &Value,
        lines: &mut Vec<Line>,
    ) -> Option<()> {
        let parts = match &self.within {
            Some(within) => within.all(item),
            None => vec![item],
        };
        let text = |path: &Option<Path>, value: &Value| {
            path.as_ref().and_then(|path| text(path.first(value)?))
        };
        for part in parts {
            let sku = names.id(&text(&self.sku, part)?);
            if let Some(order) = text(&self.order, item) {
                let order: OrderId = names.id(&order);
                let hold = text(&self.hold, item).map(|hold| names.id(&hold));
                let state = compiled.states.get(&text(&self.state, item)?).copied()?;
                let quantity = match &self.quantity {
                    Some(path) => whole(path.first(part)?.as_f64()?)?,
                    None => 1,
                };
                lines.push(Line::Order { order, hold, sku, quantity, state });
            } else {
                let amount = |index: usize| match &self.stock[index] {
                    Some(sum) => sum.of(part),
                    None => Some(0),
                };
                let (total, available) = (amount(0)?, amount(1)?);
                lines.push(Line::Stock {
                    sku,
                    total,
                    available,
                    held: amount(2)?,
                    confirmed: amount(3)?,
                });
            }
        }
        Some(())
    }

    /// Where the page after this one begins, `read` items in all so far, `here` of them on this page.
    pub(crate) fn next(&self, json: &Value, read: usize, here: usize) -> NextPage {
        let found = |path: &Path| path.first(json).and_then(text).filter(|text| !text.is_empty());
        match &self.paging {
            Some(Pages::Cursor(path)) => found(path).map_or(NextPage::None, NextPage::Cursor),
            Some(Pages::Next(path)) => found(path).map_or(NextPage::None, NextPage::Url),
            Some(Pages::Offset(size)) if here >= *size as usize => {
                NextPage::Cursor(read.to_string())
            }
            Some(Pages::Offset(_)) | None => NextPage::None,
        }
    }

    /// Items on a page.
    pub(crate) fn count(&self, json: &Value) -> usize {
        self.each.all(json).len()
    }
}

impl Sum {
    fn compile(amount: &Amount) -> Result<Self, CompileError> {
        let paths = |texts: &[String]| {
            texts.iter().map(|text| Path::compile(text)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { plus: paths(&amount.plus)?, minus: paths(&amount.minus)? })
    }
    fn of(&self, item: &Value) -> Option<u32> {
        let sum = |paths: &[Path]| -> Option<f64> {
            paths.iter().map(|path| path.first(item)?.as_f64()).sum()
        };
        whole(sum(&self.plus)? - sum(&self.minus)?)
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
