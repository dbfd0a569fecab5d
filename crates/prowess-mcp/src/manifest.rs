//! Skills as the skills extension describes them: their frontmatter as it is written, and digests
//! of their files.

use prowess::format::{Directory, Frontmatter, parse_in};
use prowess::{Catalog, ReadLimit, Record, ResourcePath, SourceErrorKind, Turn};
use rmcp::ErrorData;
use rmcp::model::{Skill, SkillFrontmatter, SkillResource, SkillResources};

use crate::page::{Page, page};
use crate::skill_uri::{self, Located, SKILL_FILE, file, locate};

/// The number of files of a skill that every client of the extension accepts.
const MOST_FILES: usize = 512;

/// The size of a skill that every client of the extension accepts, in bytes.
pub(crate) const MOST_BYTES: usize = 16 << 20;

/// Returns a page of the skills. A skill beyond the limits is left out.
pub(crate) fn list(
    turn: &Turn,
    cursor: Option<&str>,
    size: usize,
) -> Result<Page<Skill>, ErrorData> {
    let catalog = turn.catalog();
    let Page { items, next } = page(skill_uri::all(catalog), |(uri, _)| uri, cursor, size)?;
    let skills = items.iter().filter_map(|(uri, record)| skill(catalog, *record, uri));
    let is_listed = |skill: &Skill| matches!(skill.resources, SkillResources::Files(_));
    Ok(Page { items: skills.filter(is_listed).collect(), next })
}

/// Returns the skill whose instructions have this URI.
pub(crate) fn get(catalog: &Catalog, uri: &str) -> Result<Skill, ErrorData> {
    let found = || {
        let Located { record, path } = locate(catalog, uri)?;
        let directory = skill_uri::directory(record);
        let is_canonical = path == SKILL_FILE && file(&directory, SKILL_FILE) == uri;
        skill(catalog, record, &directory).filter(|_| is_canonical)
    };
    found().ok_or_else(|| {
        let message = format!("no skill at {}", prowess::text::quoted(uri));
        ErrorData::invalid_params(message, None)
    })
}

/// Returns a skill with the digests of its files. `None` if it cannot be read.
///
/// A skill beyond the extension's limits has no digests.
fn skill(catalog: &Catalog, record: Record<'_>, directory: &str) -> Option<Skill> {
    let path = ResourcePath::new(record.file()).ok()?;
    let text = catalog.read(record, &path, ReadLimit::default()).ok()?;
    let frontmatter = frontmatter(record, &text)?;
    let uri = file(directory, SKILL_FILE);
    let resources = match files(catalog, record, directory) {
        Some(files) => {
            let first = SkillResource::from_bytes(&uri, &text);
            SkillResources::Files([first].into_iter().chain(files).collect())
        }
        None => SkillResources::Dynamic,
    };
    Some(Skill::new(uri, frontmatter, resources))
}

/// Returns the fields as they are written, with what stands in for a missing one.
fn frontmatter(record: Record<'_>, text: &[u8]) -> Option<SkillFrontmatter> {
    let directory = Directory { name: record.directory(), is_compared: false };
    let document = parse_in(text, Some(directory), record.rules()).document?;
    let Frontmatter { name, description, fields, .. } = document.frontmatter;
    let mut fields = serde_json::Value::from(fields);
    if fields["description"].as_str().is_none_or(|text| text.trim().is_empty()) {
        fields["description"] = description.into();
    }
    // The extension demands that the URI ends in the name.
    fields["name"] = skill_uri::last_part(record).as_ref().into();
    let frontmatter = serde_json::from_value(fields).ok()?;
    (name == record.name()).then_some(frontmatter)
}

/// Returns the files besides the instructions, unless they exceed the limits or change.
fn files(catalog: &Catalog, record: Record<'_>, directory: &str) -> Option<Vec<SkillResource>> {
    let listing = catalog.list_public(record, MOST_FILES).ok()?;
    if !listing.is_complete || listing.resources.len() >= MOST_FILES {
        return None;
    }
    let mut left = MOST_BYTES;
    let mut files = Vec::with_capacity(listing.resources.len());
    for resource in &listing.resources {
        let bytes = match catalog.read_public(record, &resource.path, ReadLimit(left)) {
            Err(error) if error.kind == SourceErrorKind::Denied => continue,
            read => read.ok()?,
        };
        left = left.checked_sub(bytes.len())?;
        files.push(SkillResource::from_bytes(file(directory, resource.path.as_str()), &bytes));
    }
    Some(files)
}
