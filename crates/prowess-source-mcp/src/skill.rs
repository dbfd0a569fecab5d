//! A skill of a listing, with its files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use prowess_core::{Digest, ResourcePath, Stamp};
use serde_json::{Map, Value};

use crate::place::Place;

/// The name of the file with the instructions.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// The maximum number of files of a skill.
pub(crate) const MOST_FILES: usize = 512;

/// The maximum size of a skill, in bytes.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// A skill, as a server describes it.
#[derive(Clone, Debug)]
pub(crate) struct Skill {
    pub(crate) place: Place,
    /// The name of the file with the instructions.
    pub(crate) file: &'static str,
    pub(crate) files: BTreeMap<ResourcePath, File>,
    /// The frontmatter that the file must have; `None` if the server does not list it.
    pub(crate) frontmatter: Option<Listed>,
    pub(crate) stamp: Stamp,
}

/// A frontmatter of a listing.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) fields: Map<String, Value>,
    /// The start of a `SKILL.md` with these fields.
    pub(crate) head: String,
}

/// A file, as far as it is described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) uri: String,
    pub(crate) size: Option<u64>,
    pub(crate) digest: Option<Digest>,
}

impl Skill {
    /// Creates a skill, whose stamp depends on all that is known of it.
    pub(crate) fn new(
        place: Place,
        file: &'static str,
        files: BTreeMap<ResourcePath, File>,
        frontmatter: Option<Listed>,
    ) -> Self {
        let head = frontmatter.as_ref().map_or("", |listed| &*listed.head);
        let mut text = format!("{file}\n{}\n{head}\n", place.directory);
        for (path, File { uri, size, digest }) in &files {
            let _ = writeln!(text, "{path}\n{uri}\n{size:?} {digest:?}");
        }
        let digest = Digest::of(text.as_bytes());
        let first = digest.as_bytes().first_chunk().copied().unwrap_or_default();
        let stamp = Stamp::exact(u64::from_le_bytes(first));
        Self { place, file, files, frontmatter, stamp }
    }

    pub(crate) fn package(&self) -> &str {
        self.place.package.as_str()
    }

    /// Returns the file with the instructions.
    pub(crate) fn skill_md(&self) -> Option<(&ResourcePath, &File)> {
        self.files.iter().find(|(path, _)| path.as_str() == self.file)
    }

    /// Returns about how many bytes of memory the description takes.
    pub(crate) fn weight(&self) -> usize {
        let head = self.frontmatter.as_ref().map_or(0, |listed| listed.head.len());
        let file = |(path, file): (&ResourcePath, &File)| path.as_str().len() + file.uri.len();
        // The fields are in the head once more.
        2 * head + self.files.iter().map(file).sum::<usize>() + 100 * self.files.len()
    }
}
