//! Lists and searches skills.

use prowess_core::{Ranked, Ranker as _, Record, ToolContext, virtual_uri};
use serde_json::{Value, json};

use super::Operations;
use crate::lookup::package::announcement;
use crate::lookup::reference::resolved;
use crate::lookup::word_filter::WordFilter;

/// The maximum number of skills in one page.
pub(crate) const MOST_LISTED: usize = 200;

/// The number of hits of a search that asks for no number.
pub(crate) const FEW: usize = 10;

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

    /// Returns the skills that match a query and that the caller may load, the best first.
    pub(crate) fn search<'c>(
        &self,
        context: &ToolContext<'c>,
        query: &str,
        limit: Option<u64>,
    ) -> Vec<Ranked<'c>> {
        let hits = self.ranker.rank(context.catalog, query, page_size(limit, FEW));
        let may_load = |hit: &Ranked<'_>| context.catalog.may_load(hit.record, context.caller);
        hits.into_iter().filter(may_load).collect()
    }

    /// Returns the skills that match a query as [`Self::search`] does, and behind them those that
    /// have it as a part of their words.
    pub(crate) fn search_parts<'c>(
        &self,
        context: &ToolContext<'c>,
        query: &str,
        limit: usize,
    ) -> Vec<Ranked<'c>> {
        let mut hits = self.search(context, query, Some(limit as u64));
        let parts = WordFilter.rank(context.catalog, query, limit);
        let may_load = |hit: &Ranked<'_>| context.catalog.may_load(hit.record, context.caller);
        for part in parts.into_iter().filter(may_load) {
            if hits.iter().all(|hit| hit.record.index() != part.record.index()) {
                hits.push(part);
            }
        }
        hits.truncate(limit);
        hits
    }
}

/// Returns the number of skills in a result: the requested one, or the policy's.
fn page_size(requested: Option<u64>, default: usize) -> usize {
    let requested = requested.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    requested.unwrap_or(default).clamp(1, MOST_LISTED)
}

/// Returns a skill as lists show it.
pub(crate) fn shown(record: Record<'_>) -> Value {
    let mut value = json!({ "id": record.id(), "name": record.name() });
    if !record.is_name_only() {
        value["description"] = record.description().into();
    }
    if let Some(note) = announcement(record) {
        value["note"] = note.into();
    }
    value
}
