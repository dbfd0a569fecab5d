//! The codes of diagnostics about stored state.
//!
//! Each code needs an example in `crates/prowess/tests/it/codes/examples.rs`, which
//! `prowess explain CODE` prints.

prowess_core::declare_codes! {
    /// Error: the file of trusted folders is unusable, and no folder is trusted.
    TRUST_FILE_INVALID = "trust-file-invalid";
    /// Hint: the cached scan of an earlier start is unusable, and is replaced.
    CACHE_IGNORED = "cache-ignored";
    /// Warning: the records of a scan cannot be saved, so the next start is slower. Make the
    /// directory writable or free space on its disk, or pass `--no-cache`.
    CACHE_NOT_WRITTEN = "cache-not-written";
    /// Error: the database of approvals and sessions is unusable, and no approval applies.
    STATE_DATABASE_INVALID = "state-database-invalid";
}
