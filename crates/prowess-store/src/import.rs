//! Installs what the lock files of other tools name.

use std::collections::BTreeMap;

use prowess_archive::Archive;
use prowess_core::{Cancel, Digest, RemoteRequest};

use crate::candidate::{Candidate, check_unique, fetch};
use crate::error::InstallError;
use crate::folder_hash::folder_hash;
use crate::foreign::ForeignSkill;
use crate::installer::{Added, Installer};
use crate::signers::Signatures;

impl Installer<'_> {
    /// Installs the skills of the lock file of another tool, and locks their versions.
    ///
    /// A commit or a digest in that file becomes the reference, and a digest of the files has to be
    /// that of the package.
    ///
    /// # Errors
    ///
    /// As [`Installer::add`], or a package is not the locked one. None is installed then.
    pub fn import(
        &self,
        skills: &[ForeignSkill],
        cancel: &Cancel,
    ) -> Result<Vec<Added>, InstallError> {
        let signatures = Signatures::known(self.signers, &self.lock.load()?);
        let mut candidates = Vec::new();
        for ((source, reference), (names, hashes)) in groups(skills) {
            let request = RemoteRequest { source, reference };
            let fetched = fetch(self.remote, &request, &names, &signatures, cancel)?;
            for candidate in &fetched {
                check_hash(candidate, hashes.get(&candidate.id))?;
            }
            candidates.extend(fetched);
        }
        check_unique(&candidates)?;
        self.add_candidates(candidates)
    }
}

/// The names of a group of skills, all if there are none, and the digests of their files.
type Group = (Vec<String>, BTreeMap<String, Digest>);

/// Groups skills by their source and reference.
fn groups(skills: &[ForeignSkill]) -> BTreeMap<(String, Option<String>), Group> {
    let mut groups: BTreeMap<_, Group> = BTreeMap::new();
    for ForeignSkill { name, source, reference, folder_hash } in skills {
        let (names, hashes) = groups.entry((source.clone(), reference.clone())).or_default();
        names.extend(name.clone());
        hashes.extend(name.clone().zip(*folder_hash));
    }
    groups
}

fn check_hash(candidate: &Candidate, expected: Option<&Digest>) -> Result<(), InstallError> {
    let found = hash_of(&candidate.package);
    match expected {
        Some(&expected) if expected != found => {
            Err(InstallError::ArtifactChanged { expected, found })
        }
        _ => Ok(()),
    }
}

fn hash_of(package: &Archive) -> Digest {
    let files = package.files().iter().map(|file| (&*file.path, &*file.content));
    folder_hash(&files.collect::<Vec<_>>())
}
