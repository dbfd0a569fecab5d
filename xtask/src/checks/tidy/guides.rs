//! The pages of the guide are readable as files and as documentation of the crate.

use std::collections::BTreeMap;

use super::repository::{Repository, TextFile};

const FOLDER: &str = "crates/prowess/src/guide/";
/// The definitions of links that the documentation has before those of a page.
const ITEMS: &str = "crates/prowess/src/guide/items.txt";

/// Each link of a page has a definition there, which leads to a file, and one of an item. No line
/// of an example is hidden by rustdoc alone.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let items = definitions(repository.text(ITEMS).unwrap_or_default());
    let is_page = |file: &&TextFile| file.path.starts_with(FOLDER) && file.path.ends_with(".md");
    let mut problems = Vec::new();
    for TextFile { path, text } in repository.files.iter().filter(is_page) {
        let examples = text.split("\n```").skip(1).step_by(2).filter(|it| it.starts_with('\n'));
        let hidden = examples.flat_map(str::lines).find(|line| line.starts_with("# "));
        problems.extend(hidden.map(|line| format!("{path}: show or leave out `{line}`")));
        let definitions = definitions(text);
        for (label, target) in &definitions {
            if repository.text(&from_top(target)).is_none() {
                problems.push(format!("{path}: the link [{label}] leads to no file: {target}"));
            }
            if !items.contains_key(label) {
                problems.push(format!("{ITEMS}: has no item for the link [{label}] of {path}"));
            }
        }
        let undefined = items.keys().filter(|label| {
            text.contains(&format!("[{label}]")) && !definitions.contains_key(*label)
        });
        problems.extend(undefined.map(|label| format!("{path}: the link [{label}] has no file")));
    }
    problems
}

/// Returns the definitions of links of a page, by their labels.
fn definitions(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: ")).collect()
}

/// Returns the path of a link's target from the top of the repository.
fn from_top(target: &str) -> String {
    let up = target.matches("../").count();
    let folders: Vec<_> = FOLDER.trim_end_matches('/').split('/').collect();
    let kept = &folders[..folders.len().saturating_sub(up)];
    [kept, &[target.trim_start_matches("../")]].concat().join("/")
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn link_that_leads_nowhere_is_reported() {
        for (text, parts) in [
            ("See [`Turn`].\n\n[`Turn`]: ../turn.rs\n", &[][..]),
            ("See [`Turn`].\n\n[`Turn`]: ../other.rs\n", &["leads to no file: ../other.rs"]),
            ("An example:\n\n```\n# Ok(())\n```\n", &["show or leave out `# Ok(())`"]),
            ("Text:\n\n```yaml\n# a comment\n```\n# Heading\n", &[]),
            ("See [`Turn`].\n", &["the link [`Turn`] has no file"]),
            ("See [`Two`].\n\n[`Two`]: ../turn.rs\n", &["no item for the link [`Two`]"]),
        ] {
            let write = |repository: &mut Repository| {
                repository.write(ITEMS, "[`Turn`]: crate::Turn\n");
                repository.write("crates/prowess/src/turn.rs", "");
                repository.write("crates/prowess/src/guide/one.md", text);
            };
            broken(check, write, parts);
        }
    }
}
