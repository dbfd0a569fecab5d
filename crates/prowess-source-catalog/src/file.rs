//! An open catalog file.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::OnceLock;

use prowess_core::{Cancel, Digest};
use prowess_search::StoredIndex;
use rustix::fs::OFlags;

use crate::bytes::Bytes;
use crate::details::Details;
use crate::error::SHORT;
use crate::header::Header;
use crate::index::Index;
use crate::pages::Parts;
use crate::record::Group;
use crate::{CatalogEntry, CatalogFileError};

/// The size of a buffer for groups that is kept for the next read.
const MOST_KEPT: usize = 1024 * 1024;

type Result<T> = std::result::Result<T, CatalogFileError>;

/// A catalog file, open for as long as this lives: it stays readable if it is removed or replaced.
///
/// The skills that the publisher's policies offer come first, by their ids. Every method may be
/// called from any thread.
#[derive(Debug)]
pub struct CatalogFile {
    digest: Digest,
    header: Header,
    index: Index,
    parts: Parts,
    /// The words of the ranker, which the first search reads.
    words: OnceLock<StoredIndex>,
}

impl CatalogFile {
    /// Opens a file, which reads its header and its index.
    ///
    /// # Errors
    ///
    /// The file cannot be read, has another format, or is damaged.
    pub fn open(path: &Path) -> Result<Self> {
        // A FIFO would wait for a writer.
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        Self::from_file(OpenOptions::new().read(true).custom_flags(flags).open(path)?)
    }

    pub(crate) fn from_file(file: File) -> Result<Self> {
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() < Header::BYTES as u64 {
            return Err(CatalogFileError::Damaged("it is no catalog file"));
        }
        let mut bytes = [0; Header::BYTES];
        file.read_exact_at(&mut bytes, 0)?;
        let (header, digest) = Header::read(&bytes)?;
        if header.bytes != metadata.len() {
            return Err(CatalogFileError::Damaged("it has another length than its header says"));
        }
        let parts = Parts::new(file, header.bytes);
        let index = Index::read(&parts.read(&header.index)?, &header)?;
        Ok(Self { digest, header, index, parts, words: OnceLock::new() })
    }

    /// Returns the digest that names the file, from which each of its parts is verified.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the name of the catalog.
    pub fn name(&self) -> &str {
        &self.index.name
    }

