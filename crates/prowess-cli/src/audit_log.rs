//! The audit log that programs write.

use std::sync::Arc;

use prowess::{AuditLog, AuditSink, NoAudit, Policies, SystemClock};
use prowess_audit::{JsonLinesLog, LogOptions, Redactor};

use crate::commands::audit::located;
use crate::failure::Failure;

/// Returns the audit log of this user, if the policies keep one.
pub(crate) fn audit_sink(policies: &Policies) -> Result<Arc<dyn AuditSink>, Failure> {
    Ok(match policies.audit.log {
        AuditLog::Keep => Arc::new(audit_log()?),
        AuditLog::Never => Arc::new(NoAudit),
    })
}

/// Opens the audit log of this user.
fn audit_log() -> Result<JsonLinesLog, Failure> {
    let path = located(&None)?;
    let clock = Arc::new(SystemClock::default());
    JsonLinesLog::open(&path, LogOptions::default(), Redactor::default(), clock).map_err(|error| {
        let help = "end the other program, or set `audit: { log: never }`";
        Failure::new("audit-log-unavailable", error.to_string(), help)
    })
}
