//! `activate_skill`: loads one skill.

use std::borrow::Cow;

use prowess_core::{Catalog, LoadMode, Record, ToolContext, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill_tool::SkillTool;
use crate::content::problem::Problem;
use crate::content::receipt;
use crate::operations::Operations;

const DESCRIPTION: &str = "Activate a skill to get its instructions. When the task at hand matches a \
    skill's description, activate the skill before you do anything else.";

#[derive(Deserialize)]
struct Arguments {
    name: String,
}

pub(super) struct ActivateSkill;

fn schema(mut name: Value) -> Value {
    name["description"] = "The name of the skill".into();
    json!({
        "type": "object",
        "properties": { "name": name },
        "required": ["name"],
        "additionalProperties": false,
    })
}

impl SkillTool for ActivateSkill {
    const NAME: &'static str = "activate_skill";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    /// Accepts any name, so that a location works too and a misspelt name gets a suggestion.
    fn schema(&self, _: &Operations) -> Value {
        schema(json!({ "type": "string" }))
    }

    fn shown_schema(&self, operations: &Operations, catalog: &Catalog) -> Option<Value> {
        Some(schema(operations.id_schema(catalog)))
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["name"].as_str().into_iter().collect()
    }

    fn subject<'c>(
        &self,
        operations: &Operations,
        context: &ToolContext<'c>,
        arguments: &Value,
    ) -> Option<Record<'c>> {
        operations.hooked_subject(context, &self.named_skills(arguments), LoadMode::Add)
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let Arguments { name } = Arguments::deserialize(arguments)?;
        let loaded = operations.load(context, &[name], LoadMode::Add)?;
        let bodies = operations.bodies(context, &loaded);
        let receipt =
            receipt::load_result(loaded.receipt, &loaded.already_loaded, operations.delivery);
        if bodies.is_empty() {
            return Ok(receipt);
        }
        Ok(ToolResult { content: bodies, ..receipt })
    }
}
