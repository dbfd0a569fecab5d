//! Every code that what is kept on a machine can give.

use prowess_core::Code;

/// Error: the file of trusted folders cannot be believed, and no folder is trusted.
pub const TRUST_FILE_INVALID: Code = Code::new("trust-file-invalid");

/// Hint: what an earlier start kept of its scans is not to be believed, and is made again.
pub const CACHE_IGNORED: Code = Code::new("cache-ignored");
