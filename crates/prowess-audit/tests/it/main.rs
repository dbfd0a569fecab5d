//! The audit: its log, its texts and its numbers.

mod fanout;
mod fixture;
mod goldens;
mod levels;
mod log;
mod metrics;
#[cfg(target_os = "linux")]
mod night;
#[cfg(feature = "opentelemetry")]
mod open_telemetry;
mod processes;
mod redaction;
mod story;
mod tampering;
mod vectors;
mod worker;
