//! The files of a log: the current one, the full ones, and the lock.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use prowess_dir::{check_private, create_directories};
use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;

/// The number of digits in the name of a full file, so that names sort like numbers.
const DIGITS: usize = 20;

/// Opens a file of the log for writing, and creates it if there is none. Returns an error if the
/// path is a link, the file is not regular or is writable by other users, or it cannot be opened.
pub(super) fn open(path: &Path) -> io::Result<File> {
    // A link could lead to another file of the user, and a FIFO would block.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    // A signal may interrupt it where the file is on a network, which loses nothing.
    let file = retry_on_intr(|| rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR))?;
    let file = File::from(file);
    check_private(&file.metadata()?)?;
    Ok(file)
}

/// The time that a writer waits for another one. An entry takes microseconds, so it is over only if
/// a program was stopped in the middle of one.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time after that was over once, so that threads do not wait for each other's patience.
const SHORT_PATIENCE: Duration = Duration::from_millis(50);

/// The first and the longest pause between two attempts.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

/// The file `PATH.lock`, which a writer locks for one entry.
pub(super) struct LockFile {
    /// The path of the log.
    log: PathBuf,
    file: Mutex<Arc<File>>,
    is_stuck: AtomicBool,
}

impl LockFile {
    /// Opens the file, and creates it and the log's directory if necessary.
    pub(super) fn open(log: &Path) -> io::Result<Self> {
        let file = Mutex::new(open_lock(log)?);
        Ok(Self { log: log.to_owned(), file, is_stuck: AtomicBool::new(false) })
    }

    /// Locks the log until the result is dropped. Threads of one process have to exclude each other
    /// before. Returns an error of the kind `TimedOut` if another writer keeps it locked.
    pub(super) fn hold(&self) -> io::Result<Held> {
        let is_stuck = self.is_stuck.load(Ordering::Relaxed);
        let patience = if is_stuck { SHORT_PATIENCE } else { PATIENCE };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let locked = wait(patience, || file.try_lock());
        self.is_stuck.store(locked.is_err(), Ordering::Relaxed);
        locked?;
        let held = Held(Arc::clone(&file));
        // Its lock goes with a log that is moved away, and then the others have a new one.
        let now = fs::symlink_metadata(with_suffix(&self.log, "lock"));
        if now.is_ok_and(|now| file.metadata().is_ok_and(|it| identity(&it) == identity(&now))) {
            return Ok(held);
        }
        *file = open_lock(&self.log)?;
        wait(patience, || file.try_lock()).map(|()| Held(Arc::clone(&file)))
    }
}

fn open_lock(log: &Path) -> io::Result<Arc<File>> {
    if let Some(directory) = log.parent().filter(|path| !path.as_os_str().is_empty()) {
        create_directories(directory, 0o700)?;
    }
    open(&with_suffix(log, "lock")).map(Arc::new)
}

/// Returns the device and the number of a file.
pub(super) fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// A locked log.
pub(super) struct Held(Arc<File>);

/// Releases the lock. A process that another thread is starting shares the file until it runs its
/// own program, so closing it would not be enough.
impl Drop for Held {
    fn drop(&mut self) {
        // If it fails, the lock ends with the process.
        let _ = self.0.unlock();
    }
}

fn wait(patience: Duration, lock: impl Fn() -> Result<(), TryLockError>) -> io::Result<()> {
    let [mut pause, longest] = PAUSES;
    let mut waited = Duration::ZERO;
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => {
                return Err(error);
            }
            Err(_) if waited >= patience => {
                let reason = "another program keeps it locked; end that program, or try again";
                return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
            }
            Err(_) => sleep(pause),
        }
        waited += pause;
        pause = (pause * 2).min(longest);
    }
}

/// The files of a log at one moment, between two entries.
pub(crate) struct Snapshot {
    /// The full files, the oldest first. They do not change.
    pub(crate) full: Vec<PathBuf>,
    /// The current file with its length; `None` if there is none, halfway through a replacement.
    pub(crate) current: Option<(File, u64)>,
}

impl Snapshot {
    /// Opens a file by its number, with its length; `None` if there are fewer.
    pub(crate) fn open(&self, at: usize) -> io::Result<Option<(File, u64)>> {
        if let Some(path) = self.full.get(at) {
            return open_to_read(path).map(Some);
        }
        let current = self.current.as_ref().filter(|_| at == self.full.len());
        current.map(|(file, length)| Ok((file.try_clone()?, *length))).transpose()
    }
}

/// Returns the files of a log that other programs may be writing. Changes nothing. Returns an error
/// if there is no log, or it cannot be read.
pub(crate) fn snapshot(path: &Path) -> io::Result<Snapshot> {
    // A copy of a log has no lock, and one whose writer was stopped can be read as it is.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let lock = rustix::fs::open(with_suffix(path, "lock"), flags, Mode::empty()).map(File::from);
    let held = lock.ok().filter(|lock| wait(PATIENCE, || lock.try_lock_shared()).is_ok());
    let full = all_full(path)?;
    let current = match open_to_read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !full.is_empty() => None,
        opened => Some(opened?),
    };
    if let Some(held) = held {
        let _ = held.unlock();
    }
    Ok(Snapshot { full, current })
}

/// Opens a file of a log with its length; a FIFO would block, and has no end.
pub(crate) fn open_to_read(path: &Path) -> io::Result<(File, u64)> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?);
    let stat = file.metadata()?;
    if !stat.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    Ok((file, stat.len()))
}

/// Returns the name of a full file, from its last entry.
pub(super) fn full(path: &Path, last: u64) -> PathBuf {
    with_suffix(path, &format!("{last:0DIGITS$}"))
}

/// Returns the full files of a log, the oldest first.
pub(super) fn all_full(path: &Path) -> io::Result<Vec<PathBuf>> {
    let prefix = with_suffix(Path::new(path.file_name().unwrap_or_default()), "");
    let prefix = prefix.as_os_str().as_encoded_bytes();
    let is_full = |name: &OsString| {
        let number = name.as_encoded_bytes().strip_prefix(prefix);
        number.is_some_and(|it| it.len() == DIGITS && it.iter().all(u8::is_ascii_digit))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(directory(path))? {
        let name = entry?.file_name();
        if is_full(&name) {
            found.push(path.with_file_name(name));
        }
    }
    found.sort();
    Ok(found)
}

fn directory(path: &Path) -> &Path {
    let parent = path.parent().filter(|path| !path.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
