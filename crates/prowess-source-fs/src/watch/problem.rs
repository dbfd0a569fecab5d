//! The errors of a watch.

use std::path::Path;

use prowess_core::{SourceError, SourceErrorKind};

use crate::FsConfig;

/// Returns the error for a tree that cannot be examined, whose changes would be missed.
pub(super) fn unsurveyed(config: &FsConfig, error: &prowess_dir::Error) -> SourceError {
    let root = config.root.display();
    let message = format!("what is to be watched of `{root}` cannot be seen: {error}");
    SourceError::new(SourceErrorKind::Unavailable, message)
}

pub(super) fn unwatchable(path: &Path, error: &notify::Error) -> SourceError {
    let message = format!("`{}` can be entered and not watched: {error}", path.display());
    SourceError::new(SourceErrorKind::Denied, message)
}

pub(super) fn exhausted(root: &str, error: &notify::Error) -> SourceError {
    let message = format!("the operating system has no watches left for `{root}`: {error}");
    SourceError::new(SourceErrorKind::Unavailable, message)
}

pub(super) fn refused(config: &FsConfig, error: &std::io::Error) -> SourceError {
    let message = format!("no thread can be had to watch `{}`: {error}", config.root.display());
    SourceError::new(SourceErrorKind::Unavailable, message)
}
