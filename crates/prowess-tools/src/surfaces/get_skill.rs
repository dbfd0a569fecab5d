//! `get_skill`: returns the instructions of a skill.

use std::borrow::Cow;

use prowess_core::{Catalog, ToolContext, ToolResult};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill_tool::SkillTool;
use crate::content::problem::Problem;
use crate::operations::Operations;
use crate::operations::instructions::is_unknown;

const DESCRIPTION: &str = "Get the instructions of a skill. Do this when the task at hand matches the \
    skill's description, and before you use any of its files or scripts.";

#[derive(Deserialize)]
struct Arguments {
    #[serde(rename = "skillName")]
    skill_name: String,
}

pub(super) struct GetSkill;

fn get(
    operations: &Operations,
    context: &ToolContext<'_>,
    name: &str,
) -> Result<ToolResult, Problem> {
    let (record, skill) = operations.instructions(context, name)?;
    let mounted = operations.mounted(context, record, &skill);
    let mut value = json!({
        "name": skill.id,
        "description": record.description(),
        "mountPath": mounted.as_ref().ok(),
        "instructions": operations.content(context, record, &skill),
    });
    if let Err(error) = mounted {
        value["mountError"] = json!(error.message);
    }
    model_value(&mut value);
    Ok(ToolResult::data(value))
}

impl SkillTool for GetSkill {
    const NAME: &'static str = "get_skill";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skillName": { "type": "string", "description": "The name of the skill" },
            },
            "required": ["skillName"],
            "additionalProperties": false,
        })
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["skillName"].as_str().into_iter().collect()
    }

    /// Returns errors in the form of the results, as an object.
    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let Arguments { skill_name } = Arguments::deserialize(arguments)?;
        get(operations, context, &skill_name).map_err(|problem| {
            let message = if is_unknown(&problem) {
                operations.unknown_skill(context, &skill_name).sentence
            } else {
                problem.message().to_owned()
            };
            problem.with_message(json!({ "error": message }).to_string())
        })
    }
}
