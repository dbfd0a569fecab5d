//! Checks the reports of a scan, wherever the plugin runs, before they reach the host's sink.

use std::collections::HashSet;

use prowess_core::{Diagnostic, PackagePath, SKILL_MD_FILES, ScanSink, Severity};
use prowess_text::clipped;

use crate::codes::PLUGIN_PROTOCOL_BROKEN;

/// The maximum number of packages and problems of one scan.
const MAX_REPORTS: usize = 1_000_000;
/// The maximum length of one path, and of all paths of one scan.
pub(crate) const MAX_PATH_BYTES: usize = 4 << 10;
const MAX_PATHS_BYTES: usize = 256 << 20;
/// The maximum number of problems of one scan that are forwarded, including those that the host
/// finds.
const MAX_PROBLEMS: usize = 1_000;
/// The maximum number of characters of a plugin's path in a message.
const MAX_SHOWN: usize = 200;

/// The number of the first report, and of the first problem, that is not forwarded.
const FIRST_DROPPED_REPORT: usize = MAX_REPORTS + 1;
const FIRST_DROPPED_PROBLEM: usize = MAX_PROBLEMS + 1;

/// The help text of a diagnostic about a fault of the plugin.
const HELP: &str = "report it to the plugin's author";

/// The reports of one scan so far.
pub(crate) struct Reports {
    reports: usize,
    problems: usize,
    path_bytes: usize,
    max_bytes: usize,
    seen: HashSet<Box<str>>,
    /// The package of which the host requested more bytes, so that it may be reported again.
    read_further: Option<Box<str>>,
}

/// A problem for the host's sink.
#[derive(Debug)]
pub(crate) struct ScanProblem {
    /// The directory that could not be read.
    unseen: Option<String>,
    diagnostic: Box<Diagnostic>,
}

impl ScanProblem {
    pub(crate) fn forward(self, sink: &mut dyn ScanSink) {
        match self.unseen {
            Some(directory) => sink.unreadable(&directory, *self.diagnostic),
            None => sink.problem(*self.diagnostic),
        }
    }
}

/// The result of a check. A refused report is replaced by a problem, or dropped beyond the limits.
pub(crate) type Checked = Result<(), Option<ScanProblem>>;

impl Reports {
    /// Creates the checks of a scan. `max_bytes` limits the beginning of one file.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            reports: 0,
            problems: 0,
            path_bytes: 0,
            max_bytes,
            seen: HashSet::new(),
            read_further: None,
        }
    }

    /// Checks the report of a package with the beginning of its file.
    pub(crate) fn check_found(&mut self, package: &str, file: &str, head: &[u8]) -> Checked {
        self.count()?;
        self.check_length(package)?;
        self.check_length(file)?;
        if head.len() > self.max_bytes {
            let (package, bytes, most) = (shown(package), head.len(), self.max_bytes);
            let what = format!("reports {bytes} bytes of {package}; {most} are allowed");
            return Err(self.fault(&what));
        }
        if !SKILL_MD_FILES.contains(&file) {
            let (package, file) = (shown(package), shown(file));
            return Err(self.fault(&format!("reports the file {file} of {package}")));
        }
        self.check_new(package)
    }

    /// Checks the report of an unchanged package.
    pub(crate) fn check_unchanged(&mut self, package: &str) -> Checked {
        self.count()?;
        self.check_length(package)?;
        self.check_new(package)
    }

    /// Allows the package to be reported once more, with more bytes.
    pub(crate) fn allow_again(&mut self, package: &str) {
        self.read_further = Some(package.into());
    }

    /// Counts a problem that the plugin reports, with the directory that could not be read.
    pub(crate) fn problem(
        &mut self,
        unseen: Option<String>,
        diagnostic: Diagnostic,
    ) -> Option<ScanProblem> {
        let is_normal = |path: &String| path.is_empty() || PackagePath::is_normal(path);
        match self.count() {
            Ok(()) => self.limited(unseen.filter(is_normal), diagnostic),
            Err(replaced) => replaced,
        }
    }

    /// Returns the problem for a fault of the plugin.
    pub(crate) fn fault(&mut self, what: &str) -> Option<ScanProblem> {
        let diagnostic = fault(&format!("the plugin {what}"));
        self.limited(None, diagnostic)
    }

    /// Counts a problem. After too many problems the whole source counts as unreadable, so that no
    /// skill is taken for removed.
    fn limited(&mut self, unseen: Option<String>, diagnostic: Diagnostic) -> Option<ScanProblem> {
        self.problems += 1;
        match self.problems {
            ..=MAX_PROBLEMS => Some(ScanProblem { unseen, diagnostic: Box::new(diagnostic) }),
            FIRST_DROPPED_PROBLEM => Some(ScanProblem {
                unseen: Some(String::new()),
                diagnostic: Box::new(fault(&format!(
                    "the plugin reports more than {MAX_PROBLEMS} problems"
                ))),
            }),
            _ => None,
        }
    }

    /// Counts a report, and checks that it is within the limit.
    fn count(&mut self) -> Checked {
        self.reports += 1;
        match self.reports {
            ..=MAX_REPORTS => Ok(()),
            FIRST_DROPPED_REPORT => {
                Err(self.fault(&format!("reports more than {MAX_REPORTS} packages or problems")))
            }
            _ => Err(None),
        }
    }

    fn check_length(&mut self, path: &str) -> Checked {
        if path.len() <= MAX_PATH_BYTES {
            return Ok(());
        }
        let what = format!("reports a path of {} bytes: {}", path.len(), shown(path));
        Err(self.fault(&what))
    }

    /// Checks that this is a valid path of a package that was not reported before.
    fn check_new(&mut self, package: &str) -> Checked {
        self.check_room(package)?;
        let is_path = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        let how = match is_path {
            true if self.read_further.take().as_deref() == Some(package) => return Ok(()),
            true if self.seen.insert(package.into()) => return Ok(()),
            true => "twice",
            false => "by a path that is not in normal form",
        };
        Err(self.fault(&format!("reports the package {} {how}", shown(package))))
    }

    /// Counts the bytes of a path, and checks that the paths of the scan are within the limit.
    fn check_room(&mut self, package: &str) -> Checked {
        let before = self.path_bytes;
        self.path_bytes = before.saturating_add(package.len());
        match (before <= MAX_PATHS_BYTES, self.path_bytes <= MAX_PATHS_BYTES) {
            (_, true) => Ok(()),
            (true, false) => {
                Err(self.fault(&format!("reports more than {MAX_PATHS_BYTES} bytes of paths")))
            }
            (false, false) => Err(None),
        }
    }
}

