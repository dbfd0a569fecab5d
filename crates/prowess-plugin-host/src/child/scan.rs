//! Checks the results of a scan by a plugin's process and forwards them to the host's sink.

use prowess_core::{
    Cancel, Code, Diagnostic, Found, ReadFurther, ScanSink, Severity, SourceError, Stamp,
};

use super::error::{cancelled, invalid_answer};
use super::protocol::{FoundPackage, Reply};
use crate::adapter::found_unsized;
use crate::reports::{Checked, Reports};

/// The maximum length of a problem's text, in bytes.
const MAX_TEXT: usize = 2 << 10;

/// A file that has to be read completely: its package, its name and its stamp.
pub(super) type FileToRead = (String, String, Option<Stamp>);

/// Forwards the parts of a scan to the sink. Every value is checked, since a plugin is not trusted.
pub(super) struct Scan<'a> {
    sink: &'a mut dyn ScanSink,
    cancel: &'a Cancel,
    reports: Reports,
    /// The files that have to be read completely.
    to_read: Vec<FileToRead>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(sink: &'a mut dyn ScanSink, cancel: &'a Cancel, max_bytes: usize) -> Self {
        Self { sink, cancel, reports: Reports::new(max_bytes), to_read: Vec::new() }
    }

    /// Ends the scan, and returns the files that have to be read completely.
    pub(super) fn end(self) -> Result<Vec<FileToRead>, SourceError> {
        self.check_cancelled()?;
        Ok(self.to_read)
    }

    /// Forwards a part of the scan. `heads` holds the beginnings of its files.
    pub(super) fn take(&mut self, part: Reply, heads: &[u8]) -> Result<(), SourceError> {
        let Reply::Part { found, unchanged, problems, unreadable, .. } = part else {
            return Err(invalid_answer());
        };
        let mut heads = heads;
        for package in found {
            self.check_cancelled()?;
            let (head, rest) = heads.split_at_checked(package.head).ok_or_else(invalid_answer)?;
            heads = rest;
            self.found(package, head);
        }
        for package in unchanged {
            self.check_cancelled()?;
            let checked = self.reports.check_unchanged(&package);
            if self.is_accepted(checked) {
                self.sink.unchanged(&package);
            }
        }
        for (directory, problem) in unreadable {
            self.problem(Some(directory), problem);
        }
        for problem in problems {
            self.problem(None, problem);
        }
        Ok(())
    }

    /// Forwards the problem of a refused report.
    fn is_accepted(&mut self, checked: Checked) -> bool {
        let is_accepted = checked.is_ok();
        if let Err(Some(problem)) = checked {
            problem.forward(self.sink);
        }
        is_accepted
    }

    /// Forwards a problem with truncated texts.
    fn problem(&mut self, unseen: Option<String>, mut problem: Diagnostic) {
        truncate(&mut problem.message);
        truncate(&mut problem.help);
        problem.path = problem.path.map(truncated_path);
        if let Some(problem) = self.reports.problem(unseen, problem) {
            problem.forward(self.sink);
        }
    }

    fn found(&mut self, found: FoundPackage, head: &[u8]) {
        let checked = self.reports.check_found(&found.package, &found.file, head);
        if !self.is_accepted(checked) {
            return;
        }
        let FoundPackage { package, file, stamp, size, is_whole_file, .. } = found;
        let stamp = stamp.map(Stamp::from_bits);
        let shown = Found { package: &package, file: &file, stamp, size, head, is_whole_file };
        let further = found_unsized(self.sink, shown);
        if further != ReadFurther::No && !is_whole_file {
            self.to_read.push((package, file, stamp));
        }
    }

    /// Returns an error if the scan was cancelled: the plugin may have sent everything before.
    fn check_cancelled(&self) -> Result<(), SourceError> {
        if self.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }
}

/// Returns a diagnostic about a package.
pub(super) fn problem(code: Code, package: &str, message: String) -> Diagnostic {
    let help = "ask the author of the plugin";
    Diagnostic {
        path: Some(package.into()),
        ..Diagnostic::new(code, Severity::Error, message, help)
    }
}

fn truncated_path(path: Box<str>) -> Box<str> {
    let mut path = String::from(path);
    truncate(&mut path);
    path.into()
}

/// Truncates a text that is too long.
fn truncate(text: &mut String) {
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push('…');
    }
}
