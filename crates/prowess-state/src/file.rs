//! Private files of the user: checked when they are read, and replaced as a whole.

use std::fs::{self, DirEntry, File};
use std::io::{self, Error, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use prowess_dir::{check_private, create_directories, locked_file, sync_name};
use rustix::fs::{Mode, OFlags};
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

/// Reads a file that only the user can write; returns `None` if it does not exist.
///
/// # Errors
///
/// As for [`open`], or the file cannot be read.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some((file, size)) = open(path, limit)? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(Some(bytes)) }
}

/// Opens a file that only the user can write, and returns it with its size; `None` if it does not
/// exist.
///
/// # Errors
///
/// Returns an error if the file is not regular, other users can write to it, it is larger than
/// `limit`, or it cannot be opened.
pub(crate) fn open(path: &Path, limit: u64) -> io::Result<Option<(File, u64)>> {
    // A link could lead to another user's file, and a FIFO would block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(handle) => File::from(handle),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => {
            return Err(Error::new(ErrorKind::InvalidInput, "it is a symbolic link"));
        }
        Err(cause) => return Err(cause.into()),
    };
    let metadata = file.metadata()?;
    check_private(&metadata)?;
    let size = metadata.len();
    if size > limit { Err(too_large(limit)) } else { Ok(Some((file, size))) }
}

/// Returns a number that changes when the file is replaced, written or its permissions change; 0 if
/// there is none.
pub(crate) fn version(path: &Path) -> u64 {
    let Ok(state) = path.symlink_metadata() else { return 0 };
    let times = [state.mtime(), state.mtime_nsec(), state.ctime(), state.ctime_nsec()];
    let numbers = [state.dev(), state.ino(), state.size()].into_iter();
    let numbers = numbers.chain(times.map(i64::cast_unsigned));
    let bytes: Vec<_> = numbers.flat_map(u64::to_le_bytes).collect();
    xxh3_64(&bytes).max(1)
}

fn too_large(limit: u64) -> Error {
    Error::new(ErrorKind::FileTooLarge, format!("it has over {limit} bytes"))
}

/// Replaces a file by one that only the user may read. A concurrent reader sees the old or the new
/// content; so does one after a power failure, and the new content once this has returned.
///
/// # Errors
///
/// Returns an error if its directory cannot be created or written to.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = beside(path, bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_name(path)
}

/// Removes temporary files of writers that were killed. The caller holds the [`lock`] of the file,
/// so no writer is active.
pub(crate) fn remove_leftovers(path: &Path) -> io::Result<()> {
    let prefix = prefix_of(path);
    for entry in fs::read_dir(directory_of(path)?)? {
        let entry = entry?;
        if is_temporary(&entry, &prefix) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Returns whether a directory entry is a temporary file whose name starts with `prefix`.
pub(crate) fn is_temporary(entry: &DirEntry, prefix: &str) -> bool {
    let name = entry.file_name();
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    is_file && name.to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(END))
}

/// The suffix of all temporary files.
const END: &str = ".prowess-tmp";

/// Returns the prefix of the temporary files of a file.
fn prefix_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.")
}

/// Like [`write`], without waiting for the disk: after a power failure the file may be damaged.
///
/// # Errors
///
/// As for [`write`].
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    beside(path, bytes)?.persist(path)?;
    Ok(())
}

/// Creates a temporary file in the directory of another file.
pub(crate) fn beside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = prefix_of(path);
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix(&prefix).suffix(END).tempfile_in(directory_of(path)?)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Locks a file against changes by other programs, until the returned guard is dropped.
///
/// # Errors
///
/// Returns an error if the lock file, next to the file, cannot be created.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    directory_of(path)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    locked_file(Path::new(&beside))
}

/// Returns the directory of a file, and creates it if necessary.
pub(crate) fn directory_of(path: &Path) -> io::Result<&Path> {
    let directory = path.parent().ok_or(ErrorKind::InvalidInput)?;
    create_directories(directory, 0o700)?;
    Ok(directory)
}
