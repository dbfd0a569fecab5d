//! Installs what the lock files of other tools name.

use std::collections::BTreeMap;

use prowess_archive::Archive;
use prowess_core::{Cancel, Digest, RemoteRequest};

use crate::candidate::{Candidate, Fetched, LeftOut, Wanted, fetch};
use crate::error::InstallError;
use crate::folder_hash::folder_hash;
use crate::foreign::{ForeignSigner, ForeignSkill, ForeignSkills};
use crate::installer::{Addition, Installer};
use crate::lock::is_named;
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
        for ((source, reference), lines) in groups(&lock.skills) {
            let all_of_source = lines.iter().any(|line| line.name.is_none());
            let names = lines.iter().filter_map(|line| line.name.clone());
            let mut names: Vec<_> = names.filter(|_| !all_of_source).collect();
            let request = RemoteRequest { reference, ..RemoteRequest::latest(source) };
            let fetched =
                fetch(self.remote, &request, Wanted::Named(&names), &signatures, &before, cancel);
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
                    None => check_lines(&candidate, &lines),
                };
                match checked {
                    Ok(()) => all.candidates.push(candidate),
                    Err(error) => all.left_out.push(LeftOut { name: id, error }),
                }
            }
        }
        self.find_steps_back(&mut all.candidates, &before, cancel);
        self.add_fetched(all)
    }
}

/// Groups lines by their source and reference.
fn groups(skills: &[ForeignSkill]) -> BTreeMap<(String, Option<String>), Vec<&ForeignSkill>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for skill in skills {
        let key = (skill.source.clone(), skill.reference.clone());
        groups.entry(key).or_default().push(skill);
    }
    groups
}

/// Checks a skill against each line that may mean it: the source chooses how it spells a name.
fn check_lines(candidate: &Candidate, lines: &[&ForeignSkill]) -> Result<(), InstallError> {
    let may_mean = |name: &String| is_named(&candidate.id, name);
    let mut meant = lines.iter().filter(|line| line.name.as_ref().is_none_or(may_mean));
    meant.try_for_each(|line| {
        check_hash(candidate, line.folder_hash.as_ref())?;
        check_signer(candidate, line.signer.as_ref())
    })
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
