//! Installs what the lock files of other tools name.

use std::collections::BTreeMap;

use prowess_archive::Archive;
use prowess_core::{Cancel, Digest, RemoteRequest};

use crate::candidate::{Candidate, Fetched, LeftOut, fetch};
use crate::error::InstallError;
use crate::folder_hash::folder_hash;
use crate::foreign::{ForeignSigner, ForeignSkill, ForeignSkills};
use crate::installer::{Addition, Installer};
use crate::signers::Signatures;

impl Installer<'_> {
    /// Installs the skills of the lock file of another tool, and locks their versions.
    ///
    /// A commit or a digest in that file becomes the reference, a digest of the files has to be
    /// that of the package, and a signer the one that has signed it.
    ///
    /// A line that cannot be installed costs no other one.
    ///
    /// # Errors
    ///
    /// As [`Installer::add`].
    pub fn import(&self, lock: &ForeignSkills, cancel: &Cancel) -> Result<Addition, InstallError> {
        let before = self.lock.load()?;
        let signatures = Signatures::known(self.signers, &before);
        let left_out = lock.left_out.clone();
        let mut all = Fetched { left_out, ..Fetched::default() };
        for ((source, reference), Group { mut names, hashes, signers, signer }) in
            groups(&lock.skills)
        {
            let request = RemoteRequest { reference, ..RemoteRequest::latest(source) };
            let fetched = fetch(self.remote, &request, &names, &signatures, &before, cancel);
            let fetched = fetched.unwrap_or_else(|error| {
                if names.is_empty() {
                    names.push(request.source.clone());
                }
                let failed = |name: String| LeftOut { name, error: error.clone() };
                Fetched { left_out: names.into_iter().map(failed).collect(), ..Fetched::default() }
            });
            all.left_out.extend(fetched.left_out);
            for candidate in fetched.candidates {
                let id = candidate.id.clone();
                let other = all.candidates.iter().find(|other| other.id == id);
                let checked = match other {
                    Some(other) => {
                        let from = other.skill.source.clone();
                        Err(InstallError::OtherSource { id: id.clone(), from })
                    }
                    None => check_hash(&candidate, hashes.get(&id)).and_then(|()| {
                        check_signer(&candidate, signers.get(&id).or(signer.as_ref()))
                    }),
                };
                match checked {
                    Ok(()) => all.candidates.push(candidate),
                    Err(error) => all.left_out.push(LeftOut { name: id, error }),
                }
            }
        }
        self.add_fetched(all)
    }
}

/// Skills of one source and reference.
#[derive(Default)]
struct Group {
    /// Their names; all if there are none.
    names: Vec<String>,
    /// The digests of their files.
    hashes: BTreeMap<String, Digest>,
    /// Their signers.
    signers: BTreeMap<String, ForeignSigner>,
    /// The signer of those without a name.
    signer: Option<ForeignSigner>,
}

/// Groups skills by their source and reference.
fn groups(skills: &[ForeignSkill]) -> BTreeMap<(String, Option<String>), Group> {
    let mut groups: BTreeMap<_, Group> = BTreeMap::new();
    for ForeignSkill { name, source, reference, folder_hash, signer } in skills {
        let group = groups.entry((source.clone(), reference.clone())).or_default();
        group.names.extend(name.clone());
        group.hashes.extend(name.clone().zip(*folder_hash));
        match name {
            Some(name) => group.signers.extend(Some(name.clone()).zip(signer.clone())),
            None => group.signer = group.signer.take().or(signer.clone()),
        }
    }
    groups
}

/// Checks that the signer of a line has signed the skill.
fn check_signer(
    candidate: &Candidate,
    expected: Option<&ForeignSigner>,
) -> Result<(), InstallError> {
    let found = &candidate.skill.signer;
    match expected.filter(|expected| !expected.is(found)) {
        None => Ok(()),
        Some(expected) => Err(InstallError::OtherSigner {
            id: candidate.id.clone(),
            expected: expected.written.clone(),
            found: found.clone(),
        }),
    }
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
