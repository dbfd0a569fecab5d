//! Files of skills as resources, byte for byte.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess::tools::{ReadGate, ReadScope};
use prowess::{
    Code, Policies, ReadLimit, Record, ResourcePath, SourceErrorKind, ToolCall, ToolResult, Turn,
};
use rmcp::ErrorData;
use rmcp::model::{DIRECTORY_MIME_TYPE, MetaObject, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::convert::coded;
use crate::manifest::MOST_BYTES;
use crate::page::{Page, page};
use crate::skill_uri::{self, Located, SKILL_FILE, file, locate};

/// The number of files that a directory is read from.
const MOST_LISTED: usize = 100_000;

/// The media type of a file with instructions.
const MARKDOWN: &str = "text/markdown";

/// The key of `_meta` for what a model should know about a file.
const NOTE: &str = "prowess/note";

/// Returns whether clients may read files: only if the policies let a model read every file of
/// every skill, too.
pub(crate) fn are_open(policies: &Policies) -> bool {
    let tools = &policies.tools;
    tools.read_gate() == ReadGate::Known && tools.read_scope == ReadScope::Package
}

/// Returns a page of the files with instructions.
pub(crate) fn list(
    turn: &Turn,
    cursor: Option<&str>,
    size: usize,
) -> Result<Page<Resource>, ErrorData> {
    let skills = skill_uri::all(turn.catalog());
    let Page { items, next } = page(skills, |(uri, _)| uri, cursor, size)?;
    let resource = |(directory, record): (String, Record<'_>)| {
        Resource::new(file(&directory, SKILL_FILE), record.name())
            .with_description(record.description())
            .with_mime_type(MARKDOWN)
    };
    Ok(Page { items: items.into_iter().map(resource).collect(), next })
}

/// Returns the template of the URIs of all files.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new("skill://{skill}/{+path}", "skill-file");
    vec![template.with_title("File of a skill").with_description("A file of a skill, by its path")]
}

/// The index of the skills that drafts of the skills extension describe, for clients that read it.
const INDEX: &str = "skill://index.json";
const INDEX_SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Returns the index, unless a skill has its URI.
fn index(turn: &Turn, uri: &str) -> Option<ResourceContents> {
    if uri != INDEX || located(turn, uri).is_some() {
        return None;
    }
    let skill = |(directory, record): (String, Record<'_>)| {
        json!({
            "name": record.name(),
            "type": "skill-md",
            "description": record.description(),
            "url": file(&directory, SKILL_FILE),
        })
    };
    let skills: Vec<_> = skill_uri::all(turn.catalog()).into_iter().map(skill).collect();
    let index = json!({ "$schema": INDEX_SCHEMA, "skills": skills });
    Some(ResourceContents::text(index.to_string(), uri).with_mime_type("application/json"))
}

/// Reads a file. The call has the same gate and audit as one of `skills.read`, and a limit that is
/// set holds here too: only the instructions may be larger, as they may where a skill is loaded.
pub(crate) fn read(turn: &Turn, uri: &str) -> Result<ResourceContents, ErrorData> {
    if let Some(index) = index(turn, uri) {
        return Ok(index);
    }
    let (record, path) = located(turn, uri).ok_or_else(|| not_found(uri))?;
    let arguments = json!({ "skill": record.id(), "path": path.as_str() });
    let is_body = path.as_str() == record.file();
    let limit = turn.policies().tools.whole_file_limit();
    let most = if is_body { MOST_BYTES } else { limit.unwrap_or(MOST_BYTES).min(MOST_BYTES) };
    let call = ToolCall::new("skills.read", arguments);
    let mut read = None;
    let dispatched = turn.guard(&call, || {
        let result = turn.catalog().read_public(record, &path, ReadLimit(most));
        let shown = match &result {
            Ok(_) => ToolResult::text(""),
            Err(error) => ToolResult::error(Code::new(error.kind.as_str()), "it cannot be read"),
        };
        read = Some(result);
        shown
    });
    match read {
        Some(Ok(bytes)) => {
            let contents = contents(bytes, uri, path.as_str());
            // A file is read byte for byte, so a note about it is not in it.
            let Some(note) = record.altered() else { return Ok(contents) };
            Ok(contents
                .with_meta(MetaObject([(NOTE.to_owned(), note.into())].into_iter().collect())))
        }
        Some(Err(error)) if error.kind == SourceErrorKind::TooLarge => {
            let mut data = coded(error.kind.as_str());
            data["uri"] = uri.into();
            let message = format!("the file is larger than the limit of {most} bytes");
            Err(ErrorData::invalid_request(message, Some(data)))
        }
        Some(Err(error)) if error.kind == SourceErrorKind::Changed => {
            let data = coded(error.kind.as_str());
            Err(ErrorData::invalid_request(error.message, Some(data)))
        }
        Some(Err(_)) => Err(not_found(uri)),
        None => {
            let reason = dispatched.result.message().unwrap_or("the file may not be read");
            let data = dispatched.result.code.as_ref().map(|code| coded(code.as_str()));
            Err(ErrorData::invalid_request(reason.to_owned(), data))
        }
    }
}

