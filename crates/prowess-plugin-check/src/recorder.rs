//! The reports of a scan, as they crossed the boundary.

use std::collections::{BTreeMap, BTreeSet};

use abi_stable::std_types::RStr;
use prowess_core::Cancel;
use prowess_plugin_abi::{Found, Problem, ScanSinkAbi, flags, text};

/// More reports than this are counted and not kept.
const MOST_KEPT: usize = 100_000;
/// How much is kept of a text that is not UTF-8.
const MOST_FORGED_BYTES: usize = 1 << 10;

/// A sink that keeps every report.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    /// The stamps to answer with, by package.
    pub(super) known: BTreeMap<String, u64>,
    /// How many bytes more it asks for where a file is not whole.
    pub(super) asks_for: u64,
    /// To be set when the first package is found.
    pub(super) cancel: Option<Cancel>,
    pub(super) found: Vec<Seen>,
    pub(super) unchanged: BTreeSet<String>,
    pub(super) problems: Vec<SeenProblem>,
    pub(super) reports: usize,
    /// How many texts were not UTF-8.
    pub(super) forged_texts: usize,
}

/// A package that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    pub(super) package: String,
    pub(super) file: String,
    pub(super) stamp: u64,
    pub(super) head: Vec<u8>,
    pub(super) is_whole: bool,
}

/// A diagnostic that the plugin reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeenProblem {
    pub(super) code: String,
    pub(super) path: String,
    pub(super) message: String,
    pub(super) help: String,
}

impl Recorder {
    /// Returns a recorder that knows the stamps that this one received.
    pub(super) fn next(&self) -> Self {
        let known = self.found.iter().filter(|seen| seen.stamp != 0);
        Self {
            known: known.map(|seen| (seen.package.clone(), seen.stamp)).collect(),
            ..Self::default()
        }
    }

    /// Returns the reports without order and stamps: a file that was changed just now has none yet
    /// that may be relied on, and has one a moment later.
    pub(super) fn sorted(mut self) -> (Vec<Seen>, Vec<SeenProblem>) {
        self.found.iter_mut().for_each(|seen| seen.stamp = 0);
        self.found.sort();
        self.problems.sort();
        (self.found, self.problems)
    }

    /// A text of the plugin's, which may have any bytes.
    fn text(&mut self, text: RStr<'_>) -> String {
        match text::checked(text) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                self.forged_texts += 1;
                text::lossy(text, MOST_FORGED_BYTES).into_owned()
            }
        }
    }

    fn keeps(&mut self) -> bool {
        self.reports += 1;
        self.reports <= MOST_KEPT
    }
}

impl ScanSinkAbi for Recorder {
    fn known(&self, package: RStr<'_>) -> u64 {
        text::checked(package)
            .ok()
            .and_then(|package| self.known.get(package))
            .copied()
            .unwrap_or(0)
    }

    fn unchanged(&mut self, package: RStr<'_>) {
        if self.keeps() {
            let package = self.text(package);
            self.unchanged.insert(package);
        }
    }

    fn found(&mut self, found: Found<'_>) -> u64 {
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
        if !self.keeps() {
            return 0;
        }
        let is_whole = found.flags & flags::WHOLE_FILE != 0;
        let length = found.head.len() as u64;
        let package = self.text(found.package);
        let file = self.text(found.file);
        self.found.push(Seen {
            package,
            file,
            stamp: found.stamp,
            head: found.head.to_vec(),
            is_whole,
        });
        if is_whole || self.asks_for == 0 { 0 } else { length + self.asks_for }
    }

    fn problem(&mut self, problem: Problem<'_>) {
        if self.keeps() {
            let seen = SeenProblem {
                code: self.text(problem.code),
                path: self.text(problem.path),
                message: self.text(problem.message),
                help: self.text(problem.help),
            };
            self.problems.push(seen);
        }
    }
}
