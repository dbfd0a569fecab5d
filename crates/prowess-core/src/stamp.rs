//! Stamps, by which sources compare versions of files.

use std::num::NonZeroU64;

/// A version of a `SKILL.md`. Equal exact stamps of one package mean equal bytes.
///
/// A source computes a stamp from the metadata it has, such as size, time and inode, or an entity
/// tag. Only that source can interpret the value.
///
/// ```
/// use prowess_core::{SameVersion, Stamp};
///
/// let earlier = Stamp::exact(7);
/// assert_eq!(Stamp::exact(7).same_version(earlier), SameVersion::Yes);
/// assert_eq!(Stamp::exact(8).same_version(earlier), SameVersion::No);
/// assert_eq!(Stamp::racy(7).same_version(earlier), SameVersion::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(NonZeroU64);

/// Whether two stamps belong to the same version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameVersion {
    /// The bytes are equal.
    Yes,
    /// The stamps do not determine it.
    Unknown,
    /// The bytes may differ.
    No,
}

/// The stamp only has the time at which the file was read.
const PROVISIONAL: u64 = 1 << 63;
/// An exact stamp that replaces a provisional one, with no sign of a change in between.
const CONFIRMED: u64 = 1 << 62;
/// The file changed so recently that it may change again under the same stamp.
const RACY: u64 = 1 << 61;

impl Stamp {
    /// The bits of an exact or racy stamp that a source may use.
    pub const EXACT_BITS: u32 = 61;
    /// The bits of a provisional stamp that a source may use.
    pub const PROVISIONAL_BITS: u32 = 62;

    /// Creates the stamp of one version of the file, from the low [`Self::EXACT_BITS`] bits of
    /// `value`.
    pub const fn exact(value: u64) -> Self {
        Self::of_bits(value & (RACY - 1))
    }

    /// Creates the stamp of a file that changed so recently that it may change again under the same
    /// stamp.
    ///
    /// A package with such a stamp is read again by the next scan.
    pub const fn racy(value: u64) -> Self {
        Self::of_bits(value & (RACY - 1) | RACY)
    }

    /// Creates a stamp that only has the time at which the file was read, from the low
    /// [`Self::PROVISIONAL_BITS`] bits of `value`.
    ///
    /// A source uses it if an exact stamp would need another system call for each file.
    pub const fn provisional(value: u64) -> Self {
        Self::of_bits(value & (CONFIRMED - 1) | PROVISIONAL)
    }

    /// Marks an exact stamp as the replacement of a provisional one, with no sign of a change in
    /// between.
    #[must_use]
    pub const fn confirmed(self) -> Self {
        Self::of_bits(self.0.get() | CONFIRMED)
    }

    /// Restores a stamp from [`Self::to_bits`].
    pub const fn from_bits(bits: NonZeroU64) -> Self {
        Self(bits)
    }

    /// Returns the stamp as a number, for a file or a wire.
    pub const fn to_bits(self) -> NonZeroU64 {
        self.0
    }

    /// Returns the value that the source passed in. Of an exact or racy stamp, 0 and 1 are the
    /// same.
    pub const fn value(self) -> u64 {
        let own = if self.is_provisional() { CONFIRMED } else { RACY };
        self.0.get() & (own - 1)
    }

    /// Returns whether the stamp only has the time at which the file was read.
    pub const fn is_provisional(self) -> bool {
        self.0.get() & PROVISIONAL != 0
    }

    /// Returns whether the file may change while its stamp stays the same.
    pub const fn is_racy(self) -> bool {
        !self.is_provisional() && self.0.get() & RACY != 0
    }

    /// Compares the stamp with an earlier one of the same package.
    pub fn same_version(self, earlier: Self) -> SameVersion {
        let is_confirmed = !self.is_provisional() && self.0.get() & CONFIRMED != 0;
        let is_possible = match (self.is_provisional(), earlier.is_provisional()) {
            (false, true) => is_confirmed,
            (true, false) => earlier.is_racy(),
            (false, false) if self.is_racy() || earlier.is_racy() => {
                self.value() == earlier.value()
            }
            _ if self == earlier => return SameVersion::Yes,
            _ => false,
        };
        if is_possible { SameVersion::Unknown } else { SameVersion::No }
    }

    const fn of_bits(bits: u64) -> Self {
        match NonZeroU64::new(bits) {
            Some(bits) => Self(bits),
            None => Self(NonZeroU64::MIN),
        }
    }
}
