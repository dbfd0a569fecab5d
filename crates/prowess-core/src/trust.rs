//! Which folders the user trusts.

use std::path::Path;

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
