//! A body in a tool's result, for clients whose instructions cannot change.

use std::collections::BTreeMap;

use prowess_core::{
    ActiveSkill, BodyTags, Boundary, Catalog, DeliveryPolicy, Listing, Record, ShowLocation,
    without_secrets,
};
use prowess_text::{is_exact, one_line, push_xml_element, wrap_body, xml_attribute};

/// The most files that are left out of a list and named.
const MOST_NAMED: usize = 5;

/// The files of a package, and the names of those that are left out.
pub(crate) type Files = (Listing, BTreeMap<String, &'static str>);

/// The name of the tag around a body, which the boundary follows.
const TAG: &str = "skill_content";

/// Returns the content of a skill, encoded for its tags, between them, with the skill's directory
/// and its files.
pub(crate) fn wrapped(
    skill: &ActiveSkill,
    mut content: String,
    resources: Option<&Files>,
    delivery: DeliveryPolicy,
    boundary: &Boundary,
) -> String {
    content.push_str("\n\n");
    push_directory(&mut content, skill, delivery.show_location);
    if let Some(resources) = resources {
        push_resources(&mut content, resources);
    }
    let name = one_line(&skill.id);
    if delivery.tags == BodyTags::Skill {
        return format!("<skill name=\"{}\">\n{content}</skill>", xml_attribute(&name));
    }
    wrap_body(TAG, &[("name", &name)], &content, boundary)
}

fn push_directory(content: &mut String, skill: &ActiveSkill, show: ShowLocation) {
    let directory = match show {
        ShowLocation::Absolute | ShowLocation::Virtual => {
            show.directory(&skill.id, &skill.root_dir).filter(|directory| is_exact(directory))
        }
        _ => None,
    };
    match directory {
        Some(directory) => {
            content.push_str("Skill directory: ");
            push_xml_element(content, &directory);
            content
                .push_str("\nRelative paths in this skill are relative to the skill directory.\n");
        }
        None => content.push_str("Relative paths in this skill are relative to the skill.\n"),
    }
}

/// Returns the files of a package, as far as its source can list them.
pub(crate) fn resources(catalog: &Catalog, record: Record<'_>, most: usize) -> Option<Files> {
    let (listing, left_out) = catalog.list_shown(record, most).ok()?;
    let is_empty = listing.resources.is_empty() && listing.is_complete && left_out.is_empty();
    (!is_empty).then_some((listing, left_out))
}

/// Appends the files. A name that cannot be shown unchanged cannot be requested, so it is only
/// counted.
fn push_resources(content: &mut String, (listing, left_out): &Files) {
    let paths = listing.resources.iter().map(|resource| resource.path.as_str());
    let (shown, hidden): (Vec<_>, Vec<_>) = paths.partition(|path| is_exact(path));
    content.push_str("<skill_resources>\n");
    for path in shown {
        content.push_str("<file>");
        push_xml_element(content, path);
        content.push_str("</file>\n");
    }
    if !hidden.is_empty() {
        let count = hidden.len();
        content.push_str(&format!("Files whose names have hidden characters: {count}.\n"));
    }
    if !listing.is_complete {
        content.push_str("There are more files than these.\n");
    }
    if !left_out.is_empty() {
        let exact = left_out.keys().filter(|path| is_exact(path)).take(MOST_NAMED);
        let mut names: Vec<_> = exact.map(|path| without_secrets(path).into_owned()).collect();
        let more = left_out.len() - names.len();
        names.extend((more > 0).then(|| format!("{more} more")));
        content.push_str("Left out, as they may hold credentials or belong to one machine: ");
        push_xml_element(content, &names.join(", "));
        content.push('\n');
    }
    content.push_str("</skill_resources>\n");
}
