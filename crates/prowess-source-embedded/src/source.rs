//! The source over a table of files.

use prowess_core::{
    Cancel, ChangeListener, Listing, MemorySource, PackagePath, PathError, PreviousScan, ReadLimit,
    ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Watch,
};

/// One file of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedFile {
    /// Its path from the root, such as `pdf/SKILL.md`.
    pub path: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// Packages that are part of the program. Its root is `embedded://NAME`.
#[derive(Clone, Debug)]
pub struct EmbeddedSource {
    root: Box<str>,
    files: MemorySource,
}

impl EmbeddedSource {
    /// A source with this name over these files.
    ///
    /// # Errors
    ///
    /// The first path that is not one.
    pub fn new(name: &str, files: &'static [EmbeddedFile]) -> Result<Self, PathError> {
        let builder = MemorySource::builder(name);
        let add = |builder: prowess_core::MemorySourceBuilder, file: &EmbeddedFile| {
            builder.static_file(file.path, file.bytes)
        };
        Ok(Self {
            root: format!("embedded://{name}").into(),
            files: files.iter().fold(builder, add).build()?,
        })
    }
}

impl SkillSource for EmbeddedSource {
    fn name(&self) -> &str {
        self.files.name()
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
        self.files.scan(previous, sink, cancel)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        self.files.watch(listener)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.files.list(package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.files.read(package, resource, limit)
    }
}
