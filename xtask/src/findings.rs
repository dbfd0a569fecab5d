//! Counts the findings of the checker on a real tree.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::process::{Failure, build_prowess, output};

/// Prints the number of valid packages and of the findings of each code.
pub(crate) fn run(directory: &Path) -> Result<(), Failure> {
    let mut command = Command::new(build_prowess()?);
    command.arg("validate").arg(directory).args(["--hints", "--format", "json"]);
    let printed = output(&mut command)?;
    let checked: Value = serde_json::from_slice(&printed.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&printed.stderr);
        Failure(format!("`prowess validate` printed no JSON ({error}): {said}"))
    })?;
    print!("{}", table(&checked));
    Ok(())
}

/// The counts, one code on a line, the most frequent first.
fn table(checked: &Value) -> String {
    let summary = &checked["summary"];
    let mut text = format!("{} of {} packages are valid\n", summary["valid"], summary["packages"]);
    let packages = checked["packages"].as_array().into_iter().flatten();
    let found = packages.filter_map(|package| package["diagnostics"].as_array()).flatten();
    let mut counts: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    for found in found {
        let key = ["severity", "code"].map(|key| found[key].as_str().unwrap_or_default());
        *counts.entry(key).or_default() += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for ([severity, code], count) in rows {
        text.push_str(&format!("{count:>6}  {severity:<8}{code}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn findings_are_counted_by_code() {
        let found = |severity, code| json!({ "severity": severity, "code": code });
        let checked = json!({
            "summary": { "valid": 1, "packages": 2 },
            "packages": [
                { "diagnostics": [found("hint", "body-no-when"), found("error", "name-invalid")] },
                { "diagnostics": [found("hint", "body-no-when")] },
            ],
        });
        let expected = "1 of 2 packages are valid\n     2  hint    body-no-when\n     1  error   name-invalid\n";
        assert_eq!(table(&checked), expected);
    }
}
