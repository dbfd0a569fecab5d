//! Reading a file that an editor may be saving at this moment.
//!
//! An editor that saves in place truncates the file and then writes it, possibly in several pieces.
//! A read in between looks complete. So a file is read again until it was not written to for a
//! while.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Clock, SourceError, SourceErrorKind, Timestamp};
use prowess_dir::FileTime;

/// The time without writes after which a file is read. Editors that write in pieces pause up to 50
/// ms between two, and a busy machine doubles that.
const STILL: Duration = Duration::from_millis(100);

/// The number of attempts before a read fails.
const TRIES: usize = 5;

/// Waits for this long.
pub(crate) type Pause = Arc<dyn Fn(Duration) + Send + Sync>;

/// The content of a file, and when it was written last.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) modified: FileTime,
}

/// Reads files once they are still.
pub(crate) struct Stillness {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pause: Pause,
}

impl Stillness {
    /// Returns the content that `read` reads, once the file has been still for a while. `read` gets
    /// the number of the attempts before.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`, or [`SourceErrorKind::Changing`] if the file was written during
    /// each attempt.
    pub(crate) fn read(
        &self,
        read: impl Fn(usize) -> Result<Content, SourceError>,
    ) -> Result<Vec<u8>, SourceError> {
        for attempt in 0..TRIES {
            if attempt > 0 {
                (self.pause)(STILL);
            }
            let before = self.clock.now();
            match read(attempt) {
                Ok(content) if !self.is_fresh(content.modified, before) => return Ok(content.bytes),
                Err(error) if error.kind != SourceErrorKind::Changing => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        let message = "the file was written to each time it was read";
        Err(SourceError::new(SourceErrorKind::Changing, message))
    }

    /// Returns whether a file that was read between `before` and now was written so recently that
    /// its writer may not have finished. The time may be on either side, because clocks of file
    /// servers differ. It is compared with the start of the read too, after which this thread may
    /// have waited for a processor for long.
    fn is_fresh(&self, modified: FileTime, before: Timestamp) -> bool {
        let modified =
            i128::from(modified.seconds) * 1_000 + i128::from(modified.nanoseconds / 1_000_000);
        let still = i128::try_from(STILL.as_millis()).unwrap_or(i128::MAX);
        let after = i128::from(self.clock.now().0);
        modified > i128::from(before.0) - still && modified < after + still
    }
}
