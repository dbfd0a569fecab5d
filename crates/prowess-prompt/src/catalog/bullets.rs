//! Lines ``• `id` — description``.

use prowess_text::{push_xml_code, push_xml_line};

use super::SkillEntry;
use super::frame::Frame;

/// Without a skill there is no block at all.
pub(super) const FRAME: Frame = Frame { opening: "[Available Skills]\n", closing: "", empty: "" };

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("• `");
    push_xml_code(text, &skill.name);
    text.push('`');
    if !skill.description.is_empty() {
        text.push_str(" — ");
        push_xml_line(text, &skill.description);
    }
    text.push('\n');
}
