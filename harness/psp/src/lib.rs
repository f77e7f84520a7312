//! The payment provider the harness owns: ledger, webhooks, faults.
