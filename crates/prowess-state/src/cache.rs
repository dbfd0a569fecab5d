//! A cache of scans on disk, so that the next start reads only changed files.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use prowess_core::{Diagnostic, Digest, RecordSet, Severity};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::{codes, file, records};

/// The maximum size of a file, enough for several hundred thousand skills.
const LIMIT: u64 = 256 * 1024 * 1024;

/// The maximum number of files. If there are more, the oldest ones are removed.
const MOST_FILES: usize = 256;

/// The length of each file's name.
const NAME_LENGTH: usize = 32;

/// Older temporary files belong to writers that were killed.
const LONGEST_WRITE: Duration = Duration::from_secs(3_600);

/// The header of each file, with the version of the format.
const BEGINNING: &[u8; 16] = b"prowess records\x04";

/// The length of the checksum that follows. It detects damage only: an attacker with write access
/// to the file can compute a checksum, and a digest would be several times slower and no safer.
const SUM: usize = 16;

/// A cache directory, with one file for each scanned source.
///
/// It makes starts faster and is not trusted: bodies are read from the skills' files, and digests
/// are computed from those. A program with write access to the directory can only set wrong names
/// and descriptions of existing skills and hide others, and only the user's programs have that
/// access.
#[derive(Clone, Debug)]
pub struct RecordCache {
    directory: PathBuf,
    build: String,
}

impl RecordCache {
    /// Creates a cache in this directory, which need not exist, for one build of a program. Another
    /// build may interpret the files differently, and has its own cache.
    pub fn new(directory: impl Into<PathBuf>, build: impl Into<String>) -> Self {
        Self { directory: directory.into(), build: build.into() }
    }

    /// Loads the records that were saved under a key; `None` if there are none or they are
    /// unusable.
    ///
    /// # Errors
    ///
    /// Returns a diagnostic, which is only a hint, if the file is not trustworthy.
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

    /// Saves the records of a scan under a key.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be written to. The next start then scans
    /// everything.
    pub fn save(&self, key: &str, records: &RecordSet) -> Result<(), Box<Diagnostic>> {
        let body = [self.full(key).as_bytes(), b"\0", &records::to_bytes(records)].concat();
        let bytes = [BEGINNING, &sum(&body)[..], &body].concat();
        let path = self.path(key);
        file::replace(&path, &bytes).map_err(|error| not_written(&self.directory, &error))?;
        // Files that cannot be removed only take up space.
        let _ = self.remove_old(&path);
        Ok(())
    }

    /// Reads a file of this size. The content is parsed before its checksum is known, which is safe
    /// because it is not trusted in any case.
    fn read(&self, key: &str, file: &mut impl Read, size: u64) -> io::Result<RecordSet> {
        let mut beginning = [0; BEGINNING.len()];
        let mut said = [0; SUM];
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
        let records = records::read(&mut body, size.saturating_sub(before as u64))?;
        let is_whole = body.sum.digest128().to_le_bytes() == said;
        is_whole.then_some(records).ok_or(ErrorKind::InvalidData.into())
    }

    /// Returns a key with its build.
    fn full(&self, key: &str) -> String {
        format!("{}\n{key}", self.build)
    }

    fn path(&self, key: &str) -> PathBuf {
        let digest = Digest::of(self.full(key).as_bytes()).to_string();
        self.directory.join(&digest["sha256:".len()..][..NAME_LENGTH])
    }

    /// Removes the oldest files of the cache if there are too many, because roots and builds come
    /// and go, and temporary files of writers that were killed. Other files are left alone.
    fn remove_old(&self, written: &Path) -> io::Result<()> {
        let modified = |metadata: fs::Metadata| metadata.modified();
        let now = fs::metadata(written).and_then(modified)?;
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let changed = entry.metadata().and_then(modified).unwrap_or(SystemTime::UNIX_EPOCH);
            let is_leftover = now.duration_since(changed).is_ok_and(|age| age > LONGEST_WRITE);
            if is_leftover && file::is_temporary(&entry, ".") {
                let _ = fs::remove_file(entry.path());
            } else if is_record_file(&entry) {
                files.push((changed, entry.path()));
            }
        }
        files.sort();
        for (_, path) in files.iter().rev().skip(MOST_FILES) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

/// Returns whether a directory entry has the name of a cache file: half a digest.
fn is_record_file(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.as_encoded_bytes();
    name.len() == NAME_LENGTH
        && name.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// A reader that computes the checksum of its data.
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

fn not_written(directory: &Path, error: &io::Error) -> Box<Diagnostic> {
    let finding = Diagnostic::new(
        codes::CACHE_NOT_WRITTEN,
        Severity::Warning,
        format!("the records of this scan cannot be saved, so the next start is slower: {error}"),
        "make the directory writable or free space on its disk, or pass `--no-cache`",
    );
    Box::new(finding.in_file(directory.to_string_lossy()))
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
