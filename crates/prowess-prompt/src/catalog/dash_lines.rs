//! Lines `  - name: description`.

use prowess_text::{push_xml_label, push_xml_line};

use super::SkillEntry;
use super::frame::Frame;

pub(super) const FRAME: Frame = Frame {
    opening: "Available skills:\n",
    closing: "",
    empty: "No skills are currently available.",
};

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("  - ");
    push_xml_label(text, &skill.name);
    if !skill.description.is_empty() {
        text.push_str(": ");
        push_xml_line(text, &skill.description);
    }
    text.push('\n');
}
