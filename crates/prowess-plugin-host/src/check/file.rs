//! The checks of a plugin's file that do not open it.

use std::path::Path;

use abi_stable::library::ROOT_MODULE_LOADER_NAME;
use object::{NameOrOrdinal, Object};
use prowess_plugin_abi::manifest::{Manifest, PanicStrategy, SYMBOL};
use prowess_text::{counted, quoted};
use serde_json::Value;

use super::report::CheckOutcome;
use crate::inspect::wrong_target;
use crate::policy::{abi, version};
use crate::{Inspection, PluginError, PluginErrorKind, PluginPolicy, Target};

pub(super) const MANIFEST: &str = "The manifest can be read and is complete, it is for this host, and \
     a panic of the plugin unwinds";
pub(super) const SYMBOLS: &str = "The library exports its manifest and its root, and nothing else";
pub(super) const LINKAGE: &str = "The library needs only the system's libraries, and changes nothing \
         else for the loader";
pub(super) const TRUST: &str =
    "The operator trusts the digest of the file, or a key that signed it";

/// The kinds of objects that a plugin may offer.
const KINDS: [&str; 2] = ["source", "tools"];

/// Converts an error of the host into a failed check.
pub(super) fn refused(error: &PluginError) -> CheckOutcome {
    CheckOutcome::failed(format!("it {}", error.reason), &*error.help)
}

/// Checks that the manifest is complete and supports this host.
pub(super) fn manifest(file: &Path, inspection: &Inspection) -> CheckOutcome {
    let manifest = &inspection.manifest;
    if inspection.library.target != Target::of_this_host() {
        return refused(&wrong_target(file, &inspection.library.target));
    }
    let judged = abi(file, inspection).and_then(|()| version(file, inspection));
    if let Err(error) = judged {
        return refused(&error);
    }
    match fault(manifest) {
        Some((reason, help)) => CheckOutcome::failed(reason, help),
        None => CheckOutcome::Passed { notes: notes(manifest) },
    }
}

fn fault(manifest: &Manifest) -> Option<(String, &'static str)> {
    let is_unknown = |kind: &&String| !KINDS.contains(&kind.as_str());
    if manifest.panic == PanicStrategy::Abort {
        let reason = "it was built with `panic = \"abort\"`: a panic ends the whole process";
        return Some((reason.into(), "build it with `panic = \"unwind\"`, Rust's default"));
    }
    if manifest.name.is_empty() || manifest.description.is_empty() {
        let help = "give the package a `name` and a `description` in `Cargo.toml`";
        return Some(("it has no name or no description".into(), help));
    }
    if let Some(kind) = manifest.kinds.iter().find(is_unknown) {
        let help = "write `kinds = [\"source\"]`, `[\"tools\"]` or both in `export_plugin!`";
        return Some((format!("its manifest lists the unknown kind `{kind}`"), help));
    }
    match &manifest.config_schema {
        None | Some(Value::Object(_) | Value::Bool(_)) => None,
        Some(_) => {
            let help = "write a JSON object as `config_schema` in `export_plugin!`";
            Some(("the schema of its configuration is not a JSON Schema".into(), help))
        }
    }
}

fn notes(manifest: &Manifest) -> Vec<String> {
    let mut notes = Vec::new();
    if manifest.debug_assertions {
        notes.push("it is a debug build: hosts run it in a separate process".to_owned());
    }
    if manifest.config_schema.is_none() {
        notes.push("it has no schema of its configuration".into());
    }
    notes
}

/// Checks the exported symbols.
pub(super) fn symbols(bytes: &[u8]) -> CheckOutcome {
    let names = match exports(bytes) {
        Ok(names) => names,
        Err(error) => {
            let reason = format!("its table of symbols cannot be read: {error}");
            return CheckOutcome::failed(reason, "build it again");
        }
    };
    let expected = [SYMBOL, ROOT_MODULE_LOADER_NAME].map(|name| without_prefix(name.as_bytes()));
    let other: Vec<_> = names
        .iter()
        .filter(|name| !expected.contains(name))
        .map(|name| quoted(&String::from_utf8_lossy(name)))
        .collect();
    if !other.is_empty() {
        let count = counted(other.len(), "other name");
        let first = other[..count_of(&other)].join(", ");
        let help = "remove `#[no_mangle]`: these names may conflict with those of other \
                                       libraries";
        return CheckOutcome::failed(format!("it exports {count}: {first}"), help);
    }
    match expected.iter().find(|name| !names.contains(name)) {
        None => CheckOutcome::passed(),
        Some(name) => {
            let reason = format!("it does not export `{}`", String::from_utf8_lossy(name));
            CheckOutcome::failed(reason, "write `export_plugin!` in the crate of the `cdylib`")
        }
    }
}

fn exports(bytes: &[u8]) -> object::Result<Vec<Vec<u8>>> {
    let file = object::File::parse(bytes)?;
    let name = |export: object::Result<object::Export<'_>>| {
        Ok(match export?.name() {
            NameOrOrdinal::Name(name) => without_prefix(name),
            NameOrOrdinal::Ordinal(number) => number.to_string().into_bytes(),
        })
    };
    file.exports()?.map(name).collect()
}

/// Removes the underscore that some systems put before each name.
fn without_prefix(name: &[u8]) -> Vec<u8> {
    let rest = name.strip_prefix(b"_").filter(|_| cfg!(target_vendor = "apple"));
    rest.unwrap_or(name).to_owned()
}

/// Returns the number of names to show in a message.
fn count_of(names: &[String]) -> usize {
    names.len().min(5)
}

/// Checks the libraries that the plugin needs.
pub(super) fn linkage(file: &Path, inspection: &Inspection, policy: &PluginPolicy) -> CheckOutcome {
    match policy.linkage(file, inspection) {
        Err(error) => refused(&error),
        Ok(()) => {
            let glibc = inspection.library.linkage.minimum_glibc.as_deref();
            let note = |version| format!("it needs glibc {version} or later");
            CheckOutcome::Passed { notes: glibc.map(note).into_iter().collect() }
        }
    }
}

/// Checks that the operator trusts the plugin. Other errors are reported by other checks.
pub(super) fn trust(refusal: Option<&PluginError>) -> CheckOutcome {
    use PluginErrorKind::{DigestMismatch, NotTrusted, Rollback, Signature};
    match refusal {
        None => CheckOutcome::passed(),
        Some(error) if matches!(error.kind, NotTrusted | DigestMismatch | Signature | Rollback) => {
            refused(error)
        }
        Some(_) => CheckOutcome::skipped("it is refused for another reason than trust"),
    }
}
