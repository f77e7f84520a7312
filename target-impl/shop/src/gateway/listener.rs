//! Who wants to know of events.

use onsale_contract::admin::EventConfig;

/// Is told of every event: of the stored ones when it is registered, of others when they are configured.
pub trait EventListener: Send + Sync {
    /// The event has this configuration from now on.
    fn configured(&self, event: &str, config: &EventConfig);
}
