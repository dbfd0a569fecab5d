//! Collects the reports of a scan into a set of records.

mod decide;
mod findings;
mod kept;
mod locations;
mod outcomes;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use prowess_core::{
    Cancel, Coverage, Diagnostic, Found, NewRecord, PackagePath, PreviousScan, ReadFurther,
    RecordSet, RecordSetBuilder, SameVersion, ScanSink, SkillSource, SourceError, Stamp,
};
use prowess_format::{
    Conditions, Directory, Head, NameMismatch, Rules, Summarized, Summary, SummaryConditions,
    check_file_size, summarize_with,
};

use crate::changes::Changes;
use crate::policy::{IdFrom, RegistryPolicy};
use crate::previous::PreviousPackages;
use crate::scope::Part;
use crate::trace;
use decide::{Decision, Observed};
use findings::{invalid_path, mismatch, too_many_tokens};
use locations::{directory_of, is_of, location};
use outcomes::{Outcome, Outcomes};

/// The result of a scan.
pub(crate) struct Collected {
    /// The records; the same set as before if nothing has changed.
    pub(crate) records: Arc<RecordSet>,
    /// The differences from the previous scan.
    pub(crate) changes: Changes,
    /// Whether a catalog of these records would be equal to one of the previous records. They may
    /// still have newer stamps.
    pub(crate) is_same: bool,
    /// Packages that were good and are missing or broken, and stay unchanged until a second scan.
    pub(crate) unconfirmed: Vec<PackagePath>,
}

#[derive(Clone, Copy)]
pub(crate) struct RecordOptions {
    pub(crate) policy: RegistryPolicy,
    /// The generation of the catalog that the records would be part of.
    pub(crate) generation: u64,
}

/// Scans a part of `source` in a span with the result, reusing the previous records that have not
/// changed.
pub(crate) fn collect_traced(
    source: &dyn SkillSource,
    previous: &Arc<RecordSet>,
    part: &Part,
    options: RecordOptions,
    cancel: &Cancel,
) -> Result<Collected, SourceError> {
    let span = trace::scan(source.name(), source.root());
    let _entered = span.enter();
    let scan = || -> Result<Collected, SourceError> {
        let packages = PreviousPackages::new(previous);
        let scan = PreviousScan::new(&packages)
            .with_listing(previous.listing())
            .with_notes(previous.notes());
        let rules = options.policy.rules();
        let mut collector =
            Collector::new(source.root(), previous, &packages, part, options, &rules);
        let coverage = match &part.packages {
            None => source.scan(&scan, &mut collector, cancel).map(Coverage::Everything)?,
            Some(requested) => {
                let requested: Vec<_> = requested.iter().cloned().collect();
                source.scan_packages(&requested, &scan, &mut collector, cancel)?
            }
        };
        collector.decide_unreported(coverage);
        Ok(collector.finish())
    };
    let collected = scan();
    match &collected {
        Ok(collected) => trace::record_changes(&span, &collected.changes),
        Err(error) => trace::record_error(&span, error),
    }
    collected
}

/// The sink of one scan.
struct Collector<'p, 'a> {
    root: &'a str,
    previous: &'a Arc<RecordSet>,
    part: &'a Part,
    options: RecordOptions,
    rules: &'p Rules,
    outcomes: Outcomes<'p, 'a>,
    problems: Vec<Diagnostic>,
    builder: RecordSetBuilder,
    /// The position of each record in the builder among the previous ones, if there are any.
    positions: Vec<usize>,
    conditions: SharedConditions,
    listing: Option<Stamp>,
    /// The source's notes for its next scan.
    notes: Arc<[u8]>,
    /// Directories that could not be read.
    unreadable: HashSet<Box<str>>,
    /// The package whose size was requested.
    sized: Option<Box<str>>,
    /// The findings about kept last good versions, by the location of the file.
    existing_kept: OnceCell<HashMap<&'a str, &'a Diagnostic>>,
    changes: Changes,
    unconfirmed: Vec<PackagePath>,
}

/// The conditions so far, so that skills with the same tools share one value.
#[derive(Default)]
struct SharedConditions(HashMap<Box<str>, Option<Arc<Conditions>>>);

impl SharedConditions {
    fn of(&mut self, conditions: &SummaryConditions<'_>) -> Option<Arc<Conditions>> {
        let SummaryConditions::Tools(text) = conditions else {
            return conditions.to_conditions().map(Arc::new);
        };
        if let Some(shared) = self.0.get(&**text) {
            return shared.clone();
        }
        let shared = conditions.to_conditions().map(Arc::new);
        self.0.insert((&**text).into(), shared.clone());
        shared
    }
}

