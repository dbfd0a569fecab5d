//! The trait for places that packages are installed from.

use std::ops::ControlFlow;

use crate::{Cancel, Digest};

/// A kind of place that packages are installed from, such as sites or repositories. It returns the
/// bytes of artifacts, and never unpacks them.
///
/// # Behavior
///
/// - `resolve` reports each artifact of a source once, and reports the same again as long as
///   nothing changes there.
/// - An artifact that changes gets another revision or another digest.
/// - A request with a revision that `resolve` has reported before reports its artifact, also when
///   the branch or tag means another one now. A source without revisions has the newest only.
/// - `fetch` returns the whole artifact or an error, never a part of it, and never more bytes than
///   the limit.
/// - `fetch_packages` reports each package whose files are wanted once, with them or its own error:
///   what is wrong with one package, or elsewhere in the artifact, is no error of another one.
/// - Something that does not exist is [`RemoteErrorKind::NotFound`], so that it is not mistaken for
///   a network that is away.
/// - No artifact and no error has credentials in it.
/// - Every method may be called from any thread at any time, and ends soon after `cancel`.
///
/// The digest of the fetched bytes is compared by the caller, which keeps other bytes apart.
pub trait Remote: Send + Sync {
    /// Returns the name of the kind, such as `https`.
    fn name(&self) -> &str;

    /// Reports the artifacts of a source.
    ///
    /// # Errors
    ///
    /// The source or its revision does not exist, cannot be reached, or has no artifacts that can
    /// be read.
    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError>;

    /// Returns why a revision of a source may be a step back from an earlier one of the same
    /// request: a tag was moved, or the history does not lead from one to the other. `None` if it
    /// follows.
    ///
    /// By default, this returns `None`: revisions have no order.
    ///
    /// # Errors
    ///
    /// As [`Self::resolve`].
    fn step_back(
        &self,
        request: &RemoteRequest,
        from: &str,
        to: &str,
        cancel: &Cancel,
    ) -> Result<Option<String>, RemoteError> {
        let _ = (request, from, to, cancel);
        Ok(None)
    }

    /// Returns the bytes of an artifact, at most `limit` of them.
    ///
    /// # Errors
    ///
    /// The artifact does not exist, is larger than the limit, or cannot be reached.
    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError>;

    /// Passes the bytes of an artifact on in parts, at most `limit` of them, until `receive` ends
    /// the call. Nothing is passed on if the artifact has the version `known` still. An error may
    /// come behind some of the bytes.
    ///
    /// By default, [`Self::fetch`] has the only part, and nothing has a version.
    ///
    /// # Errors
    ///
    /// As [`Self::fetch`].
    fn fetch_parts(
        &self,
        artifact: &RemoteArtifact,
        known: Option<&str>,
        limit: usize,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<FetchedParts, RemoteError> {
        let _ = known;
        let _ = receive(&self.fetch(artifact, limit, cancel)?);
        Ok(FetchedParts::Changed { version: None })
    }

    /// Fetches packages of an artifact one by one: those whose directory and `SKILL.md` are
    /// `wanted`, and those of which something is wrong, each with its error.
    ///
    /// By default, this returns `None`: an artifact is fetched as a whole.
    ///
    /// # Errors
    ///
    /// As [`Self::fetch`], for what is not the fault of one package.
    fn fetch_packages(
        &self,
        artifact: &RemoteArtifact,
        wanted: WantedPackage<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Option<Vec<RemotePackage>>, RemoteError> {
        let _ = (artifact, wanted, limit, cancel);
        Ok(None)
    }
}

/// Receives a part of an artifact, and may end the call.
pub type ReceivePart<'r> = &'r mut dyn FnMut(&[u8]) -> ControlFlow<()>;

/// The result of [`Remote::fetch_parts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchedParts {
    /// The artifact has the known version, so no byte was passed on.
    Unchanged,
    /// The bytes were passed on.
    Changed {
        /// Their version, such as the `ETag` of a server.
        version: Option<String>,
    },
}

/// Decides by its directory and the bytes of its `SKILL.md` what of a package is wanted.
pub type WantedPackage<'w> = &'w mut dyn FnMut(&str, &[u8]) -> Want;

/// The wanted part of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Nothing.
    Nothing,
    /// The reason why its files would be refused, as far as that is known without fetching them.
    Check,
    /// Its files.
    Files,
}

