//! The limits of an archive.

/// The maximum sizes of an archive that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of entries, headers of extensions included. By default 10,000.
    pub entries: usize,
    /// The size in bytes, packed and unpacked. By default 64 MiB.
    pub bytes: usize,
    /// The unpacked size divided by the packed size. By default 100. It does not apply to the first
    /// 64 KiB, because a `.tar` has over nine kilobytes of padding.
    pub ratio: usize,
    /// The number of parts of a path. By default 32.
    pub depth: usize,
}

/// The unpacked size that every archive may have, in bytes.
const ALWAYS_ALLOWED: usize = 64 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 10_000, bytes: 64 * 1024 * 1024, ratio: 100, depth: 32 }
    }
}

impl Limits {
    /// Returns the maximum unpacked size of something with this packed size.
    pub(crate) fn unpacked(&self, packed: usize) -> usize {
        packed.saturating_mul(self.ratio).max(ALWAYS_ALLOWED).min(self.bytes)
    }
}
