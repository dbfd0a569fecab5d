//! The plugins in the directories of plugins, without opening one.
//!
//! Reading and hashing a library costs more than all the rest, so what was seen of a file is kept,
//! by its path, size, times and inode. The cache serves lists alone: what is to run is read and
//! hashed again.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use prowess_core::Digest;
use serde::{Deserialize, Serialize};

use crate::load::Names;
use crate::verify::{InspectedFile, decide};
use crate::{
    Inspection, Origin, Placement, PluginError, PluginPolicy, TrustStore, place, private_file,
};

/// The most files of a directory that are looked at.
const MAX_FILES: usize = 1_000;

/// A file that may be a plugin, and what would become of it.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Where it is.
    pub file: PathBuf,
    /// The digest of its bytes; `None` if they could not be read.
    pub digest: Option<Digest>,
    /// Its manifest; `None` if it is not a plugin.
    pub inspection: Option<Inspection>,
    /// Where it would run, or why it would not.
    pub verdict: Result<Placement, PluginError>,
    /// Whether its bytes were read for this; false where they are known.
    pub was_read: bool,
}

/// The results of earlier inspections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryCache(BTreeMap<PathBuf, Kept>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    stamp: Stamp,
    digest: Digest,
    inspection: Inspection,
}

/// The identity of one version of a file. The time of the last change of any kind is the
/// kernel's alone to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl InventoryCache {
    /// Reads what was kept. A file that is not there, is damaged, or that others may write is an
    /// empty cache.
    pub fn read(path: &Path) -> Self {
        let text = private_file::read(path).ok().flatten().unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Keeps what was seen, for this user alone.
    ///
    /// # Errors
    ///
    /// The file system refuses. Nothing is lost but time.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        private_file::write(path, &serde_json::to_string(self)?)
    }
}

/// The plugins of the policy's directories, by their paths. Subdirectories are not entered, and of
/// each directory at most 1,000 files are looked at. `cache` is brought up to date.
///
/// A directory that is not there holds no plugin.
///
/// # Errors
///
/// A directory cannot be read; the path is in the error.
pub fn list(
    policy: &PluginPolicy,
    trust: &TrustStore,
    cache: &mut InventoryCache,
) -> std::io::Result<Vec<Listed>> {
    let mut listed = Vec::new();
    let mut kept = BTreeMap::new();
    let mut names = Names::default();
    for directory in &policy.directories {
        for file in libraries(directory)? {
            let known = cache.0.remove(&file);
            let (mut entry, keep) = look(&file, policy, trust, known);
            if let Some(inspection) = &entry.inspection {
                let name = &inspection.manifest.name;
                if entry.verdict.is_ok() {
                    names.take(name, &file);
                }
                entry.verdict = names.check(name, &file).and(entry.verdict);
            }
            kept.extend(keep.map(|keep| (file, keep)));
            listed.push(entry);
        }
    }
    cache.0 = kept;
    Ok(listed)
}

/// The files that are named as libraries are, sorted.
fn libraries(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let message = format!("`{}` cannot be listed: {error}", directory.display());
            return Err(std::io::Error::new(error.kind(), message));
        }
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == std::env::consts::DLL_EXTENSION) {
            files.push(path);
        }
    }
    files.sort();
    files.truncate(MAX_FILES);
    Ok(files)
}

fn look(
    file: &Path,
    policy: &PluginPolicy,
    trust: &TrustStore,
    known: Option<Kept>,
) -> (Listed, Option<Kept>) {
    let opened = match place::open(file, Origin::Directory, policy) {
        Ok(opened) => opened,
        Err(error) => return (Listed::refused(file, error), None),
    };
    let stamp = Stamp::of(&opened.stat);
    let (kept, was_read) = match known.filter(|kept| kept.stamp == stamp) {
        Some(kept) => (kept, false),
        None => match opened.read(policy).and_then(|bytes| Kept::of(file, stamp, &bytes)) {
            Ok(kept) => (kept, true),
            Err(error) => return (Listed::refused(file, error), None),
        },
    };
    // A signature is over the bytes, so a file that only a signature speaks for is read again.
    let again = || place::open(file, Origin::Directory, policy)?.read(policy).map(Into::into);
    let seen =
        InspectedFile { file, digest: kept.digest, inspection: &kept.inspection, bytes: &again };
    let entry = Listed {
        file: file.to_owned(),
        digest: Some(kept.digest),
        inspection: Some(kept.inspection.clone()),
        verdict: decide(&seen, policy, trust).map(|(_, placement)| placement),
        was_read,
    };
    (entry, Some(kept))
}

impl Listed {
    fn refused(file: &Path, error: PluginError) -> Self {
        Self {
            file: file.to_owned(),
            digest: None,
            inspection: None,
            verdict: Err(error),
            was_read: true,
        }
    }
}

impl Kept {
    fn of(file: &Path, stamp: Stamp, bytes: &[u8]) -> Result<Self, PluginError> {
        let inspection = crate::inspect(file, bytes)?;
        Ok(Self { stamp, digest: Digest::of(bytes), inspection })
    }
}

impl Stamp {
    fn of(stat: &Metadata) -> Self {
        Self {
            device: stat.dev(),
            inode: stat.ino(),
            bytes: stat.size(),
            modified: (stat.mtime(), stat.mtime_nsec()),
            changed: (stat.ctime(), stat.ctime_nsec()),
        }
    }
}
