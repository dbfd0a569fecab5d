//! Which files there are, and what none of them holds.

use super::repository::{Repository, TextFile};
use crate::bench::{compare, page};

/// The folders of the top level, beside those that begin with a dot.
const FOLDERS: [&str; 6] = ["crates", "plugins", "examples", "benches", "xtask", "target"];

/// The documents of the top level.
pub(crate) const DOCUMENTS: [&str; 7] = [
    "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
    "LICENSE-MIT", "LICENSE-APACHE",
];

/// The sizes up to which somebody reads a document of the top level, in thousands of bytes.
const READ: [(&str, usize); 5] = [
    ("README.md", 7),
    ("ARCHITECTURE.md", 14),
    ("CHANGELOG.md", 6),
    ("CONTRIBUTING.md", 6),
    ("SECURITY.md", 8),
];

/// Parts of paths and hosts of a machine or a mirror. Written in two parts each, so that
/// this file passes its own check.
const FOREIGN: [&str; 8] = [
    concat!("/wo", "rk/"),
    concat!("crates.", "io"),
    concat!("npm", "js.org"),
    concat!("py", "pi.org"),
    concat!("proxy.", "golang.org"),
    concat!("ruby", "gems.org"),
    concat!("rs", "proxy.cn"),
    concat!("j", "frog.io"),
];

/// The documents are there, no other folder is, and no file names a machine's path or a registry.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut problems = documents(repository);
    problems.extend(folders(repository));
    problems.extend(measurements(repository));
    problems.extend(drawings(repository));
    // A lock file names the registry on each line, and cargo writes it.
    let is_lock = |file: &&TextFile| file.path.rsplit('/').next() == Some("Cargo.lock");
    let files = repository.files.iter().filter(|file| !is_lock(file));
    problems.extend(files.flat_map(foreign));
    problems
}

/// Numbers come from a command.
fn measurements(repository: &Repository) -> Option<String> {
    let page = repository.text(page::PATH)?;
    let problem = format!("`{}` was edited by hand; write it by `cargo xtask bench`", page::PATH);
    (!page::is_as_written(page)).then_some(problem)
}

/// The charts show the last measurements.
fn drawings(repository: &Repository) -> Vec<String> {
    let charts = compare::charts(|path| repository.text(path)).into_iter();
    let old = charts.filter(|(path, drawn)| repository.text(path) != drawn.as_deref());
    old.map(|(path, _)| {
        format!("`{path}` is not up to date; write it by `cargo xtask compare --chart`")
    })
    .collect()
}

fn documents(repository: &Repository) -> Vec<String> {
    let is_missing = |path: &&&str| repository.text(path).is_none_or(|text| text.trim().is_empty());
    let missing = DOCUMENTS.iter().filter(is_missing);
    let missing = missing.map(|path| format!("`{path}` is missing or empty"));
    let size = |path| repository.text(path).map_or(0, str::len);
    let long = READ.iter().filter(|(path, most)| size(path) > most * 1_000);
    let long = long.map(|(path, most)| format!("`{path}` has more than {most} KB"));
    missing.chain(long).collect()
}

fn folders(repository: &Repository) -> Vec<String> {
    let is_foreign =
        |folder: &&String| !folder.starts_with('.') && !FOLDERS.contains(&folder.as_str());
    let foreign = repository.folders.iter().filter(is_foreign);
    foreign.map(|folder| format!("the folder `{folder}` has no place at the top")).collect()
}

fn foreign(file: &TextFile) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        if let Some(found) = FOREIGN.iter().find(|foreign| line.contains(**foreign)) {
            problems.push(format!("{}:{number}: `{found}` has no place in a file", file.path));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn file_out_of_order_is_reported() {
        for (path, text, parts) in [
            ("SECURITY.md", "\n", &["`SECURITY.md` is missing"][..]),
            ("README.md", &"word\n".repeat(1_401), &["`README.md` has more than 7 KB"]),
            (page::PATH, "fast\n", &["`benches/README.md` was edited by hand"]),
            (
                compare::PAGE,
                "| `prowess` | crate | 1 | 7 | 4.00 |\n",
                &["chart.svg` is not up to date"],
            ),
            ("Cargo.lock", FOREIGN[1], &[]),
            ("crates/low/fuzz/Cargo.lock", FOREIGN[1], &[]),
            ("NotCargo.lock", FOREIGN[1], &["NotCargo.lock:1: "]),
        ] {
            broken(check, |repository| repository.write(path, text), parts);
        }
        for foreign in FOREIGN {
            let text = format!("a\nb {foreign}x\n");
            broken(check, |repository| repository.write("README.md", &text), &["README.md:2: "]);
        }
        let folder = |repository: &mut Repository| repository.folders.push("scripts".into());
        broken(check, folder, &["the folder `scripts`"]);
    }
}
