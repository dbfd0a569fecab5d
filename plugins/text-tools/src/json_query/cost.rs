//! The limit on the cost of a query, checked before it runs: a running query cannot be stopped.

use serde_json::Value;

use super::MAX_QUERY;
use crate::answer::{Refused, invalid, too_large};

/// The maximum number of values that a query may visit.
const MAX_VISITS: usize = 20_000_000;
/// The maximum nesting of brackets and parentheses in a query.
const MAX_NESTING: usize = 12;

/// Rejects a query that could visit too many values of this document.
pub(super) fn check(query: &str, document: &Value) -> Result<(), Refused> {
    if query.len() > MAX_QUERY || nesting(query) > MAX_NESTING {
        return Err(invalid(format!(
            "the query has more than {MAX_QUERY} bytes or {MAX_NESTING} brackets inside each other"
        )));
    }
    if visits(query, document) <= MAX_VISITS {
        return Ok(());
    }
    Err(too_large(
        "the query could visit too many values; use fewer `..`, `$` and commas, or a part of the document",
    ))
}

/// Returns an upper bound of the visited values. Each `..` after the first visits a value once for
/// each of its ancestors, each `$` in a filter starts at the root for every value, and each comma
/// doubles the selected values. A sign in a string only makes the bound larger.
fn visits(query: &str, document: &Value) -> usize {
    let Size { values, depth } = size(document);
    let beyond_first = |sign: &str| query.matches(sign).count().saturating_sub(1);
    let times = |factor: usize, count: usize| {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        factor.max(2).saturating_pow(count)
    };
    let commas = query.matches(',').count();
    values
        .saturating_mul(times(depth, beyond_first("..")))
        .saturating_mul(times(values, beyond_first("$")))
        .saturating_mul(times(2, commas))
}

fn nesting(query: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in query.bytes() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

struct Size {
    values: usize,
    depth: usize,
}

/// The maximum nesting of a document, as in its parser.
fn size(value: &Value) -> Size {
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    };
    let all = Size { values: 1, depth: 1 };
    inner.into_iter().map(size).fold(all, |all, one| Size {
        values: all.values + one.values,
        depth: all.depth.max(one.depth + 1),
    })
}
