//! The interfaces of two commits: what a user of the facade could name and cannot any more.
//!
//! The snapshots have the facade's own items and those of a few crates below it. A host also names
//! types of the crates that the facade re-exports whole, which this compares. It finds items that
//! are gone or look different, and no new ones that break, such as a method of a trait without a
//! default.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::reexports::{reached, reexports};
use super::{difference, document, interface};
use crate::process::{Failure, run, succeed};
use crate::root;

/// The library that users name.
const FACADE: &str = "prowess";

/// Fails if an item of the commit is gone or different, and the version is that of the commit but
/// for its last number.
pub(super) fn compare(commit: &str) -> Result<(), Failure> {
    let checkout = root().join("target/since");
    let git = |arguments: &[&str]| run(Command::new("git").args(arguments).current_dir(root()));
    let path = checkout.to_string_lossy();
    if checkout.exists() {
        git(&["worktree", "remove", "--force", &path])?;
    }
    git(&["worktree", "add", "--detach", "--quiet", &path, commit])?;
    let before = interfaces(&checkout);
    git(&["worktree", "remove", "--force", &path])?;
    let broken = broken(&before?, &interfaces(&root())?);
    let manifest = succeed(
        Command::new("git").args(["show", &format!("{commit}:Cargo.toml")]).current_dir(root()),
    )?;
    let earlier = compatible(&String::from_utf8_lossy(&manifest));
    let own = compatible(&std::fs::read_to_string(root().join("Cargo.toml"))?);
    println!("{}{} libraries differ from {commit}", broken.concat(), broken.len());
    if broken.is_empty() || earlier != own {
        return Ok(());
    }
    Err(Failure(format!("this breaks users of {commit}, whose version is also {own}")))
}

/// Returns the interface of each library of a checkout that the facade re-exports, and its own.
fn interfaces(checkout: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let documents = document(checkout)?;
    let mut libraries = reached(FACADE, &reexports(checkout)?);
    libraries.insert(FACADE.to_owned());
    let text = |library: String| {
        let text = interface(&documents.join(format!("{library}.json")), false)?;
        Ok((library, text))
    };
    libraries.into_iter().map(text).collect()
}

/// Returns, for each library with one, the items that are gone or different.
fn broken(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let found = before.iter().filter_map(|(library, before)| {
        let now = now.get(library).map_or("", |now| now);
        let lines = difference(before, now)?;
        let lines: String = lines.split_inclusive('\n').filter(|it| it.starts_with('-')).collect();
        (!lines.is_empty()).then(|| format!("{library}\n{lines}\n"))
    });
    found.collect()
}

/// Returns the numbers of a workspace's version that a breaking change raises.
fn compatible(manifest: &str) -> String {
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \""));
    let mut numbers = version.unwrap_or_default().split('.');
    let (first, second) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    if first == "0" { format!("0.{second}") } else { first.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_that_are_gone_break_and_new_ones_do_not() {
        let one = |text: &str| BTreeMap::from([("prowess_gate".to_owned(), text.to_owned())]);
        let before = one("pub fn gate::a()\npub fn gate::b()\n");
        let now = one("pub fn gate::a() -> u8\npub fn gate::b()\npub fn gate::c()\n");
        assert_eq!(broken(&before, &now), ["prowess_gate\n- pub fn gate::a()\n\n"]);
        assert_eq!(broken(&before, &before), Vec::<String>::new());
        assert_eq!(broken(&before, &BTreeMap::new()).len(), 1, "a library is gone");
    }

    #[test]
    fn number_that_a_breaking_change_raises_is_found() {
        for (version, expected) in [("0.3.9", "0.3"), ("1.4.0", "1"), ("12.0.1", "12")] {
            let manifest = format!("[workspace.package]\nversion = \"{version}\"\n");
            assert_eq!(compatible(&manifest), expected);
        }
    }
}
