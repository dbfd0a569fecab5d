//! Directories that a `.gitignore` excludes from the search.

use std::rc::Rc;

use prowess_dir::{Dir, Kind};

use super::{Level, Walk};
use crate::gitignore::IgnoreRules;
use crate::package::FILES;
use crate::problem;

/// The directories that were excluded so far.
#[derive(Default)]
pub(super) struct Ignored {
    first: Option<String>,
    count: usize,
}

impl Walk<'_> {
    /// Returns the rules above the root; `None` if they exclude the root itself.
    pub(super) fn rules_of_root(&mut self) -> Option<Option<Rc<IgnoreRules>>> {
        let Some(outermost) = &self.config.gitignore else { return Some(None) };
        let rules = IgnoreRules::above(outermost, &self.config.root);
        if rules.is_err() {
            let root = self.prober.absolute("");
            self.prober.problem(problem::left_out(&root, 1));
        }
        rules.ok()
    }

    pub(super) fn rules_below(
        &self,
        above: Option<Rc<IgnoreRules>>,
        directory: &Dir,
        path: &str,
    ) -> Option<Rc<IgnoreRules>> {
        self.config.gitignore.as_ref()?;
        IgnoreRules::below(above, directory, &self.config.root.join(path))
    }

    /// Returns whether a directory or link, or its `SKILL.md`, is excluded.
    pub(super) fn is_ignored(&mut self, level: &Level<'_>, path: &str, kind: Kind) -> bool {
        let Some(rules) = &level.rules else { return false };
        let location = self.config.root.join(path);
        let is_ignored = rules.leaves_out(&location, kind)
            || rules.leaves_out(&location.join(FILES[0]), Kind::File);
        if is_ignored {
            self.ignored.first.get_or_insert_with(|| self.prober.absolute(path));
            self.ignored.count += 1;
        }
        is_ignored
    }

    pub(super) fn report_ignored(&mut self) {
        let Ignored { first, count } = std::mem::take(&mut self.ignored);
        if let Some(first) = first {
            self.prober.problem(problem::left_out(&first, count));
        }
    }
}
