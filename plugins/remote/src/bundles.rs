//! The verification of bundles of sigstore, if the plugin was built with it.

use std::path::Path;

use prowess_plugin_sdk::Error;
use prowess_store::VerifyBundle;

/// Returns what verifies bundles: with the root of trust in a file, or else with that of the public
/// sigstore.
#[cfg(feature = "sigstore")]
pub(crate) fn verifier(root: Option<&Path>) -> Result<Option<VerifyBundle>, Error> {
    use prowess_signature::{SigstoreRoot, public_sigstore};

    let Some(path) = root else { return Ok(Some(std::sync::Arc::new(public_sigstore()))) };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(path, &error.to_string()))?;
    let root = SigstoreRoot::parse(&text).map_err(|error| unusable(path, &error.to_string()))?;
    Ok(Some(std::sync::Arc::new(move |bytes, bundle| root.signer(bytes, bundle))))
}

/// Returns nothing: artifacts with bundles are refused.
#[cfg(not(feature = "sigstore"))]
pub(crate) fn verifier(root: Option<&Path>) -> Result<Option<VerifyBundle>, Error> {
    let unsupported = |path| Err(unusable(path, "the plugin was built without `sigstore`"));
    root.map_or(Ok(None), unsupported)
}

fn unusable(path: &Path, reason: &str) -> Error {
    Error::config(format!("`trusted_root`: `{}` cannot be used: {reason}", path.display()))
}
