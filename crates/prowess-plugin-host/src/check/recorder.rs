//! What a scan reports, as it crossed the boundary.

use std::collections::{BTreeMap, BTreeSet};

use abi_stable::std_types::RStr;
use prowess_core::Cancel;
use prowess_plugin_abi::{Found, Problem, ScanSinkAbi, flags};

/// More reports than this are counted and not kept.
const MOST_KEPT: usize = 100_000;

/// A sink that keeps all it is told.
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

/// A problem that was told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeenProblem {
    pub(super) code: String,
    pub(super) path: String,
    pub(super) message: String,
    pub(super) help: String,
}

impl Recorder {
    /// One that answers with the stamps that this one was told.
    pub(super) fn next(&self) -> Self {
        let known = self.found.iter().filter(|seen| seen.stamp != 0);
        Self {
            known: known.map(|seen| (seen.package.clone(), seen.stamp)).collect(),
            ..Self::default()
        }
    }

    /// What was reported, whatever the order and the stamps: a file that was changed just now has none yet
    /// that may be relied on, and has one a moment later.
    pub(super) fn sorted(mut self) -> (Vec<Seen>, Vec<SeenProblem>) {
        self.found.iter_mut().for_each(|seen| seen.stamp = 0);
        self.found.sort();
        self.problems.sort();
        (self.found, self.problems)
    }

    fn keeps(&mut self) -> bool {
        self.reports += 1;
        self.reports <= MOST_KEPT
    }
}

impl ScanSinkAbi for Recorder {
    fn known(&self, package: RStr<'_>) -> u64 {
        self.known.get(package.as_str()).copied().unwrap_or(0)
    }

    fn unchanged(&mut self, package: RStr<'_>) {
        if self.keeps() {
            self.unchanged.insert(package.to_string());
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
        self.found.push(Seen {
            package: found.package.to_string(),
            file: found.file.to_string(),
            stamp: found.stamp,
            head: found.head.to_vec(),
            is_whole,
        });
        if is_whole || self.asks_for == 0 { 0 } else { length + self.asks_for }
    }

    fn problem(&mut self, problem: Problem<'_>) {
        if self.keeps() {
            self.problems.push(SeenProblem {
                code: problem.code.to_string(),
                path: problem.path.to_string(),
                message: problem.message.to_string(),
                help: problem.help.to_string(),
            });
        }
    }
}
