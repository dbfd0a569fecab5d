//! The span of a tool call. Its name and fields are in the guide
//! `prowess::guide::traces`.

use prowess_core::{Caller, Outcome};
use tracing::field::Empty;
#[cfg(feature = "functions")]
use tracing::warn;
use tracing::{Span, info_span};

/// A tool call, from the check of its arguments to the audit. `tool` is `None` for an unknown tool,
/// whose name the model made up.
pub(crate) fn call(tool: Option<&str>, caller: Caller) -> Span {
    info_span!(target: "prowess", "call", tool, ?caller, outcome = Empty, code = Empty)
}

/// Records how a call ended on its span.
pub(crate) fn record_outcome(span: &Span, outcome: &Outcome) {
    let (outcome, code) = match outcome {
        Outcome::Done => ("done", None),
        Outcome::Refused(code) => ("refused", Some(code)),
        Outcome::Failed(code) => ("failed", Some(code)),
    };
    span.record("outcome", outcome);
    if let Some(code) = code {
        span.record("code", code.as_str());
    }
}

/// A call of a function by an older name.
#[cfg(feature = "functions")]
pub(crate) fn deprecated_name(alias: &str, tool: &str) {
    warn!(name: "deprecated_tool", target: "prowess", alias, tool);
}
