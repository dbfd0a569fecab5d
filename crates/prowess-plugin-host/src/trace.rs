//! The span of a plugin's call. Its name and fields are in ARCHITECTURE.md.

use prowess_core::Code;
use tracing::field::Empty;
use tracing::{Span, debug_span};

/// A call of a plugin, from the wait for a thread or a slot to the answer. `operation` is the name
/// of the method.
pub(crate) fn plugin_call(plugin: &str, isolation: &'static str, operation: &'static str) -> Span {
    debug_span!(target: "prowess", "plugin_call", plugin, isolation, operation, error = Empty)
}

/// Records on its span why a call has no answer.
pub(crate) fn record_error(span: &Span, code: &Code) {
    span.record("error", code.as_str());
}
