//! Empty `<skill … />` elements with an attribute for each field, and the role of each skill.

use prowess_text::{push_xml_element, push_xml_line};

use super::SkillEntry;
use crate::Role;

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) -> bool {
    let is_plain = push_opened(text, skill);
    text.push_str(" />\n");
    is_plain
}

/// Appends a start tag without its end. Returns true if its texts are shown as they are.
fn push_opened(text: &mut String, skill: &SkillEntry<'_>) -> bool {
    text.push_str("<skill name=\"");
    let mut is_plain = push_xml_line(text, &skill.name);
    if !skill.description.is_empty() {
        text.push_str("\" description=\"");
        is_plain &= push_xml_line(text, &skill.description);
    }
    if let Some(location) = skill.shown_location() {
        text.push_str("\" location=\"");
        is_plain &= push_xml_element(text, location);
    } else {
        is_plain &= skill.location.is_none();
    }
    let role = Role::of(&skill.name);
    text.push_str("\" trit=\"");
    text.push(char::from(b'0' + role.trit()));
    text.push_str("\" role=\"");
    text.push_str(role.name());
    text.push_str("\" color=\"");
    text.push_str(role.colour());
    text.push('"');
    is_plain
}
