//! Checks the beginning of the main file of each target, and where presets are named.

use super::repository::{Package, Repository, Target};

/// The packages that may hold `unsafe`, each block with its reason.
const MAY_BE_UNSAFE: [&str; 7] = [
    "prowess-dir",
    "prowess-plugin-abi",
    "prowess-plugin-sdk",
    "prowess-plugin-host",
    "prowess-sandbox",
    "prowess-script",
    // It ships nothing, and measuring memory takes an allocator of its own.
    "benches",
];

/// Each library and program is described first, and forbids `unsafe` unless it is named here.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for package in &repository.packages {
        let is_code = |target: &&Target| target.kind != "custom-build";
        for target in package.targets.iter().filter(is_code) {
            problems.extend(target_problems(package, target, repository));
        }
    }
    problems.extend(preset_problems(repository));
    problems
}

/// Only the configuration names presets, so no other code can branch on one. A name without a
/// hyphen is a word of other things, too.
fn preset_problems(repository: &Repository) -> Vec<String> {
    let files = repository.files.iter();
    let presets = files.filter_map(|file| file.path.strip_prefix("crates/prowess/presets/"));
    let names = presets.filter(|name| name.contains('-')).map(|name| name.replace(".yaml", ""));
    let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
    let code = repository.files.iter().filter(|file| {
        file.path.starts_with("crates/")
            && file.path.contains("/src/")
            && file.path.ends_with(".rs")
            && !file.path.starts_with("crates/prowess/src/config")
            && names.iter().any(|name| file.text.contains(name))
    });
    code.map(|file| format!("{}: names a preset", file.path)).collect()
}

fn target_problems(package: &Package, target: &Target, repository: &Repository) -> Vec<String> {
    let path = &target.path;
    let text = repository.text(path).unwrap_or_default();
    let mut problems = Vec::new();
    if !text.starts_with("//! ") {
        problems.push(format!("{path}: begin with `//!` and say what it is"));
    }
    // Tests, benchmarks and examples are built with the lint of the workspace, which denies it.
    let is_shipped = !matches!(target.kind.as_str(), "test" | "bench" | "example");
    let is_free = MAY_BE_UNSAFE.contains(&package.name.as_str());
    if is_shipped && !is_free && !text.contains("\n#![forbid(unsafe_code)]\n") {
        problems.push(format!("{path}: write `#![forbid(unsafe_code)]`"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::tests::expect;
    use super::*;

    #[test]
    fn beginning_of_a_main_file_is_checked() {
        let library = "crates/low/src/lib.rs";
        let forbid = "write `#![forbid(unsafe_code)]`";
        for (package, path, text, parts) in [
            ("low", library, "mod a;\n#![forbid(unsafe_code)]\n", &["begin with `//!`"][..]),
            ("low", library, "//! Words.\n", &[forbid]),
            ("low", library, "//! Words.\n// #![forbid(unsafe_code)]\n", &[forbid]),
            ("prowess-dir", library, "//! Words.\n", &[]),
            ("low", "crates/low/tests/it/main.rs", "mod a;\n", &["it/main.rs: begin with `//!`"]),
        ] {
            let mut repository = Repository::sample();
            repository.package("low").name = package.into();
            repository.write(path, text);
            expect(check, &repository, parts);
        }
        let mut repository = Repository::sample();
        repository.write("crates/prowess/presets/few-active.yaml", "");
        repository.write("crates/low/src/more.rs", "name == \"few-active\"");
        expect(check, &repository, &["more.rs: names a preset"]);
    }
}
