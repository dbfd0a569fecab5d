//! Empty `<skill … />` elements with an attribute for each field, and the role of each skill.

use prowess_text::{push_xml_element, push_xml_line};

use super::SkillEntry;
use crate::Role;

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) -> bool {
    let is_plain = push_opened(text, skill);
    text.push_str(" />\n");
    is_plain
}

/// Returns a skill with its body: `<skill name="…" …>body</skill>`, with the attributes that
/// [`CatalogFormat::XmlAttrs`](crate::CatalogFormat::XmlAttrs) gives it.
///
/// The body is encoded as the content of an element, so that an XML parser returns it. For a body
/// in a prompt, whose code a model copies, see [`compose`](crate::compose()).
pub fn skill_element(skill: &SkillEntry<'_>, body: &str) -> String {
    let mut text = String::with_capacity(skill.likely_length() + body.len());
    push_opened(&mut text, skill);
    text.push('>');
    push_xml_element(&mut text, body);
    text.push_str("</skill>");
    text
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
