//! The outcome for each package of the previous scan, during a scan.

use std::ops::Range;

use hashbrown::HashSet;
use prowess_core::Stamp;

use crate::previous::PreviousPackages;

/// The outcome of a scan for a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The package was neither requested nor reported.
    Unrequested,
    /// The package was not reported so far.
    Missing,
    /// The previous record is kept.
    CarriedOver,
    /// This scan's report replaces the previous one.
    Replaced,
}

pub(super) struct Outcomes<'p, 'a> {
    previous: &'p PreviousPackages<'a>,
    outcomes: Vec<Outcome>,
    /// The position after the last reported record.
    next: usize,
}

impl<'p, 'a> Outcomes<'p, 'a> {
    /// Creates the outcomes of a scan of these packages, or of everything.
    pub(super) fn new<'r>(
        previous: &'p PreviousPackages<'a>,
        requested: Option<impl Iterator<Item = &'r str>>,
    ) -> Self {
        let outcome = if requested.is_some() { Outcome::Unrequested } else { Outcome::Missing };
        let outcomes = vec![outcome; previous.len()];
        let mut outcomes = Self { previous, outcomes, next: 0 };
        for package in requested.into_iter().flatten() {
            if let Some(position) = previous.find(package) {
                outcomes.outcomes[position] = Outcome::Missing;
            }
        }
        outcomes
    }

    /// Sets the outcome for a package. Returns its position, if the previous scan knew it.
    pub(super) fn set(&mut self, package: &str, outcome: Outcome) -> Option<usize> {
        let position = self.previous.find(package)?;
        self.outcomes[position] = outcome;
        if self.previous.record(position).is_some() {
            self.next = position + 1;
        }
        Some(position)
    }

    pub(super) fn unreported_record(&self, package: &str) -> Option<usize> {
        let position = self.previous.find(package)?;
        self.previous.record(position).filter(|_| !self.is_reported(position))
    }

    /// Carries over each package that was not requested.
    pub(super) fn carry_over_unrequested(&mut self) {
        for outcome in &mut self.outcomes {
            if *outcome == Outcome::Unrequested {
                *outcome = Outcome::CarriedOver;
            }
        }
    }

    /// Carries over each package that was not reported, and returns their paths.
    pub(super) fn defer_unreported(&mut self) -> Vec<&'a str> {
        let mut deferred = Vec::new();
        for position in 0..self.outcomes.len() {
            if !self.is_reported(position) {
                self.outcomes[position] = Outcome::CarriedOver;
                deferred.push(self.previous.package_at(position));
            }
        }
        deferred
    }

    pub(super) fn are_all_carried_over(&self) -> bool {
        self.outcomes.iter().all(|outcome| *outcome == Outcome::CarriedOver)
    }

    pub(super) fn not_carried_over(&self) -> HashSet<&'a str> {
        let others = self.outcomes.iter().enumerate();
        let others = others.filter(|(_, outcome)| **outcome != Outcome::CarriedOver);
        others.map(|(position, _)| self.previous.package_at(position)).collect()
    }

    /// Returns the records that are carried over, as runs of positions within `positions`.
    pub(super) fn carried_over(
        &self,
        positions: Range<usize>,
    ) -> impl Iterator<Item = Range<usize>> {
        let mut next = positions.start;
        self.outcomes[positions].chunk_by(PartialEq::eq).filter_map(move |run| {
            let start = next;
            next += run.len();
            (run[0] == Outcome::CarriedOver).then_some(start..next)
        })
    }

    /// Returns the number of records that are carried over, and of those that were not reported.
    pub(super) fn count_records(&self, records: usize) -> (usize, usize) {
        let count =
            |wanted| self.outcomes[..records].iter().filter(|outcome| **outcome == wanted).count();
        (count(Outcome::CarriedOver), count(Outcome::Missing) + count(Outcome::Unrequested))
    }

    pub(super) fn carried_over_rejected(
        &self,
        records: usize,
    ) -> impl Iterator<Item = (&'a str, Option<Stamp>)> {
        let positions = records..self.outcomes.len();
        let carried = positions.filter(|&at| self.outcomes[at] == Outcome::CarriedOver);
        carried.map(|at| (self.previous.package_at(at), self.previous.stamp_at(at)))
    }

    /// Returns the number of records before a record that is reported now. It takes its previous
    /// position, or the one after the last report.
    pub(super) fn position(&self, record: Option<usize>) -> usize {
        record.map_or(self.next, |record| record + 1)
    }

    fn is_reported(&self, position: usize) -> bool {
        matches!(self.outcomes[position], Outcome::CarriedOver | Outcome::Replaced)
    }
}
