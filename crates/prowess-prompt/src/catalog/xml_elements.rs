//! `<skill>` elements with an element for each field.

use prowess_text::{push_xml_element, push_xml_line};

use super::SkillEntry;
use super::frame::Frame;

pub(crate) const FRAME: Frame = Frame {
    opening: "<available_skills>\n",
    closing: "</available_skills>",
    empty: "<available_skills>\n</available_skills>",
};

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) -> bool {
    text.push_str("<skill>\n<name>");
    let mut is_plain = push_xml_line(text, &skill.name);
    text.push_str("</name>\n");
    if !skill.description.is_empty() {
        text.push_str("<description>");
        is_plain &= push_xml_line(text, &skill.description);
        text.push_str("</description>\n");
    }
    if let Some(location) = skill.shown_location() {
        text.push_str("<location>");
        is_plain &= push_xml_element(text, location);
        text.push_str("</location>\n");
    } else {
        is_plain &= skill.location.is_none();
    }
    text.push_str("</skill>\n");
    is_plain
}
