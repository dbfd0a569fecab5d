//! The roles that boxxy derives from a skill's name. Nothing here is part of the plain format; a
//! caller asks for it.
//!
//! ```
//! use prowess_format::boxxy::Role;
//!
//! assert_eq!(Role::of("hello"), Role::Generator);
//! assert_eq!(Role::of("hello").colour(), "#A855F7");
//! ```

use std::fmt;

use sha2::{Digest, Sha256};

/// What a skill does in a triad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Trit 0.
    Coordinator,
    /// Trit 1.
    Generator,
    /// Trit 2.
    Verifier,
}

impl Role {
    /// Every role, each at the place of its trit.
    pub const ALL: [Self; 3] = [Self::Coordinator, Self::Generator, Self::Verifier];

    /// The role of a skill: the first eight bytes of the SHA-256 of its name, as a little-endian
    /// number, modulo 3.
    pub fn of(name: &str) -> Self {
        let digest = Sha256::digest(name);
        let number = digest[..8].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        Self::ALL[usize::from(number % 3 == 1) + 2 * usize::from(number % 3 == 2)]
    }

    /// 0, 1 or 2.
    pub fn trit(self) -> u8 {
        self as u8
    }

    /// The role's colour, as HTML writes it.
    pub fn colour(self) -> &'static str {
        ["#F59E0B", "#A855F7", "#2E5FA3"][self as usize]
    }

    /// The role that makes a balanced set of these two and itself.
    pub fn balancing(first: Self, second: Self) -> Self {
        let sum = (first as usize + second as usize) % 3;
        Self::ALL[(3 - sum) % 3]
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(["Coordinator", "Generator", "Verifier"][*self as usize])
    }
}

/// How many skills of a set have each role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Triad([usize; 3]);

impl Triad {
    /// Counts the roles of these names.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut counts = [0; 3];
        for name in names {
            counts[Role::of(name) as usize] += 1;
        }
        Self(counts)
    }

    /// How many skills have this role.
    pub fn count(&self, role: Role) -> usize {
        self.0[role as usize]
    }

    /// The role of which one more skill would balance the set; `None` where it is balanced.
    pub fn missing(&self) -> Option<Role> {
        let [_, generators, verifiers] = self.0;
        let sum = (generators + 2 * verifiers) % 3;
        (sum > 0).then(|| Role::ALL[3 - sum])
    }
}

/// Whether the trits of a set add up to a multiple of 3.
pub fn is_balanced(roles: impl IntoIterator<Item = Role>) -> bool {
    roles.into_iter().map(|role| u64::from(role.trit())).sum::<u64>().is_multiple_of(3)
}
