//! The catalog in the format of the reference tool `skills-ref`.

use prowess_text::xml_entities;

use crate::SkillEntry;
use crate::catalog::xml_elements::FRAME;

/// Returns the output of the reference tool's `to-prompt`, byte for byte, without a final line
/// break.
///
/// Meant for comparing tools, not for a model: the reference escapes names and descriptions and
/// leaves locations, line breaks and hidden characters unchanged.
pub fn reference_available_skills<'a>(skills: impl IntoIterator<Item = SkillEntry<'a>>) -> String {
    let mut text = FRAME.opening.to_owned();
    for skill in skills {
        let name = xml_entities(&skill.name);
        let description = xml_entities(&skill.description);
        let location = skill.location.unwrap_or_default();
        text.push_str(&format!(
            "<skill>\n<name>\n{name}\n</name>\n<description>\n{description}\n</description>\n\
             <location>\n{location}\n</location>\n</skill>\n"
        ));
    }
    text.push_str(FRAME.closing);
    text
}
