//! Opening a file that may be anything: a FIFO or a device at its path never blocks the host.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Whether a link at the end of a path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastLink {
    /// It is an error.
    Refuse,
    /// It leads to the file.
    Follow,
}

impl LastLink {
    fn flags(self) -> OFlags {
        match self {
            Self::Refuse => OFlags::NOFOLLOW,
            Self::Follow => OFlags::empty(),
        }
    }
}

/// Opens a path for reading, without waiting for another side and not for child processes. The type
/// of the file is for the caller to check.
///
/// # Errors
///
/// It cannot be opened.
pub(crate) fn open_any(path: &Path, last_link: LastLink) -> io::Result<(File, Metadata)> {
    let file = OpenOptions::new().read(true).custom_flags(flags(last_link)).open(path)?;
    let stat = file.metadata()?;
    Ok((file, stat))
}

/// The flags of an open that never blocks.
pub(crate) fn flags(last_link: LastLink) -> i32 {
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | last_link.flags();
    i32::try_from(flags.bits()).expect("the flags of an open fit the system's own type")
}

/// Reads a regular file of at most so many bytes.
///
/// # Errors
///
/// It cannot be read, is not a regular file, is larger, or is not UTF-8 text.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let (file, stat) = open_any(path, LastLink::Follow)?;
    if !stat.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    // The file may have grown since it was opened.
    if stat.len() <= most && file.take(most + 1).read_to_string(&mut text)? as u64 <= most {
        return Ok(text);
    }
    Err(io::Error::other(format!("it has more than {most} bytes")))
}
