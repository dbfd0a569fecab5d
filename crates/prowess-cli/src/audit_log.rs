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

/// The length from which on the value of a variable counts as a secret. A shorter one is found in
/// texts by chance.
const SHORTEST_SECRET: usize = 8;

/// Returns a redactor with the secrets of this program's environment: the values of variables such
/// as `API_KEY` and `GITHUB_TOKEN`.
pub(crate) fn redactor() -> Redactor {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let is_secret = Redactor::is_secret_name(name.to_str()?);
        value.into_string().ok().filter(|value| is_secret && value.len() >= SHORTEST_SECRET)
    });
    Redactor::new(variables)
}

/// Opens the audit log of this user.
fn audit_log() -> Result<JsonLinesLog, Failure> {
    let path = located(&None)?;
    let clock = Arc::new(SystemClock::default());
    JsonLinesLog::open(&path, LogOptions::default(), redactor(), clock).map_err(|error| {
        let help = "end the other program, or set `audit: { log: never }`";
        Failure::new("audit-log-unavailable", error.to_string(), help)
    })
}
