//! `skills.unload`: makes skills inactive.

use std::borrow::Cow;

use prowess_core::{Catalog, ToolContext, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codes;
use crate::content::problem::Problem;
use crate::content::receipt;
use crate::lookup::reference;
use crate::operations::Operations;
use crate::policy::ToolHost;
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "Unload skills whose instructions you no longer need. Do this when a task \
    is finished, so that old instructions do not stand in the way of the next one. Name the skills, \
    or unload all of them. A skill that is not active is no error.";

/// The description for a model of another program, whose conversation keeps the instructions.
const FOREIGN_DESCRIPTION: &str = "End the use of skills. Do this when a task is finished. Their \
    instructions remain in the conversation; do not follow them any more. Name the skills, or unload \
    all of them. A skill that is not active is no error.";

const STAYS: &str = "Their instructions remain in the conversation; do not follow them any more.";

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    all: bool,
}

pub(crate) struct Unload;

impl SkillTool for Unload {
    const NAME: &'static str = "skills.unload";

    fn description(&self, operations: &Operations, _: &Catalog) -> Cow<'static, str> {
        let is_foreign = operations.policy.host == ToolHost::Foreign;
        if is_foreign { FOREIGN_DESCRIPTION } else { DESCRIPTION }.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "names": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "The names of the skills to unload",
                },
                "all": {
                    "type": "boolean",
                    "description": "True to unload every active skill",
                },
            },
            "additionalProperties": false,
        })
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        reference::names(arguments)
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let Arguments { names, all } = Arguments::deserialize(arguments)?;
        let unloaded = if all {
            "Unloaded every skill.".to_owned()
        } else {
            receipt::short("Unloaded", names.iter().map(String::as_str))
        };
        let receipt = if all {
            operations.unload_which(context, &prowess_core::Unload::All)?
        } else if names.is_empty() {
            let message = "nothing to unload was named; give `names`, or `all` as true";
            return Err(Problem::new(codes::INVALID_ARGUMENTS, message));
        } else {
            operations.unload(context, names)?
        };
        if operations.policy.host == ToolHost::Foreign {
            return Ok(ToolResult::text(format!("{unloaded} {STAYS}")));
        }
        Ok(receipt::result(receipt, operations.delivery))
    }
}
