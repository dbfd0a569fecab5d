//! The extended headers of tar files.

use tar::PaxExtensions;

use crate::RefusalKind;

/// Keys that change nothing that is installed.
#[rustfmt::skip]
const IGNORED: [&str; 9] = [
    "atime", "comment", "ctime", "gid", "gname", "mtime", "uid", "uname",
    "LIBARCHIVE.creationtime",
];

/// The same by their prefix: extended attributes and flags, which are not installed.
const IGNORED_PREFIXES: [&str; 6] = [
    "LIBARCHIVE.xattr.", "MSWINDOWS.", "RHT.security.", "SCHILY.acl.", "SCHILY.fflags",
    "SCHILY.xattr.",
];

/// The values of an extended header that matter.
#[derive(Debug, Default)]
pub(crate) struct Pax {
    pub(crate) path: Option<Vec<u8>>,
    pub(crate) link: Option<Vec<u8>>,
    pub(crate) size: Option<u64>,
}

impl Pax {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, RefusalKind> {
        let mut pax = Self::default();
        for extension in PaxExtensions::new(bytes) {
            let extension = extension.map_err(|_| RefusalKind::Damaged)?;
            let key = extension.key().map_err(|_| RefusalKind::Damaged)?;
            pax.add(key, extension.value_bytes())?;
        }
        Ok(pax)
    }

    fn add(&mut self, key: &str, value: &[u8]) -> Result<(), RefusalKind> {
        match key {
            "path" => once(&mut self.path, value.to_vec()),
            "size" => {
                let size = str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                once(&mut self.size, size.ok_or(RefusalKind::Damaged)?)
            }
            "linkpath" => once(&mut self.link, value.to_vec()),
            _ if is_ignored(key) => Ok(()),
            _ => Err(RefusalKind::Unsupported),
        }
    }

    /// Returns whether the header says nothing about the next entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.path.is_none() && self.link.is_none() && self.size.is_none()
    }
}

fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), RefusalKind> {
    if slot.replace(value).is_some() { Err(RefusalKind::Contradiction) } else { Ok(()) }
}

fn is_ignored(key: &str) -> bool {
    IGNORED.contains(&key) || IGNORED_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}
