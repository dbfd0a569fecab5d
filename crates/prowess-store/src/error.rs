//! The errors of this crate.

use std::path::PathBuf;

use prowess_archive::Refusal;
use prowess_core::{Code, Digest, RemoteError};
use prowess_text::enumerated;

use crate::codes;

/// The error of a lock file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The text is not a lock file.
    #[error("the lock file is invalid: {0}")]
    Invalid(String),
    /// The text has conflict markers of a merge.
    #[error("the lock file has conflict markers; keep one version of each skill")]
    Conflicted,
    /// The version is not supported.
    #[error("the lock file has version {0}, and this program supports version 1")]
    UnknownVersion(i64),
}

impl LockError {
    /// Returns the code for a diagnostic.
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid(_) => codes::LOCK_INVALID,
            Self::Conflicted => codes::LOCK_CONFLICTED,
            Self::UnknownVersion(_) => codes::LOCK_VERSION,
        }
    }
}

/// The error of an operation on the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The lock file cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The package is not in the store.
    #[error("the package {0} is not in the store")]
    Missing(Digest),
    /// The files of the package are not those that were installed; these, as far as they are known.
    #[error("{}", changed(&format!("the package {}", .0), .1))]
    Changed(Digest, Vec<String>),
    /// A file or directory cannot be read or written.
    #[error("the store cannot be used: {0}")]
    Unusable(String),
    /// There is no earlier version of the skill, or none that begins with this text.
    #[error("{}", no_earlier(.0, .1.as_deref()))]
    NoEarlierVersion(String, Option<String>),
    /// Several earlier versions of the skill begin with the text.
    #[error("several earlier versions of `{0}` begin like that")]
    SeveralVersions(String),
    /// Something that was not placed by this program has the name of a skill.
    #[error("`{}` exists, and is not from here or was changed since", .0.display())]
    PlaceOccupied(PathBuf),
    /// The lock file of a project may not name the directory, for this reason.
    #[error("`{}` {}", .0.display(), .1)]
    PlaceRefused(PathBuf, &'static str),
    /// A link that leads out of the project, or a file, is on the way to the place.
    #[error(
        "`{}` is behind a link that leads out of the repository, or behind a file", .0.display()
    )]
    PlaceBlocked(PathBuf),
    /// The skill is not installed, or its id is a path.
    #[error("`{0}` cannot be placed in a directory: it is not installed, or its name is a path")]
    NotPlaceable(String),
    /// Nothing with this digest is in quarantine.
    #[error("{0} is not in quarantine")]
    NotInQuarantine(Digest),
}

fn no_earlier(id: &str, version: Option<&str>) -> String {
    let begins = version.map(|it| format!(" that begins with `{it}`")).unwrap_or_default();
    format!("there is no earlier version of `{id}`{begins}")
}

impl StoreError {
    /// Returns the code for a diagnostic.
    pub fn code(&self) -> Code {
        match self {
            Self::Lock(error) => error.code(),
            Self::Missing(_) => codes::PACKAGE_MISSING,
            Self::Changed(..) => codes::PACKAGE_CHANGED,
            Self::Unusable(_) => codes::STORE_UNWRITABLE,
            Self::NoEarlierVersion(..) | Self::SeveralVersions(_) => codes::NO_EARLIER_VERSION,
            Self::PlaceOccupied(_) => codes::PLACE_OCCUPIED,
            Self::PlaceRefused(..) | Self::PlaceBlocked(_) | Self::NotPlaceable(_) => {
                codes::NOT_PLACEABLE
            }
            Self::NotInQuarantine(_) => codes::NOT_IN_QUARANTINE,
        }
    }
}

impl From<prowess_dir::Error> for StoreError {
    fn from(error: prowess_dir::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}

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
    /// A directory is no skill by itself, and nothing of its name was asked for.
    #[error(transparent)]
    NotAlone(RemoteError),
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
    /// Several packages of the source have the name of this skill, and other files.
    #[error("there are several skills `{id}`, in {}", and(.directories))]
    SeveralSkills {
        /// The name.
        id: String,
        /// The directories of the packages.
        directories: Vec<String>,
    },
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
    /// The new version may be a step back from the installed one.
    #[error("the new version of `{id}` may be a step back: {}", .reasons.join("; "))]
    StepBack {
        /// The id of the skill.
        id: String,
        /// The reasons, as sentences.
        reasons: Vec<String>,
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
    /// A source cannot be reached, or a bundle of sigstore or an identity not be verified, without
    /// a feature that the host lacks.
    #[error("`{what}` needs the feature `{feature}`, which this build lacks")]
    MissingFeature {
        /// The source, the location of the bundle, or the identity.
        what: String,
        /// The feature; that of `prowess-signature` for a bundle or an identity.
        feature: &'static str,
    },
    /// The skill is not in the lock file.
    #[error("no skill `{0}` is in the lock file")]
    NotInstalled(String),
}

/// The maximum number of changed files that are named.
const MAX_FILES: usize = 5;

/// Returns the sentence about a package, as it is shown, whose files were changed.
pub(crate) fn changed(package: &str, files: &[String]) -> String {
    format!("the files of {package} were changed after it was installed{}", named(files))
}

/// Names files as the end of a clause, a few and the number of the others.
pub(crate) fn named(files: &[String]) -> String {
    let named = enumerated(files.iter().take(MAX_FILES).map(String::as_str), "and");
    match files.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
        _ if files.is_empty() => String::new(),
        None => format!(": {named}"),
        Some(more) => format!(": {named}, and {more} more"),
    }
}

fn and(directories: &[String]) -> String {
    enumerated(directories.iter().map(String::as_str), "and")
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
            Self::Remote(error) | Self::NotAlone(error) => Code::new(error.kind.as_str()),
            Self::Refused(refusal) => Code::new(refusal.kind.as_str()),
            Self::ArtifactChanged { .. } => codes::ARTIFACT_CHANGED,
            Self::NoSkill(_) => codes::NO_SKILL,
            Self::SkillInvalid(_) | Self::SeveralSkills { .. } => codes::SKILL_INVALID,
            Self::OtherSource { .. } => codes::SKILL_FROM_ANOTHER_SOURCE,
            Self::SurfaceGrown { .. } => codes::SURFACE_GROWN,
            Self::StepBack { .. } => codes::STEP_BACK,
            Self::SignatureInvalid(_) => codes::SIGNATURE_INVALID,
            Self::OtherSigner { .. } => codes::SIGNER_CHANGED,
            Self::MissingFeature { .. } => codes::FEATURE_MISSING,
            Self::NotInstalled(_) => codes::NOT_INSTALLED,
        }
    }
}
