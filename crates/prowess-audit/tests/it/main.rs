//! The audit: its log, its texts and its numbers.

mod crash;
mod fanout;
mod fixture;
mod goldens;
mod levels;
mod log;
mod metrics;
#[cfg(feature = "opentelemetry")]
mod open_telemetry;
#[cfg(target_os = "linux")]
mod power_cut;
mod processes;
mod redaction;
mod story;
mod tampering;
mod worker;
