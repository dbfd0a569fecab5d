//! The target of a library, and its instructions to the system's loader.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The target of a library, such as `elf`, `x86_64`, 64, `little`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// `elf`, `mach-o`, `pe`, or another format's name.
    pub format: String,
    /// The processor.
    pub architecture: String,
    /// The size of an address in bits.
    pub bits: u8,
    /// The byte order: `little` or `big`.
    pub endian: String,
}

/// The instructions of a library to the system's loader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linkage {
    /// The libraries that it needs, in order (`DT_NEEDED`).
    pub needed: Vec<String>,
    /// The additional directories in which the loader searches for them (`DT_RPATH`, `DT_RUNPATH`).
    pub search_paths: Vec<String>,
    /// The libraries that audit or replace it (`DT_AUDIT`, `DT_FILTER` and similar).
    pub redirects: Vec<String>,
    /// Whether its code is modified while it is loaded (`DT_TEXTREL`).
    pub has_text_relocations: bool,
    /// Whether it is a position-independent executable, which the loader does not open.
    pub is_program: bool,
    /// The minimum version of glibc, such as `2.34`; `None` if it does not need glibc.
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
