//! One source's scan, gathered into a set of records.

mod findings;
mod kept;
mod places;

use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use prowess_core::{
    Cancel, Coverage, Diagnostic, Found, NewRecord, PackagePath, ReadFurther, RecordSet,
    RecordSetBuilder, ScanSink, SkillSource, SourceError, Stamp,
};
use prowess_format::{
    Conditions, Head, LimitSeverity, Rules, Summarized, Summary, SummaryConditions,
    check_file_name, summarize_with,
};

use crate::earlier::{Earlier, Fate};
use crate::policy::{IdFrom, NameMismatch, OnBroken, RegistryPolicy};
use crate::registry::Changes;
use crate::scope::{Doubt, Part};
use findings::{invalid_path, mismatch, too_many_tokens};
use places::{directory_of, is_of, location};

/// What a scan gave.
pub(crate) struct Collected {
    /// The records; the very set of the earlier scan if nothing has changed.
    pub(crate) records: Arc<RecordSet>,
    /// What differs from the earlier scan.
    pub(crate) changes: Changes,
    /// Whether a catalog of these records says what one of the earlier records said. They may still
    /// bear newer stamps.
    pub(crate) is_same: bool,
    /// Packages that were good and are missing or broken, and stay as they were until somebody asks again.
    pub(crate) doubted: Vec<PackagePath>,
}

/// How records are made, and for which catalog.
#[derive(Clone, Copy)]
pub(crate) struct Making {
    pub(crate) policy: RegistryPolicy,
    /// The generation of the catalog that the records would be part of.
    pub(crate) generation: u64,
}

/// Scans a part of `source`, reusing of `earlier` what has not changed. `likely` says of a package which of
/// these records may be of it, where that is known without a search.
pub(crate) fn collect(
    source: &dyn SkillSource,
    earlier: &Arc<RecordSet>,
    likely: impl Fn(&str) -> Option<usize>,
    part: &Part,
    making: Making,
    cancel: &Cancel,
) -> Result<Collected, SourceError> {
    let rules = making.policy.rules();
    let asked = part.packages.as_ref();
    let asked: Option<HashSet<_>> =
        asked.map(|asked| asked.iter().map(PackagePath::as_str).collect());
    let known = Earlier::new(earlier, asked.as_ref(), likely);
    let mut collector = Collector::new(source.root(), (earlier, known), part, (making, &rules));
    let coverage = match &part.packages {
        None => source.scan(&mut collector, cancel).map(|()| Coverage::Everything)?,
        Some(packages) => {
            let packages: Vec<_> = packages.iter().cloned().collect();
            source.scan_packages(&packages, &mut collector, cancel)?
        }
    };
    collector.settle_fates(coverage);
    Ok(collector.finish())
}

/// The sink of one scan.
struct Collector<'a> {
    root: &'a str,
    earlier: &'a Arc<RecordSet>,
    part: &'a Part,
    making: Making,
    rules: &'a Rules,
    known: Earlier<'a>,
    problems: Vec<Diagnostic>,
    builder: RecordSetBuilder,
    /// Before which of the earlier records each one in the builder belongs, if there are any.
    places: Vec<usize>,
    conditions: SharedConditions,
    listing: Option<Stamp>,
    /// Directories that could not be looked into.
    unseen: HashSet<Box<str>>,
    /// The findings that a last good version is kept, by the place of the file.
    told_as_kept: OnceCell<HashMap<&'a str, &'a Diagnostic>>,
    changes: Changes,
    doubted: Vec<PackagePath>,
}

/// The conditions that were met, so that skills which name the same tools share one value.
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

