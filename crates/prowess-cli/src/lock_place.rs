//! The lock file of a command: the named one, that of the project, or that of the user.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess::source_fs::{Discovery, PinnedFolder, ProjectSearch, ProjectTrust, Surroundings};
use prowess::{AskedFolder, FolderIdentity, RemoteErrorKind};
use prowess_dir::{Dir, FileTime, Identity};
use prowess_source_remote::{ALLOWS_HTTP, LockRemote, NOT_TRUSTED};
use prowess_store::{InstallError, LockFile};
use prowess_text::shell_word;

use crate::args::InstallOptions;
use crate::failure::Failure;
use crate::output::{DIM, Output};
use crate::paths::{LOCKED, absolute, machine, surroundings, trust_file, without_home};
use crate::policies::is_trusted_folder;
use crate::terminal::plain;

/// The name of every lock file.
pub(crate) const NAME: &str = "prowess.lock";

/// A lock file, of a user or of a repository.
#[derive(Clone, Debug)]
pub(crate) struct LockPlace {
    pub(crate) file: LockFile,
    /// The folder of the project, for a lock file that others may have written.
    pub(crate) folder: Option<PathBuf>,
    /// Whether the user trusts that folder.
    pub(crate) is_trusted: bool,
}

impl LockPlace {
    /// Returns the lock file that a command changes or reads: the named one, that of the project
    /// if there is one, or that of the user.
    pub(crate) fn of(options: &InstallOptions) -> Result<Self, Failure> {
        Self::found(options, Path::exists)
    }

    /// Returns the lock file that `add` writes: in a repository that of the project, which need not
    /// exist.
    pub(crate) fn to_write(options: &InstallOptions) -> Result<Self, Failure> {
        Self::found(options, |_| true)
    }

    /// Returns the names in the lock file of the skills that a user means.
    pub(crate) fn meant(&self, ids: &[String]) -> Result<Vec<String>, Failure> {
        let lock = if ids.is_empty() { return Ok(Vec::new()) } else { self.file.load()? };
        Ok(ids.iter().map(|id| lock.meant(id).to_owned()).collect())
    }

    fn found(options: &InstallOptions, is_used: impl Fn(&Path) -> bool) -> Result<Self, Failure> {
        if let Some(named) = &options.lock {
            let path = absolute(named)?;
            let parent = path.parent().unwrap_or(&path).to_owned();
            let machine = Surroundings::new(None, Some(parent.clone()));
            let folder = machine.project().unwrap_or(&parent).to_owned();
            return Ok(Self::of_project(path, folder));
        }
        let machine = surroundings()?;
        match project_lock(&machine).filter(|(path, _)| !options.user && is_used(path)) {
            Some((path, folder)) => Ok(Self::of_project(path, folder)),
            None => Ok(Self { file: user_lock()?, folder: None, is_trusted: true }),
        }
    }

    fn of_project(path: PathBuf, folder: PathBuf) -> Self {
        let is_trusted = is_trusted(&folder);
        let file = placing(LockFile::of_project(path, &folder, None), Some(folder.clone()));
        Self { file, folder: Some(folder), is_trusted }
    }

    /// Returns the directory that relative paths of the lock file start at.
    pub(crate) fn directory(&self) -> &Path {
        self.file.path().parent().unwrap_or(Path::new("."))
    }

    /// Checks that there is a lock file; in a repository it has to be that of the project, unless
    /// another one is named.
    pub(crate) fn require(&self, options: &InstallOptions, is_frozen: bool) -> Result<(), Failure> {
        let project = project_lock(&surroundings()?);
        let own = project.filter(|_| options.lock.is_none() && !options.user);
        let path = match &own {
            Some((path, _)) if self.folder.is_none() => path,
            _ if is_frozen && self.file.read()?.is_none() => self.file.path(),
            _ => return Ok(()),
        };
        let message = format!("there is no lock file `{}`", path.display());
        let help = "run `prowess add`, or name another one with `--lock` or `--user`";
        Err(Failure::new("lock-invalid", message, help))
    }

