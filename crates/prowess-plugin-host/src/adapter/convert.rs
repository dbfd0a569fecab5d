//! Values of a plugin, checked and converted to the core's types.

use std::collections::BTreeSet;

use abi_stable::std_types::RStr;
use prowess_core::{
    Code, Diagnostic, PackagePath, Severity, SourceChange, SourceError, SourceErrorKind,
    ToolDefinition,
};
use prowess_plugin_abi::{Change, Problem, changes, codes, severities, text};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as AnyError;
use serde_json::Value;

use crate::failure::Failure;
use crate::{PluginErrorKind, codes as declared};

/// A change that names more packages than this is one of everything.
const MAX_CHANGED: usize = 10_000;
/// The longest text of a plugin's that a diagnostic has.
const MAX_TEXT_BYTES: usize = 4 << 10;
/// The longest code of a plugin's.
const MAX_CODE_BYTES: usize = 100;

/// Converts a failure. The code of the plugin's fault comes first, as it does for a plugin in a
/// process.
pub(crate) fn source_error(failure: &Failure) -> SourceError {
    let message = match failure.kind {
        Some(kind) => format!("[{}] {}", kind.as_str(), failure.message),
        None => failure.message.clone(),
    };
    SourceError::new(kind_of(failure.code), message)
}

/// The kinds of a source's error with their numbers; any other one is `UNAVAILABLE`.
const KINDS: [(SourceErrorKind, u32); 11] = [
    (SourceErrorKind::NotFound, codes::NOT_FOUND),
    (SourceErrorKind::Escape, codes::ESCAPE),
    (SourceErrorKind::NotRegular, codes::NOT_REGULAR),
    (SourceErrorKind::Loop, codes::LOOP),
    (SourceErrorKind::TooLarge, codes::TOO_LARGE),
    (SourceErrorKind::Denied, codes::DENIED),
    (SourceErrorKind::MultipleLinks, codes::MULTIPLE_LINKS),
    (SourceErrorKind::CrossDevice, codes::CROSS_DEVICE),
    (SourceErrorKind::Changing, codes::CHANGING),
    (SourceErrorKind::Replaced, codes::REPLACED),
    (SourceErrorKind::Cancelled, codes::CANCELLED),
];

fn kind_of(code: u32) -> SourceErrorKind {
    let known = KINDS.into_iter().find(|(_, known)| *known == code);
    known.map_or(SourceErrorKind::Unavailable, |(kind, _)| kind)
}

/// Returns the number of a kind of error.
pub(crate) fn number_of(kind: SourceErrorKind) -> u32 {
    let known = KINDS.into_iter().find(|(known, _)| *known == kind);
    known.map_or(codes::UNAVAILABLE, |(_, code)| code)
}

/// The code that a tool's result carries when a plugin gave none.
pub(crate) fn result_code(failure: &Failure) -> Code {
    match (failure.kind, failure.code) {
        (Some(kind), _) => Code::new(kind.as_str()),
        (None, codes::DEADLINE) => declared::PLUGIN_DEADLINE,
        (None, codes::CANCELLED) => prowess_core::codes::CANCELLED,
        (None, codes::UNAVAILABLE) => declared::PLUGIN_UNAVAILABLE,
        (None, _) => declared::PLUGIN_FAILED,
    }
}

/// Returns the code for a trace.
pub(crate) fn trace_code(failure: &Failure) -> Code {
    let kind = failure.kind.map(PluginErrorKind::as_str);
    Code::new(kind.unwrap_or_else(|| kind_of(failure.code).as_str()))
}

/// A code that a plugin made up.
pub(crate) fn code(text: &str) -> Code {
    let text = text.to_owned();
    let deserializer: serde::de::value::StringDeserializer<AnyError> = text.into_deserializer();
    Code::deserialize(deserializer).unwrap_or(declared::PLUGIN_FAILED)
}

/// The problem as a diagnostic. Its texts are cut: a plugin may write books.
pub(crate) fn diagnostic(problem: &Problem<'_>) -> Diagnostic {
    let [message, help, path] =
        [problem.message, problem.help, problem.path].map(|text| text::lossy(text, MAX_TEXT_BYTES));
    let severity = match problem.severity {
        severities::HINT => Severity::Hint,
        severities::WARNING => Severity::Warning,
        _ => Severity::Error,
    };
    let own_code = code(&text::lossy(problem.code, MAX_CODE_BYTES));
    let mut diagnostic = Diagnostic::new(own_code, severity, message, help);
    diagnostic.path = (!path.is_empty()).then(|| path.into());
    diagnostic.line = (problem.line != 0).then_some(problem.line);
    diagnostic.column = (problem.column != 0).then_some(problem.column);
    diagnostic
}

pub(crate) fn change(change: &Change<'_>) -> SourceChange {
    match change.kind {
        changes::PACKAGES if change.packages.len() <= MAX_CHANGED => {
            let path = |path: &RStr<'_>| PackagePath::new(text::checked(*path).ok()?).ok();
            let packages = change.packages.iter().map(path).collect::<Option<_>>();
            // A package without a name that can be used is still a change.
            packages.map_or(SourceChange::Everything, SourceChange::Packages)
        }
        changes::LOST => {
            let message = text::lossy(change.message, MAX_TEXT_BYTES);
            SourceChange::WatchLost(SourceError::new(kind_of(change.code), message))
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
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Described {
    /// Its name.
    pub name: String,
    #[serde(default)]
    /// When to use it.
    pub description: String,
    /// The schema of its arguments.
    pub input_schema: Value,
    #[serde(default)]
    /// The schema that calls are checked with, if it is another one.
    pub accepts: Option<Value>,
    #[serde(default = "usual")]
    /// Whether models see it.
    pub is_offered: bool,
}

impl Described {
    /// Returns what a model is shown.
    pub(crate) fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: self.name.clone(),
            description: self.description.clone(),
            input_schema: self.input_schema.clone(),
        }
    }

    /// Returns the schema that calls are checked with.
    pub(crate) fn accepted(&self) -> &Value {
        self.accepts.as_ref().unwrap_or(&self.input_schema)
    }
}

fn usual() -> bool {
    true
}

/// Reads how a plugin describes its tools.
///
/// # Errors
///
/// It is not a list of tools; the text says why.
pub fn described(text: &str) -> Result<Vec<Described>, String> {
    serde_json::from_str(text).map_err(|error| format!("describes its tools wrongly: {error}"))
}
