//! The details of one package, for scans and listings: the beginning of its `SKILL.md`, its files.

use prowess_core::{Digest, Listing, Resource, ResourcePath};

use crate::CatalogFileError;
use crate::bytes::{Bytes, put_count, put_text};

/// The details of a package.
#[derive(Default)]
pub(crate) struct Details {
    /// The beginning of the `SKILL.md`, with all of its frontmatter.
    pub(crate) head: Vec<u8>,
    /// The other files, sorted by path.
    pub(crate) files: Vec<PackageFile>,
}

pub(crate) struct PackageFile {
    pub(crate) path: ResourcePath,
    pub(crate) bytes: u64,
    pub(crate) digest: Digest,
}

impl Details {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_count(&mut bytes, self.head.len());
        bytes.extend(&self.head);
        put_count(&mut bytes, self.files.len());
        for file in &self.files {
            put_text(&mut bytes, file.path.as_str());
            bytes.extend(file.bytes.to_le_bytes());
            bytes.extend(file.digest.as_bytes());
        }
        bytes
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, CatalogFileError> {
        let mut rest = Bytes(bytes);
        let length = rest.u32()? as usize;
        let head = rest.take(length)?.to_vec();
        let count = rest.u32()? as usize;
        let files = rest.items(count, |rest| {
            let invalid = |_| CatalogFileError::Damaged("a path leaves its package");
            let path = ResourcePath::new(rest.text()?).map_err(invalid)?;
            Ok(PackageFile { path, bytes: rest.u64()?, digest: rest.digest()? })
        })?;
        if !files.is_sorted_by(|one, other| one.path < other.path) {
            return Err(CatalogFileError::Damaged("the files of a package are not in order"));
        }
        Ok(Self { head, files })
    }

    pub(crate) fn find(&self, path: &ResourcePath) -> Option<&PackageFile> {
        let at = self.files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        Some(&self.files[at])
    }

    /// Returns whether a path is a directory of the package.
    pub(crate) fn has_directory(&self, path: &ResourcePath) -> bool {
        let below = format!("{path}/");
        self.files.iter().any(|file| file.path.as_str().starts_with(&below))
    }

    pub(crate) fn listing(&self, most: usize) -> Listing {
        let shown = self.files.iter().take(most);
        let shown = shown.map(|file| Resource { path: file.path.clone(), bytes: file.bytes });
        Listing { resources: shown.collect(), is_complete: self.files.len() <= most }
    }
}
