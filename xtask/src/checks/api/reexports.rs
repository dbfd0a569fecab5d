//! Each library can be used by itself: a host of it alone can name every type of its interface.

use std::collections::BTreeSet;
use std::path::Path;

use super::interface;
use crate::process::Failure;
use crate::root;

/// Returns a problem for each crate of the workspace whose types are in the interface of a library
/// that does not re-export it.
pub(super) fn missing(documents: &Path) -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for folder in std::fs::read_dir(root().join("crates"))? {
        let folder = folder?;
        let library = folder.file_name().to_string_lossy().replace('-', "_");
        let document = documents.join(format!("{library}.json"));
        let source = std::fs::read_to_string(folder.path().join("src/lib.rs"));
        let (true, Ok(source)) = (document.exists(), source) else { continue };
        let named = others(&interface(&document, false)?, &library);
        let missing = named.into_iter().filter(|named| !is_reexported(&source, named));
        problems.extend(missing.map(|named| {
            format!("{library}: its interface has types of `{named}`; add `pub use {named};`")
        }));
    }
    problems.sort();
    Ok(problems)
}

/// Returns the crates of the workspace that an interface names, other than its own.
fn others(interface: &str, own: &str) -> BTreeSet<String> {
    let is_path = |letter: char| letter == '_' || letter == ':' || letter.is_alphanumeric();
    let paths = interface.split(|letter| !is_path(letter));
    let crates = paths.filter_map(|path| Some(path.split_once("::")?.0));
    let others = crates.filter(|name| name.starts_with("prowess") && *name != own);
    others.map(str::to_owned).collect()
}

fn is_reexported(source: &str, named: &str) -> bool {
    let line = format!("pub use {named}");
    source
        .lines()
        .filter_map(|other| other.strip_prefix(&line))
        .any(|rest| rest == ";" || rest == "::*;" || rest.starts_with(" as "))
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
        for (source, expected) in [
            ("pub use prowess_core;", true),
            ("pub use prowess_core::*;", true),
            ("pub use prowess_core as core;", true),
            ("pub use prowess_core::Layer;", false),
            ("pub use prowess_core_more;", false),
        ] {
            assert_eq!(is_reexported(source, "prowess_core"), expected, "{source}");
        }
    }
}
