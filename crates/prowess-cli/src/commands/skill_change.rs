//! Changes of a skill's files by this program: each is a version in the ledger of the skill.

use std::path::Path;

use prowess::governance::{ReviewError, SkillPackage, package_digest};
use prowess::{Digest, PackageFile, PackageFiles, Record, SKILL_MD_FILES};
use prowess_archive::{Archive, File};
use prowess_store::{Author, Change, LockFile, Store, Version};
use prowess_text::shell_word;

use crate::args::Global;
use crate::commands::found;
use crate::failure::Failure;
use crate::install_place::store;
use crate::lock_place;
use crate::paths::{LOCKED, absolute, working_directory};
use crate::runtime;
use crate::terminal::plain;

/// A skill that has a history.
pub(super) enum Target {
    /// One in a directory, which may have been removed.
    Directory(SkillPackage),
    /// One of a lock file, by its id there. It may have been removed.
    Installed(LockFile, String),
}

impl Target {
    /// Finds a skill by its id, also one that is broken or was removed, or by its directory. In a
    /// project, what its lock file has installed comes before what that of the user has.
    pub(super) fn of(global: &Global, id: &str) -> Result<Self, Failure> {
        if Path::new(id).is_absolute() || id.split('/').next().is_some_and(|it| it.starts_with('.'))
        {
            return Self::at(Path::new(id))?.ok_or_else(|| without_history(id));
        }
        let runtime = runtime::runtime(global)?;
        let catalog = runtime.catalog();
        let found = match found::record(&catalog, id) {
            // The catalog of a server may be a moment older than the removal of a directory.
            Ok(record) if is_gone(record) => match Self::recorded(id)? {
                Some(recorded) => recorded,
                None => return Err(unwritable(&record.root_directory())),
            },
            Ok(record) => Self::of_record(record)?,
            Err(failure) => {
                return match Self::recorded(id)? {
                    // The layer that is named has no such skill.
                    Some(_) if id.contains(':') => {
                        let help = format!("did you mean `{}`?", plain(&shell_word(name_of(id))));
                        Err(failure.with_help(help))
                    }
                    found => found.ok_or(failure),
                };
            }
        };
        let name = name_of(id);
        match &found {
            Self::Installed(lock, _) if !lock.is_of_project() && name == id => {
                let locks = lock_place::of_directory(&working_directory()?)?;
                let project = locks.into_iter().find(LockFile::is_of_project);
                let project = project.filter(|lock| has_versions(lock, name));
                Ok(project.map_or(found, |lock| Self::Installed(lock, name.to_owned())))
            }
            _ => Ok(found),
        }
    }

    pub(super) fn of_record(record: Record<'_>) -> Result<Self, Failure> {
        let root = record.root_directory();
        if let Some(lock) = root.strip_prefix(LOCKED) {
            let locks = lock_place::of_directory(&working_directory()?)?;
            let is_of_project = lock.starts_with('/');
            let lock = locks.into_iter().find(|lock| lock.is_of_project() == is_of_project);
            let id = record.directory().to_owned();
            return lock.map(|lock| Self::Installed(lock, id)).ok_or_else(|| unwritable(&root));
        }
        if !Path::new(&root).is_dir() {
            return Err(unwritable(&root));
        }
        Self::at(Path::new(&root))?.ok_or_else(|| unwritable(&root))
    }

    /// Returns the skill in this directory, or that was in it.
    fn at(path: &Path) -> Result<Option<Self>, Failure> {
        let path = absolute(path)?;
        let is_file =
            path.file_name().is_some_and(|name| SKILL_MD_FILES.iter().any(|it| *it == name));
        let path = path.parent().filter(|_| is_file).unwrap_or(&path);
        let package = SkillPackage::new(path)?;
        let store = store()?;
        if store.root().canonicalize().is_ok_and(|root| package.path().starts_with(root)) {
            // A link to an installed package, which nothing changes.
            return Ok(placed(path)?.map(|(lock, id)| Self::Installed(lock, id)));
        }
        let is_known =
            package.path().is_dir() || !store.ledger(&ledger_name(&package)?)?.is_empty();
        Ok(is_known.then_some(Self::Directory(package)))
    }

    /// Returns a skill that the catalog does not have, by its versions.
    fn recorded(id: &str) -> Result<Option<Self>, Failure> {
        let name = name_of(id);
        let mut locks = lock_place::of_directory(&working_directory()?)?;
        locks.retain(|lock| has_versions(lock, name));
        if let Some(at) = locks.iter().position(LockFile::is_of_project) {
            return Ok(Some(Self::Installed(locks.remove(at), name.to_owned())));
        }
        if id.contains('/')
            && let Some(found) = Self::at(Path::new(id))?
        {
            return Ok(Some(found));
        }
        let ledgers = store()?.ledgers()?.into_keys();
        let is_named = |it: &String| {
            it.starts_with('/') && Path::new(it).file_name().is_some_and(|last| last == name)
        };
        let mut directories: Vec<_> = ledgers.filter(is_named).collect();
        if directories.iter().any(|it| Path::new(it).is_dir()) {
            directories.retain(|it| Path::new(it).is_dir());
        } else if let Some(lock) = locks.pop() {
            return Ok(Some(Self::Installed(lock, name.to_owned())));
        }
        match &directories[..] {
            [] => Ok(None),
            [only] => Ok(Some(Self::Directory(SkillPackage::new(Path::new(only))?))),
            several => {
                let several: Vec<_> = several.iter().map(|it| format!("`{}`", plain(it))).collect();
                let message = format!("`{}` was in {}", plain(id), several.join(" and in "));
                Err(Failure::new("skill-ambiguous", message, "name one of the directories instead"))
            }
        }
    }

