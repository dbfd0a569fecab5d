//! What a model may call.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_format::Code;
use prowess_text::Boundary;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Caller, Cancel, Catalog, Clock, Session};

/// A tool as it is shown to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolDefinition {
    /// The name in the core's spelling, with dots: `skills.load`. `ToolNaming` of the tools crate respells it for the model.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub input_schema: Value,
}

/// What a tool may use while it runs.
#[derive(Clone, Copy)]
pub struct ToolContext<'a> {
    /// The catalog that the turn has pinned.
    pub catalog: &'a Arc<Catalog>,
    /// The conversation that the call came from.
    pub session: &'a dyn Session,
    /// Who makes the call.
    pub caller: Caller,
    /// The host's time.
    pub clock: &'a dyn Clock,
    /// Set when the host no longer wants the answer.
    pub cancel: &'a Cancel,
    /// The secret of this conversation, for the tags around the bodies in a result.
    pub boundary: &'a Boundary,
}

/// A call as a model makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The name in the model's spelling.
    pub name: String,
    /// The arguments; an absent value counts as an empty object.
    #[serde(default)]
    pub arguments: Value,
}

impl ToolCall {
    /// A call of this tool with these arguments.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self { name: name.into(), arguments }
    }
}

/// One part of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Content {
    /// Text for the model.
    Text {
        /// The text.
        text: String,
    },
    /// Bytes that are not text.
    Blob {
        /// The media type.
        mime_type: String,
        /// The bytes in base64.
        data: String,
        /// The address of the resource that the bytes are, such as `skill://pdf/assets/form.pdf`. It names
        /// nothing of the host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
    },
}

/// The answer to a call. A refusal and a failure are answers too: the model reads them and goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolResult {
    /// Whether the call did not do what it was asked.
    pub is_error: bool,
    /// What to branch on if it did not.
    pub code: Option<Code>,
    /// What the model reads.
    pub content: Vec<Content>,
    /// The same as data, for hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
}

impl ToolResult {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        let content = vec![Content::Text { text: text.into() }];
        Self { is_error: false, code: None, content, structured: None }
    }

    /// Data, which the model reads as JSON.
    pub fn data(value: Value) -> Self {
        let text = Self::text(format!("{value:#}"));
        Self { structured: Some(value), ..text }
    }

    /// Why the call did not do what it was asked, and the next step.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self { is_error: true, code: Some(code), ..Self::text(message) }
    }
}

/// Something that a model may call.
///
/// # Behavior
///
/// - `definition` is a function of the catalog alone; its name never changes.
/// - `call` always answers: bad arguments and failures are results with a code.
/// - `accepts` takes every argument that the schema of `definition` takes; `call` gets arguments that
///   fit `accepts`.
/// - `is_offered` decides only what is shown: a call of a tool that is not shown is answered too.
/// - `call` may run on any thread, also several times at once, and ends soon after `cancel`.
pub trait Tool: Send + Sync {
    /// How the tool is shown while `catalog` is pinned.
    fn definition(&self, catalog: &Catalog) -> ToolDefinition;

    /// The JSON Schema that arguments are checked against, by default the one that is shown. A tool that
    /// has a better answer to a wrong name than "not one of these" accepts more than it shows.
    fn accepts(&self, catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Owned(self.definition(catalog).input_schema)
    }

    /// The skills that a call with these arguments concerns, as the arguments name them; for the audit.
    /// By default, none. It is called before the arguments are checked.
    fn named_skills<'a>(&self, _arguments: &'a Value) -> Vec<&'a str> {
        Vec::new()
    }

    /// Whether a model is shown the tool while `catalog` is pinned. By default it is.
    fn is_offered(&self, _catalog: &Catalog) -> bool {
        true
    }

    /// Does the work.
    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult;
}

/// Offers tools.
///
/// # Behavior
///
/// - `tools` gives the same tools each time.
pub trait ToolProvider: Send + Sync {
    /// The tools, each with a name of its own.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
}
