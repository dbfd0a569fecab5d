//! The user's trust in folders.

use std::path::{Path, PathBuf};

use prowess_format::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// Decides whether the user trusts the authors of a folder's content. Otherwise everyone with write
/// access to a project could instruct the model by its skills.
///
/// # Behavior
///
/// - Returns [`FolderAnswer::NotTrusted`] if the answer cannot be determined.
/// - It may be called from any thread at any time.
pub trait FolderTrust: Send + Sync {
    /// Returns whether this folder is trusted.
    fn answer(&self, folder: &Path) -> FolderAnswer;

    /// Like [`Self::answer`], but also returns the identity of the folder that the answer applies
    /// to, so that another folder that takes its path later is not mistaken for it.
    ///
    /// By default without identity: the answer applies to whatever is at the path.
    fn check(&self, folder: &Path) -> CheckedFolder {
        CheckedFolder { answer: self.answer(folder), identity: None }
    }

    /// Returns whether the user has reviewed a skill that an agent has written, with this id and
    /// exactly these files.
    ///
    /// By default the user has reviewed none.
    fn has_reviewed(&self, skill: &str, files: &Digest) -> bool {
        let _ = (skill, files);
        false
    }

    /// Returns a number that changes whenever the user's decisions may have changed. It must be
    /// cheap, because every turn calls it.
    ///
    /// By default 0: then a folder is checked again only when the skills are reloaded.
    fn version(&self) -> u64 {
        0
    }

    /// Returns a diagnostic if the trust in all folders is unknown.
    ///
    /// By default `None`.
    fn finding(&self) -> Option<Diagnostic> {
        None
    }
}

/// A folder that has to be trusted before the skills of a source are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedFolder {
    /// The folder in question.
    pub folder: PathBuf,
    /// The project that contains the folder. Messages show it, and the user can trust it.
    pub project: PathBuf,
    /// The identity of the folder that the source reads from, if the source is bound to one. Trust
    /// in another folder at the same path does not count then.
    pub identity: Option<FolderIdentity>,
}

/// The identity of a folder on the running machine. No other folder at its path has the same.
///
/// The default value is not the identity of any folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderIdentity {
    /// The device that the folder is on.
    pub device: u64,
    /// The folder's number on that device.
    pub inode: u64,
    /// The time when the folder was created, in seconds since 1970 and nanoseconds, if it is known.
    pub created: Option<(i64, u32)>,
}

/// An answer about a folder, and the folder that it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedFolder {
    /// The answer.
    pub answer: FolderAnswer,
    /// The folder that it applies to, if that is one folder instead of a path.
    pub identity: Option<FolderIdentity>,
}

/// Whether a folder is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderAnswer {
    /// The user trusts it.
    Trusted,
    /// The user never trusted it, or revoked the trust.
    NotTrusted,
    /// The user trusted another folder at this path. This one is not trusted.
    Replaced,
}

/// Trusts no folder.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFolderTrust;

impl FolderTrust for NoFolderTrust {
    fn answer(&self, _folder: &Path) -> FolderAnswer {
        FolderAnswer::NotTrusted
    }
}