fn fault(message: &str) -> Diagnostic {
    Diagnostic::new(PLUGIN_PROTOCOL_BROKEN, Severity::Error, message, HELP)
}

fn shown(path: &str) -> String {
    clipped(path, MAX_SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Reports {
        Reports::new(10)
    }

    fn unseen(path: &str) -> Option<String> {
        let problem = reports().problem(Some(path.to_owned()), fault("lost"));
        problem.expect("the first problem is forwarded").unseen
    }

    #[test]
    fn unreadable_directories_lie_inside_the_source() {
        assert_eq!(unseen("group/inner").as_deref(), Some("group/inner"));
        assert_eq!(unseen("").as_deref(), Some(""));
        assert_eq!(unseen("../x"), None);
        assert_eq!(unseen("/etc"), None);
    }

    /// Returns the message for a report that must be refused.
    fn refusal(checked: Checked) -> String {
        let problem = checked.expect_err("the report is refused");
        problem.expect("a problem replaces it").diagnostic.message
    }

    #[test]
    fn package_is_reported_once_unless_more_is_requested() {
        let mut reports = reports();
        assert!(reports.check_found("pdf", "SKILL.md", b"").is_ok());
        reports.allow_again("pdf");
        assert!(reports.check_found("pdf", "SKILL.md", b"").is_ok(), "more bytes were requested");
        let again = refusal(reports.check_found("pdf", "SKILL.md", b""));
        assert!(again.ends_with("the package pdf twice"), "{again}");
        let unchanged = refusal(reports.check_unchanged("pdf"));
        assert!(unchanged.ends_with("the package pdf twice"), "{unchanged}");
    }

    #[test]
    fn other_file_and_long_path_are_refused() {
        let other = refusal(reports().check_found("pdf", "README.md", b""));
        assert!(other.ends_with("the file README.md of pdf"), "{other}");
        let long = "x/".repeat(MAX_PATH_BYTES);
        let long = refusal(reports().check_unchanged(&long));
        assert!(long.contains("reports a path of 8192 bytes"), "{long}");
    }

    #[test]
    fn source_is_unreadable_after_too_many_problems() {
        let mut reports = reports();
        for _ in 0..MAX_PROBLEMS {
            let problem = reports.problem(None, fault("lost")).expect("it is forwarded");
            assert_eq!(problem.unseen, None);
        }
        let notice = reports.problem(None, fault("lost")).expect("a notice is forwarded");
        assert_eq!(notice.unseen.as_deref(), Some(""), "the whole source is unreadable");
        assert!(notice.diagnostic.message.contains("more than 1000 problems"));
        assert!(reports.problem(None, fault("lost")).is_none(), "later ones are dropped");
        assert!(matches!(reports.check_unchanged("../x"), Err(None)), "also those of the host");
    }
}
