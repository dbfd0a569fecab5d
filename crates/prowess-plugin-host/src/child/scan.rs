//! A scan by a plugin's process, on its way to the host's sink.

use std::collections::HashSet;

use prowess_core::{
    Cancel, Code, Diagnostic, Found, PackagePath, ReadFurther, ScanSink, Severity, SourceError,
    Stamp,
};

use super::broken::{cancelled, nonsense};
use super::protocol::{FoundPackage, Reply};

/// The most packages that a source may have.
const MAX_PACKAGES: usize = 1_000_000;

/// A file of which the head was too short: its package, its name and its stamp.
pub(super) type Short = (String, String, Option<Stamp>);

/// The parts of a scan on their way to the sink. Nothing of what a plugin says is taken on trust.
pub(super) struct Scan<'a> {
    sink: &'a mut dyn ScanSink,
    cancel: &'a Cancel,
    seen: HashSet<String>,
    /// What has to be read further.
    short: Vec<Short>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(sink: &'a mut dyn ScanSink, cancel: &'a Cancel) -> Self {
        Self { sink, cancel, seen: HashSet::new(), short: Vec::new() }
    }

    /// What was seen, and what has to be read further.
    pub(super) fn end(self) -> Result<(HashSet<String>, Vec<Short>), SourceError> {
        self.go_on()?;
        Ok((self.seen, self.short))
    }

    pub(super) fn take(&mut self, part: Reply, heads: &[u8]) -> Result<(), SourceError> {
        let Reply::Part { found, unchanged, problems, unseen, .. } = part else {
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
        let is_directory = |path: &&String| path.is_empty() || PackagePath::is_normal(path);
        unseen.iter().filter(is_directory).for_each(|directory| self.sink.unseen(directory));
        for problem in problems {
            self.sink.problem(problem);
        }
        Ok(())
    }

    fn found(&mut self, found: FoundPackage, head: &[u8]) -> Result<(), SourceError> {
        if !self.is_new(&found.package)? {
            return Ok(());
        }
        let FoundPackage { package, file, stamp, size, is_whole_file, .. } = found;
        let stamp = stamp.map(Stamp);
        let shown = Found { package: &package, file: &file, stamp, size, head, is_whole_file };
        let further = self.sink.found(shown);
        if further != ReadFurther::No && !is_whole_file {
            self.short.push((package, file, stamp));
        }
        Ok(())
    }

    /// The plugin may have reported everything before the host changed its mind.
    fn go_on(&self) -> Result<(), SourceError> {
        if self.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Whether this is a package's path that was not reported before. Others are told.
    fn is_new(&mut self, package: &str) -> Result<bool, SourceError> {
        self.go_on()?;
        if self.seen.len() >= MAX_PACKAGES {
            return Err(nonsense());
        }
        let is_path = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        let reason = match is_path {
            true if self.seen.insert(package.to_owned()) => return Ok(true),
            true => "the plugin reports this package twice",
            false => "the plugin reports a package by a path that is none",
        };
        self.sink.problem(problem("plugin-protocol-broken", package, reason.into()));
        Ok(false)
    }
}

pub(super) fn problem(code: &'static str, package: &str, message: String) -> Diagnostic {
    let help = "ask the author of the plugin";
    let code = Code::new(code);
    Diagnostic {
        path: Some(package.into()),
        ..Diagnostic::new(code, Severity::Error, message, help)
    }
}
