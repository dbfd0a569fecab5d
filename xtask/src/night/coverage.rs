//! `cargo xtask coverage`: the lines of each library that the tests run.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::checks::tidy::repository::Repository;
use crate::process::{Failure, cargo_with, output, run as run_program, succeed};
use crate::root;
use crate::selection::{Selection, TEST_THREADS};

/// The least share of lines, in percent, that tests must run in each library.
const LEAST: f64 = 85.0;

/// The program that passes the compiler's flags, and reads what instrumented programs write.
const TOOL: &str = "cargo-llvm-cov";

const VERSION: &str = "0.9.0";

/// The directory of the instrumented build, from the top of the repository.
const TARGET: &str = "target/coverage";

/// Files, from `crates`, whose code runs in confined processes alone. These may write no file, so
/// what they run cannot be counted; other processes test that it ran.
const CONFINED: [&str; 6] = [
    "prowess-sandbox/src/stage",
    "prowess-sandbox/src/stage.rs",
    "prowess-plugin-host/src/check/probe.rs",
    "prowess-plugin-host/src/check/recorder.rs",
    "prowess-plugin-host/src/check/rules",
    "prowess-plugin-host/src/check/serve.rs",
];

/// Runs the tests with instrumentation, and prints the share of lines that they run in each
/// library. Fails if it is too low in one.
///
/// A failed test is no failure here: instrumentation adds variables and output to processes.
pub(crate) fn run() -> Result<(), Failure> {
    let tool = Tool::install()?;
    let variables = tool.variables()?;
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    // Tests start the programs, and open the examples that are plugins.
    let build = ["build", "--lib", "--bins", "--examples"];
    cargo_with(&variables, Selection::Full.cargo(&build))?;
    let test = ["test", "--tests", "--no-fail-fast"];
    if let Err(failure) = cargo_with(&variables, Selection::Full.cargo(&test)) {
        eprintln!("warning: {failure}; the lines that ran are counted all the same");
    }
    judge(&sums(&tool.report(&variables)?)?)
}

/// A library by its name, with its number of lines and how many of them ran.
type Sum = (String, [f64; 2]);

/// Returns the sums of the libraries in a report, the lowest share first.
fn sums(report: &Value) -> Result<Vec<Sum>, Failure> {
    let repository = Repository::read(&root())?;
    let mut sums = Vec::new();
    for package in repository.crates().filter(|package| package.is_library()) {
        let sources = format!("{}/src/", root().join(&package.folder).display());
        let mut sum = [0.0; 2];
        for file in report["data"][0]["files"].as_array().into_iter().flatten() {
            let name = file["filename"].as_str().unwrap_or_default();
            if name.starts_with(&sources) && !CONFINED.iter().any(|path| name.contains(path)) {
                for (sum, key) in sum.iter_mut().zip(["count", "covered"]) {
                    *sum += file["summary"]["lines"][key].as_f64().unwrap_or_default();
                }
            }
        }
        sums.push((package.name.clone(), sum));
    }
    sums.sort_by(|(_, one), (_, other)| percent(*one).total_cmp(&percent(*other)));
    Ok(sums)
}

/// Returns the share that ran; of nothing, nothing ran.
fn percent([all, run]: [f64; 2]) -> f64 {
    100.0 * run / all.max(1.0)
}

fn judge(sums: &[Sum]) -> Result<(), Failure> {
    for (name, sum) in sums {
        println!("{:>6.1} %  {:>5} of {:>5}  {name}", percent(*sum), sum[1], sum[0]);
    }
    let low = sums.iter().filter(|(_, sum)| percent(*sum) < LEAST);
    let low: Vec<&str> = low.map(|(name, _)| name.as_str()).collect();
    if low.is_empty() {
        return Ok(());
    }
    Err(Failure(format!("tests run less than {LEAST} % of the lines of {}", low.join(", "))))
}

struct Tool(PathBuf);

