//! `skills.list`: the skills, a page at a time. `skills.search`: those that match a query.

use prowess_core::{Catalog, Ranked, ToolResult};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::gate::Refusal;
use crate::operations::Operations;
use crate::operations::find::{FEW, shown};
use crate::surfaces::skill_tool::{Call, SkillTool, closed, text};

/// Returns the schema of a number of skills.
fn limit(default: usize) -> Value {
    let description = format!("The number of skills; by default {default}");
    json!({ "type": "integer", "description": description })
}

#[derive(Deserialize)]
pub(crate) struct ListArguments {
    cursor: Option<String>,
    limit: Option<u64>,
}

pub(crate) struct List;

impl SkillTool for List {
    const NAME: &'static str = "skills.list";
    const DESCRIPTION: &'static str = "List the skills that there are, with their descriptions. Do \
        this when you do not see a list of skills, or when it says that it is not complete. The \
        result may be one page of several: then call again with `cursor` as its `next_cursor`.";
    type Arguments = ListArguments;

    fn schema(&self, operations: &Operations) -> Value {
        let cursor = text("The `next_cursor` of the page before; by default the start");
        closed(json!({ "cursor": cursor, "limit": limit(operations.policy.list_page) }), &[])
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.policy.offers_discovery(catalog.len())
    }

    fn run(&self, call: &Call<'_>, arguments: ListArguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let page = operations.list(context, arguments.cursor.as_deref(), arguments.limit);
        let skills: Value = page.records.iter().copied().map(shown).collect();
        let mut value = json!({ "generation": context.catalog.generation(), "skills": skills });
        if let Some(next) = page.next {
            value["next_cursor"] = next.into();
        }
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }
}

#[derive(Deserialize)]
pub(crate) struct SearchArguments {
    query: String,
    limit: Option<u64>,
}

pub(crate) struct Search;

impl SkillTool for Search {
    const NAME: &'static str = "skills.search";
    const DESCRIPTION: &'static str = "Search the skills for those that fit a task. Do this when \
        the list of skills is not complete and none of those that you see fits. Describe the task \
        in a few words. The best come first; load the one that fits before you go on.";
    type Arguments = SearchArguments;

    fn schema(&self, _: &Operations) -> Value {
        let query = text("The task, in a few words");
        closed(json!({ "query": query, "limit": limit(FEW) }), &["query"])
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.policy.offers_discovery(catalog.len())
    }

    fn run(&self, call: &Call<'_>, arguments: SearchArguments) -> Result<ToolResult, Refusal> {
        let SearchArguments { query, limit } = arguments;
        let hits = call.operations.search(call.context, &query, limit).into_iter();
        let hits = hits.map(|Ranked { record, score }| {
            let mut hit = shown(record);
            hit["score"] = json!(score);
            hit
        });
        let mut value = json!({ "query": query, "hits": hits.collect::<Value>() });
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }
}