    /// Returns the length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.header.bytes
    }

    /// Returns the number of offered skills.
    pub fn len(&self) -> usize {
        self.header.offered as usize
    }

    /// Returns whether no skill is offered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of all packages, with those that are not offered.
    pub fn packages(&self) -> usize {
        self.header.packages as usize
    }

    /// Returns the offered skill with this id.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is damaged.
    pub fn get(&self, id: &str) -> Result<Option<CatalogEntry>> {
        let Some(number) = self.index.group_of(id, self.len()) else { return Ok(None) };
        let offered = self.len() - number * Group::RECORDS;
        self.in_group(number, |group| match group.find(id, offered)? {
            Some(slot) => group.entry(slot).map(Some),
            None => Ok(None),
        })
    }

    /// Returns the package at a position; the offered skills come first, by their ids.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    pub fn entry(&self, position: usize) -> Result<Option<CatalogEntry>> {
        if position >= self.packages() {
            return Ok(None);
        }
        self.in_group(position / Group::RECORDS, |group| {
            group.entry(position % Group::RECORDS).map(Some)
        })
    }

    /// Returns the offered skills from a position on, at most `limit` of them.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    pub fn page(&self, start: usize, limit: usize) -> Result<Vec<CatalogEntry>> {
        let end = start.saturating_add(limit).min(self.len());
        let mut page = Vec::new();
        self.each(start..end, |entry| page.push(entry))?;
        Ok(page)
    }

    /// Returns the position of the first offered skill whose id follows `id`: where the page after
    /// it starts.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    pub fn position_after(&self, id: &str) -> Result<usize> {
        let Some(number) = self.index.group_of(id, self.len()) else { return Ok(0) };
        let start = number * Group::RECORDS;
        let page = self.page(start, Group::RECORDS)?;
        Ok(start + page.iter().take_while(|entry| *entry.id <= *id).count())
    }

    /// Returns the offered skills that suit a query best, the best first, with their scores: those
    /// that a [`Searcher`](prowess_search::Searcher) gives for the catalog that was published.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<(CatalogEntry, f32)>> {
        let read =
            |number, page: &mut Vec<u8>| self.index.lists.read_into(&self.parts, number, page);
        let mut found = Vec::new();
        for hit in self.words()?.top(query, limit, read)? {
            found.extend(self.entry(hit.position)?.map(|entry| (entry, hit.score)));
        }
        Ok(found)
    }

    fn words(&self) -> Result<&StoredIndex> {
        if let Some(words) = self.words.get() {
            return Ok(words);
        }
        let words = StoredIndex::read(&self.parts.read(&self.header.words)?);
        let words = words.filter(|words| words.len() == self.len());
        let words = words.ok_or(CatalogFileError::Damaged("its words are incomplete"))?;
        Ok(self.words.get_or_init(|| words))
    }

    /// Calls `receive` with each package of a range of positions.
    pub(crate) fn each(
        &self,
        range: std::ops::Range<usize>,
        mut receive: impl FnMut(CatalogEntry),
    ) -> Result<()> {
        let mut position = range.start;
        while position < range.end {
            let slot = position % Group::RECORDS;
            let count = (Group::RECORDS - slot).min(range.end - position);
            self.in_group(position / Group::RECORDS, |group| {
                (slot..slot + count).try_for_each(|slot| {
                    receive(group.entry(slot)?);
                    Ok(())
                })
            })?;
            position += count;
        }
        Ok(())
    }

    /// Reads every part once, which compares it with its digest.
    pub(crate) fn verify(&self, cancel: &Cancel) -> Result<()> {
        self.parts.read(&self.header.words)?;
        let mut page = Vec::new();
        for pages in [&self.index.lists, &self.index.packages] {
            for number in 0..pages.len() {
                pages.read_into(&self.parts, number, &mut page)?;
            }
        }
        for position in 0..self.packages() {
            if cancel.is_cancelled() {
                return Err(CatalogFileError::Cancelled);
            }
            let entry = self.entry(position)?.ok_or(SHORT)?;
            self.details(&entry)?;
        }
        Ok(())
    }

    /// Returns the package at a path.
    pub(crate) fn package(&self, path: &str) -> Result<Option<CatalogEntry>> {
        let key = package_key(path);
        let mut page = Vec::new();
        for number in self.index.pages_of(key) {
            self.index.packages.read_into(&self.parts, number, &mut page)?;
            let mut rest = Bytes(&page);
            while !rest.0.is_empty() {
                let (of, position) = (rest.u64()?, rest.u32()?);
                if of != key {
                    continue;
                }
                // Two paths may have one key.
                let entry = self.entry(position as usize)?;
                if let Some(entry) = entry.filter(|entry| entry.package == path) {
                    return Ok(Some(entry));
                }
            }
        }
        Ok(None)
    }

    pub(crate) fn details(&self, entry: &CatalogEntry) -> Result<Details> {
        Details::read(&self.parts.read(&entry.details)?)
    }

    fn in_group<T>(
        &self,
        number: usize,
        use_it: impl FnOnce(&Group<'_>) -> Result<T>,
    ) -> Result<T> {
        thread_local! {
            /// Reading the same few kilobytes again and again should not allocate them.
            static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        let mut buffer = BUFFER.take();
        let read = self.index.groups.read_into(&self.parts, number, &mut buffer);
        let result = read.and_then(|()| {
            let group = Group::read(&buffer)?;
            let left = self.packages() - number * Group::RECORDS;
            if group.len() != left.min(Group::RECORDS) { Err(SHORT) } else { use_it(&group) }
        });
        if buffer.capacity() <= MOST_KEPT {
            BUFFER.replace(buffer);
        }
        result
    }
}

/// Returns the key of a package in the table of packages.
pub(crate) fn package_key(path: &str) -> u64 {
    u64::from_le_bytes(*Digest::of(path.as_bytes()).as_bytes().first_chunk().expect("it has 32"))
}
