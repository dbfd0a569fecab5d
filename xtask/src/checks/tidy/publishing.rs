//! Checks what a crate needs before it can be published.

use toml::{Table, Value};

use super::repository::{Package, Repository};
use crate::readmes;

/// The most keywords that a registry accepts, and the most characters of one.
const MOST_KEYWORDS: usize = 5;
const LONGEST_KEYWORD: usize = 20;

/// Each crate has a README with an example, written from its documentation, a manifest with what a
/// registry shows, and an entry in the changelog.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let crates = repository.crates();
    crates
        .flat_map(|package| {
            let mut problems = readme(package, repository);
            problems.extend(metadata(package, repository));
            problems.extend(changelog(package, repository));
            problems.extend(own_version(package, repository));
            problems
        })
        .collect()
}

fn readme(package: &Package, repository: &Repository) -> Vec<String> {
    let path = readmes::path(package);
    let Some(expected) = readmes::readme(package, repository) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    if repository.text(&path) != Some(&expected) {
        problems.push(format!("`{path}` is not up to date; write it by `cargo xtask readmes`"));
    }
    if !expected.contains("\n```") {
        let name = &package.name;
        problems.push(format!("`{name}`: begin the documentation of the crate with an example"));
    }
    problems
}

fn metadata(package: &Package, repository: &Repository) -> Vec<String> {
    let path = format!("{}/Cargo.toml", package.folder);
    let manifest = manifest(package, repository);
    let section = manifest.get("package");
    let value = |key: &str| section.and_then(|section| section.get(key));
    let mut problems = Vec::new();
    for key in ["description", "readme", "documentation"] {
        if value(key).and_then(Value::as_str).is_none_or(str::is_empty) {
            problems.push(format!("{path}: `{key}` is missing"));
        }
    }
    if value("categories").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        problems.push(format!("{path}: `categories` is missing"));
    }
    if !value("keywords").and_then(Value::as_array).is_some_and(|keywords| are_accepted(keywords)) {
        problems.push(format!(
            "{path}: write 1 to {MOST_KEYWORDS} `keywords` of at most {LONGEST_KEYWORD} characters"
        ));
    }
    problems
}

/// Returns the manifest of a crate. A broken one is reported by the check of manifests.
fn manifest(package: &Package, repository: &Repository) -> Table {
    let path = format!("{}/Cargo.toml", package.folder);
    repository.text(&path).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// The changelog is one for all crates, so its introduction names those with another version.
fn own_version(package: &Package, repository: &Repository) -> Option<String> {
    let manifest = manifest(package, repository);
    let version = manifest.get("package").and_then(|section| section.get("version"));
    version.filter(|version| version.is_str())?;
    let name = format!("`{}`", package.name);
    let changelog = repository.text("CHANGELOG.md").unwrap_or_default();
    let introduction = changelog.split("\n## ").next().unwrap_or_default();
    (!introduction.contains(&name)).then(|| {
        format!("CHANGELOG.md: say in the introduction that {name} has a version of its own")
    })
}

/// The most crates that one entry of the changelog is about: a list of names says nothing of any.
const MOST_CRATES: usize = 4;

/// Some entry of a version, and not only the introduction, is about the crate.
fn changelog(package: &Package, repository: &Repository) -> Option<String> {
    let name = format!("`{}`", package.name);
    let text = repository.text("CHANGELOG.md").unwrap_or_default();
    let versions = text.split_once("\n## ").map_or("", |(_, versions)| versions);
    let is_about = |entry: &str| {
        let crates = repository.crates();
        let named = crates.filter(|other| entry.contains(&format!("`{}`", other.name))).count();
        named <= MOST_CRATES && entry.contains(&name)
    };
    let mut entries = versions.split("\n- ").skip(1);
    (!entries.any(is_about)).then(|| format!("CHANGELOG.md: add an entry for the crate {name}"))
}

fn are_accepted(keywords: &[Value]) -> bool {
    let is_accepted = |keyword: &Value| {
        keyword.as_str().is_some_and(|text| (1..=LONGEST_KEYWORD).contains(&text.len()))
    };
    (1..=MOST_KEYWORDS).contains(&keywords.len()) && keywords.iter().all(is_accepted)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{broken, expect};
    use super::*;

    #[test]
    fn what_a_registry_needs_is_reported() {
        for line in include_str!("publishing.jsonl").lines() {
            let (path, from, to, parts): (String, String, String, Vec<String>) =
                serde_json::from_str(line).expect("a file, a change and its problems");
            let change = |repository: &mut Repository| {
                let text = repository.text(&path).expect("a file of the sample").to_owned();
                let text = if from.is_empty() { to } else { text.replace(&from, &to) };
                repository.write(&path, &text);
            };
            broken(check, change, &parts.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn version_of_its_own_is_named_in_the_changelog() {
        let mut repository = Repository::sample();
        let path = "crates/low/Cargo.toml";
        let manifest = repository.text(path).expect("it is in the sample").to_owned();
        let own = manifest.replace("version.workspace = true", "version = \"1.2.3\"");
        repository.write(path, &own);
        expect(check, &repository, &["in the introduction that `low` has a version of its own"]);
        let changelog = repository.text("CHANGELOG.md").expect("it is in the sample");
        let named = changelog.replacen('\n', "\n\nOne version, except `low`.\n", 1);
        repository.write("CHANGELOG.md", &named);
        expect(check, &repository, &[]);
    }
}
