//! Directories that a `.gitignore` excludes from the search.

use std::path::Path;
use std::rc::Rc;

use prowess_dir::{Dir, Kind};

use super::Walk;
use crate::gitignore::Rules;
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
    pub(super) fn rules_of_root(&mut self, root: &str) -> Option<Option<Rc<Rules>>> {
        let Some(outermost) = &self.config.gitignore else { return Some(None) };
        let rules = Rules::above(outermost, Path::new(root));
        if rules.is_err() {
            self.prober.problem(problem::left_out(root, 1));
        }
        rules.ok()
    }

    pub(super) fn rules_below(
        &self,
        above: Option<Rc<Rules>>,
        directory: &Dir,
        path: &str,
    ) -> Option<Rc<Rules>> {
        self.config.gitignore.as_ref()?;
        Rules::below(above, directory, &self.config.root.join(path))
    }

    /// Returns whether the directory or link at the prober's path, or its `SKILL.md`, is excluded.
    pub(super) fn is_left_out(&mut self, rules: &Rules, kind: Kind) -> bool {
        let path = self.config.root.join(&self.prober.path);
        let is_left_out =
            rules.leaves_out(&path, kind) || rules.leaves_out(&path.join(FILES[0]), Kind::File);
        if is_left_out {
            self.left_out.first.get_or_insert_with(|| self.prober.here());
            self.left_out.count += 1;
        }
        is_left_out
    }

    pub(super) fn report_left_out(&mut self) {
        let Ignored { first, count } = std::mem::take(&mut self.left_out);
        if let Some(first) = first {
            self.prober.problem(problem::left_out(&first, count));
        }
    }
}
