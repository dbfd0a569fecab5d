//! Checks what each `Cargo.toml` inherits, and the test binaries.

use toml::{Table, Value};

use super::repository::{Package, Repository};

/// The keys that a package inherits from the workspace.
const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];

/// The one package whose version is not the workspace's: it is the version of the boundary to
/// plugins.
const HAS_ITS_OWN_VERSION: &str = "prowess-plugin-abi";

/// Each package takes its version, edition, licence and lints from the workspace and has one test
/// binary at most.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let packages = repository.packages.iter();
    packages
        .flat_map(|package| {
            let mut problems = inheritance(package, repository);
            problems.extend(test_binaries(package));
            problems.extend(tests_that_are_not_built(package, repository));
            problems
        })
        .collect()
}

fn inheritance(package: &Package, repository: &Repository) -> Vec<String> {
    let path = format!("{}/Cargo.toml", package.folder);
    let text = repository.text(&path).unwrap_or_default();
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![format!("{path}: {error}")],
    };
    let inherits = |value: Option<&Value>| {
        value.and_then(|value| value.get("workspace")) == Some(&Value::Boolean(true))
    };
    let section = manifest.get("package");
    let is_its_own = |key: &&&str| **key == "version" && package.name == HAS_ITS_OWN_VERSION;
    let own = INHERITED
        .iter()
        .filter(|key| !is_its_own(key))
        .filter(|key| !inherits(section.and_then(|section| section.get(**key))))
        .map(|key| format!("{path}: write `{key}.workspace = true`"));
    let lints = (!inherits(manifest.get("lints")))
        .then(|| format!("{path}: write `workspace = true` under `[lints]`"));
    own.chain(lints).collect()
}

/// Many small test binaries are linked many times; one with modules is linked once. A test that
/// takes something of the system's away from all others runs in a binary of its own.
fn test_binaries(package: &Package) -> Vec<String> {
    let [only, alone] =
        ["it", "alone"].map(|name| format!("{}/tests/{name}/main.rs", package.folder));
    let tests = package.targets.iter().filter(|target| target.kind == "test");
    tests
        .filter(|target| target.path != only && target.path != alone)
        .map(|target| format!("{}: make it a module of `{only}`", target.path))
        .collect()
}

/// Reports tests next to the code of a target with `test = false`. The program of `tests/it` may
/// include their file, or the main file of their folder, by `#[path]`; models of threads are built
/// by `cargo xtask loom`.
fn tests_that_are_not_built(package: &Package, repository: &Repository) -> Vec<String> {
    let main = |kind: &str| package.targets.iter().find(|target| target.kind == kind);
    if main("lib").or(main("bin")).is_none_or(|target| target.has_tests) {
        return Vec::new();
    }
    let source = format!("{}/src/", package.folder);
    let tests = format!("{}/tests/it/", package.folder);
    let own = repository
        .files
        .iter()
        .filter_map(|file| Some((file.path.strip_prefix(&source)?, &file.text)));
    let is_included = |path: &str| {
        let main = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/main.rs"));
        let mut lines = [Some(path.to_owned()), main].into_iter().flatten();
        lines.any(|path| {
            let line = format!("#[path = \"../../src/{path}\"]");
            let mut files = repository.files.iter().filter(|file| file.path.starts_with(&tests));
            files.any(|file| file.text.contains(&line))
        })
    };
    own.filter(|(path, text)| text.contains("#[test]") && !path.ends_with("loom_tests.rs"))
        .filter(|(path, _)| !is_included(path))
        .map(|(path, _)| format!("{source}{path}: its tests are not built; move them to `{tests}`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::expect;
    use super::*;

    #[test]
    fn manifest_inherits_from_the_workspace() {
        let inherited = "package.edition.workspace = true\npackage.license.workspace = true\n";
        let own_version = format!("package.version = \"1.0.0\"\n{inherited}");
        let lints = "lints.workspace = true\n";
        let oldest = "package.rust-version.workspace = true\n";
        let version = "package.version.workspace = true\n";
        for (name, text, parts) in [
            (
                "low",
                [&own_version, lints].concat(),
                &["`version.workspace = true`", "`rust-version.workspace = true`"][..],
            ),
            (HAS_ITS_OWN_VERSION, [&own_version, oldest, lints].concat(), &[]),
            ("low", [version, inherited, oldest].concat(), &["`workspace = true` under `[lints]`"]),
            ("low", "[package".to_owned(), &["crates/low/Cargo.toml: "]),
        ] {
            let mut repository = Repository::sample();
            repository.package("low").name = name.into();
            repository.write("crates/low/Cargo.toml", &text);
            expect(check, &repository, parts);
        }
    }

    #[test]
    fn second_test_binary_is_reported() {
        let mut repository = Repository::sample();
        repository.add_target("low", "test", "more", "crates/low/tests/more.rs");
        expect(check, &repository, &["make it a module of `crates/low/tests/it/main.rs`"]);
    }

    #[test]
    fn test_that_is_not_built_is_reported() {
        let mut repository = Repository::sample();
        repository.write("crates/low/src/bytes.rs", "#[test]\nfn it() {}\n");
        expect(check, &repository, &[]);
        repository.package("low").targets[0].has_tests = false;
        expect(check, &repository, &["crates/low/src/bytes.rs: its tests are not built"]);
        let included = "//! Tests.\n#[path = \"../../src/bytes.rs\"]\nmod bytes;\n";
        repository.write("crates/low/tests/it/main.rs", included);
        expect(check, &repository, &[]);
    }
}
