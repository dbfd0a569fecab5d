//! The text of the catalog, in each of its formats.

mod elements;
mod entry;
mod format;
mod lines;

pub(crate) use elements::push_role;
pub use elements::{reference_available_skills, skill_element};
pub use entry::SkillEntry;
pub use format::CatalogFormat;
pub(crate) use lines::SEPARATOR as DELIMITED_SEPARATOR;

/// Returns the catalog alone, without rule, hint and budget, in the order of `skills` and without a
/// final line break.
///
/// Names and descriptions are on one line each, without hidden characters, escaped once: an XML
/// parser returns the shown text. In formats of lines, a description is escaped where it opens a
/// tag that delimits skills, and plain otherwise. A location with hidden characters is left out.
/// Without a skill, this is what the format says of none, which is nothing for
/// [`CatalogFormat::Bullets`].
pub fn available_skills<'a>(
    skills: impl IntoIterator<Item = SkillEntry<'a>>,
    format: CatalogFormat,
) -> String {
    let frame = format.frame();
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
        CatalogFormat::XmlElements => return elements::push_elements(text, skill),
        CatalogFormat::XmlAttrs => return elements::push_attributes(text, skill),
        CatalogFormat::QuotedLines => lines::push_quoted(text, skill),
        CatalogFormat::DashLines => lines::push_dash(text, skill),
        CatalogFormat::Bullets => lines::push_bullet(text, skill),
        CatalogFormat::Delimited => lines::push_delimited(text, skill),
        CatalogFormat::Json => lines::push_json(text, skill),
        CatalogFormat::Markdown => lines::push_markdown(text, skill),
    }
    false
}

/// Appends the end of a catalog to its entries.
pub(crate) fn push_closing(text: &mut String, format: CatalogFormat) {
    if format == CatalogFormat::Delimited && text.ends_with("\n---\n") {
        // No separator follows the last skill.
        text.truncate(text.len() - DELIMITED_SEPARATOR.len());
    }
    text.push_str(format.frame().closing);
}
