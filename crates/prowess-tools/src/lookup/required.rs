//! The skills that skills require, when they are loaded.

use prowess_core::{LoadMode, Record, ToolContext, UnmetRequirement};
use prowess_text::{enumerated, quoted};

use crate::codes;
use crate::gate::Refusal;
use crate::policy::RequiresMode;

/// Returns the skills to load: under [`RequiresMode::AutoLoad`] with those that they require, each
/// before the first that requires it.
pub(crate) fn with_required<'c>(
    context: &ToolContext<'c>,
    records: Vec<Record<'c>>,
    mode: LoadMode,
    policy: RequiresMode,
) -> Result<Vec<Record<'c>>, Refusal> {
    match policy {
        RequiresMode::Hint => Ok(records),
        RequiresMode::Check => {
            check(context, &records, mode)?;
            Ok(records)
        }
        RequiresMode::AutoLoad => in_order(context, &records),
    }
}

fn in_order<'c>(
    context: &ToolContext<'c>,
    records: &[Record<'c>],
) -> Result<Vec<Record<'c>>, Refusal> {
    let mut ordered: Vec<Record<'c>> = Vec::with_capacity(records.len());
    for record in records {
        for required in order(context, *record)? {
            if ordered.iter().all(|other| other.index() != required.index()) {
                ordered.push(required);
            }
        }
    }
    Ok(ordered)
}

/// Refuses a load unless everything that is required is loaded by it, or before it and stays.
fn check<'c>(
    context: &ToolContext<'c>,
    records: &[Record<'c>],
    mode: LoadMode,
) -> Result<(), Refusal> {
    let state = context.session.state()?;
    let is_active = |record: &Record<'c>| {
        mode == LoadMode::Add && state.active.iter().any(|skill| record.is_at(&skill.location))
    };
    for record in records {
        let required = order(context, *record)?;
        let is_there = |required: &Record<'c>| {
            records.iter().any(|other| other.index() == required.index()) || is_active(required)
        };
        let missing: Vec<_> =
            required.iter().filter(|required| !is_there(required)).map(Record::id).collect();
        if !missing.is_empty() {
            return Err(not_loaded(*record, &missing));
        }
    }
    Ok(())
}

fn order<'c>(context: &ToolContext<'c>, record: Record<'c>) -> Result<Vec<Record<'c>>, Refusal> {
    context.catalog.load_order(record, context.caller).map_err(|unmet| {
        let code = match unmet {
            UnmetRequirement::Cycle(_) => codes::REQUIREMENT_CYCLE,
            _ => codes::REQUIREMENT_UNMET,
        };
        Refusal::new(code, format!("{unmet}; nothing was loaded, go on without it"))
    })
}

fn not_loaded(record: Record<'_>, missing: &[&str]) -> Refusal {
    let message = format!(
        "skill {} requires {}; load them in the same call, nothing was loaded",
        quoted(record.id()),
        enumerated(missing.iter().copied(), "and")
    );
    Refusal::new(codes::REQUIREMENT_NOT_LOADED, message)
}
