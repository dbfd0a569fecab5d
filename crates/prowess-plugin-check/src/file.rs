//! The checks of a plugin's bytes, without opening it.

use std::path::Path;

use abi_stable::library::ROOT_MODULE_LOADER_NAME;
use object::{NameOrOrdinal, Object};
use prowess_plugin_abi::manifest::{Manifest, PanicStrategy, SYMBOL};
use prowess_text::quoted;
use serde_json::Value;

use super::report::CheckOutcome;
use prowess_plugin_host::kit::{abi, version, wrong_target};
use prowess_plugin_host::{Inspection, PluginError, PluginErrorKind, PluginPolicy, Target};

pub(super) const MANIFEST: &str = "The manifest can be read and is complete, it is for this host, and \
     a panic of the plugin unwinds";
pub(super) const SYMBOLS: &str = "The library exports its manifest and its root, and nothing else";
pub(super) const LINKAGE: &str = "The library needs none but the system's own libraries, and tells \
     the loader nothing else";
pub(super) const TRUST: &str =
    "The operator trusts these very bytes, or a key that has signed them";

/// The kinds of objects that a plugin may offer.
const KINDS: [&str; 2] = ["source", "tools"];

/// A refusal as a broken rule.
pub(super) fn refused(error: &PluginError) -> CheckOutcome {
    CheckOutcome::failed(format!("it {}", error.reason), &*error.help)
}

/// Checks that the manifest is complete and fits this host.
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
        let reason = "it is built with `panic = \"abort\"`: each panic ends its whole process";
        return Some((
            reason.into(),
            "build it with `panic = \"unwind\"`, which is Rust's own choice",
        ));
    }
    if manifest.name.is_empty() || manifest.description.is_empty() {
        let help = "give the package a `name` and a `description` in `Cargo.toml`";
        return Some(("it says no name, or not what it is for".into(), help));
    }
    if let Some(kind) = manifest.kinds.iter().find(is_unknown) {
        let help = "write `kinds = [\"source\"]`, `[\"tools\"]` or both in `export_plugin!`";
        return Some((format!("it says that it offers `{kind}`"), help));
    }
    match &manifest.config_schema {
        None | Some(Value::Object(_) | Value::Bool(_)) => None,
        Some(_) => {
            let help = "write a JSON object as `config_schema` in `export_plugin!`";
            Some(("the schema of its configuration is no JSON Schema".into(), help))
        }
    }
}

fn notes(manifest: &Manifest) -> Vec<String> {
    let mut notes = Vec::new();
    if manifest.debug_assertions {
        notes.push("it is a debug build: hosts run it in a process of its own".to_owned());
    }
    if manifest.config_schema.is_none() {
        notes.push("it has no schema of its configuration, so nothing says what it takes".into());
    }
    notes
}

/// The names that the loader can find in it.
pub(super) fn symbols(bytes: &[u8]) -> CheckOutcome {
    let names = match exports(bytes) {
        Ok(names) => names,
        Err(error) => {
            let reason = format!("its table of symbols cannot be read: {error}");
            return CheckOutcome::failed(reason, "build it again");
        }
    };
    let expected = [SYMBOL, ROOT_MODULE_LOADER_NAME].map(|name| own(name.as_bytes()));
    let other: Vec<_> = names
        .iter()
        .filter(|name| !expected.contains(name))
        .map(|name| quoted(&String::from_utf8_lossy(name)))
        .collect();
    if !other.is_empty() {
        let count = other.len();
        let first = other[..count_of(&other)].join(", ");
        let help = "take `#[no_mangle]` away: another library's symbol of that name may be taken \
                    for this one";
        return CheckOutcome::failed(format!("it exports {count} more names: {first}"), help);
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
            NameOrOrdinal::Name(name) => own(name),
            NameOrOrdinal::Ordinal(number) => number.to_string().into_bytes(),
        })
    };
    file.exports()?.map(name).collect()
}

/// The name as its author knows it: some systems put a line before each.
fn own(name: &[u8]) -> Vec<u8> {
    let rest = name.strip_prefix(b"_").filter(|_| cfg!(target_vendor = "apple"));
    rest.unwrap_or(name).to_owned()
}

/// How many names one message has.
fn count_of(names: &[String]) -> usize {
    names.len().min(5)
}

/// Checks its requests to the system's loader.
pub(super) fn linkage(file: &Path, inspection: &Inspection, policy: &PluginPolicy) -> CheckOutcome {
    match policy.linkage(file, inspection) {
        Err(error) => refused(&error),
        Ok(()) => {
            let glibc = inspection.library.linkage.minimum_glibc.as_deref();
            let note = |version| format!("it runs where glibc is {version} or later");
            CheckOutcome::Passed { notes: glibc.map(note).into_iter().collect() }
        }
    }
}

/// Checks whether the operator trusts it. Other refusals are reported by other checks.
pub(super) fn trust(refusal: Option<&PluginError>) -> CheckOutcome {
    use PluginErrorKind::{DigestMismatch, NotTrusted, Rollback, Signature};
    match refusal {
        None => CheckOutcome::passed(),
        Some(error) if matches!(error.kind, NotTrusted | DigestMismatch | Signature | Rollback) => {
            refused(error)
        }
        Some(_) => CheckOutcome::skipped("it is refused whoever trusts it"),
    }
}
