//! The names of files with signatures and keys.

/// The end of the name of a signature, after the name of its artifact, as minisign names it.
pub(crate) const SIGNATURE_END: &str = ".minisig";

/// The end of the name of a bundle, after the name of its artifact, as signers of sigstore name it.
pub(crate) const BUNDLE_END: &str = ".sigstore.json";

/// The name of the public key next to the artifacts, as minisign names it.
pub(crate) const KEY_FILE: &str = "minisign.pub";
