//! A scan of the whole tree.

use std::sync::Arc;

use prowess_core::{
    Cancel, Clock, PreviousScan, ScanSink, ScanSummary, SourceError, SourceErrorKind,
};
use prowess_dir::{Dir, ErrorKind, Stillness};

use crate::fast::Fast;
use crate::fast::provisional::Provisional;
use crate::identities::Identities;
use crate::kept::Kept;
use crate::package::Prober;
use crate::probe::{FileProber, MAX_WAITS};
use crate::walk::Walk;
use crate::{FsConfig, fast, problem};

/// Scans a tree.
#[derive(Clone, Copy)]
pub(crate) struct Scanner<'s> {
    pub(crate) config: &'s FsConfig,
    pub(crate) clock: &'s dyn Clock,
    pub(crate) stillness: &'s Stillness,
    pub(crate) kept: Option<&'s Arc<Kept>>,
    pub(crate) identities: &'s Identities,
    pub(crate) fast: Option<&'s Fast>,
}

impl Scanner<'_> {
    /// Reports every package of the tree.
    pub(crate) fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let path = self.config.root.to_string_lossy();
        let mut root = match self.config.open_root() {
            Ok(root) => root,
            Err(error) => return self.without_root(&path, &error, sink),
        };
        if let Some(kept) = self.kept {
            kept.begin(&root, self.stillness);
        }
        let provisional = self.fast.and_then(|fast| fast.start(&root));
        let prober = Prober::new(&path, self.prober(&root, provisional), previous, sink);
        let mut walk = Walk::new(self.config, self.clock, cancel, prober);
        let Some(pending) = walk.begin(&root) else { return Ok(ScanSummary::default()) };
        let listing = match self.fast {
            Some(_) => fast::walk(&mut walk, &mut root, &pending),
            None => walk.run(&mut root, &pending).map(|()| None),
        };
        self.identities.know(std::mem::take(&mut walk.prober.linked));
        let listing = listing.map_err(|error| {
            let message = format!("the tree of `{path}`: {error}");
            SourceError::new(SourceErrorKind::Unavailable, message)
        })?;
        if cancel.is_cancelled() {
            return Err(self.cancelled());
        }
        Ok(ScanSummary { listing })
    }

    /// Creates the part that reads files, with the provisional stamps of a scan.
    pub(crate) fn prober(&self, root: &Dir, provisional: Option<Provisional>) -> FileProber {
        let known = provisional.as_ref().map(|it| it.epoch.file_system);
        FileProber {
            now: self.clock.now(),
            file_system: known.unwrap_or_else(|| root.file_system()),
            expects_changes: false,
            provisional,
            stillness: self.stillness.clone(),
            waits: MAX_WAITS,
            kept: self.kept.cloned(),
        }
    }

    pub(crate) fn cancelled(&self) -> SourceError {
        let message = format!("the scan of `{}` was cancelled", self.config.root.display());
        SourceError::new(SourceErrorKind::Cancelled, message)
    }

    /// Reports a missing root as a finding. One that fails for the moment is an error, so that the
    /// last good scan is kept.
    fn without_root(
        &self,
        root: &str,
        error: &prowess_dir::Error,
        sink: &mut dyn ScanSink,
    ) -> Result<ScanSummary, SourceError> {
        let diagnostic = match error.kind() {
            ErrorKind::NotFound if self.config.may_be_missing => return Ok(ScanSummary::default()),
            ErrorKind::NotFound => problem::root_missing(root),
            ErrorKind::Escape => problem::root_outside(root),
            ErrorKind::NotADirectory => problem::root_not_a_directory(root),
            ErrorKind::Denied | ErrorKind::Loop => {
                sink.unreadable("", problem::directory_unreadable(root, error));
                return Ok(ScanSummary::default());
            }
            kind => {
                let kind = match kind {
                    ErrorKind::Replaced => SourceErrorKind::Replaced,
                    _ => SourceErrorKind::Unavailable,
                };
                return Err(SourceError::new(kind, error.to_string()));
            }
        };
        sink.problem(diagnostic);
        Ok(ScanSummary::default())
    }
}
