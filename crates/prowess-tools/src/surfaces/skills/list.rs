//! `skills.list`: the skills, a page at a time.

use std::borrow::Cow;

use prowess_core::{Catalog, ToolContext, ToolResult};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::problem::Problem;
use crate::operations::Operations;
use crate::operations::find::shown;
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "List the skills that there are, with their descriptions. Do this when you \
    do not see a list of skills, or when it says that it is not complete. The result may be one page \
    of several: then call again with `cursor` as its `next_cursor`.";

#[derive(Deserialize)]
struct Arguments {
    cursor: Option<String>,
    limit: Option<u64>,
}

pub(crate) struct List;

impl SkillTool for List {
    const NAME: &'static str = "skills.list";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    fn schema(&self, operations: &Operations) -> Value {
        let limit = format!("The number of skills; by default {}", operations.policy.list_page);
        json!({
            "type": "object",
            "properties": {
                "cursor": {
                    "type": "string",
                    "description": "The `next_cursor` of the page before; by default the start",
                },
                "limit": { "type": "integer", "description": limit },
            },
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
        let Arguments { cursor, limit } = Arguments::deserialize(arguments)?;
        let page = operations.list(context, cursor.as_deref(), limit);
        let skills: Value = page.records.iter().copied().map(shown).collect();
        let mut value = json!({ "generation": context.catalog.generation(), "skills": skills });
        if let Some(next) = page.next {
            value["next_cursor"] = next.into();
        }
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }
}
