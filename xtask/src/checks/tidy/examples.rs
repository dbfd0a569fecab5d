//! Each extension point has an example that fits a screen, and a test runs it.

use super::repository::{Package, Repository, Target, TextFile};

/// The most lines of an example.
const MOST_LINES: usize = 60;

/// The heading of the list of extension points in ARCHITECTURE.md.
const HEADING: &str = "\n## Extension points\n";

const INTERFACE: &str = "crates/prowess-core/public-api.txt";

/// The attributes of a test.
const TESTS: [&str; 2] = ["#[test]", "#[tokio::test"];

/// Public traits that a host does not implement: it receives or calls them.
const PROVIDED: [&str; 4] = ["ApprovalStoreExt", "KnownPackages", "ScanSink", "Session"];

/// ARCHITECTURE.md lists every trait that a host implements, and each of them is implemented by an
/// example of a screen at most. Each example has a test.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let document = repository.text("ARCHITECTURE.md").unwrap_or_default();
    let points = extension_points(document);
    if points.is_empty() {
        return vec!["ARCHITECTURE.md has no list of extension points".into()];
    }
    let mut problems = unlisted(repository, &points);
    let without = points.iter().filter(|point| !has_example(repository, point));
    problems.extend(without.map(|point| {
        format!("no example of at most {MOST_LINES} lines in `examples` implements `{point}`")
    }));
    problems.extend(untested(repository));
    problems
}

fn packages(repository: &Repository) -> impl Iterator<Item = &Package> {
    repository.packages.iter().filter(|package| package.folder.starts_with("examples/"))
}

/// Reports each program without a test. One of several programs of a package is run by name; the
/// only one may have its tests next to its code.
fn untested(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages(repository) {
        let programs = package.targets.iter().filter(|target| target.kind == "bin");
        let untested = programs.filter(|program| !has_test(repository, package, program));
        problems.extend(untested.map(|Target { name, path, .. }| {
            format!("{path}: run it by a test of `{}`, as `CARGO_BIN_EXE_{name}`", package.folder)
        }));
    }
    problems
}

fn has_test(repository: &Repository, package: &Package, program: &Target) -> bool {
    let runs = format!("\"CARGO_BIN_EXE_{}\"", program.name);
    let tests = format!("{}/tests/", package.folder);
    repository.files.iter().any(|file| {
        let is_own = is_of(file, program) && TESTS.iter().any(|mark| file.text.contains(mark));
        is_own || (file.path.starts_with(&tests) && file.text.contains(&runs))
    })
}

/// Returns whether a target is built from a file, as its main file or as a module of it.
fn is_of(file: &TextFile, target: &Target) -> bool {
    let modules =
        target.path.strip_suffix("main.rs").or_else(|| target.path.strip_suffix("lib.rs"));
    let is_module = |folder: &str| {
        let rest = file.path.strip_prefix(folder);
        rest.is_some_and(|rest| rest.ends_with(".rs") && !rest.starts_with("bin/"))
    };
    file.path == target.path || modules.is_some_and(is_module)
}

/// Reads the names in backticks of the first sentence below the heading, without those that are
/// provided and without paths.
fn extension_points(document: &str) -> Vec<&str> {
    let section = document.split_once(HEADING).map_or("", |(_, section)| section);
    let sentence = section.split_once(". ").map_or(section, |(sentence, _)| sentence);
    let names = sentence.split('`').skip(1).step_by(2);
    names
        .filter(|name| name.starts_with(|first: char| first.is_ascii_uppercase()))
        .filter(|name| !PROVIDED.contains(name))
        .collect()
}

fn unlisted(repository: &Repository, points: &[&str]) -> Vec<String> {
    let interface = repository.text(INTERFACE).unwrap_or_default();
    let traits = interface.lines().filter_map(|line| line.strip_prefix("pub trait prowess_core::"));
    traits
        .map(|rest| rest.split(':').next().unwrap_or(rest))
        .filter(|name| !points.contains(name) && !PROVIDED.contains(name))
        .map(|name| format!("ARCHITECTURE.md: add `{name}` to the extension points"))
        .collect()
}

fn has_example(repository: &Repository, point: &str) -> bool {
    let targets: Vec<_> = packages(repository).flat_map(|package| &package.targets).collect();
    let is_built = |file: &&TextFile| targets.iter().any(|target| is_of(file, target));
    let examples = repository.files.iter().filter(is_built);
    examples
        .filter(|file| file.text.lines().count() <= MOST_LINES)
        .any(|file| implements(file, point))
}

fn implements(file: &TextFile, point: &str) -> bool {
    let implementation = format!(" {point} for ");
    file.text.lines().any(|line| line.starts_with("impl") && line.contains(&implementation))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{broken, expect};
    use super::*;

    const CLOCK: &str = "examples/clock/src/main.rs";

    #[test]
    fn extension_point_has_an_example_of_a_screen() {
        let example =
            |lines| "#[test]\nimpl Clock for Fixed {}\n".to_owned() + &"\n".repeat(lines - 2);
        let traits = "pub trait prowess_core::Clock: core::marker::Send\n\
                      pub trait prowess_core::ScanSink: core::marker::Send\n\
                      pub trait prowess_core::Ranker\n";
        for (path, text, parts) in [
            (CLOCK, "#[test]\nfn it() {}\n", &["60 lines in `examples` implements `Clock`"][..]),
            (CLOCK, &example(MOST_LINES), &[]),
            (CLOCK, &example(MOST_LINES + 1), &["implements `Clock`"]),
            (INTERFACE, traits, &["add `Ranker` to the extension points"]),
            ("ARCHITECTURE.md", "# Floors\n", &["no list of extension points"]),
        ] {
            broken(check, |repository| repository.write(path, text), parts);
        }
    }

    #[test]
    fn file_that_no_target_includes_is_no_example() {
        let mut repository = Repository::sample();
        let text = repository.text(CLOCK).unwrap_or_default().to_owned();
        repository.write(CLOCK, "#[test]\nfn it_runs() {}\n");
        repository.write("examples/clock/notes.rs", &text);
        expect(check, &repository, &["implements `Clock`"]);
        repository.write("examples/clock/src/fixed.rs", &text);
        expect(check, &repository, &[]);
    }

    #[test]
    fn example_that_no_test_runs_is_reported() {
        let path = "examples/clock/src/bin/noon.rs";
        let mut repository = Repository::sample();
        repository.write(path, "impl Clock for Noon {}\n");
        repository.add_target("clock", "bin", "noon", path);
        let problem = "noon.rs: run it by a test of `examples/clock`, as `CARGO_BIN_EXE_noon`";
        expect(check, &repository, &[problem]);
        let test = "fn it() { run(env!(\"CARGO_BIN_EXE_noon\")) }\n";
        repository.write("examples/clock/tests/it/main.rs", test);
        expect(check, &repository, &[]);
    }
}
