//! The audit log that programs write.

use std::path::Path;
use std::sync::Arc;

use prowess::{AuditLog, AuditPolicy, AuditSink, NoAudit, Policies, SystemClock};
use prowess_audit::{JsonLinesLog, LogOptions, Redactor};

use crate::commands::audit::located;
use crate::failure::Failure;
use crate::output::Output;

/// Returns the audit log of this user, if the policies keep one. One that cannot be written is a
/// failure if the policies require it, and a remark otherwise.
pub(crate) fn audit_sink(
    policies: &Policies,
    output: &Output,
) -> Result<Arc<dyn AuditSink>, Failure> {
    if policies.audit.log == AuditLog::Never {
        return Ok(Arc::new(NoAudit));
    }
    match open(&located(&None)?) {
        Ok(log) => Ok(Arc::new(log)),
        Err(failure) if policies.audit.policy == AuditPolicy::Required => Err(failure),
        Err(Failure { code, message, help, .. }) => {
            output.remark(&format!("warning: nothing is recorded: {code}: {message}\n"));
            output.remark(&format!("  help: {help}\n"));
            Ok(Arc::new(NoAudit))
        }
    }
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

/// Opens an audit log.
pub(crate) fn open(path: &Path) -> Result<JsonLinesLog, Failure> {
    let clock = Arc::new(SystemClock::default());
    JsonLinesLog::open(path, LogOptions::default(), redactor(), clock).map_err(|error| {
        let help = "follow the message, or set `audit: { log: never }`";
        Failure::new("audit-log-unavailable", error.to_string(), help)
    })
}
