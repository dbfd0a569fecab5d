//! The paths of this machine, its user and the command line.

use std::path::{Component, Path, PathBuf};

use prowess::source_fs::Surroundings;
pub(crate) use prowess::trust_file;

use crate::failure::Failure;

/// Returns the directories of this machine and its user, from the environment.
pub(crate) fn surroundings() -> Result<Surroundings, Failure> {
    Ok(machine(Some(working_directory()?)))
}

/// Returns the directories of this machine and its user, relative to this working directory if
/// there is one.
pub(crate) fn machine(working_directory: Option<PathBuf>) -> Surroundings {
    let mut surroundings = prowess::this_machine();
    surroundings.working_directory = working_directory;
    surroundings
}

/// Returns the database of approvals and sessions; `None` for a user without a home directory.
pub(crate) fn state_database(surroundings: &Surroundings) -> Option<PathBuf> {
    Some(surroundings.state_home()?.join("prowess/state.db"))
}

/// Returns the failure of a user whose files cannot be located.
pub(crate) fn without_home(what: &str) -> Failure {
    let message = format!("{what} cannot be located: the user has no home directory");
    Failure::new("state-directory-unknown", message, "set `HOME` or `XDG_STATE_HOME`")
}

/// The start of the root of a source whose skills a lock file names.
pub(crate) const LOCKED: &str = "prowess-lock://";

/// Returns whether a source's root exists. Most of the default roots of a machine do not, and a
/// lock file that is asked about copies alone has no skills.
pub(crate) fn is_there(root: &str) -> bool {
    let is_asked = root.starts_with(LOCKED) && root.ends_with("/places");
    if root.starts_with('/') { Path::new(root).exists() } else { !is_asked }
}

/// Returns an absolute path. Links are kept as they are, unless the path contains `..`.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let complete = std::path::absolute(path).map_err(|error| {
        let message = format!("`{}` cannot be made absolute: {error}", path.display());
        Failure::usage("path-invalid", message, "name an existing directory")
    })?;
    if complete.components().any(|part| part == Component::ParentDir) {
        // A file that is yet to be written is in a directory that is there.
        let parent = || Some(complete.parent()?.canonicalize().ok()?.join(complete.file_name()?));
        return Ok(complete.canonicalize().ok().or_else(parent).unwrap_or(complete));
    }
    Ok(complete)
}

/// Returns where a path of a project leads, relative to the project, or why nothing is written
/// there: a link that came with a clone leads no write out of it.
pub(crate) fn within(project: &Path, path: &Path) -> Result<PathBuf, String> {
    let there = path.ancestors().find(|it| it.symlink_metadata().is_ok()).unwrap_or(project);
    let real = |path: &Path| {
        let found = path.canonicalize();
        found.map_err(|error| format!("`{}` leads nowhere: {error}", path.display()))
    };
    let (root, found) = (real(project)?, real(there)?);
    let below = found.strip_prefix(&root).map_err(|_| {
        let (there, found) = (there.display(), found.display());
        format!("`{there}` is a link that leads out of the project, to `{found}`")
    })?;
    Ok(match path.strip_prefix(there) {
        Ok(rest) if !rest.as_os_str().is_empty() => below.join(rest),
        _ => below.to_owned(),
    })
}

/// Makes a directory the working directory.
pub(crate) fn enter(directory: &Path) -> Result<(), Failure> {
    std::env::set_current_dir(directory).map_err(|error| {
        let message = format!("`{}` cannot be entered: {error}", directory.display());
        Failure::usage("path-not-found", message, "name an existing directory after `-C`")
    })
}

pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the working directory cannot be read: {error}");
        Failure::new("working-directory-unreadable", message, "change to a directory that exists")
    })
}
