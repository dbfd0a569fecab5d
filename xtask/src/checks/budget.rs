//! `cargo xtask budget`: what the project may weigh, by the table in CONTRIBUTING.md.

mod crates;
mod embedded;
mod measure;
mod time;

use crate::process::Failure;
use crate::root;

/// The document with the table, and the heading above it.
const DOCUMENT: &str = "CONTRIBUTING.md";
const HEADING: &str = "\n## Budget\n";

type Row = (&'static str, fn() -> Result<f64, Failure>);

/// The rows that do not depend on the machine.
const COUNTED: [Row; 13] = [
    ("crates in the default program", crates::default_program),
    ("crates in the program with `full`", crates::full_program),
    ("crates in the smallest library", crates::smallest_library),
    ("crates of bare format, registry and files", crates::format_registry_files),
    ("crates in two versions without a reason", crates::versions_without_a_reason),
    ("lock entries", crates::lock_entries),
    ("test executables", measure::test_executables),
    ("lines of Rust", measure::lines_of_rust),
    ("KB of documents at the top", measure::documents),
    ("keys that people see", measure::common_keys),
    ("keys", measure::keys),
    ("commands at the top", measure::commands),
    ("KB of interface snapshots", measure::snapshots),
];

/// Measures each row and compares it with its limit; with `--time`, also those that depend on the
/// machine.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let with_time = match arguments {
        [] => false,
        ["--time"] => true,
        _ => return Err(Failure("`budget` takes `--time` or nothing".into())),
    };
    let text = std::fs::read_to_string(root().join(DOCUMENT))?;
    let limits = limits(&text);
    let timed = time::NAMES;
    let mut problems = strangers(&limits, COUNTED.iter().map(|(name, _)| *name).chain(timed));
    println!("{:<44} {:>9} {:>9} {:>9}", "what", "measured", "at most", "goal");
    for (name, measure) in COUNTED {
        match measure() {
            Ok(measured) => problems.extend(judge(name, measured, &limits)),
            Err(Failure(failure)) => problems.push(format!("{name}: {failure}")),
        }
    }
    if with_time {
        for (name, measured) in timed.into_iter().zip(time::measure()?) {
            problems.extend(judge(name, measured, &limits));
        }
    }
    embedded::print(with_time)?;
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure(problems.join("\n       ")))
}

#[derive(Debug, PartialEq)]
struct Limit<'d> {
    name: &'d str,
    most: f64,
    /// What the row is to become; it fails nothing.
    goal: f64,
}

fn limits(document: &str) -> Vec<Limit<'_>> {
    let section = document.split_once(HEADING).map_or("", |(_, section)| section);
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let name = cells.next()?;
        let mut number = || cells.next()?.replace(',', "").parse().ok();
        Some(Limit { name, most: number()?, goal: number()? })
    })
    .collect()
}

/// Returns the rows of the table that nothing measures.
fn strangers(
    limits: &[Limit<'_>],
    mut measured: impl Iterator<Item = &'static str> + Clone,
) -> Vec<String> {
    let names: Vec<_> = measured.by_ref().collect();
    let strangers = limits.iter().filter(|limit| !names.contains(&limit.name));
    strangers.map(|limit| format!("{DOCUMENT}: nothing measures `{}`", limit.name)).collect()
}

/// Prints a row, and returns a problem if it is over its limit or has none.
fn judge(name: &str, measured: f64, limits: &[Limit<'_>]) -> Option<String> {
    let Some(limit) = limits.iter().find(|limit| limit.name == name) else {
        return Some(format!("{DOCUMENT}: the table has no row `{name}`"));
    };
    let is_over = measured > limit.most;
    let mark = if is_over { "  over" } else { "" };
    println!("{name:<44} {measured:>9} {:>9} {:>9}{mark}", limit.most, limit.goal);
    is_over.then(|| format!("{name}: {measured}, at most {}", limit.most))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# A\n\n## Budget\n\nText.\n\n| what | at most | goal |\n|---|--:|--:|\n\
                         | lock entries | 540 | 500 |\n| lines of Rust | 205,000 | 205,000 |\n\n## Next\n\n| other | 3 |\n";

    #[test]
    fn rows_are_compared_with_the_limits_of_the_section() {
        let limits = limits(TABLE);
        let expected = [
            Limit { name: "lock entries", most: 540.0, goal: 500.0 },
            Limit { name: "lines of Rust", most: 205_000.0, goal: 205_000.0 },
        ];
        assert_eq!(limits, expected);
        assert_eq!(super::limits("# A\n"), []);
        assert_eq!(judge("lock entries", 540.0, &limits), None);
        assert!(judge("lock entries", 541.0, &limits).is_some(), "one more is too many");
        assert!(judge("keys", 1.0, &limits).is_some(), "a row without a limit is a problem");
        let problems = strangers(&limits, ["lock entries"].into_iter());
        assert_eq!(problems, ["CONTRIBUTING.md: nothing measures `lines of Rust`"]);
    }

    #[test]
    fn every_row_has_a_limit_in_the_document() {
        let text = std::fs::read_to_string(root().join(DOCUMENT)).expect("the document is there");
        let limits = limits(&text);
        for name in COUNTED.iter().map(|(name, _)| *name).chain(time::NAMES) {
            assert!(limits.iter().any(|limit| limit.name == name), "{DOCUMENT} has a row `{name}`");
        }
    }
}
