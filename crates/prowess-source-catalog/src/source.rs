//! A source that follows the pointer of a published catalog.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{
    Cancel, Catalog, CatalogProvider, Diagnostic, Layer, Listing, PackageDigest, PackagePath,
    PreviousScan, ReadLimit, ResourcePath, ScanSink, ScanSummary, Severity, SkillSource,
    SourceError, Trust,
};
use prowess_signature::PublicKey;

use crate::whole::Snapshot;
use crate::{CatalogFile, CatalogFileError, CatalogPlace, Pointer, codes};

/// The skills of a published catalog. A scan polls the pointer; a catalog that cannot be fetched,
/// verified or read leaves the last good one in use, with a finding.
///
/// As a [`CatalogProvider`] it gives the offered skills of the last good catalog that are not
/// [conditional](crate::CatalogEntry::is_conditional); its first call for a catalog reads all
/// records.
pub struct CatalogSource {
    name: Arc<str>,
    root: Arc<str>,
    place: CatalogPlace,
    keys: Vec<PublicKey>,
    layer: Layer,
    /// One thread polls at a time; no other call waits for it.
    polling: Mutex<()>,
    current: Mutex<Option<(Pointer, Arc<Snapshot>)>>,
}

impl CatalogSource {
    /// Creates a source with this name, whose root is `catalog://NAME`. Nothing is read yet. If
    /// there are keys, one of them has to have signed the pointer.
    pub fn new(name: &str, place: CatalogPlace, keys: Vec<PublicKey>) -> Self {
        Self {
            name: name.into(),
            root: format!("catalog://{name}").into(),
            place,
            keys,
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
        let _polling = self.polling.lock().unwrap_or_else(PoisonError::into_inner);
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
                let step = format!("{} after {}", pointer.generation, current.generation);
                let message = format!("steps back: it has the generation {step}");
                return Err(CatalogFileError::Pointer(message));
            }
            _ => {}
        }
        self.adopt(pointer, cancel)
    }

    /// Uses the catalog of a pointer from now on.
    fn adopt(&self, pointer: Pointer, cancel: &Cancel) -> Result<Arc<Snapshot>, CatalogFileError> {
        pointer.check_signature(&self.keys)?;
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

    fn stale(&self, error: &CatalogFileError) -> Diagnostic {
        let generation = self.current().as_ref().map_or(0, |(pointer, _)| pointer.generation);
        let message = format!(
            "the newest catalog of `{}` cannot be used, so generation {generation} is: {error}",
            self.name
        );
        let help = "publish the catalog again with `prowess catalog build`, or see why it cannot be \
            reached";
        Diagnostic::new(codes::CATALOG_STALE, Severity::Warning, message, help).in_file(&*self.root)
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
                let Some(snapshot) = self.snapshot() else { return Err(error.into()) };
                sink.problem(self.stale(&error));
                snapshot
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
