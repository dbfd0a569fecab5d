//! Conversions from the core's values to the protocol's.

use std::sync::Arc;
use std::time::Duration;

use prowess::tools::{Dispatched, SkillTools, ToolNaming, codes};
use prowess::{ApprovalId, Code, Content, ForkedSession, SkillError, ToolDefinition, ToolResult};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResourceContents, Tool};
use serde_json::{Map, Value, json};

use crate::annotations::annotated;
use crate::approval_hint::ApprovalHint;
use crate::origin::FORK_KEY;

/// The key of `_meta` under which the code of an error is sent.
pub(crate) const CODE_KEY: &str = "prowess/code";

/// The key of the data of an error under which the time is sent after which the request may be
/// repeated, in seconds.
pub(crate) const RETRY_KEY: &str = "retry_after";

/// The key of `_meta` under which an error is sent with its code and its facts.
const ERROR_KEY: &str = "prowess/error";

/// The key of `_meta` under which the id of a pending approval is sent.
const APPROVAL_KEY: &str = "prowess/approval";

/// The key of `_meta` under which the duration of a call is sent, in milliseconds by the host's
/// clock.
const DURATION_KEY: &str = "prowess/duration_ms";

/// The address of a blob whose tool does not name it. Each blob of a result needs one of its own.
const UNNAMED_BLOB: &str = "skill-tool:/blob";

/// Returns an error of the server itself.
pub(crate) fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Returns the data of an error with this code, also under the name that it has in results.
pub(crate) fn coded(code: &str) -> Value {
    json!({ "code": code, CODE_KEY: code })
}

/// Converts a tool's definition. `naming` spells the names of the skill tools, some of which run
/// scripts if there are hooks.
pub(crate) fn tool(definition: ToolDefinition, naming: ToolNaming, has_hooks: bool) -> Tool {
    let schema = match definition.input_schema {
        Value::Object(schema) => schema,
        // The protocol requires an object.
        _ => Map::from_iter([("type".to_owned(), Value::from("object"))]),
    };
    let skill_tool = naming.skill_tool(&definition.name);
    let tool = Tool::new(definition.name, definition.description, Arc::new(schema));
    match skill_tool {
        Some(name) => annotated(tool, name, has_hooks),
        None => tool,
    }
}

/// Converts a call's result. A refusal is a result too, so that the model reads the reason; only an
/// unknown tool is an error of the protocol, as its specification asks.
///
/// If a person has to approve the call, the result names the pending approval. That grants nothing:
/// no tool takes an approval, and only the host's store has the decision.
pub(crate) fn result(
    dispatched: Dispatched,
    hint: ApprovalHint,
    shows_paths: bool,
) -> Result<CallToolResult, ErrorData> {
    let Dispatched { tool, mut result, approval, duration, .. } = dispatched;
    if result.code == Some(codes::UNKNOWN_TOOL) {
        let data = result.code.as_ref().map(|code| coded(code.as_str()));
        return Err(ErrorData::invalid_params(text_of(&result.content), data));
    }
    let error = result.failure();
    // The error of a file names its path on this machine.
    let error = error.filter(|it| shows_paths || !matches!(it, SkillError::Parse { .. }));
    if let Some(approval) = &approval {
        result.content.push(Content::Text { text: hint(approval) });
    }
    let structured_content = structured(&tool, &result);
    let content = joined(result.content).into_iter().enumerate().map(block).collect();
    let mut converted = if result.is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    converted.structured_content = structured_content;
    let mut meta = meta(duration, result.code.as_ref(), error.as_ref(), approval.as_ref());
    meta.extend(result.fork.as_deref().map(fork_meta).unwrap_or_default());
    converted.meta = Some(meta);
    Ok(converted)
}

/// Returns what names the conversation of a forked session, and how its skill prefers to be run.
pub(crate) fn fork_meta(fork: &ForkedSession) -> MetaObject {
    let ForkedSession { session, preference } = fork;
    let mut value = json!(preference);
    value["conversation"] = session.as_str().into();
    let mut meta = MetaObject::new();
    meta.insert(FORK_KEY.to_owned(), value);
    meta
}

/// Joins texts that follow each other. Some clients show the model the first part alone.
fn joined(parts: Vec<Content>) -> Vec<Content> {
    let mut joined: Vec<Content> = Vec::with_capacity(parts.len());
    for part in parts {
        match (joined.last_mut(), &part) {
            (Some(Content::Text { text }), Content::Text { text: next }) => {
                text.truncate(text.trim_end_matches('\n').len());
                text.push_str("\n\n");
                text.push_str(next);
            }
            _ => joined.push(part),
        }
    }
    joined
}

/// Returns the data of a result if it cannot hide anything else. Many clients show the model
/// `structuredContent` *instead of* `content`, so it must not leave out a part: the skill tools
/// send none, and neither does a result with more than one part.
fn structured(tool: &str, result: &ToolResult) -> Option<Value> {
    let is_partial = SkillTools::NAMES.contains(&tool) || result.content.len() > 1;
    if result.is_error || is_partial { None } else { result.structured.clone() }
}

fn meta(
    duration: Duration,
    code: Option<&Code>,
    error: Option<&SkillError>,
    approval: Option<&ApprovalId>,
) -> MetaObject {
    let duration = (DURATION_KEY, json!(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)));
    let code = code.map(|code| (CODE_KEY, json!(code)));
    let error = error.map(|error| (ERROR_KEY, json!(error.to_string())));
    let approval = approval.map(|approval| (APPROVAL_KEY, json!(approval)));
    let entries = code.into_iter().chain(error).chain(approval).chain([duration]);
    MetaObject(entries.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn text_of(content: &[Content]) -> String {
    let texts = content.iter().filter_map(|part| match part {
        Content::Text { text } => Some(text.as_str()),
        Content::Blob { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn block((index, content): (usize, Content)) -> ContentBlock {
    match content {
        Content::Text { text } => ContentBlock::text(text),
        Content::Blob { mime_type, data, .. } if mime_type.starts_with("image/") => {
            ContentBlock::image(data, mime_type)
        }
        Content::Blob { mime_type, data, .. } if mime_type.starts_with("audio/") => {
            ContentBlock::audio(data, mime_type)
        }
        Content::Blob { mime_type, data, uri } => {
            let uri = uri.unwrap_or_else(|| format!("{UNNAMED_BLOB}/{index}"));
            ContentBlock::resource(ResourceContents::blob(data, uri).with_mime_type(mime_type))
        }
    }
}
