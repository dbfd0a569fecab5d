//! Changes of a skill's files by this program: each is a version in the ledger of the skill.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prowess::governance::{ReviewError, SkillPackage, package_digest};
use prowess::{Digest, PackageFile, PackageFiles};
use prowess_archive::{Archive, File};
use prowess_store::{Author, LockFile, Store, Version};

use crate::args::Global;
use crate::commands::show;
use crate::failure::Failure;
use crate::install_place::store;
use crate::lock_place::{project_skills, user_lock};
use crate::paths::surroundings;
use crate::policies::policies;
use crate::runtime;

/// A skill that has a history.
pub(super) enum Target {
    /// One in a directory.
    Directory(SkillPackage),
    /// One of a lock file, by its id there.
    Installed(LockFile, String),
}

/// The start of the location of an installed skill.
const LOCK: &str = "prowess-lock://";

impl Target {
    /// Finds a skill by its id. An installed one may have been removed.
    pub(super) fn of(global: &Global, id: &str) -> Result<Self, Failure> {
        let runtime = runtime::runtime(global)?;
        let catalog = runtime.catalog();
        let record = match show::record(&catalog, id) {
            Ok(record) => record,
            Err(failure) => {
                let lock = user_lock()?;
                let is_known = !store()?.ledger(&lock.ledger_name(id))?.is_empty();
                return if is_known {
                    Ok(Self::Installed(lock, id.to_owned()))
                } else {
                    Err(failure)
                };
            }
        };
        let root = record.root_directory();
        if let Some(lock) = root.strip_prefix(LOCK) {
            let id = record.directory().to_owned();
            let lock = match lock.starts_with('/') {
                true => project_skills(&surroundings()?, &policies(global)?.discovery)
                    .map(|project| project.file),
                false => Some(user_lock()?),
            };
            return lock.map(|lock| Self::Installed(lock, id)).ok_or_else(|| unwritable(&root));
        }
        if !Path::new(&root).is_dir() {
            return Err(unwritable(&root));
        }
        Ok(Self::Directory(SkillPackage::new(Path::new(&root))?))
    }

    /// Returns the package of a skill in a directory.
    pub(super) fn package(self, id: &str) -> Result<SkillPackage, Failure> {
        match self {
            Self::Directory(package) => Ok(package),
            Self::Installed(..) => {
                let message =
                    format!("`{id}` is installed, and its source has the files to change");
                let help = "propose the change there, or copy the skill to a directory of your own";
                Err(Failure::new("skill-not-writable", message, help))
            }
        }
    }

    /// Returns the name of the skill in the ledger.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Directory(package) => package.path().to_string_lossy().into_owned(),
            Self::Installed(lock, id) => lock.ledger_name(id),
        }
    }

    /// Returns the digest of the files now.
    pub(super) fn now(&self) -> Result<Option<Digest>, Failure> {
        Ok(match self {
            Self::Directory(package) => Some(package_digest(&package.files()?)),
            Self::Installed(lock, id) => lock.load()?.skills.get(id).map(|skill| skill.tree),
        })
    }
}

fn unwritable(location: &str) -> Failure {
    let message = format!("`{location}` is no directory of files that can be changed");
    Failure::new("skill-not-writable", message, "copy the skill to a directory of your own")
}

/// A change that is about to be made.
pub(super) struct Made<'c> {
    pub(super) package: &'c SkillPackage,
    pub(super) before: &'c PackageFiles,
    pub(super) after: &'c PackageFiles,
    pub(super) author: Author,
    /// `accepted` or `restored`.
    pub(super) action: &'static str,
    pub(super) reason: Option<String>,
    pub(super) proposal: Option<String>,
}

impl Made<'_> {
    /// Makes the change, after the store has the files before and after it. So a program that is
    /// killed leaves no change without a version.
    pub(super) fn make(
        self,
        change: impl FnOnce() -> Result<(), ReviewError>,
    ) -> Result<(), Failure> {
        let Self { package, before, after, author, action, reason, proposal } = self;
        let store: Store = store()?;
        let stored = store.begin()?;
        let archives = [archive(before)?, archive(after)?];
        let trees = stored.insert(&[&archives[0], &archives[1]])?;
        let name = package.path().to_string_lossy().into_owned();
        let version = |package, action: &str| Version {
            package,
            action: action.to_owned(),
            by: author.by.clone(),
            at: author.at,
            reason: None,
            proposal: None,
        };
        let mut known = store.ledger(&name)?;
        // A program that was killed has recorded this change, and has not made it.
        let is_unmade = |last: &&Version| {
            last.package == trees[1] && last.action == action && last.proposal == proposal
        };
        if let Some(unmade) = known.last().filter(is_unmade) {
            stored.retract(&name, unmade)?;
            known.pop();
        }
        if known.last().is_none_or(|last| last.package != trees[0]) {
            stored.record(&name, version(trees[0], "found"))?;
        }
        let version = Version { reason, proposal, ..version(trees[1], action) };
        stored.record(&name, version.clone())?;
        change().map_err(|error| {
            // The version was not made. The first error is the one to report.
            let _ = stored.retract(&name, &version);
            Failure::from(error)
        })
    }
}

/// Returns the files as the store keeps them.
fn archive(files: &PackageFiles) -> Result<Archive, Failure> {
    let files = files.iter().map(|(path, PackageFile { content, is_executable })| {
        let file = File::new(path.clone(), content.clone());
        if *is_executable { file.executable() } else { file }
    });
    Archive::new(files.collect()).map_err(|error| {
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

/// Returns the capabilities of a package with these files.
pub(super) fn surface(files: &PackageFiles) -> std::collections::BTreeSet<String> {
    archive(files).map(|archive| prowess_store::surface(&archive)).unwrap_or_default()
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

/// Commits the changed files of a skill, and no others, without the hooks of the repository.
pub(super) fn commit(
    package: &SkillPackage,
    before: &PackageFiles,
    after: &PackageFiles,
    message: &str,
) -> Result<(), Failure> {
    let directory = package.path();
    let changed =
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path));
    let paths: Vec<PathBuf> = changed.map(PathBuf::from).collect();
    git(&directory, &["add", "--all", "--"], &paths)?;
    git(&directory, &["commit", "--quiet", "--no-verify", "--only", "-m", message, "--"], &paths)
}

fn git(directory: &Path, arguments: &[&str], paths: &[PathBuf]) -> Result<(), Failure> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory);
    // A repository may name programs that git runs.
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
    command.args(arguments).args(paths).stdin(Stdio::null());
    let failed = |reason: &str| {
        let message = format!("the skill has changed, and the commit failed: {reason}");
        Failure::new("commit-failed", message, "commit the files with git")
    };
    let ended = command.output().map_err(|error| failed(&error.to_string()))?;
    match ended.status.success() {
        true => Ok(()),
        false => Err(failed(String::from_utf8_lossy(&ended.stderr).trim())),
    }
}

impl From<ReviewError> for Failure {
    fn from(error: ReviewError) -> Self {
        let help = match error.code.as_str() {
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
