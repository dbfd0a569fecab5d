//! Messages for the log of a client: the outcomes of calls, and findings in skills.

#![expect(deprecated, reason = "revisions before 2026-07-28 have this part of the protocol")]

use std::sync::atomic::{AtomicUsize, Ordering};

use prowess::tools::Dispatched;
use prowess::{Diagnostic, Severity};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ServerNotification,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};

/// The levels from the least severe one.
const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// The log of one connection. Until the client sets a level, nothing is sent.
pub(crate) struct Log(AtomicUsize);

impl Default for Log {
    fn default() -> Self {
        Self(AtomicUsize::new(LEVELS.len()))
    }
}

impl Log {
    /// Sets the least severe level that is sent.
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(rank(level), Ordering::Relaxed);
    }

    /// Sends the outcome of a call. A request may have a level of its own.
    pub(crate) async fn call(&self, dispatched: &Dispatched, context: &RequestContext<RoleServer>) {
        let Dispatched { tool, result, duration, .. } = dispatched;
        let level = if result.is_error { LoggingLevel::Warning } else { LoggingLevel::Info };
        let least = match context.meta.log_level() {
            Some(level) => rank(level),
            None => self.0.load(Ordering::Relaxed),
        };
        if rank(level) >= least {
            let milliseconds = duration.as_millis();
            let data = json!({ "tool": tool, "code": result.code, "duration_ms": milliseconds });
            send(&context.peer, level, "prowess.call", data).await;
        }
    }

    /// Sends a finding.
    pub(crate) async fn finding(&self, finding: &Diagnostic, peer: &Peer<RoleServer>) {
        let level = match finding.severity {
            Severity::Error => LoggingLevel::Error,
            Severity::Warning => LoggingLevel::Warning,
            _ => LoggingLevel::Info,
        };
        if rank(level) >= self.0.load(Ordering::Relaxed) {
            let Diagnostic { code, path, message, help, .. } = finding;
            let data = json!({ "code": code, "path": path, "message": message, "help": help });
            send(peer, level, "prowess.catalog", data).await;
        }
    }
}

fn rank(level: LoggingLevel) -> usize {
    LEVELS.iter().position(|known| *known == level).unwrap_or_default()
}

async fn send(peer: &Peer<RoleServer>, level: LoggingLevel, logger: &str, data: Value) {
    let params = LoggingMessageNotificationParam::new(level, data).with_logger(logger);
    let message = LoggingMessageNotification::new(params);
    // A client that is gone needs no log.
    let _ = peer.send_notification(ServerNotification::LoggingMessageNotification(message)).await;
}
