//! Updates of installed skills.

use std::collections::BTreeMap;

use prowess_archive::{Archive, Limits};
use prowess_core::{Cancel, Digest};

use crate::candidate::{Candidate, LeftOut, Wanted, fetch};
use crate::error::{InstallError, StoreError};
use crate::installer::{Installer, check_replacement, gained, request};
use crate::lock::Lock;
use crate::locked_skill::LockedSkill;
use crate::signers::Signatures;
use crate::tree::{FileStates, file_digests};

/// The maximum size of a text that is returned, and of all those of a skill, in bytes.
const MAX_TEXT: usize = 1024 * 1024;
const MAX_TEXTS: usize = 4 * MAX_TEXT;

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
    /// The texts of each changed and added file, before and after. At most 1 MiB of one and 4 MiB
    /// of all is shown; a line says how much is not, and its digest.
    pub texts: BTreeMap<String, [String; 2]>,
    /// Why the new version may be a step back, as sentences: a tag was moved, the revision does not
    /// follow the installed one, or the version is lower.
    pub steps_back: Vec<String>,
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

/// Whether an update is installed that can do more than the installed version, or may be a step
/// back from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// It is refused, and the user has to be asked.
    Refuse,
    /// The user has accepted it.
    Accept,
}

/// The newer versions of installed skills, and the skills that have none because of an error. A
/// source that is gone costs its own skills alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Updates {
    /// The newer versions.
    pub found: Vec<Update>,
    /// The error of each other skill, by its id.
    pub failed: BTreeMap<String, InstallError>,
}

impl Updates {
    /// Returns the first error if there are so many, and nothing else.
    fn or_error(mut self, least: usize) -> Result<Self, InstallError> {
        let is_all = self.found.is_empty() && self.failed.len() >= least;
        match self.failed.pop_first() {
            Some((_, error)) if is_all => Err(error),
            first => {
                self.failed.extend(first);
                Ok(self)
            }
        }
    }
}

impl Installer<'_> {
    /// Returns the newer versions of these skills, or of all, without installing them.
    ///
    /// # Errors
    ///
    /// A skill is not in the lock, or each of them has an error. Of all skills, one error is enough
    /// if none has a newer version.
    pub fn preview(&self, ids: &[String], cancel: &Cancel) -> Result<Updates, InstallError> {
        let (updates, _, least) = self.updates(ids, cancel)?;
        updates.or_error(least)
    }

    /// Installs the newer versions of these skills, or of all. A version that has another signer is
    /// an error of its skill; so is one that can do more or may be a step back, if that is refused.
    /// After an id, `@` and the digest of files accept only these, as a preview has shown them.
    ///
    /// # Errors
    ///
    /// As [`Self::preview`]. Nothing is installed then.
    pub fn update(
        &self,
        ids: &[String],
        growth: Growth,
        cancel: &Cancel,
    ) -> Result<Updates, InstallError> {
        let locked = self.lock.load()?;
        let (ids, accepted): (Vec<_>, Vec<_>) = ids.iter().map(|id| shown_as(id, &locked)).unzip();
        let (mut updates, mut candidates, least) = self.updates(&ids, cancel)?;
        let accepted: BTreeMap<_, _> =
            ids.iter().zip(accepted).filter_map(|(id, tree)| Some((id, tree?))).collect();
        let check = |candidate: &Candidate, known: Option<&LockedSkill>| {
            let (id, found) = (candidate.id.clone(), candidate.skill.tree);
            if let Some(&expected) = accepted.get(&id).filter(|tree| **tree != found) {
                return Err(InstallError::ArtifactChanged { expected, found });
            }
            let known = known.ok_or(InstallError::NotInstalled(id))?;
            if growth == Growth::Accept { Ok(()) } else { check_replacement(candidate, known) }
        };
        if !candidates.is_empty() {
            for LeftOut { name, error } in self.install(&mut candidates, &check)?.1 {
                updates.found.retain(|update| update.id != name);
                updates.failed.insert(name, error);
            }
        }
        updates.or_error(least)
    }

    /// Returns the newer versions, their files, and how many errors are all that there is to say.
    fn updates(
        &self,
        ids: &[String],
        cancel: &Cancel,
    ) -> Result<(Updates, Vec<Candidate>, usize), InstallError> {
        let lock = wanted(self.lock.load()?, ids)?;
        let mut groups: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for (id, skill) in &lock.skills {
            let key = (skill.source.as_str(), skill.reference.as_deref());
            groups.entry(key).or_default().push(id.clone());
        }
        let mut updates = Updates::default();
        let mut newer = Vec::new();
        let signatures = Signatures::known(self.signers, &lock);
        for ((source, reference), ids) in groups {
            let request = request(source, reference);
            let fetched =
                match fetch(self.remote, &request, Wanted::Named(&ids), &signatures, &lock, cancel)
                {
                    Ok(fetched) => fetched,
                    Err(error) => {
                        let failed = ids.into_iter().map(|id| (id, error.clone()));
                        updates.failed.extend(failed);
                        continue;
                    }
                };
            let mut candidates = fetched.candidates;
            self.find_steps_back(&mut candidates, &lock, cancel);
            for candidate in candidates {
                let Some(from) = lock.skills.get(&candidate.id) else { continue };
                if from.tree != candidate.skill.tree {
                    updates.found.push(self.compare(from, &candidate)?);
                    newer.push(candidate);
                }
            }
            for LeftOut { name, error } in fetched.left_out {
                let is_meant = |id: &&String| {
                    **id == name || lock.skills[*id].path.as_ref().is_some_and(|it| *it == name)
                };
                if let Some(id) = ids.iter().find(is_meant) {
                    updates.failed.insert(id.clone(), error);
                }
            }
        }
        updates.found.sort_by(|one, other| one.id.cmp(&other.id));
        // Of all skills, those without news are no outcome beside an error.
        Ok((updates, newer, if ids.is_empty() { 1 } else { lock.skills.len() }))
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
            steps_back: candidate.steps_back.clone(),
            gained: gained(from, &to),
            lost: gained(&to, from),
            from: from.clone(),
            to,
        })
    }
}

