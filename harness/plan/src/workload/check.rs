//! What types cannot say: ranges, sums and times that must fit together.

use super::{Arrival, HoldPolicy, Load, Phase, Psp, Queue, Sale, Sku, Step, Trigger, Workload};
use crate::known::Known;
use crate::units::print_duration;
use crate::yaml::Check;
use std::time::Duration;

pub(super) fn check(workload: &Workload, known: &Known<'_>, check: &mut Check) {
    sale(&workload.sale, check);
    load(&workload.load, known, check);
    provider(&workload.psp, check);
    steps("chaos", &workload.chaos, known, check);
    together(workload, check);
    for (index, rule) in workload.expect.rules.iter().enumerate() {
        check.name(&format!("expect.rules.{index}"), "rule", rule, known.rules);
    }
}

fn sale(sale: &Sale, check: &mut Check) {
    identifier("sale.event", &sale.event, check);
    if sale.currency.len() != 3 || !sale.currency.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let hint = Some("three lower-case letters: `eur`, `usd`");
        check.wrong(&["sale.currency"], format!("`{}` is not a currency", sale.currency), hint);
    }
    if sale.skus.is_empty() {
        check.wrong(
            &["sale.skus"],
            "nothing is for sale",
            Some("give at least one SKU with a name and a stock"),
        );
    }
    for (index, one) in sale.skus.iter().enumerate() {
        if sale.skus[..index].iter().any(|other| other.name == one.name) {
            check.wrong(
                &[&format!("sale.skus.{index}.name")],
                format!("two SKUs are called `{}`", one.name),
                None,
            );
        }
        sku(&format!("sale.skus.{index}"), one, check);
    }
    at_least("sale.price", sale.price, 1, check);
    at_least("sale.account-limit", sale.account_limit, 1, check);
    at_least("sale.instrument-limit", sale.instrument_limit, 1, check);
    if sale.canaries.count > 0 && !(1..=4).contains(&sale.canaries.stock) {
        let message = format!("a canary has 1 to 4 units, not {}", sale.canaries.stock);
        check.wrong(
            &["sale.canaries.stock"],
            message,
            Some("more units make the exact rules less exact"),
        );
    }
    at_least("sale.puzzle.cost", sale.puzzle.cost, 1, check);
    at_least("sale.puzzle.max-number", sale.puzzle.max_number, 1, check);
    hold(&sale.hold, check);
    if let Some(room) = &sale.queue {
        queue(room, check);
    }
}

fn sku(path: &str, sku: &Sku, check: &mut Check) {
    let at = |field: &str| format!("{path}.{field}");
    identifier(&at("name"), &sku.name, check);
    for prefix in ["canary-", "seat-"] {
        if sku.name.starts_with(prefix) {
            let message = format!("`{prefix}…` names are given to canaries and seats");
            check.wrong(&[&at("name")], message, Some("choose another name"));
        }
    }
    at_least(&at("stock"), sku.stock, 1, check);
    at_least(&at("shards"), sku.shards, 1, check);
    if sku.shards > sku.stock {
        let message = format!("{} shards for {} units: some would be empty", sku.shards, sku.stock);
        check.wrong(&[&at("shards"), &at("stock")], message, None);
    }
    for (index, wave) in sku.waves.iter().enumerate() {
        let (units, after) =
            (at(&format!("waves.{index}.units")), at(&format!("waves.{index}.after")));
        if wave.units > sku.stock {
            let message =
                format!("the waves release {} units of a stock of {}", wave.units, sku.stock);
            check.wrong(
                &[&units, &at("stock")],
                message,
                Some("`units` counts from the opening on, all waves together"),
            );
        }
        let Some(before) = index.checked_sub(1).map(|before| &sku.waves[before]) else { continue };
        if wave.units <= before.units {
            let message = format!("a wave to {} units after one to {}", wave.units, before.units);
            check.wrong(
                &[&units],
                message,
                Some("`units` counts from the opening on, so it grows"),
            );
        }
        if wave.after <= before.after {
            check.wrong(
                &[&after],
                "a wave is not after the one before it",
                Some("order the waves by `after`"),
            );
        }
    }
    if let Some(last) = sku.waves.last().filter(|last| last.units < sku.stock) {
        let message = format!(
            "the waves release {} of {} units: the rest is never for sale",
            last.units, sku.stock
        );
        check.wrong(
            &[&at("waves"), &at("stock")],
            message,
            Some("let the last wave reach `stock`"),
        );
    }
}

