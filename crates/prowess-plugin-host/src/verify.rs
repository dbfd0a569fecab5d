//! Reads a plugin's file and verifies that it may run.
//!
//! The file is read into memory once. The same bytes are inspected, hashed, verified and later
//! opened, so a later change of the file has no effect.

mod signature;

use std::path::{Path, PathBuf};

use prowess_core::{Digest, HostCommands};
use prowess_plugin_abi::manifest::Manifest;
use prowess_text::shell_path;
use serde::Serialize;

use crate::policy::version;
use crate::trust::rollback;
use crate::{
    Inspection, Placement, PluginError, PluginErrorKind, PluginPolicy, TrustStore, inspect,
    location,
};

use signature::{signature_of, signed_by};

/// A plugin that may run. It is only created by [`verify`].
#[derive(Clone, Debug)]
pub struct VerifiedPlugin {
    file: PathBuf,
    bytes: Vec<u8>,
    digest: Digest,
    inspection: Inspection,
    trusted_by: TrustedBy,
    placement: Placement,
}

/// The reason why a plugin is trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TrustedBy {
    /// The digest of the file is pinned.
    Pin,
    /// A trusted key signed the file for this name, version and target.
    Signature {
        /// The id of the key.
        key: String,
    },
}

/// Reads a plugin's file and verifies that it may run. None of its code is executed.
///
/// The order of the checks: the location, the format, trust, the host and the policy. The manifest
/// is read before trust is checked, since a signature contains the plugin's name.
///
/// # Errors
///
/// Returns an error with the reason and a help text if the plugin may not run.
pub fn verify(
    file: &Path,
    policy: &PluginPolicy,
    trust: &TrustStore,
) -> Result<VerifiedPlugin, PluginError> {
    let (bytes, inspection) = read(file, policy)?;
    verify_bytes(file, bytes, inspection, policy, trust)
}

/// As [`verify`], for a file that was already [`read`].
pub(crate) fn verify_bytes(
    file: &Path,
    bytes: Vec<u8>,
    inspection: Inspection,
    policy: &PluginPolicy,
    trust: &TrustStore,
) -> Result<VerifiedPlugin, PluginError> {
    let digest = Digest::of(&bytes);
    let (trusted_by, placement) = decide(file, &bytes, digest, &inspection, policy, trust)?;
    let file = file.to_owned();
    Ok(VerifiedPlugin { file, bytes, digest, inspection, trusted_by, placement })
}

/// Returns why a plugin is trusted and where it runs.
pub(crate) fn decide(
    file: &Path,
    bytes: &[u8],
    digest: Digest,
    inspection: &Inspection,
    policy: &PluginPolicy,
    trust: &TrustStore,
) -> Result<(TrustedBy, Placement), PluginError> {
    let trusted_by = trusted_by(file, bytes, digest, inspection, policy, trust)?;
    policy.judge(file, inspection)?;
    let placement = policy.placement(file, inspection, trusted_by == TrustedBy::Pin)?;
    Ok((trusted_by, placement))
}

/// Reads and inspects a plugin's file, whether or not it is trusted.
///
/// # Errors
///
/// Returns an error if the location is not allowed, or the file cannot be read or is not a plugin.
pub fn read(file: &Path, policy: &PluginPolicy) -> Result<(Vec<u8>, Inspection), PluginError> {
    let bytes = location::open(file)?.read(policy)?;
    let inspection = inspect(file, &bytes)?;
    Ok((bytes, inspection))
}

impl VerifiedPlugin {
    /// Returns the path of the file, for messages: the [`Self::bytes`] are run.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the verified bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the digest of the bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the plugin's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.inspection.manifest
    }

    /// Returns the manifest and the properties of the library.
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// Returns why the plugin is trusted.
    pub fn trusted_by(&self) -> &TrustedBy {
        &self.trusted_by
    }

    /// Returns where the plugin runs.
    pub fn placement(&self) -> Placement {
        self.placement
    }
}

/// Checks that the plugin is trusted. The signature file is only read if there is no pin.
fn trusted_by(
    file: &Path,
    bytes: &[u8],
    digest: Digest,
    inspection: &Inspection,
    policy: &PluginPolicy,
    trust: &TrustStore,
) -> Result<TrustedBy, PluginError> {
    let commands = &policy.commands;
    match trust.pin_of(digest) {
        Some(pin) if pin.revoked_at.is_none() => return Ok(TrustedBy::Pin),
        Some(_) => {
            let reason = "was trusted before, but its pin was revoked";
            let help = "install a newer version";
            return Err(PluginError::refused(PluginErrorKind::NotTrusted, file, reason, help));
        }
        None => {}
    }
    let name = &inspection.manifest.name;
    let Some(signature) = signature_of(file)? else {
        return Err(unknown(file, digest, name, trust, commands));
    };
    let key = signed_by(file, bytes, &inspection.manifest, trust, &signature, commands)?;
    if trust.is_name_revoked(name) {
        let reason = format!("is a signed build of `{name}`, whose builds were revoked");
        return Err(PluginError::refused(
            PluginErrorKind::NotTrusted,
            file,
            reason,
            trust_help(file, commands),
        ));
    }
    let own = version(file, inspection)?;
    if let Some(newer) = trust.newer(name, &own) {
        let help = format!("install the newer version, or {}", commands.trust_older_plugin);
        return Err(rollback(file, &own, newer, &help));
    }
    Ok(TrustedBy::Signature { key })
}

/// Returns the help text for a build that is not trusted.
fn trust_help(file: &Path, commands: &HostCommands) -> String {
    let step = HostCommands::about(&commands.trust_plugin, &shell_path(file));
    format!("if you trust it with all your rights, {step}")
}

/// Returns the error of a file without a pin. Another build of the plugin may be pinned.
fn unknown(
    file: &Path,
    digest: Digest,
    name: &str,
    trust: &TrustStore,
    commands: &HostCommands,
) -> PluginError {
    let help = trust_help(file, commands);
    match trust.active_pins(name).next() {
        Some(pin) => {
            let reason = format!(
                "is not the trusted build of `{name}`: its digest is {digest}, not {}",
                pin.digest
            );
            PluginError::refused(PluginErrorKind::DigestMismatch, file, reason, help)
        }
        None => {
            let reason = format!("is not trusted: {digest} is not pinned, and it has no signature");
            PluginError::refused(PluginErrorKind::NotTrusted, file, reason, help)
        }
    }
}
