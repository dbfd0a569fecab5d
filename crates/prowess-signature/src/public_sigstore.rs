//! The public sigstore, loaded when the first bundle has to be verified.

use std::sync::LazyLock;

use crate::{Identity, SignatureError, SigstoreRoot};

/// Returns a function that verifies bundles as [`SigstoreRoot::signer`] does, with the authorities
/// of the public sigstore. They are loaded at its first call, since most sources have no bundle.
pub fn public_sigstore() -> impl Fn(&[u8], &str) -> Result<Identity, SignatureError> + Send + Sync {
    let root = LazyLock::new(SigstoreRoot::public);
    move |bytes, bundle| root.as_ref().map_err(Clone::clone)?.signer(bytes, bundle)
}
