//! The signers of artifacts.

use prowess_core::{
    ArtifactSignature, Cancel, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
};
use prowess_signature::{PublicKey, Signature};

use crate::install_error::InstallError;
use crate::lock::Lock;
use crate::locked_skill::{LockedSkill, UNSIGNED};

/// The start of the name of a signer in a lock, before the key.
const MINISIGN: &str = "minisign:";

/// The maximum size of a signature or a key, in bytes.
const MAX_BYTES: usize = 4096;

/// Returns the name of the signer with this key, as a lock has it.
pub fn signer_name(key: &PublicKey) -> String {
    format!("{MINISIGN}{key}")
}

/// Whether the signatures of fetched artifacts are verified.
pub(crate) enum Signatures {
    /// The digests of the files are locked, and say more than a signature.
    Skip,
    /// They are, with these keys if one of them signed, and else with the key of the source.
    Verify(Vec<PublicKey>),
}

impl Signatures {
    /// Verifies with the key that the user has named, and those of a lock.
    pub(crate) fn known(named: Option<&PublicKey>, lock: &Lock) -> Self {
        let locked = lock.skills.values().filter_map(|skill| skill.signer.strip_prefix(MINISIGN));
        let locked = locked.filter_map(|key| PublicKey::parse(key).ok());
        let mut keys: Vec<_> = named.cloned().into_iter().chain(locked).collect();
        keys.sort();
        keys.dedup();
        Self::Verify(keys)
    }

    /// Returns the signer of an artifact, as the lock has it.
    pub(crate) fn signer(
        &self,
        remote: &dyn Remote,
        artifact: &RemoteArtifact,
        bytes: &[u8],
        cancel: &Cancel,
    ) -> Result<String, InstallError> {
        let (Self::Verify(known), Some(place)) = (self, &artifact.signature) else {
            return Ok(UNSIGNED.to_owned());
        };
        let Some(text) = text(remote, &place.location, cancel)? else {
            return Ok(UNSIGNED.to_owned());
        };
        let invalid = |reason: String| InstallError::SignatureInvalid(reason);
        let signature = Signature::parse(&text).map_err(|error| invalid(error.to_string()))?;
        // Ids of keys are no proof, so each key with this one is tried.
        let named = known.iter().filter(|key| key.id() == signature.key_id());
        let mut named: Vec<_> = named.cloned().collect();
        if named.is_empty() {
            named.push(published_key(remote, place, &signature, cancel)?);
        }
        let signed = named.iter().find(|key| key.has_signed(bytes, &signature));
        signed.map(signer_name).ok_or_else(|| {
            let id = signature.key_id();
            invalid(format!("the signature by the key {id} does not match the artifact"))
        })
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
    let text = text(remote, &place.key, cancel)?.ok_or_else(|| {
        invalid(format!("the source does not publish the key {id} of its signer"))
    })?;
    PublicKey::parse(&text).map_err(|error| invalid(error.to_string()))
}

/// Returns a small text of the source; `None` if it does not exist.
fn text(
    remote: &dyn Remote,
    location: &str,
    cancel: &Cancel,
) -> Result<Option<String>, InstallError> {
    match remote.fetch(&RemoteArtifact::plain(location), MAX_BYTES, cancel) {
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
    named: Option<&PublicKey>,
) -> Result<(), InstallError> {
    let locked = installed.map(|skill| &skill.signer).filter(|signer| *signer != UNSIGNED).cloned();
    let Some(expected) = named.map(signer_name).or(locked) else { return Ok(()) };
    let found = new.signer.clone();
    if found == expected {
        return Ok(());
    }
    Err(InstallError::OtherSigner { id: id.to_owned(), expected, found })
}
