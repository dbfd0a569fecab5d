//! The identity of the folder at a path.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// An identity that distinguishes a folder from another one at the same path.
///
/// The inode alone is not enough, because file systems reuse the inode of a removed folder. The
/// creation time, which no program can set, is included. The device is used only if there is no
/// creation time, because devices may be renumbered when the machine starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    inode: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    created: Option<jiff::Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    device: Option<u64>,
}

impl Identity {
    /// Returns the identity of a folder that is open.
    pub(crate) fn of_open(folder: &prowess_dir::Identity) -> Self {
        let created = folder.created.map(|created| (created.seconds, created.nanoseconds));
        let created = created.and_then(|(seconds, nanoseconds)| {
            jiff::Timestamp::new(seconds, i32::try_from(nanoseconds).ok()?).ok()
        });
        let device = created.is_none().then_some(folder.device);
        Self { inode: folder.inode, created, device }
    }

    /// Returns the identity of the folder at this path; `None` if there is no folder.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        // The path was resolved: a link at its end is not the folder.
        let metadata = path.symlink_metadata().ok().filter(Metadata::is_dir)?;
        let created = metadata.created().ok();
        let created = created.and_then(|moment| jiff::Timestamp::try_from(moment).ok());
        let device = created.is_none().then(|| metadata.dev());
        Some(Self { inode: metadata.ino(), created, device })
    }
}
