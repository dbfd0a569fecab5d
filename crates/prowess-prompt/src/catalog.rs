//! The text of the catalog.

use std::borrow::Cow;

use prowess_core::{Record, ShowLocation};
use prowess_text::{is_exact, one_line, push_json_string, push_xml_element, push_xml_line};

use crate::CatalogFormat;

pub(crate) const OPENING: &str = "<available_skills>\n";
pub(crate) const CLOSING: &str = "</available_skills>";

/// The entry of one skill, as a model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillEntry<'a> {
    /// The id by which the model loads it.
    pub name: Cow<'a, str>,
    /// The description. Empty for a skill that is shown by its name alone.
    pub description: Cow<'a, str>,
    /// The location of its `SKILL.md`, if it is shown.
    pub location: Option<Cow<'a, str>>,
}

impl<'a> SkillEntry<'a> {
    /// Returns the entry of a record: its id, which the tools accept, instead of its declared name.
    pub fn new(record: Record<'a>, show: ShowLocation) -> Self {
        Self::with_location(record.id(), record, show, || Cow::Owned(record.location()))
    }

    /// Like [`Self::new`], for a record with this id. `absolute` returns its absolute path or URL.
    pub(crate) fn with_location(
        id: &'a str,
        record: Record<'a>,
        show: ShowLocation,
        absolute: impl FnOnce() -> Cow<'a, str>,
    ) -> Self {
        let description = if record.is_name_only() { "" } else { record.description() };
        let location = show.file(id, record.file(), absolute);
        Self { name: id.into(), description: description.into(), location }
    }

    /// Returns the length of the entry if little of it is escaped.
    pub(crate) fn likely_length(&self) -> usize {
        const TAGS: usize = 96;
        let place = self.location.as_ref().map_or(0, |place| place.len());
        self.name.len() + self.description.len() + place + TAGS
    }

    /// Returns the location, unless its shown form would differ: a wrong path is worse than none.
    fn shown_location(&self) -> Option<&str> {
        self.location.as_deref().filter(|location| is_exact(location))
    }
}

/// Returns the catalog alone, without rule and budget, in the order of `skills` and without a final
/// line break.
///
/// Names and descriptions are on one line each, without hidden characters, escaped once: an XML
/// parser returns the shown text. A location with hidden characters is left out.
pub fn available_skills<'a>(
    skills: impl IntoIterator<Item = SkillEntry<'a>>,
    format: CatalogFormat,
) -> String {
    let mut text = OPENING.to_owned();
    for skill in skills {
        push_entry(&mut text, &skill, format);
    }
    text.push_str(CLOSING);
    text
}

/// Appends one skill of a catalog, with a final line break. Returns true if its texts are shown as
/// they are; false says nothing.
pub(crate) fn push_entry(text: &mut String, skill: &SkillEntry<'_>, format: CatalogFormat) -> bool {
    match format {
        CatalogFormat::XmlElements => return push_xml_entry(text, skill),
        CatalogFormat::Json => push_json_entry(text, skill),
        CatalogFormat::Bullets => push_bullet_entry(text, skill),
    }
    false
}

fn push_xml_entry(text: &mut String, skill: &SkillEntry<'_>) -> bool {
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

fn push_json_entry(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("{\"name\":");
    push_json_string(text, &one_line(&skill.name));
    if !skill.description.is_empty() {
        text.push_str(",\"description\":");
        push_json_string(text, &one_line(&skill.description));
    }
    if let Some(location) = skill.shown_location() {
        text.push_str(",\"location\":");
        push_json_string(text, location);
    }
    text.push_str("}\n");
}

fn push_bullet_entry(text: &mut String, skill: &SkillEntry<'_>) {
    text.push_str("- ");
    push_xml_line(text, &skill.name);
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