impl Installer<'_> {
    /// Returns the texts of changed and added files.
    fn texts(
        &self,
        from: &LockedSkill,
        files: &BTreeMap<String, FileChange>,
        after: &Archive,
    ) -> BTreeMap<String, [String; 2]> {
        let stored = self.store.open(&from.tree).ok();
        let mut left = MAX_TEXTS;
        let mut texts = BTreeMap::new();
        for (path, change) in files {
            let Some(file) = after.files().iter().find(|file| file.path == *path) else { continue };
            let before = match (change, &stored) {
                (FileChange::Changed, Some(stored)) => stored.read(path, Limits::default().bytes),
                _ => Ok(Vec::new()),
            };
            let most = left.min(MAX_TEXT);
            let both = [&before.unwrap_or_default(), &file.content].map(|it| shown(it, most));
            left = left.saturating_sub(both.iter().map(String::len).max().unwrap_or_default());
            texts.insert(path.clone(), both);
        }
        texts
    }
}

/// Returns the start of a text, and a line about the rest, so that nothing is left out unseen.
fn shown(content: &[u8], most: usize) -> String {
    let text = std::str::from_utf8(content).unwrap_or_default();
    let mut text = text[..text.floor_char_boundary(most)].to_owned();
    let rest = &content[text.len()..];
    if !rest.is_empty() {
        let line = format!("\n[not shown: {} bytes, {}]\n", rest.len(), Digest::of(rest));
        text.push_str(if text.is_empty() { line.trim_start() } else { &line });
    }
    text
}

/// Returns the id of a skill, and the digest of the new files that may follow it.
fn shown_as(written: &str, lock: &Lock) -> (String, Option<Digest>) {
    let split = written.rsplit_once('@').filter(|_| !lock.skills.contains_key(written));
    match split.and_then(|(id, tree)| Some((id, tree.parse().ok()?))) {
        Some((id, tree)) => (id.to_owned(), Some(tree)),
        None => (written.to_owned(), None),
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
