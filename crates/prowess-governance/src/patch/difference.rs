//! The difference of two states of a package, as a diff that can be read again.

use std::collections::BTreeSet;

use prowess_core::{PackageFile, PackageFiles};
use similar::TextDiff;

/// Returns the difference of two states of a package as a unified diff, with three lines around
/// each change and the headers of git. Files that are not text are named.
pub fn package_diff(before: &PackageFiles, after: &PackageFiles) -> String {
    let mut diff = String::new();
    let mut moved = BTreeSet::new();
    let is_gone = |path: &str| !after.contains_key(path);
    for (path, new) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
        let is_from = |(old, file): &(&String, &PackageFile)| {
            is_gone(old) && !moved.contains(*old) && *file == new && !new.content.is_empty()
        };
        if let Some((old, _)) = before.iter().find(is_from) {
            moved.extend([old, path]);
            diff += &format!("diff --git a/{old} b/{path}\nsimilarity index 100%\n");
            diff += &format!("rename from {old}\nrename to {path}\n");
        }
    }
    let paths: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    for path in paths.difference(&moved) {
        push_file(&mut diff, path, before.get(*path), after.get(*path));
    }
    diff
}

fn push_file(diff: &mut String, path: &str, old: Option<&PackageFile>, new: Option<&PackageFile>) {
    if old == new {
        return;
    }
    let name = |mark: &str, file: Option<&PackageFile>| match file {
        Some(_) => format!("{mark}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (old_name, new_name) = (name("a", old), name("b", new));
    let lines = match [old, new].map(text) {
        [Some(old), Some(new)] => TextDiff::from_lines(&*old, &*new)
            .unified_diff()
            .header(&old_name, &new_name)
            .to_string(),
        _ => format!("Binary files {old_name} and {new_name} differ\n"),
    };
    let mode = |file: &PackageFile| if file.is_executable { "100755" } else { "100644" };
    let modes = match (old, new) {
        (Some(old), None) => format!("deleted file mode {}\n", mode(old)),
        (None, Some(new)) if new.is_executable || lines.is_empty() => {
            format!("new file mode {}\n", mode(new))
        }
        (Some(old), Some(new)) if old.is_executable != new.is_executable => {
            format!("old mode {}\nnew mode {}\n", mode(old), mode(new))
        }
        _ => String::new(),
    };
    // The header of another file may have no lines, and end only where the next begins.
    if !modes.is_empty() || !diff.is_empty() {
        *diff += &format!("diff --git a/{path} b/{path}\n{modes}");
    }
    *diff += &lines;
}

/// Returns a file as text with line breaks of one kind; empty if there is none.
fn text(file: Option<&PackageFile>) -> Option<String> {
    let Some(file) = file else { return Some(String::new()) };
    str::from_utf8(&file.content).ok().map(|text| text.replace("\r\n", "\n"))
}
