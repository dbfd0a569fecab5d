//! What scans found, kept so that the next start reads only what has changed since.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use prowess_core::{Diagnostic, Digest, RecordSet, Severity};
use xxhash_rust::xxh3::xxh3_128;

use crate::{codes, file};

/// As much as some hundred thousand skills need.
const LIMIT: u64 = 256 * 1024 * 1024;

/// How many files there may be; beyond that, the oldest go.
const MOST_FILES: usize = 256;

/// What each file begins with, and with it the version of what follows.
const BEGINNING: &[u8; 16] = b"prowess records\x03";

/// The length of the sum that follows. It tells of damage: whoever could write to the file could make
/// another sum, so a digest would say no more, at several times the cost.
const SUM: usize = 16;

/// A directory with a file for each source that was scanned.
///
/// It makes starts faster and proves nothing: bodies are read from the skills' own files, and their
/// digests are made of those. Whoever could write to the directory could give wrong names and
/// descriptions to skills that are there, no more, and only the user can.
#[derive(Clone, Debug)]
pub struct RecordCache {
    directory: PathBuf,
    build: String,
}

impl RecordCache {
    /// The cache in this directory, which need not exist, for one build of a program. Another build
    /// may read the same files otherwise, and has a cache of its own.
    pub fn new(directory: impl Into<PathBuf>, build: impl Into<String>) -> Self {
        Self { directory: directory.into(), build: build.into() }
    }

    /// What was kept under a key; `None` where there is nothing, or what there is cannot be used and is
    /// to be made again.
    ///
    /// # Errors
    ///
    /// There is a file that is not to be believed, which is worth a remark and no more.
    pub fn load(&self, key: &str) -> Result<Option<RecordSet>, Box<Diagnostic>> {
        let path = self.path(key);
        let bytes = file::read(&path, LIMIT).map_err(|error| ignored(&path, &error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let records = self.records(key, &bytes);
        records.map(Some).ok_or_else(|| ignored(&path, &"it is damaged"))
    }

    /// Keeps what a scan found under a key.
    ///
    /// # Errors
    ///
    /// The directory cannot be written to.
    pub fn save(&self, key: &str, records: &RecordSet) -> io::Result<()> {
        let body = [self.full(key).as_bytes(), b"\0", &records.to_bytes()].concat();
        let bytes = [BEGINNING, &sum(&body)[..], &body].concat();
        file::replace(&self.path(key), &bytes)?;
        self.clear_out()
    }

    fn records(&self, key: &str, bytes: &[u8]) -> Option<RecordSet> {
        let rest = bytes.strip_prefix(BEGINNING)?;
        let (said, body) = rest.split_first_chunk::<SUM>()?;
        if sum(body) != *said {
            return None;
        }
        let records = body.strip_prefix(self.full(key).as_bytes())?.strip_prefix(b"\0")?;
        RecordSet::from_bytes(records)
    }

    /// A key with the build that it is for.
    fn full(&self, key: &str) -> String {
        format!("{}\n{key}", self.build)
    }

    fn path(&self, key: &str) -> PathBuf {
        let digest = Digest::of(self.full(key).as_bytes()).to_string();
        self.directory.join(&digest["sha256:".len()..][..32])
    }

    /// Removes the oldest files where there are too many: roots and builds come and go.
    fn clear_out(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let changed = entry.metadata().and_then(|metadata| metadata.modified());
            files.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
        }
        files.sort();
        for (_, path) in files.iter().rev().skip(MOST_FILES) {
            fs::remove_file(path)?;
        }
        Ok(())
    }
}

fn sum(bytes: &[u8]) -> [u8; SUM] {
    xxh3_128(bytes).to_le_bytes()
}

fn ignored(path: &Path, reason: &dyn std::fmt::Display) -> Box<Diagnostic> {
    let finding = Diagnostic::new(
        codes::CACHE_IGNORED,
        Severity::Hint,
        format!("what an earlier start kept is not used and is made again: {reason}"),
        "nothing is to be done; if this comes again, remove the file",
    );
    Box::new(finding.in_file(path.to_string_lossy()))
}
