//! Every code that what is kept on a machine can give.

prowess_core::codes! {
    /// Error: the file of trusted folders cannot be believed, and no folder is trusted.
    TRUST_FILE_INVALID = "trust-file-invalid";
    /// Hint: what an earlier start kept of its scans is not to be believed, and is made again.
    CACHE_IGNORED = "cache-ignored";
}
