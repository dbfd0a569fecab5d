//! The errors of installs.

use prowess_archive::Refusal;
use prowess_core::{Code, Digest, RemoteError};

use crate::codes;
use crate::error::{LockError, StoreError};

/// The error of an install.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The lock file or the store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The source cannot be used.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The archive is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The bytes are not those that the index or the lock file names.
    #[error("the artifact has the digest {found} instead of {expected}")]
    ArtifactChanged {
        /// The digest in the index or the lock file.
        expected: Digest,
        /// The digest of the bytes.
        found: Digest,
    },
    /// The source has no skill, or not this one.
    #[error("{0}")]
    NoSkill(String),
    /// The `SKILL.md` of a package is not valid.
    #[error("{0}")]
    SkillInvalid(String),
    /// A skill of this name is installed from another source.
    #[error("`{id}` is installed from `{from}`")]
    OtherSource {
        /// The id of the skill.
        id: String,
        /// The source of the installed skill.
        from: String,
    },
    /// The update can do more than the installed version.
    #[error("the update of `{id}` can do more: {}", .gained.join(", "))]
    SurfaceGrown {
        /// The id of the skill.
        id: String,
        /// The new capabilities.
        gained: Vec<String>,
    },
    /// The signature cannot be read, or is not that of the artifact.
    #[error("the signature is refused: {0}")]
    SignatureInvalid(String),
    /// The artifact has another signer than the installed version or than the user has named.
    #[error("`{id}` is signed by `{found}` instead of `{expected}`")]
    OtherSigner {
        /// The id of the skill.
        id: String,
        /// The signer in the lock file, or the one that the user has named.
        expected: String,
        /// The signer of the artifact.
        found: String,
    },
    /// The skill is not in the lock file.
    #[error("no skill `{0}` is in the lock file")]
    NotInstalled(String),
}

impl From<LockError> for InstallError {
    fn from(error: LockError) -> Self {
        Self::Store(error.into())
    }
}

impl InstallError {
    /// Returns the code for a diagnostic.
    pub fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Remote(error) => Code::new(error.kind.as_str()),
            Self::Refused(refusal) => Code::new(refusal.kind.as_str()),
            Self::ArtifactChanged { .. } => codes::ARTIFACT_CHANGED,
            Self::NoSkill(_) => codes::NO_SKILL,
            Self::SkillInvalid(_) => codes::SKILL_INVALID,
            Self::OtherSource { .. } => codes::SKILL_FROM_ANOTHER_SOURCE,
            Self::SurfaceGrown { .. } => codes::SURFACE_GROWN,
            Self::SignatureInvalid(_) => codes::SIGNATURE_INVALID,
            Self::OtherSigner { .. } => codes::SIGNER_CHANGED,
            Self::NotInstalled(_) => codes::NOT_INSTALLED,
        }
    }
}
