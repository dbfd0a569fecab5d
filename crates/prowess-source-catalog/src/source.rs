//! A source that follows the pointer of a published catalog.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess_core::{
    Cancel, Catalog, CatalogProvider, Clock, Code, Diagnostic, Layer, Listing, PackageDigest,
    PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink, ScanSummary, Severity,
    SkillSource, SourceError, Trust,
};
use prowess_signature::PublicKey;

use crate::whole::Snapshot;
use crate::{CatalogFile, CatalogFileError, CatalogPlace, Pointer, codes};

/// How long a server that fails is not asked again: at first, and at most. Each failure doubles it.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const MOST_WAIT: Duration = Duration::from_secs(60);

/// A server that has failed.
struct Failed {
    error: SourceError,
    wait: Duration,
    until: Duration,
}

/// The skills of a published catalog. A scan polls the pointer; a catalog that cannot be fetched,
/// verified or read leaves the last good one in use, with a finding. A server that fails is asked
/// again after two seconds, and after twice the time for each further failure, at most a minute.
///
/// As a [`CatalogProvider`] it gives the offered skills of the last good catalog that are not
/// [conditional](crate::CatalogEntry::is_conditional); its first call for a catalog reads all
/// records.
pub struct CatalogSource {
    name: Arc<str>,
    root: Arc<str>,
    place: CatalogPlace,
    keys: Vec<PublicKey>,
    clock: Arc<dyn Clock>,
    layer: Layer,
    /// One thread polls at a time; no other call waits for it. After a failure it waits.
    polling: Mutex<Option<Failed>>,
    current: Mutex<Option<(Pointer, Arc<Snapshot>)>>,
}

