//! The trace span of a plugin call. The guide `prowess::guide::traces` documents its name
//! and fields.

use prowess_core::Code;
use tracing::field::Empty;
use tracing::{Span, debug_span};

/// Returns the span of a plugin call, from the wait for a slot to the answer. `operation` is the
/// name of the method.
pub(crate) fn plugin_call(plugin: &str, isolation: &'static str, operation: &'static str) -> Span {
    debug_span!(target: "prowess", "plugin_call", plugin, isolation, operation, error = Empty)
}

/// Records the error of a call on its span.
pub(crate) fn record_error(span: &Span, code: &Code) {
    span.record("error", code.as_str());
}
