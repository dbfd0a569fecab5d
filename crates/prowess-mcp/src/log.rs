//! Messages for the log of a client: the outcomes of calls, and findings in skills.

#![expect(deprecated, reason = "revisions before 2026-07-28 have this part of the protocol")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use prowess::registry::HiddenProject;
use prowess::registry::codes::PROJECT_NOT_TRUSTED;
use prowess::tools::Dispatched;
use prowess::{Diagnostic, Runtime, Severity};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ServerNotification,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::conversations::client_name;
use crate::hidden;
use crate::requests::is_stateless;

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

/// The log of one connection. Until the client sets a level, only that skills are hidden is sent.
pub(crate) struct Log {
    least: AtomicUsize,
    /// Whether the message about hidden skills was sent.
    has_hidden: AtomicBool,
}

impl Default for Log {
    fn default() -> Self {
        Self { least: AtomicUsize::new(LEVELS.len()), has_hidden: AtomicBool::new(false) }
    }
}

impl Log {
    /// Sets the least severe level that is sent.
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.least.store(rank(level), Ordering::Relaxed);
    }

    /// Sends once which skills are hidden because their project is not trusted, with the command
    /// that shows them. A request may have a level of its own.
    pub(crate) async fn hidden(&self, runtime: &Runtime, context: &RequestContext<RoleServer>) {
        // Over HTTP without sessions, each request has a log of its own.
        let has_greeted = !is_stateless(context);
        let is_lasting = has_greeted || client_name(context).is_none();
        let shows_paths = hidden::shows_paths(runtime);
        let level = LoggingLevel::Warning;
        // Most clients set no level, and a person would never see it.
        let least = self.least(context);
        let is_asked = rank(level) >= least || has_greeted && least == LEVELS.len();
        if !is_asked || !is_lasting || !shows_paths {
            return;
        }
        if self.has_hidden.swap(true, Ordering::Relaxed) {
            return;
        }
        for project in HiddenProject::all(&runtime.catalog()) {
            let HiddenProject { folder, skills, .. } = &project;
            let (code, message) = (&PROJECT_NOT_TRUSTED, project.message());
            let data =
                json!({ "code": code, "path": folder, "skills": skills, "message": message });
            send(&context.peer, level, "prowess.catalog", data).await;
        }
    }

    fn least(&self, context: &RequestContext<RoleServer>) -> usize {
        match context.meta.log_level() {
            Some(level) => rank(level),
            None => self.least.load(Ordering::Relaxed),
        }
    }

    /// Sends the outcome of a call. A request may have a level of its own.
    pub(crate) async fn call(&self, dispatched: &Dispatched, context: &RequestContext<RoleServer>) {
        let Dispatched { tool, result, duration, .. } = dispatched;
        let level = if result.is_error { LoggingLevel::Warning } else { LoggingLevel::Info };
        if rank(level) >= self.least(context) {
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
        if rank(level) >= self.least.load(Ordering::Relaxed) {
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
