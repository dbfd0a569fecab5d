//! Checks the results of a scan by a plugin's process and forwards them to the host's sink.

use std::collections::HashSet;

use prowess_core::{
    Cancel, Code, Diagnostic, Found, PackagePath, ReadFurther, ScanSink, Severity, SourceError,
    Stamp,
};

use super::error::{cancelled, invalid_answer};
use super::protocol::{FoundPackage, Reply};
use crate::adapter::found_unsized;
use crate::codes::PLUGIN_PROTOCOL_BROKEN;

/// The maximum number of packages of a source.
const MAX_PACKAGES: usize = 1_000_000;
/// The maximum number of problems of a scan. The plugin's side has a lower limit.
const MAX_PROBLEMS: usize = 2_000;
/// The maximum length of a problem's text, in bytes.
const MAX_TEXT: usize = 2 << 10;

/// A file that has to be read completely: its package, its name and its stamp.
pub(super) type FileToRead = (String, String, Option<Stamp>);

/// Forwards the parts of a scan to the sink. Every value is checked, since a plugin is not trusted.
pub(super) struct Scan<'a> {
    sink: &'a mut dyn ScanSink,
    cancel: &'a Cancel,
    seen: HashSet<String>,
    /// The number of packages and problems beyond the limits.
    omitted: usize,
    problems: usize,
    /// The files that have to be read completely.
    to_read: Vec<FileToRead>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(sink: &'a mut dyn ScanSink, cancel: &'a Cancel) -> Self {
        Self { sink, cancel, seen: HashSet::new(), omitted: 0, problems: 0, to_read: Vec::new() }
    }

    /// Ends the scan, and returns the files that have to be read completely.
    pub(super) fn end(self) -> Result<Vec<FileToRead>, SourceError> {
        self.check_cancelled()?;
        if self.omitted > 0 {
            let message = format!(
                "the plugin reports {} more packages or problems than {MAX_PACKAGES} and \
                 {MAX_PROBLEMS}; they are omitted",
                self.omitted
            );
            self.sink.problem(problem(PLUGIN_PROTOCOL_BROKEN, "", message));
        }
        Ok(self.to_read)
    }

    /// Forwards a part of the scan. `heads` holds the beginnings of its files.
    pub(super) fn take(&mut self, part: Reply, heads: &[u8]) -> Result<(), SourceError> {
        let Reply::Part { found, unchanged, problems, unreadable, .. } = part else {
            return Err(invalid_answer());
        };
        let mut heads = heads;
        for package in found {
            let (head, rest) = heads.split_at_checked(package.head).ok_or_else(invalid_answer)?;
            heads = rest;
            self.found(package, head)?;
        }
        for package in unchanged {
            if self.is_new(&package)? {
                self.sink.unchanged(&package);
            }
        }
        for (directory, diagnostic) in unreadable {
            if directory.is_empty() || PackagePath::is_normal(&directory) {
                self.sink.unreadable(&directory, diagnostic);
            } else {
                self.sink.problem(diagnostic);
            }
        }
        for problem in problems {
            self.problem(problem);
        }
        Ok(())
    }

    /// Forwards a problem with truncated texts. Problems beyond the limit are counted instead.
    fn problem(&mut self, mut problem: Diagnostic) {
        self.problems += 1;
        if self.problems > MAX_PROBLEMS {
            self.omitted += 1;
            return;
        }
        truncate(&mut problem.message);
        truncate(&mut problem.help);
        problem.path = problem.path.map(truncated_path);
        self.sink.problem(problem);
    }

    fn found(&mut self, found: FoundPackage, head: &[u8]) -> Result<(), SourceError> {
        if !self.is_new(&found.package)? {
            return Ok(());
        }
        let FoundPackage { package, file, stamp, size, is_whole_file, .. } = found;
        let stamp = stamp.map(Stamp::from_bits);
        let shown = Found { package: &package, file: &file, stamp, size, head, is_whole_file };
        let further = found_unsized(self.sink, shown);
        if further != ReadFurther::No && !is_whole_file {
            self.to_read.push((package, file, stamp));
        }
        Ok(())
    }

    /// Returns an error if the scan was cancelled: the plugin may have sent everything before.
    fn check_cancelled(&self) -> Result<(), SourceError> {
        if self.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Returns whether this is a valid path of a package that was not reported before. Reports a
    /// problem otherwise.
    fn is_new(&mut self, package: &str) -> Result<bool, SourceError> {
        self.check_cancelled()?;
        if self.seen.len() >= MAX_PACKAGES {
            self.omitted += 1;
            return Ok(false);
        }
        let is_path = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        let reason = match is_path {
            true if self.seen.insert(package.to_owned()) => return Ok(true),
            true => "the plugin reports this package twice",
            false => "the plugin reports a package with an invalid path",
        };
        self.problem(problem(PLUGIN_PROTOCOL_BROKEN, package, reason.into()));
        Ok(false)
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
