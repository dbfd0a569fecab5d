//! The catalog as text.

use std::borrow::Cow;

use prowess_core::Record;

use crate::escape;
use crate::hidden::{fold, is_exact};
use crate::{CatalogFormat, ShowLocation};

pub(crate) const OPENING: &str = "<available_skills>\n";
pub(crate) const CLOSING: &str = "</available_skills>";

/// What a model is shown of one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillEntry<'a> {
    /// What the model types to load it.
    pub name: Cow<'a, str>,
    /// What it does and when to use it.
    pub description: Cow<'a, str>,
    /// Where its `SKILL.md` lies, if that is shown.
    pub location: Option<Cow<'a, str>>,
}

impl<'a> SkillEntry<'a> {
    /// What is shown of a record: its id, which the tools take, in place of its declared name.
    pub fn new(record: Record<'a>, show: ShowLocation) -> Self {
        let location = match show {
            ShowLocation::None => None,
            ShowLocation::Absolute => Some(Cow::Owned(record.location())),
        };
        Self { name: record.id().into(), description: record.description().into(), location }
    }

    /// The place, unless showing it would change it: a wrong path is worse than none.
    fn shown_location(&self) -> Option<&str> {
        self.location.as_deref().filter(|place| is_exact(place))
    }
}

/// The catalog alone, without rule and budget, in the order of `skills` and without a last line break.
///
/// Names and descriptions stand on one line each, without hidden characters, escaped once: an XML
/// parser gives back what was shown. A location with hidden characters is left out.
pub fn available_skills<'a>(
    skills: impl IntoIterator<Item = SkillEntry<'a>>,
    format: CatalogFormat,
) -> String {
    let mut text = OPENING.to_owned();
    for skill in skills {
        text.push_str(&entry(&skill, format));
    }
    text.push_str(CLOSING);
    text
}

/// One skill of a catalog, with its last line break.
pub(crate) fn entry(skill: &SkillEntry<'_>, format: CatalogFormat) -> String {
    match format {
        CatalogFormat::XmlElements => xml_entry(skill),
        CatalogFormat::Json => json_entry(skill),
        CatalogFormat::Bullets => bullet_entry(skill),
    }
}

fn xml_entry(skill: &SkillEntry<'_>) -> String {
    let name = escape::xml(&fold(&skill.name));
    let description = escape::xml(&fold(&skill.description));
    let mut text =
        format!("<skill>\n<name>{name}</name>\n<description>{description}</description>\n");
    if let Some(place) = skill.shown_location() {
        text.push_str(&format!("<location>{}</location>\n", escape::xml(place)));
    }
    text.push_str("</skill>\n");
    text
}

fn json_entry(skill: &SkillEntry<'_>) -> String {
    let name = escape::json(&fold(&skill.name));
    let description = escape::json(&fold(&skill.description));
    let mut text = format!("{{\"name\":{name},\"description\":{description}");
    if let Some(place) = skill.shown_location() {
        text.push_str(&format!(",\"location\":{}", escape::json(place)));
    }
    text.push_str("}\n");
    text
}

fn bullet_entry(skill: &SkillEntry<'_>) -> String {
    let name = escape::xml(&fold(&skill.name));
    let description = escape::xml(&fold(&skill.description));
    match skill.shown_location() {
        Some(place) => format!("- {name}: {description} ({})\n", escape::xml(place)),
        None => format!("- {name}: {description}\n"),
    }
}