impl<'p, 'a> Collector<'p, 'a> {
    fn new(
        root: &'a str,
        previous: &'a Arc<RecordSet>,
        packages: &'p PreviousPackages<'a>,
        part: &'a Part,
        options: RecordOptions,
        rules: &'p Rules,
    ) -> Self {
        let requested = part.packages.as_ref();
        let requested = requested.map(|packages| packages.iter().map(PackagePath::as_str));
        Self {
            root,
            previous,
            part,
            options,
            rules,
            outcomes: Outcomes::new(packages, requested),
            problems: Vec::new(),
            builder: RecordSetBuilder::new(),
            positions: Vec::new(),
            conditions: SharedConditions::default(),
            listing: None,
            notes: Arc::default(),
            unreadable: HashSet::new(),
            sized: None,
            existing_kept: OnceCell::new(),
            changes: Changes::default(),
            unconfirmed: Vec::new(),
        }
    }

    /// Adds a `SKILL.md` that can be used.
    fn accept(&mut self, found: &Found<'_>, directory: Option<&str>, summary: &Summary<'_>) {
        let id = match (self.options.policy.id_from, directory) {
            (IdFrom::Directory, Some(directory)) => Cow::Borrowed(directory),
            _ => self.rules.id_in(&summary.name, directory.unwrap_or_default()),
        };
        let record = NewRecord {
            package: found.package,
            file: found.file,
            id: &id,
            name: &summary.name,
            description: &summary.description,
            tags: &summary.tags,
            priority: summary.priority,
            version: summary.version.as_deref(),
            conditions: self.conditions.of(&summary.conditions),
            stamp: found.stamp,
        };
        let position = self.outcomes.set(found.package, Outcome::Replaced);
        let earlier = position.filter(|&position| position < self.previous.len());
        match (position, earlier) {
            (_, Some(at)) if is_same(self.previous, at, &record) => self.changes.unchanged += 1,
            (Some(_), _) => self.changes.changed += 1,
            (None, _) => self.changes.added += 1,
        }
        if !self.previous.is_empty() {
            self.positions.push(self.outcomes.position(earlier));
        }
        self.builder.push(&record);
    }

    fn diagnose(&mut self, found: &Found<'_>, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            let location = location(self.root, found.package, found.file);
            self.builder.diagnose(Some(found.package), diagnostic.in_file(location));
        }
    }

    /// Decides about the packages that were not reported.
    fn decide_unreported(&mut self, coverage: Coverage) {
        self.decide_unreadable_files();
        self.decide_unreadable_directories();
        self.listing = match coverage {
            Coverage::Everything(summary) => summary.listing,
            Coverage::Asked => {
                self.outcomes.carry_over_unrequested();
                self.notes = Arc::clone(self.previous.notes());
                self.previous.listing()
            }
        };
        if self.decide(Observed::Missing, None) == Decision::Defer {
            let deferred = self.outcomes.defer_unreported();
            self.unconfirmed.extend(deferred.into_iter().flat_map(PackagePath::new));
        }
        // A deferred package is in the records, but not in the list of packages.
        if !self.unconfirmed.is_empty() {
            self.listing = None;
        }
        if let (Coverage::Asked, Some(requested)) = (coverage, &self.part.packages) {
            let is_elsewhere = |problem: &&Diagnostic| {
                let path = problem.path.as_deref().unwrap_or_default();
                !requested.iter().any(|package| is_of(self.root, package.as_str(), path))
            };
            self.problems.extend(self.previous.problems().filter(is_elsewhere).cloned());
        }
    }

    fn finish(mut self) -> Collected {
        self.problems.sort_by(|one, other| position(one).cmp(&position(other)));
        if self.builder.is_empty()
            && self.outcomes.are_all_carried_over()
            // The stamp of the list of packages and the notes are part of the set.
            && self.previous.listing() == self.listing
            && *self.previous.notes() == self.notes
            && self.previous.problems().eq(&self.problems)
        {
            self.changes.unchanged = self.previous.len();
            let records = Arc::clone(self.previous);
            let Self { changes, unconfirmed, .. } = self;
            return Collected { records, changes, is_same: true, unconfirmed };
        }
        self.carry_over();
        for problem in self.problems {
            self.builder.diagnose(None, problem);
        }
        self.builder.listed(self.listing);
        self.builder.noted(self.notes);
        let records = self.builder.finish();
        let is_same =
            self.changes.is_none() && records.diagnostics().eq(self.previous.diagnostics());
        Collected {
            records: Arc::new(records),
            changes: self.changes,
            is_same,
            unconfirmed: self.unconfirmed,
        }
    }

    /// Carries over the unchanged records, and counts those that were not reported.
    ///
    /// The records keep the order of the scan, in which the next one will look them up.
    fn carry_over(&mut self) {
        let (carried, missing) = self.outcomes.count_records(self.previous.len());
        if carried > 0 {
            let read = std::mem::take(&mut self.builder).finish();
            self.builder = self.merged(&read);
        }
        self.changes.unchanged += carried;
        self.changes.removed += missing;
        for (package, stamp) in self.outcomes.carried_over_rejected(self.previous.len()) {
            self.builder.reject(package, stamp);
        }
        let others = self.outcomes.not_carried_over();
        self.builder.reuse_diagnostics(self.previous, |package| !others.contains(package));
    }

    /// Merges the records that were read into those that are carried over, at their positions.
    fn merged(&self, read: &RecordSet) -> RecordSetBuilder {
        let mut builder = RecordSetBuilder::after(Arc::clone(self.previous));
        let mut positions: Vec<_> = self.positions.iter().copied().zip(0..).collect();
        positions.sort_unstable();
        let mut next = 0;
        for (position, read_at) in positions {
            let position = position.min(self.previous.len());
            self.carry_over_between(next, position, &mut builder);
            builder.reuse(read, read_at, read.stamp(read_at));
            next = position;
        }
        self.carry_over_between(next, self.previous.len(), &mut builder);
        for rejected in read.rejected() {
            builder.reject(&rejected.package, rejected.stamp);
        }
        builder.reuse_diagnostics(read, |_| true);
        builder
    }

    /// Adds the records between two positions that are carried over.
    fn carry_over_between(&self, start: usize, end: usize, builder: &mut RecordSetBuilder) {
        for run in self.outcomes.carried_over(start..end) {
            builder.keep(self.previous, run);
        }
    }

    /// Returns whether the size of a file is not known.
    fn lacks_size(&mut self, found: &Found<'_>) -> bool {
        let is_unknown = found.size.is_none() && !found.is_whole_file;
        // A source that does not report it is requested once.
        let is_asked = self.sized.as_deref() == Some(found.package);
        let lacks_size = is_unknown && !is_asked;
        if lacks_size {
            self.sized = Some(found.package.into());
        }
        lacks_size
    }
}