    /// Returns the package of a skill in a directory.
    pub(super) fn package(self, id: &str) -> Result<SkillPackage, Failure> {
        match self {
            Self::Directory(package) if placed(&package.path())?.is_none() => Ok(package),
            Self::Directory(_) | Self::Installed(..) => {
                let message =
                    format!("`{id}` is installed, and its source has the files to change");
                let help = "propose the change there, or copy the skill to a directory of your own";
                Err(Failure::new("skill-not-writable", message, help))
            }
        }
    }

    /// Returns the versions of the skill, the oldest first.
    pub(super) fn versions(&self) -> Result<Vec<Version>, Failure> {
        let name = match self {
            Self::Directory(package) => ledger_name(package)?,
            Self::Installed(lock, id) => lock.ledger_name(id),
        };
        Ok(store()?.ledger(&name)?)
    }

    /// Returns the files now; none for a skill that was removed.
    pub(super) fn files(&self) -> Result<PackageFiles, Failure> {
        match self {
            Self::Directory(package) => Ok(package.files()?),
            Self::Installed(..) => {
                self.now()?.map_or_else(|| Ok(PackageFiles::new()), |it| stored(&it))
            }
        }
    }

    /// Returns the digest of the files now; `None` for a skill that was removed.
    pub(super) fn now(&self) -> Result<Option<Digest>, Failure> {
        Ok(match self {
            Self::Directory(package) if !package.path().is_dir() => None,
            Self::Directory(package) => Some(package_digest(&package.files()?)),
            Self::Installed(lock, id) => lock.load()?.skills.get(id).map(|skill| skill.tree),
        })
    }

    /// Returns the directories that are gone, and that had such files or this name.
    pub(super) fn moved_from(&self) -> Result<Vec<String>, Failure> {
        let Self::Directory(package) = self else { return Ok(Vec::new()) };
        let (path, now) = (package.path(), self.now()?);
        let is_origin = |(name, versions): &(String, Vec<Version>)| {
            let directory = Path::new(name);
            let is_gone = directory.is_absolute() && !directory.exists();
            let has_files = || versions.iter().any(|version| Some(version.package) == now);
            is_gone && (directory.file_name() == path.file_name() || has_files())
        };
        let ledgers = store()?.ledgers()?.into_iter();
        Ok(ledgers.filter(is_origin).map(|(name, _)| name).collect())
    }
}

/// Returns the lock file that has placed a copy in a directory, and the id of the skill there.
fn placed(path: &Path) -> Result<Option<(LockFile, String)>, Failure> {
    for lock in lock_place::of_directory(path.parent().unwrap_or(path))? {
        if let Some(id) = lock.placed_at(path)? {
            return Ok(Some((lock, id)));
        }
    }
    Ok(None)
}

fn is_gone(record: Record<'_>) -> bool {
    let root = record.root_directory();
    root.starts_with('/') && !Path::new(&root).is_dir()
}

/// Returns the name of a skill behind that of its layer or plugin.
fn name_of(id: &str) -> &str {
    id.rsplit_once(':').map_or(id, |(_, name)| name)
}

fn has_versions(lock: &LockFile, id: &str) -> bool {
    let versions = store().and_then(|store| Ok(store.ledger(&lock.ledger_name(id))?));
    versions.is_ok_and(|versions| !versions.is_empty())
}

/// Returns the name under which the versions of a directory are kept. A copy of an installed skill
/// shares them with the lock file, so that one list has all that happened to it.
fn ledger_name(package: &SkillPackage) -> Result<String, Failure> {
    let path = package.path();
    if let Some((lock, id)) = placed(&path)? {
        return Ok(lock.ledger_name(&id));
    }
    let (store, own) = (store()?, path.to_string_lossy().into_owned());
    if !store.ledger(&own)?.is_empty() {
        return Ok(own);
    }
    // The changed copy of a skill that was removed stays.
    let id = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let now = package_digest(&package.files()?);
    for lock in lock_place::of_directory(path.parent().unwrap_or(&path))? {
        let name = lock.ledger_name(&id);
        let is_removed = !lock.load()?.skills.contains_key(&*id);
        if is_removed && store.ledger(&name)?.iter().any(|version| version.package == now) {
            return Ok(name);
        }
    }
    Ok(own)
}

fn unwritable(location: &str) -> Failure {
    let message = format!("`{location}` is no directory of files that can be changed");
    Failure::new("skill-not-writable", message, "copy the skill to a directory of your own")
}

