//! What the earlier scan knew of each package, and what becomes of it in this one.

mod runs;

use std::cell::{Cell, OnceCell};
use std::ops::{ControlFlow, Range};

use hashbrown::{HashMap, HashSet};
use prowess_core::{RecordSet, Stamp};

use runs::{Run, runs};

/// How far ahead of the last one a package is looked for, and how many are searched for one by one before
/// there is a table.
const AHEAD: usize = 4;
const MOST_SEARCHES: usize = 4;

/// The packages of the earlier scan by their places: the records', then those that cannot be used.
///
/// A directory is mostly listed in the order of the last time, so the package that is asked for is the one
/// behind the last that was asked for, and likewise the one that is settled. Only a scan that comes in
/// another order builds a table.
pub(crate) struct Earlier<'a> {
    records: &'a RecordSet,
    fates: Vec<Fate>,
    asked: Next,
    settled: Next,
    searches: Cell<usize>,
    by_package: OnceCell<HashMap<&'a str, usize>>,
}

/// The places behind the last record that was found, and behind the last one that cannot be used.
struct Next([Cell<usize>; 2]);

/// What this scan says of a package that the earlier one knew.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing, and it was not asked for it.
    NotAsked,
    /// Nothing, so far: it is gone.
    Gone,
    /// It is as it was.
    Kept,
    /// It was read again.
    Reread,
}

impl<'a> Earlier<'a> {
    /// The packages of which `asked` are asked for, or all of them. `likely` says where one of those may be.
    pub(crate) fn new(
        records: &'a RecordSet,
        asked: Option<&HashSet<&str>>,
        likely: impl Fn(&str) -> Option<usize>,
    ) -> Self {
        let fate = if asked.is_some() { Fate::NotAsked } else { Fate::Gone };
        let mut earlier = Self {
            records,
            fates: vec![fate; records.len() + records.rejected().len()],
            asked: Next::new(records),
            settled: Next::new(records),
            searches: Cell::new(0),
            by_package: OnceCell::new(),
        };
        for package in asked.into_iter().flatten() {
            let likely = likely(package).filter(|at| *at < records.len());
            likely.into_iter().for_each(|at| earlier.settled.0[0].set(at));
            earlier.settle(package, Fate::Gone);
        }
        earlier
    }

    /// The stamp that the earlier scan gave.
    pub(crate) fn stamp(&self, package: &str) -> Option<Stamp> {
        self.stamp_at(self.find(package, &self.asked)?)
    }

    /// Shows the packages from a place on and their stamps, until `visit` breaks.
    pub(crate) fn each(
        &self,
        start: usize,
        visit: &mut dyn FnMut(&str, Option<Stamp>) -> ControlFlow<()>,
    ) {
        let _ =
            (start..self.fates.len()).try_for_each(|at| visit(self.package(at), self.stamp_at(at)));
    }

    /// Settles what becomes of a package; gives its record, if it was known, and if it had one.
    pub(crate) fn settle(&mut self, package: &str, fate: Fate) -> Option<Option<usize>> {
        let at = self.find(package, &self.settled)?;
        self.fates[at] = fate;
        Some(self.record(at))
    }

    /// The record of a package of which the scan has said nothing.
    pub(crate) fn unsaid_record(&self, package: &str) -> Option<usize> {
        let at = self.find(package, &self.settled)?;
        let is_unsaid = matches!(self.fates[at], Fate::Gone | Fate::NotAsked);
        self.record(at).filter(|_| is_unsaid)
    }

    /// Keeps each package that the scan was not asked for.
    pub(crate) fn keep_unasked(&mut self) {
        for fate in &mut self.fates {
            *fate = if *fate == Fate::NotAsked { Fate::Kept } else { *fate };
        }
    }

    /// Lets `decide` have the last word on each package of which the scan said nothing.
    pub(crate) fn settle_unsaid(&mut self, mut decide: impl FnMut(&'a str) -> Fate) {
        let is_unsaid = |run: &Run| matches!(run.fate, Fate::Gone | Fate::NotAsked);
        let unsaid: Vec<_> = runs(&self.fates).filter(is_unsaid).collect();
        for at in unsaid.into_iter().flat_map(|run| run.places) {
            self.fates[at] = decide(self.package(at));
        }
    }

    /// Whether every package is as it was.
    pub(crate) fn are_all_kept(&self) -> bool {
        self.fates.iter().all(|fate| *fate == Fate::Kept)
    }

    /// The packages that are not as they were.
    pub(crate) fn not_kept(&self) -> HashSet<&'a str> {
        let not_kept = runs(&self.fates).filter(|run| run.fate != Fate::Kept);
        not_kept.flat_map(|run| run.places).map(|at| self.package(at)).collect()
    }

