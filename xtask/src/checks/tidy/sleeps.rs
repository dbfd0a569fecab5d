//! No test sleeps.

use super::repository::{Repository, TextFile};

/// The calls that put a thread or a task to sleep.
const SIGNS: [&str; 2] = ["thread::sleep", "time::sleep"];

/// Files with tests that may sleep: this one has the list of calls.
const ALLOWED: [&str; 1] = ["xtask/src/checks/tidy/sleeps.rs"];

/// A test that sleeps is slow on each machine, and fails on a slow one: it injects the clock, or
/// waits for the event.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let files = repository.files.iter().filter(|file| !ALLOWED.contains(&file.path.as_str()));
    files.flat_map(problems).collect()
}

fn problems(file: &TextFile) -> Vec<String> {
    let mut problems = Vec::new();
    let start = start_of_tests(file);
    for (line, number) in file.text.lines().zip(1..).skip(start.unwrap_or(usize::MAX)) {
        let is_code = !line.trim_start().starts_with("//");
        if is_code && SIGNS.iter().any(|sign| line.contains(sign)) {
            problems.push(format!(
                "{}:{number}: a test does not sleep; inject the clock or wait for the event",
                file.path
            ));
        }
    }
    problems
}

/// Returns the number of lines above the tests of a file, if it has tests.
fn start_of_tests(file: &TextFile) -> Option<usize> {
    let path = file.path.strip_suffix(".rs")?;
    if path.contains("/tests/") || path.ends_with("tests") {
        return Some(0);
    }
    let (above, _) = file.text.split_once("#[cfg(test)]\nmod ")?;
    Some(above.lines().count())
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn test_that_sleeps_is_reported() {
        let sleep = "fn f() {\n    std::thread::sleep(LONG);\n}\n";
        let task =
            "fn f() {\n    // thread::sleep(LONG);\n    tokio::time::sleep(LONG).await;\n}\n";
        let tests = format!("{sleep}\n#[cfg(test)]\nmod tests {{\n    {sleep}}}\n");
        for (path, text, parts) in [
            ("crates/low/tests/it/a.rs", sleep, &["crates/low/tests/it/a.rs:2: "][..]),
            ("crates/low/tests/it/a.rs", task, &["a.rs:3: "]),
            ("crates/low/src/a/tests.rs", sleep, &["tests.rs:2: "]),
            ("crates/low/src/a.rs", &tests, &["a.rs:8: "]),
            ("crates/low/src/a.rs", sleep, &[]),
            (ALLOWED[0], &tests, &[]),
        ] {
            broken(check, |repository| repository.write(path, text), parts);
        }
    }
}
