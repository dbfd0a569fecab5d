//! Lists the plugins of the plugin directories without opening them.
//!
//! Reading and hashing libraries is the most expensive part, so inspections are cached by path,
//! size, times and inode. The cache is only used for lists: before a plugin runs, its file is read
//! and hashed again.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use prowess_core::Digest;
use serde::{Deserialize, Serialize};

use crate::load::Names;
use crate::verify::{InspectedFile, decide};
use crate::{
    Inspection, Origin, Placement, PluginError, PluginPolicy, TrustStore, location, private_file,
};

/// The maximum number of files of a directory that are inspected.
const MAX_FILES: usize = 1_000;

/// A file that may be a plugin, with the result of its checks.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// The path of the file.
    pub file: PathBuf,
    /// The digest of the file; `None` if it could not be read.
    pub digest: Option<Digest>,
    /// The manifest and the properties of the library; `None` if it is not a plugin.
    pub inspection: Option<Inspection>,
    /// Where the plugin would run, or the error with which it would be refused.
    pub verdict: Result<Placement, PluginError>,
    /// Whether the file was read; `false` if its inspection was cached.
    pub was_read: bool,
}

/// A cache of inspections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryCache(BTreeMap<PathBuf, CachedInspection>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CachedInspection {
    stamp: Stamp,
    digest: Digest,
    inspection: Inspection,
}

/// The identity of one version of a file. `changed` (ctime) can only be set by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl InventoryCache {
    /// Reads a cache file. A file that does not exist, is damaged or is writable by other users
    /// gives an empty cache.
    pub fn read(path: &Path) -> Self {
        let text = private_file::read(path).ok().flatten().unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Writes the cache to a file that only this user can access.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written. Later lists are only slower then.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        private_file::write(path, &serde_json::to_string(self)?)
    }
}

/// Returns the plugins of the policy's directories, sorted by path, and updates `cache`.
/// Subdirectories are not entered, and at most 1,000 files per directory are inspected.
///
/// A directory that does not exist counts as empty.
///
/// # Errors
///
/// Returns an error with the path if a directory cannot be read.
pub fn list(
    policy: &PluginPolicy,
    trust: &TrustStore,
    cache: &mut InventoryCache,
) -> std::io::Result<Vec<Listed>> {
    let mut listed = Vec::new();
    let mut cached = BTreeMap::new();
    let mut names = Names::default();
    for directory in &policy.directories {
        for file in libraries(directory)? {
            let known = cache.0.remove(&file);
            let (mut entry, inspected) = inspect_file(&file, policy, trust, known);
            if let Some(inspection) = &entry.inspection {
                let name = &inspection.manifest.name;
                if entry.verdict.is_ok() {
                    names.insert(name, &file);
                }
                entry.verdict = names.check(name, &file).and(entry.verdict);
            }
            cached.extend(inspected.map(|inspected| (file, inspected)));
            listed.push(entry);
        }
    }
    cache.0 = cached;
    Ok(listed)
}

/// Returns the files with the extension of a dynamic library, sorted.
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

fn inspect_file(
    file: &Path,
    policy: &PluginPolicy,
    trust: &TrustStore,
    known: Option<CachedInspection>,
) -> (Listed, Option<CachedInspection>) {
    let opened = match location::open(file, Origin::Directory, policy) {
        Ok(opened) => opened,
        Err(error) => return (Listed::refused(file, error), None),
    };
    let stamp = Stamp::of(&opened.stat);
    let (cached, was_read) = match known.filter(|known| known.stamp == stamp) {
        Some(known) => (known, false),
        None => {
            match opened.read(policy).and_then(|bytes| CachedInspection::of(file, stamp, &bytes)) {
                Ok(inspected) => (inspected, true),
                Err(error) => return (Listed::refused(file, error), None),
            }
        }
    };
    // A signature covers the bytes, so a signed file without a pin is read again.
    let read_again =
        || location::open(file, Origin::Directory, policy)?.read(policy).map(Into::into);
    let inspected = InspectedFile {
        file,
        digest: cached.digest,
        inspection: &cached.inspection,
        bytes: &read_again,
    };
    let entry = Listed {
        file: file.to_owned(),
        digest: Some(cached.digest),
        inspection: Some(cached.inspection.clone()),
        verdict: decide(&inspected, policy, trust).map(|(_, placement)| placement),
        was_read,
    };
    (entry, Some(cached))
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

impl CachedInspection {
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
