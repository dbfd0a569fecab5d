//! Reads the format of a library.

use std::path::Path;

use object::read::elf::{ElfFile32, ElfFile64};
use object::{BinaryFormat, FileKind, Object, ObjectKind, ObjectSection};
use prowess_plugin_abi::manifest::{MACH_O_SECTION, SECTION};
use serde::{Deserialize, Serialize};

use super::elf;
use super::linkage::{Linkage, Target};
use crate::{PluginError, PluginErrorKind};

const REBUILD: &str = "build or copy the plugin again";

/// The target and the linkage of a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// The operating system and processor that the library was built for.
    pub target: Target,
    /// The instructions to the system's loader; empty for formats other than ELF.
    pub linkage: Linkage,
}

/// Returns the library, and the bytes of the manifest's section if there is one.
pub(super) fn read<'data>(
    file: &Path,
    bytes: &'data [u8],
) -> Result<(Library, Option<&'data [u8]>), PluginError> {
    let refused = |reason: String, help: &str| {
        PluginError::refused(PluginErrorKind::NotALibrary, file, reason, help)
    };
    let kind = FileKind::parse(bytes).map_err(|_| {
        let help = "name the dynamic library that the plugin's build made";
        refused("is not a dynamic library (no ELF, Mach-O or PE header)".into(), help)
    })?;
    let broken = |error: elf::Damage| {
        // A file for another word size or byte order also looks damaged, so report the target.
        match elf::target_of_header(bytes) {
            Some(target) if target != Target::of_this_host() => wrong_target(file, &target),
            _ => refused(format!("is a damaged or truncated library: {}", error.0), REBUILD),
        }
    };
    let object = object::File::parse(bytes).map_err(elf::Damage::from).map_err(broken)?;
    let not_a_library = |what: &str| {
        let help = "build the plugin with `crate-type = [\"cdylib\"]`";
        refused(format!("is {what}, not a dynamic library"), help)
    };
    match object.kind() {
        ObjectKind::Dynamic => {}
        ObjectKind::Executable => return Err(not_a_library("a program")),
        ObjectKind::Relocatable => return Err(not_a_library("an object file")),
        _ => return Err(not_a_library("another kind of file")),
    }
    let linkage = linkage(kind, bytes).map_err(broken)?;
    if linkage.is_program {
        return Err(not_a_library("a program"));
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

/// Returns the error of a library that was built for another system.
pub(crate) fn wrong_target(file: &Path, target: &Target) -> PluginError {
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
