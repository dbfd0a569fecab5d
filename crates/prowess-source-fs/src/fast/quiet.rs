//! Directories in packages that need not be listed again.
//!
//! Most of them hold scripts and references, which a search only passes: their listing leads to
//! other directories and links at most, and to no report. Such a listing would return the same
//! names until the kernel dates a change of the directory. So a scan notes the names to search, and
//! the next one requests the directory's times, in one system call instead of four.

use std::collections::HashMap;
use std::ops::Range;

use prowess_core::{PackagePath, Stamp};
use prowess_dir::Kind;

use super::{FastWalk, stamps};
use crate::FsConfig;
use crate::admission::join;
use crate::stamp::mix;
use crate::walk::{LINK, Pending, Top};

/// The bytes of a note before its names: the key, the stamp and the length of the names.
const HEAD: usize = 8 + 8 + 4;

/// The notes of the previous scan, and those of this one.
pub(super) struct Notes<'n> {
    bytes: &'n [u8],
    /// The stamp and the names of each directory, by the hash of its path.
    given: HashMap<u64, (Stamp, Range<usize>)>,
    new: Vec<u8>,
}

impl<'n> Notes<'n> {
    /// Reads the notes of a scan under the same configuration; of another one, none are used.
    /// Nothing in them is trusted: a note that cannot be read ends them.
    pub(super) fn new(bytes: &'n [u8], config: &FsConfig) -> Self {
        let settings = settings(config).to_le_bytes();
        let mut notes = Self { bytes, given: HashMap::new(), new: settings.to_vec() };
        let Some(mut rest) = bytes.strip_prefix(&settings) else { return notes };
        while let Some((key, stamp, names)) = read(&mut rest) {
            let end = bytes.len() - rest.len();
            notes.given.insert(key, (stamp, end - names..end));
        }
        notes
    }

    fn of(&self, path: &str) -> Option<(Stamp, &'n str)> {
        // A first scan has no notes, and needs no hash.
        let key = (!self.given.is_empty()).then(|| key(path))?;
        let (stamp, names) = self.given.get(&key)?;
        Some((*stamp, std::str::from_utf8(&self.bytes[names.clone()]).ok()?))
    }

    fn add(&mut self, key: u64, stamp: Stamp, names: &str) {
        let Ok(length) = u32::try_from(names.len()) else { return };
        let stamp = stamp.to_bits().get().to_le_bytes();
        let parts = [&key.to_le_bytes()[..], &stamp, &length.to_le_bytes(), names.as_bytes()];
        parts.into_iter().for_each(|part| self.new.extend_from_slice(part));
    }

    /// Returns the notes of this scan, if there are any.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        (self.new.len() > size_of::<u64>()).then_some(self.new)
    }
}

/// Reads a note: its key, its stamp and the length of its names, which end where the rest begins.
fn read(rest: &mut &[u8]) -> Option<(u64, Stamp, usize)> {
    let (head, behind) = rest.split_at_checked(HEAD)?;
    let (key, head) = head.split_first_chunk()?;
    let (stamp, length) = head.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
    let stamp = Stamp::from_bits(u64::from_le_bytes(*stamp).try_into().ok()?);
    *rest = behind.split_at_checked(length)?.1;
    Some((u64::from_le_bytes(*key), stamp, length))
}

/// Returns a hash of the settings that decide which names a search enters.
fn settings(config: &FsConfig) -> u64 {
    let skipped = config.skip.iter().map(|name| key(name));
    skipped.fold(mix(config.max_depth as u64, config.nested as u64), mix)
}

fn key(text: &str) -> u64 {
    let (words, rest) = text.as_bytes().as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let end = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    words.chain([end]).fold(text.len() as u64, mix)
}

impl FastWalk<'_, '_> {
    /// Passes a directory whose listing would be the one that was noted: queues what it leads to.
    /// Returns whether it did.
    pub(super) fn passes(&mut self, top: &Top<'_>, pending: &mut Pending) -> bool {
        if !pending.is_in_package() {
            return false;
        }
        let Some((stamp, noted)) = self.notes.of(&pending.path) else { return false };
        let Some(provisional) = self.provisional() else { return false };
        let Ok((stat, mount)) = top.directory.stat_on_mount(&*pending.path) else { return false };
        let (stat, epoch) = (provisional.aged(stat), provisional.epoch);
        pending.inode = stat.inode;
        let note = note(pending);
        let is_same = stat.kind == Kind::Directory
            && mount == Some(epoch.mount)
            && stamps::stands(stamp, &note, stat.changed, &epoch);
        let names = noted.split('/').skip(1).map(|name| (name, name.strip_prefix(LINK)));
        let path = |(name, link): (_, Option<_>)| {
            (join(&pending.path, link.unwrap_or(name)), link.is_some())
        };
        let paths: Vec<_> = names.map(path).collect();
        if !is_same || !paths.iter().all(|(path, _)| PackagePath::is_normal(path)) {
            return false;
        }
        self.notes.add(note[0], stamp, noted);
        paths.into_iter().for_each(|path| self.walk.defer_noted(pending, path));
        true
    }

    /// Notes a directory that was listed and led to nothing but these names, each behind a slash.
    pub(super) fn note(&mut self, note: [u64; 3], names: &str) {
        if let Some(provisional) = self.provisional() {
            let stamp = stamps::of_words(&note, &provisional.epoch);
            self.notes.add(note[0], stamp, names);
        }
    }
}

/// What a stamp of a note is about. A package, which was probed before it was listed, must be
/// probed where it lies in another one now, as below a root that became a package.
pub(super) fn note(pending: &Pending) -> [u64; 3] {
    [key(&pending.path), pending.inode, u64::from(pending.is_unprobed)]
}
