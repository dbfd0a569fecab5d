//! Installed skills in the directories of other clients.

use std::path::{Path, PathBuf};

use prowess_store::{Added, PlaceForm};

use crate::failure::Failure;
use crate::install_place::{InstallPlace, lock_file, store};
use crate::paths::{absolute, machine, surroundings, trust_file};

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
    let untrusted = added.iter().find(|it| !origins.trusts(&it.skill.source, &it.skill.signer));
    if let Some(untrusted) = untrusted {
        let message = format!(
            "`{}` is installed, and is not placed where other clients use it without a question",
            untrusted.id
        );
        let help = format!(
            "if you trust its source, run `prowess trust --source {}` and repeat this",
            untrusted.skill.source
        );
        return Err(Failure::new("skill-not-trusted", message, help));
    }
    let directory = match directory {
        Some(directory) => absolute(directory)?,
        None => skills_of_user()?,
    };
    let ids: Vec<_> = added.iter().map(|added| added.id.clone()).collect();
    Ok(place.store.begin()?.place(&place.lock, &ids, &directory, form)?)
}

/// Removes what was placed for skills that the user does not trust any more.
pub(super) fn remove_untrusted() -> Result<(), Failure> {
    let (store, file) = (store()?, lock_file(None)?);
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
    let home = machine(None).home.map(|home| home.join(".agents/skills"));
    home.ok_or_else(|| {
        let message = "the directory of skills cannot be located: the user has no home directory";
        Failure::new("state-directory-unknown", message, "name a directory with `--into`")
    })
}
