//! What comes from a plugin, checked and as the core's words.

use std::collections::BTreeSet;

use prowess_core::{
    Code, Diagnostic, PackagePath, Severity, SourceChange, SourceError, SourceErrorKind,
};
use prowess_plugin_abi::{Change, Problem, changes, codes, severities};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as AnyError;
use serde_json::Value;

use crate::failure::Failure;

/// A change that names more packages than this is one of everything.
const MAX_CHANGED: usize = 10_000;

/// What the plugin did wrong stands in front, as it does where the plugin's process says so.
pub(crate) fn source_error(failure: &Failure) -> SourceError {
    let message = match failure.kind {
        Some(kind) => format!("[{}] {}", kind.as_str(), failure.message),
        None => failure.message.clone(),
    };
    SourceError::new(kind_of(failure.code), message)
}

fn kind_of(code: u32) -> SourceErrorKind {
    match code {
        codes::NOT_FOUND => SourceErrorKind::NotFound,
        codes::ESCAPE => SourceErrorKind::Escape,
        codes::NOT_REGULAR => SourceErrorKind::NotRegular,
        codes::LOOP => SourceErrorKind::Loop,
        codes::TOO_LARGE => SourceErrorKind::TooLarge,
        codes::DENIED => SourceErrorKind::Denied,
        codes::CANCELLED => SourceErrorKind::Cancelled,
        _ => SourceErrorKind::Unavailable,
    }
}

/// The code that a tool's result carries when a plugin gave none.
pub(crate) fn result_code(failure: &Failure) -> Code {
    Code::new(match (failure.kind, failure.code) {
        (Some(kind), _) => kind.as_str(),
        (None, codes::DEADLINE) => "plugin-deadline",
        (None, codes::CANCELLED) => "cancelled",
        (None, codes::UNAVAILABLE) => "plugin-unavailable",
        (None, _) => "plugin-failed",
    })
}

/// A code that a plugin made up.
pub(crate) fn code(text: &str) -> Code {
    let text = text.to_owned();
    let deserializer: serde::de::value::StringDeserializer<AnyError> = text.into_deserializer();
    Code::deserialize(deserializer).unwrap_or(Code::new("plugin-failed"))
}

pub(crate) fn diagnostic(problem: &Problem<'_>) -> Diagnostic {
    let severity = match problem.severity {
        severities::HINT => Severity::Hint,
        severities::WARNING => Severity::Warning,
        _ => Severity::Error,
    };
    let message = problem.message.as_str();
    let mut diagnostic =
        Diagnostic::new(code(problem.code.as_str()), severity, message, problem.help.as_str());
    let path = problem.path.as_str();
    diagnostic.path = (!path.is_empty()).then(|| path.into());
    diagnostic.line = (problem.line != 0).then_some(problem.line);
    diagnostic.column = (problem.column != 0).then_some(problem.column);
    diagnostic
}

pub(crate) fn change(change: &Change<'_>) -> SourceChange {
    match change.kind {
        changes::PACKAGES if change.packages.len() <= MAX_CHANGED => {
            let packages = change.packages.iter().map(|path| PackagePath::new(path.as_str()));
            // A package without a name that can be used is still a change.
            packages
                .collect::<Result<_, _>>()
                .map_or(SourceChange::Everything, SourceChange::Packages)
        }
        changes::LOST => {
            SourceChange::Lost(SourceError::new(kind_of(change.code), change.message.as_str()))
        }
        _ => SourceChange::Everything,
    }
}

/// Whether each text is a list of tools, each with a name of its own.
pub(crate) fn check_tools(texts: &[String], most_bytes: usize) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for text in texts {
        if text.len() > most_bytes {
            return Err(format!(
                "describes its tools in {} bytes; {most_bytes} are allowed",
                text.len()
            ));
        }
        for tool in described(text)? {
            if !names.insert(tool.name.clone()) {
                return Err(format!("offers two tools `{}`", tool.name));
            }
        }
    }
    Ok(())
}

/// A tool as a plugin describes it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Described {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    #[serde(default)]
    pub(crate) accepts: Option<Value>,
    #[serde(default = "usual")]
    pub(crate) is_offered: bool,
}

fn usual() -> bool {
    true
}

pub(crate) fn described(text: &str) -> Result<Vec<Described>, String> {
    serde_json::from_str(text).map_err(|error| format!("describes its tools wrongly: {error}"))
}
