//! Links to installed packages, and copies of them, in the directories of other clients.
//!
//! The lock names the places that a skill is to have. A note in the store remembers what was placed
//! on this machine, so that it is removed when a lock that somebody else has changed names it no
//! longer.

mod directory;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use prowess_archive::{Archive, File};
use prowess_core::{Digest, SKILL_MD_FILES};
use prowess_dir::{Dir, ErrorKind, Links, Permissions};
use serde::{Deserialize, Serialize};

use crate::candidate::LeftOut;
use crate::difference::Difference;
use crate::error::{LockError, StoreError};
use crate::ledger::is_of_person;
use crate::lock::Lock;
use crate::lock_file::LockFile;
use crate::locked_skill::LockedSkill;
use crate::placed::{LockedPlace, PlaceForm};
use crate::store::{Change, PACKAGES, Store, hex, package_path, write};
use crate::tree::{stored_contents, stored_digest, stored_files};
use directory::{create, is_blocked, locked_directory, open};

const PLACES: &str = "places";
const TEMPORARY: &str = ".places.tmp";

/// The maximum size of the note about places, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A place of a lock, with what is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The id of the skill.
    pub id: String,
    /// The path of the package in the directory, as the lock names that.
    pub path: String,
    /// What is there.
    pub state: PlaceState,
}

/// What is at a place of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceState {
    /// The locked package, as before.
    Intact,
    /// The locked package, next to files that were added. They stay.
    Extended,
    /// The locked package, which was put there now. Files that were added stay.
    Restored,
    /// Something that was not placed here, or whose files were changed. It is never replaced.
    Edited,
    /// Nothing can be there: a link that leads out of the project, or a file, is on the way.
    Blocked,
    /// Nothing, or an earlier version: the locked package is not in the store, or was not put there
    /// by a check.
    Missing,
    /// As [`Self::Missing`], of a skill that may not be placed: see [`LockFile::placing`].
    Untrusted,
    /// As [`Self::Edited`], where the lock names nothing any more.
    Left,
}

/// A package in the directory of another client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    id: String,
    /// The directory, as the lock names it.
    directory: String,
    form: PlaceForm,
    /// The package that is to be there, or was placed last.
    tree: Digest,
}

/// The content of a place.
enum Content {
    /// Nothing.
    Nothing,
    /// A package of the store.
    Package(PlaceForm, Digest),
    /// A copy of a package whose files are whole, as far as they are there, and files that were
    /// added.
    Part(Digest, Difference),
    /// Something that was not placed here, or was changed since.
    Other,
    /// Nothing can be there.
    Blocked,
}

#[derive(Default, Serialize, Deserialize)]
struct Places {
    #[serde(default)]
    place: Vec<Place>,
}

impl Change {
    /// Places installed skills in a directory, where other clients find them, and names the places
    /// in the lock. [`Change::save`] replaces them after an update, and removes them with their
    /// skills. The lock of a project has copies alone.
    ///
    /// # Errors
    ///
    /// An id is not installed, the directory is outside of a project, something that was not placed
    /// here has its name in the directory, or the disk fails. Nothing of others is replaced.
    pub fn place(
        &self,
        file: &LockFile,
        ids: &[String],
        directory: &Path,
        form: PlaceForm,
    ) -> Result<(), StoreError> {
        let mut lock = file.load()?;
        let known = self.places(file)?;
        for id in ids {
            let skill = lock.skills.get_mut(id);
            let skill = skill.ok_or_else(|| StoreError::NotPlaceable(id.clone()))?;
            let locked = self.placeable(file, id, skill.tree, directory, form, &known)?;
            skill.places.retain(|it| it.directory != locked.directory);
            skill.places.insert(locked);
        }
        self.save(file, &lock).map(drop)
    }

