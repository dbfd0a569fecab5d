//! The configuration file of a project, which counts once the user trusts the project's folder.

use std::path::Path;

use prowess::source_fs::{ProjectSearch, ProjectTrust, Surroundings};
use prowess::{ConfigPart, FolderAnswer, FolderIdentity, Origin, Policies, folder_trust};
use prowess_dir::{Dir, Identity};

use super::places::{FileState, FoundFile, IN_PROJECT, Read, project_file};
use crate::failure::Failure;

/// The maximum size of the file, in bytes.
const MOST_BYTES: usize = 64 * 1024;

/// Looks for the file of the working directory's project. It is read if the operator's policies or
/// the user trust the folder.
pub(super) fn find(
    surroundings: &Surroundings,
    operator: &Policies,
    changed: Option<(&Path, &str)>,
) -> Option<(FoundFile, Option<Read>)> {
    let project = surroundings.project()?;
    let path = project_file(project);
    let changed = changed.filter(|(file, _)| *file == path);
    let is_there = changed.is_some() || path.symlink_metadata().is_ok();
    if operator.discovery.project == ProjectSearch::Never || !is_there {
        return None;
    }
    let is_trusted = operator.discovery.project_trust == ProjectTrust::Trusted;
    let folder = Dir::open(project).ok();
    let folder =
        folder.filter(|folder| is_trusted || is_trusted_folder(surroundings, project, folder));
    let Some(folder) = folder else {
        return Some((FoundFile { path, state: FileState::NotTrusted }, None));
    };
    if let Some((_, text)) = changed {
        let part = ConfigPart::text(Origin::Project(path.clone()), text);
        return Some((FoundFile { path, state: FileState::Used }, Some(Ok(part))));
    }
    let unreadable = |reason: String| {
        let message = format!("`{}` cannot be read: {reason}", path.display());
        Failure::new("config-unreadable", message, "correct or remove the project's file")
    };
    // Through the handle of the folder that is trusted, and never out of it.
    let bytes = folder.read(IN_PROJECT, MOST_BYTES).map_err(|error| error.to_string());
    let text = bytes.and_then(|it| String::from_utf8(it).map_err(|error| error.to_string()));
    let part = text.map(|text| ConfigPart::text(Origin::Project(path.clone()), text));
    let part = part.map_err(unreadable);
    Some((FoundFile { path, state: FileState::Used }, Some(part)))
}

/// Returns whether the user trusts the very folder that was opened.
pub(crate) fn is_trusted_folder(surroundings: &Surroundings, project: &Path, opened: &Dir) -> bool {
    let checked = folder_trust(surroundings).check(project);
    let Ok(Identity { device, inode, created }) = opened.identity() else { return false };
    let created = created.map(|created| (created.seconds, created.nanoseconds));
    let identity = FolderIdentity { device, inode, created };
    checked.answer == FolderAnswer::Trusted && checked.identity == Some(identity)
}
