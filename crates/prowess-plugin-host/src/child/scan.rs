//! A scan by a plugin's process, on its way to the host's sink.

use std::collections::HashSet;

use prowess_core::{
    Cancel, Code, Diagnostic, Found, PackagePath, ReadFurther, ScanSink, Severity, SourceError,
    Stamp,
};

use super::broken::{cancelled, nonsense};
use super::protocol::{FoundPackage, Reply};
use crate::adapter::found_unsized;
use crate::codes::PLUGIN_PROTOCOL_BROKEN;

/// The most packages that a source may have.
const MAX_PACKAGES: usize = 1_000_000;
/// The most problems that one scan may report; the plugin's side stops earlier, unless it is
/// broken.
const MAX_PROBLEMS: usize = 2_000;
/// The longest text of a problem, in bytes.
const MAX_TEXT: usize = 2 << 10;

/// A file of which the head was too short: its package, its name and its stamp.
pub(super) type Short = (String, String, Option<Stamp>);

/// The parts of a scan on their way to the sink. Nothing of what a plugin says is taken on trust.
pub(super) struct Scan<'a> {
    sink: &'a mut dyn ScanSink,
    cancel: &'a Cancel,
    seen: HashSet<String>,
    /// Packages and problems beyond what a scan may report.
    left_out: usize,
    problems: usize,
    /// The files that have to be read further.
    short: Vec<Short>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(sink: &'a mut dyn ScanSink, cancel: &'a Cancel) -> Self {
        Self { sink, cancel, seen: HashSet::new(), left_out: 0, problems: 0, short: Vec::new() }
    }

    /// Returns the files that have to be read further.
    pub(super) fn end(self) -> Result<Vec<Short>, SourceError> {
        self.go_on()?;
        if self.left_out > 0 {
            let message = format!(
                "the plugin reports {} more packages or problems than {MAX_PACKAGES} and \
                 {MAX_PROBLEMS}; they are left out",
                self.left_out
            );
            self.sink.problem(problem(PLUGIN_PROTOCOL_BROKEN, "", message));
        }
        Ok(self.short)
    }

    pub(super) fn take(&mut self, part: Reply, heads: &[u8]) -> Result<(), SourceError> {
        let Reply::Part { found, unchanged, problems, unreadable, .. } = part else {
            return Err(nonsense());
        };
        let mut heads = heads;
        for package in found {
            let (head, rest) = heads.split_at_checked(package.head).ok_or_else(nonsense)?;
            heads = rest;
            self.found(package, head)?;
        }
        for package in unchanged {
            if self.is_new(&package)? {
                self.sink.unchanged(&package);
            }
        }
        for (directory, diagnostic) in unreadable {
            match directory.is_empty() || PackagePath::is_normal(&directory) {
                true => self.sink.unreadable(&directory, diagnostic),
                false => self.sink.problem(diagnostic),
            }
        }
        for problem in problems {
            self.problem(problem);
        }
        Ok(())
    }

    /// Passes a problem on, cut where it is too long. Too many are counted instead.
    fn problem(&mut self, mut problem: Diagnostic) {
        self.problems += 1;
        if self.problems > MAX_PROBLEMS {
            self.left_out += 1;
            return;
        }
        cut(&mut problem.message);
        cut(&mut problem.help);
        problem.path = problem.path.map(cut_path);
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
            self.short.push((package, file, stamp));
        }
        Ok(())
    }

    /// The plugin may have reported everything before the host changed its mind.
    fn go_on(&self) -> Result<(), SourceError> {
        if self.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Returns whether this is a package's path that was not reported before, and reports a problem
    /// with any other.
    fn is_new(&mut self, package: &str) -> Result<bool, SourceError> {
        self.go_on()?;
        if self.seen.len() >= MAX_PACKAGES {
            self.left_out += 1;
            return Ok(false);
        }
        let is_path = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        let reason = match is_path {
            true if self.seen.insert(package.to_owned()) => return Ok(true),
            true => "the plugin reports this package twice",
            false => "the plugin reports a package by a path that is none",
        };
        self.problem(problem(PLUGIN_PROTOCOL_BROKEN, package, reason.into()));
        Ok(false)
    }
}

/// Returns a finding about a package.
pub(super) fn problem(code: Code, package: &str, message: String) -> Diagnostic {
    let help = "ask the author of the plugin";
    Diagnostic {
        path: Some(package.into()),
        ..Diagnostic::new(code, Severity::Error, message, help)
    }
}

fn cut_path(path: Box<str>) -> Box<str> {
    let mut path = String::from(path);
    cut(&mut path);
    path.into()
}

/// Cuts a text that is too long.
fn cut(text: &mut String) {
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push('…');
    }
}
