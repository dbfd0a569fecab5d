//! Inspection of files. None of these tests opens a library.

use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use prowess_plugin_host::{Inspection, PluginError, PluginErrorKind, PluginPolicy, inspect};

use crate::library::{Library, dependency, good, manifest, section, this_host};

/// Inspects a file and applies the default policy.
fn inspect_and_judge(bytes: &[u8]) -> Result<Inspection, PluginError> {
    let file = Path::new("/plugins/notes.so");
    let inspection = inspect(file, bytes)?;
    PluginPolicy::default().judge(file, &inspection)?;
    Ok(inspection)
}

/// Checks that the file is refused with this kind and reason, in one line.
#[track_caller]
fn check(bytes: &[u8], kind: PluginErrorKind, reason: &str) {
    let refused = inspect_and_judge(bytes).expect_err("the file is refused");
    assert_eq!(refused.kind, kind, "the code says why: {refused}");
    let line = refused.to_string();
    assert!(line.starts_with("`/plugins/notes.so` "), "the line names the file: {line}");
    assert!(line.contains(reason), "the line says `{reason}`: {line}");
    assert!(line.ends_with("; nothing was executed"), "the line says that nothing ran: {line}");
    assert_eq!(line.lines().count(), 1, "it is one line: {line}");
    assert!(!refused.help.is_empty(), "the error has a help text: {line}");
}

/// Returns the valid library with one byte of its header changed.
fn patched(at: usize, byte: u8) -> Vec<u8> {
    let mut bytes = good();
    bytes[at] = byte;
    bytes
}

#[test]
fn valid_plugin_is_accepted() {
    let inspection = inspect_and_judge(&good()).expect("the plugin is valid");
    assert_eq!(inspection.manifest, manifest(), "the manifest is read as it was written");
    assert_eq!(inspection.library.target.to_string(), this_host(), "the target is this host's");
}

#[test]
fn files_that_are_no_library_are_refused() {
    let kind = PluginErrorKind::NotALibrary;
    check(b"", kind, "is empty");
    check(b"#!/bin/sh\nrm -rf /\n", kind, "is not a dynamic library (no ELF, Mach-O or PE header)");
    check(&good()[..40], kind, "is a damaged or truncated library");
    check(&good()[..good().len() / 2], kind, "is a damaged or truncated library");
    check(&good()[..good().len() - 1], kind, "is a damaged or truncated library");
    let main = "int main(void) { return 0; }";
    let program = Library::new(&manifest()).code(main);
    check(&program.only_flags(&["-pie", "-fPIE"]).build(), kind, "is a program, not a dynamic");
    let program = Library::new(&manifest()).code(main);
    check(&program.only_flags(&["-no-pie"]).build(), kind, "is a program, not a dynamic");
    check(&Library::new(&manifest()).only_flags(&["-c"]).build(), kind, "is an object file, not");
}

#[test]
fn other_targets_are_refused() {
    let kind = PluginErrorKind::WrongTarget;
    let own = format!(", and this host is {}", this_host());
    let other = if cfg!(target_arch = "x86_64") { (183, "aarch64") } else { (62, "x86_64") };
    check(&patched(18, other.0), kind, &format!("was built for {} (elf", other.1));
    check(&patched(18, other.0), kind, &own);
    check(&patched(4, 1), kind, "(elf, 32 bits, little-endian)");
    check(&patched(5, 2), kind, "(elf, 64 bits, big-endian)");
    check(&patched(18, 1), kind, &own);
}

#[test]
fn library_without_manifest_is_refused() {
    let library = Library::with_section(Vec::new()).code("int helper(void) { return 1; }");
    check(&library.build(), PluginErrorKind::NotAPlugin, "is a library without a plugin manifest");
}

#[test]
fn damaged_manifest_is_refused() {
    let check = |section: &[u8], reason: &str| {
        let bytes = Library::with_section(section.into()).build();
        check(&bytes, PluginErrorKind::Manifest, reason);
    };
    check(b"PROWESS-PLUGIN\0\x02", "does not begin as a manifest does");
    check(b"PROWESS-PLUGIN\0\x01\x04", "past its end");
    check(b"PROWESS-PLUGIN\0\x01\xff\xff\xff\xff{}", "4294967295 bytes, which is past its end");
    check(&section("{\"manifest\": 1,"), "EOF while parsing");
    check(&section("{}"), "missing field");
    check(&section("\u{1}"), "its text cannot be read");
    let version =
        Library::new(&prowess_plugin_host::Manifest { version: "1".into(), ..manifest() });
    self::check(&version.build(), PluginErrorKind::Manifest, "has an invalid version `1`");
}