    /// Returns the failure of a command about ids that this lock file does not have.
    pub(crate) fn explained(&self, error: InstallError) -> Failure {
        let other = match &error {
            InstallError::NotInstalled(id) if self.folder.is_some() => {
                let user = user_lock().ok().and_then(|file| file.load().ok());
                user.is_some_and(|lock| lock.skills.contains_key(id))
            }
            _ => false,
        };
        let trust = self.trust_for(&error);
        let is_missing = self.folder.is_some() && matches!(error, InstallError::NotInstalled(_));
        let failure = Failure::from(error);
        if let Some(help) = trust {
            return failure.with_help(help);
        }
        let path = self.file.path().display();
        if !other && is_missing && !self.file.path().ends_with(NAME) {
            return failure.with_help(format!(
                "`prowess verify --lock {}` shows its skills",
                shell_word(self.file.path())
            ));
        } else if !other {
            return failure;
        }
        let help = format!("it is not in `{path}`, but in your own lock file: add `--user`");
        failure.with_help(help)
    }

    /// Returns the next step after a source was refused because others have written the lock file.
    pub(crate) fn trust_for(&self, error: &InstallError) -> Option<String> {
        let folder = self.folder.as_deref().filter(|_| !self.is_trusted)?;
        let InstallError::Remote(error) = error else { return None };
        let names_hosts = || {
            let lock = self.file.load().unwrap_or_default();
            lock.skills.into_values().any(|it| !it.hosts.is_empty())
        };
        let is_refused =
            error.kind == RemoteErrorKind::Denied || error.message.ends_with(ALLOWS_HTTP);
        let is_untrusted = is_refused && (error.message.ends_with(NOT_TRUSTED) || names_hosts());
        is_untrusted.then(|| {
            format!(
                "if you trust the authors of this repository, run `prowess trust {}`, then repeat this",
                shell_word(folder)
            )
        })
    }

    /// Prints that next step once, if one of the errors has it.
    pub(crate) fn remark_on_trust<'e>(
        &self,
        errors: impl IntoIterator<Item = &'e InstallError>,
        output: &Output,
    ) {
        if let Some(help) = errors.into_iter().find_map(|error| self.trust_for(error)) {
            output.remark(&format!("  {DIM}help:{DIM:#} {}\n", plain(&help)));
        }
    }

    /// Returns the path, and the owner of the file, for people.
    pub(crate) fn described(&self) -> String {
        described(&self.file)
    }
}

/// Returns the path of a lock file, and its owner, for people.
pub(crate) fn described(file: &LockFile) -> String {
    let owner = match file.is_of_project() {
        true if file.path().ends_with(NAME) => "of this project; commit it",
        true => "as named",
        false => "your own; its skills are found everywhere",
    };
    format!("{} ({owner})", file.path().display())
}

/// Returns the lock file with the rule of what is placed. Other clients use everything in their
/// directories, and this program takes it for the user's own skills. So every command places only
/// skills that the user trusts.
fn placing(file: LockFile, project: Option<PathBuf>) -> LockFile {
    let directory = file.path().parent().unwrap_or(Path::new(".")).to_owned();
    file.placing(Arc::new(move |skill| {
        // The places of a project are below it, so its folder decides. What its lock says about a
        // source and a signer is the claim of others.
        if let Some(project) = &project {
            return is_trusted(project);
        }
        let trust = || Some(trust_file(&surroundings().ok()?)?.origins());
        let source = LockRemote::absolute(&directory, &skill.source);
        trust().is_some_and(|origins| origins.trusts(&source, &skill.signer))
    }))
}

/// Returns whether the user trusts the folder of a project.
fn is_trusted(folder: &Path) -> bool {
    Dir::open(folder).is_ok_and(|opened| {
        surroundings().is_ok_and(|machine| is_trusted_folder(&machine, folder, &opened))
    })
}

