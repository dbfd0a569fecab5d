//! A version that cannot be used, or not be looked at, and the last good one.

use prowess_core::{Diagnostic, Found, PackagePath, RecordSet, Severity, Stamp};

use super::Collector;
use super::findings::{skill_kept, skill_unseen};
use super::places::{location, package_of};
use crate::codes;
use crate::earlier::Fate;
use crate::policy::OnBroken;
use crate::scope::Doubt;

impl Collector<'_> {
    /// Takes note of a `SKILL.md` that cannot be used.
    pub(super) fn reject(&mut self, found: &Found<'_>, diagnostics: Vec<Diagnostic>) {
        match (self.known.settle(found.package, Fate::Reread), self.making.policy.on_broken) {
            (Some(Some(at)), _) if self.is_in_doubt(at) => return self.wait(found),
            // What an earlier run of the program found good is nothing to go on with.
            (Some(Some(at)), OnBroken::KeepLast) if self.making.generation > 1 => {
                return self.keep(found, at, diagnostics);
            }
            (Some(Some(_)), _) => self.changes.removed += 1,
            (Some(None), _) => {}
            (None, _) => self.changes.rejected += 1,
        }
        self.builder.reject(found.package, found.stamp);
        self.diagnose(found, diagnostics);
    }

    /// Whether a version that cannot be used may be half a one. Where it was told of already, it is as
    /// it is.
    fn is_in_doubt(&self, at: usize) -> bool {
        self.part.doubt == Doubt::Wait && self.told_as_kept(at).is_none()
    }

    /// Leaves a package as it was, to be looked at again.
    fn wait(&mut self, found: &Found<'_>) {
        self.known.settle(found.package, Fate::Kept);
        self.doubted.extend(PackagePath::new(found.package));
    }

    /// The finding that the last good version of a package is kept, if it is.
    fn told_as_kept(&self, at: usize) -> Option<&Diagnostic> {
        let earlier: &RecordSet = self.earlier;
        let told = self.told_as_kept.get_or_init(|| {
            let kept = earlier.diagnostics().filter(|told| told.code == codes::SKILL_KEPT);
            kept.filter_map(|told| Some((told.path.as_deref()?, told))).collect()
        });
        if told.is_empty() {
            return None;
        }
        let location = location(self.root, earlier.package(at), earlier.file(at));
        told.get(&*location).copied()
    }

    /// Keeps the last good version of a package. What is wrong with the one that is not in use are
    /// warnings: the skill itself is there.
    fn keep(&mut self, found: &Found<'_>, at: usize, mut diagnostics: Vec<Diagnostic>) {
        self.keep_record(found.package, at, found.stamp);
        for diagnostic in &mut diagnostics {
            diagnostic.severity = diagnostic.severity.min(Severity::Warning);
        }
        self.diagnose(found, diagnostics);
    }

    fn keep_record(&mut self, package: &str, at: usize, stamp: Option<Stamp>) {
        let kept = skill_kept(self.making.generation);
        self.keep_record_saying(package, at, stamp, kept);
    }

    /// Keeps a record of the last scan. Since when it is kept is said once.
    fn keep_record_saying(
        &mut self,
        package: &str,
        at: usize,
        stamp: Option<Stamp>,
        kept: Diagnostic,
    ) {
        let kept = self
            .told_as_kept(at)
            .cloned()
            .unwrap_or_else(|| kept.in_file(location(self.root, package, self.earlier.file(at))));
        self.places.push(self.known.place(Some(at)));
        self.builder.reuse(self.earlier, at, stamp);
        self.builder.diagnose(Some(package), kept);
        self.changes.unchanged += 1;
    }

    /// Keeps the packages whose `SKILL.md` is there and could not be read, as where the system had no more
    /// open files to give. Without a stamp, each is read again by the next scan.
    pub(super) fn keep_unreadable(&mut self) {
        let mut problems = std::mem::take(&mut self.problems);
        for problem in problems.iter_mut().filter(|problem| problem.is_error()) {
            let place = problem.path.as_deref().unwrap_or_default();
            let Some(package) = package_of(self.root, place) else { continue };
            let at = self.known.unsaid_record(package).filter(|&at| !self.is_in_doubt(at));
            if let Some(at) = at {
                self.known.settle(package, Fate::Reread);
                self.keep_record(package, at, None);
                problem.severity = Severity::Warning;
            }
        }
        self.problems = problems;
    }

    /// Keeps the packages in directories that could not be looked into, as where their rights are being
    /// changed.
    pub(super) fn keep_unseen(&mut self) {
        if self.unseen.is_empty() {
            return;
        }
        for at in 0..self.earlier.len() {
            let package = self.earlier.package(at);
            let is_kept = self.is_unseen(package) && self.known.unsaid_record(package) == Some(at);
            if is_kept && !self.is_in_doubt(at) {
                self.known.settle(package, Fate::Reread);
                let kept = skill_unseen(self.making.generation);
                self.keep_record_saying(package, at, None, kept);
            }
        }
    }

    /// Whether a package lies in a directory that could not be looked into, or is one.
    fn is_unseen(&self, package: &str) -> bool {
        let above = package.match_indices('/').map(|(at, _)| &package[..at]);
        above.chain(["", package]).any(|directory| self.unseen.contains(directory))
    }
}
