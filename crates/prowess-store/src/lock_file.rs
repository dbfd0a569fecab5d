//! Lock files on the disk.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{Diagnostic, Digest, Severity};
use prowess_dir::{Dir, ErrorKind, Identity, Links, Permissions, create_directories};
use prowess_text::quoted;

use crate::codes::LOCK_KEY_UNKNOWN;
use crate::error::{LockError, StoreError};
use crate::lock::Lock;
use crate::locked_skill::LockedSkill;
use crate::placed::{LockedPlace, PlaceForm};

/// The maximum size of a lock file, in bytes: some ten thousand skills.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The maximum size of the lock file of a project, in bytes: others decide how long commands read.
const MAX_SHARED: usize = 1024 * 1024;

/// Decides whether a skill may be placed where other clients use it without a question.
type MayPlace = Arc<dyn Fn(&LockedSkill) -> bool + Send + Sync>;

/// The path of a lock file, which need not exist.
#[derive(Clone)]
pub struct LockFile {
    path: PathBuf,
    project: Option<Project>,
    may_place: Option<MayPlace>,
}

/// The folder that a lock belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Project {
    folder: PathBuf,
    identity: Option<Identity>,
}

impl LockFile {
    /// Creates the value for this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), project: None, may_place: None }
    }

    /// Creates the value for the lock of a project, which others may have written: it is opened
    /// through the handle of the project's folder, and its places are below its own directory.
    /// With an identity, only that very folder is used.
    pub fn of_project(
        path: impl Into<PathBuf>,
        folder: impl Into<PathBuf>,
        identity: Option<Identity>,
    ) -> Self {
        let project = Some(Project { folder: folder.into(), identity });
        Self { path: path.into(), project, may_place: None }
    }

    /// Sets which skills are placed. By default, all whose places the lock names.
    #[must_use]
    pub fn placing(self, may_place: Arc<dyn Fn(&LockedSkill) -> bool + Send + Sync>) -> Self {
        Self { may_place: Some(may_place), ..self }
    }

    /// Returns whether a skill may be placed.
    pub fn may_place(&self, skill: &LockedSkill) -> bool {
        self.may_place.as_ref().is_none_or(|may_place| may_place(skill))
    }

    /// Returns whether this is the lock of a project.
    pub fn is_of_project(&self) -> bool {
        self.project.is_some()
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the lock; an empty one if the file does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a lock file.
    pub fn load(&self) -> Result<Lock, StoreError> {
        match self.read()? {
            Some(text) => Ok(self.parse(&text)?),
            None => Ok(Lock::default()),
        }
    }

    /// Returns warnings about keys that have no effect: those of a later version of this program,
    /// or misspelt ones. A file that cannot be read has none.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let lock = self.load().unwrap_or_default();
        let path = self.path.to_string_lossy();
        let warning = |key: String| {
            let message = format!("the key {} has no effect in this version", quoted(&key));
            let help = "correct its name, or use the version of prowess that wrote it";
            let warning = Diagnostic::new(LOCK_KEY_UNKNOWN, Severity::Warning, message, help);
            warning.in_file(&*path)
        };
        lock.unknown_keys().map(warning).collect()
    }

    /// Reads a text of this file.
    pub(crate) fn parse(&self, text: &str) -> Result<Lock, LockError> {
        let lock = Lock::parse(text)?;
        for (id, skill) in &lock.skills {
            for place in &skill.places {
                let refusal = match self.is_of_project() {
                    true => place.refusal(id),
                    false => (!place.directory.starts_with('/')).then_some("is no absolute path"),
                };
                if let Some(reason) = refusal {
                    let (id, directory) = (quoted(id), quoted(&place.directory));
                    let message = format!("{id} is placed in {directory}, which {reason}");
                    return Err(LockError::Invalid(message));
                }
            }
        }
        Ok(lock)
    }

    /// Returns a place with the form that it may have: a link would lead from a project into the
    /// store of one user, which no other clone has.
    pub(crate) fn placeable(&self, place: LockedPlace) -> LockedPlace {
        let form = if self.is_of_project() { PlaceForm::Copy } else { place.form };
        LockedPlace { form, ..place }
    }

    /// Reads the text of the file; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn read(&self) -> Result<Option<String>, StoreError> {
        let invalid = |message: String| StoreError::from(LockError::Invalid(message));
        let (directory, name) = match self.open() {
            Ok(opened) => opened,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(invalid(error.to_string())),
        };
        let most = if self.is_of_project() { MAX_SHARED } else { MAX_BYTES };
        match directory.read(&name, most) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes);
                text.map(Some).map_err(|_| invalid("it is not UTF-8".to_owned()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(invalid(error.to_string())),
        }
    }

    /// Replaces the file in one step.
    ///
    /// # Errors
    ///
    /// The file cannot be written. The old one is then unchanged.
    pub fn save(&self, lock: &Lock) -> Result<(), StoreError> {
        self.write(&lock.to_text())
    }

    /// Replaces the file by a text in one step.
    ///
    /// # Errors
    ///
    /// As [`Self::save`].
    pub fn write(&self, text: &str) -> Result<(), StoreError> {
        if let Some(parent) = self.path.parent() {
            create_directories(parent, 0o777)?;
        }
        let (directory, name) = self.open()?;
        let temporary = format!(".{name}.tmp");
        Ok(directory.put_file(&name, &temporary, text.as_bytes(), Permissions::Readable)?)
    }

    /// Returns a key for what is stored about this file elsewhere.
    pub(crate) fn key(&self) -> String {
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let digest = Digest::of(path.as_os_str().as_encoded_bytes()).to_string();
        digest.trim_start_matches("sha256:")[..16].to_owned()
    }

    /// Opens the directory of the file, and returns the file's name.
    fn open(&self) -> Result<(Dir, String), prowess_dir::Error> {
        let path = self.path.to_string_lossy();
        let name = self.path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| prowess_dir::Error::malformed(&path))?;
        Ok((self.open_directory()?, name.to_owned()))
    }

    /// Opens the directory of the file: that of a project through the project's folder.
    pub(crate) fn open_directory(&self) -> Result<Dir, prowess_dir::Error> {
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        let Some(Project { folder, identity }) = &self.project else { return Dir::open(parent) };
        let opened = Dir::open(folder)?;
        if let Some(identity) = identity {
            opened.require(identity, folder)?;
        }
        let below = parent.strip_prefix(folder).ok().and_then(Path::to_str);
        match below.ok_or_else(|| prowess_dir::Error::malformed(&parent.to_string_lossy()))? {
            "" => Ok(opened),
            below => opened.open_dir(below, Links::Refuse),
        }
    }
}

impl fmt::Debug for LockFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, project, .. } = self;
        let mut debug = formatter.debug_struct("LockFile");
        debug.field("path", path).field("project", project).finish_non_exhaustive()
    }
}
