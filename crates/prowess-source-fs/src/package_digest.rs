//! The digest of a package's whole directory, with what is known of files that have not changed.
//!
//! Every file counts, also below directories that listings skip: a script may run any of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use prowess_core::{
    Cancel, Digest, FileMode, PackageDigest, PackagePath, SourceError, SourceErrorKind,
};
use prowess_dir::{Dir, Epoch, Error, ErrorKind, Kind, Links, Stat, WalkBounds, Walked};

use crate::read::source_error;
use crate::{FsConfig, link};

/// The maximum size of one file, in bytes.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The maximum number of packages whose files are remembered.
const MOST_PACKAGES: usize = 256;

/// The digests of the files of packages, by path.
type Files = HashMap<String, KnownFile>;

#[derive(Default)]
pub(crate) struct PackageDigests(Mutex<HashMap<PackagePath, Files>>);

/// A file's digest, and the metadata that shows whether it is still that file.
#[derive(Clone, Copy)]
struct KnownFile {
    stat: Stat,
    read_at: Epoch,
    content: Digest,
}

impl KnownFile {
    /// Returns whether the file at this path is the one that was read.
    fn is_current(&self, directory: &Dir, path: &str, now: Epoch) -> bool {
        let Ok((stat, mount)) = directory.stat_on_mount(path) else { return false };
        stat == self.stat
            && mount == Some(self.read_at.mount)
            && now.place() == self.read_at.place()
            && Epoch::is_older(stat.changed, self.read_at.moment.seconds)
    }
}

impl PackageDigests {
    /// Computes the digests of a package's files.
    pub(crate) fn compute(
        &self,
        config: &FsConfig,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        let directory = link::open_package(config, package.as_str());
        let directory = directory.map_err(|error| source_error(&error, package))?;
        let known = self.take(package);
        let mut hasher =
            TreeHasher { now: directory.epoch(), directory, known, read: Files::new() };
        let digest = hasher.hash(package, cancel)?;
        self.put(package, hasher.read);
        Ok(digest)
    }

    fn take(&self, package: &PackagePath) -> Files {
        // A value is replaced as a whole, so a poisoned lock holds valid ones.
        let mut packages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        packages.remove(package).unwrap_or_default()
    }

    fn put(&self, package: &PackagePath, files: Files) {
        let mut packages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if packages.len() >= MOST_PACKAGES {
            packages.clear();
        }
        packages.insert(package.clone(), files);
    }
}

/// Hashes the files of one directory.
struct TreeHasher {
    directory: Dir,
    /// The current time, if the times of files in the directory are reliable.
    now: Option<Epoch>,
    known: Files,
    /// The files that were hashed this time.
    read: Files,
}

impl TreeHasher {
    fn hash(
        &mut self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        let failed = |error: &Error| source_error(error, package);
        let walk = self.directory.walk(WalkBounds::default(), |_| true);
        let walk = walk.map_err(|error| failed(&error))?;
        if !walk.is_complete {
            let message = format!("the package `{package}` cannot be listed completely");
            return Err(SourceError::new(SourceErrorKind::TooLarge, message));
        }
        let mut digest = PackageDigest::default();
        for file in &walk.found {
            if cancel.is_cancelled() {
                return Err(SourceError::new(SourceErrorKind::Cancelled, "the call was cancelled"));
            }
            self.add(file, &mut digest).map_err(|error| failed(&error))?;
        }
        Ok(digest)
    }

    fn add(&mut self, file: &Walked, digest: &mut PackageDigest) -> Result<(), Error> {
        let path = &file.path;
        if file.kind == Kind::Link {
            let target = self.directory.read_link(path)?;
            digest.add(FileMode::Link, path, Digest::of(&target));
            return self.check_link(path);
        }
        let known = self.known.remove(path);
        let current = known.filter(|known| {
            self.now.is_some_and(|now| known.is_current(&self.directory, path, now))
        });
        let (stat, content) = match current {
            Some(known) => {
                self.read.insert(path.clone(), known);
                (known.stat, known.content)
            }
            None => self.read_file(path)?,
        };
        let mode = if stat.is_executable { FileMode::Executable } else { FileMode::Regular };
        digest.add(mode, path, content);
        Ok(())
    }

    /// Refuses a link that leads out of the package: the content behind it could change without a
    /// change of the digest.
    fn check_link(&self, path: &str) -> Result<(), Error> {
        match self.directory.stat(path, Links::FollowInside) {
            // Nothing is there now, and what will be is a file of the package.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            answer => answer.map(drop),
        }
    }

    fn read_file(&mut self, path: &str) -> Result<(Stat, Digest), Error> {
        let file = self.directory.open_file(path, Links::Refuse)?;
        let content = Digest::of(&file.read_whole(MOST_BYTES)?);
        let stat = *file.stat();
        if let Some(read_at) = self.now {
            self.read.insert(path.to_owned(), KnownFile { stat, read_at, content });
        }
        Ok((stat, content))
    }
}

#[cfg(test)]
mod tests {
    use prowess_core::{Cancel, Digest, PackagePath};
    use prowess_dir::Dir;

    use super::PackageDigests;
    use crate::FsConfig;

    /// Files whose last change is long ago, which a fixture of a test cannot have.
    fn this_crate() -> (FsConfig, PackagePath) {
        let config = FsConfig::new(env!("CARGO_MANIFEST_DIR"));
        (config, PackagePath::new("src").expect("it is a path"))
    }

    #[test]
    fn unchanged_files_are_not_read_again() {
        let (config, package) = this_crate();
        let digests = PackageDigests::default();
        let compute = || {
            digests.compute(&config, &package, &Cancel::default()).expect("it is readable").finish()
        };
        let first = compute();
        assert_eq!(compute(), first, "nothing has changed");
        let mut remembered = digests.take(&package);
        let is_reliable = Dir::open(&config.root).is_ok_and(|root| root.epoch().is_some());
        assert_eq!(!remembered.is_empty(), is_reliable, "the files are remembered");
        if !is_reliable {
            return;
        }
        for known in remembered.values_mut() {
            known.content = Digest::of(b"another content");
            // As if the file had been read long after its last change.
            known.read_at.moment.seconds = i64::MAX;
        }
        digests.put(&package, remembered);
        assert_ne!(compute(), first, "what is remembered is used instead of the files");
    }

    #[test]
    fn recently_changed_files_are_read_again() {
        let (config, package) = this_crate();
        let digests = PackageDigests::default();
        let compute = || {
            digests.compute(&config, &package, &Cancel::default()).expect("it is readable").finish()
        };
        let first = compute();
        let mut remembered = digests.take(&package);
        for known in remembered.values_mut() {
            known.content = Digest::of(b"another content");
            // As if the file had been read within the resolution of the clock.
            known.read_at.moment.seconds = known.stat.changed.seconds + 1;
        }
        digests.put(&package, remembered);
        assert_eq!(compute(), first, "the times cannot show whether such a file has changed");
    }
}
