//! What the audit hears of a call's skills.

use prowess_core::{AuditedSkill, ToolContext};
use serde_json::Value;

/// How many skills of one call the audit names.
const MOST_SKILLS: usize = 64;

/// How many characters of a name that a model typed the audit keeps.
const MOST_CHARACTERS: usize = 256;

/// The skills that a call names, in the fields by which every tool names them.
pub(crate) fn skills(context: &ToolContext<'_>, arguments: &Value) -> Vec<AuditedSkill> {
    let one = arguments["skill"].as_str();
    let several = arguments["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let named = one.into_iter().chain(several).take(MOST_SKILLS);
    named.map(|typed| skill(context, typed)).collect()
}

fn skill(context: &ToolContext<'_>, typed: &str) -> AuditedSkill {
    let meant = context.catalog.find(typed, context.caller).found();
    AuditedSkill {
        typed: clipped(typed),
        id: meant.map(|record| record.id().to_owned()),
        layer: meant.map(|record| record.layer().name.to_string()),
        version: meant.and_then(|record| record.version()).map(str::to_owned),
    }
}

pub(crate) fn clipped(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}