/// Returns the nearest lock file from the working directory up to the root of its repository, or
/// where that of the repository would be, and the folder of the project. A home that is a
/// repository has the lock file of the user.
pub(crate) fn project_lock(machine: &Surroundings) -> Option<(PathBuf, PathBuf)> {
    let (project, directory) = (machine.project()?, machine.working_directory.as_deref()?);
    if machine.home.as_deref() == Some(project) {
        return None;
    }
    let above = directory.ancestors().take_while(|above| above.starts_with(project));
    let mut found = above.map(|above| above.join(NAME));
    let found = found.find(|path| path.symlink_metadata().is_ok());
    let own = project.join(NAME);
    let path = found.or_else(|| project.join(".git").exists().then_some(own))?;
    Some((path, project.to_owned()))
}

/// The lock file of a project as a source of skills.
pub(crate) struct ProjectSkills {
    pub(crate) file: LockFile,
    /// The folder that the user has to trust, if the policy requires it.
    pub(crate) asked: Option<AskedFolder>,
}

/// Returns the lock file whose skills are the project's; `None` if there is none, unless a server
/// waits for it.
pub(crate) fn project_skills(
    machine: &Surroundings,
    discovery: &Discovery,
    waits: bool,
) -> Option<ProjectSkills> {
    let (path, folder) = project_lock(machine)?;
    let is_searched = match discovery.project {
        ProjectSearch::Never => false,
        ProjectSearch::WorkingDirectory => path.parent() == machine.working_directory.as_deref(),
        ProjectSearch::Repository => true,
    };
    if !is_searched || !waits && path.symlink_metadata().is_err() {
        return None;
    }
    let pinned = PinnedFolder::at(&folder).identity;
    let FolderIdentity { device, inode, created } = pinned;
    let created = created.map(|(seconds, nanoseconds)| FileTime { seconds, nanoseconds });
    let identity = Identity { device, inode, created };
    let file = LockFile::of_project(path, &folder, Some(identity));
    let file = placing(file, Some(folder.clone()));
    let asked = (discovery.project_trust == ProjectTrust::Require).then(|| AskedFolder {
        folder: folder.clone(),
        project: folder,
        identity: Some(pinned),
    });
    Some(ProjectSkills { file, asked })
}

/// Returns the lock files whose skills are found here.
pub(crate) fn all(machine: &Surroundings, discovery: &Discovery) -> Vec<LockFile> {
    let project = project_skills(machine, discovery, false).map(|it| it.file);
    user_lock().ok().into_iter().chain(project).collect()
}

/// Returns the lock files of a directory: that of its project first, and that of the user.
pub(crate) fn of_directory(directory: &Path) -> Result<Vec<LockFile>, Failure> {
    let project = project_lock(&machine(Some(directory.to_owned())));
    let project = project.filter(|(path, _)| path.exists());
    let project = project.map(|(path, folder)| LockPlace::of_project(path, folder).file);
    Ok(project.into_iter().chain([user_lock()?]).collect())
}

/// Returns the root of a source as a person knows it: installed skills have a lock file, and that
/// of the user a key.
pub(crate) fn shown_root(root: &str) -> Cow<'_, str> {
    match root.strip_prefix(LOCKED) {
        Some(path) if path.starts_with('/') => plain(path),
        Some(_) => Cow::Borrowed("installed skills of your lock file"),
        None => plain(root),
    }
}

/// Returns the lock file of the user.
pub(crate) fn user_lock() -> Result<LockFile, Failure> {
    Ok(placing(LockFile::new(of_user()?.join(NAME)), None))
}

/// Returns the directory of the store and the lock file of the user.
pub(crate) fn directory() -> Option<PathBuf> {
    Some(machine(None).state_home()?.join("prowess"))
}

/// Returns that directory, or the failure of a user without a home.
pub(crate) fn of_user() -> Result<PathBuf, Failure> {
    directory().ok_or_else(|| without_home("the store of skills"))
}
