//! The rules of one name of an archive.

use prowess_text::has_invisible;

use crate::{Limits, RefusalKind};

/// The maximum length of a path, in bytes: that of a path in a package.
const MAX_PATH_BYTES: usize = 1024;

/// The maximum length of a part of a path, in bytes: that of the common file systems.
const MAX_PART_BYTES: usize = 255;

/// Names that Windows reserves for devices, with any extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The checked name of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryName {
    /// The path without a trailing slash; empty for the root of the archive.
    pub(crate) path: String,
    /// Whether the name is written as that of a directory.
    pub(crate) is_directory: bool,
}

impl EntryName {
    pub(crate) fn check(name: &[u8], limits: &Limits) -> Result<Self, RefusalKind> {
        let name = str::from_utf8(name).map_err(|_| RefusalKind::InvalidName)?;
        let is_bad = |c: char| c.is_control() || c == '\\';
        // A joiner that shapes its neighbours is a part of the name.
        if name.is_empty() || name.contains(is_bad) || has_invisible(name) {
            return Err(RefusalKind::InvalidName);
        }
        if name.starts_with('/') || has_drive(name) {
            return Err(RefusalKind::Absolute);
        }
        if matches!(name, "." | "./") {
            return Ok(Self { path: String::new(), is_directory: true });
        }
        let written = name.strip_prefix("./").unwrap_or(name);
        let path = written.strip_suffix('/').unwrap_or(written);
        let mut depth = 0;
        for part in path.split('/') {
            check_part(part)?;
            depth += 1;
        }
        if depth > limits.depth {
            return Err(RefusalKind::TooDeep);
        }
        if path.len() > MAX_PATH_BYTES {
            return Err(RefusalKind::InvalidName);
        }
        Ok(Self { path: path.to_owned(), is_directory: path.len() < written.len() })
    }
}

fn check_part(part: &str) -> Result<(), RefusalKind> {
    if part == ".." {
        return Err(RefusalKind::Escape);
    }
    let is_portable = !part.is_empty()
        && part.len() <= MAX_PART_BYTES
        && !part.ends_with(['.', ' '])
        && !part.contains(['<', '>', ':', '"', '|', '?', '*']);
    if !is_portable || is_device(part) || is_git(part) {
        return Err(RefusalKind::InvalidName);
    }
    Ok(())
}

/// Returns whether the text starts with a drive letter, as on Windows.
fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Returns whether Windows opens a device for this name.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end();
    let is_port = |prefix: &str| {
        let number = stem.get(..3).filter(|start| start.eq_ignore_ascii_case(prefix));
        number.is_some()
            && matches!(
                &stem[3..],
                "¹" | "²" | "³" | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
            )
    };
    DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device))
        || is_port("COM")
        || is_port("LPT")
}

/// Returns whether git uses a directory of this name for its own configuration and hooks.
fn is_git(part: &str) -> bool {
    part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1")
}