/// One package of an artifact, which was fetched without the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemotePackage {
    /// The directory in the artifact; empty for its root.
    pub directory: String,
    /// The archive of its files, or the reason why there is none:
    /// [`RemoteErrorKind::Unsupported`] of a directory that is no skill by itself, such as a
    /// submodule, or a part of another skill.
    pub bytes: Result<Vec<u8>, RemoteError>,
    /// What was left out of it, such as links that lead out of the source, as sentences.
    pub left_out: Vec<String>,
}

/// What a user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRequest {
    /// The source, such as a URL or a path.
    pub source: String,
    /// The branch, tag or version; by default the latest one.
    pub reference: Option<String>,
    /// The revision that was resolved for this source and reference before; by default that which
    /// they mean now.
    pub revision: Option<String>,
}

impl RemoteRequest {
    /// Creates a request for the latest version of a source.
    pub fn latest(source: impl Into<String>) -> Self {
        Self { source: source.into(), reference: None, revision: None }
    }
}

/// The form of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    /// A `SKILL.md` that is the whole package.
    SkillMd,
    /// An archive of one package or of several ones.
    Archive,
}

/// One version of something that can be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteArtifact {
    /// The location, which means something to its [`Remote`] only.
    pub location: String,
    /// The name of the skill, if the source states it.
    pub name: Option<String>,
    /// The form.
    pub kind: ArtifactKind,
    /// The immutable version, such as a commit; `None` if the digest of the bytes is the version.
    pub revision: Option<String>,
    /// The digest of the bytes, if the source states it.
    pub digest: Option<Digest>,
    /// Where a detached signature may be, if the source has signatures.
    pub signature: Option<ArtifactSignature>,
    /// Whether the reference of the request is a tag, and not a branch, if the source has both.
    pub is_tag: Option<bool>,
    /// The names or directories of the only skills that are wanted, if each is found at its place.
    pub first: Vec<String>,
}

impl RemoteArtifact {
    /// Creates an artifact about which nothing else is known.
    pub fn new(location: impl Into<String>, kind: ArtifactKind) -> Self {
        let location = location.into();
        let (name, revision, digest, signature, is_tag, first) = Default::default();
        Self { location, name, kind, revision, digest, signature, is_tag, first }
    }

    /// Creates an artifact for [`Remote::fetch`] that is not unpacked, such as a signature.
    pub fn plain(location: impl Into<String>) -> Self {
        Self::new(location, ArtifactKind::SkillMd)
    }
}

/// The locations of a detached signature. All of them are fetched like artifacts, and a signature
/// that does not exist is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArtifactSignature {
    /// The location of the signature: of minisign, or a bundle of sigstore.
    pub location: Option<String>,
    /// The location of the key of minisign, which is used only as long as no key of the source is
    /// known.
    pub key: Option<String>,
    /// The location where a bundle of sigstore may be instead, or several of them, one after the
    /// other. A signature of cosign that is no bundle is a descriptor of the OCI image
    /// specification with the signed content in `data`.
    pub bundle: Option<String>,
    /// The location of a document that a bundle may sign instead of the artifact, because the
    /// document states the digest of the artifact. The revision of the artifact is the digest of
    /// the document.
    pub subject: Option<String>,
}

/// The error of a [`Remote`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RemoteError {
    /// The kind, for programs.
    pub kind: RemoteErrorKind,
    /// The message, for people.
    pub message: String,
}

prowess_text::declare_kinds! {
    /// The kinds of [`RemoteError`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum RemoteErrorKind {
        /// The source or the artifact does not exist.
        NotFound = "remote-not-found",
        /// The request is not one that this remote can answer.
        Unsupported = "remote-unsupported",
        /// The answer cannot be read.
        Invalid = "remote-invalid",
        /// The answer is larger than the limit.
        TooLarge = "remote-too-large",
        /// The server denies access, or the user has not allowed to reach it.
        Denied = "remote-denied",
        /// The call was cancelled.
        Cancelled = "cancelled",
        /// The server cannot be reached, is too slow or fails.
        Unavailable = "remote-unavailable",
    }
}

impl RemoteError {
    /// Creates an error of this kind.
    pub fn new(kind: RemoteErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
