//! The sink that a plugin in this process reports to.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::Arc;

use abi_stable::std_types::RStr;
use prowess_core::{Diagnostic, Found, PackagePath, ReadFurther, ScanSink, Severity, Stamp};
use prowess_plugin_abi::{self as abi, Problem, ScanSinkAbi, flags, text};
use prowess_text::{clipped, quoted};

use super::convert;
use super::lease::LentArguments;
use crate::codes;

/// The maximum number of packages and problems of one scan.
const MAX_REPORTS: usize = 1_000_000;
/// The maximum length of one path, and of all paths of one scan.
const MAX_PATH_BYTES: usize = 4 << 10;
const MAX_PATHS_BYTES: usize = 256 << 20;
/// The maximum number of problems of one scan that are forwarded, including those that the host
/// finds.
const MAX_PROBLEMS: usize = 1_000;
/// The maximum length of an `ext` field.
const MAX_EXT_BYTES: usize = 64 << 10;
/// The maximum number of characters of a plugin's path in a message.
const MAX_SHOWN: usize = 200;

/// The number of the first problem that is not forwarded.
const FIRST_DROPPED_PROBLEM: usize = MAX_PROBLEMS + 1;

/// The help text of a diagnostic about a fault of the plugin.
const HELP: &str = "report it to the plugin's author";

/// Checks and counts the reports of a plugin, and forwards them to the host's sink.
pub(super) struct BoundedSink {
    arguments: Arc<LentArguments>,
    reports: usize,
    problems: usize,
    path_bytes: usize,
    max_bytes: usize,
    /// Whether the host's stamps are comparable with those of this instance.
    has_comparable_stamps: bool,
    seen: HashSet<Box<str>>,
    /// The package of which the host requested more bytes, so that it may be reported again.
    is_read_further: Option<Box<str>>,
}

impl BoundedSink {
    pub(super) fn new(
        arguments: Arc<LentArguments>,
        max_bytes: usize,
        has_comparable_stamps: bool,
    ) -> Self {
        Self {
            arguments,
            reports: 0,
            problems: 0,
            path_bytes: 0,
            max_bytes,
            has_comparable_stamps,
            seen: HashSet::new(),
            is_read_further: None,
        }
    }

    /// Counts a report, and returns whether it is within the limit.
    fn count_report(&mut self) -> bool {
        self.reports += 1;
        if self.reports == MAX_REPORTS + 1 {
            let message =
                format!("the plugin reports more than {MAX_REPORTS} packages or problems");
            self.report_fault(message);
        }
        self.reports <= MAX_REPORTS
    }

    /// Reports a fault of the plugin.
    fn report_fault(&mut self, message: impl Into<String>) {
        let code = codes::PLUGIN_PROTOCOL_BROKEN;
        self.forward(None, Diagnostic::new(code, Severity::Error, message, HELP));
    }

    /// Forwards a problem, with the directory that could not be read. After too many problems the
    /// whole source counts as unreadable, so that no skill is taken for removed.
    fn forward(&mut self, unseen: Option<String>, diagnostic: Diagnostic) {
        self.problems += 1;
        let (unseen, diagnostic) = match self.problems {
            ..=MAX_PROBLEMS => (unseen, diagnostic),
            FIRST_DROPPED_PROBLEM => {
                let message = format!("the plugin reports more than {MAX_PROBLEMS} problems");
                let code = codes::PLUGIN_PROTOCOL_BROKEN;
                let diagnostic = Diagnostic::new(code, Severity::Error, message, HELP);
                (Some(String::new()), diagnostic)
            }
            _ => return,
        };
        self.arguments.with((), |arguments| match unseen {
            Some(directory) => arguments.sink.unreadable(&directory, diagnostic),
            None => arguments.sink.problem(diagnostic),
        });
    }

