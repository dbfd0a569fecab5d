//! Verifies the signature of a plugin.

use std::path::Path;

use prowess_core::HostCommands;
use prowess_signature::Signature;

use crate::regular_file::read_text;
use crate::{Manifest, PluginError, PluginErrorKind, TrustStore};

/// The maximum size of a signature file.
const MAX_SIGNATURE_BYTES: u64 = 4096;

/// Checks that a trusted key signed the file for its name, version and target. Returns the key id.
pub(super) fn signed_by(
    file: &Path,
    bytes: &[u8],
    manifest: &Manifest,
    trust: &TrustStore,
    signature: &Signature,
    commands: &HostCommands,
) -> Result<String, PluginError> {
    let id = signature.key_id();
    let refused = |reason: String, help: &str| {
        PluginError::refused(PluginErrorKind::Signature, file, reason, help)
    };
    let Some(key) = trust.key(id) else {
        let help = format!("if you trust its owner, {}", commands.trust_plugin_key);
        return Err(refused(format!("is signed by the key {id}, which is not trusted"), &help));
    };
    if key.revoked_at.is_some() {
        let help = "get a build that is signed by another key";
        return Err(refused(format!("is signed by the key {id}, which was revoked"), help));
    }
    if !key.has_signed(bytes, signature) {
        let help = "get the file and its `.minisig` again from the same release";
        return Err(refused(
            format!("has a signature by the key {id} that does not match its content"),
            help,
        ));
    }
    let own = format!("{} {} {}", manifest.name, manifest.version, manifest.target);
    let comment = signature.trusted_comment();
    if comment != own {
        let reason = format!("is `{own}`, but the key {id} signed it as `{comment}`");
        let help = "get the signature that was made for this file: its trusted comment is `NAME VERSION TARGET`";
        return Err(refused(reason, help));
    }
    Ok(id.to_owned())
}

/// Reads the signature next to the file, which has its name with `.minisig` appended.
pub(super) fn signature_of(file: &Path) -> Result<Option<Signature>, PluginError> {
    let mut name = file.as_os_str().to_owned();
    name.push(".minisig");
    let refused = |reason: String| {
        let help = "get the `.minisig` file again, or remove it and pin the plugin";
        PluginError::refused(PluginErrorKind::Signature, file, reason, help)
    };
    let text = match read_text(Path::new(&name), MAX_SIGNATURE_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(format!("has a signature that cannot be read: {error}"))),
    };
    let signature = Signature::parse(&text);
    signature.map(Some).map_err(|reason| refused(format!("has a damaged signature: {reason}")))
}
