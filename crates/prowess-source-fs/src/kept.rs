//! Files that a scan reads and directories that it lists, kept for a host that needs them next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess_dir::{Dir, Kind, Links, Listing, Stillness};

/// How much of a file is read at once where texts are kept: nearly every `SKILL.md` is shorter.
pub(crate) const WHOLE_BYTES: usize = 32 * 1024;

/// The most bytes of texts that are kept, some thousand files. The others are read again, which
/// costs less than memory that the process has not had yet.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The texts and the listings of a scan, by their paths from the root.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Scan>);

#[derive(Debug, Default)]
struct Scan {
    /// The root, and when the scan began.
    root: Option<(Arc<Dir>, Duration)>,
    texts: HashMap<String, Vec<u8>>,
    bytes: usize,
    listings: HashMap<String, Arc<Listing>>,
}

impl Kept {
    fn scan(&self) -> MutexGuard<'_, Scan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a scan, and forgets the last one.
    pub(crate) fn begin(&self, root: &Dir, stillness: &Stillness) {
        let root = root.open_dir("", Links::Refuse).ok();
        let root = root.map(|root| (Arc::new(root), (stillness.now)()));
        *self.scan() = Scan { root, ..Scan::default() };
    }

    pub(crate) fn keep_text(&self, path: String, text: &[u8]) {
        let mut scan = self.scan();
        if scan.bytes + text.len() <= MOST_BYTES {
            scan.bytes += text.len();
            scan.texts.insert(path, text.to_vec());
        }
    }

    /// Returns the text of a file, once, if it is still the file's: it was not written since
    /// shortly before the scan, and it has no other name.
    pub(crate) fn take_text(&self, path: &str, stillness: &Stillness) -> Option<Vec<u8>> {
        let mut scan = self.scan();
        let text = scan.texts.remove(path)?;
        scan.bytes -= text.len();
        let (root, began) = scan.root.clone()?;
        drop(scan);
        let stat = root.stat_unconfined(path).ok()?;
        let is_same = (stat.kind, stat.links, stat.size) == (Kind::File, 1, text.len() as u64)
            && !stillness.is_fresh([stat.modified, stat.changed], began);
        is_same.then_some(text)
    }

    pub(crate) fn keep_listing(&self, directory: &str, listing: &Arc<Listing>) {
        self.scan().listings.insert(directory.to_owned(), Arc::clone(listing));
    }

    pub(crate) fn listing(&self, directory: &str) -> Option<Arc<Listing>> {
        self.scan().listings.get(directory).cloned()
    }
}
