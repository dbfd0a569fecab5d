//! The host's sink as a plugin sees it.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::Arc;

use abi_stable::std_types::RStr;
use prowess_core::{Code, Diagnostic, Found, PackagePath, ReadFurther, Severity, Stamp};
use prowess_plugin_abi::{self as abi, Problem, ScanSinkAbi, flags};

use super::convert;
use super::lease::Lent;

/// More packages than this are no answer but a fault.
const MAX_REPORTS: usize = 1_000_000;

/// What the author of a plugin has to hear.
const HELP: &str = "report it to the plugin's author";

/// Counts what a plugin reports and passes it on.
pub(super) struct BoundedSink {
    lent: Arc<Lent>,
    reports: usize,
    most_bytes: usize,
    /// Whether the stamps that the host knows are this instance's.
    knows: bool,
    seen: HashSet<Box<str>>,
    /// The package of which the host wants to see more, so that it may be reported once more.
    is_read_further: Option<Box<str>>,
}

impl BoundedSink {
    pub(super) fn new(lent: Arc<Lent>, most_bytes: usize, knows: bool) -> Self {
        Self { lent, reports: 0, most_bytes, knows, seen: HashSet::new(), is_read_further: None }
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

    fn refuse(&self, message: String) {
        let code = Code::new("plugin-protocol-broken");
        let diagnostic = Diagnostic::new(code, Severity::Error, message, HELP);
        self.lent.with((), |sink| sink.problem(diagnostic));
    }

    /// Whether this is a package's path that was not reported before. Others are told.
    fn is_new(&mut self, package: &str) -> bool {
        let is_path = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        let fault = match is_path {
            true if self.is_read_further.take().as_deref() == Some(package) => return true,
            true if self.seen.insert(package.into()) => return true,
            true => "twice",
            false => "by a path that is none",
        };
        self.refuse(format!("the plugin reports the package {package:?} {fault}"));
        false
    }

    /// Why a report cannot be passed on.
    fn fault(&self, found: &abi::Found<'_>) -> Option<String> {
        let package = found.package.as_str();
        if found.head.len() > self.most_bytes {
            let (bytes, most) = (found.head.len(), self.most_bytes);
            return Some(format!(
                "the plugin reports {bytes} bytes of `{package}`; {most} are allowed"
            ));
        }
        if !matches!(found.file.as_str(), "SKILL.md" | "skill.md") {
            return Some(format!(
                "the plugin reports the file {:?} of `{package}`",
                found.file.as_str()
            ));
        }
        None
    }
}

impl ScanSinkAbi for BoundedSink {
    fn known(&self, package: RStr<'_>) -> u64 {
        if !self.knows {
            return 0;
        }
        self.lent.with(0, |sink| sink.known(package.as_str()).map_or(0, |stamp| stamp.0.get()))
    }

    fn unchanged(&mut self, package: RStr<'_>) {
        if self.counts() && self.is_new(package.as_str()) {
            self.lent.with((), |sink| sink.unchanged(package.as_str()));
        }
    }

    fn found(&mut self, found: abi::Found<'_>) -> u64 {
        if !self.counts() {
            return 0;
        }
        if let Some(message) = self.fault(&found) {
            self.refuse(message);
            return 0;
        }
        if !self.is_new(found.package.as_str()) {
            return 0;
        }
        let found = Found {
            package: found.package.as_str(),
            file: found.file.as_str(),
            stamp: NonZeroU64::new(found.stamp).map(Stamp),
            size: size(&found),
            head: found.head.as_slice(),
            is_whole_file: found.flags & flags::WHOLE_FILE != 0,
        };
        let further = self.lent.with(0, |sink| match sink.found(found) {
            ReadFurther::No => 0,
            ReadFurther::UpTo(bytes) => bytes as u64,
        });
        self.is_read_further = (further > 0).then(|| found.package.into());
        further
    }

    fn problem(&mut self, problem: Problem<'_>) {
        if self.counts() {
            let unseen = unseen(&problem);
            self.lent.with((), |sink| {
                unseen.iter().for_each(|directory| sink.unseen(directory));
                sink.problem(convert::diagnostic(&problem));
            });
        }
    }
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
    // What came later than this code is passed over, and so is what is no object.
    serde_json::from_str::<Ext>(found.ext.as_str()).unwrap_or_default().size
}

/// The directory that could not be looked into, if it is one of the source's.
fn unseen(problem: &Problem<'_>) -> Option<String> {
    #[derive(Default, serde::Deserialize)]
    struct Ext {
        unseen: Option<String>,
    }

    let unseen = serde_json::from_str::<Ext>(problem.ext.as_str()).unwrap_or_default().unseen;
    unseen.filter(|path| path.is_empty() || PackagePath::is_normal(path))
}

#[cfg(test)]
mod tests {
    use abi_stable::std_types::RStr;
    use prowess_plugin_abi::{Problem, severities};

    fn check(ext: &str, expected: Option<&str>) {
        let none = RStr::empty();
        let (severity, path, ext) = (severities::ERROR, none, ext.into());
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
