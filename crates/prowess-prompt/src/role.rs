//! Roles that are derived from the names of skills. Few clients know them.

use std::fmt;

use prowess_core::Digest;

/// The task of a skill in a set of three.
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
    /// Every role, at the index of its trit.
    pub const ALL: [Self; 3] = [Self::Coordinator, Self::Generator, Self::Verifier];

    /// Returns the role of a skill: the first eight bytes of the SHA-256 of its name, as a
    /// little-endian number, modulo 3.
    pub fn of(name: &str) -> Self {
        let digest = Digest::of(name.as_bytes()).to_string();
        let hexadecimal = digest.trim_start_matches("sha256:").get(..16).unwrap_or_default();
        let number = u64::from_str_radix(hexadecimal, 16).unwrap_or_default().swap_bytes();
        match number % 3 {
            0 => Self::Coordinator,
            1 => Self::Generator,
            _ => Self::Verifier,
        }
    }

    /// Returns the trit: 0, 1 or 2.
    pub fn trit(self) -> u8 {
        self as u8
    }

    /// Returns the name of the role.
    pub fn name(self) -> &'static str {
        ["Coordinator", "Generator", "Verifier"][self as usize]
    }

    /// Returns the colour of the role, in HTML notation.
    pub fn colour(self) -> &'static str {
        ["#F59E0B", "#A855F7", "#2E5FA3"][self as usize]
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
