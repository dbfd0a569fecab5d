//! Reading a file that an editor may be saving at this moment.
//!
//! An editor that saves in place truncates the file and then writes it, possibly in several pieces.
//! A read in between looks complete. So a file is read again until it has not changed for a while,
//! by the times of the file system. The time of a change counts beside that of the content, which
//! programs can set. A write through a mapping may change neither, so what was read before a wait
//! has to be the same after it.
//!
//! A writer that waits longer than that between two pieces is not noticed.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Clock, SourceError, SourceErrorKind, Timestamp};
use prowess_dir::{FileTime, Stat};

/// The time after which an empty file is read again: the kernel sets the size of a file that is
/// truncated before its times, in one call.
const TRUNCATED: Duration = Duration::from_millis(1);

/// The number of attempts before a read fails.
const TRIES: usize = 5;

/// Waits for this long.
pub(crate) type Pause = Arc<dyn Fn(Duration) + Send + Sync>;

/// The content of a file, and its times.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) stat: Stat,
}

/// Reads files once they are still.
pub(crate) struct Stillness {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pause: Pause,
}

impl Stillness {
    /// Returns the content that `read` reads, once the file has been still for this long. `read`
    /// gets the number of the attempts before.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`, or [`SourceErrorKind::Changing`] if the file was written during
    /// each attempt.
    pub(crate) fn read(
        &self,
        still: Duration,
        read: impl Fn(usize) -> Result<Content, SourceError>,
    ) -> Result<Vec<u8>, SourceError> {
        let mut last: Option<Vec<u8>> = None;
        let mut wait = still;
        for attempt in 0..TRIES {
            if attempt > 0 {
                (self.pause)(wait);
            }
            wait = still;
            let before = self.clock.now();
            match read(attempt) {
                Ok(Content { bytes, stat }) => {
                    let is_fresh = |time| self.is_fresh(time, still, before);
                    let is_same = last.as_ref().is_none_or(|last| *last == bytes);
                    if is_same && !is_fresh(stat.modified) && !is_fresh(stat.changed) {
                        if attempt > 0 || !bytes.is_empty() {
                            return Ok(bytes);
                        }
                        wait = TRUNCATED;
                    }
                    last = Some(bytes);
                }
                Err(error) if error.kind != SourceErrorKind::Changing => return Err(error),
                Err(_) => {}
            }
        }
        let message = "the file was written to each time it was read";
        Err(SourceError::new(SourceErrorKind::Changing, message))
    }

    /// Returns whether a file that was read between `before` and now changed so recently that its
    /// writer may not have finished. The time may be on either side, because clocks of file
    /// servers differ. It is compared with the start of the read too, after which this thread may
    /// have waited for a processor for long.
    fn is_fresh(&self, changed: FileTime, still: Duration, before: Timestamp) -> bool {
        let changed =
            i128::from(changed.seconds) * 1_000 + i128::from(changed.nanoseconds / 1_000_000);
        let still = i128::from(u64::try_from(still.as_millis()).unwrap_or(u64::MAX));
        let after = i128::from(self.clock.now().0);
        changed > i128::from(before.0) - still && changed < after + still
    }
}
