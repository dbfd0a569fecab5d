//! `skills.read`: gives a file of a skill's package.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use prowess_core::{
    ActiveSkill, Caller, Catalog, Code, Content, ReadLimit, Record, ResourcePath, SessionState,
    SourceErrorKind, Tool, ToolContext, ToolDefinition, ToolResult,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::active;
use super::package;
use super::problem::{Problem, answer};
use crate::suggestion::{LEAST_SIMILARITY, closest, hint};
use crate::text::{enumerated, quoted};
use crate::{ReadGate, ReadScope, ToolPolicy, codes};

const DESCRIPTION: &str = "Read a file that belongs to a skill, such as a reference, a template or an \
    image. Paths are relative to the skill's directory, as the skill's instructions write them: \
    `references/guide.md`. Read a file when the instructions point to it, not before. Text comes as \
    text, anything else as base64.";

/// How many files of a package are looked through for the one that was meant.
const MOST_COMPARED: usize = 1000;

/// How many files are named to a model that asked for one that is not there.
const MOST_NAMED: usize = 10;

pub(super) struct Read {
    policy: Arc<ToolPolicy>,
}

#[derive(Deserialize)]
struct Arguments {
    skill: Option<String>,
    path: String,
}

impl Read {
    pub(super) fn new(policy: Arc<ToolPolicy>) -> Self {
        Self { policy }
    }

    fn run(&self, context: &ToolContext<'_>, arguments: &Value) -> Result<ToolResult, Problem> {
        let Arguments { skill, path } = Arguments::deserialize(arguments)?;
        let skill = skill.filter(|skill| !skill.trim().is_empty());
        let state = context.session.state()?;
        let record = self.record(context, &state, skill.as_deref())?;
        let path = ResourcePath::new(&path)?;
        self.check_scope(&path)?;
        let limit = ReadLimit(self.policy.read_limit_bytes);
        match context.catalog.read(record, &path, limit) {
            Ok(bytes) => Ok(content_of(&path, bytes)),
            Err(error) => Err(self.explain(context.catalog, record, &path, error.kind)),
        }
    }

    /// The package that is meant: the named skill's, else the one of the skill that was loaded last.
    fn record<'c>(
        &self,
        context: &ToolContext<'c>,
        state: &SessionState,
        typed: Option<&str>,
    ) -> Result<Record<'c>, Problem> {
        let ToolContext { catalog, caller, .. } = *context;
        let active = match typed {
            Some(typed) => active::find(catalog, state, typed),
            None => state.current(),
        };
        match (active, typed, self.policy.read_gate) {
            (Some(active), _, _) => still_there(catalog, active),
            (None, Some(typed), ReadGate::Known) => {
                package::find(catalog, typed, caller, &self.policy)
            }
            (None, Some(typed), ReadGate::Active) => {
                let record = package::find(catalog, typed, caller, &self.policy)?;
                let message =
                    format!("skill {} is not active; load it, then read", quoted(record.id()));
                Err(Problem::new(codes::SKILL_NOT_ACTIVE, message))
            }
            (None, None, _) => {
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

    /// The source's kind of failure in words of our own: its message may name places outside.
    fn explain(
        &self,
        catalog: &Catalog,
        record: Record<'_>,
        path: &ResourcePath,
        kind: SourceErrorKind,
    ) -> Problem {
        let (file, skill) = (quoted(path.as_str()), quoted(record.id()));
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
                self.policy.read_limit_bytes
            ),
            SourceErrorKind::Denied => {
                format!("{file} of skill {skill} may not be read; tell the user")
            }
            SourceErrorKind::Cancelled => "the turn was cancelled".to_owned(),
            _ => format!("{file} of skill {skill} cannot be read now; try again later"),
        };
        Problem::new(Code::new(kind.as_str()), message)
    }
}

/// The catalog's record of an active skill, unless the place it was loaded from is no longer its.
fn still_there<'c>(catalog: &'c Catalog, active: &ActiveSkill) -> Result<Record<'c>, Problem> {
    // Whoever loaded it, a model or a user, its files are the conversation's.
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
    let files = || listing.resources.iter().map(|resource| resource.path.as_str());
    let next = match closest(path.as_str(), files(), LEAST_SIMILARITY) {
        Some(meant) => hint(meant),
        None if listing.resources.is_empty() => "; it has no other files".to_owned(),
        None => format!("; its files begin with {}", enumerated(files().take(MOST_NAMED), "and")),
    };
    let message =
        format!("there is no {} in skill {}{next}", quoted(path.as_str()), quoted(record.id()));
    Problem::new(Code::new(SourceErrorKind::NotFound.as_str()), message)
}

/// Text if it is text, else base64 with the media type that the name tells.
fn content_of(path: &ResourcePath, bytes: Vec<u8>) -> ToolResult {
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ToolResult::text(text),
        Ok(text) => blob(path, text.as_bytes()),
        Err(error) => blob(path, error.as_bytes()),
    }
}

fn blob(path: &ResourcePath, bytes: &[u8]) -> ToolResult {
    let mime_type = mime_guess::from_path(path.as_str()).first_or_octet_stream().to_string();
    let content = Content::Blob { mime_type, data: STANDARD.encode(bytes) };
    ToolResult { is_error: false, code: None, content: vec![content], structured: None }
}

impl Tool for Read {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let input_schema = json!({
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
        });
        ToolDefinition {
            name: "skills.read".to_owned(),
            description: DESCRIPTION.to_owned(),
            input_schema,
        }
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        !catalog.is_empty()
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        answer(self.run(context, arguments))
    }
}