impl<'a> Collector<'a> {
    fn new(
        root: &'a str,
        (earlier, known): (&'a Arc<RecordSet>, Earlier<'a>),
        part: &'a Part,
        (making, rules): (Making, &'a Rules),
    ) -> Self {
        Self {
            root,
            earlier,
            part,
            making,
            rules,
            known,
            problems: Vec::new(),
            builder: RecordSetBuilder::new(),
            places: Vec::new(),
            conditions: SharedConditions::default(),
            listing: None,
            unseen: HashSet::new(),
            told_as_kept: OnceCell::new(),
            changes: Changes::default(),
            doubted: Vec::new(),
        }
    }

    /// Adds a `SKILL.md` that can be used.
    fn accept(&mut self, found: &Found<'_>, directory: Option<&str>, summary: &Summary<'_>) {
        let id = match (self.making.policy.id_from, directory) {
            (IdFrom::Directory, Some(directory)) => directory,
            _ => &summary.name,
        };
        let record = NewRecord {
            package: found.package,
            file: found.file,
            id,
            name: &summary.name,
            description: &summary.description,
            tags: &summary.tags,
            priority: summary.priority,
            version: summary.version.as_deref(),
            conditions: self.conditions.of(&summary.conditions),
            stamp: found.stamp,
        };
        let reread = self.known.settle(found.package, Fate::Reread);
        match reread {
            Some(Some(at)) if is_same(self.earlier, at, &record) => self.changes.unchanged += 1,
            Some(_) => self.changes.changed += 1,
            None => self.changes.added += 1,
        }
        if !self.earlier.is_empty() {
            self.places.push(self.known.place(reread.flatten()));
        }
        self.builder.push(&record);
    }

    fn diagnose(&mut self, found: &Found<'_>, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            let location = location(self.root, found.package, found.file);
            self.builder.diagnose(Some(found.package), diagnostic.in_file(location));
        }
    }

    /// Decides what becomes of the packages that were not reported.
    fn settle_fates(&mut self, coverage: Coverage) {
        let keeps_last = self.making.policy.on_broken == OnBroken::KeepLast;
        if keeps_last && self.making.generation > 1 {
            self.keep_unreadable();
            self.keep_unseen();
        }
        let Self { known, doubted, part, .. } = self;
        if coverage == Coverage::Asked {
            known.keep_unasked();
            self.listing = self.earlier.listing();
        }
        known.settle_unsaid(|package| {
            if part.doubt == Doubt::Believe {
                return Fate::Gone;
            }
            doubted.extend(PackagePath::new(package));
            Fate::Kept
        });
        // The list of the files tells of a package that is not believed yet, and not of the one that is kept.
        if !self.doubted.is_empty() {
            self.listing = None;
        }
        if let (Coverage::Asked, Some(asked)) = (coverage, &self.part.packages) {
            let is_elsewhere = |problem: &&Diagnostic| {
                let path = problem.path.as_deref().unwrap_or_default();
                !asked.iter().any(|package| is_of(self.root, package.as_str(), path))
            };
            self.problems.extend(self.earlier.problems().filter(is_elsewhere).cloned());
        }
    }

    fn finish(mut self) -> Collected {
        self.problems.sort_by(|one, other| place(one).cmp(&place(other)));
        if self.builder.is_empty()
            && self.known.are_all_kept()
            // What the source said of their list is kept with them.
            && self.earlier.listing() == self.listing
            && self.earlier.problems().eq(&self.problems)
        {
            self.changes.unchanged = self.earlier.len();
            let records = Arc::clone(self.earlier);
            let Self { changes, doubted, .. } = self;
            return Collected { records, changes, is_same: true, doubted };
        }
        self.take_over_kept();
        for problem in self.problems {
            self.builder.diagnose(None, problem);
        }
        self.builder.listed(self.listing);
        let records = self.builder.finish();
        let is_same =
            self.changes.is_none() && records.diagnostics().eq(self.earlier.diagnostics());
        Collected {
            records: Arc::new(records),
            changes: self.changes,
            is_same,
            doubted: self.doubted,
        }
    }

    /// Takes over what the scan reported as unchanged, and counts what it did not report at all.
    ///
    /// The records keep the order of the scan, in which the next one will ask for them.
    fn take_over_kept(&mut self) {
        let (kept, gone) = (self.known.count(Fate::Kept), self.known.count(Fate::Gone));
        if kept > 0 {
            let read = std::mem::take(&mut self.builder).finish();
            self.builder = self.merged(&read);
        }
        self.changes.unchanged += kept;
        self.changes.removed += gone;
        for (package, stamp) in self.known.kept_rejected() {
            self.builder.reject(package, stamp);
        }
        let not_kept = self.known.not_kept();
        self.builder.reuse_diagnostics(self.earlier, |package| !not_kept.contains(package));
    }

