//! Which folders the user trusts.

use std::path::{Path, PathBuf};

use prowess_format::Diagnostic;
use serde::{Deserialize, Serialize};

/// Tells whether the user trusts who wrote what lies in a folder. A project's skills come with the
/// project, so that whoever may write to it could speak to the model.
///
/// # Behavior
///
/// - An answer that cannot be found out is [`FolderAnswer::NotTrusted`].
/// - It may be asked from any thread at any time.
pub trait FolderTrust: Send + Sync {
    /// Whether this folder is trusted.
    fn answer(&self, folder: &Path) -> FolderAnswer;

    /// As [`Self::answer`], with the identity of the very folder that the answer is about, so that
    /// another folder that takes its path later is not taken for it.
    ///
    /// By default without identity: then trust holds for whatever is at the path.
    fn check(&self, folder: &Path) -> CheckedFolder {
        CheckedFolder { answer: self.answer(folder), identity: None }
    }

    /// Another number than before where the user may have said something else since. It costs next to
    /// nothing, as it is asked whenever a turn begins.
    ///
    /// By default always 0: then a folder is asked about again when the skills are reloaded.
    fn edition(&self) -> u64 {
        0
    }

    /// Why nothing is known of any folder, where that is so.
    ///
    /// By default there is nothing to say.
    fn finding(&self) -> Option<Diagnostic> {
        None
    }
}

/// A folder that has to be trusted before the skills of a source are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedFolder {
    /// The folder that is asked about.
    pub folder: PathBuf,
    /// The project that it belongs to, which is what the user sees in messages and can trust.
    pub project: PathBuf,
    /// The identity of the folder that the source reads from and no other, where the source is bound
    /// to one. Trust in another folder at the same path does not count then.
    pub identity: Option<FolderIdentity>,
}

/// The identity of a folder on the running machine, which no other folder at its path shares.
///
/// The default identity is that of no folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderIdentity {
    /// The device that the folder is on.
    pub device: u64,
    /// The folder's number on that device.
    pub inode: u64,
    /// When the folder was created, in seconds since 1970 and nanoseconds, where that is known.
    pub created: Option<(i64, u32)>,
}

/// An answer about a folder, and which folder it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedFolder {
    /// The answer.
    pub answer: FolderAnswer,
    /// The folder that it is about, if the answer is for one folder instead of for a path.
    pub identity: Option<FolderIdentity>,
}

/// What is known of the trust in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderAnswer {
    /// The user trusts it.
    Trusted,
    /// The user never said so, or took it back.
    NotTrusted,
    /// The user trusts a folder that stood here, and this is another. It is not trusted.
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
