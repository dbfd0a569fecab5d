//! Whether a key that is trusted has signed a file, for what it says that it is.

use std::path::Path;

use super::InspectedFile;
use crate::regular_file::read_text;
use crate::trust::SignatureFile;
use crate::{PluginError, PluginErrorKind, TrustStore};

/// The most bytes that a signature's file may have.
const MAX_SIGNATURE_BYTES: u64 = 4096;

/// The key by which the file is signed for what it says that it is.
pub(super) fn signed_by(
    seen: &InspectedFile<'_>,
    trust: &TrustStore,
    signature: &SignatureFile,
) -> Result<String, PluginError> {
    let file = seen.file;
    let manifest = &seen.inspection.manifest;
    let id = &signature.key;
    let refused = |reason: String, help: &str| {
        PluginError::refused(PluginErrorKind::Signature, file, reason, help)
    };
    let Some(key) = trust.key(id) else {
        let help = "if you trust its owner, run `prowess plugin trust --key FILE.pub`";
        return Err(refused(format!("is signed by the key {id}, which is not trusted"), help));
    };
    if key.revoked_at.is_some() {
        let help = "get a build that is signed by another key";
        return Err(refused(format!("is signed by the key {id}, which was revoked"), help));
    }
    if !key.has_signed(&(seen.bytes)()?, signature) {
        let help = "get the file and its `.minisig` again from the same release";
        return Err(refused(format!("has a signature by the key {id} that does not fit it"), help));
    }
    let own = format!("{} {} {}", manifest.name, manifest.version, manifest.target);
    let comment = signature.trusted_comment();
    if comment != own {
        let reason = format!("is `{own}`, and the key {id} signed it as `{comment}`");
        let help = "get the signature that was made for this file: its trusted comment is `NAME VERSION TARGET`";
        return Err(refused(reason, help));
    }
    Ok(id.clone())
}

/// The signature that lies beside the file: its name with `.minisig`.
pub(super) fn signature_of(file: &Path) -> Result<Option<SignatureFile>, PluginError> {
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
    let signature = SignatureFile::parse(&text);
    signature.map(Some).map_err(|why| refused(format!("has a damaged signature: {why}")))
}
