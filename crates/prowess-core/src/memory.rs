//! A source whose packages are in memory, for tests and generated skills.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{
    Cancel, ChangeListener, Found, Listing, PackagePath, PathError, PreviousScan, ReadFurther,
    ReadLimit, Resource, ResourcePath, SKILL_MD_FILES, ScanSink, ScanSummary, SkillSource,
    SourceError, SourceErrorKind, Stamp, Watch,
};

/// A source of files in memory, fixed when it is built.
#[derive(Clone, Debug, Default)]
pub struct MemorySource {
    name: Box<str>,
    root: Box<str>,
    files: BTreeMap<ResourcePath, Cow<'static, [u8]>>,
}

/// Builds a [`MemorySource`].
#[derive(Clone, Debug)]
pub struct MemorySourceBuilder {
    source: MemorySource,
    broken: Option<PathError>,
}

impl MemorySource {
    /// Creates a builder for a source with this name. Its root is `memory://NAME`.
    pub fn builder(name: &str) -> MemorySourceBuilder {
        let root = format!("memory://{name}").into();
        let source = Self { name: name.into(), root, files: BTreeMap::new() };
        MemorySourceBuilder { source, broken: None }
    }

    fn packages(&self) -> impl Iterator<Item = (&str, &str, &[u8])> {
        self.files.iter().filter_map(|(path, bytes)| {
            let (package, file) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
            let [first, second] = SKILL_MD_FILES;
            let is_first_choice =
                file == first || file == second && !self.files.contains_key(&join(package, first)?);
            is_first_choice.then_some((package, file, bytes.as_ref()))
        })
    }
}

impl MemorySourceBuilder {
    /// Adds a file by its path from the root, such as `pdf/SKILL.md`. A backslash separates
    /// directories as a slash does.
    #[must_use]
    pub fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.with(path, Cow::Owned(bytes.as_ref().to_vec()))
    }

    /// Adds a file whose bytes are part of the program and are not copied.
    #[must_use]
    pub fn static_file(self, path: &str, bytes: &'static [u8]) -> Self {
        self.with(path, Cow::Borrowed(bytes))
    }

    fn with(mut self, path: &str, bytes: Cow<'static, [u8]>) -> Self {
        match ResourcePath::new(&path.replace('\\', "/")) {
            Ok(path) => drop(self.source.files.insert(path, bytes)),
            Err(error) => self.broken = self.broken.or(Some(error)),
        }
        self
    }

    /// Builds the source.
    ///
    /// # Errors
    ///
    /// Returns the first invalid path.
    pub fn build(self) -> Result<MemorySource, PathError> {
        self.broken.map_or(Ok(self.source), Err)
    }
}

impl SkillSource for MemorySource {
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
        // The files never change, so all have one stamp.
        let stamp = Some(Stamp::exact(1));
        for (package, file, head) in self.packages() {
            if cancel.is_cancelled() {
                return Err(SourceError::new(SourceErrorKind::Cancelled, "the scan was cancelled"));
            }
            if previous.stamp(package) == stamp {
                sink.unchanged(package);
                continue;
            }
            let size = Some(head.len() as u64);
            let found = Found { package, file, stamp, size, head, is_whole_file: true };
            let answer = sink.found(found);
            debug_assert_eq!(answer, ReadFurther::No, "there is no more than the whole file");
        }
        Ok(ScanSummary::default())
    }

    /// Returns a watch that never reports a change, because the files never change.
    fn watch(&self, _listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        Ok(Some(Watch::new(())))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let prefix = match package.as_str() {
            "" => String::new(),
            package => format!("{package}/"),
        };
        let inside = self.files.iter().filter_map(|(path, bytes)| {
            let path = path.as_str().strip_prefix(&prefix)?;
            Some((path, bytes.len() as u64))
        });
        let mut found = false;
        let mut listing = Listing { resources: Vec::new(), is_complete: true };
        for (path, bytes) in inside {
            found = true;
            if SKILL_MD_FILES.contains(&path) {
                continue;
            }
            if listing.resources.len() == most {
                listing.is_complete = false;
                break;
            }
            let path = ResourcePath::new(path)
                .map_err(|error| SourceError::new(SourceErrorKind::Escape, error.to_string()))?;
            listing.resources.push(Resource { path, bytes });
        }
        if found { Ok(listing) } else { Err(not_found(package.as_str())) }
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let path = join(package.as_str(), resource.as_str())
            .ok_or_else(|| not_found(resource.as_str()))?;
        if let Some(bytes) = self.files.get(&path) {
            if bytes.len() > limit.0 {
                let message =
                    format!("`{resource}` has {} bytes and the limit is {}", bytes.len(), limit.0);
                return Err(SourceError::new(SourceErrorKind::TooLarge, message));
            }
            return Ok(bytes.to_vec());
        }
        let directory = format!("{path}/");
        if self.files.keys().any(|file| file.as_str().starts_with(&directory)) {
            let message = format!("`{resource}` is a directory");
            return Err(SourceError::new(SourceErrorKind::NotRegular, message));
        }
        Err(not_found(resource.as_str()))
    }
}

fn join(package: &str, file: &str) -> Option<ResourcePath> {
    match package {
        "" => ResourcePath::new(file).ok(),
        package => ResourcePath::new(&format!("{package}/{file}")).ok(),
    }
}

fn not_found(path: &str) -> SourceError {
    SourceError::new(SourceErrorKind::NotFound, format!("there is no `{path}` in the package"))
}
