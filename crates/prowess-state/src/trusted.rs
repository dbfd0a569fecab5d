//! The trusted folders, as they were when the file was read.

use std::path::{Path, PathBuf};

use prowess_core::{
    CheckedFolder, Diagnostic, Digest, FolderAnswer, FolderIdentity, FolderTrust, Timestamp,
};
use prowess_dir::{Dir, Links, PACKAGES_OF_OTHERS, REPOSITORY, has_other_authors};
use serde::{Deserialize, Serialize};

use crate::identity::Identity;
use crate::trusted_origin::TrustedOrigin;
use crate::worktree::Worktree;

/// The folders that the user trusts.
///
/// Trust in a folder covers its content, except repositories in it and directories of a package
/// manager (`node_modules`): their content was written by others. Trust in a git repository covers
/// its linked worktrees, wherever they are.
#[derive(Clone, Debug, Default)]
pub struct TrustedFolders {
    pub(crate) folders: Vec<TrustedFolder>,
    /// The reviewed skills of agents, each with the digest of its files.
    pub(crate) skills: Vec<TrustedOrigin>,
    pub(crate) finding: Option<Diagnostic>,
}

/// One folder that the user trusts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedFolder {
    path: Box<str>,
    since: jiff::Timestamp,
    identity: Identity,
}

/// The state of the path of a trusted folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustedState {
    /// The folder.
    Trusted,
    /// Another folder, which is not trusted.
    Replaced,
    /// No folder.
    Missing,
}

impl TrustedFolders {
    /// Returns the folders, in the order in which they were trusted.
    pub fn folders(&self) -> &[TrustedFolder] {
        &self.folders
    }

    /// Returns the reason why no folder is trusted, if the file is unusable.
    pub fn finding(&self) -> Option<&Diagnostic> {
        self.finding.as_ref()
    }

    /// Returns the trusted folder that covers this one, whether it still exists or not.
    pub fn covering(&self, folder: &Path) -> Option<&TrustedFolder> {
        let real = folder.canonicalize().ok()?;
        self.covering_real(&real).or_else(|| self.covering_real(&Worktree::of(&real)?.main))
    }

    fn covering_real(&self, real: &Path) -> Option<&TrustedFolder> {
        let covering = self.folders.iter().filter(|trusted| trusted.covers(real));
        covering.max_by_key(|folder| (folder.state() == TrustedState::Trusted, folder.path.len()))
    }
}

impl FolderTrust for TrustedFolders {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        self.check(folder).answer
    }

    fn check(&self, folder: &Path) -> CheckedFolder {
        let covering = self.covering(folder);
        let identity = covering.and_then(|trusted| trusted.identity_of(folder));
        let answer = match covering.map(TrustedFolder::state) {
            Some(TrustedState::Trusted) if identity.is_some() => FolderAnswer::Trusted,
            Some(TrustedState::Replaced) => FolderAnswer::Replaced,
            _ => FolderAnswer::NotTrusted,
        };
        CheckedFolder { answer, identity }
    }

    fn has_reviewed(&self, skill: &str, files: &Digest) -> bool {
        let name = format!("{skill}@{files}");
        self.skills.iter().any(|reviewed| *reviewed.name == *name)
    }
}

impl TrustedFolder {
    pub(crate) fn new(path: Box<str>, now: Timestamp, identity: Identity) -> Self {
        Self { path, since: now.into(), identity }
    }

    /// Returns the folder's real path.
    pub fn path(&self) -> &Path {
        Path::new(&*self.path)
    }

    /// Returns the time at which it was trusted, as RFC 3339.
    pub fn since(&self) -> String {
        self.since.to_string()
    }

    /// Returns the current state of its path.
    pub fn state(&self) -> TrustedState {
        match Identity::of(self.path()) {
            None => TrustedState::Missing,
            Some(identity) if identity == self.identity => TrustedState::Trusted,
            Some(_) => TrustedState::Replaced,
        }
    }

    /// Returns the identity of a folder that this trust covers. Each directory is opened through
    /// the handle of its parent, from the trusted one on, so that none can be replaced in between.
    fn identity_of(&self, folder: &Path) -> Option<FolderIdentity> {
        let real = folder.canonicalize().ok()?;
        let worktree = if self.covers(&real) { None } else { Some(Worktree::of(&real)?) };
        let start = worktree.as_ref().map_or(self.path(), |worktree| &worktree.root);
        let mut directory = Dir::open(start).ok()?;
        let is_same = || Some(Identity::of_open(&directory.identity().ok()?) == self.identity);
        if worktree.is_none() && !is_same()? {
            return None;
        }
        for name in real.strip_prefix(start).ok()? {
            directory = directory.open_dir(name.to_str()?, Links::Refuse).ok()?;
            if name == PACKAGES_OF_OTHERS || directory.stat_unconfined(REPOSITORY).is_ok() {
                return None;
            }
        }
        let prowess_dir::Identity { device, inode, created } = directory.identity().ok()?;
        let created = created.map(|created| (created.seconds, created.nanoseconds));
        Some(FolderIdentity { device, inode, created })
    }

    fn covers(&self, real: &Path) -> bool {
        real.starts_with(self.path())
            && !real.ancestors().take_while(|folder| *folder != self.path()).any(has_other_authors)
    }
}

/// Returns the real path of a folder; for a folder that no longer exists, its former path.
pub(crate) fn real_path(folder: &Path) -> PathBuf {
    let absolute = || std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    folder.canonicalize().unwrap_or_else(|_| absolute().components().collect())
}
