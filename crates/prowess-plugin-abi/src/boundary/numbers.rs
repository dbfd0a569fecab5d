//! The numbers that stand for words. A side that meets one it does not know takes the general case.

/// The codes of an [`AbiError`](super::AbiError).
pub mod codes {
    /// Something went wrong in the plugin; the general case.
    pub const INTERNAL: u32 = 1;
    /// There is nothing of that name.
    pub const NOT_FOUND: u32 = 2;
    /// The configuration or an argument is wrong.
    pub const INVALID_ARGUMENT: u32 = 3;
    /// It could not be reached or read, this time.
    pub const UNAVAILABLE: u32 = 4;
    /// It took longer than the call allowed.
    pub const DEADLINE: u32 = 5;
    /// The other side does not do this.
    pub const UNSUPPORTED: u32 = 6;
    /// The call panicked.
    pub const PANIC: u32 = 7;
    /// An earlier call panicked, so the object answers no more.
    pub const POISONED: u32 = 8;
    /// The host lost interest.
    pub const CANCELLED: u32 = 9;
    /// The path leads out of the package.
    pub const ESCAPE: u32 = 10;
    /// It is a directory, a FIFO, a socket or a device.
    pub const NOT_REGULAR: u32 = 11;
    /// Its links lead round in a circle.
    pub const LOOP: u32 = 12;
    /// It is larger than the limit.
    pub const TOO_LARGE: u32 = 13;
    /// The operating system or the server refuses.
    pub const DENIED: u32 = 14;
    /// It has several names (hard links), and such files are not read.
    pub const MULTIPLE_LINKS: u32 = 15;
    /// It lies on another mount than its package.
    pub const CROSS_DEVICE: u32 = 16;
    /// It was being written to, each time it was read.
    pub const CHANGING: u32 = 17;
    /// The folder that the source is bound to was replaced by another.
    pub const REPLACED: u32 = 18;
}

/// Bits of the `flags` fields. Bits that are not named here are zero and are ignored.
pub mod flags {
    /// In [`AbiError`](super::super::AbiError): the same call may succeed later.
    pub const RETRYABLE: u32 = 1;
    /// In [`Found`](super::super::Found): the file ends where `head` ends.
    pub const WHOLE_FILE: u32 = 1;
    /// In [`ListPage`](super::super::ListPage): the listing was cut, and there is no next page.
    pub const CUT: u32 = 1;
}

/// How much a message for the host's log matters.
pub mod levels {
    /// Something failed.
    pub const ERROR: u32 = 1;
    /// Something is odd.
    pub const WARN: u32 = 2;
    /// Progress.
    pub const INFO: u32 = 3;
    /// Details for finding a fault.
    pub const DEBUG: u32 = 4;
}

/// How much a [`Problem`](super::Problem) matters.
pub mod severities {
    /// Advice; the skill is used as it is.
    pub const HINT: u32 = 1;
    /// The skill is used, but something is wrong.
    pub const WARNING: u32 = 2;
    /// The skill is not used.
    pub const ERROR: u32 = 3;
}

/// The kinds of a [`Change`](super::Change).
pub mod changes {
    /// The packages that are named may have changed.
    pub const PACKAGES: u32 = 1;
    /// Anything may have changed; also what an unknown number means.
    pub const EVERYTHING: u32 = 2;
    /// From now on changes may be missed.
    pub const LOST: u32 = 3;
}

/// The packages that a scan of some packages covered.
pub mod coverage {
    /// Every package of the source; also what an unknown number means.
    pub const EVERYTHING: u32 = 1;
    /// The packages that were asked for, and no other.
    pub const ASKED: u32 = 2;
}
