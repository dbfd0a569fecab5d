//! Each library can be used by itself: a host of it alone can name every type of its interface.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::interface;
use crate::process::Failure;
use crate::root;

/// Returns a problem for each crate of the workspace whose types are in the interface of a library
/// that leads to it by no re-export.
pub(super) fn missing(documents: &Path) -> Result<Vec<String>, Failure> {
    let reexports = reexports(&root())?;
    let mut problems = Vec::new();
    for library in reexports.keys() {
        let document = documents.join(format!("{library}.json"));
        if !document.exists() {
            continue;
        }
        let named = others(&interface(&document, false)?, library);
        problems.extend(named.difference(&reached(library, &reexports)).map(|named| {
            format!("{library}: its interface has types of `{named}`; add `pub use {named};`")
        }));
    }
    Ok(problems)
}

/// The libraries of a checkout, with the crates that each re-exports as a whole.
type Reexports = BTreeMap<String, BTreeSet<String>>;

pub(super) fn reexports(checkout: &Path) -> Result<Reexports, Failure> {
    let mut reexports = BTreeMap::new();
    for folder in std::fs::read_dir(checkout.join("crates"))? {
        let folder = folder?;
        let library = folder.file_name().to_string_lossy().replace('-', "_");
        let source = std::fs::read_to_string(folder.path().join("src/lib.rs"));
        reexports.extend(source.ok().map(|source| (library, reexported(&source))));
    }
    Ok(reexports)
}

/// Returns the crates that a library re-exports, and those that these re-export.
pub(super) fn reached(library: &str, reexports: &Reexports) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![library.to_owned()];
    while let Some(library) = next.pop() {
        let found = reexports.get(&library).into_iter().flatten();
        next.extend(found.filter(|name| reached.insert((*name).clone())).cloned());
    }
    reached
}

/// Returns the crates of the workspace that an interface names, other than its own.
fn others(interface: &str, own: &str) -> BTreeSet<String> {
    let is_path = |letter: char| letter == '_' || letter == ':' || letter.is_alphanumeric();
    let paths = interface.split(|letter| !is_path(letter));
    let crates = paths.filter_map(|path| Some(path.split_once("::")?.0));
    let others = crates.filter(|name| name.starts_with("prowess") && *name != own);
    others.map(str::to_owned).collect()
}

/// Returns the crates of the workspace that the main file of a library re-exports as a whole.
fn reexported(source: &str) -> BTreeSet<String> {
    let paths = source.lines().filter_map(|line| line.strip_prefix("pub use "));
    let wholes = paths.filter_map(|path| {
        let end = path.find(|letter: char| letter != '_' && !letter.is_alphanumeric())?;
        let (name, rest) = path.split_at(end);
        let is_whole = rest == ";" || rest == "::*;" || rest.starts_with(" as ");
        (is_whole || rest.starts_with("::{self")).then(|| name.to_owned())
    });
    wholes.filter(|name| name.starts_with("prowess")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_signatures_are_found() {
        let interface = "pub fn prowess_low::one(&prowess_core::cancel::Cancel) -> alloc::Vec<u8>\n\
                         pub fn prowess_low::two() -> [prowess_text::Boundary; 2]\n";
        let expected = ["prowess_core", "prowess_text"].map(str::to_owned);
        assert_eq!(others(interface, "prowess_low"), BTreeSet::from(expected));
        let core = ["prowess_core".to_owned()];
        for (source, is_whole) in [
            ("pub use prowess_core;", true),
            ("pub use prowess_core::*;", true),
            ("pub use prowess_core as core;", true),
            ("pub use prowess_core::{self, Layer};", true),
            ("pub use prowess_core::Layer;", false),
            ("use prowess_core;", false),
        ] {
            let expected = core.iter().filter(|_| is_whole).cloned().collect();
            assert_eq!(reexported(source), expected, "{source}");
        }
        let below = ["prowess_text".to_owned()];
        let reexports = [("prowess_low", core), ("prowess_core", below)];
        let reexports = reexports.map(|(name, others)| (name.to_owned(), others.into()));
        let expected = ["prowess_core", "prowess_text"].map(str::to_owned);
        assert_eq!(reached("prowess_low", &reexports.into()), expected.into());
    }
}
