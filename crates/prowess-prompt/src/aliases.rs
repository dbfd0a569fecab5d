//! Short names for the directories of skills, in the locations of a catalog.

use std::collections::BTreeMap;

use prowess_core::{ShowLocation, TokenCounter};
use prowess_text::{is_exact, push_xml_code};
use serde::{Deserialize, Serialize};

use crate::entries::Entries;
use crate::{CatalogFormat, PromptPolicy};

/// The maximum number of directories with a short name. Skills lie in a handful of directories.
const MOST_ALIASES: usize = 9;

/// When locations of a catalog have short names for the directories of skills: `@1/pdf/SKILL.md`
/// below a line that says what `@1` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PathAliases {
    /// Never: each location can be copied into a call as it is. The default.
    #[default]
    Never,
    /// For each directory where they save tokens, with the line that explains them.
    WhenShorter,
}

/// The directories with a short name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directories(Vec<Directory>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Directory {
    alias: String,
    path: String,
}

impl Directories {
    /// Returns the directories whose short names save tokens in this catalog, in their order.
    pub(crate) fn of(
        skills: &Entries<'_>,
        policy: &PromptPolicy,
        counter: &dyn TokenCounter,
    ) -> Self {
        let is_shown = skills.shows() == ShowLocation::Absolute
            && shows_locations(policy.catalog_format)
            && policy.path_aliases == PathAliases::WhenShorter;
        if !is_shown {
            return Self::default();
        }
        let uses = uses(skills).into_iter();
        let saving = uses.filter_map(|(path, uses)| Some((saved(&path, uses, counter)?, path)));
        let mut saving: Vec<_> = saving.collect();
        saving.sort_by(|one, other| other.cmp(one));
        saving.truncate(MOST_ALIASES);
        let mut paths: Vec<_> = saving.into_iter().map(|(_, path)| path).collect();
        paths.sort();
        let numbered = (1..).zip(paths);
        Self(numbered.map(|(number, path)| Directory { alias: alias(number), path }).collect())
    }

    /// Replaces the directory at the start of a location by its short name.
    pub(crate) fn shorten(&self, location: &mut String) {
        if self.0.is_empty() {
            return;
        }
        let parent = parent(location);
        let found = self.0.iter().find(|directory| parent == Some(directory.path.as_str()));
        if let Some(Directory { alias, path }) = found {
            location.replace_range(..path.len(), alias);
        }
    }

    /// Returns the line that explains the short names; empty without any.
    pub(crate) fn legend(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let named: Vec<_> = self.0.iter().map(Directory::explained).collect();
        format!("In locations, {}.\n", named.join(", "))
    }
}

fn shows_locations(format: CatalogFormat) -> bool {
    use CatalogFormat::{Bullets, DashLines, QuotedLines};
    !matches!(format, Bullets | DashLines | QuotedLines)
}

fn alias(number: usize) -> String {
    format!("@{number}")
}

impl Directory {
    fn explained(&self) -> String {
        let mut text = format!("`{}` is `", self.alias);
        push_xml_code(&mut text, &self.path);
        text.push('`');
        text
    }
}

/// Returns the directory that holds the package of a `SKILL.md`.
fn parent(location: &str) -> Option<&str> {
    let (package, _) = location.rsplit_once('/')?;
    let (parent, _) = package.rsplit_once('/')?;
    Some(parent)
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

/// Returns the tokens that a short name saves, if it saves any.
fn saved(path: &str, uses: usize, counter: &dyn TokenCounter) -> Option<usize> {
    let directory = Directory { alias: alias(MOST_ALIASES), path: path.to_owned() };
    let each = counter.count(path).checked_sub(counter.count(&directory.alias))?;
    let legend = counter.count(&Directories(vec![directory]).legend());
    each.checked_mul(uses)?.checked_sub(legend).filter(|saved| *saved > 0)
}
