//! The audit log that programs write.

use std::io;
use std::path::Path;
use std::sync::{Arc, Once};

use prowess::{AuditLog, AuditPolicy, AuditSink, NoAudit, Policies, RuntimeEvent, SystemClock};
use prowess_audit::{JsonLinesLog, LogOptions};

use crate::commands::audit::{located, verified};
use crate::failure::Failure;
use crate::log;
use crate::output::Output;
use crate::secrets::redactor;
use crate::terminal::plain;

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
            if let Some(failure) = output.shows_remarks().then(|| broken(&path)).flatten() {
                warn("", failure, output);
            }
            Ok(Arc::new(log.on_loss(reported(policies.audit.policy, output))))
        }
        Err(failure) if policies.audit.policy == AuditPolicy::Required => Err(failure),
        Err(failure) => {
            warn("nothing is recorded: ", failure, output);
            Ok(Arc::new(NoAudit))
        }
    }
}

/// Says a fault of the log; a server logs it as one finding.
fn warn(effect: &str, failure: Failure, output: &Output) {
    let Failure { code, message, help, .. } = &failure;
    match log::active() {
        Some(log) => {
            let message = format!("{effect}{message}");
            log.finding(&Failure { message, ..failure }.warning());
        }
        None => output.remark(&format!("warning: {effect}{code}: {message}\n  help: {help}\n")),
    }
}

/// Makes a decision of a person, which is recorded before it has an effect. One that fails then is
/// recorded as not made.
pub(crate) fn decided<T>(
    audit: &dyn AuditSink,
    policy: AuditPolicy,
    [decision, not_made]: [RuntimeEvent; 2],
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    match audit.store(&decision) {
        Err(error) if policy == AuditPolicy::Required => {
            let help = "see `prowess audit verify`";
            Err(Failure::new("audit-log-unavailable", error.to_string(), help))
        }
        _ => make().inspect_err(|_| audit.report(&not_made)),
    }
}

/// Returns what says once that entries are lost, with the reason of the first. A server logs each.
fn reported(policy: AuditPolicy, output: &Output) -> impl Fn(&io::Error) + Send + Sync + use<> {
    let (output, said) = (output.clone(), Once::new());
    move |error| {
        if log::active().is_none() {
            said.call_once(|| {
                let error = plain(&error.to_string()).into_owned();
                let further = match policy {
                    AuditPolicy::Required => "",
                    _ => {
                        ", or set `audit.policy` to `required`, which runs nothing that cannot be \
                         recorded"
                    }
                };
                output.remark(&format!(
                    "warning: audit-log-unavailable: what this command does is not all in the audit \
                     log: {error}\n  help: make room for it{further}\n"
                ));
            });
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
