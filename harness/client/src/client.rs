//! The compiled mapping, and what is made of it.

use crate::buyer::Buyer;
use crate::compile::{Compiled, compile};
use crate::connection::Connection;
use crate::{CompileError, RunContext};
use onsale_history::{BuyerId, CallKind};
use onsale_plan::{OperationName, Target};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A compiled mapping. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    pub(crate) compiled: Arc<Compiled>,
    connections: Arc<AtomicU64>,
}

impl Client {
    /// Compiles a mapping for one run.
    pub fn compile(target: &Target, context: &RunContext) -> Result<Self, CompileError> {
        Ok(Self { compiled: Arc::new(compile(target, context)?), connections: Arc::default() })
    }
    /// A connection to the target; it opens when it is first used.
    pub fn connection(&self) -> Connection {
        let number = self.connections.fetch_add(1, Ordering::Relaxed);
        Connection::new(self.compiled.clone(), number)
    }
    /// A buyer that the target does not know yet.
    pub fn buyer(&self, id: BuyerId) -> Buyer {
        Buyer::new(id, self.compiled.clone())
    }
    /// Does the mapping say how this is asked?
    pub fn offers(&self, kind: CallKind) -> bool {
        self.compiled.operations.contains_key(&operation_of(kind))
    }
    /// The mapping's name.
    pub fn name(&self) -> &str {
        &self.compiled.name
    }
}

/// The operation of a mapping that a call is.
pub(crate) fn operation_of(kind: CallKind) -> OperationName {
    match kind {
        CallKind::Landing => OperationName::Landing,
        CallKind::Challenge => OperationName::Challenge,
        CallKind::Join => OperationName::Join,
        CallKind::Poll => OperationName::Poll,
        CallKind::Hold => OperationName::Hold,
        CallKind::Release => OperationName::Release,
        CallKind::Checkout => OperationName::Checkout,
        CallKind::Pay => OperationName::Pay,
        CallKind::Cancel => OperationName::Cancel,
        CallKind::ReadHold => OperationName::ReadHold,
        CallKind::ReadOrder => OperationName::ReadOrder,
        CallKind::ListOrders => OperationName::ListOrders,
        CallKind::Stock => OperationName::Stock,
    }
}
