//! The sources of a lock file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{
    Cancel, Remote, RemoteArtifact, RemoteError, RemotePackage, RemoteRequest, WantedPackage,
};

use crate::any::AnyRemote;
use crate::local_source::LocalSource;

/// Creates the remote that may reach further hosts.
type Build = Box<dyn Fn(&BTreeSet<String>) -> AnyRemote + Send + Sync>;

/// The sources that a lock file names: paths are relative to its directory, and each source may
/// reach the hosts that the user has allowed for it, and no other one's.
pub struct LockRemote {
    directory: PathBuf,
    hosts: BTreeMap<String, BTreeSet<String>>,
    build: Build,
    /// The remote of the source that was resolved last, from which artifacts are fetched.
    last: Mutex<Arc<AnyRemote>>,
}

impl LockRemote {
    /// Creates the remote for the lock in this directory. `hosts` are those of each source.
    pub fn new(
        directory: impl Into<PathBuf>,
        hosts: BTreeMap<String, BTreeSet<String>>,
        build: impl Fn(&BTreeSet<String>) -> AnyRemote + Send + Sync + 'static,
    ) -> Self {
        let last = Mutex::new(Arc::new(build(&BTreeSet::new())));
        Self { directory: directory.into(), hosts, build: Box::new(build), last }
    }

    /// Returns the source at a path that does not depend on the working directory.
    pub fn absolute(directory: &Path, source: &str) -> String {
        LocalSource::read(source).map_or_else(|| source.to_owned(), |local| local.below(directory))
    }

    /// Returns the remote of a source, and the request for it.
    fn of(&self, request: &RemoteRequest) -> (Arc<AnyRemote>, RemoteRequest) {
        let none = BTreeSet::new();
        let hosts = self.hosts.get(&request.source).unwrap_or(&none);
        let remote = Arc::new((self.build)(hosts));
        *self.last() = Arc::clone(&remote);
        let source = Self::absolute(&self.directory, &request.source);
        (remote, RemoteRequest { source, ..request.clone() })
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Arc<AnyRemote>> {
        // It is replaced as a whole.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remote for LockRemote {
    fn name(&self) -> &str {
        "lock"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        let (remote, request) = self.of(request);
        remote.resolve(&request, cancel)
    }

    fn step_back(
        &self,
        request: &RemoteRequest,
        from: &str,
        to: &str,
        cancel: &Cancel,
    ) -> Result<Option<String>, RemoteError> {
        let (remote, request) = self.of(request);
        remote.step_back(&request, from, to, cancel)
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        let remote = Arc::clone(&self.last());
        remote.fetch(artifact, limit, cancel)
    }

    fn fetch_packages(
        &self,
        artifact: &RemoteArtifact,
        wanted: WantedPackage<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Option<Vec<RemotePackage>>, RemoteError> {
        let remote = Arc::clone(&self.last());
        remote.fetch_packages(artifact, wanted, limit, cancel)
    }
}

impl std::fmt::Debug for LockRemote {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("LockRemote");
        shown.field("directory", &self.directory).field("hosts", &self.hosts);
        shown.finish_non_exhaustive()
    }
}
