//! Which directory a package is, to find those that two paths lead to.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::PackagePath;
use prowess_dir::{Dir, Kind};

use crate::link::{RealPaths, open_package_below};
use crate::package::Identity;
use crate::{FsConfig, Links};

/// The number of known directories at which all are evicted. Only copies are asked about.
const MAX_KNOWN: usize = 10_000;

/// The number of scans of all sources but the first of each: what has changed in one may be what
/// links in another lead to.
static SCANS: AtomicU64 = AtomicU64::new(0);

/// The directories of packages, as they have been since the last scan.
#[derive(Default)]
pub(crate) struct Identities(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The [`SCANS`] since which they have been.
    scans: u64,
    was_scanned: bool,
    /// The root, unless packages are opened by path, with the real paths of links in it.
    root: Option<(Dir, RealPaths)>,
    packages: HashMap<PackagePath, Option<Identity>>,
}

impl Identities {
    /// Forgets all, because a scan begins.
    pub(crate) fn forget(&self) {
        let mut known = self.lock();
        let again = u64::from(known.was_scanned || !known.packages.is_empty());
        let scans = SCANS.fetch_add(again, Ordering::Relaxed) + again;
        *known = Known { scans, was_scanned: true, ..Known::default() };
    }

    /// Adds what a scan has found out.
    pub(crate) fn know(&self, found: Vec<(String, Identity)>) {
        let found = found.into_iter().take(MAX_KNOWN);
        let found = found.filter_map(|(path, it)| Some((PackagePath::new(&path).ok()?, Some(it))));
        let mut known = self.lock();
        if known.scans == SCANS.load(Ordering::Relaxed) {
            known.packages.extend(found);
        }
    }

    pub(crate) fn of(&self, config: &FsConfig, package: &PackagePath) -> Option<String> {
        let mut known = self.lock();
        let scans = SCANS.load(Ordering::Relaxed);
        if known.scans != scans {
            *known = Known { scans, was_scanned: known.was_scanned, ..Known::default() };
        }
        let found = match known.packages.get(package) {
            Some(found) => *found,
            None => known.look(config, package),
        };
        found.map(|(device, inode)| format!("{device}:{inode}"))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // An entry is inserted as a whole, so every entry is valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn look(&mut self, config: &FsConfig, package: &PackagePath) -> Option<Identity> {
        let found = self.identity(config, package);
        if self.packages.len() >= MAX_KNOWN {
            self.packages.clear();
        }
        self.packages.insert(package.clone(), found);
        found
    }

    fn identity(&mut self, config: &FsConfig, package: &PackagePath) -> Option<Identity> {
        #[cfg(unix)]
        if config.links == Links::Follow && config.opens_by_path() {
            use std::os::unix::fs::MetadataExt as _;
            let found = config.root.join(package.as_str()).metadata().ok()?;
            return found.is_dir().then(|| (found.dev(), found.ino()));
        }
        if self.root.is_none() {
            self.root = Some((config.open_root().ok()?, RealPaths::default()));
        }
        let (root, paths) = self.root.as_ref()?;
        let stat = match root.stat_unconfined(package.as_str()) {
            Ok(stat) if stat.kind == Kind::Directory => stat,
            _ => open_package_below(config, root, paths, package.as_str())
                .and_then(|directory| directory.stat_unconfined(""))
                .ok()?,
        };
        Some((stat.device, stat.inode))
    }
}
