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
        let lock = Arc::new(Lock::parse(&text)?);
        *last = Some(Parsed { text, lock: Arc::clone(&lock) });
        Ok(lock)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

    use super::*;

    #[test]
    fn text_is_parsed_once() {
        let place = tempfile::tempdir().unwrap();
        let file = LockFile::new(place.path().join("prowess.lock"));
        let kept = KeptLock::new(file.clone());
        assert_eq!(*kept.load().unwrap(), Lock::default(), "there is no file yet");
        file.write("version = 1\n").unwrap();
        let first = kept.load().unwrap();
        assert!(Arc::ptr_eq(&first, &kept.load().unwrap()), "an equal text is not parsed again");
        file.write("version = 1\nlater = 2\n").unwrap();
        assert_ne!(*kept.load().unwrap(), *first, "another text is parsed");
        file.write("version = 2\n").unwrap();
        assert!(kept.load().is_err(), "a lock that was valid does not hide a broken one");
        std::fs::remove_file(file.path()).unwrap();
        assert_eq!(*kept.load().unwrap(), Lock::default(), "nor one that was removed");
    }
}