impl ScanSink for Collector<'_, '_> {
    fn unchanged(&mut self, package: &str) {
        self.outcomes.set(package, Outcome::CarriedOver);
    }

    fn notes(&mut self, notes: Vec<u8>) {
        self.notes = notes.into();
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        if !PackagePath::is_normal(found.package) {
            self.problem(invalid_path(self.root, found.package));
            return ReadFurther::No;
        }
        if self.lacks_size(&found) {
            return ReadFurther::Size;
        }
        // A file that can never be loaded is not parsed.
        if let Some(too_large) = found.size.and_then(check_file_size) {
            self.reject(&found, vec![too_large]);
            return ReadFurther::No;
        }
        let head = Head { bytes: found.head, is_whole_file: found.is_whole_file };
        let directory =
            Some(directory_of(self.root, found.package)).filter(|name| !name.is_empty());
        let policy = self.options.policy;
        let is_compared = policy.name_mismatch == NameMismatch::Profile;
        let named = directory.map(|name| Directory { name, is_compared });
        match summarize_with(head, named, self.rules) {
            Summarized::NeedsBytes(bytes) => return ReadFurther::UpTo(bytes),
            Summarized::Done(summary, mut diagnostics) => {
                let of_name = mismatch(policy.name_mismatch, summary.as_ref(), directory);
                let summarized = diagnostics.len();
                diagnostics.extend(policy.skill_md_case.check(found.file, policy.profile));
                diagnostics.extend(of_name);
                diagnostics.extend(too_many_tokens(&found, policy.limits.body_tokens));
                let is_bad = diagnostics[summarized..].iter().any(Diagnostic::is_error);
                match &summary {
                    Some(summary) if !is_bad => {
                        self.accept(&found, directory, summary);
                        if !diagnostics.is_empty() {
                            self.diagnose(&found, diagnostics);
                        }
                    }
                    _ => self.reject(&found, diagnostics),
                }
            }
        }
        ReadFurther::No
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }

    fn unreadable(&mut self, directory: &str, diagnostic: Diagnostic) {
        self.unreadable.insert(directory.into());
        self.problem(diagnostic);
    }
}

/// Returns whether a record equals the earlier one, and the file may be the same version by its
/// stamp.
fn is_same(earlier: &RecordSet, at: usize, record: &NewRecord<'_>) -> bool {
    let may_be_same =
        |earlier| record.stamp.is_some_and(|stamp| stamp.same_version(earlier) != SameVersion::No);
    earlier.stamp(at).is_none_or(may_be_same)
        && earlier.file(at) == record.file
        && earlier.id(at) == record.id
        && earlier.name(at) == record.name
        && earlier.description(at) == record.description
        && earlier.priority(at) == record.priority
        && earlier.version(at) == record.version
        && earlier.conditions(at) == record.conditions.as_ref()
        && earlier.tags(at).eq(record.tags.iter().map(AsRef::as_ref))
}

fn position(diagnostic: &Diagnostic) -> (Option<&str>, Option<u32>, Option<u32>) {
    (diagnostic.path.as_deref(), diagnostic.line, diagnostic.column)
}