    /// What became of these records, in their order.
    pub(crate) fn of_records(&self, places: Range<usize>) -> impl Iterator<Item = Run> {
        let start = places.start;
        let runs = runs(&self.fates[..self.records.len()][places]);
        runs.map(move |run| Run { places: start + run.places.start..start + run.places.end, ..run })
    }

    /// How many records became that.
    pub(crate) fn count(&self, fate: Fate) -> usize {
        let runs = self.of_records(0..self.records.len()).filter(|run| run.fate == fate);
        runs.map(|run| run.places.len()).sum()
    }

    /// The packages that cannot be used and are as they were.
    pub(crate) fn kept_rejected(&self) -> impl Iterator<Item = (&'a str, Option<Stamp>)> {
        let places = self.records.len()..self.fates.len();
        let kept = places.filter(|&at| self.fates[at] == Fate::Kept);
        kept.map(|at| (self.package(at), self.stamp_at(at)))
    }

    /// How many records lie before one that is reported now, if it takes its place where it was, or behind the
    /// last one that was settled.
    pub(crate) fn place(&self, record: Option<usize>) -> usize {
        record.map_or_else(|| self.settled.0[0].get(), |at| at + 1)
    }

    fn record(&self, at: usize) -> Option<usize> {
        (at < self.records.len()).then_some(at)
    }

    fn stamp_at(&self, at: usize) -> Option<Stamp> {
        match at.checked_sub(self.records.len()) {
            None => self.records.stamp(at),
            Some(rejected) => self.records.rejected()[rejected].stamp,
        }
        .filter(|stamp| !stamp.is_young())
    }

    fn package(&self, at: usize) -> &'a str {
        package(self.records, at)
    }

    #[inline]
    fn find(&self, package: &str, next: &Next) -> Option<usize> {
        // A first scan knows nothing.
        if self.fates.is_empty() { None } else { self.find_among_all(package, next) }
    }

    fn is_package(&self, at: usize, path: &str) -> bool {
        match at.checked_sub(self.records.len()) {
            None => self.records.is_package(at, path),
            Some(rejected) => *self.records.rejected()[rejected].package == *path,
        }
    }

    fn find_among_all(&self, package: &str, next: &Next) -> Option<usize> {
        let nearest = next.0[0].get();
        let at = if nearest < self.records.len() && self.records.is_package(nearest, package) {
            nearest
        } else {
            self.find_elsewhere(package, next)?
        };
        next.0[usize::from(self.record(at).is_none())].set(at + 1);
        Some(at)
    }

    #[cold]
    fn find_elsewhere(&self, package: &str, next: &Next) -> Option<usize> {
        let guesses = [next, &self.settled].into_iter().find_map(|next| self.guess(package, next));
        guesses.or_else(|| self.search(package))
    }

    /// The place of a package at the last ones or shortly behind.
    fn guess(&self, package: &str, next: &Next) -> Option<usize> {
        let next = [0, 1].map(|kind| next.0[kind].get());
        let last = next.into_iter().filter_map(|next| next.checked_sub(1));
        let ends = [self.records.len(), self.fates.len()];
        let ahead = next.into_iter().zip(ends).flat_map(|(next, end)| next..end.min(next + AHEAD));
        let is_it = |at: &usize| self.is_package(*at, package);
        last.chain(ahead).find(is_it)
    }

    fn search(&self, package: &str) -> Option<usize> {
        let places = 0..self.fates.len();
        if self.searches.replace(self.searches.get() + 1) < MOST_SEARCHES {
            let is_it = |at: &usize| self.is_package(*at, package);
            let rejected = || (self.records.len()..self.fates.len()).find(is_it);
            return self.records.find_package(package).or_else(rejected);
        }
        let table = || places.map(|at| (self.package(at), at)).collect();
        self.by_package.get_or_init(table).get(package).copied()
    }
}

impl Next {
    fn new(records: &RecordSet) -> Self {
        Self([Cell::new(0), Cell::new(records.len())])
    }
}

fn package(records: &RecordSet, at: usize) -> &str {
    match at.checked_sub(records.len()) {
        None => records.package(at),
        Some(rejected) => &records.rejected()[rejected].package,
    }
}
