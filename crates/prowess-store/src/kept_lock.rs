//! A lock file that is read again and again.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::StoreError;
use crate::lock::Lock;
use crate::lock_file::LockFile;

/// A lock file with the lock that was read last. The text is parsed again only if it is another
/// one, because parsing takes most of the time.
#[derive(Debug)]
pub(crate) struct KeptLock {
    pub(crate) file: LockFile,
    last: Mutex<Option<Parsed>>,
}

#[derive(Debug)]
struct Parsed {
    text: String,
    lock: Arc<Lock>,
}

impl KeptLock {
    pub(crate) fn new(file: LockFile) -> Self {
        Self { file, last: Mutex::default() }
    }

    /// Reads the lock as [`LockFile::load`] does.
    pub(crate) fn load(&self) -> Result<Arc<Lock>, StoreError> {
        let Some(text) = self.file.read()? else { return Ok(Arc::default()) };
        // It is replaced as a whole, so a poisoned lock holds a valid one.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parsed) = last.as_ref().filter(|parsed| parsed.text == text) {
            return Ok(Arc::clone(&parsed.lock));
        }
        let lock = Arc::new(self.file.parse(&text)?);
        *last = Some(Parsed { text, lock: Arc::clone(&lock) });
        Ok(lock)
    }
}
