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

/// The maximum size of a file whose texts are returned, in bytes.
const MAX_TEXT: usize = 64 * 1024;

/// The maximum number of files of a skill whose texts are returned.
const MAX_TEXTS: usize = 64;

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
    /// The texts of changed files, before and after: those of at most 64 KiB, and at most 64 of them.
    pub texts: BTreeMap<String, [String; 2]>,
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
        let files = differences(before, &candidate.package);
        Ok(Update {
            id: candidate.id.clone(),
            texts: self.texts(from, &files, &candidate.package),
            files,
            gained: gained(from, &to),
            lost: gained(&to, from),
            from: from.clone(),
            to,
        })
    }
}

impl Installer<'_> {
    /// Returns the texts of changed files. One that cannot be read has none.
    fn texts(
        &self,
        from: &LockedSkill,
        files: &BTreeMap<String, FileChange>,
        after: &Archive,
    ) -> BTreeMap<String, [String; 2]> {
        let Ok(stored) = self.store.open(&from.tree) else { return BTreeMap::new() };
        let text = |path: &str| {
            let before = stored.read(path, MAX_TEXT).ok()?;
            let after = after.files().iter().find(|file| file.path == path)?;
            let after = Some(&after.content).filter(|content| content.len() <= MAX_TEXT)?;
            Some([String::from_utf8(before).ok()?, String::from_utf8(after.clone()).ok()?])
        };
        let changed = files.iter().filter(|(_, change)| **change == FileChange::Changed);
        let texts = changed.filter_map(|(path, _)| Some((path.clone(), text(path)?)));
        texts.take(MAX_TEXTS).collect()
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
