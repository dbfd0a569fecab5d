//! The sum of the results of all test executables.

use super::pool::Finished;
use crate::process::{Failure, fail_for};

#[derive(Debug, Default)]
pub(super) struct Outcome {
    passed: u64,
    failed: u64,
    pub(super) left_out: u64,
    /// The executables that failed.
    failures: Vec<String>,
}

impl Outcome {
    /// Adds the results of an executable: its lines `test result: ok. 3 passed; 0 failed; …`.
    pub(super) fn add(&mut self, name: &str, finished: &Finished) {
        for line in finished.output.lines().filter(|line| line.starts_with("test result: ")) {
            self.passed += count(line, "passed");
            self.failed += count(line, "failed");
            self.left_out += count(line, "filtered");
        }
        if !finished.is_success {
            self.failures.push(name.to_owned());
        }
    }

    pub(super) fn summary(&self) -> String {
        let failed =
            if self.failed == 0 { String::new() } else { format!(", {} failed", self.failed) };
        format!("\n{} tests passed{failed}", self.passed)
    }

    /// Returns a failure with the names of the executables that failed.
    pub(super) fn result(&self) -> Result<(), Failure> {
        fail_for("tests failed", &self.failures)
    }
}

/// Returns the number in front of a word.
fn count(line: &str, word: &str) -> u64 {
    let mut words = line.split_whitespace().map(|word| word.trim_end_matches(';'));
    let mut before = "";
    for next in words.by_ref() {
        if next == word {
            return before.parse().unwrap_or_default();
        }
        before = next;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(output: &str, is_success: bool) -> Finished {
        Finished { output: output.to_owned(), is_success }
    }

    #[test]
    fn results_are_summed() {
        let mut outcome = Outcome::default();
        let line = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.1s\n";
        outcome.add("one", &finished(&format!("test a ... ok\n{line}{line}"), true));
        assert_eq!((outcome.passed, outcome.failed, outcome.left_out), (6, 0, 4));
        assert!(outcome.result().is_ok(), "nothing failed");
    }

    #[test]
    fn executable_that_ends_without_a_result_is_a_failure() {
        let mut outcome = Outcome::default();
        outcome.add("one", &finished("", true));
        outcome.add("two", &finished("thread panicked\n", false));
        let Failure(failure) = outcome.result().expect_err("it was killed");
        assert_eq!(failure, "tests failed: two");
    }
}
