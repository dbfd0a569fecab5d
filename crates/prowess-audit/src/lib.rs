//! Audit sinks: a tamper-evident log on disk, a log in memory, metrics, and reports for people.
//!
//! ```
//! # let home = tempfile::tempdir()?;
//! use std::sync::Arc;
//!
//! use prowess_audit::{JsonLinesLog, LogOptions, Redactor, verify};
//! # use prowess_testkit::ManualClock as HostClock;
//!
//! let path = home.path().join("audit.jsonl");
//! let clock = Arc::new(HostClock::default()); // of the host, such as `prowess::SystemClock`
//! let log = JsonLinesLog::open(&path, LogOptions::default(), Redactor::default(), clock)?;
//! // A host passes the log to its runtime, and keeps this text on another machine.
//! let head = log.head();
//! assert_eq!(verify(&path)?.head, head);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`JsonLinesLog`] has one entry on each line: its number, the hash of the entry before it, the
//! event, and its own hash. So an entry that is changed, removed, inserted or moved breaks the
//! chain, and [`verify`] names it. An attacker with write access can compute a whole new chain or
//! cut off its end: this is detected only with a [`Head`] that was kept elsewhere, by
//! [`verify_against`].
//!
//! Every text is redacted before it is written ([`Redactor`]). Arguments and results of calls are
//! never part of an event.
//!
//! Nothing here decides whether a call may run.
#![forbid(unsafe_code)]

mod chain;
mod chains;
mod entry;
mod error;
mod fanout;
mod index;
mod json;
mod log;
mod memory;
mod metrics;
#[cfg(feature = "opentelemetry")]
mod open_telemetry;
mod redact;
mod scripts;
mod secrets;
mod story;
mod traced;
mod verify;

pub use chain::{Head, HeadError, seal_line};
pub use entry::AuditEntry;
pub use error::{LogError, Problem, VerifyError};
pub use fanout::Fanout;
pub use index::LogIndex;
pub use log::{Durability, JsonLinesLog, LogOptions};
pub use memory::MemoryLog;
pub use metrics::Metrics;
#[cfg(feature = "opentelemetry")]
pub use open_telemetry::OpenTelemetry;
pub use prowess_core;
pub use redact::Redactor;
pub use scripts::RedactedScripts;
pub use secrets::{Secret, Secrets};
pub use story::{SessionStory, Statistics, Story, StoryFilter, StoryPart};
pub use traced::TracedAudit;
pub use verify::{Verified, next_line, verify, verify_against};
