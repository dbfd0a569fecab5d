//! One catalog file with its place: it never changes.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use prowess_core::{
    Cancel, Catalog, CatalogBuilder, CatalogSource, Diagnostic, Digest, FileMode, Found, Layer,
    Listing, NewRecord, PackageDigest, PackagePath, PreviousScan, ReadFurther, ReadLimit,
    RecordIndex, RecordSetBuilder, ResourcePath, ScanSink, ScanSummary, Severity, SkillSource,
    SourceError, SourceErrorKind, Stamp,
};

use crate::details::Details;
use crate::record::Group;
use crate::{CatalogEntry, CatalogFile, CatalogFileError, CatalogPlace, codes};

/// A catalog file as a source. Its clone shares the file, so a catalog over it reads from the same
/// generation for as long as it lives.
#[derive(Clone)]
pub(crate) struct Snapshot {
    name: Arc<str>,
    root: Arc<str>,
    place: CatalogPlace,
    file: Arc<CatalogFile>,
    layer: Layer,
    generation: u64,
    catalog: OnceLock<Arc<Catalog>>,
}

impl Snapshot {
    pub(crate) fn new(
        (name, root): (&Arc<str>, &Arc<str>),
        place: CatalogPlace,
        file: Arc<CatalogFile>,
        (layer, generation): (Layer, u64),
    ) -> Self {
        let (name, root) = (Arc::clone(name), Arc::clone(root));
        Self { name, root, place, file, layer, generation, catalog: OnceLock::new() }
    }

    pub(crate) fn file(&self) -> &Arc<CatalogFile> {
        &self.file
    }

    /// Returns the catalog of the offered skills that are not conditional.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(self.catalog.get_or_init(|| Arc::new(self.new_catalog())))
    }

    fn new_catalog(&self) -> Catalog {
        let mut records = RecordSetBuilder::new();
        let add = |entry: CatalogEntry| {
            if !entry.is_conditional {
                push(&mut records, &entry);
            }
        };
        let read = self.file.each(0..self.file.len(), add);
        let records = Arc::new(records.finish());
        let source = Self { catalog: OnceLock::new(), ..self.clone() };
        let source = CatalogSource { layer: 0, source: Arc::new(source), records };
        let count = source.records.len();
        let mut builder = CatalogBuilder::new(vec![self.layer.clone()], vec![source]);
        for entry in 0..count {
            // A damaged file may have an id twice; the first one stays.
            let _ = builder.show(RecordIndex::new(0, entry));
        }
        if let Err(error) = read {
            builder.diagnose(self.damaged(&error, &self.root));
        }
        builder.finish(self.generation)
    }

    fn damaged(&self, error: &CatalogFileError, path: &str) -> Diagnostic {
        let help = "publish the catalog again with `prowess catalog build`, or remove the cached \
            copy";
        let message = format!("a skill of `{}` cannot be read: {error}", self.name);
        Diagnostic::new(codes::CATALOG_DAMAGED, Severity::Error, message, help).in_file(path)
    }

    fn entry(&self, package: &PackagePath) -> Result<CatalogEntry, SourceError> {
        let missing = || not_found(&format!("package `{}`", package.as_str()));
        self.file.package(package.as_str())?.ok_or_else(missing)
    }

    /// Reports one package to a scan.
    fn report(
        &self,
        entry: &CatalogEntry,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<(), CatalogFileError> {
        if !PackagePath::is_normal(&entry.package) {
            return Err(CatalogFileError::Damaged("the path of a package is no path"));
        }
        let stamp = Some(stamp(&entry.skill_md.1));
        if previous.stamp(&entry.package) == stamp {
            sink.unchanged(&entry.package);
            return Ok(());
        }
        let (size, digest) = entry.skill_md;
        let mut head = self.file.details(entry)?.head;
        loop {
            let is_whole_file = head.len() as u64 == size;
            let found = Found {
                package: &entry.package,
                file: entry.file(),
                stamp,
                size: Some(size),
                head: &head,
                is_whole_file,
            };
            match sink.found(found) {
                ReadFurther::UpTo(_) if !is_whole_file => {
                    head = self.place.file(&digest, size, cancel)?;
                }
                _ => return Ok(()),
            }
        }
    }
}

fn push(records: &mut RecordSetBuilder, entry: &CatalogEntry) {
    let tags: Vec<_> = entry.tags.iter().map(|tag| Cow::Borrowed(&**tag)).collect();
    records.push(&NewRecord {
        package: &entry.package,
        file: entry.file(),
        id: &entry.id,
        name: &entry.name,
        description: &entry.description,
        tags: &tags,
        priority: entry.priority,
        version: entry.version.as_deref(),
        conditions: None,
        stamp: Some(stamp(&entry.skill_md.1)),
    });
}

fn stamp(digest: &Digest) -> Stamp {
    Stamp::exact(u64::from_le_bytes(*digest.as_bytes().first_chunk().expect("it has 32 bytes")))
}

fn not_found(what: &str) -> SourceError {
    SourceError::new(SourceErrorKind::NotFound, format!("there is no {what} in the catalog"))
}

impl SkillSource for Snapshot {
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
        let mut start = 0;
        while start < self.file.packages() {
            if cancel.is_cancelled() {
                return Err(CatalogFileError::Cancelled.into());
            }
            let end = (start + Group::RECORDS).min(self.file.packages());
            let mut entries = Vec::new();
            if let Err(error) = self.file.each(start..end, |entry| entries.push(entry)) {
                sink.problem(self.damaged(&error, &self.root));
            }
            for entry in &entries {
                match self.report(entry, previous, sink, cancel) {
                    Ok(()) => {}
                    Err(CatalogFileError::Cancelled) => {
                        return Err(CatalogFileError::Cancelled.into());
                    }
                    Err(error) => {
                        let path = format!("{}/{}/{}", self.root, entry.package, entry.file());
                        sink.problem(self.damaged(&error, &path));
                    }
                }
            }
            start = end;
        }
        Ok(ScanSummary::default())
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        Ok(self.file.details(&self.entry(package)?)?.listing(most))
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let entry = self.entry(package)?;
        let (size, digest) = if resource.as_str() == entry.file() {
            entry.skill_md
        } else {
            let details = self.file.details(&entry)?;
            match details.find(resource) {
                Some(file) => (file.bytes, file.digest),
                None if details.has_directory(resource) => {
                    let message = format!("`{resource}` is a directory");
                    return Err(SourceError::new(SourceErrorKind::NotRegular, message));
                }
                None => return Err(not_found(&format!("`{resource}`"))),
            }
        };
        if size > limit.0 as u64 {
            let message = format!("`{resource}` has {size} bytes and the limit is {}", limit.0);
            return Err(SourceError::new(SourceErrorKind::TooLarge, message));
        }
        Ok(self.place.file(&digest, size, &Cancel::default())?)
    }

    fn package_contents(
        &self,
        package: &PackagePath,
        _cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        let entry = self.entry(package)?;
        let Details { files, .. } = self.file.details(&entry)?;
        // A catalog has no modes.
        let mut contents = PackageDigest::default();
        contents.add(FileMode::Regular, entry.file(), entry.skill_md.1);
        for file in files {
            contents.add(FileMode::Regular, file.path.as_str(), file.digest);
        }
        Ok(contents)
    }
}
