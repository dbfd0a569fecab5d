//! Plain text between delimiters, with a line for each field.

use prowess_text::{push_xml_element, push_xml_line};

use super::SkillEntry;
use super::frame::Frame;

pub(super) const FRAME: Frame = Frame {
    opening: "<<<AVAILABLE_SKILLS>>>\n",
    closing: "<<<END_AVAILABLE_SKILLS>>>",
    empty: "<<<AVAILABLE_SKILLS>>>\n(none)\n<<<END_AVAILABLE_SKILLS>>>",
};

pub(crate) const SEPARATOR: &str = "---\n";

/// Appends a skill with a separator, so that the cost of a skill depends on nothing else.
pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("name: ");
    push_xml_line(text, &skill.name);
    if let Some(location) = skill.shown_location() {
        text.push_str("\nlocation: ");
        push_xml_element(text, location);
    }
    if !skill.description.is_empty() {
        text.push_str("\ndescription: ");
        push_xml_line(text, &skill.description);
    }
    text.push('\n');
    text.push_str(SEPARATOR);
}

/// Removes the separator behind the last skill.
pub(super) fn end_last(text: &mut String) {
    if text.ends_with("\n---\n") {
        text.truncate(text.len() - SEPARATOR.len());
    }
}
