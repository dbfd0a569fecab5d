//! Updates of installed skills.

use std::collections::BTreeMap;

use prowess_archive::Archive;
use prowess_core::Cancel;

use crate::candidate::{Candidate, fetch};
use crate::error::{InstallError, StoreError};
use crate::installer::{Installer, gained, request};
use crate::lock::Lock;
use crate::locked_skill::LockedSkill;
use crate::signers::Signatures;
use crate::tree::{FileStates, file_digests};

/// A newer version of an installed skill.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The id of the skill.
    pub id: String,
    /// The installed version.
    pub from: LockedSkill,
    /// The new version.
    pub to: LockedSkill,
    /// The files that differ, by path.
    pub files: BTreeMap<String, FileChange>,
    /// The capabilities that only the new version has.
    pub gained: Vec<String>,
    /// The capabilities that only the installed version has.
    pub lost: Vec<String>,
}

/// The change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// Only the new version has it.
    Added,
    /// The content or the permissions differ.
    Changed,
    /// Only the installed version has it.
    Removed,
}

/// Whether an update that can do more than the installed version is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// It is refused, and the user has to be asked.
    Refuse,
    /// The user has accepted it.
    Accept,
}

impl Installer<'_> {
    /// Returns the newer versions of these skills, or of all, without installing them.
    ///
    /// # Errors
    ///
    /// A skill is not in the lock, or one of the sources cannot be used.
    pub fn preview(&self, ids: &[String], cancel: &Cancel) -> Result<Vec<Update>, InstallError> {
        let (updates, _) = self.updates(ids, cancel)?;
        Ok(updates)
    }

    /// Installs the newer versions of these skills, or of all.
    ///
    /// # Errors
    ///
    /// As [`Self::preview`], or one of the versions has another signer, or can do more and that is
    /// refused. Nothing is installed then.
    pub fn update(
        &self,
        ids: &[String],
        growth: Growth,
        cancel: &Cancel,
    ) -> Result<Vec<Update>, InstallError> {
        let (updates, candidates) = self.updates(ids, cancel)?;
        let check = |candidate: &Candidate, known: Option<&LockedSkill>| {
            let id = candidate.id.clone();
            let known = known.ok_or_else(|| InstallError::NotInstalled(id.clone()))?;
            let gained = gained(known, &candidate.skill);
            if growth == Growth::Accept || gained.is_empty() {
                return Ok(());
            }
            Err(InstallError::SurfaceGrown { id, gained })
        };
        if !candidates.is_empty() {
            self.install(&candidates, &check)?;
        }
        Ok(updates)
    }

    fn updates(
        &self,
        ids: &[String],
        cancel: &Cancel,
    ) -> Result<(Vec<Update>, Vec<Candidate>), InstallError> {
        let lock = wanted(self.lock.load()?, ids)?;
        let mut groups: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for (id, skill) in &lock.skills {
            let key = (skill.source.as_str(), skill.reference.as_deref());
            groups.entry(key).or_default().push(id.clone());
        }
        let mut updates = Vec::new();
        let mut newer = Vec::new();
        let signatures = Signatures::known(self.signers, &lock);
        for ((source, reference), ids) in groups {
            for candidate in
                fetch(self.remote, &request(source, reference), &ids, &signatures, cancel)?
            {
                let from = &lock.skills[&candidate.id];
                if from.tree != candidate.skill.tree {
                    updates.push(self.compare(from, &candidate)?);
                    newer.push(candidate);
                }
            }
        }
        Ok((updates, newer))
    }

    fn compare(&self, from: &LockedSkill, candidate: &Candidate) -> Result<Update, InstallError> {
        let to = candidate.skill.clone();
        let before = match self.store.files(&from.tree) {
            Err(StoreError::Missing(_)) => BTreeMap::new(),
            files => files?,
        };
        Ok(Update {
            id: candidate.id.clone(),
            files: differences(before, &candidate.package),
            gained: gained(from, &to),
            lost: gained(&to, from),
            from: from.clone(),
            to,
        })
    }
}

/// Returns the skills of these ids, or all.
fn wanted(mut lock: Lock, ids: &[String]) -> Result<Lock, InstallError> {
    if let Some(unknown) = ids.iter().find(|id| !lock.skills.contains_key(*id)) {
        return Err(InstallError::NotInstalled(unknown.clone()));
    }
    lock.skills.retain(|id, _| ids.is_empty() || ids.contains(id));
    Ok(lock)
}

fn differences(mut before: FileStates, after: &Archive) -> BTreeMap<String, FileChange> {
    let mut changes = BTreeMap::new();
    for (path, state) in file_digests(after) {
        match before.remove(&path) {
            None => drop(changes.insert(path, FileChange::Added)),
            Some(other) if other != state => drop(changes.insert(path, FileChange::Changed)),
            Some(_) => {}
        }
    }
    changes.extend(before.into_keys().map(|path| (path, FileChange::Removed)));
    changes
}