/// Reads a file for the server's own use: no client receives the bytes, so no gate and no audit has
/// them.
pub(crate) fn bytes(turn: &Turn, uri: &str) -> Option<Vec<u8>> {
    let (record, path) = located(turn, uri)?;
    turn.catalog().read(record, &path, ReadLimit(MOST_BYTES)).ok()
}

fn located<'t>(turn: &'t Turn, uri: &str) -> Option<(Record<'t>, ResourcePath)> {
    let Located { record, path } = locate(turn.catalog(), uri)?;
    let path = if path == SKILL_FILE { record.file() } else { &path };
    Some((record, ResourcePath::new(path).ok()?))
}

fn contents(bytes: Vec<u8>, uri: &str, path: &str) -> ResourceContents {
    let is_markdown = path.to_ascii_lowercase().ends_with(".md");
    match String::from_utf8(bytes) {
        Ok(text) => {
            let mime_type = if is_markdown { MARKDOWN } else { "text/plain" };
            ResourceContents::text(text, uri).with_mime_type(mime_type)
        }
        Err(error) => {
            let data = STANDARD.encode(error.into_bytes());
            ResourceContents::blob(data, uri).with_mime_type("application/octet-stream")
        }
    }
}

/// Returns the direct children of a directory.
pub(crate) fn children(turn: &Turn, uri: &str) -> Result<Vec<Resource>, ErrorData> {
    let catalog = turn.catalog();
    let Located { record, path } = locate(catalog, uri).ok_or_else(|| not_found(uri))?;
    let (listing, _) = catalog.list_shown(record, MOST_LISTED).map_err(|_| not_found(uri))?;
    let base = uri.trim_end_matches('/');
    let mut children = BTreeMap::new();
    if path.is_empty() {
        let child = Resource::new(file(base, SKILL_FILE), SKILL_FILE).with_mime_type(MARKDOWN);
        children.insert(SKILL_FILE.to_owned(), child);
    }
    for resource in &listing.resources {
        let below = if path.is_empty() {
            Some(resource.path.as_str())
        } else {
            let below = resource.path.as_str().strip_prefix(&path);
            below.and_then(|below| below.strip_prefix('/'))
        };
        let Some(below) = below else { continue };
        let (name, is_directory) = match below.split_once('/') {
            Some((name, _)) => (name, true),
            None => (below, false),
        };
        let child = Resource::new(file(base, name), name);
        let child = if is_directory {
            child.with_mime_type(DIRECTORY_MIME_TYPE)
        } else {
            child.with_size(resource.bytes)
        };
        children.entry(name.to_owned()).or_insert(child);
    }
    if children.is_empty() {
        return Err(not_found(uri));
    }
    Ok(children.into_values().collect())
}

/// Returns the error for a URI without a file.
pub(crate) fn not_found(uri: &str) -> ErrorData {
    let message = format!("no resource {}", prowess::text::quoted(uri));
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}
