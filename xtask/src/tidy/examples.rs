//! Each extension point has an example that fits a screen.

use super::repository::{Repository, TextFile};

/// The most lines of an example.
const MOST_LINES: usize = 60;

/// The heading of the list of extension points in ARCHITECTURE.md.
const HEADING: &str = "\n## Extension points\n";

/// The public interface of the crate that defines them.
const INTERFACE: &str = "crates/prowess-core/public-api.txt";

/// Public traits that a host does not implement: it receives or calls them.
const PROVIDED: [&str; 4] = ["ApprovalStoreExt", "KnownPackages", "ScanSink", "Session"];

/// ARCHITECTURE.md lists every trait that a host implements, and each of them is implemented by an
/// example of a screen at most.
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
    problems
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
    let examples = repository.files.iter().filter(|file| file.path.starts_with("examples/"));
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
    use super::super::tests::expect;
    use super::*;

    fn with(path: &str, text: &str, parts: &[&str]) {
        let mut repository = Repository::sample();
        repository.write(path, text);
        expect(check, &repository, parts);
    }

    #[test]
    fn missing_example_is_reported() {
        with("examples/clock/src/main.rs", "fn main() {}\n", &["60 lines in `examples`"]);
    }

    #[test]
    fn example_over_a_screen_is_reported() {
        let example = |lines| "impl Clock for Fixed {}\n".to_owned() + &"\n".repeat(lines - 1);
        with("examples/clock/src/main.rs", &example(MOST_LINES), &[]);
        with("examples/clock/src/main.rs", &example(MOST_LINES + 1), &["implements `Clock`"]);
    }

    #[test]
    fn unlisted_trait_is_reported() {
        let traits = "pub trait prowess_core::Clock: core::marker::Send\n\
                      pub trait prowess_core::ScanSink: core::marker::Send\n\
                      pub trait prowess_core::Ranker\n";
        with(INTERFACE, traits, &["add `Ranker` to the extension points"]);
    }

    #[test]
    fn document_without_the_list_is_reported() {
        let mut repository = Repository::sample();
        let text = repository.text("ARCHITECTURE.md").unwrap_or_default().replace(HEADING, "\n");
        repository.write("ARCHITECTURE.md", &text);
        expect(check, &repository, &["no list of extension points"]);
    }
}
