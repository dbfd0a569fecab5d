//! The sink that a plugin in this process reports to.

use std::num::NonZeroU64;
use std::sync::Arc;

use abi_stable::std_types::RStr;
use prowess_core::{Found, ReadFurther, ScanSink, Stamp};
use prowess_plugin_abi::{self as abi, Problem, ScanSinkAbi, flags, text};
use prowess_text::quoted;

use super::convert;
use super::lease::LentArguments;
use crate::reports::{MAX_PATH_BYTES, Reports, ScanProblem};

/// The maximum length of an `ext` field.
const MAX_EXT_BYTES: usize = 64 << 10;

/// Checks the reports of a plugin, and forwards them to the host's sink.
pub(super) struct BoundedSink {
    arguments: Arc<LentArguments>,
    reports: Reports,
    /// Whether the host's stamps are comparable with those of this instance.
    has_comparable_stamps: bool,
}

impl BoundedSink {
    pub(super) fn new(
        arguments: Arc<LentArguments>,
        max_bytes: usize,
        has_comparable_stamps: bool,
    ) -> Self {
        Self { arguments, reports: Reports::new(max_bytes), has_comparable_stamps }
    }

    /// Forwards a problem. Nothing is forwarded beyond the limits, so that a plugin which reports
    /// without end makes no progress.
    fn forward(&self, problem: Option<ScanProblem>) {
        if let Some(problem) = problem {
            self.arguments.with((), |arguments| problem.forward(arguments.sink));
        }
    }

    /// Checks that a plugin's path is UTF-8.
    fn path<'p>(&mut self, path: RStr<'p>) -> Result<&'p str, Option<ScanProblem>> {
        text::checked(path).map_err(|_| {
            let shown = quoted(&text::lossy(path, MAX_PATH_BYTES));
            self.reports.fault(&format!("reports a path that is not UTF-8: {shown}"))
        })
    }

    /// Checks a report, and returns its package and file.
    fn checked<'p>(
        &mut self,
        found: &abi::Found<'p>,
    ) -> Result<(&'p str, &'p str), Option<ScanProblem>> {
        let (package, file) = (self.path(found.package)?, self.path(found.file)?);
        self.reports.check_found(package, file, found.head.as_slice())?;
        Ok((package, file))
    }

    fn checked_unchanged<'p>(&mut self, package: RStr<'p>) -> Result<&'p str, Option<ScanProblem>> {
        let package = self.path(package)?;
        self.reports.check_unchanged(package)?;
        Ok(package)
    }
}

impl ScanSinkAbi for BoundedSink {
    fn known(&self, package: RStr<'_>) -> u64 {
        match text::checked(package) {
            Ok(package) if self.has_comparable_stamps => {
                let stamp =
                    self.arguments.with(None, |arguments| arguments.previous.stamp(package));
                stamp.map_or(0, |stamp| stamp.to_bits().get())
            }
            _ => 0,
        }
    }

    fn unchanged(&mut self, package: RStr<'_>) {
        match self.checked_unchanged(package) {
            Ok(package) => self.arguments.with((), |arguments| arguments.sink.unchanged(package)),
            Err(problem) => self.forward(problem),
        }
    }

    fn found(&mut self, found: abi::Found<'_>) -> u64 {
        let (package, file) = match self.checked(&found) {
            Ok(texts) => texts,
            Err(problem) => {
                self.forward(problem);
                return 0;
            }
        };
        let core_found = Found {
            package,
            file,
            stamp: NonZeroU64::new(found.stamp).map(Stamp::from_bits),
            size: size(&found),
            head: found.head.as_slice(),
            is_whole_file: found.flags & flags::WHOLE_FILE != 0,
        };
        let further =
            self.arguments.with(0, |arguments| match found_unsized(arguments.sink, core_found) {
                ReadFurther::No | ReadFurther::Size => 0,
                ReadFurther::UpTo(bytes) => bytes as u64,
            });
        if further > 0 {
            self.reports.allow_again(package);
        }
        further
    }

    fn problem(&mut self, problem: Problem<'_>) {
        let problem = self.reports.problem(unseen(&problem), convert::diagnostic(&problem));
        self.forward(problem);
    }
}

/// Reports a file. If the sink requests the file's size, the file is reported again: a plugin
/// reports the size with the file, if it has one.
pub(crate) fn found_unsized(sink: &mut dyn ScanSink, found: Found<'_>) -> ReadFurther {
    match sink.found(found) {
        ReadFurther::Size => sink.found(found),
        answer => answer,
    }
}

/// Returns the text of an `ext` field; empty if it is too long or not UTF-8.
fn ext(text: RStr<'_>) -> &str {
    if text.len() > MAX_EXT_BYTES { "" } else { text::checked(text).unwrap_or_default() }
}

/// Returns the size of the whole file, if it is known.
fn size(found: &abi::Found<'_>) -> Option<u64> {
    #[derive(Default, serde::Deserialize)]
    struct Ext {
        size: Option<u64>,
    }

    if found.flags & flags::WHOLE_FILE != 0 {
        return Some(found.head.len() as u64);
    }
    // Unknown keys are ignored, and so is text that is not an object.
    serde_json::from_str::<Ext>(ext(found.ext)).unwrap_or_default().size
}

/// Returns the directory that could not be read.
fn unseen(problem: &Problem<'_>) -> Option<String> {
    #[derive(Default, serde::Deserialize)]
    struct Ext {
        unseen: Option<String>,
    }

    serde_json::from_str::<Ext>(ext(problem.ext)).unwrap_or_default().unseen
}
