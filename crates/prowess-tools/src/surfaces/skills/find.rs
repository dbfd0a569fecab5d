//! `skills.list`: the skills, a page at a time. `skills.search`: those that match a query.

use prowess_core::{Availability, Catalog, Ranked, Record, ToolContext, ToolResult, Trust};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::gate::Refusal;
use crate::operations::Operations;
use crate::operations::find::{FEW, shown};
use crate::policy::ToolHost;
use crate::surfaces::skill_tool::{Call, SkillTool, closed, text};

/// Returns the schema of a number of skills.
fn limit(default: usize) -> Value {
    let description = format!("The number of skills; by default {default}");
    json!({ "type": "integer", "description": description })
}

/// Returns the skills of `find`, with half of them as often as the program of the model would cut
/// the result. `find` returns their number and the data.
fn fitting(
    context: &ToolContext<'_>,
    mut limit: Option<u64>,
    find: impl Fn(Option<u64>) -> (usize, Value),
) -> ToolResult {
    loop {
        let (count, mut value) = find(limit);
        model_value(&mut value);
        let result = ToolResult::data(value);
        let length = result.texts().map(str::len).sum::<usize>();
        if count <= 1 || context.result_bytes.is_none_or(|most| length <= most) {
            return result;
        }
        limit = Some(count as u64 / 2);
    }
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

    /// A foreign program may have no other way to learn of skills that wait for trust.
    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        let waits = |record: Record<'_>| {
            record.availability() == Availability::Hidden && record.trust() == Trust::AskFirst
        };
        let policy = &operations.policy;
        let has_waiting = policy.host == ToolHost::Foreign && catalog.excluded().any(waits);
        policy.offers_discovery(catalog.len() + usize::from(has_waiting))
    }

    fn run(&self, call: &Call<'_>, arguments: ListArguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        Ok(fitting(context, arguments.limit, |limit| {
            let page = operations.list(context, arguments.cursor.as_deref(), limit);
            let skills: Value = page.records.iter().copied().map(shown).collect();
            let mut value = json!({ "generation": context.catalog.generation(), "skills": skills });
            if let Some(next) = page.next {
                value["next_cursor"] = next.into();
            }
            (page.records.len(), value)
        }))
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
        let Call { operations, context } = *call;
        Ok(fitting(context, limit, |limit| {
            let hits = operations.search(context, &query, limit);
            let count = hits.len();
            let hits = hits.into_iter().map(|Ranked { record, score }| {
                let mut hit = shown(record);
                hit["score"] = json!(score);
                hit
            });
            (count, json!({ "query": query, "hits": hits.collect::<Value>() }))
        }))
    }
}
