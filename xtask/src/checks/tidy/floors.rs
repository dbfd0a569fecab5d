//! The floors of ARCHITECTURE.md against the dependencies that there are.

use std::collections::BTreeMap;

use super::repository::{Dependency, Package, Repository};

/// The one neighbour that tests may use: what it holds is for them.
const TESTKIT: &str = "prowess-testkit";

pub(crate) type Floors = BTreeMap<String, u8>;

/// Each crate stands in the table and on the disk, and depends on lower floors only.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let document = repository.text("ARCHITECTURE.md").unwrap_or_default();
    let floors = floors(document);
    if floors.is_empty() {
        return vec!["ARCHITECTURE.md has no table of floors".into()];
    }
    let crates: Vec<_> = repository.crates().collect();
    let mut problems = places(repository, &crates, &floors);
    for package in crates {
        problems.extend(dependencies(package, repository, &floors));
    }
    problems
}

/// Reads the rows `| `name` | floor | …`. A name that begins with `-` replaces the end of the
/// first: `` `source-fs`, `-remote` `` are `source-fs` and `source-remote`; where the first has no
/// `-`, it is added.
pub(crate) fn floors(document: &str) -> Floors {
    let mut floors = Floors::new();
    for line in document.lines() {
        let mut cells = line.trim_start_matches('|').split('|').map(str::trim);
        let (Some(names), Some(Ok(floor))) = (cells.next(), cells.next().map(str::parse)) else {
            continue;
        };
        let mut names = names.split(',').map(|name| name.trim().trim_matches('`'));
        let first = names.next().unwrap_or_default();
        let stem = first.rsplit_once('-').map_or(first, |(stem, _)| stem);
        let others = names.map(|name| match name.starts_with('-') {
            true => format!("{stem}{name}"),
            false => name.to_owned(),
        });
        floors.insert(first.to_owned(), floor);
        floors.extend(others.map(|name| (name, floor)));
    }
    floors
}

/// The table, the disk and the workspace name the same crates.
fn places(repository: &Repository, crates: &[&Package], floors: &Floors) -> Vec<String> {
    let mut problems = Vec::new();
    for folder in &repository.crate_folders {
        if !crates.iter().any(|package| package.folder == format!("crates/{folder}")) {
            problems.push(format!("`crates/{folder}` is no package of the workspace"));
        }
    }
    for package in crates {
        let Package { name, folder, .. } = package;
        if folder.strip_prefix("crates/") != Some(name) {
            problems.push(format!("`{name}` lies in `{folder}`: a folder bears its crate's name"));
        }
        if !floors.contains_key(name) {
            problems.push(format!("`{name}` has no floor in ARCHITECTURE.md"));
        }
    }
    for name in floors.keys().filter(|name| !name.contains('*')) {
        if !crates.iter().any(|package| package.name == *name) {
            problems.push(format!("ARCHITECTURE.md has a floor for `{name}`, which is not there"));
        }
    }
    problems
}

fn dependencies(package: &Package, repository: &Repository, floors: &Floors) -> Vec<String> {
    let Some(&own) = floors.get(&package.name) else {
        return Vec::new();
    };
    let of_workspace = |dependency: &&Dependency| {
        repository.packages.iter().any(|other| other.name == dependency.name)
    };
    let dependencies = package.dependencies.iter().filter(of_workspace);
    let problem = |dependency: &Dependency| {
        let name = &dependency.name;
        let Some(&other) = floors.get(name) else {
            return Some(format!("`{}` depends on `{name}`, which has no floor", package.name));
        };
        // The tests of a crate may turn on its own features.
        let is_itself = dependency.is_dev && *name == package.name;
        (!is_itself && !is_allowed(own, other, dependency, floors)).then(|| {
            let from = &package.name;
            format!("`{from}` on floor {own} depends on `{name}` on floor {other}")
        })
    };
    dependencies.filter_map(problem).collect()
}

fn is_allowed(own: u8, other: u8, dependency: &Dependency, floors: &Floors) -> bool {
    // The top floor holds the programs: no library can depend on it, and one program may hold
    // another.
    let top = floors.values().max();
    let is_program = own == other && Some(&own) == top;
    let is_testkit = dependency.is_dev && dependency.name == TESTKIT;
    other < own || is_program || is_testkit
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn short_name_replaces_the_end_of_the_first() {
        let table = "| `a-fs`, `-embedded`, `b` | 2 | … |\n| crate | floor |\n| `c` | x |\n";
        let names: Vec<_> = floors(table).into_keys().collect();
        assert_eq!(names, ["a-embedded", "a-fs", "b"]);
    }

    #[test]
    fn dependency_on_another_floor_than_a_lower_one_is_reported() {
        for (name, on, is_dev, problem) in [
            ("left", "left-right", false, "`left` on floor 2 depends on `left-right` on floor 2"),
            ("left", "left-right", true, "`left` on floor 2 depends on `left-right` on floor 2"),
            ("low", "left", false, "`low` on floor 0 depends on `left` on floor 2"),
            ("low", "prowess-testkit", true, ""),
            ("left-right", "prowess-testkit", false, "depends on `prowess-testkit` on floor 2"),
            ("left", "left", true, ""),
            ("left", "left", false, "`left` on floor 2 depends on `left` on floor 2"),
            ("server", "clock", false, "`server` depends on `clock`, which has no floor"),
        ] {
            let parts = &[problem][..usize::from(!problem.is_empty())];
            broken(check, |repository| repository.depend(name, on, is_dev), parts);
        }
    }

    #[test]
    fn crate_is_in_the_table_and_on_the_disk() {
        let all = ["left", "left-right", "prowess-testkit", "server", "program"];
        let without_floor = all.map(|name| format!("`{name}` has no floor"));
        let table = |repository: &mut Repository| {
            repository.write("ARCHITECTURE.md", "| `low` | 0 | words |");
        };
        broken(check, table, &without_floor.each_ref().map(String::as_str));
        let no_table = |repository: &mut Repository| repository.write("ARCHITECTURE.md", "None.\n");
        broken(check, no_table, &["no table of floors"]);
        broken(
            check,
            |repository| repository.crate_folders.push("left-over".into()),
            &["`crates/left-over` is no package of the workspace"],
        );
        broken(
            check,
            |repository| repository.package("low").folder = "crates/deep".into(),
            &["`crates/low` is no package", "a folder bears its crate's name"],
        );
        broken(
            check,
            |repository| repository.packages.retain(|package| package.name != "left-right"),
            &["`crates/left-right` is no package", "a floor for `left-right`, which is not there"],
        );
    }
}
