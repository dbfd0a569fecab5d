//! `skills.read`: returns a file of a skill's package.

use std::borrow::Cow;

use prowess_core::{
    Catalog, ReadLimit, Record, ResourcePath, ToolContext, ToolResult, parse_virtual_uri,
};
use prowess_text::quoted;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codes;
use crate::content::file_content::{File, content_of};
use crate::content::file_error::unreadable;
use crate::content::page::Lines;
use crate::content::problem::Problem;
use crate::content::script_file::{is_script_file, script_read_refusal};
use crate::operations::Operations;
use crate::policy::{ReadScope, ScriptRead};
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "Read a file that belongs to a skill, such as a reference, a template or an \
    image. Paths are relative to the skill's directory, as the skill's instructions write them: \
    `references/guide.md`. Read a file when the instructions point to it, not before. Text comes as \
    text, anything else as base64.";

/// A file, as a call names it.
#[derive(Debug, Deserialize)]
pub(crate) struct ReadArguments {
    pub(crate) skill: Option<String>,
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) lines: Option<Lines>,
}

impl ReadArguments {
    /// Takes skill and path from a virtual URI, if the path is one. A blank skill counts as none.
    fn resolved(self) -> Self {
        match parse_virtual_uri(&self.path) {
            Some((id, path)) => Self { skill: Some(id), path, ..self },
            None => Self { skill: self.skill.filter(|skill| !skill.trim().is_empty()), ..self },
        }
    }
}

impl Operations {
    /// Returns a file, or the requested lines of it.
    pub(crate) fn read(
        &self,
        context: &ToolContext<'_>,
        arguments: ReadArguments,
    ) -> Result<ToolResult, Problem> {
        let ReadArguments { skill, path, lines } = arguments.resolved();
        let gate = self.policy.read_gate();
        let record = self.record_for(context, skill.as_deref(), gate, "read")?;
        let path = ResourcePath::new(&path)?;
        self.check_scope(&path)?;
        self.check_script_read(context, record, &path)?;
        let limit = self.policy.read_limit();
        match context.catalog.read(record, &path, ReadLimit(limit)) {
            Ok(bytes) => {
                let file = File { record, path: &path };
                content_of(context, file, bytes, lines, self.policy.page_bytes)
            }
            Err(error) => Err(unreadable(context.catalog, record, &path, error.kind, limit)),
        }
    }

    /// Refuses the text of a script that is there to be run.
    fn check_script_read(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        path: &ResourcePath,
    ) -> Result<(), Problem> {
        let is_blocked = match self.policy.script_read {
            ScriptRead::Allow => false,
            ScriptRead::BlockWhenActive => self.is_active(context, record.id())?,
            ScriptRead::Block => true,
        };
        if !is_blocked || !is_script_file(path) {
            return Ok(());
        }
        Err(script_read_refusal(record.id(), path).into())
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
}

pub(crate) struct Read;

impl SkillTool for Read {
    const NAME: &'static str = "skills.read";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill": {
                    "type": "string",
                    "description":
                        "The skill that the file belongs to; by default the one loaded last",
                },
                "path": {
                    "type": "string",
                    "description": "The file's path, relative to the skill's directory",
                },
                "lines": {
                    "type": "object",
                    "properties": {
                        "from": { "type": "integer", "description": "The first line, from 1" },
                        "to": { "type": "integer", "description": "The last line" },
                    },
                    "additionalProperties": false,
                    "description": "The lines of a text to read; by default all, or as many as fit",
                },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        operations.read(context, ReadArguments::deserialize(arguments)?)
    }
}
