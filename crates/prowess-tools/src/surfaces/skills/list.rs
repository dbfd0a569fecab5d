//! `skills.list`: the skills, a page at a time.

use std::borrow::Cow;

use prowess_core::{Catalog, Record, ToolContext, ToolResult, virtual_uri};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::problem::Problem;
use crate::lookup::reference::resolved;
use crate::operations::Operations;
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "List the skills that there are, with their descriptions. Do this when you \
    do not see a list of skills, or when it says that it is not complete. The result may be one page \
    of several: then call again with `cursor` as its `next_cursor`.";

/// The maximum number of skills in one page.
pub(crate) const MOST_LISTED: usize = 200;

#[derive(Deserialize)]
struct Arguments {
    cursor: Option<String>,
    limit: Option<u64>,
}

/// Skills in the order of their ids.
pub(crate) struct SkillPage<'c> {
    pub(crate) records: Vec<Record<'c>>,
    /// The cursor of the next page; `None` after the last.
    pub(crate) next: Option<String>,
}

impl Operations {
    /// Returns the skills after the cursor that the caller may load, at most `limit` of them.
    pub(crate) fn list<'c>(
        &self,
        context: &ToolContext<'c>,
        cursor: Option<&str>,
        limit: Option<u64>,
    ) -> SkillPage<'c> {
        let limit = page_size(limit, self.policy.list_page);
        // A cursor is the last id of a page, so it stays valid when the catalog changes.
        let after = cursor.filter(|cursor| !cursor.is_empty()).map(resolved);
        let is_after = |record: &Record<'_>| after.as_deref().is_none_or(|id| record.id() > id);
        let may_load = |record: &Record<'_>| context.catalog.may_load(*record, context.caller);
        let mut rest = context.catalog.skills().filter(is_after).filter(may_load);
        let records: Vec<_> = rest.by_ref().take(limit).collect();
        let last = records.last().filter(|_| rest.next().is_some());
        let next = last.map(|record| virtual_uri(record.id(), ""));
        SkillPage { records, next }
    }
}

/// Returns the number of skills in a result: the requested one, or the policy's.
pub(crate) fn page_size(requested: Option<u64>, default: usize) -> usize {
    let requested = requested.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    requested.unwrap_or(default).clamp(1, MOST_LISTED)
}

/// Returns a skill as lists show it.
pub(crate) fn shown(record: Record<'_>) -> Value {
    let mut value = json!({ "id": record.id(), "name": record.name() });
    if !record.is_name_only() {
        value["description"] = record.description().into();
    }
    value
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
