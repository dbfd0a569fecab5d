//! `activate_skill`: loads one skill.

use prowess_core::{Catalog, Content, LoadMode, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill_tool::{Call, SkillTool, closed};
use crate::content::receipt;
use crate::gate::Refusal;
use crate::operations::Operations;
use crate::operations::load::Loaded;

#[derive(Deserialize)]
pub(super) struct Arguments {
    name: String,
}

pub(super) struct ActivateSkill;

fn schema(mut name: Value) -> Value {
    name["description"] = "The name of the skill".into();
    closed(json!({ "name": name }), &["name"])
}

impl SkillTool for ActivateSkill {
    const NAME: &'static str = "activate_skill";
    const DESCRIPTION: &'static str = "Activate a skill to get its instructions. When the task at \
        hand matches a skill's description, activate the skill before you do anything else.";
    const SKILL_FIELD: &'static str = "name";
    type Arguments = Arguments;

    /// Accepts any name, so that a location works too and a misspelt name gets a suggestion.
    fn schema(&self, _: &Operations) -> Value {
        schema(json!({ "type": "string" }))
    }

    fn shown_schema(&self, operations: &Operations, catalog: &Catalog) -> Option<Value> {
        Some(schema(operations.id_schema(catalog)))
    }

    fn loads<'a>(&self, arguments: &'a Value) -> Option<(Vec<&'a str>, LoadMode)> {
        Some((self.named_skills(arguments), LoadMode::Add))
    }

    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let loaded = operations.load(context, &[arguments.name], LoadMode::Add)?;
        let mut bodies = operations.bodies(context, &loaded);
        let notes = [loaded.preferences(), loaded.made_room()].into_iter().flatten();
        let notes: Vec<_> = notes.map(|text| Content::Text { text }).collect();
        let Loaded { receipt, already_loaded, fork, .. } = loaded;
        let receipt = receipt::load_result(receipt, &already_loaded, operations.delivery);
        if bodies.is_empty() {
            return Ok(ToolResult { fork, ..receipt });
        }
        bodies.extend(notes);
        Ok(ToolResult { content: bodies, fork, ..receipt })
    }
}
