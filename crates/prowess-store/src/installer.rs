//! Installs and checks the skills of a lock file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use prowess_archive::File;
use prowess_core::{
    Cancel, MAY_HOLD_CREDENTIALS, Remote, RemoteArtifact, RemoteRequest, Want, withheld_content,
    withheld_path,
};

use crate::candidate::{
    Candidate, Fetched, LeftOut, Wanted, fetch, fetch_artifact, fetch_each, no_skill,
};
use crate::error::{InstallError, StoreError};
use crate::lock::Lock;
use crate::lock_file::LockFile;
use crate::locked_skill::LockedSkill;
use crate::placement::{PlaceState, Placed};
use crate::signer::SignerRules;
use crate::signers::{Signatures, check_signer};
use crate::store::Store;

/// Installs skills from a remote into a store, and locks their versions.
#[derive(Clone, Copy)]
pub struct Installer<'i> {
    /// The store.
    pub store: &'i Store,
    /// The lock file.
    pub lock: &'i LockFile,
    /// Where packages come from.
    pub remote: &'i dyn Remote,
    /// The signers that are accepted.
    pub signers: &'i SignerRules,
}

/// The result of [`Installer::check`] for one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The state of the package in the store.
    pub stored: Result<(), StoreError>,
    /// The state of the artifact at its source.
    pub remote: RemoteState,
}

/// The state of a locked artifact at its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteState {
    /// The source has the locked artifact.
    Same,
    /// The source has another artifact or revision, with the locked files: the archive was made
    /// again, or only other parts of a repository have changed.
    SameFiles,
    /// The source has other files.
    Changed,
    /// The source has other files, which may be a step back for these reasons.
    WentBack(Vec<String>),
    /// The source has no such skill any more.
    Gone,
    /// The source cannot be reached or read.
    Unavailable(InstallError),
}

/// A skill that was added.
#[derive(Clone, Debug, PartialEq)]
pub struct Added {
    /// The id of the skill.
    pub id: String,
    /// Its entry in the lock.
    pub skill: LockedSkill,
    /// Whether the same version was installed before.
    pub was_installed: bool,
    /// The kinds of texts that were found instead of a signature, such as the type of a statement
    /// about the artifact. They were not verified; the artifact counts as unsigned.
    pub unverified: Vec<String>,
    /// What was left out of its files, such as links that lead out of the source, as sentences.
    pub left_out: Vec<String>,
    /// The files that may hold credentials and are a part of what its source publishes.
    pub secrets: Vec<String>,
}

/// A skill that can be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its description.
    pub description: String,
    /// The size of its files, where they had to be fetched for the list.
    pub bytes: Option<usize>,
}

/// The result of [`Installer::add`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Addition {
    /// The skills that are installed now.
    pub added: Vec<Added>,
    /// The skills that were asked for and are not. A reason of one is no reason against others.
    pub left_out: Vec<LeftOut>,
}

impl Addition {
    /// Returns the error of the only skill if it is not installed.
    fn or_error(mut self) -> Result<Self, InstallError> {
        match self.left_out.pop() {
            Some(only) if self.added.is_empty() && self.left_out.is_empty() => Err(only.error),
            last => {
                self.left_out.extend(last);
                Ok(self)
            }
        }
    }
}

/// The skills of a lock by their source and reference.
type Groups<'l> = BTreeMap<(&'l str, Option<&'l str>), Vec<&'l str>>;

/// Checks that a candidate may be installed over the installed version, if there is one.
pub(crate) type CheckInstall<'c> =
    &'c dyn Fn(&Candidate, Option<&LockedSkill>) -> Result<(), InstallError>;

