//! `list_skills`, `read_skill` and `read_skill_resource`, which load nothing.

pub(super) mod propose;

use std::borrow::Cow;

use prowess_core::{Catalog, Content, Record, ToolContext, ToolResult};
use prowess_text::{clipped, model_value};
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill_tool::SkillTool;
use crate::content::problem::Problem;
use crate::content::wrapper::wrapped;
use crate::operations::Operations;
use crate::operations::find::{MOST_LISTED, shown};
use crate::operations::instructions::is_unknown;
use crate::operations::read::ReadArguments;

const LIST: &str = "List the skills with their descriptions. Do this when you look for a skill that \
    fits the task at hand. With a query, only those that match it are listed, the best first.";
const READ: &str = "Read the instructions of a skill. Do this when the task at hand matches the skill's \
    description, before you do anything else.";
const RESOURCE: &str = "Read a file that belongs to a skill, such as a template. Do this when the \
    skill's instructions point to it. The path is relative to the skill's directory.";

/// The maximum number of required skills that a hint names.
const MOST_REQUIRED: usize = 16;

/// The maximum length of the name of one.
const MAX_NAME_CHARS: usize = 120;

#[derive(Deserialize)]
struct ListArguments {
    #[serde(default)]
    query: String,
}

pub(super) struct ListSkills;

impl SkillTool for ListSkills {
    const NAME: &'static str = "list_skills";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        LIST.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "default": "",
                    "description": "What the skill is to do; by default all are listed",
                },
            },
            "additionalProperties": false,
        })
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let ListArguments { query } = ListArguments::deserialize(arguments)?;
        let hits = operations.search(context, &query, Some(MOST_LISTED as u64));
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
struct SkillArguments {
    skill_id: String,
}

pub(super) struct ReadSkill;

impl ReadSkill {
    fn read(
        operations: &Operations,
        context: &ToolContext<'_>,
        id: &str,
    ) -> Result<ToolResult, Problem> {
        let (record, skill) = operations.instructions(context, id)?;
        let content = operations.content(context, record, &skill);
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

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        READ.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill_id": { "type": "string", "description": "The id of the skill" },
            },
            "required": ["skill_id"],
            "additionalProperties": false,
        })
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["skill_id"].as_str().into_iter().collect()
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let SkillArguments { skill_id } = SkillArguments::deserialize(arguments)?;
        Self::read(operations, context, &skill_id)
            .map_err(|problem| unknown(operations, context, &skill_id, problem))
    }
}

/// Returns the problem with this surface's message, if it is that no skill has the name.
pub(super) fn unknown(
    operations: &Operations,
    context: &ToolContext<'_>,
    id: &str,
    problem: Problem,
) -> Problem {
    if !is_unknown(&problem) {
        return problem;
    }
    let unknown = operations.unknown_skill(context, id);
    let suggestion = unknown.suggestion.map(|text| format!(" {text}")).unwrap_or_default();
    problem.with_message(format!("{}.{suggestion}", unknown.sentence))
}

#[derive(Deserialize)]
struct ResourceArguments {
    #[serde(default)]
    skill_id: Option<String>,
    path: String,
}

pub(super) struct ReadSkillResource;

impl SkillTool for ReadSkillResource {
    const NAME: &'static str = "read_skill_resource";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        RESOURCE.into()
    }

    /// Accepts a call without an id, because a virtual URI as the path contains it.
    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill_id": { "type": "string", "description": "The id of the skill" },
                "path": { "type": "string", "description": "The file's path" },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn shown_schema(&self, operations: &Operations, _: &Catalog) -> Option<Value> {
        let mut schema = self.schema(operations);
        schema["required"] = json!(["skill_id", "path"]);
        Some(schema)
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["skill_id"].as_str().into_iter().collect()
    }

    fn named_resource<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        arguments["path"].as_str()
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let ResourceArguments { skill_id, path } = ResourceArguments::deserialize(arguments)?;
        let id = skill_id.clone().unwrap_or_default();
        let file = ReadArguments { skill: skill_id, path, lines: None };
        operations.read(context, file).map_err(|problem| {
            if problem.code().as_str() == "path-escape" {
                return problem.with_message("Path traversal detected");
            }
            unknown(operations, context, &id, problem)
        })
    }
}
