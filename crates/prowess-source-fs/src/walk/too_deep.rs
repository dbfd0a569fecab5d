//! Packages below the depth limit.

use std::collections::HashSet;

use prowess_dir::{Entry, Kind, Links, WalkBounds};

use super::{Level, Walk};
use crate::Nested;
use crate::admission::{goes_below, is_package};
use crate::package::FILES;

/// The packages that the depth limit hides.
#[derive(Default)]
pub(super) struct TooDeep {
    /// The directory at the limit that has one of them, the first in the order of paths.
    pub(super) first: Option<String>,
    pub(super) packages: usize,
    /// Whether there may be more.
    pub(super) is_incomplete: bool,
}

impl Walk<'_> {
    /// Counts the packages in a directory below the depth limit.
    pub(super) fn count_too_deep(&mut self, level: &Level<'_>, entry: &Entry<'_>) {
        let Some(name) = entry.name() else { return };
        let is_package = is_package(level.directory, name);
        let is_itself = usize::from(is_package);
        let ends = entry.kind() == Kind::Link || !goes_below(self.config, is_package);
        let (inside, is_complete) = if ends { (0, true) } else { self.packages_in(level, name) };
        if is_itself + inside == 0 && is_complete {
            return;
        }
        let too_deep = &mut self.exceeded.depth;
        if too_deep.first.as_deref().is_none_or(|first| level.path < first) {
            too_deep.first = Some(level.path.to_owned());
        }
        too_deep.packages += is_itself + inside;
        too_deep.is_incomplete |= !is_complete;
    }

    /// Returns how many packages lie in a directory, and whether these are all.
    fn packages_in(&self, level: &Level<'_>, name: &str) -> (usize, bool) {
        let bounds = WalkBounds { entries: self.entries_left, ..WalkBounds::default() };
        let walked = level
            .directory
            .open_dir(name, Links::Refuse)
            .and_then(|directory| directory.walk(bounds, |name| !self.config.skips(name)));
        let Ok(walked) = walked else { return (0, true) };
        let files = walked.found.iter().filter_map(|walked| walked.path.rsplit_once('/'));
        let packages = files.filter(|(_, file)| FILES.contains(file)).map(|(package, _)| package);
        let packages: HashSet<_> = packages.collect();
        let count = match self.config.nested {
            Nested::Stop => packages
                .iter()
                .filter(|package| {
                    let mut above = package.match_indices('/').map(|(at, _)| &package[..at]);
                    !above.any(|above| packages.contains(above))
                })
                .count(),
            Nested::Descend => packages.len(),
        };
        (count, walked.is_complete)
    }
}
