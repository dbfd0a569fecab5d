//! Publishes a catalog in a directory.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::slice::from_ref;

use prowess_core::{Cancel, Catalog, Timestamp};
use prowess_dir::{Dir, Permissions, create_directories, locked_file};
use prowess_signature::PublicKey;

use crate::directory::{other, remove_others};
use crate::pointer::{MOST_BYTES, POINTER, digits, seconds};
use crate::{CatalogFile, CatalogFileError, LeftOut, Pointer, write_catalog};

/// Returns the minisign signature of bytes, or the reason why there is none.
pub type Sign<'s> = &'s dyn Fn(&[u8]) -> Result<String, String>;

/// How a catalog is published.
pub struct PublishOptions<'o> {
    /// The name of the catalog, which is in the locations of its skills: `catalog://NAME`.
    pub name: &'o str,
    /// The key of the publisher, and its function. By default, the pointer is not signed.
    pub sign: Option<(&'o PublicKey, Sign<'o>)>,
    /// The time of the publisher, from which the number of the catalog is. So it grows in a new
    /// directory, too.
    pub now: Timestamp,
    /// Whether a catalog without skills may be published. By default not: a wrong directory would
    /// take the skills from every host.
    pub may_be_empty: bool,
}

impl<'o> PublishOptions<'o> {
    /// Creates the options of a catalog with this name and without a signature.
    pub fn new(name: &'o str, now: Timestamp) -> Self {
        Self { name, sign: None, now, may_be_empty: false }
    }
}

/// The result of [`publish`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Published {
    /// The pointer.
    pub pointer: Pointer,
    /// Whether the catalog has changed; otherwise no file was written.
    pub is_new: bool,
    /// The number of offered skills.
    pub offered: usize,
    /// The number of all packages.
    pub packages: usize,
    /// The skills and files that were left out.
    pub left_out: Vec<LeftOut>,
}

/// The name of a catalog file while it is written.
const TEMPORARY: &str = ".catalog.tmp";

/// Publishes a catalog in a directory, which is created if it is missing: first the files of the
/// packages, then the catalog file, and at last the pointer, by an atomic exchange. At any moment,
/// and after a power failure, the pointer names a catalog that is there as a whole. The files of
/// packages that were published before are kept, and so is the catalog file before.
///
/// # Errors
///
/// A file cannot be written, there is no skill, or none that can be read, or the directory has a
/// pointer that cannot be read, or whose number is far ahead of the time.
pub fn publish(
    catalog: &Catalog,
    directory: &Path,
    options: &PublishOptions<'_>,
    cancel: &Cancel,
) -> Result<Published, CatalogFileError> {
    create_directories(directory, 0o755)?;
    // Two publishers would give one number to two catalogs.
    let _lock = locked_file(&directory.join(".catalog.lock"))?;
    let place = Dir::open(directory).map_err(other)?;
    let files = place.open_or_create_dir("files").map_err(other)?;
    let earlier = earlier(&place)?;
    earlier.iter().try_for_each(|earlier| earlier.check_time(options.now))?;
    let temporary = directory.join(TEMPORARY);
    let mut file = File::create(&temporary)?;
    let mut stored = HashSet::new();
    let mut store = |digest: &_, bytes: &[u8]| store(&files, &mut stored, digest, bytes);
    let (digest, left_out) = write_catalog(catalog, options.name, &mut file, &mut store, cancel)?;
    let mut pointer = Pointer {
        format: 1,
        name: options.name.to_owned(),
        digest,
        generation: (earlier.as_ref().map_or(0, |it| it.generation) + 1).max(seconds(options.now)),
        bytes: file.metadata()?.len(),
        signature: None,
    };
    let written = CatalogFile::open(&temporary)?;
    let (offered, packages) = (written.len(), written.packages());
    let fault = left_out.iter().find(|it| packages == 0 && it.is_fault).cloned();
    if let Some(LeftOut { skill: id, reason, .. }) = fault {
        return Err(CatalogFileError::Skill { id, reason });
    }
    if packages == 0 && !options.may_be_empty {
        return Err(CatalogFileError::Empty);
    }
    let before = earlier.as_ref().map_or_else(String::new, Pointer::file);
    if let Some(same) = earlier.filter(|earlier| earlier.digest == digest)
        // Another key signs it again, and so does the same one if the file was changed by hand.
        && same.signature.is_some() == options.sign.is_some()
        && options.sign.is_none_or(|(key, _)| same.check_signature(from_ref(key)).is_ok())
        && directory.join(same.file()).exists()
    {
        std::fs::remove_file(&temporary)?;
        return Ok(Published { pointer: same, is_new: false, offered, packages, left_out });
    }
    let signature = options.sign.map(|(_, sign)| sign(&pointer.signed())).transpose();
    pointer.signature = signature.map_err(CatalogFileError::Pointer)?;
    let text = pointer.to_text();
    if text.len() > MOST_BYTES {
        let message = "would be larger than hosts read; shorten the name".to_owned();
        return Err(CatalogFileError::Pointer(message));
    }
    sync_all(&file)?;
    std::fs::rename(&temporary, directory.join(pointer.file()))?;
    place.sync().map_err(other)?;
    let hidden = format!(".{POINTER}.tmp");
    place.put_file(POINTER, &hidden, text.as_bytes(), Permissions::Readable).map_err(other)?;
    // Hosts may be fetching the one before.
    remove_others(directory, &[pointer.file(), before])?;
    Ok(Published { pointer, is_new: true, offered, packages, left_out })
}

/// Writes all files to the disk. One call for each of them would take milliseconds.
fn sync_all(file: &File) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(file)?;
    #[cfg(not(target_os = "linux"))]
    rustix::fs::sync();
    file.sync_all()
}

/// Returns the pointer that the directory has.
fn earlier(place: &Dir) -> Result<Option<Pointer>, CatalogFileError> {
    match place.read(POINTER, MOST_BYTES) {
        Ok(text) => Pointer::parse(&text).map(Some),
        Err(error) if error.kind() == prowess_dir::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(other(error).into()),
    }
}

/// Writes a file of a package, unless it is there.
fn store(
    files: &Dir,
    stored: &mut HashSet<[u8; 16]>,
    digest: &prowess_core::Digest,
    bytes: &[u8],
) -> std::io::Result<()> {
    let key = digest.as_bytes().first_chunk().expect("a digest has 32 bytes");
    if !stored.insert(*key) {
        return Ok(());
    }
    let digits = digits(digest);
    let (folder, name) = digits.split_at(2);
    let folder = files.open_or_create_dir(folder).map_err(other)?;
    let is_there = |it: prowess_dir::Stat| it.size == bytes.len() as u64;
    if folder.stat(name, prowess_dir::Links::Refuse).is_ok_and(is_there) {
        return Ok(());
    }
    let temporary = ".tmp";
    let _ = folder.remove_tree(temporary);
    folder.create_file(temporary, bytes, Permissions::Readable).map_err(other)?;
    folder.move_into(temporary, &folder, name).map_err(other)
}
