//! The signers of artifacts.

use prowess_core::{
    ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
};
use prowess_signature::{Identity, PublicKey, Signature, SignatureError};

use crate::error::InstallError;
use crate::lock::Lock;
use crate::locked_skill::{LockedSkill, UNSIGNED};
use crate::signer::{SIGSTORE, Signer, SignerRules, VerifyBundle};

/// The maximum size of a key, in bytes.
const MAX_KEY_BYTES: usize = 4096;

/// The maximum size of a signature, in bytes. Bundles of sigstore have certificates and proofs.
const MAX_SIGNATURE_BYTES: usize = 256 * 1024;

/// The maximum size of a document that is signed instead of an artifact, in bytes: that of a
/// manifest of a registry.
const MAX_SUBJECT_BYTES: usize = 4 * 1024 * 1024;

/// The signer of an artifact.
pub(crate) struct ArtifactSigner {
    /// The signer, as the lock has it.
    pub(crate) name: String,
    /// The kinds of what was found instead of a signature.
    pub(crate) unverified: Vec<String>,
}

impl ArtifactSigner {
    fn named(signer: &Signer) -> Self {
        Self { name: signer.to_string(), unverified: Vec::new() }
    }

    /// Returns that an artifact has no signature, only texts of these kinds.
    fn none(unverified: Vec<String>) -> Self {
        Self { name: UNSIGNED.to_owned(), unverified }
    }
}

/// Whether the signatures of fetched artifacts are verified.
pub(crate) enum Signatures<'s> {
    /// The digests of the files are locked, and say more than a signature.
    Skip,
    /// They are.
    Verify {
        /// The keys that are tried first. If none of them signed, the key of the source is.
        keys: Vec<PublicKey>,
        /// The identities that are preferred, if several have signed.
        identities: Vec<Identity>,
        bundles: Option<&'s VerifyBundle>,
    },
}

impl<'s> Signatures<'s> {
    /// Verifies with the key that the user has named, and those of a lock.
    pub(crate) fn known(rules: &'s SignerRules, lock: &Lock) -> Self {
        let locked = lock.skills.values().filter(|skill| skill.signer != UNSIGNED);
        let locked = locked.filter_map(|skill| Signer::parse(&skill.signer).ok());
        let signers: Vec<_> = rules.required.iter().cloned().chain(locked).collect();
        let mut keys: Vec<_> = signers.iter().filter_map(Signer::key).cloned().collect();
        keys.sort();
        keys.dedup();
        let identities = signers.into_iter().filter_map(Signer::into_identity).collect();
        Self::Verify { keys, identities, bundles: rules.bundles.as_ref() }
    }

    /// Verifies what is locked only if the user has named a signer.
    pub(crate) fn required(rules: &'s SignerRules, lock: &Lock) -> Self {
        if rules.required.is_some() { Self::known(rules, lock) } else { Self::Skip }
    }

    /// Returns the signer of an artifact.
    pub(crate) fn signer(
        &self,
        remote: &dyn Remote,
        artifact: &RemoteArtifact,
        bytes: &[u8],
        cancel: &Cancel,
    ) -> Result<ArtifactSigner, InstallError> {
        let (Self::Verify { keys, identities, bundles }, Some(place)) = (self, &artifact.signature)
        else {
            return Ok(ArtifactSigner::none(Vec::new()));
        };
        let mut found = match &place.location {
            Some(location) => text(remote, location, MAX_SIGNATURE_BYTES, cancel)?,
            None => None,
        };
        let mut location = place.location.as_deref();
        if let (None, Some(bundle)) = (&found, &place.bundle) {
            // Without a verifier, too: what is signed does not count as unsigned.
            found = text(remote, bundle, MAX_SIGNATURE_BYTES, cancel)?;
            location = Some(bundle);
        }
        let Some(text) = found else { return Ok(ArtifactSigner::none(Vec::new())) };
        if text.trim_start().starts_with('{') {
            let lacking = || without_verifier(location.unwrap_or_default());
            let verify = bundles.ok_or_else(lacking)?;
            let subject = subject(remote, artifact, place, cancel)?;
            let contents: Vec<_> = std::iter::once(bytes).chain(subject.as_deref()).collect();
            return identity(&contents, &text, identities, verify);
        }
        let invalid = |reason: String| InstallError::SignatureInvalid(reason);
        let signature = Signature::parse(&text).map_err(|error| invalid(error.to_string()))?;
        // Ids of keys are no proof, so each key with this one is tried.
        let named = keys.iter().filter(|key| key.id() == signature.key_id());
        let mut named: Vec<_> = named.cloned().collect();
        if named.is_empty() {
            named.push(published_key(remote, place, &signature, cancel)?);
        }
        let signed = named.into_iter().find(|key| key.has_signed(bytes, &signature));
        signed.map(|key| ArtifactSigner::named(&Signer::Key(key))).ok_or_else(|| {
            let id = signature.key_id();
            invalid(format!("the signature by the key {id} does not match the artifact"))
        })
    }
}