fn hold(hold: &HoldPolicy, check: &mut Check) {
    if hold.ttl < Duration::from_millis(100) {
        check.wrong(&["sale.hold.ttl"], "a hold lives for at least 100ms", None);
    }
    if hold.earliness >= hold.ttl {
        let message = "holds may end before they begin: `earliness` is not shorter than `ttl`";
        check.wrong(&["sale.hold.earliness", "sale.hold.ttl"], message, None);
    }
}

fn queue(queue: &Queue, check: &mut Check) {
    if !(queue.rate > 0.0 && queue.rate <= 1e6) {
        check.wrong(
            &["sale.queue.rate"],
            format!("nobody is admitted at a rate of {}", queue.rate),
            Some("`500/s`"),
        );
    }
    at_least("sale.queue.batch", queue.batch, 1, check);
    if queue.poll_every.is_zero() {
        check.wrong(
            &["sale.queue.poll-every"],
            "shoppers would poll without a pause",
            Some("`500ms` or more"),
        );
    }
    if queue.abandon_after <= queue.poll_every {
        let message = format!(
            "positions are lost after {}, but shoppers ask every {}",
            print_duration(queue.abandon_after),
            print_duration(queue.poll_every)
        );
        check.wrong(
            &["sale.queue.abandon-after", "sale.queue.poll-every"],
            message,
            Some("make it a few polls long"),
        );
    }
    if queue.token_ttl.is_zero() {
        check.wrong(&["sale.queue.token-ttl"], "checkout tokens would never be valid", None);
    }
}

fn load(load: &Load, known: &Known<'_>, check: &mut Check) {
    at_least("load.shoppers", load.shoppers, 1, check);
    at_least("load.workers", load.workers, 1, check);
    at_least("load.puzzle-threads", load.puzzle_threads, 1, check);
    if load.timeout.is_zero() {
        check.wrong(&["load.timeout"], "no answer can come within 0s", None);
    }
    if load.arrival.is_empty() {
        check.wrong(&["load.arrival"], "nobody ever arrives", Some("give at least one phase"));
    }
    for (index, phase) in load.arrival.iter().enumerate() {
        arrival(&format!("load.arrival.{index}"), phase, check);
    }
    let lasts: Duration = load.arrival.iter().map(|phase| phase.lasts).sum();
    if lasts >= load.limit {
        let message = format!(
            "shoppers arrive for {}, but the load ends after {}",
            print_duration(lasts),
            print_duration(load.limit)
        );
        check.wrong(&["load.limit", "load.arrival"], message, None);
    }
    for name in load.personas.keys() {
        check.name("load.personas", "persona", name, known.personas);
    }
    if load.personas.values().all(|&weight| weight == 0) {
        check.wrong(&["load.personas"], "no persona has any weight", None);
    }
    if load.barrier > load.workers {
        let message =
            format!("a barrier of {} never opens with {} workers", load.barrier, load.workers);
        check.wrong(
            &["load.barrier", "load.workers"],
            message,
            Some("more workers, or a smaller barrier"),
        );
    }
}

fn arrival(path: &str, phase: &Phase, check: &mut Check) {
    if phase.lasts.is_zero() {
        check.wrong(&[&format!("{path}.lasts")], "a phase lasts longer than 0s", None);
    }
    let (rates, some) = match phase.shape {
        Arrival::Constant(rate) | Arrival::Poisson(rate) | Arrival::Spike(rate) => {
            ([rate, rate], rate > 0.0)
        }
        Arrival::Ramp(from, to) => ([from, to], from + to > 0.0),
    };
    if rates.iter().any(|rate| !rate.is_finite() || *rate < 0.0) || !some {
        check.wrong(
            &[&format!("{path}.shape")],
            "rates are positive numbers, relative to each other",
            None,
        );
    }
}

