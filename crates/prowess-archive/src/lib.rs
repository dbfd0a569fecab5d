//! Reads archives of skill packages (`.tar.gz`, `.tar`, `.zip`, `.skill`) into a checked list of
//! files, and packs such a list.
//!
//! ```
//! use prowess_archive::{Archive, File, Limits, RefusalKind, read};
//!
//! let file = File::new("pdf/SKILL.md", b"---\nname: pdf\n---\n".to_vec());
//! let bytes = Archive::new(vec![file])?.to_tar_gz();
//! let archive = read(&bytes, &Limits::default())?;
//! assert_eq!(archive.files()[0].path, "pdf/SKILL.md");
//!
//! let refused = Archive::new(vec![File::new("../pdf/SKILL.md", Vec::new())]).unwrap_err();
//! assert_eq!(refused.kind, RefusalKind::Escape);
//! assert_eq!(refused.to_string(), "`../pdf/SKILL.md` leads out of the archive");
//! # Ok::<(), prowess_archive::Refusal>(())
//! ```
//!
//! An archive is untrusted. That of one package is accepted or refused as a whole by [`read`]: a
//! caller that compared its digest with a published one has then seen every file that will be
//! installed, and no reader skips what another one unpacks. So there is exactly one way to read
//! each accepted archive. Links, special files, paths that leave the archive, names that are equal
//! on some file system, headers that contradict each other, and bytes that belong to no entry are
//! refusals with a code and the name of the entry.
//!
//! Of an archive of several packages, such as a repository, [`read_packages`] reads each one for
//! itself: what none of the ways to unpack it could put elsewhere costs one package alone. A
//! `SKILL.md` that is no skill, such as an index, hides none of those below it.
//!
//! [`look`] shows everything that is in an archive, also in one that is refused.
//!
//! The work is bounded before it is done: an archive is never unpacked further than its limits.
//!
//! This crate does no I/O. Zip archives are read here and not by a library, because the rules
//! compare headers that such a library has already merged.
#![forbid(unsafe_code)]

mod archive;
mod entries;
mod file;
mod gzip;
mod limits;
mod listing;
mod look;
mod name;
mod names;
mod pack;
mod pax;
mod refusal;
mod tar_reader;
mod zip_headers;
mod zip_reader;

pub use archive::Archive;
pub use entries::Package;
pub use file::File;
pub use limits::Limits;
pub use listing::{
    DIRECTORY_NOT_UTF8, ListedFile, ListedPackage, Listing, NOT_UTF8, Node, Packages,
};
pub use look::look;
pub use refusal::{Refusal, RefusalKind};

use entries::Entries;

/// Reads an archive whose format is recognized by its first bytes.
///
/// # Errors
///
/// The archive is refused as a whole, for the first reason that was found.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Archive, Refusal> {
    entries(bytes, limits)?.into_archive()
}

/// Reads an archive of several packages: the outermost directories that have a file of one of these
/// names. One whose file `is_package` not by its content holds nothing else, and hides nothing.
///
/// A link to something in the archive stands for a copy of it; another one is left out and named.
/// A special file or a name that cannot be stored costs the package that it is in.
///
/// # Errors
///
/// The archive is refused as a whole if readers could differ in what they unpack: it is damaged,
/// contradicts itself, has a path twice or one that leads out of it, or is too large.
pub fn read_packages(
    bytes: &[u8],
    limits: &Limits,
    names: &[&str],
    is_package: &dyn Fn(&[u8]) -> bool,
) -> Result<Vec<Package>, Refusal> {
    entries(bytes, limits)?.into_packages(names, limits, is_package)
}

fn entries(bytes: &[u8], limits: &Limits) -> Result<Entries, Refusal> {
    if bytes.len() > limits.bytes {
        return Err(RefusalKind::TooLarge.into());
    }
    if gzip::is_gzip(bytes) {
        tar_reader::read(&gzip::unpack(bytes, limits)?, limits)
    } else if zip_reader::is_zip(bytes) {
        zip_reader::read(bytes, limits)
    } else if tar_reader::is_tar(bytes) {
        tar_reader::read(bytes, limits)
    } else {
        Err(RefusalKind::UnknownFormat.into())
    }
}
