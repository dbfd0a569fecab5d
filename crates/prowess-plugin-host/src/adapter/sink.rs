//! The host's sink as a plugin sees it.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::Arc;

use abi_stable::std_types::RStr;
use prowess_core::{Diagnostic, Found, PackagePath, ReadFurther, ScanSink, Severity, Stamp};
use prowess_plugin_abi::{self as abi, Problem, ScanSinkAbi, flags, text};
use prowess_text::{clipped, quoted};

use super::convert;
use super::lease::Lent;
use crate::codes;

/// The most packages of one scan.
const MAX_REPORTS: usize = 1_000_000;
/// The most bytes of one path, and of all paths of one scan.
const MAX_PATH_BYTES: usize = 4 << 10;
const MAX_PATHS_BYTES: usize = 256 << 20;
/// The most problems of one scan that are passed on, those that the host finds included.
const MAX_PROBLEMS: usize = 1_000;
/// The longest `ext` field that is read.
const MAX_EXT_BYTES: usize = 64 << 10;
/// How many characters of a plugin's path a message shows.
const MAX_SHOWN: usize = 200;

/// The problem after the last that is passed on.
const TOO_MANY_PROBLEMS: usize = MAX_PROBLEMS + 1;

/// The next step for a fault of the plugin.
const HELP: &str = "report it to the plugin's author";

/// Counts what a plugin reports and passes it on.
pub(super) struct BoundedSink {
    lent: Arc<Lent>,
    reports: usize,
    problems: usize,
    path_bytes: usize,
    most_bytes: usize,
    /// Whether the stamps that the host knows are this instance's.
    knows: bool,
    seen: HashSet<Box<str>>,
    /// The package of which the host wants to see more, so that it may be reported once more.
    is_read_further: Option<Box<str>>,
}

impl BoundedSink {
    pub(super) fn new(lent: Arc<Lent>, most_bytes: usize, knows: bool) -> Self {
        Self {
            lent,
            reports: 0,
            problems: 0,
            path_bytes: 0,
            most_bytes,
            knows,
            seen: HashSet::new(),
            is_read_further: None,
        }
    }

    /// Whether a further report is still taken.
    fn counts(&mut self) -> bool {
        self.reports += 1;
        if self.reports == MAX_REPORTS + 1 {
            let message =
                format!("the plugin reports more than {MAX_REPORTS} packages or problems");
            self.refuse(message);
        }
        self.reports <= MAX_REPORTS
    }

    /// Reports a fault of the plugin itself.
    fn refuse(&mut self, message: impl Into<String>) {
        let code = codes::PLUGIN_PROTOCOL_BROKEN;
        self.pass_on(None, Diagnostic::new(code, Severity::Error, message, HELP));
    }

    /// Passes a problem on, with the directory that could not be looked into. After too many, the
    /// whole source counts as such a directory, so that nothing is taken for withdrawn.
    fn pass_on(&mut self, unseen: Option<String>, diagnostic: Diagnostic) {
        self.problems += 1;
        let (unseen, diagnostic) = match self.problems {
            ..=MAX_PROBLEMS => (unseen, diagnostic),
            TOO_MANY_PROBLEMS => {
                let message = format!("the plugin reports more than {MAX_PROBLEMS} problems");
                let code = codes::PLUGIN_PROTOCOL_BROKEN;
                let diagnostic = Diagnostic::new(code, Severity::Error, message, HELP);
                (Some(String::new()), diagnostic)
            }
            _ => return,
        };
        self.lent.with((), |lent| match unseen {
            Some(directory) => lent.sink.unreadable(&directory, diagnostic),
            None => lent.sink.problem(diagnostic),
        });
    }

