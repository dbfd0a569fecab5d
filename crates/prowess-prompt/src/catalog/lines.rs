//! The formats with one line, or a few, for each skill.

use prowess_text::{
    one_line, push_json_string, push_model_line, push_xml_code, push_xml_element, push_xml_label,
    push_xml_line,
};

use super::SkillEntry;

/// The line behind each skill of [`CatalogFormat::Delimited`](super::CatalogFormat::Delimited).
pub(crate) const SEPARATOR: &str = "---\n";

/// Appends ``• `id` — description``.
pub(super) fn push_bullet(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("• `");
    push_xml_code(text, &skill.name);
    text.push('`');
    push_description(text, " — ", skill);
    text.push('\n');
}

/// Appends `  - name: description`.
pub(super) fn push_dash(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("  - ");
    push_xml_label(text, &skill.name);
    push_description(text, ": ", skill);
    text.push('\n');
}

/// Appends `"name": description`.
pub(super) fn push_quoted(text: &mut String, skill: &SkillEntry<'_>) {
    text.push('"');
    push_xml_line(text, &skill.name);
    text.push('"');
    push_description(text, ": ", skill);
    text.push('\n');
}

/// Appends `- name: description (location)`.
pub(super) fn push_markdown(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("- ");
    push_xml_label(text, &skill.name);
    push_description(text, ": ", skill);
    if let Some(location) = skill.shown_location() {
        text.push_str(" (");
        push_xml_element(text, location);
        text.push(')');
    }
    text.push('\n');
}

fn push_description(text: &mut String, separator: &str, skill: &SkillEntry<'_>) {
    if !skill.description.is_empty() {
        text.push_str(separator);
        push_model_line(text, &skill.description);
    }
}

/// Appends an object of JSON.
pub(super) fn push_json(text: &mut String, skill: &SkillEntry<'_>) {
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

/// Appends a line for each field, with a separator behind, so that the cost of a skill depends on
/// nothing else.
pub(super) fn push_delimited(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("name: ");
    push_xml_line(text, &skill.name);
    if let Some(location) = skill.shown_location() {
        text.push_str("\nlocation: ");
        push_xml_element(text, location);
    }
    push_description(text, "\ndescription: ", skill);
    text.push('\n');
    text.push_str(SEPARATOR);
}
