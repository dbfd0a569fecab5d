//! Every code that what is kept on a machine can give.
//!
//! Each code needs an example in `crates/prowess/tests/it/codes/examples.rs`, which the page of codes shows.

prowess_core::declare_codes! {
    /// Error: the file of trusted folders cannot be believed, and no folder is trusted.
    TRUST_FILE_INVALID = "trust-file-invalid";
    /// Hint: what an earlier start kept of its scans is not to be believed, and is made again.
    CACHE_IGNORED = "cache-ignored";
    /// Warning: the records of a scan cannot be saved for the next start, which is slower then.
    CACHE_NOT_WRITTEN = "cache-not-written";
}