#[test]
fn other_abi_versions_are_refused() {
    for abi in ["2.0", "0.9", "1", "", "one.two"] {
        let manifest = prowess_plugin_host::Manifest { abi: abi.into(), ..manifest() };
        let reason = format!("needs plugin ABI {abi}, but this host supports 1.");
        check(&Library::new(&manifest).build(), PluginErrorKind::Abi, &reason);
    }
    let newer = prowess_plugin_host::Manifest { abi: "1.7".into(), ..manifest() };
    inspect_and_judge(&Library::new(&newer).build()).expect("a later minor version is accepted");
}

#[test]
fn forbidden_linkage_is_refused() {
    let kind = PluginErrorKind::Linkage;
    let place = tempfile::tempdir().unwrap();
    dependency(place.path(), "libextra.so.3");
    let extra = place.path().join("libextra.so.3").display().to_string();
    let library =
        || Library::new(&manifest()).code("int helper(void);int f(void){return helper();}");
    check(
        &library().flags(&[&extra]).build(),
        kind,
        "needs the library `libextra.so.3`, which is not",
    );
    let library = || Library::new(&manifest());
    for tags in ["--enable-new-dtags", "--disable-new-dtags"] {
        let flags = [&*format!("-Wl,{tags}"), "-Wl,-rpath,$ORIGIN/lib"];
        check(&library().flags(&flags).build(), kind, "adds `$ORIGIN/lib` to the directories");
    }
    for option in ["--filter", "--auxiliary", "--audit", "--depaudit"] {
        let flags = [&*format!("-Wl,{option},/tmp/other.so")];
        check(&library().flags(&flags).build(), kind, "makes the loader open `/tmp/other.so`");
    }
    let absolute = library().code("__asm__(\".text\\n.quad PROWESS_PLUGIN_MANIFEST\");");
    check(&absolute.flags(&["-Wl,-z,notext"]).build(), kind, "text relocations");
}

#[test]
fn dependency_hidden_from_sections_is_found() {
    let place = tempfile::tempdir().unwrap();
    dependency(place.path(), "libextra.so.3");
    let extra = place.path().join("libextra.so.3").display().to_string();
    let library = Library::new(&manifest()).code("int helper(void);int f(void){return helper();}");
    let mut bytes = library.flags(&[&extra]).build();
    // The loader reads segments, so a section with another position has no effect.
    let number = |bytes: &[u8], at: usize| {
        usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap()
    };
    let (table, count) = (number(&bytes, 40), usize::from(bytes[60]) | usize::from(bytes[61]) << 8);
    let dynamic = (0..count).map(|at| table + at * 64).find(|at| bytes[at + 4] == 6).unwrap();
    let empty = number(&bytes, dynamic + 24) + number(&bytes, dynamic + 32) - 16;
    bytes[dynamic + 24..dynamic + 32].copy_from_slice(&(empty as u64).to_le_bytes());
    check(&bytes, PluginErrorKind::Linkage, "needs the library `libextra.so.3`");
}

#[test]
fn required_glibc_is_reported() {
    let code = "#include <stdio.h>\nint f(void) { return puts(\"\"); }";
    let inspection = inspect_and_judge(&Library::new(&manifest()).code(code).build())
        .expect("the plugin is valid");
    let linkage = inspection.library.linkage;
    assert_eq!(linkage.needed, ["libc.so.6"], "the needed library is reported");
    let version = linkage.minimum_glibc.expect("a version of glibc is needed");
    assert!(version.starts_with("2."), "the version is one of glibc: {version}");
}

proptest! {
    /// Inspecting a library with some changed bytes and a truncated end does not panic.
    #[test]
    fn damaged_libraries_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        is_in_header in any::<bool>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = sample().to_vec();
        // Most of a file is padding, so prefer the header and the tables at the end.
        let reach = if is_in_header { 1024.min(bytes.len()) } else { bytes.len() };
        for (at, byte) in changes {
            let at = at.index(reach);
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = inspect_and_judge(&bytes);
    }
}

fn sample() -> &'static [u8] {
    static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    SAMPLE.get_or_init(good)
}
