//! Changes that may affect the set of watched directories.

use std::collections::BTreeSet;

use prowess_core::{PackagePath, SourceChange, SourceError};

use super::survey::Kind;
use super::work::Work;
use super::{Watching, lock, survey};

/// The result of examining a path.
#[derive(PartialEq, Eq)]
enum Look {
    Done,
    /// Everything has to be examined.
    Everything,
}

impl Watching {
    pub(super) fn run(mut self) {
        while let Some(work) = self.shared.queue.take() {
            if let Err(error) = self.work(work) {
                return self.shared.notify(SourceChange::WatchLost(error));
            }
        }
    }

    fn work(&mut self, work: Work) -> Result<(), SourceError> {
        match work {
            Work::Everything => {
                self.establish()?;
                self.shared.notify(SourceChange::Everything);
            }
            Work::Places(places) => {
                let mut changed = BTreeSet::new();
                for place in places {
                    if self.look_at(&place, &mut changed)? == Look::Everything {
                        return self.work(Work::Everything);
                    }
                }
                if !changed.is_empty() {
                    let changed = changed.iter().filter_map(|path| PackagePath::new(path).ok());
                    self.shared.notify(SourceChange::Packages(changed.collect()));
                }
            }
        }
        Ok(())
    }

    /// Examines a path that may have become a directory or stopped being one; collects every added
    /// and removed directory.
    fn look_at(
        &mut self,
        place: &str,
        changed: &mut BTreeSet<String>,
    ) -> Result<Look, SourceError> {
        let survey = survey(&self.config, None)?;
        let mut tree = lock(&self.shared.tree);
        // If there are links, an added or removed directory may affect other paths.
        let has_links = tree.has_links();
        let was_link = tree.is_link(place);
        let known = tree.take_below(place);
        drop(tree);
        let kind = survey.kind(place);
        if was_link || kind == Some(Kind::Link) {
            return Ok(Look::Everything);
        }
        let is_directory = kind == Some(Kind::Directory);
        if known.is_empty() && !is_directory {
            // A scan of everything may have found it between its creation and its removal.
            changed.extend(kind.is_none().then(|| place.to_owned()));
            return Ok(Look::Done);
        }
        if has_links {
            return Ok(Look::Everything);
        }
        if let Some(watches) = &mut self.watches {
            watches.remove(known.iter().map(|path| self.config.root.join(path)));
        }
        changed.extend(known);
        if is_directory && survey.is_reached(place) {
            changed.extend(self.watch_below(place, usize::MAX, false)?);
        }
        // A link that was added together with a directory is resolved by a walk.
        if lock(&self.shared.tree).has_links() {
            return Ok(Look::Everything);
        }
        Ok(Look::Done)
    }
}
