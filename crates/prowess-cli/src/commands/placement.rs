//! Installed skills in the directories of other clients.

use std::path::{Path, PathBuf};

use prowess_source_remote::LockRemote;
use prowess_store::{Added, PlaceForm};
use prowess_text::shell_word;

use crate::failure::Failure;
use crate::install_place::{InstallPlace, store};
use crate::lock_place::{LockPlace, user_lock};
use crate::paths::{absolute, machine, surroundings, trust_file};

/// The directory of skills that clients share, in a project and in a home.
const SHARED: &str = ".agents/skills";

/// Places skills that were added in a directory, by default that of the user.
///
/// Other clients use everything in it, and this program takes it for the user's own skills. So only
/// skills that the user trusts are placed.
pub(super) fn place(
    place: &InstallPlace,
    added: &[Added],
    directory: Option<&Path>,
    form: PlaceForm,
) -> Result<(), Failure> {
    let origins = trust_file(&surroundings()?).map(|file| file.origins()).unwrap_or_default();
    let LockPlace { file, folder, is_trusted } = &place.lock;
    // What is placed in a project is the project's.
    let is_trusted = folder.is_some() && *is_trusted;
    let source = |it: &Added| LockRemote::absolute(place.lock.directory(), &it.skill.source);
    let untrusted =
        added.iter().find(|it| !is_trusted && !origins.trusts(&source(it), &it.skill.signer));
    if let Some(untrusted) = untrusted {
        let message = format!(
            "`{}` is installed, and is not placed where other clients use it without a question",
            untrusted.id
        );
        let repository =
            if folder.is_some() { "this repository (`prowess trust`) or " } else { "" };
        let help = format!(
            "trust {repository}its source (`prowess trust --source {}`), and repeat this",
            shell_word(&source(untrusted))
        );
        return Err(Failure::new("skill-not-trusted", message, help));
    }
    let directory = match directory {
        Some(directory) => absolute(directory)?,
        None if folder.is_some() => place.lock.directory().join(SHARED),
        None => skills_of_user()?,
    };
    let ids: Vec<_> = added.iter().map(|added| added.id.clone()).collect();
    Ok(place.store.begin()?.place(file, &ids, &directory, form)?)
}

/// Removes what was placed for skills that the user does not trust any more.
pub(super) fn remove_untrusted() -> Result<(), Failure> {
    let (store, file) = (store()?, user_lock()?);
    if file.read()?.is_none() {
        return Ok(());
    }
    let origins = trust_file(&surroundings()?).map(|file| file.origins()).unwrap_or_default();
    let lock = file.load()?;
    let stays = |id: &str| {
        lock.skills.get(id).is_some_and(|skill| origins.trusts(&skill.source, &skill.signer))
    };
    Ok(store.begin()?.remove_places(&file, &stays)?)
}

fn skills_of_user() -> Result<PathBuf, Failure> {
    let home = machine(None).home.map(|home| home.join(SHARED));
    home.ok_or_else(|| {
        let message = "the directory of skills cannot be located: the user has no home directory";
        Failure::new("state-directory-unknown", message, "name a directory with `--into`")
    })
}
