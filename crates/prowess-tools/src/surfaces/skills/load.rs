//! `skills.load` makes skills active, all of them or none. `skills.unload` makes them inactive.

use prowess_core::{Catalog, LoadMode, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codes;
use crate::content::receipt;
use crate::gate::Refusal;
use crate::lookup::reference;
use crate::operations::Operations;
use crate::operations::load::{LoadArguments, Loaded};
use crate::policy::ToolHost;
use crate::surfaces::skill_tool::{Call, SkillTool, closed};

/// The end of the description of a load: where the instructions will be.
const BODY_FOLLOWS: &str = "The result confirms what is active; the instructions themselves are \
    there from your next turn on.";
const BODY_IS_HERE: &str = "The result holds the instructions.";

pub(crate) struct Load;

/// Returns the schema of names of skills.
fn names(items: &Value, description: &str) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1, "description": description })
}

/// Returns the schema; a model that reads bodies in results can ask for one again.
fn schema(items: &Value, operations: &Operations) -> Value {
    let mut properties = json!({
        "names": names(items, "The names of the skills to load, from the list of skills"),
        "mode": {
            "type": "string",
            "enum": ["replace", "add"],
            "default": "replace",
            "description": "`replace`: the skills that are active now give way. \
                `add`: they stay active",
        },
    });
    if operations.delivery.bodies.is_in_result() {
        properties["force"] = json!({
            "type": "boolean",
            "description": "True to get instructions again that are no longer in the conversation",
        });
    }
    closed(properties, &["names"])
}

impl SkillTool for Load {
    const NAME: &'static str = "skills.load";
    const DESCRIPTION: &'static str = "Load one or more skills. A skill is a set of instructions \
        for one kind of task. When the task at hand matches a skill's description, load the skill \
        before you do anything else, and before you read any of its files. ";
    type Arguments = LoadArguments;

    fn description(&self, operations: &Operations) -> String {
        let is_here = operations.delivery.bodies.is_in_result();
        let body = if is_here { BODY_IS_HERE } else { BODY_FOLLOWS };
        [Self::DESCRIPTION, body].concat()
    }

    /// Accepts any name, so that a location works too and a misspelt name gets a suggestion.
    fn schema(&self, operations: &Operations) -> Value {
        schema(&json!({ "type": "string" }), operations)
    }

    /// A model of another program loads skills in addition to others.
    fn shown_schema(&self, operations: &Operations, catalog: &Catalog) -> Option<Value> {
        let items = operations.id_schema(catalog);
        if operations.policy.host == ToolHost::Foreign {
            let names = names(&items, "The names of the skills to load");
            return Some(closed(json!({ "names": names }), &["names"]));
        }
        Some(schema(&items, operations))
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        reference::names(arguments)
    }

    fn loads<'a>(&self, arguments: &'a Value) -> Option<(Vec<&'a str>, LoadMode)> {
        let mode = LoadMode::deserialize(&arguments["mode"]).unwrap_or_default();
        Some((reference::names(arguments), mode))
    }

    fn run(&self, call: &Call<'_>, arguments: LoadArguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let loaded = operations.load_with(context, &arguments)?;
        let bodies = operations.bodies(context, &loaded);
        let sentences = [loaded.preferences(), loaded.earlier(), loaded.made_room()];
        let sentences: Vec<_> = sentences.into_iter().flatten().collect();
        let Loaded { receipt, already_loaded, fork, skills, .. } = loaded;
        let mut result = if operations.policy.host == ToolHost::Foreign {
            let ids = skills.iter().map(|skill| skill.id.as_str());
            let loaded = std::iter::once(receipt::short("Loaded", ids)).chain(sentences);
            ToolResult::text(loaded.collect::<Vec<_>>().join(" "))
        } else {
            receipt::load_result(receipt, &already_loaded, operations.delivery)
        };
        result.content.extend(bodies);
        Ok(ToolResult { fork, ..result })
    }
}

/// The description of an unload for a model of another program, whose conversation keeps the
/// instructions.
const FOREIGN_UNLOAD: &str = "End the use of skills. Do this when a task is finished. Their \
    instructions remain in the conversation; do not follow them any more. Name the skills, or unload \
    all of them. A skill that is not active is no error.";
const STAYS: &str = "Their instructions remain in the conversation; do not follow them any more.";

#[derive(Deserialize)]
pub(crate) struct UnloadArguments {
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    all: bool,
}

pub(crate) struct Unload;

impl SkillTool for Unload {
    const NAME: &'static str = "skills.unload";
    const DESCRIPTION: &'static str = "Unload skills whose instructions you no longer need. Do \
        this when a task is finished, so that old instructions do not stand in the way of the next \
        one. Name the skills, or unload all of them. A skill that is not active is no error.";
    type Arguments = UnloadArguments;

    fn description(&self, operations: &Operations) -> String {
        let is_foreign = operations.policy.host == ToolHost::Foreign;
        if is_foreign { FOREIGN_UNLOAD } else { Self::DESCRIPTION }.to_owned()
    }

    fn schema(&self, _: &Operations) -> Value {
        let properties = json!({
            "names": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The names of the skills to unload",
            },
            "all": { "type": "boolean", "description": "True to unload every active skill" },
        });
        closed(properties, &[])
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        reference::names(arguments)
    }

    fn run(&self, call: &Call<'_>, arguments: UnloadArguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let UnloadArguments { names, all } = arguments;
        let unloaded = if all && context.session.state()?.active.is_empty() {
            "No skill was loaded.".to_owned()
        } else if all {
            format!("Unloaded every skill. {STAYS}")
        } else {
            let (ended, others) = operations.active_of(context, &names)?;
            let is_any = !ended.is_empty();
            let ended = is_any.then(|| receipt::short("Unloaded", ended.into_iter()) + " " + STAYS);
            let others =
                (!others.is_empty()).then(|| receipt::short("Not loaded:", others.into_iter()));
            ended.into_iter().chain(others).collect::<Vec<_>>().join(" ")
        };
        let receipt = if all {
            context.session.unload(&prowess_core::Unload::All)?
        } else if names.is_empty() {
            let message = "nothing to unload was named; give `names`, or `all` as true";
            return Err(Refusal::new(codes::INVALID_ARGUMENTS, message));
        } else {
            operations.unload(context, names)?
        };
        if operations.policy.host == ToolHost::Foreign {
            return Ok(ToolResult::text(unloaded));
        }
        Ok(receipt::result(receipt, operations.delivery))
    }
}
