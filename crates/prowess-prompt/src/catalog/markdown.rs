//! Items of a Markdown list.

use prowess_text::{push_xml_element, push_xml_label, push_xml_line};

use super::SkillEntry;

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("- ");
    push_xml_label(text, &skill.name);
    if !skill.description.is_empty() {
        text.push_str(": ");
        push_xml_line(text, &skill.description);
    }
    if let Some(location) = skill.shown_location() {
        text.push_str(" (");
        push_xml_element(text, location);
        text.push(')');
    }
    text.push('\n');
}
