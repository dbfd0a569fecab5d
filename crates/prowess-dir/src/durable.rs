//! Directories whose names are on the disk, for files that must survive a power failure.

use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;
use rustix::thread::{NanosleepRelativeResult, Timespec, nanosleep};

/// The pause between two attempts to lock a file, and how often that is tried: a minute, as the
/// holder may be fetching.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
const ATTEMPTS: usize = 6_000;

/// Creates a directory of this mode and those above it, unless they exist, and writes the names of
/// the new ones to the disk: a file that is synced inside is else lost with its directory.
///
/// # Errors
///
/// Returns an error if a directory cannot be created or written to.
pub fn create_directories(path: &Path, mode: u32) -> io::Result<()> {
    let is_new = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let new: Vec<_> = path.ancestors().take_while(is_new).collect();
    DirBuilder::new().recursive(true).mode(mode).create(path)?;
    new.into_iter().rev().try_for_each(sync_name)
}

/// Opens a lock file, and creates it if necessary; waits until no other program holds it, and holds
/// it until the result is dropped.
///
/// # Errors
///
/// Returns an error if the file cannot be created, or is a link or a FIFO, which would block; if
/// another program holds it for too long, or the wait was ended by a signal that this one handles.
pub fn locked_file(path: &Path) -> io::Result<File> {
    locked_within(path, ATTEMPTS)
}

fn locked_within(path: &Path, attempts: usize) -> io::Result<File> {
    let file = lock_file(path)?;
    let mut until = "try again when it has ended";
    for _ in 0..attempts {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            locked => return Ok(locked.map(|()| file)?),
        }
        if let NanosleepRelativeResult::Interrupted(_) = nanosleep(&PAUSE) {
            until = "a signal ended the wait for it";
            break;
        }
    }
    let holder = holder(&file).unwrap_or_else(|| "another program".to_owned());
    let message = format!("{holder} holds the lock `{}`; {until}", path.display());
    Err(io::Error::new(io::ErrorKind::ResourceBusy, message))
}

/// Returns which process holds the lock on a file, where the kernel says it.
fn holder(file: &File) -> Option<String> {
    let end = format!(":{} 0 EOF", file.metadata().ok()?.ino());
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let is_held = |line: &&str| line.contains(" FLOCK ") && !line.contains("->");
    let line = locks.lines().filter(is_held).find(|line| line.ends_with(&end))?;
    Some(format!("process {}", line.split_whitespace().nth(4)?))
}

/// Opens a lock file, and creates it if necessary. Nothing is locked yet.
///
/// # Errors
///
/// Returns an error if the file cannot be created, or is a link or a FIFO, which would block.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::CLOEXEC;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mode = Mode::RUSR | Mode::WUSR;
    Ok(File::from(retry_on_intr(|| rustix::fs::open(path, flags, mode))?))
}

/// Writes the name of a file or directory to the disk.
///
/// # Errors
///
/// Returns an error if its directory cannot be opened, or the disk fails.
pub fn sync_name(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::locked_within;

    #[test]
    fn wait_for_a_lock_ends_and_names_its_holder() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("lock");
        let _held = locked_within(&path, 1).expect("it is free");
        let error = locked_within(&path, 2).expect_err("it is held").to_string();
        let named = format!("process {} holds the lock", std::process::id());
        assert!(!cfg!(target_os = "linux") || error.starts_with(&named), "{error}");
    }
}
