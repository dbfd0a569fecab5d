//! Keeps the last good version of skills that are broken or unreadable.

use prowess_core::{Diagnostic, Found, PackagePath, Severity, Stamp};

use super::Collector;
use super::decide::{Circumstances, Decision, Observed, decide};
use super::findings::{skill_kept, skill_unseen};
use super::locations::{location, package_of};
use super::outcomes::Outcome;
use crate::codes;
use crate::policy::OnBroken;

impl Collector<'_, '_> {
    /// Decides about a package of the previous scan that has this record.
    pub(super) fn decide(&self, observed: Observed, record: Option<usize>) -> Decision {
        let policy = self.options.policy;
        let circumstances = Circumstances {
            on_missing: self.part.on_missing,
            // The records of an earlier run of the program are not a fallback.
            keeps_last: policy.on_broken == OnBroken::KeepLast && self.options.generation > 1,
            is_kept_already: record.is_some_and(|record| self.existing_kept(record).is_some()),
        };
        decide(observed, circumstances)
    }

    /// Records a `SKILL.md` that cannot be used.
    pub(super) fn reject(&mut self, found: &Found<'_>, diagnostics: Vec<Diagnostic>) {
        let position = self.outcomes.set(found.package, Outcome::Replaced);
        let record = position.filter(|&position| position < self.previous.len());
        match (position, record) {
            (None, _) => self.changes.rejected += 1,
            (Some(_), None) => {}
            (_, Some(record)) => match self.decide(Observed::Broken, Some(record)) {
                Decision::Defer => return self.defer(found),
                Decision::KeepLast => return self.keep_last(found, record, diagnostics),
                _ => self.changes.removed += 1,
            },
        }
        self.builder.reject(found.package, found.stamp);
        self.diagnose(found, diagnostics);
    }

    /// Keeps a package unchanged until a second scan.
    fn defer(&mut self, found: &Found<'_>) {
        self.outcomes.set(found.package, Outcome::CarriedOver);
        self.unconfirmed.extend(PackagePath::new(found.package));
    }

    /// Returns the finding that the last good version of a package is kept, if it is.
    fn existing_kept(&self, record: usize) -> Option<&Diagnostic> {
        let previous = self.previous;
        let existing = self.existing_kept.get_or_init(|| {
            let kept = previous.diagnostics().filter(|finding| finding.code == codes::SKILL_KEPT);
            kept.filter_map(|finding| Some((finding.path.as_deref()?, finding))).collect()
        });
        if existing.is_empty() {
            return None;
        }
        let location = location(self.root, previous.package(record), previous.file(record));
        existing.get(&*location).copied()
    }

    /// Keeps the last good version of a package. Faults of the unused version are reported as
    /// warnings, because the skill itself is available.
    fn keep_last(&mut self, found: &Found<'_>, record: usize, mut diagnostics: Vec<Diagnostic>) {
        let finding = skill_kept(self.options.generation);
        self.keep_record(found.package, record, found.stamp, finding);
        for diagnostic in &mut diagnostics {
            diagnostic.severity = diagnostic.severity.min(Severity::Warning);
        }
        self.diagnose(found, diagnostics);
    }

    /// Keeps a record of the previous scan, with a finding. An earlier finding stays, since it
    /// names the generation from which on the record is kept.
    fn keep_record(
        &mut self,
        package: &str,
        record: usize,
        stamp: Option<Stamp>,
        finding: Diagnostic,
    ) {
        let location = location(self.root, package, self.previous.file(record));
        let existing = self.existing_kept(record).cloned();
        let finding = existing.unwrap_or_else(|| finding.in_file(location));
        self.positions.push(self.outcomes.position(Some(record)));
        self.builder.reuse(self.previous, record, stamp);
        self.builder.diagnose(Some(package), finding);
        self.changes.unchanged += 1;
    }

    /// Decides about the packages whose `SKILL.md` exists and could not be read, for example
    /// because the process has no more file descriptors. Without a stamp, each is read again by the
    /// next scan.
    pub(super) fn decide_unreadable_files(&mut self) {
        let mut problems = std::mem::take(&mut self.problems);
        for problem in problems.iter_mut().filter(|problem| problem.is_error()) {
            let location = problem.path.as_deref().unwrap_or_default();
            let Some(package) = package_of(self.root, location) else { continue };
            let Some(record) = self.outcomes.unreported_record(package) else { continue };
            if self.decide(Observed::Unreadable, Some(record)) == Decision::KeepLast {
                self.outcomes.set(package, Outcome::Replaced);
                self.keep_record(package, record, None, skill_kept(self.options.generation));
                problem.severity = Severity::Warning;
            }
        }
        self.problems = problems;
    }

    /// Decides about the packages in directories that could not be read, for example because their
    /// permissions are being changed.
    pub(super) fn decide_unreadable_directories(&mut self) {
        if self.unreadable.is_empty() {
            return;
        }
        for record in 0..self.previous.len() {
            let package = self.previous.package(record);
            let is_unreadable = self.is_unreadable(package)
                && self.outcomes.unreported_record(package) == Some(record);
            if is_unreadable
                && self.decide(Observed::Unreadable, Some(record)) == Decision::KeepLast
            {
                self.outcomes.set(package, Outcome::Replaced);
                self.keep_record(package, record, None, skill_unseen(self.options.generation));
            }
        }
    }

    /// Returns whether a package is in a directory that could not be read, or is such a directory.
    fn is_unreadable(&self, package: &str) -> bool {
        let above = package.match_indices('/').map(|(at, _)| &package[..at]);
        above.chain(["", package]).any(|directory| self.unreadable.contains(directory))
    }
}
