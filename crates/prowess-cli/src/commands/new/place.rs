//! The directory of a new skill, and what it needs there to be offered.

use std::path::{Path, PathBuf};

use prowess::source_fs::{Discovery, ProjectTrust, Surroundings};
use prowess::{AGENT_LAYER, FolderAnswer, folder_trust};
use prowess_text::shell_path;

use crate::args::{Global, New};
use crate::failure::Failure;
use crate::paths::{surroundings, within};
use crate::policies::policies;

/// A directory in which skills are created.
pub(super) struct Place {
    /// The directory, as short as the working directory allows.
    pub(super) directory: PathBuf,
    /// The commands after which its skills are offered.
    pub(super) next: Vec<String>,
}

impl Place {
    pub(super) fn of(global: &Global, args: &New) -> Result<Self, Failure> {
        let surroundings = surroundings()?;
        let discovery = policies(global)?.discovery;
        if let Some(directory) = &args.directory {
            let next = in_root(&surroundings, &discovery, directory, &args.name);
            return Ok(Self { directory: directory.clone(), next });
        }
        let home = surroundings.home.as_deref();
        let project = surroundings.project();
        // Without a repository around it, the home is no project.
        let is_user = args.user || project.is_none() || project == home;
        let base = if is_user { home } else { project };
        let base = base.ok_or_else(|| {
            let message = "the user has no home directory";
            Failure::usage("home-unknown", message, "name a directory with `--directory`")
        })?;
        let next = if is_user { Vec::new() } else { to_trust(&surroundings, &discovery, base) };
        let skills = base.join(client(&discovery)).join("skills");
        if !is_user {
            within(base, &skills.join(&args.name)).map_err(|reason| {
                let message = format!("no skill is created: {reason}");
                let help = "replace the link by a directory, or name one with `--directory`";
                Failure::new("output-failed", message, help)
            })?;
        }
        let directory = near(&surroundings, &skills);
        Ok(Self { directory, next })
    }
}

/// Returns the name of the directory for skills that the policies search.
fn client(discovery: &Discovery) -> String {
    if discovery.shared { ".agents".to_owned() } else { format!(".{}", discovery.client.as_str()) }
}

/// Returns the command that trusts a project, unless it is trusted.
fn to_trust(surroundings: &Surroundings, discovery: &Discovery, project: &Path) -> Vec<String> {
    let is_required = discovery.project_trust == ProjectTrust::Require;
    if !is_required || folder_trust(surroundings).answer(project) == FolderAnswer::Trusted {
        return Vec::new();
    }
    vec!["prowess trust, so that the skills of this project are offered".to_owned()]
}

/// Returns the command that finds skills of a named directory, unless it is searched anyway, or
/// that offers those of one in which they are hidden.
fn in_root(
    surroundings: &Surroundings,
    discovery: &Discovery,
    directory: &Path,
    name: &str,
) -> Vec<String> {
    let base = surroundings.working_directory.clone().unwrap_or_default().join(directory);
    let is_searched = |root: &Path| base == root.join(client(discovery)).join("skills");
    let is_of = |roots: &[PathBuf]| roots.contains(&base);
    if discovery.roots.get(AGENT_LAYER).is_some_and(|roots| is_of(roots)) {
        return vec![format!("prowess trust --skill {name}, as agents may write there")];
    }
    let roots = [surroundings.home.as_deref(), surroundings.project()];
    if roots.into_iter().flatten().any(is_searched) || discovery.roots.values().any(|it| is_of(it))
    {
        return Vec::new();
    }
    vec![format!(
        "prowess --root {} list, as skills are not looked for there",
        shell_path(directory)
    )]
}

/// Returns a path from the working directory, if it is below.
fn near(surroundings: &Surroundings, path: &Path) -> PathBuf {
    let working_directory = surroundings.working_directory.as_deref();
    let inside = working_directory.and_then(|directory| path.strip_prefix(directory).ok());
    inside.unwrap_or(path).to_owned()
}
