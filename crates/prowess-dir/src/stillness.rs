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
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{Dir, Error, ErrorKind, FileTime, Links, RelativePath, Result, Stat};

/// The time after which an empty file is read again: the kernel sets the size of a file that is
/// truncated before its times, in one call.
const TRUNCATED: Duration = Duration::from_millis(1);

/// The number of attempts before a read fails.
const TRIES: usize = 5;

/// How far the clock of a file server may be ahead of this one.
const AHEAD: Duration = Duration::from_secs(60);

/// The content of a file, and its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The times of the last change of content, and of the last change at all.
    pub times: [FileTime; 2],
}

/// Reads files once they are still.
#[derive(Clone)]
pub struct Stillness {
    /// The time for which a file has to be unchanged. By default a tenth of a second.
    pub still: Duration,
    /// Returns the time since 1970. By default that of the system.
    pub now: Arc<dyn Fn() -> Duration + Send + Sync>,
    /// Waits for this long. By default the thread sleeps.
    pub pause: Arc<dyn Fn(Duration) + Send + Sync>,
}

impl Default for Stillness {
    fn default() -> Self {
        Self {
            still: Duration::from_millis(100),
            now: Arc::new(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()),
            pause: Arc::new(std::thread::sleep),
        }
    }
}

impl std::fmt::Debug for Stillness {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stillness").field("still", &self.still).finish_non_exhaustive()
    }
}

impl Content {
    /// Creates the content of a file with this metadata.
    pub fn of(bytes: Vec<u8>, stat: &Stat) -> Self {
        Self { bytes, times: [stat.modified, stat.changed] }
    }
}

impl Stillness {
    /// Returns the content that `read` reads, once the file has been still. `read` gets the number
    /// of the attempts before, and returns `None` if the file is being written. Returns `None` if
    /// it was during each attempt.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`.
    pub fn read<E>(
        &self,
        mut read: impl FnMut(usize) -> std::result::Result<Option<Content>, E>,
    ) -> std::result::Result<Option<Vec<u8>>, E> {
        let mut last: Option<Content> = None;
        let mut wait = self.still;
        for attempt in 0..TRIES {
            if attempt > 0 {
                (self.pause)(wait);
            }
            let has_waited = attempt > 0 && wait == self.still;
            wait = self.still;
            let before = (self.now)();
            let Some(content) = read(attempt)? else { continue };
            let is_unchanged = has_waited && last.as_ref() == Some(&content);
            let is_same = last.as_ref().is_none_or(|last| last.bytes == content.bytes);
            if is_unchanged || is_same && !self.is_fresh(content.times, before) {
                if attempt > 0 || !content.bytes.is_empty() {
                    return Ok(Some(content.bytes));
                }
                wait = TRUNCATED;
            }
            last = Some(content);
        }
        Ok(None)
    }

    /// Reads a whole file of a directory once it is still. Returns whether it can be executed, too.
    ///
    /// # Errors
    ///
    /// As for [`Dir::read`], or the file was written during each attempt
    /// ([`ErrorKind::Changing`]).
    pub fn read_in(
        &self,
        directory: &Dir,
        path: &str,
        links: Links,
        limit: usize,
    ) -> Result<(Vec<u8>, bool)> {
        let mut is_executable = false;
        let read = self.read(|_| {
            let file = directory.open_file(path, links)?;
            is_executable = file.stat().is_executable;
            match file.read_whole(limit) {
                Err(error) if error.kind() == ErrorKind::Changing => Ok(None),
                read => Ok(Some(Content::of(read?, file.stat()))),
            }
        });
        let changing = || Error::new(ErrorKind::Changing, RelativePath::from(path).text());
        Ok((read?.ok_or_else(changing)?, is_executable))
    }

    /// Returns whether a file that was read between `before` and now changed so recently that its
    /// writer may not have finished. The time may be on either side, because clocks of file
    /// servers differ. It is compared with the start of the read too, after which this thread may
    /// have waited for a processor for long.
    pub fn is_fresh(&self, times: [FileTime; 2], before: Duration) -> bool {
        let milliseconds = |time: Duration| i128::try_from(time.as_millis()).unwrap_or(i128::MAX);
        let since = milliseconds(before) - milliseconds(self.still);
        let until = milliseconds((self.now)().saturating_add(AHEAD));
        !self.still.is_zero()
            && times.into_iter().any(|time| {
                let time =
                    i128::from(time.seconds) * 1_000 + i128::from(time.nanoseconds / 1_000_000);
                since < time && time < until
            })
    }
}
