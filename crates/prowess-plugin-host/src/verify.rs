//! From a path to bytes that may run.
//!
//! A file is read once, into memory. What is looked at, hashed, compared and later opened are those
//! bytes: whatever happens to the path meanwhile does not matter.

mod signature;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use prowess_core::Digest;
use prowess_plugin_abi::manifest::Manifest;
use prowess_text::shell_word;
use serde::Serialize;

use crate::policy::version;
use crate::trust::rollback;
use crate::{
    Inspection, Origin, Placement, PluginError, PluginErrorKind, PluginPolicy, TrustStore, inspect,
    place,
};

use signature::{signature_of, signed_by};

/// A plugin that was read and may run. There is no other way to one than [`verify`].
#[derive(Clone, Debug)]
pub struct VerifiedPlugin {
    file: PathBuf,
    bytes: Vec<u8>,
    digest: Digest,
    inspection: Inspection,
    trusted_by: TrustedBy,
    placement: Placement,
}

/// Why a plugin may run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TrustedBy {
    /// Its very bytes are trusted.
    Pin,
    /// A key is trusted, and its owner signed these bytes for this name, version and target.
    Signature {
        /// The key's number.
        key: String,
    },
}

/// Reads a plugin's file and decides whether it may run. Nothing of it is executed.
///
/// The order: where it lies, what it is, whether it is trusted, whether it fits this host and the
/// policy. The manifest is read before trust is checked, since a signature names what it is for.
///
/// # Errors
///
/// It may not; the error says why and what to do.
pub fn verify(
    file: &Path,
    origin: Origin,
    policy: &PluginPolicy,
    trust: &TrustStore,
) -> Result<VerifiedPlugin, PluginError> {
    let (bytes, inspection) = read(file, origin, policy)?;
    verify_bytes(file, bytes, inspection, policy, trust)
}

/// Decides as [`verify`] does, for bytes that were [`read`] already.
///
/// # Errors
///
/// As for [`verify`].
pub fn verify_bytes(
    file: &Path,
    bytes: Vec<u8>,
    inspection: Inspection,
    policy: &PluginPolicy,
    trust: &TrustStore,
) -> Result<VerifiedPlugin, PluginError> {
    let digest = Digest::of(&bytes);
    let again = || Ok(Cow::Borrowed(&*bytes));
    let seen = InspectedFile { file, digest, inspection: &inspection, bytes: &again };
    let (trusted_by, placement) = decide(&seen, policy, trust)?;
    let file = file.to_owned();
    Ok(VerifiedPlugin { file, bytes, digest, inspection, trusted_by, placement })
}

/// A file that was inspected, and how to read its bytes.
pub(crate) struct InspectedFile<'a> {
    pub(crate) file: &'a Path,
    pub(crate) digest: Digest,
    pub(crate) inspection: &'a Inspection,
    pub(crate) bytes: &'a dyn Fn() -> Result<Cow<'a, [u8]>, PluginError>,
}

/// Why a plugin may run, and where.
pub(crate) fn decide(
    seen: &InspectedFile<'_>,
    policy: &PluginPolicy,
    trust: &TrustStore,
) -> Result<(TrustedBy, Placement), PluginError> {
    let trusted_by = trusted_by(seen, trust)?;
    policy.judge(seen.file, seen.inspection)?;
    let is_pinned = trusted_by == TrustedBy::Pin;
    let placement = policy.placement(seen.file, seen.inspection, is_pinned)?;
    Ok((trusted_by, placement))
}

/// Reads a plugin's file and what it says of itself, trusted or not.
///
/// # Errors
///
/// It lies in a wrong place, cannot be read, or is no plugin.
pub fn read(
    file: &Path,
    origin: Origin,
    policy: &PluginPolicy,
) -> Result<(Vec<u8>, Inspection), PluginError> {
    let bytes = place::open(file, origin, policy)?.read(policy)?;
    let inspection = inspect(file, &bytes)?;
    Ok((bytes, inspection))
}

impl VerifiedPlugin {
    /// The path that it was read from. It is for people: what runs are the [`Self::bytes`].
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The bytes that were looked at.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns their digest.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the plugin's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.inspection.manifest
    }

    /// The same with what its format says.
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// Why it may run.
    pub fn trusted_by(&self) -> &TrustedBy {
        &self.trusted_by
    }

    /// Where it is to run.
    pub fn placement(&self) -> Placement {
        self.placement
    }
}

/// Why these bytes may run. The file of the signature is looked for only where there is no pin.
fn trusted_by(seen: &InspectedFile<'_>, trust: &TrustStore) -> Result<TrustedBy, PluginError> {
    let InspectedFile { file, digest, inspection, .. } = *seen;
    match trust.pin_of(digest) {
        Some(pin) if pin.revoked_at.is_none() => return Ok(TrustedBy::Pin),
        Some(_) => {
            let reason = "was trusted once, and that was taken back";
            let help = "install a newer version";
            return Err(PluginError::refused(PluginErrorKind::NotTrusted, file, reason, help));
        }
        None => {}
    }
    let name = &inspection.manifest.name;
    let Some(signature) = signature_of(file)? else {
        return Err(unknown(file, digest, name, trust));
    };
    let key = signed_by(seen, trust, &signature)?;
    if trust.is_name_revoked(name) {
        let reason = format!("is a signed build of `{name}`, whose builds were revoked");
        return Err(PluginError::refused(
            PluginErrorKind::NotTrusted,
            file,
            reason,
            trust_help(file),
        ));
    }
    let own = version(file, inspection)?;
    if let Some(newer) = trust.newer(name, &own) {
        let help = "install the newer one, or trust this very file: `prowess plugin trust FILE --allow-older`";
        return Err(rollback(file, &own, newer, help));
    }
    Ok(TrustedBy::Signature { key })
}

/// The next step for a build that is not trusted.
fn trust_help(file: &Path) -> String {
    let file = shell_word(file);
    format!("if you trust it with your rights, run `prowess plugin trust {file}`")
}

/// Returns the refusal of bytes that are not pinned; others of the plugin's name may be.
fn unknown(file: &Path, digest: Digest, name: &str, trust: &TrustStore) -> PluginError {
    let help = trust_help(file);
    match trust.holding(name).next() {
        Some(pin) => {
            let reason =
                format!("is not the `{name}` that is trusted: it is {digest}, not {}", pin.digest);
            PluginError::refused(PluginErrorKind::DigestMismatch, file, reason, help)
        }
        None => {
            let reason = format!("is not trusted: nobody pinned {digest}, and it has no signature");
            PluginError::refused(PluginErrorKind::NotTrusted, file, reason, help)
        }
    }
}
