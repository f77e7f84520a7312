//! The HTML file is whole by itself, well-formed, small, and safe whatever the target calls its things.

mod support;

use fastrand::Rng;
use onsale_checker::check;
use onsale_history::Names;
use onsale_report::{Summary, html};
use onsale_testkit::{Defect, Plan, simulate};

/// Elements without an end.
const VOID: [&str; 2] = ["meta", "br"];

/// Every tag is closed in the order of its opening, and `<` stands nowhere else.
fn well_formed(page: &str) -> Result<(), String> {
    let mut open: Vec<&str> = vec![];
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    while let Some(start) = rest.find('<') {
        let inside = &rest[start + 1..];
        let end = inside.find('>').ok_or_else(|| format!("an open tag: {inside:.40}"))?;
        let tag = &inside[..end];
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
        if let Some(closed) = tag.strip_prefix('/') {
            let expected = open.pop();
            if expected != Some(closed) {
                return Err(format!("`</{closed}>` closes {expected:?}"));
            }
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
        rest = &inside[end + 1..];
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never closed: {open:?}")) }
}

fn alone(page: &str) {
    for asking in
        ["<script", "<link", "<img", "<iframe", "@import", "http://", "https://", " src=", "onload"]
    {
        assert!(!page.contains(asking), "the page has `{asking}`");
    }
    let urls = page.matches("url(").count();
    assert_eq!(urls, page.matches("url(#hatch)").count(), "a url leaves the page");
}

fn simulated(seed: u64, buyers: usize, defect: Option<Defect>) -> Summary {
    let history = simulate(seed, Plan::large(&mut Rng::with_seed(seed), buyers), defect);
    let names = Names::default();
    Summary::new(&history, &names, &check(&history, &names), &support::run_facts())
}

#[test]
fn pages_of_small_runs_are_well_formed_and_ask_for_nothing() {
    for name in ["proved", "violated", "undecided"] {
        let page = html(&support::summary(name, &support::run_facts()));
        well_formed(&page).unwrap_or_else(|why| panic!("{name}: {why}"));
        alone(&page);
    }
}

#[test]
fn a_hostile_name_is_only_a_name() {
    let mut run = support::run_facts();
    run.target = "<b>\"shop\"</b> & 'co'".into();
    run.problems = vec!["</p><script>alert(2)</script>".into()];
    let page = html(&support::summary("hostile", &run));
    well_formed(&page).expect("names cannot open or close tags");
    assert!(!page.contains("<script"), "a name became a script");
    assert!(page.contains("&lt;script&gt;") || page.contains("&#60;script&#62;"));
}

#[test]
fn the_page_of_a_large_violated_run_stays_small_and_shows_its_sections() {
    let summary = simulated(11, 1_500, Some(Defect::ReserveWithoutCheck));
    let page = html(&summary);
    well_formed(&page).expect("the page is well-formed");
    alone(&page);
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    for section in [
        "validity",
        "rules",
        "anomalies",
        "stock",
        "leases",
        "money",
        "load",
        "latency",
        "errors",
        "faults",
        "environment",
    ] {
        assert!(page.contains(&format!("<section id=\"{section}\">")), "{section} is missing");
    }
    assert!(page.contains("VIOLATED") && page.contains("overcommit"));
    let drawn = page.matches("<svg ").count();
    assert!(drawn > 5, "{drawn} drawings");
}

#[test]
fn the_picture_of_the_stock_agrees_with_the_judge() {
    let broken = simulated(11, 300, Some(Defect::ReserveWithoutCheck));
    let over = |summary: &Summary| {
        let slices = summary.stock.iter().flat_map(|series| &series.over_time);
        slices.filter(|slice| slice.definite.1 > i64::from(slice.released)).count()
    };
    assert!(over(&broken) > 0, "an overcommitted sale is drawn within its capacity");
    let clean = simulated(11, 300, None);
    assert_eq!(over(&clean), 0, "a safe sale is drawn beyond its capacity");
    let slices = clean.stock.iter().flat_map(|series| &series.over_time);
    assert!(slices.clone().count() > 10);
    for slice in slices {
        assert!(slice.definite.0 <= slice.possible.1, "{slice:?}");
        assert!(slice.confirmed <= slice.definite.1, "{slice:?}");
    }
}

#[test]
fn figures_of_a_simulated_sale_add_up() {
    let summary = simulated(5, 400, None);
    let sent: u64 = summary.load.over_time.iter().map(|bucket| bucket.sent).sum();
    assert_eq!(sent, summary.run.operations);
    let steps: u64 = summary.latency.steps.iter().map(|step| step.response.count).sum();
    assert_eq!(steps, summary.latency.response.count);
    let slices: u64 = summary.latency.over_time.iter().map(|bucket| bucket.response.count).sum();
    assert_eq!(slices, summary.latency.response.count);
    let money = &summary.money;
    assert_eq!(money.captured, money.bought + money.refunded + money.unaccounted);
    let seen: u64 = summary.lateness.bins.iter().map(|bin| bin.count).sum();
    assert_eq!(seen, summary.lateness.seen);
    assert!(summary.lateness.seen <= summary.lateness.expired);
}
