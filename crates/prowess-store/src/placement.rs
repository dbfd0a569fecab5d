//! Links to installed packages, and copies of them, in the directories of other clients.

use std::fs;
use std::io::ErrorKind as IoKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use prowess_archive::{Archive, File};
use prowess_core::Digest;
use prowess_dir::{Dir, ErrorKind, Links, Permissions};
use serde::{Deserialize, Serialize};

use crate::error::{LockError, StoreError};
use crate::lock::Lock;
use crate::lock_file::LockFile;
use crate::store::{Change, PACKAGES, hex, write};
use crate::tree::{stored_contents, stored_digest, stored_files};

const PLACES: &str = "places";
const TEMPORARY: &str = ".places.tmp";

/// The maximum size of the note about places, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The form of an installed package in the directory of another client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaceForm {
    /// A symbolic link to the package in the store.
    Link,
    /// A copy of its files.
    Copy,
}

/// A package in the directory of another client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    id: String,
    directory: PathBuf,
    form: PlaceForm,
    /// The package that was placed last.
    tree: Digest,
}

/// The content of a place.
enum Content {
    /// Nothing.
    Nothing,
    /// A package of the store.
    Package(Digest),
    /// Something that was not placed here, or was changed since.
    Other,
}

#[derive(Default, Serialize, Deserialize)]
struct Places {
    #[serde(default)]
    place: Vec<Place>,
}

impl Change {
    /// Places installed skills in a directory, where other clients find them. [`Change::save`]
    /// replaces them after an update, and removes them with their skills.
    ///
    /// # Errors
    ///
    /// An id is not installed, something that was not placed here has its name in the directory, or
    /// the disk fails. Nothing of others is replaced.
    pub fn place(
        &self,
        file: &LockFile,
        ids: &[String],
        directory: &Path,
        form: PlaceForm,
    ) -> Result<(), StoreError> {
        let lock = file.load()?;
        let directory = std::path::absolute(directory)?;
        let mut places = self.places(file)?;
        for id in ids {
            let skill = lock.skills.get(id);
            let tree = skill.map(|skill| skill.tree).filter(|_| !id.contains('/'));
            let tree = tree.ok_or_else(|| StoreError::NotPlaceable(id.clone()))?;
            let place = Place { id: id.clone(), directory: directory.clone(), form, tree };
            let known = places.iter().position(|it| it.target() == place.target());
            if let Some(known) = known.map(|at| places.remove(at)) {
                self.remove_place(&known)?;
            }
            if fs::symlink_metadata(place.target()).is_ok() {
                return Err(StoreError::PlaceOccupied(place.target()));
            }
            places.push(place);
        }
        self.save_places(file, &places)?;
        self.follow(file, &lock)
    }

    /// Removes what was placed for skills that are not to stay, if it was not changed since.
    ///
    /// # Errors
    ///
    /// The note about places cannot be used, or the disk fails.
    pub fn remove_places(
        &self,
        file: &LockFile,
        stays: &dyn Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        let (staying, going): (Vec<_>, Vec<_>) =
            self.places(file)?.into_iter().partition(|place| stays(&place.id));
        for place in &going {
            self.remove_place(place)?;
        }
        if going.is_empty() { Ok(()) } else { self.save_places(file, &staying) }
    }

    /// Replaces what was placed by the versions of the lock.
    pub(crate) fn follow(&self, file: &LockFile, lock: &Lock) -> Result<(), StoreError> {
        let places = self.places(file)?;
        let mut followed = Vec::new();
        for place in &places {
            let tree = lock.skills.get(&place.id).map(|skill| skill.tree);
            let wanted = tree.map(|tree| Place { tree, ..place.clone() });
            match (self.content(place)?, wanted) {
                // It belongs to the user now.
                (Content::Other, _) => {}
                (Content::Package(found), Some(wanted)) if found == wanted.tree => {
                    followed.push(wanted);
                }
                (_, wanted) => {
                    self.remove_place(place)?;
                    if let Some(wanted) = wanted {
                        self.put(&wanted)?;
                        followed.push(wanted);
                    }
                }
            }
        }
        if followed == places { Ok(()) } else { self.save_places(file, &followed) }
    }

