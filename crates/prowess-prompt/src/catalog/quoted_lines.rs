//! Lines `"name": description`.

use prowess_text::push_xml_line;

use super::SkillEntry;
use super::frame::Frame;

pub(super) const FRAME: Frame = Frame {
    opening: "<available_skills>\n",
    closing: "</available_skills>",
    empty: "<available_skills>\n(No skills currently available)\n</available_skills>",
};

pub(super) fn push(text: &mut String, skill: &SkillEntry<'_>) {
    text.push('"');
    push_xml_line(text, &skill.name);
    text.push('"');
    if !skill.description.is_empty() {
        text.push_str(": ");
        push_xml_line(text, &skill.description);
    }
    text.push('\n');
}
