//! What a scan reported, for tests to look at.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use prowess_core::{
    Cancel, Diagnostic, Found, ReadFurther, ScanSink, SkillSource, SourceError, Stamp,
};

/// A [`ScanSink`] that keeps all it is told.
#[derive(Clone, Debug, Default)]
pub struct ScanRecorder {
    /// The stamps to answer with, by package.
    pub known: BTreeMap<String, Stamp>,
    /// The stamp of the list of packages to answer with.
    pub known_listing: Option<Stamp>,
    /// The stamp that was given for the list of packages.
    pub listed: Option<Stamp>,
    /// Whether it asks for each file to its end.
    pub reads_to_the_end: bool,
    /// The packages that were found, in the order of the reports. A package that is read further is
    /// here once for each report.
    pub found: Vec<FoundPackage>,
    /// The packages that are unchanged, in the order of the reports.
    pub unchanged: Vec<String>,
    /// What is wrong.
    pub problems: Vec<Diagnostic>,
    /// The directories that could not be looked into, in the order of the reports.
    pub unseen: Vec<String>,
}

/// A [`Found`] that owns its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPackage {
    /// The package's path.
    pub package: String,
    /// The file's own name.
    pub file: String,
    /// The version.
    pub stamp: Option<Stamp>,
    /// The size of the whole file, if it was told.
    pub size: Option<u64>,
    /// As much as was read.
    pub head: Vec<u8>,
    /// Whether that is all.
    pub is_whole_file: bool,
}

impl ScanRecorder {
    /// What a whole scan of `source` reports.
    ///
    /// # Errors
    ///
    /// Those of the scan.
    pub fn scan(source: &dyn SkillSource) -> Result<Self, SourceError> {
        let mut recorder = Self::default();
        source.scan(&mut recorder, &Cancel::default())?;
        Ok(recorder)
    }

    /// A recorder that knows what this one was told. A package that was found
    /// without a stamp, or with a young one, is not known.
    #[must_use]
    pub fn next(&self) -> Self {
        let mut known = self.known.clone();
        for found in &self.found {
            match found.stamp.filter(|stamp| !stamp.is_young()) {
                Some(stamp) => known.insert(found.package.clone(), stamp),
                None => known.remove(&found.package),
            };
        }
        Self { known, known_listing: self.listed, ..Self::default() }
    }

    /// The packages that were found, sorted.
    pub fn packages(&self) -> Vec<&str> {
        let mut packages: Vec<_> = self.found.iter().map(|found| &*found.package).collect();
        packages.sort_unstable();
        packages
    }

    /// The problems as `severity code path`, sorted, with `root` left out of the paths.
    pub fn problem_lines(&self, root: &str) -> Vec<String> {
        let line = |problem: &Diagnostic| {
            let path = problem.path.as_deref().unwrap_or("-");
            let path = path.strip_prefix(root).unwrap_or(path);
            format!("{} {} {path}", problem.severity, problem.code)
        };
        let mut lines: Vec<_> = self.problems.iter().map(line).collect();
        lines.sort_unstable();
        lines
    }
}

impl ScanSink for ScanRecorder {
    fn known(&self, package: &str) -> Option<Stamp> {
        self.known.get(package).copied()
    }

    fn each_known(
        &self,
        start: usize,
        visit: &mut dyn FnMut(&str, Option<Stamp>) -> ControlFlow<()>,
    ) {
        let mut known = self.known.iter().skip(start);
        let _ = known.try_for_each(|(package, stamp)| visit(package, Some(*stamp)));
    }

    fn known_listing(&self) -> Option<Stamp> {
        self.known_listing
    }

    fn listed(&mut self, stamp: Stamp) {
        self.listed = Some(stamp);
    }

    fn unseen(&mut self, directory: &str) {
        self.unseen.push(directory.to_owned());
    }

    fn unchanged(&mut self, package: &str) {
        self.unchanged.push(package.to_owned());
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.found.push(FoundPackage {
            package: found.package.to_owned(),
            file: found.file.to_owned(),
            stamp: found.stamp,
            size: found.size,
            head: found.head.to_vec(),
            is_whole_file: found.is_whole_file,
        });
        if self.reads_to_the_end && !found.is_whole_file {
            ReadFurther::UpTo(found.head.len() + 1)
        } else {
            ReadFurther::No
        }
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }
}
