//! Checks the names of files.

use prowess_dir::{Dir, Entry, Kind};
use unicode_normalization::UnicodeNormalization;

use super::{Level, Walk};
use crate::admission::{is_package, join};
use crate::package::{FILES, Probe};
use crate::problem;
use crate::wrong_case::is_wrong_case;

/// Where a directory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// In no package.
    Outside,
    /// It is a package itself.
    Package,
    /// In a package.
    Inside,
}

impl Within {
    /// Returns where a directory below this one lies that was probed.
    pub(super) fn below(self, probe: Probe) -> Self {
        match (self, probe) {
            (_, Probe::Package) => Self::Package,
            (Self::Outside, _) => Self::Outside,
            (Self::Package | Self::Inside, _) => Self::Inside,
        }
    }
}

/// The files of packages whose names are not UTF-8.
#[derive(Default)]
pub(super) struct OddNames {
    first: Option<String>,
    count: usize,
}

/// Returns whether a directory has a `SKILL.md` under both names.
pub(crate) fn has_both_files(root: &Dir, directory: &str) -> bool {
    FILES.into_iter().all(|file| {
        let stat = root.stat_unconfined(&*join(directory, file));
        stat.is_ok_and(|stat| matches!(stat.kind, Kind::File | Kind::Link))
    })
}

impl Walk<'_> {
    /// Checks the name of a file. The files of packages are visited only where packages are listed.
    pub(crate) fn visit_file(&mut self, level: &mut Level<'_>, entry: &Entry<'_>) {
        self.prober.path.truncate(level.parent_length);
        if is_wrong_case(entry) && !is_package(level.directory, "") {
            self.prober.path.push_str(entry.name().unwrap_or_default());
            let is_in_root = level.path.is_empty() && self.config.holds_skills;
            let found = if is_in_root { problem::misplaced_file } else { problem::file_misnamed };
            self.prober.problem(found(&self.prober.here()));
            return;
        }
        let bytes = entry.name_bytes();
        // Nearly all names are so, and all checks below are about others.
        if !level.is_in_package() || bytes.is_ascii() && bytes != FILES[1].as_bytes() {
            return;
        }
        let Some(name) = entry.name() else {
            self.prober.path.push_str(&String::from_utf8_lossy(entry.name_bytes()));
            self.odd_names.first.get_or_insert_with(|| self.prober.here());
            self.odd_names.count += 1;
            self.quiet.ends();
            return;
        };
        self.prober.path.push_str(name);
        let may_be_second = name == FILES[1] && level.within == Within::Package;
        if may_be_second && has_both_files(level.directory, "") {
            self.prober.problem(problem::second_file(&self.prober.here()));
        }
        self.compare_composed(level, entry);
    }

    /// Reports the name at the prober's path if it looks the same as another one of its directory.
    pub(super) fn compare_composed(&mut self, level: &mut Level<'_>, entry: &Entry<'_>) {
        let Some(name) = entry.name().filter(|name| !name.is_ascii()) else { return };
        if let Some(other) = level.composed.insert(name.nfc().collect(), name.to_owned()) {
            let path = self.prober.here();
            self.prober.problem(problem::collision(&path, &other));
        }
    }

    pub(super) fn report_odd_names(&mut self) {
        let OddNames { first, count } = std::mem::take(&mut self.odd_names);
        if let Some(first) = first {
            self.prober.problem(problem::files_not_utf8(&first, count));
        }
    }
}
