//! `cargo xtask api`: the public interface of each library, compared with its snapshot.
//!
//! A snapshot is `public-api.txt` next to the crate's manifest. A change of an interface changes it,
//! so that a reader of the commit sees the change.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::process::{Failure, built_in, cargo_with};
use crate::root;
use crate::tidy::repository::{Package, Repository};

/// The file of a crate with its interface, a line for each item.
const SNAPSHOT: &str = "public-api.txt";

/// The variable that makes this program the `rustdoc` of cargo.
const RUSTDOC: &str = "XTASK_RUSTDOC";

/// Compares each library with its snapshot, or writes the snapshots if `UPDATE_EXPECT` is set.
pub(crate) fn run() -> Result<(), Failure> {
    let repository = Repository::read(&root())?;
    let libraries: Vec<&Package> = repository.crates().filter(|it| it.is_library()).collect();
    let documents = document(&libraries)?;
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut differences = Vec::new();
    for library in &libraries {
        let path = root().join(&library.folder).join(SNAPSHOT);
        let items = interface(&documents.join(format!("{}.json", library.name.replace('-', "_"))))?;
        if is_update {
            std::fs::write(path, items)?;
        } else if let Some(difference) = difference(&read(&path)?, &items) {
            differences.push(format!("{}\n{difference}", library.name));
        }
    }
    println!("the interfaces of {} libraries", libraries.len());
    if differences.is_empty() {
        return Ok(());
    }
    Err(Failure(format!(
        "public items differ from the snapshots; if that is intended, run \
         `UPDATE_EXPECT=1 cargo xtask api` and commit the result\n\n{}",
        differences.join("\n")
    )))
}

/// Runs this program as `rustdoc` if cargo has started it as that: JSON is an unstable format, and
/// only this program may use it.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    std::env::var_os(RUSTDOC)?;
    let mut command = Command::new("rustdoc");
    command.args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1");
    let is_success = command.status().is_ok_and(|status| status.success());
    Some(if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the documentation of the libraries as JSON and returns its folder.
fn document(libraries: &[&Package]) -> Result<std::path::PathBuf, Failure> {
    let rustdoc = std::env::current_exe()?.display().to_string();
    let flags = "-Z unstable-options --output-format json";
    let variables = [(RUSTDOC, "1"), ("RUSTDOC", &rustdoc), ("RUSTDOCFLAGS", flags)];
    let names = libraries.iter().flat_map(|library| ["--package", library.name.as_str()]);
    cargo_with(&variables, ["doc", "--quiet", "--no-deps", "--lib"].into_iter().chain(names))?;
    built_in("doc")
}

/// Returns the public items in the documentation of a library, a line for each.
fn interface(documentation: &Path) -> Result<String, Failure> {
    let interface = public_api::Builder::from_rustdoc_json(documentation)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    Ok(interface.items().map(|item| format!("{item}\n")).collect())
}

fn read(snapshot: &Path) -> Result<String, Failure> {
    match std::fs::read_to_string(snapshot) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        result => Ok(result?),
    }
}

/// Returns the lines that only one of two interfaces has.
fn difference(snapshot: &str, current: &str) -> Option<String> {
    let before: BTreeSet<_> = snapshot.lines().collect();
    let after: BTreeSet<_> = current.lines().collect();
    let removed = before.difference(&after).map(|line| format!("- {line}\n"));
    let added = after.difference(&before).map(|line| format!("+ {line}\n"));
    let lines: String = removed.chain(added).collect();
    (!lines.is_empty()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_and_added_items_are_shown() {
        let snapshot = "pub fn a::one()\npub fn a::two()\n";
        assert_eq!(difference(snapshot, snapshot), None);
        let current = "pub fn a::one() -> bool\npub fn a::two()\n";
        let expected = "- pub fn a::one()\n+ pub fn a::one() -> bool\n";
        assert_eq!(difference(snapshot, current).as_deref(), Some(expected));
    }
}
