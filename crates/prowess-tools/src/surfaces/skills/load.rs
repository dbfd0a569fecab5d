//! `skills.load`: makes skills active, all of them or none.

use std::borrow::Cow;

use prowess_core::{BodyDelivery, Catalog, LoadMode, Record, ToolContext, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::problem::Problem;
use crate::content::receipt;
use crate::lookup::reference;
use crate::operations::Operations;
use crate::operations::load::{LoadArguments, Loaded};
use crate::policy::ToolHost;
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "Load one or more skills. A skill is a set of instructions for one kind of \
    task. When the task at hand matches a skill's description, load the skill before you do anything \
    else, and before you read any of its files. ";

/// The end of the description: where the instructions will be.
const BODY_FOLLOWS: &str = "The result confirms what is active; the instructions themselves are there from your next turn on.";
const BODY_IS_HERE: &str = "The result holds the instructions.";

pub(crate) struct Load;

/// Returns the schema for a model of another program, which loads skills in addition to others.
fn foreign_schema(items: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "names": {
                "type": "array",
                "items": items,
                "minItems": 1,
                "description": "The names of the skills to load",
            },
        },
        "required": ["names"],
        "additionalProperties": false,
    })
}

/// Returns the schema; a model that reads bodies in results can ask for one again.
fn schema(items: &Value, delivery: BodyDelivery) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "names": {
                "type": "array",
                "items": items,
                "minItems": 1,
                "description": "The names of the skills to load, from the list of skills",
            },
            "mode": {
                "type": "string",
                "enum": ["replace", "add"],
                "default": "replace",
                "description": "`replace`: the skills that are active now give way. \
                    `add`: they stay active",
            },
        },
        "required": ["names"],
        "additionalProperties": false,
    });
    if delivery.is_in_result() {
        schema["properties"]["force"] = json!({
            "type": "boolean",
            "description": "True to get instructions again that are no longer in the conversation",
        });
    }
    schema
}

impl SkillTool for Load {
    const NAME: &'static str = "skills.load";

    fn description(&self, operations: &Operations, _: &Catalog) -> Cow<'static, str> {
        let is_here = operations.delivery.bodies.is_in_result();
        let body = if is_here { BODY_IS_HERE } else { BODY_FOLLOWS };
        format!("{DESCRIPTION}{body}").into()
    }

    /// Accepts any name, so that a location works too and a misspelt name gets a suggestion.
    fn schema(&self, operations: &Operations) -> Value {
        schema(&json!({ "type": "string" }), operations.delivery.bodies)
    }

    fn shown_schema(&self, operations: &Operations, catalog: &Catalog) -> Option<Value> {
        let items = operations.id_schema(catalog);
        if operations.policy.host == ToolHost::Foreign {
            return Some(foreign_schema(&items));
        }
        Some(schema(&items, operations.delivery.bodies))
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        reference::names(arguments)
    }

    fn subject<'c>(
        &self,
        operations: &Operations,
        context: &ToolContext<'c>,
        arguments: &Value,
    ) -> Option<Record<'c>> {
        let mode = LoadMode::deserialize(&arguments["mode"]).unwrap_or_default();
        operations.hooked_subject(context, &reference::names(arguments), mode)
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let loaded = operations.load_with(context, &LoadArguments::deserialize(arguments)?)?;
        let bodies = operations.bodies(context, &loaded);
        let Loaded { receipt, already_loaded, skills, .. } = loaded;
        let mut result = if operations.policy.host == ToolHost::Foreign {
            let ids = skills.iter().map(|skill| skill.id.as_str());
            ToolResult::text(receipt::short("Loaded", ids))
        } else {
            receipt::load_result(receipt, &already_loaded, operations.delivery)
        };
        result.content.extend(bodies);
        Ok(result)
    }
}
