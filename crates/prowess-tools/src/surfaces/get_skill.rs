//! `get_skill`: returns the instructions of a skill.

use prowess_core::{BodyTags, ToolResult};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill_tool::{Call, SkillTool, closed, text};
use crate::gate::Refusal;
use crate::operations::Operations;
use crate::operations::instructions::is_unknown;

#[derive(Deserialize)]
pub(super) struct Arguments {
    #[serde(rename = "skillName")]
    skill_name: String,
}

pub(super) struct GetSkill;

fn get(call: &Call<'_>, name: &str) -> Result<ToolResult, Refusal> {
    let Call { operations, context } = *call;
    let (record, skill) = operations.instructions(context, name)?;
    let mounted = operations.mounted(context, record, &skill);
    let mut value = json!({
        "name": skill.id,
        "description": record.description(),
        "mountPath": mounted.as_ref().ok(),
        "instructions": operations.content(context, record, &skill, BodyTags::Boundary),
    });
    if let Err(error) = mounted {
        value["mountError"] = json!(error.message);
    }
    model_value(&mut value);
    Ok(ToolResult::data(value))
}

impl SkillTool for GetSkill {
    const NAME: &'static str = "get_skill";
    const DESCRIPTION: &'static str = "Gets detailed information about an agent skill. Do this \
        when the task at hand matches the skill's description, and before you use any of its files \
        or scripts.";
    const SKILL_FIELD: &'static str = "skillName";
    type Arguments = Arguments;

    fn schema(&self, _: &Operations) -> Value {
        closed(json!({ "skillName": text("The name of the skill to retrieve") }), &["skillName"])
    }

    /// Returns errors in the form of the results, as an object.
    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let name = &arguments.skill_name;
        get(call, name).map_err(|refusal| {
            let message = if is_unknown(&refusal) {
                call.operations.unknown_skill(call.context, name).sentence
            } else {
                refusal.message.clone()
            };
            refusal.with_message(json!({ "error": message }).to_string())
        })
    }
}
