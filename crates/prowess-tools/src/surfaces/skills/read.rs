//! `skills.read`: returns a file of a skill's package.

use prowess_core::ToolResult;
use serde_json::{Value, json};

use crate::gate::Refusal;
use crate::operations::Operations;
use crate::operations::read::{Paging, ReadArguments};
use crate::surfaces::skill_tool::{Call, SkillTool, closed, text};

pub(crate) struct Read;

impl SkillTool for Read {
    const NAME: &'static str = "skills.read";
    const DESCRIPTION: &'static str = "Read a file that belongs to a skill, such as a reference, a \
        template or an image. Paths are relative to the skill's directory, as the skill's \
        instructions write them: `references/guide.md`. Read a file when the instructions point to \
        it, not before. Text comes as text, anything else as base64.";
    type Arguments = ReadArguments;

    fn schema(&self, _: &Operations) -> Value {
        let properties = json!({
            "skill": text("The skill that the file belongs to; by default the one loaded last"),
            "path": text("The file's path, relative to the skill's directory"),
            "lines": {
                "type": "object",
                "properties": {
                    "from": { "type": "integer", "description": "The first line, from 1" },
                    "to": { "type": "integer", "description": "The last line" },
                    "column": {
                        "type": "integer",
                        "description": "The first character of the first line, from 1, where a \
                            line is longer than a result",
                    },
                },
                "additionalProperties": false,
                "description": "The lines of a text to read; by default all, or as many as fit",
            },
        });
        closed(properties, &["path"])
    }

    fn run(&self, call: &Call<'_>, arguments: ReadArguments) -> Result<ToolResult, Refusal> {
        call.operations.read(call.context, arguments, Paging::ByLines)
    }
}
