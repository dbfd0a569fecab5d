//! Installed skills in the directories of other clients.

use std::path::{Path, PathBuf};

use prowess::source_fs::Surroundings;
use prowess_source_remote::LockRemote;
use prowess_store::{Added, PlaceForm, PlaceState, Placed};
use prowess_text::{enumerated, quoted, shell_word};

use crate::args::Add;
use crate::failure::Failure;
use crate::install_place::{InstallPlace, store};
use crate::lock_place::{LockPlace, user_lock};
use crate::paths::{absolute, machine, surroundings, trust_file, without_home};

/// The directory of skills that clients share, in a project and in a home.
const SHARED: &str = ".agents/skills";

/// Returns the directories in which skills are to be placed, and the form: what is copied into a
/// repository is there in each clone.
pub(super) fn wanted(
    args: &Add,
    lock: &LockPlace,
) -> Result<Option<(Vec<PathBuf>, PlaceForm)>, Failure> {
    let copy = args.copy.then_some(PlaceForm::Copy);
    let named = args.link.then_some(PlaceForm::Link).or(copy);
    let usual = if lock.folder.is_some() { PlaceForm::Copy } else { PlaceForm::Link };
    let around = surroundings()?;
    let of = |agent: &String| {
        let client = agent.trim().to_ascii_lowercase().replace(' ', "-");
        let (project, user) = around.client_skills(&client).map_err(|known| {
            let message = format!("no client with skills is named {}", quoted(agent));
            let help = format!(
                "the known clients are {}; name the directory of another one with `--into`",
                enumerated(known, "and")
            );
            Failure::usage("client-unknown", message, help)
        })?;
        match &lock.folder {
            Some(_) => Ok(lock.directory().join(project)),
            None => user.ok_or_else(|| without_home("the directory of skills")),
        }
    };
    let directories = args.agents.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    match (named, &args.into) {
        _ if !directories.is_empty() => Ok(Some((directories, named.unwrap_or(usual)))),
        (None, None) => Ok(None),
        (_, Some(directory)) => Ok(Some((vec![absolute(directory)?], named.unwrap_or(usual)))),
        (Some(form), None) if lock.folder.is_some() => {
            Ok(Some((vec![lock.directory().join(SHARED)], form)))
        }
        (Some(form), None) => Ok(Some((vec![skills_of_user()?], form))),
    }
}

/// Places skills that were added in directories: only those that the user trusts. Returns whether a
/// copy stands for a link, which would lead from a repository into the store of this user alone.
pub(super) fn place(
    place: &InstallPlace,
    added: &[Added],
    directories: &[PathBuf],
    form: PlaceForm,
) -> Result<bool, Failure> {
    let LockPlace { file, folder, .. } = &place.lock;
    let source = |it: &Added| LockRemote::absolute(place.lock.directory(), &it.skill.source);
    let untrusted = added.iter().find(|it| !file.may_place(&it.skill));
    if let Some(untrusted) = untrusted {
        let message = format!(
            "`{}` is installed, and is not placed where other clients use it without a question",
            untrusted.id
        );
        let help = match folder {
            Some(folder) => format!(
                "trust the folder of the lock file (`prowess trust {}`), and repeat this",
                shell_word(folder)
            ),
            None => format!(
                "trust its source (`prowess trust --source {}`), and repeat this",
                shell_word(&source(untrusted))
            ),
        };
        return Err(Failure::new("skill-not-trusted", message, help));
    }
    let ids: Vec<_> = added.iter().map(|added| added.id.clone()).collect();
    let change = place.store.begin()?;
    let mut is_other = false;
    for directory in directories {
        let is_shared = folder.is_some() || is_in_repository(directory);
        is_other |= is_shared && form == PlaceForm::Link;
        let form = if is_shared { PlaceForm::Copy } else { form };
        change.place(file, &ids, directory, form)?;
    }
    Ok(is_other)
}

/// Returns whether a directory is part of a repository. A home that is one is the user's alone.
fn is_in_repository(directory: &Path) -> bool {
    let around = Surroundings::new(None, Some(directory.to_owned()));
    let root = around.project().filter(|root| root.join(".git").exists());
    root.is_some_and(|root| machine(None).home.as_deref() != Some(root))
}

/// Removes what was placed for skills that the user does not trust any more. Returns what was
/// changed since, and is left.
pub(super) fn remove_untrusted() -> Result<Vec<Placed>, Failure> {
    let (store, file) = (store()?, user_lock()?);
    if file.read()?.is_none() {
        return Ok(Vec::new());
    }
    let origins = trust_file(&surroundings()?).map(|file| file.origins()).unwrap_or_default();
    let lock = file.load()?;
    let stays = |id: &str| {
        lock.skills.get(id).is_some_and(|skill| origins.trusts(&skill.source, &skill.signer))
    };
    let placed = store.begin()?.remove_places(&file, &stays)?;
    Ok(placed.into_iter().filter(|place| place.state == PlaceState::Left).collect())
}

/// Returns the command that removes what is left of skills after they were removed.
pub(super) fn removal(directory: &Path, left: &[Placed]) -> Option<String> {
    let path = |place: &Placed| shell_word(&directory.join(&place.path)).into_owned();
    let paths: Vec<_> = left.iter().map(path).collect();
    (!paths.is_empty()).then(|| {
        let paths = paths.join(" ");
        format!("programs that read that directory still offer it; to remove it: rm -r {paths}")
    })
}

fn skills_of_user() -> Result<PathBuf, Failure> {
    let home = machine(None).home.map(|home| home.join(SHARED));
    home.ok_or_else(|| {
        let message = "the directory of skills cannot be located: the user has no home directory";
        Failure::new("state-directory-unknown", message, "name a directory with `--into`")
    })
}
