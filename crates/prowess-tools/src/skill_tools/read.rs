//! `skills.read`: returns a file of a skill's package.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use prowess_core::{
    ActiveSkill, Caller, Catalog, Code, Content, DeliveryPolicy, ReadLimit, Record, ResourcePath,
    SessionState, SourceErrorKind, Tool, ToolContext, ToolDefinition, ToolResult,
    parse_virtual_uri, virtual_uri,
};
use prowess_text::{enumerated, is_shown_exactly, model_body, quoted};
use serde::Deserialize;
use serde_json::{Value, json};

use super::active;
use super::package;
use super::problem::{Problem, answer};
use crate::suggestion::{LEAST_SIMILARITY, closest, hint};
use crate::{ReadGate, ReadScope, ToolPolicy, codes};

const DESCRIPTION: &str = "Read a file that belongs to a skill, such as a reference, a template or an \
    image. Paths are relative to the skill's directory, as the skill's instructions write them: \
    `references/guide.md`. Read a file when the instructions point to it, not before. Text comes as \
    text, anything else as base64.";

/// The note after a text that differs from the file.
const CHANGED: &str = "Note: hidden characters were removed from this file, or tags in it that look \
    like those around skills were escaped.";

/// The number of files of a package that are compared for a suggestion.
const MOST_COMPARED: usize = 1000;

/// The number of files that are listed when a file does not exist.
const MOST_NAMED: usize = 10;

pub(super) struct Read {
    policy: Arc<ToolPolicy>,
    delivery: DeliveryPolicy,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    skill: Option<String>,
    path: String,
}

impl Arguments {
    /// Takes skill and path from a virtual URI, if the path is one. A blank skill counts as none.
    fn resolved(self) -> Self {
        match parse_virtual_uri(&self.path) {
            Some((id, path)) => Self { skill: Some(id), path },
            None => Self { skill: self.skill.filter(|skill| !skill.trim().is_empty()), ..self },
        }
    }
}

impl Read {
    pub(super) fn new(policy: Arc<ToolPolicy>, delivery: DeliveryPolicy) -> Self {
        Self { policy, delivery, schema: schema() }
    }

    fn run(&self, context: &ToolContext<'_>, arguments: &Value) -> Result<ToolResult, Problem> {
        let Arguments { skill, path } = Arguments::deserialize(arguments)?.resolved();
        let state = context.session.state()?;
        let record = self.record(context, &state, skill.as_deref())?;
        let path = ResourcePath::new(&path)?;
        self.check_scope(&path)?;
        let limit = ReadLimit(self.policy.read_limit());
        match context.catalog.read(record, &path, limit) {
            Ok(bytes) => Ok(content_of(context, record, &path, bytes)),
            Err(error) => Err(self.explain(context.catalog, record, &path, error.kind)),
        }
    }

    /// Returns the record of the named skill, or of the skill that was loaded last.
    fn record<'c>(
        &self,
        context: &ToolContext<'c>,
        state: &SessionState,
        reference: Option<&str>,
    ) -> Result<Record<'c>, Problem> {
        let catalog = context.catalog;
        let active = match reference {
            Some(reference) => active::find(catalog, state, reference),
            None => state.current(),
        };
        match (active, reference, self.policy.read_gate.unwrap_or_default()) {
            (Some(active), _, _) => still_there(catalog, active),
            (None, Some(reference), ReadGate::Known) => {
                package::find(context, reference, &self.policy, self.delivery)
            }
            (None, Some(reference), ReadGate::Active) => {
                let record = package::find(context, reference, &self.policy, self.delivery)?;
                let message =
                    format!("skill {} is not active; load it, then read", quoted(record.id()));
                Err(Problem::new(codes::SKILL_NOT_ACTIVE, message))
            }
            (None, None, ReadGate::Known) => {
                let message = "no skill is active; name the skill whose file you want as `skill`";
                Err(Problem::new(codes::SKILL_NOT_ACTIVE, message))
            }
            (None, None, ReadGate::Active) => {
                let message = "no skill is active; load the skill whose file you want, then read";
                Err(Problem::new(codes::SKILL_NOT_ACTIVE, message))
            }
        }
    }

    fn check_scope(&self, path: &ResourcePath) -> Result<(), Problem> {
        let is_resource =
            ["references/", "assets/"].iter().any(|directory| path.as_str().starts_with(directory));
        if self.policy.read_scope == ReadScope::Package || is_resource {
            return Ok(());
        }
        let message = format!(
            "{} may not be read; only files under `references/` and `assets/` may",
            quoted(path.as_str())
        );
        Err(Problem::new(codes::PATH_NOT_ALLOWED, message))
    }

    /// Turns the kind of a source error into our own message. The source's message may contain
    /// paths outside the package.
    fn explain(
        &self,
        catalog: &Catalog,
        record: Record<'_>,
        path: &ResourcePath,
        kind: SourceErrorKind,
    ) -> Problem {
        let file = quoted(path.as_str());
        let skill = quoted(record.id());
        let message = match kind {
            SourceErrorKind::NotFound => return missing(catalog, record, path),
            SourceErrorKind::Escape => {
                format!("{file} leads out of skill {skill}; only files inside it can be read")
            }
            SourceErrorKind::NotRegular => {
                format!("{file} of skill {skill} is not a file; name a file inside it")
            }
            SourceErrorKind::Loop => {
                format!("the links at {file} of skill {skill} lead in a circle; read another file")
            }
            SourceErrorKind::TooLarge => format!(
                "{file} of skill {skill} is larger than the limit of {} bytes; read another file",
                self.policy.read_limit()
            ),
            SourceErrorKind::Denied => {
                format!("{file} of skill {skill} may not be read; tell the user")
            }
            SourceErrorKind::MultipleLinks => format!(
                "{file} of skill {skill} is a hard link, which is not read in an untrusted layer; \
                 read another file"
            ),
            SourceErrorKind::CrossDevice => format!(
                "{file} of skill {skill} lies on another mount, which is not read in an untrusted \
                 layer; read another file"
            ),
            SourceErrorKind::Changing => {
                format!("{file} of skill {skill} is being written to; try again in a moment")
            }
            SourceErrorKind::Cancelled => "the turn was cancelled".to_owned(),
            _ => format!("{file} of skill {skill} cannot be read now; try again later"),
        };
        Problem::new(Code::new(kind.as_str()), message)
    }
}

