//! Tools that a model may call.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_format::Code;
use prowess_text::Boundary;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    CallOrigin, Caller, Cancel, Catalog, Clock, Digest, ForkedSession, Progress, Record,
    RefusedHost, Session, SkillError,
};

/// The definition of a tool for a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolDefinition {
    /// The canonical name, with dots: `skills.load`. `ToolNaming` of the tools crate respells it
    /// for the model.
    pub name: String,
    /// The description, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub input_schema: Value,
}

/// Properties of a tool for the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToolInfo {
    /// The type of the tool.
    #[serde(rename = "type")]
    pub tool_type: ToolType,
    /// The time after which a host should cancel a call, in milliseconds. By default, none.
    pub timeout_ms: Option<u64>,
}

/// The type of a tool, in a host that has several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ToolType {
    /// A function. The default.
    #[default]
    Function,
    /// A tool that finds, loads, reads or runs skills.
    Skill,
}

/// The values that a tool may use while it runs.
#[derive(Clone, Copy)]
pub struct ToolContext<'a> {
    /// The catalog of the turn.
    pub catalog: &'a Arc<Catalog>,
    /// The session that made the call.
    pub session: &'a dyn Session,
    /// The caller.
    pub caller: Caller,
    /// The agent, task, tenant and model that the call is made for.
    pub origin: &'a Arc<CallOrigin>,
    /// The host's clock.
    pub clock: &'a dyn Clock,
    /// Cancels the call.
    pub cancel: &'a Cancel,
    /// The digest of the package that a person approved for this call; `None` if the call needs no
    /// approval. A tool that runs something of a package checks it.
    pub approved: Option<Digest>,
    /// Receives reports while the call runs.
    pub progress: Progress<'a>,
    /// The secret of this conversation, for the tags around the bodies in a result.
    pub boundary: &'a Boundary,
    /// The maximum size of the text of a result that the program of the model keeps, in bytes;
    /// `None` if it is not known to cut any. Longer texts are returned in pages.
    pub result_bytes: Option<usize>,
    /// Whether a program that is not the host says that its conversation keeps the results of this
    /// session: a body that is in one of them is not sent again.
    pub keeps_results: bool,
}

/// A call of a tool, as a model makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The name, as the model writes it.
    pub name: String,
    /// The arguments; an absent value counts as an empty object.
    #[serde(default)]
    pub arguments: Value,
}

impl ToolCall {
    /// Creates a call of this tool with these arguments.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self { name: name.into(), arguments }
    }
}

/// One part of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", try_from = "ContentFields")]
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
        /// The URI of the resource, such as `skill://pdf/assets/form.pdf`. It contains no path of
        /// the host.
        #[serde(skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
    },
}

/// The fields of every [`Content`]. A tagged enum would first be read into a buffer, which takes
/// longer than the rest of a plugin's result.
#[derive(Deserialize)]
struct ContentFields {
    r#type: ContentType,
    text: Option<String>,
    mime_type: Option<String>,
    data: Option<String>,
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ContentType {
    Text,
    Blob,
}

impl TryFrom<ContentFields> for Content {
    type Error = String;

    fn try_from(fields: ContentFields) -> Result<Self, Self::Error> {
        let missing = |name| format!("missing field `{name}`");
        let ContentFields { r#type, text, mime_type, data, uri } = fields;
        Ok(match r#type {
            ContentType::Text => Self::Text { text: text.ok_or_else(|| missing("text"))? },
            ContentType::Blob => Self::Blob {
                mime_type: mime_type.ok_or_else(|| missing("mime_type"))?,
                data: data.ok_or_else(|| missing("data"))?,
                uri,
            },
        })
    }
}

/// The result of a call. A refusal and a failure are results too: the model reads them and
/// continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolResult {
    /// Whether the call failed or was refused.
    pub is_error: bool,
    /// The error code, for programs.
    pub code: Option<Code>,
    /// The content, for the model.
    pub content: Vec<Content>,
    /// The result as structured data, for hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// The error for hosts that branch on one type, if the failure is one of a skill. A model never
    /// sees it.
    #[serde(skip)]
    pub error: Option<Box<SkillError>>,
    /// The id of the sandbox that a command ran in, for the audit.
    #[serde(skip)]
    pub sandbox: Option<String>,
    /// The session of its own in which the call has made a skill active, for the host.
    #[serde(skip)]
    pub fork: Option<Box<ForkedSession>>,
    /// The isolation level of a script that the call ran, for the audit.
    #[serde(skip)]
    pub isolation: Option<String>,
    /// The exit code of a script that did not succeed, for the audit. As in shells, it is 124 after
    /// the time limit, and 128 and the number of a signal.
    #[serde(skip)]
    pub exit: Option<i32>,
    /// The connections that were refused to a script, for the audit.
    #[serde(skip)]
    pub refused_hosts: Vec<RefusedHost>,
}

/// The field of data that has the notes of the host.
const NOTE_FIELD: &str = "host_note";

impl ToolResult {
    /// Creates a result with this text.
    pub fn text(text: impl Into<String>) -> Self {
        let content = vec![Content::Text { text: text.into() }];
        Self {
            is_error: false,
            code: None,
            content,
            structured: None,
            error: None,
            sandbox: None,
            fork: None,
            isolation: None,
            exit: None,
            refused_hosts: Vec::new(),
        }
    }