fn provider(psp: &Psp, check: &mut Check) {
    if psp.latency.0 > psp.latency.1 {
        check.wrong(
            &["psp.latency"],
            "the shortest latency is longer than the longest",
            Some("`[20ms, 200ms]`"),
        );
    }
    let ends = psp.decline + psp.fail;
    if ends >= 1.0 {
        check.wrong(
            &["psp.decline", "psp.fail"],
            "no payment would ever pass: `decline` + `fail` is 1 or more",
            None,
        );
    }
    if psp.drop + psp.delay > 1.0 {
        check.wrong(&["psp.drop", "psp.delay"], "`drop` + `delay` is more than all webhooks", None);
    }
}

/// Checks the steps at `path`.
pub(crate) fn steps(path: &str, steps: &[Step], known: &Known<'_>, check: &mut Check) {
    for (index, step) in steps.iter().enumerate() {
        check.name(&format!("{path}.{index}.fault"), "fault", &step.fault, known.faults);
        let word = match step.trigger {
            Trigger::Holds(0) => "holds",
            Trigger::BetweenAdmitAndCommit(0) => "between-admit-and-commit",
            _ => continue,
        };
        check.wrong(&[&format!("{path}.{index}.trigger.{word}")], "holds are counted from 1", None);
    }
}

fn together(workload: &Workload, check: &mut Check) {
    let (sale, load) = (&workload.sale, &workload.load);
    let lasts: Duration = load.arrival.iter().map(|phase| phase.lasts).sum();
    if sale.opens_after >= load.limit {
        check.wrong(
            &["sale.opens-after", "load.limit"],
            "the sale opens after the load has ended",
            None,
        );
    } else if sale.opens_after > lasts {
        let message = format!(
            "the sale opens after {}, when the last shopper has come ({})",
            print_duration(sale.opens_after),
            print_duration(lasts)
        );
        check.wrong(
            &["sale.opens-after", "load.arrival"],
            message,
            Some("let arrivals last beyond the opening"),
        );
    }
    let hot: u64 = sale.skus.iter().map(|sku| u64::from(sku.stock)).sum();
    for (index, step) in workload.chaos.iter().enumerate() {
        let trigger = format!("chaos.{index}.trigger");
        match step.trigger {
            Trigger::At(at) if at >= load.limit => {
                check.wrong(
                    &[&format!("{trigger}.at"), "load.limit"],
                    "this comes after the load has ended",
                    None,
                );
            }
            Trigger::StockBelow(units) if u64::from(units) > hot => {
                let message = format!("the stock is below {units} from the start: it is {hot}");
                check.wrong(&[&format!("{trigger}.stock-below"), "sale.skus"], message, None);
            }
            _ => {}
        }
    }
    for (index, sku) in sale.skus.iter().enumerate() {
        for (wave, release) in sku.waves.iter().enumerate() {
            if sale.opens_after + release.after >= load.limit {
                let path = format!("sale.skus.{index}.waves.{wave}.after");
                check.wrong(
                    &[&path, "load.limit"],
                    "this wave comes after the load has ended",
                    None,
                );
            }
        }
    }
}

fn at_least(path: &str, value: u32, least: u32, check: &mut Check) {
    if value < least {
        let name = path.rsplit('.').next().unwrap_or(path);
        check.wrong(&[path], format!("`{name}` is at least {least}, not {value}"), None);
    }
}

fn identifier(path: &str, name: &str, check: &mut Check) {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || name.len() > 64 || !name.bytes().all(fits) {
        let hint = Some("lower-case letters, digits and `-`, at most 64");
        check.wrong(&[path], format!("`{name}` is not an identifier"), hint);
    }
}