    /// The earlier records that are kept, with those that were read at their places among them.
    fn merged(&self, read: &RecordSet) -> RecordSetBuilder {
        let mut builder = RecordSetBuilder::after(Arc::clone(self.earlier));
        let mut places: Vec<_> = self.places.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let mut next = 0;
        for (place, read_at) in places {
            let place = place.min(self.earlier.len());
            self.keep_between(next, place, &mut builder);
            builder.reuse(read, read_at, read.stamp(read_at));
            next = place;
        }
        self.keep_between(next, self.earlier.len(), &mut builder);
        for rejected in read.rejected() {
            builder.reject(&rejected.package, rejected.stamp);
        }
        builder.reuse_diagnostics(read, |_| true);
        builder
    }

    /// Takes over what is kept of the earlier records from one place to another.
    fn keep_between(&self, start: usize, end: usize, builder: &mut RecordSetBuilder) {
        let kept = self.known.of_records(start..end).filter(|run| run.fate == Fate::Kept);
        kept.for_each(|run| builder.keep(self.earlier, run.places));
    }
}

impl ScanSink for Collector<'_> {
    fn known(&self, package: &str) -> Option<Stamp> {
        self.known.stamp(package)
    }

    fn each_known(
        &self,
        start: usize,
        visit: &mut dyn FnMut(&str, Option<Stamp>) -> ControlFlow<()>,
    ) {
        self.known.each(start, visit);
    }

    fn known_listing(&self) -> Option<Stamp> {
        self.earlier.listing()
    }

    fn listed(&mut self, stamp: Stamp) {
        self.listing = Some(stamp);
    }

    fn unseen(&mut self, directory: &str) {
        self.unseen.insert(directory.into());
    }

    fn unchanged(&mut self, package: &str) {
        self.known.settle(package, Fate::Kept);
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        if !PackagePath::is_normal(found.package) {
            self.problem(invalid_path(self.root, found.package));
            return ReadFurther::No;
        }
        let head = Head { bytes: found.head, is_whole_file: found.is_whole_file };
        let directory =
            Some(directory_of(self.root, found.package)).filter(|name| !name.is_empty());
        let policy = self.making.policy;
        let compared = directory.filter(|_| policy.name_mismatch == NameMismatch::Profile);
        match summarize_with(head, compared, self.rules) {
            Summarized::NeedsBytes(bytes) => return ReadFurther::UpTo(bytes),
            Summarized::Done(summary, mut diagnostics) => {
                let of_name = mismatch(policy.name_mismatch, summary.as_ref(), directory);
                let summarized = diagnostics.len();
                diagnostics.extend(check_file_name(found.file, policy.profile));
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

    fn needs_size(&self) -> bool {
        self.making.policy.limits.body_tokens.severity != LimitSeverity::Profile
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }
}

/// Whether a record says what the earlier one said of the same version of the file, or of one whose
/// stamp could not be relied on.
fn is_same(earlier: &RecordSet, at: usize, record: &NewRecord<'_>) -> bool {
    let may_be = |earlier| record.stamp.is_some_and(|stamp| stamp.may_be(earlier));
    let is_same_file = earlier.stamp(at).is_none_or(may_be);
    is_same_file
        && earlier.file(at) == record.file
        && earlier.id(at) == record.id
        && earlier.name(at) == record.name
        && earlier.description(at) == record.description
        && earlier.priority(at) == record.priority
        && earlier.version(at) == record.version
        && earlier.conditions(at) == record.conditions.as_ref()
        && earlier.tags(at).eq(record.tags.iter().map(AsRef::as_ref))
}

fn place(diagnostic: &Diagnostic) -> (Option<&str>, Option<u32>, Option<u32>) {
    (diagnostic.path.as_deref(), diagnostic.line, diagnostic.column)
}