    /// A path of the plugin's, if it is text of a sensible length.
    fn path<'p>(&mut self, path: RStr<'p>) -> Option<&'p str> {
        if path.len() > MAX_PATH_BYTES {
            let shown = clipped(&text::lossy(path, MAX_PATH_BYTES), MAX_SHOWN);
            self.refuse(format!("the plugin reports a path of {} bytes: {shown}", path.len()));
            return None;
        }
        let Ok(checked) = text::checked(path) else {
            let shown = quoted(&text::lossy(path, MAX_PATH_BYTES));
            self.refuse(format!("the plugin reports a path that is not UTF-8: {shown}"));
            return None;
        };
        Some(checked)
    }

    /// Whether this is a package's path that was not reported before.
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
        self.refuse(format!("the plugin reports the package {package} {fault}"));
        false
    }

    /// Whether the paths of the scan leave room for this one.
    fn has_room(&mut self, package: &str) -> bool {
        let before = self.path_bytes;
        self.path_bytes = before.saturating_add(package.len());
        if before <= MAX_PATHS_BYTES && self.path_bytes > MAX_PATHS_BYTES {
            self.refuse(format!("the plugin reports more than {MAX_PATHS_BYTES} bytes of paths"));
        }
        self.path_bytes <= MAX_PATHS_BYTES
    }

    /// Why a report cannot be passed on.
    fn fault(&self, package: &str, file: &str, head: &[u8]) -> Option<String> {
        let package = clipped(package, MAX_SHOWN);
        if head.len() > self.most_bytes {
            let bytes = head.len();
            let most = self.most_bytes;
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

    /// The texts of a report, if it can be passed on.
    fn texts<'p>(&mut self, found: &abi::Found<'p>) -> Option<(&'p str, &'p str)> {
        if !self.counts() {
            return None;
        }
        let package = self.path(found.package)?;
        let file = self.path(found.file)?;
        if let Some(message) = self.fault(package, file, found.head.as_slice()) {
            self.refuse(message);
            return None;
        }
        self.is_new(package).then_some((package, file))
    }
}

impl ScanSinkAbi for BoundedSink {
    fn known(&self, package: RStr<'_>) -> u64 {
        match text::checked(package) {
            Ok(package) if self.knows => {
                let stamp = self.lent.with(None, |lent| lent.previous.stamp(package));
                stamp.map_or(0, |stamp| stamp.to_bits().get())
            }
            _ => 0,
        }
    }

    fn unchanged(&mut self, package: RStr<'_>) {
        if !self.counts() {
            return;
        }
        if let Some(package) = self.path(package)
            && self.is_new(package)
        {
            self.lent.with((), |lent| lent.sink.unchanged(package));
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
        let further = self.lent.with(0, |lent| match found_unsized(lent.sink, core_found) {
            ReadFurther::No | ReadFurther::Size => 0,
            ReadFurther::UpTo(bytes) => bytes as u64,
        });
        self.is_read_further = (further > 0).then(|| package.into());
        further
    }

    fn problem(&mut self, problem: Problem<'_>) {
        if !self.counts() {
            return;
        }
        self.pass_on(unseen(&problem), convert::diagnostic(&problem));
    }
}

/// Reports a file. The size was reported with it, if the plugin has one.
pub(crate) fn found_unsized(sink: &mut dyn ScanSink, found: Found<'_>) -> ReadFurther {
    match sink.found(found) {
        ReadFurther::Size => sink.found(found),
        answer => answer,
    }
}

/// The text of an `ext` field, where it is text of a sensible length.
fn ext(text: RStr<'_>) -> &str {
    if text.len() > MAX_EXT_BYTES { "" } else { text::checked(text).unwrap_or_default() }
}

/// The size of the whole file, if it is known.
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

/// The directory that could not be looked into, if it is one of the source's.
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
    fn a_plugin_names_directories_of_its_own_alone() {
        check(r#"{"unseen": "group/inner"}"#, Some("group/inner"));
        check(r#"{"unseen": ""}"#, Some(""));
        check(r#"{"unseen": "group", "later": 1}"#, Some("group"));
        for nothing in
            ["", "{}", r#"{"unseen": "../x"}"#, r#"{"unseen": "/etc"}"#, r#"{"unseen": 1}"#, "["]
        {
            check(nothing, None);
        }
    }
}
