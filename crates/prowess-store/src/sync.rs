//! Restores the packages that a lock file names.

use std::collections::BTreeMap;

use prowess_core::{Cancel, Digest, RemoteError, RemoteErrorKind, RemoteRequest};
use prowess_text::quoted;

use crate::candidate::{Candidate, fetch_each};
use crate::error::InstallError;
use crate::installer::{Installer, request};
use crate::lock::Lock;
use crate::locked_skill::LockedSkill;
use crate::placement::{archive, intact_copy};
use crate::quarantine::Quarantined;
use crate::store::Change;

/// The result of [`Installer::sync`] for one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Synced {
    /// The package was in the store already.
    Intact,
    /// The package was fetched again.
    Installed,
    /// The source has other bytes than the locked ones, which are in quarantine now.
    Quarantined(Digest),
    /// The package could not be fetched.
    Failed(InstallError),
}

/// A version of a source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version<'l> {
    source: &'l str,
    reference: Option<&'l str>,
    /// The locked revision, if the source has revisions.
    revision: Option<&'l str>,
}

impl<'l> Version<'l> {
    fn locked(skill: &'l LockedSkill) -> Self {
        // Without revisions, the digest of the bytes is the version. The index of such a source is
        // read once for all of its skills.
        let has_revisions = skill.revision != skill.artifact.to_string();
        Self {
            source: &skill.source,
            reference: skill.reference.as_deref(),
            revision: has_revisions.then_some(&skill.revision),
        }
    }
}

/// The fetched candidates, by the id of the skill.
type Fetched<'l> = BTreeMap<&'l str, Result<Candidate, InstallError>>;

impl Installer<'_> {
    /// Fetches each package of the lock that is not intact in the store, in its locked revision if
    /// its source has revisions. An intact copy at a place of the lock is as good as its source,
    /// which need not be there. The lock is not changed.
    ///
    /// If a signer is required, each package is fetched and verified: others may have written the
    /// lock, which is no proof, and neither the store nor a copy has a signature.
    ///
    /// # Errors
    ///
    /// The lock or the store cannot be used. A skill that cannot be fetched is a result.
    pub fn sync(&self, cancel: &Cancel) -> Result<BTreeMap<String, Synced>, InstallError> {
        let lock = self.lock.load()?;
        let packages = self.store.packages()?;
        let mut results = BTreeMap::new();
        let mut needed = Lock::default();
        let is_verified = self.signers.required.is_some();
        for (id, skill) in &lock.skills {
            if !is_verified && packages.intact(&skill.tree).is_ok() {
                results.insert(id.clone(), Synced::Intact);
            } else {
                needed.skills.insert(id.clone(), skill.clone());
            }
        }
        if needed.skills.is_empty() {
            return Ok(results);
        }
        let change = self.store.begin()?;
        for (id, skill) in &lock.skills {
            let wanted = needed.skills.get(id).filter(|_| !is_verified);
            let copy = wanted.and_then(|_| intact_copy(self.lock, id, skill));
            if let Some(package) = copy.and_then(|copy| archive(&copy, &skill.tree).ok())
                && change.insert(&[&package])?.contains(&skill.tree)
            {
                needed.skills.remove(id);
                results.insert(id.clone(), Synced::Installed);
            }
        }
        for (version, ids) in groups(&needed) {
            for (id, fetched) in self.fetch_locked(version, &ids, &needed, cancel) {
                let result = match fetched {
                    Ok(candidate) => {
                        let locked = &needed.skills[id];
                        let is_intact = packages.intact(&locked.tree).is_ok();
                        match restore(&change, locked, &candidate)? {
                            Synced::Installed if is_intact => Synced::Intact,
                            restored => restored,
                        }
                    }
                    Err(error) => Synced::Failed(error),
                };
                results.insert(id.to_owned(), result);
            }
        }
        Ok(results)
    }

    /// Fetches skills in their locked version. If the source does not have it any more, such as a
    /// repository whose history was rewritten, its newest version may still have the locked files.
    fn fetch_locked<'l>(
        &self,
        version: Version<'_>,
        ids: &[&'l str],
        lock: &Lock,
        cancel: &Cancel,
    ) -> Fetched<'l> {
        let mut fetched = self.fetch_version(version, ids, lock, cancel);
        let Some(revision) = version.revision else { return fetched };
        let mut lost = ids.to_vec();
        lost.retain(|id| fetched[id].as_ref().is_err_and(is_not_found));
        if lost.is_empty() {
            return fetched;
        }
        let newest = Version { revision: None, ..version };
        for (id, newest) in self.fetch_version(newest, &lost, lock, cancel) {
            let result = match newest {
                Ok(found) if found.skill.tree == lock.skills[id].tree => Ok(found),
                Err(error @ InstallError::Remote(_)) => Err(error),
                _ => Err(without_revision(revision)),
            };
            fetched.insert(id, result);
        }
        fetched
    }

    /// Fetches skills of a version. Each one has a result.
    fn fetch_version<'l>(
        &self,
        version: Version<'_>,
        ids: &[&'l str],
        lock: &Lock,
        cancel: &Cancel,
    ) -> Fetched<'l> {
        let revision = version.revision.map(str::to_owned);
        let request = RemoteRequest { revision, ..request(version.source, version.reference) };
        let artifacts = self.remote.resolve(&request, cancel);
        let mut fetched = match &artifacts {
            Ok(artifacts) => {
                fetch_each(self.remote, &request, artifacts, ids, self.signers, lock, cancel)
            }
            Err(_) => BTreeMap::new(),
        };
        for id in ids {
            fetched.entry(id).or_insert_with(|| match &artifacts {
                Ok(_) => Err(no_skill(id)),
                Err(error) => Err(error.clone().into()),
            });
        }
        fetched
    }
}

fn groups(lock: &Lock) -> BTreeMap<Version<'_>, Vec<&str>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (id, skill) in &lock.skills {
        groups.entry(Version::locked(skill)).or_default().push(id.as_str());
    }
    groups
}

fn is_not_found(error: &InstallError) -> bool {
    matches!(error, InstallError::Remote(error) if error.kind == RemoteErrorKind::NotFound)
}

fn no_skill(id: &str) -> InstallError {
    InstallError::NoSkill(format!("the source has no skill {}", quoted(id)))
}

fn without_revision(revision: &str) -> InstallError {
    let message = format!("the source does not have the revision {} any more", quoted(revision));
    RemoteError::new(RemoteErrorKind::NotFound, message).into()
}

/// Stores the locked package of a skill again, if it is what was fetched.
fn restore(
    change: &Change,
    locked: &LockedSkill,
    candidate: &Candidate,
) -> Result<Synced, InstallError> {
    if candidate.skill.tree == locked.tree {
        change.insert(&[&candidate.package])?;
        return Ok(Synced::Installed);
    }
    let bytes = candidate.artifact();
    let note = Quarantined {
        id: candidate.id.clone(),
        source: locked.source.clone(),
        revision: locked.revision.clone(),
        expected: locked.artifact,
        artifact: Digest::of(&bytes),
    };
    change.quarantine(&note, &bytes)?;
    Ok(Synced::Quarantined(note.artifact))
}