    /// Creates a result with this data, which the model reads as JSON.
    pub fn data(value: Value) -> Self {
        let text = Self::text(serde_json::to_string_pretty(&value).unwrap_or_default());
        Self { structured: Some(value), ..text }
    }

    /// Creates an error result. The message states the reason and the next step.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self { is_error: true, code: Some(code), ..Self::text(message) }
    }

    /// Adds a note of the host for the model. In data, and in an error that is an object too, it is
    /// the field `host_note`, so that a program can still read the text as JSON. An empty note is
    /// none.
    pub fn add_note(&mut self, note: &str) {
        if note.is_empty() {
            return;
        }
        let is_data = self.structured.is_some() || self.is_error;
        let parsed: Option<Value> = match &*self.content {
            [Content::Text { text }] if is_data => serde_json::from_str(text).ok(),
            _ => None,
        };
        let Some(mut fields) = parsed.filter(Value::is_object) else {
            return self.content.push(Content::Text { text: note.to_owned() });
        };
        let earlier = fields[NOTE_FIELD].as_str().map(|earlier| format!("{earlier}\n\n"));
        fields[NOTE_FIELD] = (earlier.unwrap_or_default() + note).into();
        let text = serde_json::to_string_pretty(&fields).unwrap_or_default();
        self.content = vec![Content::Text { text }];
        self.structured = self.structured.take().map(|_| fields);
    }

    /// Returns the failure as one type, whose text is `[CODE] message (key=value, …)`; `None` if
    /// the call has succeeded. One that is not of a skill has the code of the result as a fact. A
    /// command that was refused a part of its work has one, too.
    pub fn failure(&self) -> Option<SkillError> {
        let other = |message: &str| SkillError::Other {
            message: message.to_owned(),
            context: self.code.iter().map(|it| ("code".to_owned(), it.to_string())).collect(),
        };
        self.error.as_deref().cloned().or_else(|| self.message().map(other))
    }

    /// Returns the texts of the content, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(|content| match content {
            Content::Text { text } => Some(text.as_str()),
            Content::Blob { .. } => None,
        })
    }

    /// Returns the message of an error result.
    pub fn message(&self) -> Option<&str> {
        self.texts().next().filter(|_| self.is_error)
    }
}

/// A tool that a model may call.
///
/// # Behavior
///
/// - `definition` depends on the catalog alone; its name is always `name`, which never changes.
/// - `call` always returns a result: bad arguments and failures are results with a code.
/// - `accepts` allows all arguments that the schema of `definition` allows; `call` receives
///   arguments that match `accepts`.
/// - `is_offered` decides only whether the tool is listed: a call of an unlisted tool is executed
///   too.
/// - `call` may run on any thread, also concurrently, and ends soon after `cancel`.
pub trait Tool: Send + Sync {
    /// Returns the tool's definition for `catalog`.
    fn definition(&self, catalog: &Catalog) -> ToolDefinition;

    /// Returns the canonical name, which a tool can often tell without a definition. By default
    /// that of the definition.
    fn name(&self) -> Cow<'_, str> {
        Cow::Owned(self.definition(&Catalog::empty()).name)
    }

    /// Returns the JSON Schema that arguments are validated against, by default that of the
    /// definition. A tool with a better message for an unknown name than a schema error accepts
    /// more than its definition shows.
    fn accepts(&self, catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Owned(self.definition(catalog).input_schema)
    }

    /// Returns the skills that a call with these arguments refers to, for the audit. It is called
    /// before the arguments are validated. By default, returns none.
    fn named_skills<'a>(&self, _arguments: &'a Value) -> Vec<&'a str> {
        Vec::new()
    }

    /// Returns the file that a call with these arguments refers to, for the audit. It is called
    /// before the arguments are validated. By default, returns the argument `path` if it is a text,
    /// also for tools of plugins.
    fn named_resource<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        arguments["path"].as_str()
    }

    /// Returns the skill whose content a call would run, which decides whether a person has to
    /// approve the call. By default, returns none.
    fn subject<'c>(&self, _context: &ToolContext<'c>, _arguments: &Value) -> Option<Record<'c>> {
        None
    }

    /// Returns the result of a call with these arguments if it is an error that can be known before
    /// the call, which then has no effect. By default, returns none.
    fn refusal(&self, _context: &ToolContext<'_>, _arguments: &Value) -> Option<ToolResult> {
        None
    }

    /// Returns the other names of the same tool, such as older ones. A rule about one of them is a
    /// rule about the tool. By default, returns none.
    fn other_names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns whether the tool is listed for a model while `catalog` is in use. By default it is.
    fn is_offered(&self, _catalog: &Catalog) -> bool {
        true
    }

    /// Returns the type of the tool and the time limit of its calls. By default, a function without
    /// one.
    fn info(&self) -> ToolInfo {
        ToolInfo::default()
    }

    /// Executes a call.
    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult;
}

/// Provides tools.
///
/// # Behavior
///
/// - `tools` returns the same tools each time.
pub trait ToolProvider: Send + Sync {
    /// Returns the tools, whose names are unique.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
}