/// Returns the catalog's record of an active skill, unless its location has changed.
fn still_there<'c>(catalog: &'c Catalog, active: &ActiveSkill) -> Result<Record<'c>, Problem> {
    // Whether a model or a user loaded it, its files belong to the session.
    let found = |caller| catalog.find(&active.id, caller).found();
    let record = found(Caller::Model).or_else(|| found(Caller::User));
    record.filter(|record| record.location() == active.location).ok_or_else(|| {
        let message = format!(
            "skill {} is no longer where it was loaded from; load it again, or unload it",
            quoted(&active.id)
        );
        Problem::new(codes::SKILL_CHANGED, message)
    })
}

fn missing(catalog: &Catalog, record: Record<'_>, path: &ResourcePath) -> Problem {
    let listing = catalog.list(record, MOST_COMPARED).unwrap_or_default();
    let files = listing.resources.iter().map(|resource| resource.path.as_str());
    // A name that cannot be shown unchanged cannot be requested.
    let files: Vec<&str> = files.filter(|path| is_shown_exactly(path)).collect();
    let next = match closest(path.as_str(), files.iter().copied(), LEAST_SIMILARITY) {
        Some(meant) => hint(meant),
        None if files.is_empty() => "; it has no other files".to_owned(),
        None => {
            let first = files.iter().copied().take(MOST_NAMED);
            format!("; its files begin with {}", enumerated(first, "and"))
        }
    };
    let message =
        format!("there is no {} in skill {}{next}", quoted(path.as_str()), quoted(record.id()));
    Problem::new(Code::new(SourceErrorKind::NotFound.as_str()), message)
}

/// Returns text encoded for a model, or base64 with the media type of the file's name.
fn content_of(
    context: &ToolContext<'_>,
    record: Record<'_>,
    path: &ResourcePath,
    bytes: Vec<u8>,
) -> ToolResult {
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text_of(&text, context),
        Ok(text) => blob(record, path, text.as_bytes()),
        Err(error) => blob(record, path, error.as_bytes()),
    }
}

fn text_of(text: &str, context: &ToolContext<'_>) -> ToolResult {
    let shown = model_body(text, context.boundary);
    let is_changed = shown != text.replace("\r\n", "\n");
    let mut result = ToolResult::text(shown);
    if is_changed {
        result.content.push(Content::Text { text: CHANGED.to_owned() });
    }
    result
}

fn blob(record: Record<'_>, path: &ResourcePath, bytes: &[u8]) -> ToolResult {
    let mime_type = media_type(path.as_str());
    let uri = Some(virtual_uri(record.id(), path.as_str()));
    let content = Content::Blob { mime_type, data: STANDARD.encode(bytes), uri };
    ToolResult { content: vec![content], ..ToolResult::text("") }
}

/// Returns the media type that a file's extension stands for.
#[cfg(feature = "media-types")]
fn media_type(path: &str) -> String {
    mime_guess::from_path(path).first_or_octet_stream().to_string()
}

/// Returns the type of unknown bytes: without the feature `media-types` no extension is known.
#[cfg(not(feature = "media-types"))]
fn media_type(_: &str) -> String {
    "application/octet-stream".to_owned()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "skill": {
                "type": "string",
                "description": "The skill that the file belongs to; by default the one loaded last",
            },
            "path": {
                "type": "string",
                "description": "The file's path, relative to the skill's directory",
            },
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

impl Tool for Read {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "skills.read".to_owned(),
            description: DESCRIPTION.to_owned(),
            input_schema: self.schema.clone(),
        }
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.schema)
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["skill"].as_str().into_iter().collect()
    }

    fn named_resource<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        arguments["path"].as_str()
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        !catalog.is_empty()
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        answer(self.run(context, arguments))
    }
}
