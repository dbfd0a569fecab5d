//! The formats of libraries, as far as a refusal has to explain them.

use std::fmt;
use std::path::Path;

use object::read::elf::{ElfFile32, ElfFile64};
use object::{BinaryFormat, FileKind, Object, ObjectKind, ObjectSection};
use prowess_plugin_abi::manifest::{MACH_O_SECTION, SECTION};
use serde::{Deserialize, Serialize};

use super::elf;
use crate::{PluginError, PluginErrorKind};

const REBUILD: &str = "build or copy the plugin again";

/// The properties of a library's format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Its target.
    pub target: Target,
    /// Its requests to the system's loader; empty for formats other than ELF.
    pub linkage: Linkage,
}

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

/// The library, and the bytes of the manifest's section where there is one.
pub(super) fn read<'data>(
    file: &Path,
    bytes: &'data [u8],
) -> Result<(Library, Option<&'data [u8]>), PluginError> {
    let refused = |reason: String, help: &str| {
        PluginError::refused(PluginErrorKind::NotALibrary, file, reason, help)
    };
    let kind = FileKind::parse(bytes).map_err(|_| {
        let help = "name the dynamic library that the plugin's build made";
        refused("is no library: it begins like none".into(), help)
    })?;
    let broken = |error: elf::Damage| {
        // A header with other bits or bytes makes nonsense of the rest; that is then the true
        // cause.
        match elf::target_of_header(bytes) {
            Some(target) if target != Target::of_this_host() => wrong_target(file, &target),
            _ => refused(format!("is a damaged or truncated library: {}", error.0), REBUILD),
        }
    };
    let object = object::File::parse(bytes).map_err(elf::Damage::from).map_err(broken)?;
    let no_library = |what: &str| {
        let help = "build the plugin with `crate-type = [\"cdylib\"]`";
        refused(format!("is {what}, not a dynamic library"), help)
    };
    match object.kind() {
        ObjectKind::Dynamic => {}
        ObjectKind::Executable => return Err(no_library("a program")),
        ObjectKind::Relocatable => return Err(no_library("an object file")),
        _ => return Err(no_library("another kind of file")),
    }
    let linkage = linkage(kind, bytes).map_err(broken)?;
    if linkage.is_program {
        return Err(no_library("a program"));
    }
    let library = Library { target: target(&object), linkage };
    Ok((library, section(&object).map_err(broken)?))
}

fn linkage(kind: FileKind, bytes: &[u8]) -> Result<Linkage, elf::Damage> {
    match kind {
        FileKind::Elf64 => elf::linkage(&ElfFile64::parse(bytes)?),
        FileKind::Elf32 => elf::linkage(&ElfFile32::parse(bytes)?),
        _ => Ok(Linkage::default()),
    }
}

fn section<'data>(object: &object::File<'data>) -> Result<Option<&'data [u8]>, elf::Damage> {
    let section =
        object.section_by_name(SECTION).or_else(|| object.section_by_name(MACH_O_SECTION));
    Ok(section.map(|section| section.data()).transpose()?)
}

/// Returns the refusal of a library that was built for another system.
pub fn wrong_target(file: &Path, target: &Target) -> PluginError {
    let reason = format!("was built for {target}, and this host is {}", Target::of_this_host());
    let help = "build the plugin for this host, or get the file for it";
    PluginError::refused(PluginErrorKind::WrongTarget, file, reason, help)
}

fn target(object: &object::File<'_>) -> Target {
    let format = match object.format() {
        BinaryFormat::Elf => "elf".into(),
        BinaryFormat::MachO => "mach-o".into(),
        BinaryFormat::Pe => "pe".into(),
        other => format!("{other:?}").to_lowercase(),
    };
    Target {
        format,
        architecture: elf::architecture(object.architecture()),
        bits: if object.is_64() { 64 } else { 32 },
        endian: if object.is_little_endian() { "little" } else { "big" }.into(),
    }
}
