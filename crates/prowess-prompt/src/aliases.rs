//! Short names for the directories of skills, in the locations of a catalog.

use prowess_core::TokenCounter;
use prowess_text::push_xml_code;

/// The maximum number of directories with a short name. Skills lie in a handful of directories.
const MOST_ALIASES: usize = 9;

/// The directories with a short name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directories(Vec<Directory>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Directory {
    alias: String,
    path: String,
}

impl Directories {
    /// Takes the directories with the largest savings, in their order.
    pub(crate) fn of(mut saving: Vec<(usize, String)>) -> Self {
        saving.sort_by(|one, other| other.cmp(one));
        saving.truncate(MOST_ALIASES);
        let mut paths: Vec<_> = saving.into_iter().map(|(_, path)| path).collect();
        paths.sort();
        let numbered = (1..).zip(paths);
        Self(numbered.map(|(number, path)| Directory { alias: alias(number), path }).collect())
    }

    /// Returns the tokens that a short name saves for a directory with this number of uses, if it
    /// saves any with the line that explains it.
    pub(crate) fn saved(path: &str, uses: usize, counter: &dyn TokenCounter) -> Option<usize> {
        let directory = Directory { alias: alias(MOST_ALIASES), path: path.to_owned() };
        let each = counter.count(path).checked_sub(counter.count(&directory.alias))?;
        let legend = counter.count(&Self(vec![directory]).legend());
        each.checked_mul(uses)?.checked_sub(legend).filter(|saved| *saved > 0)
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
pub(crate) fn parent(location: &str) -> Option<&str> {
    let (package, _) = location.rsplit_once('/')?;
    let (parent, _) = package.rsplit_once('/')?;
    Some(parent)
}
