//! A cache of texts on disk.

use std::io;
use std::path::PathBuf;

use prowess_core::Digest;

use crate::file;

/// The maximum size of a text, in bytes.
const LIMIT: u64 = 16 * 1024 * 1024;

/// The length of each file's name.
const NAME_LENGTH: usize = 32;

/// A directory with one private file for each text.
#[derive(Clone, Debug)]
pub struct TextCache {
    directory: PathBuf,
}

impl TextCache {
    /// Creates a cache in this directory, which need not exist.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Returns the text that was saved under a key; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The file is not private, too large or no text, or it cannot be read.
    pub fn load(&self, key: &str) -> io::Result<Option<String>> {
        let Some(bytes) = file::read(&self.path(key), LIMIT)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    /// Saves a text under a key, in place of the one before.
    ///
    /// # Errors
    ///
    /// The directory cannot be written to.
    pub fn save(&self, key: &str, text: &str) -> io::Result<()> {
        file::replace(&self.path(key), text.as_bytes())
    }

    fn path(&self, key: &str) -> PathBuf {
        let digest = Digest::of(key.as_bytes()).to_string();
        self.directory.join(&digest["sha256:".len()..][..NAME_LENGTH])
    }
}
