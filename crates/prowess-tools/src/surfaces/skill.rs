//! `skill`: activates or deactivates one skill.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, AllowedTools, Catalog, LoadMode, Record, RunPreference, ToolResult,
};
use prowess_text::{clipped, model_value, quoted};
use serde::Deserialize;
use serde_json::{Value, json};

use super::read_skill::unknown;
use super::skill_tool::{Call, SkillTool, closed, text};
use crate::codes;
use crate::gate::Refusal;
use crate::operations::Operations;
use crate::operations::instructions::is_unknown;
use crate::operations::load::Loaded;

/// The maximum length of a word that a message repeats.
const MAX_WORD_CHARS: usize = 120;

#[derive(Deserialize)]
pub(super) struct Arguments {
    skill_name: Option<String>,
    args: Option<String>,
    action: Option<String>,
}

pub(super) struct Skill;

fn activate(call: &Call<'_>, name: &str, args: Option<&str>) -> Result<ToolResult, Refusal> {
    let Call { operations, context } = *call;
    let loaded = operations.load(context, &[name.to_owned()], LoadMode::Add)?;
    let Loaded { records, skills, .. } = &loaded;
    let show = operations.delivery.show_location;
    let instructions = |(&record, skill): (&Record<'_>, &Arc<ActiveSkill>)| {
        json!({
            "skill_name": skill.id,
            "base_path": show.directory(&skill.id, &skill.root_dir),
            "content": operations.body_or_place(context, &loaded, record, skill),
            "allowed_tools": allowed_tools(&skill.allowed_tools),
        })
    };
    let mut results: Vec<_> = records.iter().zip(skills).map(instructions).collect();
    let (Some(mut value), Some(skill)) = (results.pop(), skills.last()) else {
        return Err(Refusal::new(codes::SKILL_NOT_FOUND, "nothing was named"));
    };
    value["args"] = args.unwrap_or_default().into();
    value["status"] = "activated".into();
    if let Some(note) = loaded.own_session() {
        value["note"] = note.into();
    }
    if !results.is_empty() {
        value["required_skills"] = results.into();
    }
    let RunPreference { fork, agent, model } = RunPreference::of(&skill.properties);
    let context = fork.then(|| "fork".to_owned());
    for (field, wish) in [("context", context), ("agent", agent), ("model", model)] {
        if let Some(wish) = wish {
            value[field] = clipped(&wish, MAX_WORD_CHARS).into();
        }
    }
    model_value(&mut value);
    Ok(ToolResult { fork: loaded.fork, ..ToolResult::data(value) })
}

fn deactivate(call: &Call<'_>, name: &str) -> Result<ToolResult, Refusal> {
    let Call { operations, context } = *call;
    let is_active = operations.is_active(context, name)?;
    if !is_active {
        operations.find(context, name)?;
    }
    // A stack without skills is an error of its own.
    operations.unload(context, vec![name.to_owned()])?;
    if !is_active {
        let state = context.session.state()?;
        let top =
            state.current().map(|top| format!("; {} is the last one that is", quoted(&top.id)));
        let message = format!("skill {} is not active{}", quoted(name), top.unwrap_or_default());
        return Err(Refusal::new(codes::SKILL_NOT_ACTIVE, message));
    }
    let mut value = json!({ "skill_name": name, "status": "deactivated" });
    model_value(&mut value);
    Ok(ToolResult::data(value))
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

fn schema(action: &Value, required: &[&str]) -> Value {
    let properties = json!({
        "skill_name": text("Name of the skill to invoke (from available_skills)"),
        "args": text("Optional arguments to pass to the skill"),
        "action": action,
    });
    closed(properties, required)
}

impl SkillTool for Skill {
    const NAME: &'static str = "skill";
    const DESCRIPTION: &'static str = "Activate a skill to get its instructions, or deactivate it \
        when its task is finished. A skill is a set of instructions for one kind of task. When the \
        task at hand matches a skill's description, activate the skill before you do anything else.";
    const SKILL_FIELD: &'static str = "skill_name";
    type Arguments = Arguments;

    /// Accepts a call without a name: its message has a fixed text.
    fn schema(&self, _: &Operations) -> Value {
        schema(&text("`activate`, which is the default, or `deactivate`"), &[])
    }

    fn shown_schema(&self, _: &Operations, _: &Catalog) -> Option<Value> {
        let action = json!({
            "type": "string",
            "enum": ["activate", "deactivate"],
            "default": "activate",
            "description": "`deactivate` when the skill's task is finished",
        });
        Some(schema(&action, &["skill_name"]))
    }

    fn loads<'a>(&self, arguments: &'a Value) -> Option<(Vec<&'a str>, LoadMode)> {
        let action = arguments["action"].as_str().map_or("", str::trim);
        let names = self.named_skills(arguments).into_iter().map(str::trim).collect();
        matches!(action, "" | "activate").then_some((names, LoadMode::Add))
    }

    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let Arguments { skill_name, args, action } = arguments;
        let name = skill_name.as_deref().map_or("", str::trim);
        if name.is_empty() {
            return Err(Refusal::new(codes::INVALID_ARGUMENTS, "skill_name is required"));
        }
        let action = action.as_deref().map(str::trim).filter(|action| !action.is_empty());
        let action = action.unwrap_or("activate");
        let result = match action {
            "activate" => activate(call, name, args.as_deref()),
            "deactivate" => deactivate(call, name),
            other => {
                let other = clipped(other, MAX_WORD_CHARS);
                let message = format!("Unknown action '{other}'. Use 'activate' or 'deactivate'.");
                return Err(Refusal::new(codes::INVALID_ARGUMENTS, message));
            }
        };
        result.map_err(|refusal| {
            if is_unknown(&refusal) {
                unknown(call, name, refusal)
            } else {
                let message = format!("Skill {action} failed: {}", refusal.message);
                refusal.with_message(message)
            }
        })
    }
}