    /// Returns what is at a place. A link to any package of the store was made here; a copy is
    /// recognized by its files.
    fn content(&self, place: &Place) -> Result<Content, StoreError> {
        let target = place.target();
        match fs::read_link(&target) {
            Ok(to) if place.form == PlaceForm::Link => {
                let name = to.strip_prefix(self.directory.join(PACKAGES)).ok();
                let tree = name.and_then(|name| format!("sha256:{}", name.display()).parse().ok());
                return Ok(tree.map_or(Content::Other, Content::Package));
            }
            Err(error) if error.kind() == IoKind::NotFound => return Ok(Content::Nothing),
            _ if place.form == PlaceForm::Link => return Ok(Content::Other),
            _ => {}
        }
        let parent = Dir::open(&place.directory)?;
        let Ok(copied) = parent.open_dir(&place.id, Links::Refuse) else {
            return Ok(Content::Other);
        };
        let found = stored_digest(&copied)?;
        let is_stored = found.is_some_and(|tree| {
            tree == place.tree || self.root.stat(&package_path(&tree), Links::Refuse).is_ok()
        });
        Ok(found.filter(|_| is_stored).map_or(Content::Other, Content::Package))
    }

    /// Removes what was placed, if it was not changed since.
    fn remove_place(&self, place: &Place) -> Result<(), StoreError> {
        match (self.content(place)?, place.form) {
            (Content::Package(_), PlaceForm::Link) => Ok(fs::remove_file(place.target())?),
            (Content::Package(_), PlaceForm::Copy) => {
                Ok(Dir::open(&place.directory)?.remove_tree(&place.id)?)
            }
            _ => Ok(()),
        }
    }

    /// Places a package where nothing is.
    fn put(&self, place: &Place) -> Result<(), StoreError> {
        fs::create_dir_all(&place.directory)?;
        if place.form == PlaceForm::Link {
            let package = self.directory.join(package_path(&place.tree));
            return symlink(package, place.target()).map_err(|error| match error.kind() {
                IoKind::AlreadyExists => StoreError::PlaceOccupied(place.target()),
                _ => error.into(),
            });
        }
        let package = self.archive(&place.tree)?;
        let parent = Dir::open(&place.directory)?;
        let temporary = format!(".prowess-{}.tmp", hex(&place.tree));
        parent.remove_tree(&temporary)?;
        write(&parent.create_dir(&temporary)?, &package)?;
        // After a power failure, half of a copy would look like a change of the user.
        parent.sync()?;
        parent.move_into(&temporary, &parent, &place.id)?;
        Ok(parent.sync()?)
    }

    /// Reads a package of the store.
    fn archive(&self, tree: &Digest) -> Result<Archive, StoreError> {
        let stored = self.root.open_dir(&package_path(tree), Links::Refuse)?;
        let states = stored_files(&stored)?.ok_or(StoreError::Changed(*tree))?;
        let files = stored_contents(&stored)?.into_iter().map(|(path, content)| {
            let is_executable = states.get(&path).is_some_and(|(is_executable, _)| *is_executable);
            File { path, is_executable, content }
        });
        Archive::new(files.collect()).map_err(|_| StoreError::Changed(*tree))
    }

    fn places(&self, file: &LockFile) -> Result<Vec<Place>, StoreError> {
        let directory = self.root.open_or_create_dir(PLACES)?;
        match directory.read(&file.key(), MAX_BYTES) {
            Ok(bytes) => {
                let places = toml::from_str::<Places>(&String::from_utf8_lossy(&bytes));
                Ok(places.map_err(|error| LockError::Invalid(error.to_string()))?.place)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    fn save_places(&self, file: &LockFile, places: &[Place]) -> Result<(), StoreError> {
        let directory = self.root.open_or_create_dir(PLACES)?;
        if places.is_empty() {
            return Ok(directory.remove_tree(&file.key())?);
        }
        let text = toml::to_string(&Places { place: places.to_vec() })
            .map_err(|error| StoreError::Unusable(error.to_string()))?;
        Ok(directory.put_file(&file.key(), TEMPORARY, text.as_bytes(), Permissions::Private)?)
    }
}

impl Place {
    fn target(&self) -> PathBuf {
        self.directory.join(&self.id)
    }
}

/// Returns the path of a package in the store.
fn package_path(tree: &Digest) -> String {
    format!("{PACKAGES}/{}", hex(tree))
}