    /// Returns a plugin's path as text. Reports a fault if it is too long or not UTF-8.
    fn path<'p>(&mut self, path: RStr<'p>) -> Option<&'p str> {
        if path.len() > MAX_PATH_BYTES {
            let shown = clipped(&text::lossy(path, MAX_PATH_BYTES), MAX_SHOWN);
            self.report_fault(format!(
                "the plugin reports a path of {} bytes: {shown}",
                path.len()
            ));
            return None;
        }
        let Ok(checked) = text::checked(path) else {
            let shown = quoted(&text::lossy(path, MAX_PATH_BYTES));
            self.report_fault(format!("the plugin reports a path that is not UTF-8: {shown}"));
            return None;
        };
        Some(checked)
    }

    /// Returns whether this is a valid path of a package that was not reported before. Reports a
    /// fault otherwise.
    fn is_new(&mut self, package: &str) -> bool {
        if !self.has_room(package) {
            return false;
        }
        let is_path = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        let fault = match is_path {
            true if self.is_read_further.take().as_deref() == Some(package) => return true,
            true if self.seen.insert(package.into()) => return true,
            true => "twice",
            false => "by a path that is not in normal form",
        };
        let package = clipped(package, MAX_SHOWN);
        self.report_fault(format!("the plugin reports the package {package} {fault}"));
        false
    }

    /// Counts the bytes of a path, and returns whether the paths of the scan are within the limit.
    fn has_room(&mut self, package: &str) -> bool {
        let before = self.path_bytes;
        self.path_bytes = before.saturating_add(package.len());
        if before <= MAX_PATHS_BYTES && self.path_bytes > MAX_PATHS_BYTES {
            self.report_fault(format!(
                "the plugin reports more than {MAX_PATHS_BYTES} bytes of paths"
            ));
        }
        self.path_bytes <= MAX_PATHS_BYTES
    }

    /// Returns the fault of a report that is not forwarded.
    fn fault(&self, package: &str, file: &str, head: &[u8]) -> Option<String> {
        let package = clipped(package, MAX_SHOWN);
        if head.len() > self.max_bytes {
            let bytes = head.len();
            let most = self.max_bytes;
            return Some(format!(
                "the plugin reports {bytes} bytes of {package}; {most} are allowed"
            ));
        }
        if !prowess_core::SKILL_MD_FILES.contains(&file) {
            let file = clipped(file, MAX_SHOWN);
            return Some(format!("the plugin reports the file {file} of {package}"));
        }
        None
    }

    /// Returns the package and the file of a report. Reports a fault if it is invalid.
    fn texts<'p>(&mut self, found: &abi::Found<'p>) -> Option<(&'p str, &'p str)> {
        if !self.count_report() {
            return None;
        }
        let package = self.path(found.package)?;
        let file = self.path(found.file)?;
        if let Some(message) = self.fault(package, file, found.head.as_slice()) {
            self.report_fault(message);
            return None;
        }
        self.is_new(package).then_some((package, file))
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
        if !self.count_report() {
            return;
        }
        if let Some(package) = self.path(package)
            && self.is_new(package)
        {
            self.arguments.with((), |arguments| arguments.sink.unchanged(package));
        }
    }

    fn found(&mut self, found: abi::Found<'_>) -> u64 {
        let Some((package, file)) = self.texts(&found) else {
            return 0;
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
        self.is_read_further = (further > 0).then(|| package.into());
        further
    }

    fn problem(&mut self, problem: Problem<'_>) {
        if !self.count_report() {
            return;
        }
        self.forward(unseen(&problem), convert::diagnostic(&problem));
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

/// Returns the directory that could not be read, if its path is valid.
fn unseen(problem: &Problem<'_>) -> Option<String> {
    #[derive(Default, serde::Deserialize)]
    struct Ext {
        unseen: Option<String>,
    }

    let unseen = serde_json::from_str::<Ext>(ext(problem.ext)).unwrap_or_default().unseen;
    unseen.filter(|path| path.is_empty() || PackagePath::is_normal(path))
}

#[cfg(test)]
mod tests {
    use abi_stable::std_types::RStr;
    use prowess_plugin_abi::{Problem, severities};

    fn check(ext: &str, expected: Option<&str>) {
        let none = RStr::empty();
        let severity = severities::ERROR;
        let path = none;
        let ext = ext.into();
        let problem = Problem {
            severity,
            line: 0,
            column: 0,
            code: none,
            path,
            message: none,
            help: none,
            ext,
        };
        assert_eq!(super::unseen(&problem).as_deref(), expected, "{ext}");
    }

    #[test]
    fn unreadable_directories_lie_inside_the_source() {
        check(r#"{"unseen": "group/inner"}"#, Some("group/inner"));
        check(r#"{"unseen": ""}"#, Some(""));
        check(r#"{"unseen": "group", "later": 1}"#, Some("group"));
        for invalid in
            ["", "{}", r#"{"unseen": "../x"}"#, r#"{"unseen": "/etc"}"#, r#"{"unseen": 1}"#, "["]
        {
            check(invalid, None);
        }
    }
}
