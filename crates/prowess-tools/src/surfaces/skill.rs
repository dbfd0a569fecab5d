//! `skill`: activates or deactivates one skill.

use std::borrow::Cow;

use prowess_core::{AllowedTools, Catalog, LoadMode, Record, ToolContext, ToolResult};
use prowess_text::{clipped, model_value};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::skill_tool::SkillTool;
use crate::codes;
use crate::content::problem::Problem;
use crate::operations::Operations;
use crate::operations::instructions::is_unknown;
use crate::operations::load::Loaded;

const DESCRIPTION: &str = "Activate a skill to get its instructions, or deactivate it when its task is \
    finished. A skill is a set of instructions for one kind of task. When the task at hand matches a \
    skill's description, activate the skill before you do anything else.";

/// The maximum length of a word that a message repeats.
const MAX_WORD_CHARS: usize = 120;

#[derive(Deserialize)]
struct Arguments {
    skill_name: Option<String>,
    args: Option<String>,
    action: Option<String>,
}

pub(super) struct Skill;

impl Skill {
    fn activate(
        operations: &Operations,
        context: &ToolContext<'_>,
        name: &str,
        args: Option<&str>,
    ) -> Result<ToolResult, Problem> {
        let loaded = operations.load(context, &[name.to_owned()], LoadMode::Add)?;
        let Loaded { records, skills, .. } = &loaded;
        let (Some(&record), Some(skill)) = (records.first(), skills.first()) else {
            return Err(Problem::new(codes::SKILL_NOT_FOUND, "nothing was named"));
        };
        let content = operations.body_or_place(context, &loaded, record, skill);
        let show = operations.delivery.show_location;
        let mut value = json!({
            "skill_name": skill.id,
            "base_path": show.directory(&skill.id, &skill.root_dir),
            "content": content,
            "allowed_tools": allowed_tools(&skill.allowed_tools),
            "args": args,
            "status": "activated",
        });
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }

    fn deactivate(
        operations: &Operations,
        context: &ToolContext<'_>,
        name: &str,
    ) -> Result<ToolResult, Problem> {
        if !operations.is_active(context, name)? {
            // An unknown name is an error, and a skill that is not active is none.
            operations.find(context, name)?;
        }
        operations.unload(context, vec![name.to_owned()])?;
        let mut value = json!({ "skill_name": name, "status": "deactivated" });
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }
}

/// Returns the rules as they were written; null if the skill names no tools at all.
fn allowed_tools(tools: &AllowedTools) -> Value {
    match tools {
        AllowedTools::Absent => Value::Null,
        AllowedTools::Empty | AllowedTools::Rules(_) => {
            tools.rules().iter().map(ToString::to_string).collect()
        }
    }
}

/// Returns the message of a failed call. A call without an action has the older one.
fn failed(problem: Problem, action: Option<&str>) -> Problem {
    let message = match action {
        Some(action) => format!("Skill {action} failed: {}", problem.message()),
        None => format!("Failed to load skill: {}", problem.message()),
    };
    problem.with_message(message)
}

impl SkillTool for Skill {
    const NAME: &'static str = "skill";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    /// Accepts a call without a name: its message has a fixed text.
    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill_name": { "type": "string", "description": "The name of the skill" },
                "args": { "type": "string", "description": "Arguments for the skill" },
                "action": {
                    "type": "string",
                    "description": "`activate`, which is the default, or `deactivate`",
                },
            },
            "additionalProperties": false,
        })
    }

    fn shown_schema(&self, operations: &Operations, _: &Catalog) -> Option<Value> {
        let mut schema = self.schema(operations);
        schema["properties"]["action"] = json!({
            "type": "string",
            "enum": ["activate", "deactivate"],
            "default": "activate",
            "description": "`deactivate` when the skill's task is finished",
        });
        let fields = schema.as_object_mut().map_or_else(Map::new, std::mem::take);
        let mut shown = Map::new();
        for (name, value) in fields {
            if name == "additionalProperties" {
                shown.insert("required".to_owned(), json!(["skill_name"]));
            }
            shown.insert(name, value);
        }
        Some(shown.into())
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["skill_name"].as_str().into_iter().collect()
    }

    fn subject<'c>(
        &self,
        operations: &Operations,
        context: &ToolContext<'c>,
        arguments: &Value,
    ) -> Option<Record<'c>> {
        let action = arguments["action"].as_str().map_or("", str::trim);
        let is_load = matches!(action, "" | "activate");
        let names = self.named_skills(arguments).into_iter().map(str::trim).collect::<Vec<_>>();
        is_load.then(|| operations.hooked_subject(context, &names, LoadMode::Add)).flatten()
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let Arguments { skill_name, args, action } = Arguments::deserialize(arguments)?;
        let name = skill_name.as_deref().map_or("", str::trim);
        if name.is_empty() {
            return Err(Problem::new(codes::INVALID_ARGUMENTS, "skill_name is required"));
        }
        let action = action.as_deref().map(str::trim).filter(|action| !action.is_empty());
        let result = match action.unwrap_or("activate") {
            "activate" => Self::activate(operations, context, name, args.as_deref()),
            "deactivate" => Self::deactivate(operations, context, name),
            other => {
                let other = clipped(other, MAX_WORD_CHARS);
                let message = format!("Unknown action '{other}'. Use 'activate' or 'deactivate'.");
                return Err(Problem::new(codes::INVALID_ARGUMENTS, message));
            }
        };
        result.map_err(|problem| {
            if !is_unknown(&problem) {
                return failed(problem, action);
            }
            let unknown = operations.unknown_skill(context, name);
            let suggestion = unknown.suggestion.map(|text| format!(" {text}")).unwrap_or_default();
            problem.with_message(format!("{}.{suggestion}", unknown.sentence))
        })
    }
}
