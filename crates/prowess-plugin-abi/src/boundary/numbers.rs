//! Numeric constants. An unknown number is treated as the general case.

/// The codes of an [`AbiError`](super::AbiError).
pub mod codes {
    /// The plugin failed; the general case.
    pub const INTERNAL: u32 = 1;
    /// The object does not exist.
    pub const NOT_FOUND: u32 = 2;
    /// The configuration or an argument is invalid.
    pub const INVALID_ARGUMENT: u32 = 3;
    /// A resource is temporarily unavailable.
    pub const UNAVAILABLE: u32 = 4;
    /// The call timed out.
    pub const DEADLINE: u32 = 5;
    /// The other side does not support this operation.
    pub const UNSUPPORTED: u32 = 6;
    /// The call panicked.
    pub const PANIC: u32 = 7;
    /// An earlier call panicked, so the object is no longer used.
    pub const POISONED: u32 = 8;
    /// The call was cancelled.
    pub const CANCELLED: u32 = 9;
    /// The path leads out of the package.
    pub const ESCAPE: u32 = 10;
    /// The path is a directory, a FIFO, a socket or a device.
    pub const NOT_REGULAR: u32 = 11;
    /// The symbolic links form a loop.
    pub const LOOP: u32 = 12;
    /// The file is larger than the limit.
    pub const TOO_LARGE: u32 = 13;
    /// The operating system or the server denies access.
    pub const DENIED: u32 = 14;
    /// The file has several hard links, and such files are not read.
    pub const MULTIPLE_LINKS: u32 = 15;
    /// The file is on another mount than its package.
    pub const CROSS_DEVICE: u32 = 16;
    /// The file was changed during each read.
    pub const CHANGING: u32 = 17;
    /// The directory of the source was replaced by another one.
    pub const REPLACED: u32 = 18;
}

/// Bits of the `flags` fields. Unknown bits are ignored.
pub mod flags {
    /// In [`AbiError`](super::super::AbiError): a retry may succeed.
    pub const RETRYABLE: u32 = 1;
    /// In [`Found`](super::super::Found): `head` is the whole file.
    pub const WHOLE_FILE: u32 = 1;
    /// In [`ListPage`](super::super::ListPage): the listing is truncated, and there is no next
    /// page.
    pub const CUT: u32 = 1;
}

/// The level of a log message.
pub mod levels {
    /// Something failed.
    pub const ERROR: u32 = 1;
    /// Something is unexpected, but does not fail.
    pub const WARN: u32 = 2;
    /// Progress.
    pub const INFO: u32 = 3;
    /// Details for debugging.
    pub const DEBUG: u32 = 4;
}

/// The severity of a [`Problem`](super::Problem).
pub mod severities {
    /// Advice; the skill is used unchanged.
    pub const HINT: u32 = 1;
    /// The skill is used, but has a problem.
    pub const WARNING: u32 = 2;
    /// The skill is not used.
    pub const ERROR: u32 = 3;
}

/// The kinds of a [`Change`](super::Change).
pub mod changes {
    /// The named packages may have changed.
    pub const PACKAGES: u32 = 1;
    /// Any package may have changed; the general case.
    pub const EVERYTHING: u32 = 2;
    /// Later changes may be missed.
    pub const LOST: u32 = 3;
}

/// The coverage of a partial scan.
pub mod coverage {
    /// Every package of the source; the general case.
    pub const EVERYTHING: u32 = 1;
    /// Only the requested packages.
    pub const ASKED: u32 = 2;
}
