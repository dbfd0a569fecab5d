//! `list_skills`, `read_skill` and `read_skill_resource`, which load nothing.

pub(super) mod propose;

use prowess_core::{Catalog, Content, Record, ToolResult};
use prowess_text::{clipped, model_value};
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill_tool::{Call, SkillTool, closed, text};
use crate::content::wrapper::wrapped;
use crate::gate::Refusal;
use crate::operations::Operations;
use crate::operations::find::{MOST_LISTED, shown};
use crate::operations::instructions::is_unknown;
use crate::operations::read::{Paging, ReadArguments};

/// The maximum number of required skills that a hint names.
const MOST_REQUIRED: usize = 16;

/// The maximum length of the name of one.
const MAX_NAME_CHARS: usize = 120;

#[derive(Deserialize)]
pub(super) struct ListArguments {
    #[serde(default)]
    query: String,
}

pub(super) struct ListSkills;

impl SkillTool for ListSkills {
    const NAME: &'static str = "list_skills";
    const DESCRIPTION: &'static str = "List the skills with their descriptions. Do this when you \
        look for a skill that fits the task at hand. With a query, only those that match it are \
        listed, the best first.";
    const WITHOUT_SKILLS: bool = true;
    type Arguments = ListArguments;

    fn schema(&self, _: &Operations) -> Value {
        let description = "What the skill is to do; by default all are listed";
        let query = json!({ "type": "string", "default": "", "description": description });
        closed(json!({ "query": query }), &[])
    }

    fn run(&self, call: &Call<'_>, arguments: ListArguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let hits = operations.search_parts(context, &arguments.query, MOST_LISTED);
        let is_complete = hits.len() < MOST_LISTED || context.catalog.len() <= MOST_LISTED;
        let skills: Value = hits.into_iter().map(|hit| shown(hit.record)).collect();
        let mut value = json!({ "skills": skills });
        if !is_complete {
            value["note"] = "There are more; give a query.".into();
        }
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }
}

#[derive(Deserialize)]
pub(super) struct SkillArguments {
    skill_id: String,
}

pub(super) struct ReadSkill;

fn read(call: &Call<'_>, id: &str) -> Result<ToolResult, Refusal> {
    let Call { operations, context } = *call;
    let (record, skill) = operations.instructions(context, id)?;
    let content = operations.content(context, record, &skill, operations.delivery.tags);
    let tokens = operations.counter.count(&content);
    let id = clipped(&skill.id, MAX_NAME_CHARS);
    let mut head = format!("Skill loaded: {id} (approx. {tokens} tokens)");
    if let Some(hint) = required_skills(record) {
        head.push('\n');
        head.push_str(&hint);
    }
    let text = wrapped(&skill, content, None, operations.delivery, context.boundary);
    let mut result = ToolResult::text(head);
    result.content.push(Content::Text { text });
    Ok(result)
}

/// Returns the hint about the skills that a skill requires. None of them is loaded.
fn required_skills(record: Record<'_>) -> Option<String> {
    let required = record.required_skills().take(MOST_REQUIRED);
    let names: Vec<_> = required.map(|skill| clipped(skill.id, MAX_NAME_CHARS)).collect();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!("This skill requires: {names}. Load it first if you haven't already.")
    })
}

impl SkillTool for ReadSkill {
    const NAME: &'static str = "read_skill";
    const DESCRIPTION: &'static str = "Read the instructions of a skill. Do this when the task at \
        hand matches the skill's description, before you do anything else.";
    const SKILL_FIELD: &'static str = "skill_id";
    const WITHOUT_SKILLS: bool = true;
    type Arguments = SkillArguments;

    fn schema(&self, _: &Operations) -> Value {
        closed(json!({ "skill_id": text("The id of the skill") }), &["skill_id"])
    }

    fn run(&self, call: &Call<'_>, arguments: SkillArguments) -> Result<ToolResult, Refusal> {
        let id = &arguments.skill_id;
        read(call, id).map_err(|refusal| unknown(call, id, refusal))
    }
}

/// Returns the refusal with this surface's message, if it is that no skill has the name.
pub(super) fn unknown(call: &Call<'_>, id: &str, refusal: Refusal) -> Refusal {
    if !is_unknown(&refusal) {
        return refusal;
    }
    let unknown = call.operations.unknown_skill(call.context, id);
    let suggestion = unknown.suggestion.map(|text| format!(" {text}")).unwrap_or_default();
    refusal.with_message(format!("{}.{suggestion}", unknown.sentence))
}

#[derive(Deserialize)]
pub(super) struct ResourceArguments {
    #[serde(default)]
    skill_id: Option<String>,
    path: String,
}

pub(super) struct ReadSkillResource;

fn resource_schema(required: &[&str]) -> Value {
    let skill = text("The id of the skill");
    closed(json!({ "skill_id": skill, "path": text("The file's path") }), required)
}

impl SkillTool for ReadSkillResource {
    const NAME: &'static str = "read_skill_resource";
    const DESCRIPTION: &'static str = "Read a file that belongs to a skill, such as a template. Do \
        this when the skill's instructions point to it. The path is relative to the skill's \
        directory.";
    const SKILL_FIELD: &'static str = "skill_id";
    const WITHOUT_SKILLS: bool = true;
    type Arguments = ResourceArguments;

    /// Accepts a call without an id, because a virtual URI as the path contains it.
    fn schema(&self, _: &Operations) -> Value {
        resource_schema(&["path"])
    }

    fn shown_schema(&self, _: &Operations, _: &Catalog) -> Option<Value> {
        Some(resource_schema(&["skill_id", "path"]))
    }

    fn run(&self, call: &Call<'_>, arguments: ResourceArguments) -> Result<ToolResult, Refusal> {
        let ResourceArguments { skill_id, path } = arguments;
        let id = skill_id.clone().unwrap_or_default();
        let file = ReadArguments { skill: skill_id, path, lines: None };
        call.operations.read(call.context, file, Paging::Whole).map_err(|refusal| {
            if refusal.code.as_str() == "path-escape" {
                return refusal.with_message("Path traversal detected");
            }
            unknown(call, &id, refusal)
        })
    }
}
