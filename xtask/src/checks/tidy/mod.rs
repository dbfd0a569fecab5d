//! Checks that the compiler does not make: the floors, the manifests, the documents and the files.
//!
//! The repository is read once into values; each check is a function of those values, with a test
//! that shows it fail.

mod dependencies;
mod encoders;
mod examples;
mod files;
pub(crate) mod floors;
mod manifests;
mod programs;
mod publishing;
pub(crate) mod repository;
mod sources;

use super::{circles, prose};
use crate::process::Failure;
use repository::Repository;

/// A check gives a sentence for each thing that is wrong.
type Check = fn(&Repository) -> Vec<String>;

const CHECKS: [(&str, Check); 9] = [
    ("dependencies", dependencies::check),
    ("encoders", encoders::check),
    ("examples", examples::check),
    ("floors", floors::check),
    ("manifests", manifests::check),
    ("programs", programs::check),
    ("publishing", publishing::check),
    ("sources", sources::check),
    ("files", files::check),
];

/// Runs every check, those of code and wording too, and prints every problem.
pub(crate) fn run() -> Result<(), Failure> {
    let results = [check_repository(), circles::run(), prose::run()];
    let failures = results.into_iter().filter_map(Result::err).map(|Failure(failure)| failure);
    let failures: Vec<String> = failures.collect();
    if failures.is_empty() { Ok(()) } else { Err(Failure(failures.join("; "))) }
}

fn check_repository() -> Result<(), Failure> {
    let repository = Repository::read(&crate::root())?;
    let mut problems = 0;
    for (name, check) in CHECKS {
        for problem in check(&repository) {
            eprintln!("tidy: {name}: {problem}");
            problems += 1;
        }
    }
    match problems {
        0 => {
            let (packages, files) = (repository.packages.len(), repository.files.len());
            println!("tidy: {packages} packages and {files} files are in order");
            Ok(())
        }
        1 => Err(Failure("the repository is not tidy: 1 problem".into())),
        _ => Err(Failure(format!("the repository is not tidy: {problems} problems"))),
    }
}

#[cfg(test)]
mod tests {
    use super::repository::Repository;
    use super::*;

    /// Runs one check on a repository and compares what it says, problem by problem, with parts of
    /// sentences.
    pub(super) fn expect(check: Check, repository: &Repository, parts: &[&str]) {
        let problems = check(repository);
        assert_eq!(problems.len(), parts.len(), "{parts:?} expected: {problems:#?}");
        for (problem, part) in problems.iter().zip(parts) {
            assert!(problem.contains(part), "{part:?} is in {problem:?}");
        }
    }

    #[test]
    fn a_repository_in_order_passes_every_check() {
        for (name, check) in CHECKS {
            let problems = check(&Repository::sample());
            assert!(problems.is_empty(), "{name}: {problems:?}");
        }
    }
}
