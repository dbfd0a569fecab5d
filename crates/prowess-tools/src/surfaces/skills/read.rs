//! `skills.read`: returns a file of a skill's package.

use std::borrow::Cow;

use prowess_core::{Catalog, ToolContext, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::problem::Problem;
use crate::operations::Operations;
use crate::operations::read::ReadArguments;
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "Read a file that belongs to a skill, such as a reference, a template or an \
    image. Paths are relative to the skill's directory, as the skill's instructions write them: \
    `references/guide.md`. Read a file when the instructions point to it, not before. Text comes as \
    text, anything else as base64.";

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
