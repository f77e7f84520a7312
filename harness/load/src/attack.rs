//! The only module that names goose. A goose user is a worker: it does what is due until nothing is any more.
//!
//! Goose's own HTTP client, request metrics, reports and controllers are not used. One attack a process: goose has a few
//! global statics. It installs a handler for Ctrl-C of its own; [`interrupted`] tells whether that was called.

use crate::LoadError;
use crate::engine::Engine;
use crate::worker;
use goose::GooseAttack;
use goose::config::GooseConfiguration;
use goose::goose::{Scenario, Transaction, TransactionFunction};
use std::sync::Arc;

/// Was Ctrl-C pressed since the attack began?
pub(crate) fn interrupted() -> bool {
    goose::is_killswitch_triggered()
}

/// Runs the engine's steps on so many goose users, until the engine is closed.
pub(crate) async fn run(engine: Arc<Engine>, users: u32) -> Result<(), LoadError> {
    let refused = |error: goose::GooseError| LoadError::Goose(error.to_string());
    let function: TransactionFunction = Arc::new(move |_user| {
        let engine = engine.clone();
        Box::pin(async move {
            worker::work(&engine).await;
            Ok(())
        })
    });
    let scenario = Scenario::new("shoppers").register_transaction(Transaction::new(function));
    let attack = GooseAttack::initialize_with_config(configuration(users)).map_err(refused)?;
    attack.register_scenario(scenario).execute().await.map_err(refused)?;
    Ok(())
}

fn configuration(users: u32) -> GooseConfiguration {
    // Some of its fields are private, so it cannot be written as one value.
    let mut all = GooseConfiguration::default();
    // Goose wants a host; nothing is ever sent there.
    all.host = Some("http://127.0.0.1:9".to_owned());
    all.users = Some(users.max(1) as usize);
    // All users within 50 ms or so: the connections open before the arrivals do.
    all.increase_rate = Some((users.max(1) * 20).to_string());
    // A user works until the end; that is its one iteration.
    all.iterations = Some(1);
    all.quiet = 3;
    all.no_metrics = true;
    all.no_print_metrics = true;
    all.no_error_summary = true;
    all.no_reset_metrics = true;
    all.no_telnet = true;
    all.no_websocket = true;
    all
}
