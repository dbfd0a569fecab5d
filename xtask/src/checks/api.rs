//! `cargo xtask api`: the documentation of the workspace, without a warning, and the public
//! interfaces of the libraries that others build upon, compared with their snapshots. It also
//! fails for each crate whose types an interface names without a re-export.
//!
//! The snapshots are next to the crate's manifest: `public-api.txt` has the items, and
//! `public-traits.txt` the traits that each type has by `derive` or from the compiler. A change of
//! an interface changes them, so that a reader of the commit sees the change.

mod reexports;
mod since;
mod traits;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::process::{Failure, built_in, cargo_command, fail_for, run as run_program};
use crate::root;
use crate::selection::Selection;

/// The libraries with snapshots: hosts build upon the first two, plugins upon the others.
const LIBRARIES: [&str; 4] =
    ["prowess", "prowess-core", "prowess-plugin-abi", "prowess-plugin-sdk"];

/// Parts of lines that macros of the boundary to plugins generate for each type. A snapshot of the
/// layouts has what they say.
const GENERATED: [&str; 5] =
    ["::IsNonZeroType", "::StaticEquivalent", "_TO<", "impl abi_stable::", "> abi_stable::"];

/// The file of a crate with its interface, a line for each item.
const ITEMS: &str = "public-api.txt";

/// The file of a crate with the traits of its types, a line for each type.
const TRAITS: &str = "public-traits.txt";

/// The variable that makes this program the `rustdoc` of cargo.
const RUSTDOC: &str = "XTASK_RUSTDOC";

/// Compares each library with its snapshot, or writes the snapshots if `UPDATE_EXPECT` is set. With
/// `--since COMMIT`, compares all that the facade re-exports with that commit.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    match arguments {
        [] => snapshots(),
        ["--since", commit] => since::compare(commit),
        _ => Err(Failure("`api` takes `--since COMMIT` or nothing".into())),
    }
}

fn snapshots() -> Result<(), Failure> {
    let documents = document(&root())?;
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut differences = Vec::new();
    for library in LIBRARIES {
        let document = documents.join(format!("{}.json", library.replace('-', "_")));
        let items = interface(&document, false)?;
        let traits = traits::page(&items, &interface(&document, true)?);
        for (file, current) in [(ITEMS, items), (TRAITS, traits)] {
            let path = root().join("crates").join(library).join(file);
            if is_update {
                std::fs::write(path, current)?;
            } else if let Some(difference) = difference(&read(&path)?, &current) {
                differences.push(format!("{library}, {file}\n{difference}"));
            }
        }
    }
    println!("the interfaces of {} libraries", LIBRARIES.len());
    fail_for("types that a host cannot name", &reexports::missing(&documents)?)?;
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

/// Writes the documentation of a checkout as JSON, without a warning, and returns its folder. What
/// other checkouts have compiled is used.
fn document(checkout: &Path) -> Result<std::path::PathBuf, Failure> {
    let documents = built_in("doc")?;
    let rustdoc = std::env::current_exe()?.display().to_string();
    let flags = "-D warnings -Z unstable-options --output-format json";
    // The libraries below are those that `cargo xtask lint` has checked, and are not checked again.
    let [driver, arguments] = super::CLIPPY;
    let variables =
        [(RUSTDOC, "1"), ("RUSTDOC", &rustdoc), ("RUSTDOCFLAGS", flags), driver, arguments];
    // With the examples, dependencies have the features that they have for the lints.
    let targets = ["doc", "--quiet", "--no-deps", "--lib", "--bins", "--examples"];
    let mut command = cargo_command(Selection::Full.cargo(&targets));
    command.current_dir(checkout).envs(variables);
    run_program(command.env("CARGO_TARGET_DIR", documents.parent().unwrap_or(&documents)))?;
    Ok(documents)
}

/// Returns the public items in the documentation of a library, one line for each. Those that
/// `derive` and the compiler add would be most of them, so they are left out unless they are asked
/// for.
fn interface(documentation: &Path, has_derived: bool) -> Result<String, Failure> {
    let interface = public_api::Builder::from_rustdoc_json(documentation)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(!has_derived)
        .omit_auto_derived_impls(!has_derived)
        .build()?;
    let is_written = |line: &String| !GENERATED.iter().any(|part| line.contains(part));
    let items = interface.items().map(|item| format!("{item}\n")).filter(is_written);
    // A method of a trait is an item of the type and of the implementation.
    let mut known = BTreeSet::new();
    Ok(items.filter(|item| known.insert(item.clone())).collect())
}

fn read(snapshot: &Path) -> Result<String, Failure> {
    match std::fs::read_to_string(snapshot) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        result => Ok(result?),
    }
}

/// Returns the lines that only one of two snapshots has, or has more often.
pub(crate) fn difference(snapshot: &str, current: &str) -> Option<String> {
    let mut counts: BTreeMap<&str, isize> = BTreeMap::new();
    snapshot.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
    current.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    let lines = |sign: char, times: fn(isize) -> isize| {
        let counts = counts.iter().filter(move |(_, count)| times(**count) > 0);
        counts.map(move |(line, count)| format!("{sign} {line}\n").repeat(count.unsigned_abs()))
    };
    let lines: String = lines('-', |count| -count).chain(lines('+', |count| count)).collect();
    (!lines.is_empty()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_and_added_items_are_shown() {
        let both = "pub fn a::one()\npub fn a::two()\n";
        let twice = "impl a::B\nimpl a::B\n";
        for (snapshot, current, expected) in [
            (both, both, None),
            (
                both,
                "pub fn a::one() -> bool\npub fn a::two()\n",
                Some("- pub fn a::one()\n+ pub fn a::one() -> bool\n"),
            ),
            (twice, "impl a::B\n", Some("- impl a::B\n")),
            ("", twice, Some("+ impl a::B\n+ impl a::B\n")),
        ] {
            assert_eq!(difference(snapshot, current).as_deref(), expected, "{snapshot:?}");
        }
    }
}