impl Installer<'_> {
    /// Installs the skills of a source, and locks their versions: those of these names, or all of
    /// them.
    ///
    /// A skill of this source that is installed already is updated only if the new version follows
    /// the installed one and can do nothing that it cannot do.
    ///
    /// A skill that cannot be installed costs no other one.
    ///
    /// # Errors
    ///
    /// The source, the lock or the store cannot be used, or the only skill cannot be installed.
    pub fn add(
        &self,
        request: &RemoteRequest,
        names: &[String],
        cancel: &Cancel,
    ) -> Result<Addition, InstallError> {
        self.add_for(request, names, &[], cancel)
    }

    /// Does what [`Self::add`] does, for skills that [`Change::place`](crate::Change::place) is to
    /// place in these directories afterwards: one that cannot be placed is not installed.
    ///
    /// # Errors
    ///
    /// As [`Self::add`], or nothing can be placed in one of the directories.
    pub fn add_for(
        &self,
        request: &RemoteRequest,
        names: &[String],
        directories: &[PathBuf],
        cancel: &Cancel,
    ) -> Result<Addition, InstallError> {
        let before = self.lock.load()?;
        let signatures = Signatures::known(self.signers, &before);
        let mut fetched =
            fetch(self.remote, request, Wanted::Named(names), &signatures, &before, cancel)?;
        if !directories.is_empty() {
            // A name that no directory can have, or that is taken, costs its skill alone.
            let packages = fetched.candidates.iter().map(|it| (&*it.id, it.skill.tree));
            let refused = self.store.begin()?.unplaceable(self.lock, packages, directories)?;
            fetched.candidates.retain(|it| !refused.iter().any(|refused| refused.name == it.id));
            fetched.left_out.extend(refused);
        }
        self.find_steps_back(&mut fetched.candidates, &before, cancel);
        self.add_fetched(fetched)
    }

    /// Returns the skills of a source that [`Self::add`] would install, by name, and the others.
    /// Nothing is installed.
    ///
    /// # Errors
    ///
    /// The source cannot be used.
    pub fn offered(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<(BTreeMap<String, Offered>, Vec<LeftOut>), InstallError> {
        let (mut found, mut left_out) = (BTreeMap::new(), Vec::new());
        let mut several = BTreeSet::new();
        for artifact in self.remote.resolve(request, cancel)? {
            let (remote, skip) = (self.remote, Signatures::Skip);
            // All bytes of what has a digest are read in any case.
            let want = if artifact.digest.is_some() { Want::Files } else { Want::Check };
            match fetch_artifact(remote, request, &artifact, &|_| want, &skip, cancel) {
                Ok(fetched) => {
                    several.extend(fetched.several);
                    for (name, description) in fetched.found {
                        let own = fetched.candidates.iter().find(|it| it.id == name);
                        let bytes = own.map(|it| it.package.files());
                        let bytes = bytes.map(|it| it.iter().map(|it| it.content.len()).sum());
                        let offered = Offered { description, bytes };
                        if found.insert(name.clone(), offered).is_some() {
                            several.insert(name);
                        }
                    }
                    left_out.extend(fetched.left_out);
                }
                Err(error) => {
                    let name = artifact.name.unwrap_or(artifact.location);
                    left_out.push(LeftOut { name, error });
                }
            }
        }
        if !several.is_empty() {
            // Their files decide.
            let (names, lock) = (several.into_iter().collect::<Vec<_>>(), self.lock.load()?);
            let fetched = fetch(
                self.remote,
                request,
                Wanted::Each(&names),
                &Signatures::Skip,
                &lock,
                cancel,
            )?;
            for it in fetched.left_out.into_iter().filter(|it| names.contains(&it.name)) {
                found.remove(&it.name);
                left_out.push(it);
            }
        }
        match left_out.pop() {
            Some(only) if found.is_empty() && left_out.is_empty() => return Err(only.error),
            None if found.is_empty() => return Err(no_skill(request)),
            last => left_out.extend(last),
        }
        Ok((found, left_out))
    }

    /// Installs candidates that can do nothing that installed versions cannot do.
    pub(crate) fn add_fetched(&self, fetched: Fetched) -> Result<Addition, InstallError> {
        let Fetched { mut candidates, mut left_out, .. } = fetched;
        let check = |candidate: &Candidate, known: Option<&LockedSkill>| match known {
            Some(known) => check_replacement(candidate, known),
            None => Ok(()),
        };
        let (before, refused) = self.install(&mut candidates, &check)?;
        left_out.extend(refused);
        let added = candidates.into_iter().map(|candidate| {
            let Candidate { id, skill, unverified, left_out, package, .. } = candidate;
            let known = before.skills.get(&id).filter(|known| {
                known.tree == skill.tree
                    && (known.source != skill.source || known.reference == skill.reference)
            });
            let was_installed = known.is_some();
            // An entry of another source stays.
            let skill = known.filter(|it| it.source != skill.source).cloned().unwrap_or(skill);
            let is_secret = |it: &&File| {
                withheld_path(&it.path) == Some(MAY_HOLD_CREDENTIALS)
                    || withheld_content(&it.path, &it.content).is_some()
            };
            let secrets = package.files().iter().filter(is_secret);
            let secrets = secrets.map(|file| file.path.clone()).collect();
            Added { id, skill, was_installed, unverified, left_out, secrets }
        });
        Addition { added: added.collect(), left_out }.or_error()
    }

    /// Stores packages, and then names them in the lock, which is returned as it was before.
    ///
    /// Each one is checked against the installed version while no other process can change it.
    /// Those that are refused are removed from the candidates and returned.
    pub(crate) fn install(
        &self,
        candidates: &mut Vec<Candidate>,
        check: CheckInstall<'_>,
    ) -> Result<(Lock, Vec<LeftOut>), InstallError> {
        let change = self.store.begin()?;
        let before = self.lock.load()?;
        let mut refused = Vec::new();
        candidates.retain(|candidate| {
            let known = before.skills.get(&candidate.id);
            let signed = check_signer(&candidate.id, &candidate.skill, known, self.signers);
            let checked = signed.and_then(|()| check(candidate, known));
            let is_accepted = checked.is_ok();
            let name = candidate.id.clone();
            refused.extend(checked.err().map(|error| LeftOut { name, error }));
            is_accepted
        });
        if candidates.is_empty() {
            return Ok((before, refused));
        }
        let packages: Vec<_> = candidates.iter().map(|it| (&it.package, it.skill.tree)).collect();
        change.insert_for(self.lock, &packages)?;
        let mut lock = before.clone();
        for candidate in candidates.iter() {
            let mut skill = candidate.skill.clone();
            if lock.skills.get(&candidate.id).is_some_and(|known| is_the_same(candidate, known)) {
                continue;
            }
            if let Some(known) = lock.skills.get(&candidate.id) {
                skill = skill.replacing(known);
            }
            lock.skills.insert(candidate.id.clone(), skill);
        }
        change.save(self.lock, &lock)?;
        Ok((before, refused))
    }

    /// Removes skills from the lock, and returns what is left of them where they were placed,
    /// because somebody has changed it.
    ///
    /// # Errors
    ///
    /// One of the skills is not in the lock, or it cannot be written. None is removed then.
    pub fn remove(&self, ids: &[String]) -> Result<Vec<Placed>, InstallError> {
        let change = self.store.begin()?;
        let mut lock = self.lock.load()?;
        for id in ids {
            let removed = lock.skills.remove(id);
            removed.ok_or_else(|| InstallError::NotInstalled(id.clone()))?;
        }
        let mut placed = change.save(self.lock, &lock)?;
        placed.retain(|place| place.state == PlaceState::Left);
        Ok(placed)
    }

    /// Compares each skill of the lock with the store and with its source. Nothing is installed,
    /// and an artifact is fetched only if a signer is required, or if its source states neither the
    /// locked digest nor the locked revision: its files are compared then.
    ///
    /// # Errors
    ///
    /// The lock or the store cannot be used.
    pub fn check(&self, cancel: &Cancel) -> Result<BTreeMap<String, Checked>, InstallError> {
        let lock = self.lock.load()?;
        let packages = self.store.packages()?;
        let mut results = BTreeMap::new();
        for ((source, reference), ids) in groups(&lock) {
            let request = request(source, reference);
            let artifacts = self.remote.resolve(&request, cancel);
            let mut other = ids.clone();
            let mut fetched = BTreeMap::new();
            if let Ok(artifacts) = &artifacts {
                let is_verified = self.signers.required.is_some();
                other.retain(|id| is_verified || !has_locked(artifacts, id, &lock.skills[*id]));
                let (remote, signers) = (self.remote, self.signers);
                fetched = fetch_each(remote, &request, artifacts, &other, signers, &lock, cancel);
                let candidates = fetched.values_mut().filter_map(|it| it.as_mut().ok());
                self.find_steps_back(candidates, &lock, cancel);
            }
            for id in ids {
                let locked = &lock.skills[id];
                let remote = match &artifacts {
                    Err(error) => RemoteState::Unavailable(error.clone().into()),
                    Ok(_) if !other.contains(&id) => RemoteState::Same,
                    Ok(_) => state(fetched.remove(id), locked),
                };
                let stored = packages.intact(&locked.tree).map(drop);
                results.insert(id.to_owned(), Checked { stored, remote });
            }
        }
        Ok(results)
    }
}