    /// Returns the packages that [`Self::place`] would not place in one of the directories, which
    /// are for packages.
    pub(crate) fn unplaceable<'p>(
        &self,
        file: &LockFile,
        packages: impl Iterator<Item = (&'p str, Digest)>,
        directories: &[PathBuf],
    ) -> Result<Vec<LeftOut>, StoreError> {
        let known = self.places(file)?;
        let mut refused = Vec::new();
        for (id, tree) in packages {
            let place = |it: &PathBuf| self.placeable(file, id, tree, it, PlaceForm::Copy, &known);
            match directories.iter().try_for_each(|directory| place(directory).map(drop)) {
                Ok(()) => {}
                Err(error @ (StoreError::PlaceOccupied(_) | StoreError::NotPlaceable(_))) => {
                    refused.push(LeftOut { name: id.to_owned(), error: error.into() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(refused)
    }

    /// Returns how the lock names the place of a package, if it can be placed there.
    fn placeable(
        &self,
        file: &LockFile,
        id: &str,
        tree: Digest,
        directory: &Path,
        form: PlaceForm,
        known: &[Place],
    ) -> Result<LockedPlace, StoreError> {
        let named = locked_directory(file, directory)?;
        let locked = file.placeable(LockedPlace { directory: named, form });
        let at = directory.join(id);
        if id.contains('/') {
            return Err(StoreError::NotPlaceable(id.to_owned()));
        }
        if let Some(reason) = locked.refusal(id).filter(|_| file.is_of_project()) {
            return Err(StoreError::PlaceRefused(directory.to_owned(), reason));
        }
        match self.content(file, &Place::new(id, &locked, tree), Some(tree), known)? {
            Content::Other => Err(StoreError::PlaceOccupied(at)),
            Content::Blocked => Err(StoreError::PlaceBlocked(at)),
            Content::Nothing | Content::Package(..) | Content::Part(..) => Ok(locked),
        }
    }

    /// Removes what was placed for skills that are not to stay, and returns what was changed since
    /// and is left.
    ///
    /// # Errors
    ///
    /// The note about places cannot be used, or the disk fails.
    pub fn remove_places(
        &self,
        file: &LockFile,
        stays: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Placed>, StoreError> {
        let before = file.load()?;
        let mut lock = before.clone();
        let going = lock.skills.iter_mut().filter(|(id, _)| !stays(id));
        going.for_each(|(_, skill)| skill.places.clear());
        if lock == before { Ok(Vec::new()) } else { self.save(file, &lock) }
    }

    /// Returns what is at the places of the lock, without changing it.
    ///
    /// # Errors
    ///
    /// As [`Self::restore_places`].
    pub fn check_places(&self, file: &LockFile) -> Result<Vec<Placed>, StoreError> {
        let (lock, known) = (file.load()?, self.places(file)?);
        let check = |place: Place| {
            let (state, _) = self.state(file, &place, &known)?;
            Ok(place.placed(state.of(file, &lock, &place)))
        };
        wanted(file, &lock).map(check).collect()
    }

    /// Notes the hosts that the user has allowed for the sources of skills.
    ///
    /// # Errors
    ///
    /// The lock cannot be read or written.
    pub fn allow_hosts(
        &self,
        file: &LockFile,
        ids: &[String],
        hosts: &[String],
    ) -> Result<(), StoreError> {
        let before = file.load()?;
        let mut lock = before.clone();
        for (_, skill) in lock.skills.iter_mut().filter(|(id, _)| ids.contains(id)) {
            skill.hosts.extend(hosts.iter().cloned());
        }
        if lock == before { Ok(()) } else { self.save(file, &lock).map(drop) }
    }

    /// Restores what the lock places, and removes what was placed here and is named no longer.
    /// Nothing that somebody has changed is replaced or removed.
    ///
    /// # Errors
    ///
    /// The lock or the note about places cannot be used, a directory leads out of the project, or
    /// the disk fails.
    pub fn restore_places(&self, file: &LockFile) -> Result<Vec<Placed>, StoreError> {
        let lock = file.load()?;
        for (id, skill) in &lock.skills {
            self.record_locked(file, id, Some(skill))?;
        }
        self.record_removed(file, &lock)?;
        self.follow(file, &Lock::default(), &lock)
    }

    /// Does what [`Self::restore_places`] does for this lock, which replaces the one before.
    pub(crate) fn follow(
        &self,
        file: &LockFile,
        before: &Lock,
        lock: &Lock,
    ) -> Result<Vec<Placed>, StoreError> {
        let known = self.places(file)?;
        let wanted_now: Vec<_> = wanted(file, lock).collect();
        let mut earlier = known.clone();
        earlier
            .extend(wanted(file, before).filter(|it| known.iter().all(|known| !known.is_at(it))));
        let mut going = earlier.clone();
        going.retain(|place| !wanted_now.iter().any(|it| it.is_at(place)));
        let mut placed = Vec::new();
        for place in going {
            match self.content(file, &place, None, &known)? {
                Content::Nothing | Content::Blocked => {}
                Content::Package(..) => self.remove_place(file, &place)?,
                Content::Other | Content::Part(..) => placed.push(place.placed(PlaceState::Left)),
            }
        }
        let mut own = Vec::new();
        for place in wanted_now {
            let (state, added) = self.state(file, &place, &earlier)?;
            let state = self.restore(file, &place, state.of(file, lock, &place), &added)?;
            placed.push(place.placed(state));
            match state {
                PlaceState::Intact | PlaceState::Extended | PlaceState::Restored => own.push(place),
                _ => own.extend(known.iter().find(|it| it.is_at(&place)).cloned()),
            }
        }
        if own != known {
            self.save_places(file, &own)?;
        }
        Ok(placed)
    }

    fn restore(
        &self,
        file: &LockFile,
        place: &Place,
        state: PlaceState,
        added: &[String],
    ) -> Result<PlaceState, StoreError> {
        if state != PlaceState::Missing || !self.has(&place.tree) {
            return Ok(state);
        }
        self.put(file, place, added)?;
        Ok(PlaceState::Restored)
    }

    /// Returns what is at a place, and the files that were added and stay there.
    fn state(
        &self,
        file: &LockFile,
        place: &Place,
        known: &[Place],
    ) -> Result<(PlaceState, Vec<String>), StoreError> {
        match self.content(file, place, Some(place.tree), known)? {
            Content::Package(form, tree) if form == place.form && tree == place.tree => {
                // The link of another machine leads nowhere here.
                let is_here = form == PlaceForm::Copy || self.is_own_link(file, place)?;
                let state = if is_here { PlaceState::Intact } else { PlaceState::Missing };
                Ok((state, Vec::new()))
            }
            Content::Part(tree, part) if tree == place.tree && part.is_addition() => {
                Ok((PlaceState::Extended, part.added))
            }
            Content::Part(_, part) => Ok((PlaceState::Missing, part.added)),
            Content::Other => Ok((PlaceState::Edited, Vec::new())),
            Content::Blocked => Ok((PlaceState::Blocked, Vec::new())),
            Content::Nothing | Content::Package(..) => Ok((PlaceState::Missing, Vec::new())),
        }
    }

    /// Returns what is at a place. A link to a package of any store was made by this program; a
    /// copy is recognized by its files, as those that the lock names or as an earlier version.
    fn content(
        &self,
        file: &LockFile,
        place: &Place,
        locked: Option<Digest>,
        known: &[Place],
    ) -> Result<Content, StoreError> {
        let parent = match open(file, &place.directory) {
            Err(error) if is_blocked(error.kind()) => return Ok(Content::Blocked),
            opened => opened?,
        };
        let Some(parent) = parent else { return Ok(Content::Nothing) };
        if let Ok(target) = parent.read_link(&place.id) {
            let tree = linked_tree(Path::new(OsStr::from_bytes(&target)));
            return Ok(tree.map_or(Content::Other, |tree| Content::Package(PlaceForm::Link, tree)));
        }
        match parent.stat(&place.id, Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Content::Nothing),
            _ => {}
        }
        let Ok(copied) = parent.open_dir(&place.id, Links::Refuse) else {
            return Ok(Content::Other);
        };
        let found = stored_digest(&copied)?;
        if let Some(tree) = found {
            if locked == Some(tree) || self.is_version(file, place, &tree, known)? {
                return Ok(Content::Package(PlaceForm::Copy, tree));
            }
            // A stored one that is no version is the work of a person.
            if self.has(&tree) {
                return Ok(Content::Other);
            }
        }
        let part = self.part(&copied, place, known);
        Ok(part?.map_or(Content::Other, |(tree, part)| Content::Part(tree, part)))
    }

    /// Returns the package that was placed, if a copy differs from it by files that were added or
    /// removed, or in line ends, and what was added can stay when the locked one is restored.
    fn part(
        &self,
        copied: &Dir,
        place: &Place,
        known: &[Place],
    ) -> Result<Option<(Digest, Difference)>, StoreError> {
        let packages = Store::new(&self.directory).packages()?;
        let Some(locked) = packages.files(&place.tree) else { return Ok(None) };
        let placed = known.iter().filter(|it| it.is_at(place));
        Ok([place].into_iter().chain(placed).find_map(|Place { tree, .. }| {
            let part = Difference::of(copied, &packages.files(tree)?)?;
            part.is_kept_by(&locked).then_some((*tree, part))
        }))
    }

    /// Returns whether a copy is another version that was installed. What a person has accepted,
    /// fixed or restored is the work of that person, though its files are in the store, too.
    fn is_version(
        &self,
        file: &LockFile,
        place: &Place,
        tree: &Digest,
        known: &[Place],
    ) -> Result<bool, StoreError> {
        if is_of_person(&self.ledger(&file.ledger_name(&place.id))?, tree) {
            return Ok(false);
        }
        let was_placed = known.iter().any(|it| it.is_at(place) && it.tree == *tree);
        Ok(was_placed || self.has(tree) && !self.has_person(tree)?)
    }

    fn is_own_link(&self, file: &LockFile, place: &Place) -> Result<bool, StoreError> {
        let target = self.directory.join(package_path(&place.tree));
        let parent = open(file, &place.directory)?;
        let link = parent.and_then(|parent| parent.read_link(&place.id).ok());
        Ok(link.is_some_and(|link| link == target.as_os_str().as_bytes()))
    }

    /// Removes what [`Self::content`] has recognized.
    fn remove_place(&self, file: &LockFile, place: &Place) -> Result<(), StoreError> {
        match open(file, &place.directory)? {
            Some(parent) => Ok(parent.remove_tree(&place.id)?),
            None => Ok(()),
        }
    }

    /// Places a package where nothing is, or where [`Self::content`] has recognized one.
    /// What was added to that moves over.
    fn put(&self, file: &LockFile, place: &Place, added: &[String]) -> Result<(), StoreError> {
        let parent = create(file, &place.directory)?;
        if place.form == PlaceForm::Link {
            parent.remove_tree(&place.id)?;
            let package = self.directory.join(package_path(&place.tree));
            return Ok(parent.create_link(&place.id, &package)?);
        }
        let stored = self.root.open_dir(&package_path(&place.tree), Links::Refuse)?;
        let package = archive(&stored, &place.tree)?;
        let temporary = format!(".prowess-{}.tmp", hex(&place.tree));
        parent.remove_tree(&temporary)?;
        let replaced = parent.open_dir(&place.id, Links::Refuse).ok();
        let new = parent.create_dir(&temporary)?;
        write(&new, &package, replaced.as_ref())?;
        // After a power failure, half of a copy would look like a change of the user.
        parent.sync()?;
        for path in added {
            let Some(replaced) = &replaced else { break };
            let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
            let moved_to = new.open_or_create_dirs(above)?;
            replaced.open_dir(above, Links::Refuse)?.move_into(name, &moved_to, name)?;
        }
        parent.remove_tree(&place.id)?;
        parent.move_into(&temporary, &parent, &place.id)?;
        Ok(parent.sync()?)
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

impl PlaceState {
    /// Returns the state for a lock whose skills may not all be placed.
    fn of(self, file: &LockFile, lock: &Lock, place: &Place) -> Self {
        let may_place = || lock.skills.get(&place.id).is_none_or(|skill| file.may_place(skill));
        if self == Self::Missing && !may_place() { Self::Untrusted } else { self }
    }
}

impl Place {
    fn new(id: &str, locked: &LockedPlace, tree: Digest) -> Self {
        let LockedPlace { directory, form } = locked.clone();
        Self { id: id.to_owned(), directory, form, tree }
    }

    fn is_at(&self, other: &Self) -> bool {
        (&self.id, &self.directory) == (&other.id, &other.directory)
    }

    fn placed(&self, state: PlaceState) -> Placed {
        let Self { id, directory, .. } = self;
        let path = if directory.is_empty() { id.clone() } else { format!("{directory}/{id}") };
        Placed { id: id.clone(), path, state }
    }
}

impl LockFile {
    /// Returns the id of the skill whose place is this directory, which need not exist.
    ///
    /// # Errors
    ///
    /// The lock cannot be read.
    pub fn placed_at(&self, directory: &Path) -> Result<Option<String>, StoreError> {
        let directory = directory.to_string_lossy();
        Ok(self.place_at(&self.load()?, &directory).map(|(id, _)| id.to_owned()))
    }

    /// Returns the id of the skill of a lock whose place is this directory, and the place.
    pub(crate) fn place_at<'l>(
        &self,
        lock: &'l Lock,
        directory: &str,
    ) -> Option<(&'l str, &'l LockedPlace)> {
        let id = Path::new(directory).file_name()?.to_str()?;
        let (place, path) = self.place_around(lock.skills.get(id)?, directory)?;
        let (id, _) = lock.skills.get_key_value(id)?;
        (path == *id).then_some((&**id, place))
    }

    /// Returns whether a skill of a lock comes from this directory of the machine.
    pub(crate) fn comes_from(&self, lock: &Lock, directory: &str) -> bool {
        let (own, directory) =
            (self.path().parent().unwrap_or(Path::new(".")), Path::new(directory));
        let local = lock.skills.values().filter(|it| it.source.starts_with(['.', '/']));
        let from =
            local.map(|it| own.join(&it.source).join(it.path.as_deref().unwrap_or_default()));
        let mut from = from.filter(|it| it.file_name() == directory.file_name());
        from.any(|it| it.canonicalize().is_ok_and(|it| directory.canonicalize().ok() == Some(it)))
    }

    /// Returns the place of a skill that a directory is in, at any depth, and its path there.
    pub(crate) fn place_around<'l>(
        &self,
        skill: &'l LockedSkill,
        directory: &str,
    ) -> Option<(&'l LockedPlace, String)> {
        // The skills of a store have no directory.
        let directory = Path::new(directory).is_absolute().then(|| Path::new(directory))?;
        let own = self.path().parent().unwrap_or(Path::new("."));
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let directory = canonical(directory.parent()?).join(directory.file_name()?);
        skill.places.iter().find_map(|place| {
            let path = directory.strip_prefix(canonical(&own.join(&place.directory))).ok()?;
            Some((place, path.to_str().filter(|path| !path.is_empty())?.to_owned()))
        })
    }
}

/// The copy of a skill in one of its places whose files are not the locked ones.
pub(crate) struct Altered {
    /// The name of its `SKILL.md`.
    pub(crate) file: &'static str,
    /// The files that differ, if they are known.
    pub(crate) difference: Option<Difference>,
}

/// Returns the package at a path of a place, if it is not the locked one. It decides for scans and
/// loads alike.
pub(crate) fn altered(
    file: &LockFile,
    store: &Store,
    path: &str,
    place: &LockedPlace,
    locked: &Digest,
) -> Option<Altered> {
    let parent = open(file, &place.directory).ok()??;
    let link = parent.read_link(path).ok();
    let copy = match link.as_deref().map(|target| Path::new(OsStr::from_bytes(target))) {
        Some(target) if linked_tree(target) != Some(*locked) => {
            return Some(Altered { file: SKILL_MD_FILES[0], difference: None });
        }
        Some(target) => Dir::open(target),
        None => parent.open_dir(path, Links::Refuse),
    };
    let copy = copy.ok()?;
    let is_there = |name: &&str| copy.stat(name, Links::FollowInside).is_ok();
    let skill_md = SKILL_MD_FILES.into_iter().find(is_there)?;
    if stored_digest(&copy).ok().flatten() == Some(*locked) {
        return None;
    }
    let packages = store.packages().ok();
    let difference = packages.and_then(|it| Difference::from_locked(&copy, &it, locked));
    Some(Altered { file: skill_md, difference })
}

/// Opens a copy of a skill at one of its places, if it is what the lock names.
pub(crate) fn intact_copy(file: &LockFile, id: &str, skill: &LockedSkill) -> Option<Dir> {
    skill.places.iter().filter(|_| !id.contains('/')).find_map(|place| {
        let copy = open(file, &place.directory).ok()??.open_dir(id, Links::Refuse).ok()?;
        (stored_digest(&copy).ok()? == Some(skill.tree)).then_some(copy)
    })
}

/// Reads a package.
pub(crate) fn archive(stored: &Dir, tree: &Digest) -> Result<Archive, StoreError> {
    let states = stored_files(stored)?.ok_or(StoreError::Changed(*tree, Vec::new()))?;
    let files = stored_contents(stored)?.into_iter().map(|(path, content)| {
        let is_executable = states.get(&path).is_some_and(|(is_executable, _)| *is_executable);
        File { path, is_executable, content }
    });
    Archive::new(files.collect()).map_err(|_| StoreError::Changed(*tree, Vec::new()))
}

/// Returns the places of a lock.
fn wanted<'l>(file: &'l LockFile, lock: &'l Lock) -> impl Iterator<Item = Place> + 'l {
    let skills = lock.skills.iter().filter(|(id, _)| !id.contains('/'));
    skills.flat_map(move |(id, skill)| {
        let places = skill.places.iter().cloned().map(|place| file.placeable(place));
        places.map(move |place| Place::new(id, &place, skill.tree))
    })
}

/// Returns the package that a link of this program leads to, in the store of any machine.
fn linked_tree(target: &Path) -> Option<Digest> {
    let name = target.file_name()?.to_str()?;
    let parent = target.parent()?;
    let is_store = parent.ends_with(Path::new("store").join(PACKAGES));
    format!("sha256:{name}").parse().ok().filter(|_| is_store)
}
