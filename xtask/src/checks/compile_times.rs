//! `cargo xtask compile-times`: the crates that took longest to compile.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::process::{Failure, built_in};

/// The folder of the reports that cargo writes with `--timings`, in its output.
const REPORTS: &str = "cargo-timings";

/// The number of crates that are shown.
const SHOWN: usize = 10;

/// Prints the slowest crates of all reports that are there. The time of a crate is the sum of its
/// library, its build script, and its programs and tests.
pub(crate) fn run() -> Result<(), Failure> {
    let mut seconds = BTreeMap::new();
    for entry in std::fs::read_dir(built_in(REPORTS)?)? {
        let path = entry?.path();
        // The last report is there twice: `cargo-timing.html` has no time in its name.
        if path.to_string_lossy().contains("cargo-timing-") {
            add(&std::fs::read_to_string(path)?, &mut seconds)?;
        }
    }
    let mut crates: Vec<_> = seconds.into_iter().collect();
    crates.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    for (name, seconds) in crates.iter().take(SHOWN) {
        println!("{seconds:.0} s  {name}");
    }
    Ok(())
}

/// Adds the times of a report, which are a list in the script of a page.
fn add(report: &str, seconds: &mut BTreeMap<String, f64>) -> Result<(), Failure> {
    let units = report.split_once("UNIT_DATA = ").and_then(|(_, rest)| rest.split_once("];\n"));
    let (units, _) = units.ok_or_else(|| Failure("a report of cargo has no times".into()))?;
    let units: Vec<Value> = serde_json::from_str(&format!("{units}]"))?;
    for unit in units {
        let name = unit["name"].as_str().unwrap_or_default();
        *seconds.entry(name.to_owned()).or_default() += unit["duration"].as_f64().unwrap_or(0.0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_by_crate() {
        let report = "<script>\nDURATION = 4;\nconst UNIT_DATA = [\n  {\"name\": \"a\", \"duration\": 1.5, \
                      \"features\": []},\n  {\"name\": \"a\", \"duration\": 2.0}\n];\nconst OTHER = [\n];\n";
        let mut seconds = BTreeMap::new();
        add(report, &mut seconds).expect("it is a report");
        assert_eq!(seconds, BTreeMap::from([("a".to_owned(), 3.5)]));
        assert!(add("<script></script>", &mut seconds).is_err());
    }
}
