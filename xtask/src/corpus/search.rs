//! Measures the search with queries whose answers are known.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Programs, json_of};
use crate::process::Failure;
use crate::root;

/// The queries: a need, a tab, and the ids of the skills that suit, with commas between them.
pub(super) const NEEDS: &str = "xtask/needs/corpus.tsv";

/// Half of the queries, and how many of them have to be answered.
struct Half {
    name: &'static str,
    /// The position of its first query.
    first: usize,
    least: Hits,
}

/// One query less than what the ranking reaches, so that a change that costs two is a failure.
const HALVES: [Half; 2] = [
    Half { name: "tuned on", first: 0, least: Hits { top_1: 83, top_5: 93 } },
    Half { name: "held back", first: 1, least: Hits { top_1: 85, top_5: 97 } },
];

/// Prints how often the right skill of a directory is first, and among the first five, and fails if
/// that is less than the limits. Weights are chosen on the odd queries alone; the even ones are
/// held back.
pub(super) fn run(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let text = std::fs::read_to_string(root().join(NEEDS))?;
    let needs: Vec<(&str, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let mut failed = Vec::new();
    for Half { name, first, least } in HALVES {
        let half: Vec<Value> = needs
            .iter()
            .skip(first)
            .step_by(2)
            .map(|(need, ids)| json!({ "query": need, "expect": ids.split(',').collect::<Vec<_>>() }))
            .collect();
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), Value::from(half).to_string())?;
        let mut command = Command::new(&programs.prowess);
        command.arg("--root").arg(directory).args(["--format", "json", "search", "--probe"]);
        let answers = json_of(command.arg(file.path()))?;
        let found = hits(&answers);
        let queries = answers["answers"].as_array().map_or(0, Vec::len);
        println!("{name}: top-1 {}, top-5 {} of {queries} queries", found.top_1, found.top_5);
        if !found.reaches(least) {
            failed.push(format!(
                "{name}: top-1 is to be at least {}, top-5 {}",
                least.top_1, least.top_5
            ));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure(failed.join("; "))) }
}

/// The number of queries for which a skill that suits is first, and among the first five.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hits {
    top_1: usize,
    top_5: usize,
}

impl Hits {
    fn reaches(self, least: Self) -> bool {
        self.top_1 >= least.top_1 && self.top_5 >= least.top_5
    }
}

fn hits(evaluation: &Value) -> Hits {
    let answers = evaluation["answers"].as_array().map_or(&[][..], Vec::as_slice);
    let is_expected = |offer: &&Value| offer["is_expected"] == true;
    let ranks = answers.iter().map(|answer| {
        let offers = answer["offers"].as_array();
        offers.and_then(|offers| offers.iter().find(is_expected)?["rank"].as_u64())
    });
    let ranks: Vec<_> = ranks.flatten().collect();
    let top_1 = ranks.iter().filter(|rank| **rank == 1).count();
    Hits { top_1, top_5: ranks.len() }
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
        assert_eq!(hits(&evaluation), Hits { top_1: 1, top_5: 2 });
    }

    #[test]
    fn fewer_hits_than_either_limit_are_too_few() {
        let least = Hits { top_1: 83, top_5: 93 };
        let fewer = [Hits { top_1: 82, ..least }, Hits { top_5: 92, ..least }];
        assert_eq!(
            [least, fewer[0], fewer[1]].map(|hits| hits.reaches(least)),
            [true, false, false]
        );
    }
}
