//! Checks that the compiler does not make: the floors, the manifests, the documents, the files, the
//! circles between them, sleeping tests and the wording.
//!
//! The repository is read once into values; each check is a function of those values, with a test
//! that shows it fail.

mod dependencies;
mod encoders;
mod examples;
mod files;
pub(crate) mod floors;
mod guides;
mod manifests;
mod programs;
mod proofs;
mod publishing;
pub(crate) mod repository;
mod sleeps;
mod sources;

use super::{circles, prose};
use crate::process::Failure;
use repository::Repository;

/// A check gives a sentence for each thing that is wrong.
type Check = fn(&Repository) -> Vec<String>;

const CHECKS: [(&str, Check); 14] = [
    ("circles", circles::check),
    ("dependencies", dependencies::check),
    ("encoders", encoders::check),
    ("examples", examples::check),
    ("floors", floors::check),
    ("guides", guides::check),
    ("manifests", manifests::check),
    ("programs", programs::check),
    ("proofs", proofs::check),
    ("publishing", publishing::check),
    ("sleeps", sleeps::check),
    ("sources", sources::check),
    ("files", files::check),
    ("prose", prose::check),
];

pub(crate) fn run() -> Result<(), Failure> {
    let repository = Repository::read(&crate::root())?;
    let mut problems = 0;
    for (name, check) in CHECKS {
        for problem in check(&repository) {
            eprintln!("tidy: {name}: {problem}");
            problems += 1;
        }
    }
    if problems == 0 {
        let (packages, files) = (repository.packages.len(), repository.files.len());
        println!("tidy: {packages} packages and {files} files are in order");
        return Ok(());
    }
    Err(Failure(format!("the repository is not tidy; number of problems: {problems}")))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::repository::Repository;
    use super::*;

    /// Runs one check on a repository and compares what it says, problem by problem, with parts of
    /// sentences.
    #[track_caller]
    pub(crate) fn expect(check: Check, repository: &Repository, parts: &[&str]) {
        let problems = check(repository);
        assert_eq!(problems.len(), parts.len(), "{parts:?} expected: {problems:#?}");
        for (problem, part) in problems.iter().zip(parts) {
            assert!(problem.contains(part), "{part:?} is in {problem:?}");
        }
    }

    /// As [`expect`], for the sample with this breakage.
    #[track_caller]
    pub(super) fn broken(check: Check, breakage: impl FnOnce(&mut Repository), parts: &[&str]) {
        let mut repository = Repository::sample();
        breakage(&mut repository);
        expect(check, &repository, parts);
    }

    #[test]
    fn repository_in_order_passes_every_check() {
        for (name, check) in CHECKS {
            let problems = check(&Repository::sample());
            assert!(problems.is_empty(), "{name}: {problems:?}");
        }
    }
}
