//! The formats with a `<skill>` element for each skill.

use prowess_text::{push_xml_element, push_xml_line, xml_entities};

use super::SkillEntry;
use super::format::XML_FRAME;
use crate::Role;

/// Appends an element for each field.
pub(super) fn push_elements(text: &mut String, skill: &SkillEntry<'_>) -> bool {
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

/// Appends an empty element with an attribute for each field, and the role of the skill.
pub(super) fn push_attributes(text: &mut String, skill: &SkillEntry<'_>) -> bool {
    let is_plain = push_opened(text, skill);
    text.push_str(" />\n");
    is_plain
}

/// Returns a skill with its body: `<skill name="…" …>body</skill>`, with the attributes that
/// [`CatalogFormat::XmlAttrs`](super::CatalogFormat::XmlAttrs) gives it.
///
/// The body is encoded as the content of an element, so that an XML parser returns it. For a body
/// in a prompt, whose code a model copies, see [`compose`](crate::compose()); with `delivery.tags`
/// as `skill`, it has this element, too.
///
/// ```
/// use prowess_prompt::{SkillEntry, skill_element};
///
/// let (name, description) = ("pdf".into(), "Fills in forms.".into());
/// let skill = SkillEntry { name, description, location: None };
/// assert_eq!(
///     skill_element(&skill, "Read the form."),
///     "<skill name=\"pdf\" description=\"Fills in forms.\" trit=\"0\" role=\"Coordinator\" \
///      color=\"#F59E0B\">Read the form.</skill>"
/// );
/// ```
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
    push_role(text, &skill.name);
    is_plain
}

/// Appends the end of an attribute, and the attributes of a skill's role.
pub(crate) fn push_role(text: &mut String, name: &str) {
    let role = Role::of(name);
    text.push_str("\" trit=\"");
    text.push(char::from(b'0' + role.trit()));
    text.push_str("\" role=\"");
    text.push_str(role.name());
    text.push_str("\" color=\"");
    text.push_str(role.colour());
    text.push('"');
}

/// Returns the output of the reference tool's `to-prompt`, byte for byte, without a final line
/// break.
///
/// Meant for comparing tools, not for a model: the reference escapes names and descriptions and
/// leaves locations, line breaks and hidden characters unchanged.
pub fn reference_available_skills<'a>(skills: impl IntoIterator<Item = SkillEntry<'a>>) -> String {
    let mut text = XML_FRAME.opening.to_owned();
    for skill in skills {
        let name = xml_entities(&skill.name);
        let description = xml_entities(&skill.description);
        let location = skill.location.unwrap_or_default();
        text.push_str(&format!(
            "<skill>\n<name>\n{name}\n</name>\n<description>\n{description}\n</description>\n\
             <location>\n{location}\n</location>\n</skill>\n"
        ));
    }
    text.push_str(XML_FRAME.closing);
    text
}
