//! Which folders the user trusts.

use std::path::{Path, PathBuf};

use prowess_format::Diagnostic;

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
    /// The project that it belongs to, which is what the user is told of and can trust.
    pub project: PathBuf,
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
