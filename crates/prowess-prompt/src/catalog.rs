//! The text of the catalog, in each of its formats.

mod bullets;
mod dash_lines;
mod delimited;
mod entry;
mod format;
mod frame;
mod json;
mod markdown;
mod quoted_lines;
mod xml_attrs;
pub(crate) mod xml_elements;

pub(crate) use delimited::SEPARATOR as DELIMITED_SEPARATOR;
pub use entry::SkillEntry;
pub use format::CatalogFormat;
use frame::Frame;
pub use xml_attrs::skill_element;

/// Returns the catalog alone, without rule, hint and budget, in the order of `skills` and without a
/// final line break.
///
/// Names and descriptions are on one line each, without hidden characters, escaped once: an XML
/// parser returns the shown text. A location with hidden characters is left out. Without a skill,
/// this is what the format says of none, which is nothing for [`CatalogFormat::Bullets`].
pub fn available_skills<'a>(
    skills: impl IntoIterator<Item = SkillEntry<'a>>,
    format: CatalogFormat,
) -> String {
    let frame = frame(format);
    let mut text = frame.opening.to_owned();
    for skill in skills {
        push_entry(&mut text, &skill, format);
    }
    if text.len() == frame.opening.len() {
        return frame.empty.to_owned();
    }
    push_closing(&mut text, format);
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Appends one skill of a catalog, with a final line break. Returns true if its texts are shown as
/// they are; false says nothing.
pub(crate) fn push_entry(text: &mut String, skill: &SkillEntry<'_>, format: CatalogFormat) -> bool {
    match format {
        CatalogFormat::XmlElements => return xml_elements::push(text, skill),
        CatalogFormat::XmlAttrs => return xml_attrs::push(text, skill),
        CatalogFormat::QuotedLines => quoted_lines::push(text, skill),
        CatalogFormat::DashLines => dash_lines::push(text, skill),
        CatalogFormat::Bullets => bullets::push(text, skill),
        CatalogFormat::Delimited => delimited::push(text, skill),
        CatalogFormat::Json => json::push(text, skill),
        CatalogFormat::Markdown => markdown::push(text, skill),
    }
    false
}

/// Appends the end of a catalog to its entries.
pub(crate) fn push_closing(text: &mut String, format: CatalogFormat) {
    if format == CatalogFormat::Delimited {
        delimited::end_last(text);
    }
    text.push_str(frame(format).closing);
}

/// Returns the fixed texts of a format.
pub(crate) const fn frame(format: CatalogFormat) -> &'static Frame {
    match format {
        CatalogFormat::XmlElements
        | CatalogFormat::XmlAttrs
        | CatalogFormat::Json
        | CatalogFormat::Markdown => &xml_elements::FRAME,
        CatalogFormat::QuotedLines => &quoted_lines::FRAME,
        CatalogFormat::DashLines => &dash_lines::FRAME,
        CatalogFormat::Bullets => &bullets::FRAME,
        CatalogFormat::Delimited => &delimited::FRAME,
    }
}
