//! Which folder it is that stands at a path.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What tells a folder from another that takes its path.
///
/// A number alone does not: file systems give the number of a folder that was removed to the next one.
/// So the moment of its making belongs to it, which no program can set. The device does not, as devices
/// are numbered anew when the machine starts, except where the moment is not kept.
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

    /// That of the folder at this path; `None` where there is no folder.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        // The path is real: a link in the folder's place is not the folder.
        let metadata = path.symlink_metadata().ok().filter(Metadata::is_dir)?;
        let created = metadata.created().ok();
        let created = created.and_then(|moment| jiff::Timestamp::try_from(moment).ok());
        let device = created.is_none().then(|| metadata.dev());
        Some(Self { inode: metadata.ino(), created, device })
    }
}
