//! The target of a library, and its requests to the system's loader.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The target of a library, in words: `elf`, `x86_64`, 64, `little`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// `elf`, `mach-o`, `pe`, or another format's name.
    pub format: String,
    /// The processor.
    pub architecture: String,
    /// The size of an address in bits.
    pub bits: u8,
    /// The order of bytes in a number: `little` or `big`.
    pub endian: String,
}

/// The requests of a library to the system's loader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linkage {
    /// The libraries that are opened with it, in its order.
    pub needed: Vec<String>,
    /// The directories that the loader has to search for them (`DT_RPATH`, `DT_RUNPATH`).
    pub search_paths: Vec<String>,
    /// Libraries that are to watch or replace it (`DT_AUDIT`, `DT_FILTER` and their kin).
    pub redirects: Vec<String>,
    /// Whether its code is written to while it is loaded (`DT_TEXTREL`).
    pub has_text_relocations: bool,
    /// Whether it is a program that may lie at any address; no loader opens one.
    pub is_program: bool,
    /// The oldest glibc that has every symbol it needs, such as `2.34`; `None` if it needs none.
    pub minimum_glibc: Option<String>,
}

impl Target {
    /// Returns the target of this host.
    pub fn of_this_host() -> Self {
        let format = match std::env::consts::OS {
            "macos" | "ios" => "mach-o",
            "windows" => "pe",
            _ => "elf",
        };
        Self {
            format: format.into(),
            architecture: match std::env::consts::ARCH {
                "x86" => "i386".into(),
                architecture => architecture.into(),
            },
            bits: u8::try_from(usize::BITS).unwrap_or(u8::MAX),
            endian: if cfg!(target_endian = "big") { "big" } else { "little" }.into(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, architecture, bits, endian } = self;
        write!(formatter, "{architecture} ({format}, {bits} bits, {endian}-endian)")
    }
}
