//! The pages of the guide are readable as files and as documentation of the crate.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use super::repository::{Repository, TextFile};

const FOLDER: &str = "crates/prowess/src/guide/";
/// The definitions of links that the documentation has before those of a page.
const ITEMS: &str = "crates/prowess/src/guide/items.txt";

/// Each link of a page has a definition there, which leads to a file, and one of an item.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let items = repository.text(ITEMS).unwrap_or_default();
    let items = definitions(items);
    let is_page = |file: &&TextFile| file.path.starts_with(FOLDER) && file.path.ends_with(".md");
    let mut problems = Vec::new();
    for TextFile { path, text } in repository.files.iter().filter(is_page) {
        let definitions = definitions(text);
        for (label, target) in &definitions {
            if !repository.files.iter().any(|file| file.path == joined(target)) {
                problems.push(format!("{path}: the link [{label}] leads to no file: {target}"));
            }
            if !items.contains_key(label) {
                problems.push(format!("{ITEMS}: has no item for the link [{label}] of {path}"));
            }
        }
        let code = |label: &&str| {
            text.contains(&format!("[{label}]")) && !definitions.contains_key(*label)
        };
        let undefined = items.keys().copied().filter(|label| code(&label));
        problems.extend(undefined.map(|label| format!("{path}: the link [{label}] has no file")));
    }
    problems
}

/// Returns the definitions of links of a page, by their labels.
fn definitions(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    lines.collect()
}

/// Returns the path of a link's target from the top of the repository.
fn joined(target: &str) -> String {
    let mut parts: Vec<_> = FOLDER.trim_end_matches('/').split('/').collect();
    for component in Path::new(target).components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.extend(part.to_str()),
            _ => {}
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn link_that_leads_nowhere_is_reported() {
        let page = "crates/prowess/src/guide/one.md";
        let good = "See [`Turn`].\n\n[`Turn`]: ../turn.rs\n";
        for (text, parts) in [
            (good, &[][..]),
            ("See [`Turn`].\n\n[`Turn`]: ../other.rs\n", &["leads to no file: ../other.rs"]),
            ("See [`Turn`].\n", &["the link [`Turn`] has no file"]),
            ("See [`Two`].\n\n[`Two`]: ../turn.rs\n", &["no item for the link [`Two`]"]),
        ] {
            let write = |repository: &mut Repository| {
                repository.write(ITEMS, "[`Turn`]: crate::Turn\n");
                repository.write("crates/prowess/src/turn.rs", "");
                repository.write(page, text);
            };
            broken(check, write, parts);
        }
    }
}