impl CatalogSource {
    /// Creates a source with this name, whose root is `catalog://NAME`. Nothing is read yet. If
    /// there are keys, one of them has to have signed the pointer. The clock has the time of this
    /// machine, which a pointer may be a day ahead of.
    pub fn new(
        name: &str,
        place: CatalogPlace,
        keys: Vec<PublicKey>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            name: name.into(),
            root: format!("catalog://{name}").into(),
            place,
            keys,
            clock,
            layer: Layer::new(name, Trust::Untrusted),
            polling: Mutex::default(),
            current: Mutex::default(),
        }
    }

    /// Sets the layer of the catalogs that it provides. A registry has layers of its own.
    ///
    /// By default, an untrusted one with the name of the source.
    #[must_use]
    pub fn layer(self, layer: Layer) -> Self {
        Self { layer, ..self }
    }

    /// Returns the last good catalog file; `None` before the first one was read.
    pub fn file(&self) -> Option<Arc<CatalogFile>> {
        Some(Arc::clone(self.snapshot()?.file()))
    }

    /// Reads the pointer and, if it is a new one, opens the catalog file that it names.
    ///
    /// # Errors
    ///
    /// The newest catalog cannot be used. [`Self::file`] then has the last good one.
    pub fn poll(&self, cancel: &Cancel) -> Result<Arc<CatalogFile>, CatalogFileError> {
        let snapshot = self.newest(cancel)?;
        Ok(Arc::clone(snapshot.file()))
    }

    fn newest(&self, cancel: &Cancel) -> Result<Arc<Snapshot>, CatalogFileError> {
        if cancel.is_cancelled() {
            return Err(CatalogFileError::Cancelled);
        }
        let mut failed = self.polling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failed) = failed.as_ref().filter(|it| self.clock.elapsed() < it.until) {
            return Err(CatalogFileError::Again(failed.error.clone()));
        }
        let polled = self.polled(cancel);
        let wait = failed.take().map_or(FIRST_WAIT, |failed| MOST_WAIT.min(failed.wait * 2));
        match polled {
            Err(error) if self.place.is_remote() && error.is_of_the_server() => {
                let until = self.clock.elapsed() + wait;
                let error = SourceError::from(error);
                *failed = Some(Failed { error: error.clone(), wait, until });
                Err(CatalogFileError::Again(error))
            }
            polled => polled,
        }
    }

    fn polled(&self, cancel: &Cancel) -> Result<Arc<Snapshot>, CatalogFileError> {
        if self.current().is_none()
            && let Some(kept) = self.place.kept_pointer()
        {
            // Without it, there is nothing to fall back to and nothing to compare with.
            let _ = self.adopt(kept, cancel);
        }
        let pointer = self.place.pointer(cancel)?;
        let current = self.current().clone();
        match current {
            Some((current, snapshot)) if current == pointer => return Ok(snapshot),
            Some((current, _)) if current.generation >= pointer.generation => {
                let message = format!(
                    "steps back: it has the generation {}, and the catalog in use has {}; it is an \
                     earlier one, or the clock where it was built is behind",
                    pointer.generation, current.generation
                );
                return Err(CatalogFileError::Pointer(message));
            }
            _ => {}
        }
        self.adopt(pointer, cancel)
    }

    /// Uses the catalog of a pointer from now on.
    fn adopt(&self, pointer: Pointer, cancel: &Cancel) -> Result<Arc<Snapshot>, CatalogFileError> {
        pointer.check_signature(&self.keys)?;
        pointer.check_time(self.clock.now())?;
        let file = Arc::new(self.place.open(&pointer, cancel)?);
        let snapshot = Snapshot::new(
            (&self.name, &self.root),
            self.place.clone(),
            file,
            (self.layer.clone(), pointer.generation),
        );
        let snapshot = Arc::new(snapshot);
        self.place.keep(&pointer)?;
        *self.current() = Some((pointer, Arc::clone(&snapshot)));
        Ok(snapshot)
    }

    fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.current().as_ref().map(|(_, snapshot)| Arc::clone(snapshot))
    }

    /// Returns the snapshot for a call between scans.
    fn used(&self) -> Result<Arc<Snapshot>, SourceError> {
        match self.snapshot() {
            Some(snapshot) => Ok(snapshot),
            None => Ok(self.newest(&Cancel::default())?),
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<(Pointer, Arc<Snapshot>)>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the finding about a catalog that cannot be used.
    fn finding(&self, error: &CatalogFileError) -> Diagnostic {
        let current = self.current().as_ref().map(|(pointer, _)| pointer.generation);
        let used = current.map_or("none".to_owned(), |number| format!("generation {number}"));
        let (code, severity, help): (Code, _, _) = match error {
            CatalogFileError::Unsigned(_) => (
                codes::CATALOG_UNSIGNED,
                Severity::Error,
                "sign it with `prowess catalog build --sign KEY`, or trust its key with `prowess \
                 trust --signer KEY` if it is the publisher's",
            ),
            _ => (
                codes::CATALOG_STALE,
                Severity::Warning,
                "publish the catalog again with `prowess catalog build`, or see why it cannot be \
                 reached",
            ),
        };
        let message =
            format!("the newest catalog of `{}` cannot be used, so {used} is: {error}", self.name);
        Diagnostic::new(code, severity, message, help).in_file(self.place.pointer_location())
    }
}

impl fmt::Debug for CatalogSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CatalogSource({})", self.root)
    }
}

impl SkillSource for CatalogSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn patience(&self) -> Option<Duration> {
        self.place.patience()
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let snapshot = match self.newest(cancel) {
            Ok(snapshot) => snapshot,
            Err(CatalogFileError::Cancelled) => return Err(CatalogFileError::Cancelled.into()),
            Err(error) => {
                let is_unsigned = matches!(error, CatalogFileError::Unsigned(_));
                match self.snapshot() {
                    Some(snapshot) => {
                        sink.problem(self.finding(&error));
                        snapshot
                    }
                    // An error would leave the skills of an earlier run in use.
                    None if is_unsigned => {
                        sink.problem(self.finding(&error));
                        return Ok(ScanSummary::default());
                    }
                    None => return Err(error.into()),
                }
            }
        };
        snapshot.scan(previous, sink, cancel)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.used()?.list(package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.used()?.read(package, resource, limit)
    }

    fn package_contents(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        self.used()?.package_contents(package, cancel)
    }
}

impl CatalogProvider for CatalogSource {
    fn catalog(&self) -> Arc<Catalog> {
        self.snapshot().map_or_else(|| Arc::new(Catalog::empty()), |snapshot| snapshot.catalog())
    }
}