fn without_history(path: &str) -> Failure {
    let message = format!("there is no skill in `{}`, and no version of one", plain(path));
    Failure::new("skill-not-found", message, "name the directory of a skill, or its id")
}

/// A change that is about to be made.
pub(super) struct Made<'c> {
    pub(super) package: &'c SkillPackage,
    pub(super) before: &'c PackageFiles,
    pub(super) after: &'c PackageFiles,
    pub(super) author: Author,
    /// `accepted`, `created`, `fixed` or `restored`.
    pub(super) action: &'static str,
    pub(super) reason: Option<String>,
    pub(super) proposal: Option<String>,
}

/// A version of a change that is not made yet.
pub(super) struct Recorded {
    change: Change,
    name: String,
    version: Version,
}

impl Recorded {
    /// Removes the version: the change was not made.
    pub(super) fn retract(self) {
        // The error of the change is the one to report.
        let _ = self.change.retract(&self.name, &self.version);
    }
}

impl Made<'_> {
    /// Makes the change, after the store has the files before and after it. So a program that is
    /// killed leaves no change without a version.
    pub(super) fn make(
        self,
        change: impl FnOnce() -> Result<(), ReviewError>,
    ) -> Result<(), Failure> {
        let recorded = self.record()?;
        change().map_err(|error| {
            recorded.retract();
            Failure::from(error)
        })
    }

    /// Keeps the files before and after the change, and the version.
    pub(super) fn record(self) -> Result<Recorded, Failure> {
        let Self { package, before, after, author, action, reason, proposal } = self;
        let name = ledger_name(package)?;
        let store: Store = store()?;
        let stored = store.begin()?;
        let version = |package, action: &str| Version {
            package,
            action: action.to_owned(),
            by: author.by.clone(),
            at: author.at,
            reason: None,
            proposal: None,
        };
        let mut known = store.ledger(&name)?;
        let package = stored.insert(&[&archive(after)?])?[0];
        // A skill that was removed has no files.
        if !before.is_empty() {
            let found = stored.insert(&[&archive(before)?])?[0];
            // A program that was killed has recorded this change, and has not made it.
            if let [.., was, unmade] = &known[..]
                && (was.package, unmade.package) == (found, package)
                && (&*unmade.action, &unmade.proposal) == (action, &proposal)
            {
                stored.retract(&name, unmade)?;
                known.pop();
            }
            if known.last().is_none_or(|last| last.package != found) {
                stored.record(&name, version(found, "found"))?;
            }
        }
        let version = Version { reason, proposal, ..version(package, action) };
        stored.record(&name, version.clone())?;
        Ok(Recorded { change: stored, name, version })
    }
}

fn archived(files: &PackageFiles) -> Vec<File> {
    let file = |(path, file): (&String, &PackageFile)| {
        let PackageFile { content, is_executable } = file.clone();
        File { path: path.clone(), content, is_executable }
    };
    files.iter().map(file).collect()
}

/// Returns the files as the store keeps them.
fn archive(files: &PackageFiles) -> Result<Archive, Failure> {
    Archive::new(archived(files)).map_err(|error| {
        let message = format!("the files of the skill cannot be kept: {error}");
        Failure::new("skill-not-writable", message, "rename or remove that file")
    })
}

/// The number of digits of a digest that are shown, and at least stand for it.
pub(super) const DIGITS: usize = 12;

/// Returns the first digits of a digest.
pub(super) fn short(digest: &Digest) -> String {
    digest.to_string().trim_start_matches("sha256:").chars().take(DIGITS).collect()
}

/// Returns the capabilities of a package with these files, which an archive need not be able to have.
pub(super) fn surface(files: &PackageFiles) -> std::collections::BTreeSet<String> {
    prowess_store::surface(&archived(files))
}

/// Returns the files of a stored package.
pub(super) fn stored(tree: &Digest) -> Result<PackageFiles, Failure> {
    let archive = store()?.package(tree)?;
    let file = |file: &File| {
        let content = file.content.to_vec();
        (file.path.clone(), PackageFile { content, is_executable: file.is_executable })
    };
    Ok(archive.files().iter().map(file).collect())
}

impl From<ReviewError> for Failure {
    fn from(error: ReviewError) -> Self {
        let help = match error.code.as_str() {
            "proposal-conflict" if error.conflicts.is_empty() => {
                "see `prowess proposals show`, which prints the `--rebase` of a change that fits"
            }
            "proposal-conflict" => {
                "see `prowess proposals show` for both, and propose the change again"
            }
            "proposal-not-found" => "see `prowess proposals list --all`",
            "proposal-changed" => "see it again with `prowess proposals show`",
            "reviewer-not-allowed" => "ask another person to decide",
            "proposal-invalid" => "reject it, or propose another change",
            "proposal-tampered" => "`prowess proposals reject` removes it by its whole name",
            "skill-unreadable" | "change-not-written" => {
                "follow the message, and run the command again"
            }
            _ => "see `prowess explain` for the code",
        };
        Self::new(error.code.as_str(), error.message, help)
    }
}
