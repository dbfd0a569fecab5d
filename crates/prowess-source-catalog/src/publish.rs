//! Publishes a catalog in a directory.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use prowess_core::{Cancel, Catalog};
use prowess_dir::{Dir, Permissions, create_directories, locked_file};

use crate::pointer::{MOST_BYTES, POINTER, digits};
use crate::{CatalogFile, CatalogFileError, Pointer, write_catalog};

/// Returns the minisign signature of bytes, or the reason why there is none.
pub type Sign<'s> = &'s dyn Fn(&[u8]) -> Result<String, String>;

/// How a catalog is published.
pub struct PublishOptions<'o> {
    /// The name of the catalog, which is in the locations of its skills: `catalog://NAME`.
    pub name: &'o str,
    /// The key of the publisher. By default, the pointer is not signed.
    pub sign: Option<Sign<'o>>,
}

impl<'o> PublishOptions<'o> {
    /// Creates the options of a catalog with this name and without a signature.
    pub fn new(name: &'o str) -> Self {
        Self { name, sign: None }
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
}

/// The name of a catalog file while it is written.
const TEMPORARY: &str = ".catalog.tmp";

/// Publishes a catalog in a directory, which is created if it is missing: first the files of the
/// packages, then the catalog file, and at last the pointer, by an atomic exchange. At any moment,
/// and after a power failure, the pointer names a catalog that is there as a whole. Files that were
/// published before are kept.
///
/// # Errors
///
/// A package cannot be read, a file cannot be written, or the directory has a pointer that cannot
/// be read.
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
    let temporary = directory.join(TEMPORARY);
    let mut file = File::create(&temporary)?;
    let mut stored = HashSet::new();
    let mut store = |digest: &_, bytes: &[u8]| store(&files, &mut stored, digest, bytes);
    let digest = write_catalog(catalog, options.name, &mut file, &mut store, cancel)?;
    let mut pointer = Pointer {
        format: 1,
        name: options.name.to_owned(),
        digest,
        generation: earlier.as_ref().map_or(0, |earlier| earlier.generation) + 1,
        bytes: file.metadata()?.len(),
        signature: None,
    };
    let same = earlier.filter(|earlier| earlier.digest == digest);
    let is_signed = |earlier: &Pointer| earlier.signature.is_some() == options.sign.is_some();
    let is_new = !same.as_ref().is_some_and(is_signed);
    let written = CatalogFile::open(&temporary)?;
    let (offered, packages) = (written.len(), written.packages());
    if !is_new && directory.join(pointer.file()).exists() {
        std::fs::remove_file(&temporary)?;
        let pointer = same.expect("it is the same");
        return Ok(Published { pointer, is_new, offered, packages });
    }
    if let Some(sign) = options.sign {
        let signature = sign(&pointer.signed()).map_err(CatalogFileError::Pointer)?;
        pointer.signature = Some(signature);
    }
    sync_all(&file)?;
    std::fs::rename(&temporary, directory.join(pointer.file()))?;
    place.sync().map_err(other)?;
    let (text, hidden) = (pointer.to_text(), format!(".{POINTER}.tmp"));
    place.put_file(POINTER, &hidden, text.as_bytes(), Permissions::Readable).map_err(other)?;
    Ok(Published { pointer, is_new, offered, packages })
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

pub(crate) fn other(error: prowess_dir::Error) -> std::io::Error {
    std::io::Error::other(error)
}
