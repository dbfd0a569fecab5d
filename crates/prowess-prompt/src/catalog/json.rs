//! JSON objects, one per line.

use prowess_text::{one_line, push_json_string};

use super::SkillEntry;

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("{\"name\":");
    push_json_string(text, &one_line(&skill.name));
    if !skill.description.is_empty() {
        text.push_str(",\"description\":");
        push_json_string(text, &one_line(&skill.description));
    }
    if let Some(location) = skill.shown_location() {
        text.push_str(",\"location\":");
        push_json_string(text, location);
    }
    text.push_str("}\n");
}
