//! `skills.search`: the skills that match a query.

use std::borrow::Cow;

use prowess_core::{Catalog, Ranked, ToolContext, ToolResult};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::problem::Problem;
use crate::operations::Operations;
use crate::operations::find::{FEW, shown};
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "Search the skills for those that fit a task. Do this when the list of \
    skills is not complete and none of those that you see fits. Describe the task in a few words. \
    The best come first; load the one that fits before you go on.";

#[derive(Deserialize)]
struct Arguments {
    query: String,
    limit: Option<u64>,
}

pub(crate) struct Search;

impl SkillTool for Search {
    const NAME: &'static str = "skills.search";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "The task, in a few words" },
                "limit": {
                    "type": "integer",
                    "description": format!("The number of skills; by default {FEW}"),
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    }

    fn named_skills<'a>(&self, _: &'a Value) -> Vec<&'a str> {
        Vec::new()
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.policy.offers_discovery(catalog.len())
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let Arguments { query, limit } = Arguments::deserialize(arguments)?;
        let hits = operations.search(context, &query, limit);
        let hits: Value = hits
            .into_iter()
            .map(|Ranked { record, score }| {
                let mut hit = shown(record);
                hit["score"] = json!(score);
                hit
            })
            .collect();
        let mut value = json!({ "query": query, "hits": hits });
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }
}