impl Tool {
    /// Installs the tool below `target`, once.
    fn install() -> Result<Self, Failure> {
        let place = root().join("target/tools");
        let package = format!("{TOOL}@{VERSION}");
        let mut install = Command::new("cargo");
        install.args(["install", "--quiet", "--locked", &package, "--root"]).arg(&place);
        run_program(&mut install)?;
        Ok(Self(place.join("bin").join(format!("{TOOL}{}", std::env::consts::EXE_SUFFIX))))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.0);
        command.arg("llvm-cov").args(arguments).current_dir(root());
        command
    }

    /// Returns the variables for cargo, with which the crates of the workspace are instrumented.
    fn variables(&self) -> Result<Vec<(String, String)>, Failure> {
        let target = root().join(TARGET);
        let built = target.join("debug").display().to_string();
        let mut variables = llvm_tools()?;
        variables.push(("CARGO_TARGET_DIR".into(), target.display().to_string()));
        let mut command = self.command(&["show-env", "--no-cfg-coverage"]);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        // Thousands of runs of the program write into a few files, which they lock.
        command.env("LLVM_PROFILE_FILE_NAME", "prowess-%8m.profraw");
        let printed = succeed(&mut command)?;
        // The lines are `NAME=value`, as a shell quotes them.
        for (name, value) in
            String::from_utf8_lossy(&printed).lines().filter_map(|it| it.split_once('='))
        {
            variables.push((name.to_owned(), value.trim_matches('\'').to_owned()));
        }
        variables.push(("PROWESS_TEST_PLUGINS".into(), built));
        variables.push(("RUST_TEST_THREADS".into(), TEST_THREADS.into()));
        Ok(variables)
    }

    /// Returns the report. A process that was killed while it wrote does not prevent it.
    fn report(&self, variables: &[(&str, &str)]) -> Result<Value, Failure> {
        let report = ["report", "--json", "--summary-only", "--failure-mode", "all"];
        let printed = succeed(self.command(&report).envs(variables.iter().copied()))?;
        Ok(serde_json::from_slice(&printed)?)
    }
}

/// Returns variables with the paths of LLVM's tools, where the toolchain does not have them itself:
/// the system's tools of the same major version read the same files.
fn llvm_tools() -> Result<Vec<(String, String)>, Failure> {
    let bundled = succeed(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let bundled = PathBuf::from(String::from_utf8_lossy(&bundled).trim());
    if bundled.with_file_name("bin").join("llvm-cov").exists()
        || std::env::var_os("LLVM_COV").is_some()
    {
        return Ok(Vec::new());
    }
    let version = succeed(Command::new("rustc").arg("-vV"))?;
    let version = String::from_utf8_lossy(&version).into_owned();
    let major = version.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let major = major.and_then(|version| version.split('.').next());
    let major = major.ok_or_else(|| Failure("`rustc -vV` names no version of LLVM".into()))?;
    let tool = |variable: &str, name: &str| {
        let path = format!("/usr/bin/{name}-{major}");
        let found = output(Command::new(&path).arg("--version"));
        found.map(|_| (variable.to_owned(), path)).map_err(|Failure(failure)| {
            let fix = format!("install the package `llvm-{major}` of the system");
            Failure(format!("{failure}; {fix}, or the component `llvm-tools` of the toolchain"))
        })
    };
    Ok(vec![tool("LLVM_COV", "llvm-cov")?, tool("LLVM_PROFDATA", "llvm-profdata")?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn library_below_the_limit_fails() {
        let judged = |sum| judge(&[("one".to_owned(), [100.0, 100.0]), ("two".to_owned(), sum)]);
        assert!(judged([100.0, 85.0]).is_ok(), "85 % are enough");
        let Failure(failure) = judged([100.0, 84.0]).expect_err("84 % are too few");
        assert!(failure.ends_with("of two"), "the library is named: {failure}");
        assert!(judged([0.0, 0.0]).is_err(), "a library without lines was not measured");
    }

    #[test]
    fn files_are_summed_by_library() {
        let file = |path: &str| {
            let lines = json!({ "count": 10, "covered": 9 });
            let path = root().join("crates").join(path);
            json!({ "filename": path, "summary": { "lines": lines } })
        };
        let paths =
            ["prowess-gate/src/a.rs", "prowess-gate/src/b.rs", "prowess-gate/tests/it/c.rs"];
        let mut files: Vec<_> = paths.map(file).into();
        for path in CONFINED {
            files.push(file(path));
            assert!(root().join("crates").join(path).exists(), "`{path}` was moved");
        }
        let sums = sums(&json!({ "data": [{ "files": files }] })).expect("it can be read");
        let sum = |name: &str| sums.iter().find(|sum| sum.0 == name).map(|sum| sum.1);
        assert_eq!(sum("prowess-gate"), Some([20.0, 18.0]));
        assert_eq!(sum("prowess-sandbox"), Some([0.0, 0.0]), "confined code is not counted");
    }
}
