//! Where the skills of a user and of a project usually lie.

use std::path::{Path, PathBuf};

/// What a directory of skills is called in a home or a project, by the client guide of agentskills.io.
const SHARED: &str = ".agents/skills";

/// This client's own directory of skills.
const OWN: &str = ".prowess/skills";

/// The user's directories of skills that are there, this client's own first.
pub fn user_roots(home: &Path) -> Vec<PathBuf> {
    existing([home.join(OWN), home.join(SHARED)])
}

/// The project's shared directories of skills that are there, from the working directory up to the root of
/// its repository, the nearest first. Outside of a repository, only the working directory's own.
pub fn project_roots(working_directory: &Path) -> Vec<PathBuf> {
    let is_repository = |directory: &&Path| directory.join(".git").exists();
    let repository = working_directory.ancestors().find(is_repository);
    let last = repository.unwrap_or(working_directory);
    let up_to_last =
        working_directory.ancestors().take_while(|directory| directory.starts_with(last));
    existing(up_to_last.map(|directory| directory.join(SHARED)))
}

fn existing(candidates: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    candidates.into_iter().filter(|candidate| candidate.is_dir()).collect()
}
