//! The question and the answer of a probe.

use prowess_core::Stamp;
use prowess_dir::{Dir, Error, Head, Links, RelativePath};

/// The way in which a package's directory was found.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// By a listing, which gave it this inode.
    Listing(u64),
    /// By the listing of the last scan, which is still valid.
    LastListing,
    /// Opened directly or through a link, so no earlier stamp applies.
    Opened,
}

#[derive(Clone, Copy)]
pub(crate) struct ProbeRequest<'q> {
    pub(crate) package: &'q str,
    pub(crate) file: &'static str,
    pub(crate) origin: Origin,
    /// The stamp of an earlier scan.
    pub(crate) known: Option<Stamp>,
}

#[derive(Clone, Copy)]
pub(crate) struct FileLocation<'w> {
    pub(crate) directory: &'w Dir,
    /// The package, relative to that directory; empty if it is that directory.
    pub(crate) package: &'w str,
    /// The file, relative to that directory.
    pub(crate) path: RelativePath<'w>,
    pub(crate) links: Links,
}

pub(crate) enum ProbeResult {
    /// The file has not changed since the earlier scan.
    Unchanged,
    /// The file was read.
    Read(Prefix),
    /// The file could not be opened.
    NotOpened(Error),
    /// The file was opened and cannot be read.
    Unreadable(Error),
}

/// The first bytes of a file, which are stored elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Prefix {
    pub(crate) stamp: Option<Stamp>,
    pub(crate) size: u64,
    pub(crate) head: Head,
}
