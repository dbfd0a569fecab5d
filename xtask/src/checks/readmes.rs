//! `cargo xtask readmes`: the README of each crate, written from the documentation of its code.
//!
//! The example of a README is the crate's first doctest, so the tests run it.

use crate::checks::tidy::repository::{Package, Repository};
use crate::process::Failure;
use crate::root;

/// The line that says where the text comes from.
const ORIGIN: &str =
    "<!-- Written by `cargo xtask readmes` from the documentation of the code; edit that. -->";

pub(crate) fn run() -> Result<(), Failure> {
    let repository = Repository::read(&root())?;
    for package in repository.crates() {
        if let Some(text) = readme(package, &repository) {
            std::fs::write(root().join(path(package)), text)?;
        }
    }
    Ok(())
}

pub(crate) fn path(package: &Package) -> String {
    format!("{}/README.md", package.folder)
}

/// Returns the README of a crate, or nothing if it has neither a library nor a program.
pub(crate) fn readme(package: &Package, repository: &Repository) -> Option<String> {
    let mut targets = package.targets.iter();
    let library = targets.clone().find(|target| target.kind == "lib");
    let main = library.or_else(|| targets.find(|target| target.kind == "bin"))?;
    let story = markdown(repository.text(&main.path)?);
    let place = place(package, repository);
    let name = &package.name;
    Some(format!("# {name}\n\n{ORIGIN}\n\n{story}\n## Place\n\n{place}\n## License\n\n{LICENSE}"))
}

const LICENSE: &str = "Apache-2.0 or MIT, at your option.\n";

/// The floor of a crate, and what it uses of the workspace.
fn place(package: &Package, repository: &Repository) -> String {
    let document = repository.text("ARCHITECTURE.md").unwrap_or_default();
    let floors = crate::checks::tidy::floors::floors(document);
    let floor = floors.get(&package.name).copied().unwrap_or_default();
    let top = floors.values().max().copied().unwrap_or_default();
    let shipped = package.dependencies.iter().filter(|dependency| !dependency.is_dev);
    let mut used: Vec<_> = shipped
        .filter(|dependency| floors.contains_key(&dependency.name))
        .map(|dependency| format!("`{}`", dependency.name))
        .collect();
    used.sort();
    used.dedup();
    let used = if used.is_empty() { "none of them".into() } else { used.join(", ") };
    format!(
        "The crates of prowess stand on floors from 0 to {top}, and each uses only lower ones. This one is on floor {floor} \
         and uses {used}.\n"
    )
}

/// Turns the documentation at the top of a file into Markdown that needs no compiler to read:
/// without hidden lines of code and without links to items.
fn markdown(code: &str) -> String {
    let lines = code.lines().map_while(|line| line.strip_prefix("//!"));
    let mut text = String::new();
    let mut is_code = false;
    for line in lines.map(|line| line.strip_prefix(' ').unwrap_or(line)) {
        if let Some(language) = line.strip_prefix("```") {
            text.push_str(&format!("```{}\n", if is_code { "" } else { shown(language) }));
            is_code = !is_code;
        } else if !is_code {
            let level = if line.starts_with('#') { "#" } else { "" };
            text.push_str(&format!("{level}{}\n", without_item_links(line)));
        } else if line != "#" && !line.starts_with("# ") {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}

/// The language of a fence, for readers other than rustdoc.
fn shown(language: &str) -> &str {
    if matches!(language, "" | "no_run") { "rust" } else { language }
}

/// Replaces a link to an item by its text; links to pages and code stay.
fn without_item_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(['`', '[']) {
        let (before, found) = rest.split_at(start);
        text.push_str(before);
        let (piece, after) = code_span(found).or_else(|| link(found)).unwrap_or(found.split_at(1));
        text.push_str(piece);
        rest = after;
    }
    text + rest
}

/// Splits code between backticks off.
fn code_span(text: &str) -> Option<(&str, &str)> {
    let end = text.strip_prefix('`')?.find('`')?;
    Some(text.split_at(end + 2))
}

/// Splits a link off: as it stands if it leads to a page, else its label.
fn link(text: &str) -> Option<(&str, &str)> {
    let (label, after) = text.strip_prefix('[')?.split_once(']')?;
    let Some((target, rest)) = after.strip_prefix('(').and_then(|target| target.split_once(')'))
    else {
        return Some((label, after));
    };
    let whole = &text[..text.len() - rest.len()];
    Some((if target.starts_with("http") { whole } else { label }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_becomes_markdown() {
        let code = "//! Reads [`Notes`] of [a](Page), see [b](https://b.example).\n//!\n\
                    //! # More\n//!\n//! ```\n//! # hidden();\n//! #[test]\n//! shown();\n//! ```\n\
                    mod notes;\n//! no\n";
        let expected = "Reads `Notes` of a, see [b](https://b.example).\n\n\
                        ## More\n\n```rust\n#[test]\nshown();\n```\n";
        assert_eq!(markdown(code), expected);
        assert_eq!(without_item_links("a[0"), "a[0");
        assert_eq!(without_item_links("`hint: [file]` of [`File`]"), "`hint: [file]` of `File`");
    }

    #[test]
    fn readme_names_the_floor_and_the_dependencies() {
        let repository = Repository::sample();
        let package = repository.packages.iter().find(|package| package.name == "left");
        let text = readme(package.expect("a package of the sample"), &repository);
        let text = text.expect("it has a library");
        assert!(text.contains("is on floor 2 and uses `low`."), "{text}");
    }
}