/// Returns the document that a bundle may sign instead of the artifact.
fn subject(
    remote: &dyn Remote,
    artifact: &RemoteArtifact,
    place: &ArtifactSignature,
    cancel: &Cancel,
) -> Result<Option<Vec<u8>>, InstallError> {
    let Some(location) = &place.subject else { return Ok(None) };
    let bytes = remote.fetch(&RemoteArtifact::plain(location), MAX_SUBJECT_BYTES, cancel)?;
    // The remote has read the digest of the artifact in the document with this digest.
    if artifact.revision != Some(Digest::of(&bytes).to_string()) {
        let message = "the signed document is of another version than the artifact";
        return Err(InstallError::SignatureInvalid(message.to_owned()));
    }
    Ok(Some(bytes))
}

/// Returns the identity that has signed one of these contents. If there are several bundles, one of
/// a known identity counts, because anyone may add others.
///
/// An artifact with statements of other kinds alone is unsigned, as it is without them. A wrong
/// signature is refused, whatever is next to it.
fn identity(
    contents: &[&[u8]],
    text: &str,
    known: &[Identity],
    verify: &VerifyBundle,
) -> Result<ArtifactSigner, InstallError> {
    let mut signed = Vec::new();
    let mut unverified = Vec::new();
    let mut refused = None;
    for bundle in documents(text) {
        for content in contents {
            match verify(content, &bundle) {
                Ok(identity) => signed.push(identity),
                Err(SignatureError::OtherKind(kind)) => unverified.push(kind),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
    }
    let preferred = signed.iter().position(|identity| known.contains(identity)).unwrap_or(0);
    if let Some(identity) = signed.into_iter().nth(preferred) {
        return Ok(ArtifactSigner::named(&Signer::Identity(identity)));
    }
    if let Some(error) = refused {
        return Err(InstallError::SignatureInvalid(error.to_string()));
    }
    unverified.sort();
    unverified.dedup();
    Ok(ArtifactSigner::none(unverified))
}

/// Returns the error of a bundle or an identity that only a missing verifier can judge.
fn without_verifier(what: &str) -> InstallError {
    InstallError::MissingFeature { what: what.to_owned(), feature: "sigstore" }
}

/// Returns the documents of a text with several ones; other texts as they are.
fn documents(text: &str) -> Vec<String> {
    let documents = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    match documents.collect::<Result<Vec<_>, _>>() {
        Ok(documents) if documents.len() > 1 => documents.iter().map(ToString::to_string).collect(),
        _ => vec![text.to_owned()],
    }
}

/// Returns the key that the source states for its signatures.
fn published_key(
    remote: &dyn Remote,
    place: &ArtifactSignature,
    signature: &Signature,
    cancel: &Cancel,
) -> Result<PublicKey, InstallError> {
    let id = signature.key_id();
    let invalid = |reason: String| InstallError::SignatureInvalid(reason);
    let text = match &place.key {
        Some(key) => text(remote, key, MAX_KEY_BYTES, cancel)?,
        None => None,
    };
    let text = text.ok_or_else(|| {
        invalid(format!("the source does not publish the key {id} of its signer"))
    })?;
    PublicKey::parse(&text).map_err(|error| invalid(error.to_string()))
}

/// Returns a small text of the source; `None` if it does not exist.
fn text(
    remote: &dyn Remote,
    location: &str,
    limit: usize,
    cancel: &Cancel,
) -> Result<Option<String>, InstallError> {
    match remote.fetch(&RemoteArtifact::plain(location), limit, cancel) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(RemoteError { kind: RemoteErrorKind::NotFound, .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Checks that a new version of a skill has the signer that the user has named, or else that of the
/// installed version. A version that was not signed may be replaced by a signed one.
pub(crate) fn check_signer(
    id: &str,
    new: &LockedSkill,
    installed: Option<&LockedSkill>,
    rules: &SignerRules,
) -> Result<(), InstallError> {
    let locked = installed.map(|skill| &skill.signer).filter(|signer| *signer != UNSIGNED).cloned();
    let Some(expected) = rules.required.as_ref().map(Signer::to_string).or(locked) else {
        return Ok(());
    };
    let found = new.signer.clone();
    if found == expected {
        return Ok(());
    }
    if rules.bundles.is_none() && expected.starts_with(SIGSTORE) {
        return Err(without_verifier(&expected));
    }
    Err(InstallError::OtherSigner { id: id.to_owned(), expected, found })
}
