//! Measures the search with queries whose answers are known.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::process::{Failure, build_prowess, output};
use crate::root;

/// The queries: a need, a tab, and the ids of the skills that suit, with commas between them.
const NEEDS: &str = "xtask/needs/corpus.tsv";

/// Prints how often the right skill of a directory is first, and among the first five. Weights are
/// chosen on the odd queries alone; the even ones are held back.
pub(crate) fn run(directory: &Path) -> Result<(), Failure> {
    let text = std::fs::read_to_string(root().join(NEEDS))?;
    let needs: Vec<(&str, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let program = build_prowess()?;
    for (name, first) in [("tuned on", 0), ("held back", 1)] {
        let half: Vec<Value> = needs
            .iter()
            .skip(first)
            .step_by(2)
            .map(|(need, ids)| json!({ "query": need, "expect": ids.split(',').collect::<Vec<_>>() }))
            .collect();
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), Value::from(half).to_string())?;
        let mut command = Command::new(&program);
        command.arg("--root").arg(directory).args(["--format", "json", "probe"]).arg(file.path());
        let printed = output(&mut command)?;
        let answers: Value = serde_json::from_slice(&printed.stdout).map_err(|error| {
            let said = String::from_utf8_lossy(&printed.stderr);
            Failure(format!("`prowess probe` printed no JSON ({error}): {said}"))
        })?;
        println!("{name}: {}", hits(&answers));
    }
    Ok(())
}

/// The number of queries for which a skill that suits is first, and among the first five.
fn hits(evaluation: &Value) -> String {
    let answers = evaluation["answers"].as_array().map_or(&[][..], Vec::as_slice);
    let is_expected = |offer: &&Value| offer["is_expected"] == true;
    let ranks = answers.iter().map(|answer| {
        let offers = answer["offers"].as_array();
        offers.and_then(|offers| offers.iter().find(is_expected)?["rank"].as_u64())
    });
    let ranks: Vec<_> = ranks.flatten().collect();
    let first = ranks.iter().filter(|rank| **rank == 1).count();
    format!("top-1 {first}, top-5 {} of {} queries", ranks.len(), answers.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_counted() {
        let offer = |rank, is_expected| json!({ "rank": rank, "is_expected": is_expected });
        let evaluation = json!({ "answers": [
            { "offers": [offer(1, true)] },
            { "offers": [offer(1, false), offer(2, true)] },
            { "offers": [] },
        ] });
        assert_eq!(hits(&evaluation), "top-1 1, top-5 2 of 3 queries");
    }
}