/// Returns whether a source states the locked artifact or revision of a skill.
fn has_locked(artifacts: &[RemoteArtifact], id: &str, locked: &LockedSkill) -> bool {
    let mut named = artifacts.iter().filter(|it| it.name.as_deref().is_none_or(|name| name == id));
    named.any(|it| {
        it.digest == Some(locked.artifact) || it.revision.as_ref() == Some(&locked.revision)
    })
}

/// Returns the state of a skill whose source does not state what is locked.
fn state(fetched: Option<Result<Candidate, InstallError>>, locked: &LockedSkill) -> RemoteState {
    match fetched {
        None => RemoteState::Gone,
        Some(Err(error)) => RemoteState::Unavailable(error),
        Some(Ok(found)) if found.skill.tree == locked.tree => RemoteState::SameFiles,
        Some(Ok(found)) if found.steps_back.is_empty() => RemoteState::Changed,
        Some(Ok(found)) => RemoteState::WentBack(found.steps_back),
    }
}

/// Returns whether a candidate is what another source has installed: its entry stays.
fn is_the_same(candidate: &Candidate, known: &LockedSkill) -> bool {
    known.source != candidate.skill.source && known.tree == candidate.skill.tree
}

/// Checks that a candidate may replace an installed skill without a question.
pub(crate) fn check_replacement(
    candidate: &Candidate,
    known: &LockedSkill,
) -> Result<(), InstallError> {
    let id = candidate.id.clone();
    if is_the_same(candidate, known) {
        return Ok(());
    }
    if known.source != candidate.skill.source {
        return Err(InstallError::OtherSource { id, from: known.source.clone() });
    }
    let reasons = candidate.steps_back.clone();
    if !reasons.is_empty() {
        return Err(InstallError::StepBack { id, reasons });
    }
    let gained = gained(known, &candidate.skill);
    if gained.is_empty() { Ok(()) } else { Err(InstallError::SurfaceGrown { id, gained }) }
}

/// Returns the capabilities that only the new version has.
pub(crate) fn gained(before: &LockedSkill, after: &LockedSkill) -> Vec<String> {
    crate::gained(&before.surface, &after.surface)
}

fn groups(lock: &Lock) -> Groups<'_> {
    let mut groups = Groups::new();
    for (id, skill) in &lock.skills {
        let key = (skill.source.as_str(), skill.reference.as_deref());
        groups.entry(key).or_default().push(id);
    }
    groups
}

pub(crate) fn request(source: &str, reference: Option<&str>) -> RemoteRequest {
    let reference = reference.map(str::to_owned);
    RemoteRequest { reference, ..RemoteRequest::latest(source) }
}
