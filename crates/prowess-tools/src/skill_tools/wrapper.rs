//! A body in a tool's result, for clients whose instructions cannot change.

use std::fmt::Write;

use prowess_core::{ActiveSkill, Catalog, Listing, Record};

use crate::text::{body, escaped};

/// The body between tags that it cannot close, with where the package is and what else is in it.
pub(super) fn wrapped(skill: &ActiveSkill, resources: Option<&Listing>) -> String {
    let mut text = format!(
        "<skill_content name=\"{}\">\n{}\n\nSkill directory: {}\n\
         Relative paths in this skill are relative to the skill directory.\n",
        escaped(&skill.id),
        body(&skill.body),
        escaped(&skill.root_dir),
    );
    if let Some(resources) = resources {
        write_resources(&mut text, resources);
    }
    text.push_str("</skill_content>");
    text
}

/// The files of a package, as far as its source can name them.
pub(super) fn resources(catalog: &Catalog, record: Record<'_>, most: usize) -> Option<Listing> {
    let listing = catalog.list(record, most).ok()?;
    (!listing.resources.is_empty() || !listing.is_complete).then_some(listing)
}

fn write_resources(text: &mut String, listing: &Listing) {
    text.push_str("<skill_resources>\n");
    for resource in &listing.resources {
        writeln!(text, "<file>{}</file>", escaped(resource.path.as_str()))
            .expect("a string takes any text");
    }
    if !listing.is_complete {
        text.push_str("There are more files than these.\n");
    }
    text.push_str("</skill_resources>\n");
}
