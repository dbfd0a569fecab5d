//! The names of files with signatures and keys.

/// The end of the name of a signature, after the name of its artifact, as minisign names it.
pub(crate) const SIGNATURE_END: &str = ".minisig";

/// The name of the public key next to the artifacts, as minisign names it.
pub(crate) const KEY_FILE: &str = "minisign.pub";
