//! What scans found, kept so that the next start reads only what has changed since.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use prowess_core::{Diagnostic, Digest, RecordSet, Severity};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

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
/// descriptions to skills that are there and hide others, no more, and only the user can.
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
        let opened = file::open(&path, LIMIT).map_err(|error| ignored(&path, &error))?;
        let Some((mut file, size)) = opened else { return Ok(None) };
        match self.read(key, &mut file, size) {
            Ok(records) => Ok(Some(records)),
            Err(error) if is_damage(&error) => Err(ignored(&path, &"it is damaged")),
            Err(error) => Err(ignored(&path, &error)),
        }
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

    /// Reads a file of this size. What it says is looked at before its sum is known, which is nothing to
    /// rely on anyway.
    fn read(&self, key: &str, file: &mut impl Read, size: u64) -> io::Result<RecordSet> {
        let (mut beginning, mut said) = ([0; BEGINNING.len()], [0; SUM]);
        file.read_exact(&mut beginning)?;
        file.read_exact(&mut said)?;
        let mut body = Summed { reader: file, sum: Xxh3::new() };
        let own = self.full(key) + "\0";
        let mut found = vec![0; own.len()];
        body.read_exact(&mut found)?;
        let before = beginning.len() + said.len() + found.len();
        if beginning != *BEGINNING || found != own.as_bytes() {
            return Err(ErrorKind::InvalidData.into());
        }
        let records = RecordSet::read_from(&mut body, size.saturating_sub(before as u64))?;
        let is_whole = body.sum.digest128().to_le_bytes() == said;
        is_whole.then_some(records).ok_or(ErrorKind::InvalidData.into())
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

/// Adds up what is read.
struct Summed<R> {
    reader: R,
    sum: Xxh3,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.sum.update(&buffer[..count]);
        Ok(count)
    }
}

fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
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
