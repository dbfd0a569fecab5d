//! Which directories of a catalog get a short name.

use std::collections::BTreeMap;

use prowess_core::{ShowLocation, TokenCounter};
use prowess_text::is_exact;

use crate::aliases::{Directories, parent};
use crate::entries::Entries;
use crate::{CatalogFormat, PathAliases, PromptPolicy};

/// Returns the directories whose short names save tokens in this catalog.
pub(crate) fn shared_directories(
    skills: &Entries<'_>,
    policy: &PromptPolicy,
    counter: &dyn TokenCounter,
) -> Directories {
    let is_shown = skills.shows() == ShowLocation::Absolute
        && shows_locations(policy.catalog_format)
        && policy.path_aliases == PathAliases::WhenShorter;
    if !is_shown {
        return Directories::default();
    }
    let uses = uses(skills).into_iter();
    let saving =
        uses.filter_map(|(path, uses)| Some((Directories::saved(&path, uses, counter)?, path)));
    Directories::of(saving.collect())
}

fn shows_locations(format: CatalogFormat) -> bool {
    use CatalogFormat::{Bullets, DashLines, QuotedLines};
    !matches!(format, Bullets | DashLines | QuotedLines)
}

/// Returns the directories of packages, each with the number of its skills. A directory that is not
/// shown as it is gets no short name: a wrong path is worse than a long one.
fn uses(skills: &Entries<'_>) -> BTreeMap<String, usize> {
    let mut uses = BTreeMap::new();
    let mut location = String::new();
    for position in 0..skills.len() {
        let skill = skills.get(position, &mut location);
        let Some(directory) = skill.location.as_deref().and_then(parent) else { continue };
        match uses.get_mut(directory) {
            Some(count) => *count += 1,
            None if is_exact(directory) => drop(uses.insert(directory.to_owned(), 1)),
            None => {}
        }
    }
    uses
}
