//! The files in a script's own directory, which are counted while it runs: the kernel limits the
//! size of one file, and not their number.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long nothing is counted after a count, at least.
const PAUSE: Duration = Duration::from_millis(200);
/// How many times as long as a count the pause after it is, so that counts take little time.
const PAUSE_PER_COUNT: u32 = 10;
/// The size of a block of [`MetadataExt::blocks`].
const BLOCK: u64 = 512;

/// A script's own directory, and what it may hold.
pub(crate) struct OwnFiles<'a> {
    directory: &'a Path,
    most_files: u64,
    most_bytes: u64,
    next: Instant,
}

impl<'a> OwnFiles<'a> {
    pub(crate) fn new(directory: &'a Path, most_files: u64, most_bytes: u64) -> Self {
        Self { directory, most_files, most_bytes, next: Instant::now() + PAUSE }
    }

    /// Counts the files from time to time. Returns whether there are too many.
    pub(crate) fn are_too_many(&mut self) -> bool {
        let begun = Instant::now();
        if begun < self.next {
            return false;
        }
        let are_too_many = self.count().is_none();
        self.next = Instant::now() + (begun.elapsed() * PAUSE_PER_COUNT).max(PAUSE);
        are_too_many
    }

    /// Returns the number of files and their bytes; `None` if there are too many.
    fn count(&self) -> Option<(u64, u64)> {
        let (mut files, mut bytes) = (0, 0);
        let mut directories = vec![self.directory.to_owned()];
        while let Some(directory) = directories.pop() {
            let entries = match directory.read_dir() {
                Ok(entries) => entries,
                // Directories inside each other have reached the longest path.
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename => return None,
                // It was removed, or the script itself may not read it.
                Err(_) => continue,
            };
            for entry in entries.flatten() {
                let Ok(metadata) = entry.metadata() else { continue };
                files += 1;
                bytes += metadata.blocks() * BLOCK;
                if files > self.most_files || bytes > self.most_bytes {
                    return None;
                }
                if metadata.is_dir() {
                    directories.push(entry.path());
                }
            }
        }
        Some((files, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_inside_each_other_are_limited() {
        let place = tempfile::tempdir().expect("there is room");
        let directory = place.path();
        std::fs::create_dir_all(directory.join("a/b")).expect("there is room");
        std::fs::write(directory.join("a/b/file"), [0; 10_000]).expect("there is room");
        std::os::unix::fs::symlink("/usr", directory.join("link")).expect("there is room");
        let is_within = |files, bytes| OwnFiles::new(directory, files, bytes).count().is_some();
        assert!(is_within(4, 1 << 20), "a link is one file");
        assert!(!is_within(3, 1 << 20));
        assert!(!is_within(4, 9_000));
    }
}
