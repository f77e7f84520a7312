//! The embedded migrations.

use crate::defect::{Defect, Defects};
use rusqlite::Connection;

const MIGRATIONS: &[&str] = &[include_str!("../../../../migrations/sqlite/0001_ledger.sql")];

/// Defects that the table's own checks would hide.
const UNCHECKED: &[Defect] = &[
    Defect::ReserveWithoutCheck,
    Defect::LostDecrement,
    Defect::DoubleReclaim,
    Defect::ReclaimAfterConfirm,
    Defect::ConfirmAfterExpiry,
    Defect::ConfirmAfterCancel,
    Defect::FallbackSellsTwice,
    Defect::LimitCheckThenAct,
    Defect::QuantityUnchecked,
    Defect::RefundAndTicket,
    Defect::KeyIgnored,
];

/// Brings the ledger's tables to the newest version; the version is kept in a table of its own, since others have
/// tables in the same database.
pub(super) fn migrate(
    connection: &mut Connection,
    defects: &Defects,
    unchecked: bool,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction
        .execute_batch("CREATE TABLE IF NOT EXISTS ledger_version (version INTEGER NOT NULL)")?;
    let done: usize =
        transaction.query_row("SELECT COUNT(*) FROM ledger_version", [], |row| row.get(0))?;
    for (version, sql) in MIGRATIONS.iter().enumerate().skip(done) {
        transaction.execute_batch(sql)?;
        transaction.execute("INSERT INTO ledger_version VALUES (?1)", [version + 1])?;
    }
    transaction.commit()?;
    let ignore = unchecked || UNCHECKED.iter().any(|defect| defects.has(*defect));
    connection.pragma_update(None, "ignore_check_constraints", ignore)
}
