//! The audit log that programs write.

use std::path::Path;
use std::sync::Arc;

use prowess::{AuditLog, AuditPolicy, AuditSink, NoAudit, Policies, SystemClock};
use prowess_audit::{JsonLinesLog, LogOptions};

use crate::commands::audit::{located, verified};
use crate::failure::Failure;
use crate::output::Output;
use crate::secrets::redactor;

/// Returns the audit log of this user, if the policies keep one. One that cannot be written is a
/// failure if the policies require it, and a remark otherwise.
pub(crate) fn audit_sink(
    policies: &Policies,
    output: &Output,
) -> Result<Arc<dyn AuditSink>, Failure> {
    if policies.audit.log == AuditLog::Never {
        return Ok(Arc::new(NoAudit));
    }
    let path = located(&None)?;
    match open(&path) {
        Ok(log) => {
            if let Some(failure) = broken(&path) {
                let Failure { code, message, help, .. } = failure;
                output.remark(&format!("warning: {code}: {message}\n  help: {help}\n"));
            }
            Ok(Arc::new(log))
        }
        Err(failure) if policies.audit.policy == AuditPolicy::Required => Err(failure),
        Err(Failure { code, message, help, .. }) => {
            output.remark(&format!("warning: nothing is recorded: {code}: {message}\n"));
            output.remark(&format!("  help: {help}\n"));
            Ok(Arc::new(NoAudit))
        }
    }
}

/// The largest log, in bytes, whose chain is checked before it is continued: to read more would
/// take too long at each start.
const MOST_CHECKED: u64 = 8 << 20;

/// Returns the break of a log's chain: what is added behind it proves nothing about what is before.
fn broken(path: &Path) -> Option<Failure> {
    let is_small = path.metadata().is_ok_and(|file| file.len() <= MOST_CHECKED);
    let read = is_small.then(|| verified(None, path))?;
    read.err().filter(|failure| failure.code == "audit-log-broken")
}

/// Opens an audit log.
pub(crate) fn open(path: &Path) -> Result<JsonLinesLog, Failure> {
    let clock = Arc::new(SystemClock::default());
    JsonLinesLog::open(path, LogOptions::default(), redactor(), clock).map_err(|error| {
        let help = "follow the message, or set `audit: { log: never }`";
        Failure::new("audit-log-unavailable", error.to_string(), help)
    })
}
