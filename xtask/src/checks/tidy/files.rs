//! Which files there are, and what none of them holds.

use super::repository::{Repository, TextFile};
use crate::bench::compare::chart;
use crate::bench::page;

/// The folders of the top level, beside those that begin with a dot.
const FOLDERS: [&str; 6] = ["crates", "plugins", "examples", "benches", "xtask", "target"];

/// The documents of the top level.
pub(crate) const DOCUMENTS: [&str; 7] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
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
    problems.extend(drawing(repository));
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

/// The chart shows the last comparison.
fn drawing(repository: &Repository) -> Option<String> {
    let drawn = chart::chart(repository.text(chart::PAGE)?);
    (repository.text(chart::CHART) != drawn.as_deref()).then(|| {
        format!("`{}` is not up to date; write it by `cargo xtask compare --chart`", chart::CHART)
    })
}

fn documents(repository: &Repository) -> Vec<String> {
    let is_missing = |path: &&&str| repository.text(path).is_none_or(|text| text.trim().is_empty());
    let missing = DOCUMENTS.iter().filter(is_missing);
    missing.map(|path| format!("`{path}` is missing or empty")).collect()
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
    use super::super::tests::expect;
    use super::*;

    fn broken(breakage: impl FnOnce(&mut Repository), parts: &[&str]) {
        let mut repository = Repository::sample();
        breakage(&mut repository);
        expect(check, &repository, parts);
    }

    #[test]
    fn a_missing_or_empty_document_is_reported() {
        broken(
            |repository| repository.files.retain(|file| file.path != "LICENSE-MIT"),
            &["`LICENSE-MIT` is missing"],
        );
        broken(|repository| repository.write("SECURITY.md", "\n"), &["`SECURITY.md` is missing"]);
    }

    #[test]
    fn an_edited_page_of_measurements_is_reported() {
        let edited = |repository: &mut Repository| repository.write(page::PATH, "fast\n");
        broken(edited, &["`benches/README.md` was edited by hand"]);
    }

    #[test]
    fn chart_of_an_earlier_comparison_is_reported() {
        let page = |repository: &mut Repository| {
            repository.write(chart::PAGE, "| `prowess` | crate | 1 | 7 | 4.00 |\n");
        };
        broken(page, &["`benches/chart.svg` is not up to date"]);
    }

    #[test]
    fn another_folder_is_reported() {
        broken(|repository| repository.folders.push("scripts".into()), &["the folder `scripts`"]);
    }

    #[test]
    fn a_machine_s_path_and_a_registry_are_reported() {
        for foreign in FOREIGN {
            broken(
                |repository| repository.write("README.md", &format!("a\nb {foreign}x\n")),
                &["README.md:2: "],
            );
        }
        for lock in ["Cargo.lock", "crates/low/fuzz/Cargo.lock"] {
            broken(|repository| repository.write(lock, FOREIGN[1]), &[]);
        }
        let parts = ["NotCargo.lock:1: "];
        broken(|repository| repository.write("NotCargo.lock", FOREIGN[1]), &parts);
    }
}
