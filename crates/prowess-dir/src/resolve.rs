//! Resolves a path part by part, for systems whose kernel cannot confine it.
//!
//! Each part is opened relative to the handle of the part before and never through a link; a link
//! is read and its text resolved in the same way. `..` in a link returns to a handle that is
//! already open, so a concurrent rename cannot lead above the directory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::access::{Links, PATH_ONLY};

/// The number of links that Linux follows in one path.
const MOST_LINKS: usize = 40;

/// Opens `path`, which may lead through links but not out of `root`.
// Not inlined, so that tools that count instructions without `openat2` can exclude it by name.
#[inline(never)]
pub(crate) fn open(
    root: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    links: Links,
) -> Result<OwnedFd, Errno> {
    match open_without_links(root, path, flags) {
        Err(Errno::LOOP) => {}
        answer => return answer,
    }
    let mut below: Vec<OwnedFd> = Vec::new();
    let mut parts = reversed_parts(path);
    let mut links_left = MOST_LINKS;
    while let Some(part) = parts.pop() {
        if part == b".." {
            below.pop().ok_or(Errno::XDEV)?;
            continue;
        }
        let here = below.last().map_or(root, AsFd::as_fd);
        let is_last = parts.is_empty();
        let wanted = if is_last { flags } else { PATH_ONLY | OFlags::DIRECTORY };
        match open_part(here, &part, wanted)? {
            Part::Opened(handle) if is_last => return Ok(handle),
            Part::Opened(handle) => below.push(handle),
            Part::Link(_) if links == Links::Refuse || links_left == 0 => return Err(Errno::LOOP),
            Part::Link(target) if target.starts_with(b"/") => return Err(Errno::XDEV),
            Part::Link(target) => {
                links_left -= 1;
                parts.extend(reversed_parts(&target));
            }
        }
    }
    // The path ended in a dot, or in a link that did: open the current directory.
    let here = below.last().map_or(root, AsFd::as_fd);
    rustix::fs::openat(here, ".", flags, Mode::empty())
}

/// The common case: no part is a link, so nothing leads back and one handle is enough. Fails with
/// `ELOOP` if a part is a link, or if the path is not that simple.
fn open_without_links(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut here: Option<OwnedFd> = None;
    let mut rest = path;
    loop {
        let slash = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let part = &rest[..slash];
        let after = rest.get(slash + 1..).unwrap_or_default();
        if matches!(part, b"" | b"." | b"..") {
            return Err(Errno::LOOP);
        }
        let wanted = if after.is_empty() { flags } else { PATH_ONLY | OFlags::DIRECTORY };
        let parent = here.as_ref().map_or(root, AsFd::as_fd);
        let handle = match open_part(parent, part, wanted)? {
            Part::Opened(handle) => handle,
            Part::Link(_) => return Err(Errno::LOOP),
        };
        if after.is_empty() {
            return Ok(handle);
        }
        (here, rest) = (Some(handle), after);
    }
}

enum Part {
    Opened(OwnedFd),
    Link(Vec<u8>),
}

fn open_part(here: BorrowedFd<'_>, part: &[u8], flags: OFlags) -> Result<Part, Errno> {
    let error = match rustix::fs::openat(here, part, flags | OFlags::NOFOLLOW, Mode::empty()) {
        // A `PATH` handle is opened for the link itself, unless a directory is requested.
        Ok(handle)
            if flags.contains(PATH_ONLY)
                && !flags.contains(OFlags::DIRECTORY)
                && is_link(&handle)? =>
        {
            Errno::LOOP
        }
        Ok(handle) => return Ok(Part::Opened(handle)),
        Err(error) => error,
    };
    // Systems report a link with different errors, so check whether it is one.
    match rustix::fs::readlinkat(here, part, Vec::new()) {
        Ok(target) => Ok(Part::Link(target.into_bytes())),
        Err(_) => Err(error),
    }
}

fn is_link(handle: &OwnedFd) -> Result<bool, Errno> {
    let stat = rustix::fs::fstat(handle)?;
    Ok(rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink())
}

fn reversed_parts(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|&byte| byte == b'/')
        .rev()
        .filter(|part: &&[u8]| !part.is_empty() && *part != b".")
        .map(<[u8]>::to_vec)
        .collect()
}
