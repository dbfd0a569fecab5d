//! The skills of a call, for the audit.

use prowess_core::{AuditedSkill, ToolContext};

/// The maximum number of skills of one call in the audit.
const MOST_SKILLS: usize = 64;

/// The maximum number of characters of a reference in the audit.
const MOST_CHARACTERS: usize = 256;

/// Returns the audited form of the skills that a call names.
pub(crate) fn skills(context: &ToolContext<'_>, named: &[&str]) -> Vec<AuditedSkill> {
    named.iter().take(MOST_SKILLS).map(|reference| skill(context, reference)).collect()
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
    let end = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(end, _)| end);
    text[..end].to_owned()
}
